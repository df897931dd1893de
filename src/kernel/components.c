#include "components.h"

#include <string.h>

static const byte *find(const byte *from, const byte *end, int character)
{
    return from == end ? NULL : memchr(from, character, (size_t)(end - from));
}

/* RFC 3986 3.2. The first "@" ends the user information: a canonical form has one at most. */
static void split_authority(component *to, const byte *from, const byte *end)
{
    const byte *at = find(from, end, '@');
    if (at != NULL) {
        to[C_USERINFO] = (component){from, (size_t)(at - from)};
        from = at + 1;
    }
    const byte *colon = NULL;
    if (from < end && *from == '[') {
        const byte *bracket = end;
        while (bracket > from && bracket[-1] != ']') --bracket;
        if (bracket > from && bracket < end && *bracket == ':') colon = bracket;
    } else {
        colon = find(from, end, ':');
    }
    to[C_HOST] = (component){from, (size_t)((colon == NULL ? end : colon) - from)};
    if (colon != NULL) to[C_PORT] = (component){colon + 1, (size_t)(end - colon - 1)};
}

component host_in(const byte *uri, size_t size)
{
    component to[COMPONENT_COUNT] = {{NULL, 0}};
    const byte *end = uri + size, *colon = find(uri, end, ':');
    if (colon == NULL || end - colon < 3 || colon[1] != '/' || colon[2] != '/') return to[C_HOST];
    const byte *start = colon + 3;
    split_authority(to, start, start + authority_end(start, 0, (size_t)(end - start)));
    return to[C_HOST];
}

void split_components(component *to, const byte *uri, size_t size)
{
    const byte *end = uri + size, *from = find(uri, end, ':');
    for (int i = 0; i < COMPONENT_COUNT; ++i) to[i] = (component){NULL, 0};
    if (from == NULL) return;
    to[C_SCHEME] = (component){uri, (size_t)(from - uri)};
    ++from;
    const byte *hash = find(from, end, '#');
    if (hash != NULL) {
        to[C_FRAGMENT] = (component){hash + 1, (size_t)(end - hash - 1)};
        end = hash;
    }
    const byte *mark = find(from, end, '?');
    if (mark != NULL) {
        to[C_QUERY] = (component){mark + 1, (size_t)(end - mark - 1)};
        end = mark;
    }
    if (end - from >= 2 && from[0] == '/' && from[1] == '/') {
        const byte *path = find(from + 2, end, '/');
        if (path == NULL) path = end;
        split_authority(to, from + 2, path);
        from = path;
    }
    to[C_PATH] = (component){from, (size_t)(end - from)};
}

int has_a_label(component text)
{
    if (text.size == 0) return 0; /* absent */
    const byte *const start = text.text, *const end = start + text.size;
    for (const byte *at = start; at < end && (at = memchr(at, '-', (size_t)(end - at))) != NULL; ++at)
        if (at - start > 1 && at + 1 < end && at[1] == '-' && lower(at[-1]) == 'n' && lower(at[-2]) == 'x') return 1;
    return 0;
}

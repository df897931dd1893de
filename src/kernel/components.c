#include "components.h"
#include "scheme.h"

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

/* Why a component cannot contain a character. */
static fault_reason reason_of(component_name where, byte b)
{
    if (where == C_PORT) return BAD_PORT;
    if (b == '%') return BAD_PERCENT_ENCODING;
    if (b == '[' || b == ']') return BRACKET_OUTSIDE_HOST;
    return b == '#' && where == C_FRAGMENT ? SECOND_FRAGMENT : ILLEGAL_CHARACTER;
}

/* The first character of a component that it cannot contain; its size if there is none. */
static size_t first_wrong(component_name where, const component *in)
{
    static const uint32_t HELD_BY[COMPONENT_COUNT] = {
        [C_USERINFO] = USERCHAR, [C_HOST] = REGCHAR, [C_PATH] = SLASHCHAR, [C_QUERY] = QUERYCHAR, [C_FRAGMENT] = FRAGCHAR};
    const byte *t = in->text;
    size_t i = 0;
    while (i < in->size) {
        if (where == C_PORT ? is_digit(t[i]) : has(t[i], HELD_BY[where]))
            ++i;
        else if (where != C_PORT && t[i] == '%' && in->size - i > 2 && hex_value(t[i + 1]) >= 0 && hex_value(t[i + 2]) >= 0)
            i += 3;
        else
            break;
    }
    return i;
}

/* Where a label of a host is not one of the DNS (RFC 1123 2.1); `size` + 1 if all are, or the judge has to decide. */
static size_t wrong_label(const byte *host, size_t size)
{
    size_t labels = 1;
    for (size_t i = 0; i < size; ++i) labels += host[i] == '.';
    if (labels > 1 && host[size - 1] == '.') --labels; /* the root of the DNS (RFC 1034 3.1) */
    for (size_t index = 0, start = 0, end; index < labels; ++index, start = end + 1) {
        for (end = start; end < size && (is_alphanumeric(host[end]) || host[end] == '_' || host[end] == '-');) ++end;
        if (end == start || (end < size && host[end] != '.')) return end;
        if (begins(host + start, end - start, "xn--")) break;
        byte first = host[start], last = host[end - 1];
        int is_last = index + 1 == labels, is_registered = index + 2 >= labels;
        if ((is_registered && (first == '-' || last == '-')) || (is_last && (first == '_' || last == '_')))
            return first == '-' || first == '_' ? start : end - 1;
    }
    return size + 1;
}

fault fault_of(const byte *text, size_t size)
{
    component parts[COMPONENT_COUNT];
    fault none = {NO_FAULT, C_SCHEME, 0};
    for (size_t i = 0; i < size; ++i)
        if (is_wide(text[i])) return none;
    split_components(parts, text, size);
    int scheme = parts[C_SCHEME].text == NULL ? NO_SCHEME : scheme_index(text, parts[C_SCHEME].size);
    const component *host = &parts[C_HOST];
    if (scheme == NO_SCHEME || !(SCHEMES[scheme].flags & S_HOSTED) || host->text == NULL) return none;
    if (host->size == 0 || host->text[0] == '[' || is_space_at(text + size - 1)) return none;
    for (int where = C_USERINFO; where < COMPONENT_COUNT; ++where) {
        const component *one = &parts[where];
        size_t wrong = one->text == NULL ? one->size : first_wrong((component_name)where, one);
        if (wrong < one->size)
            return (fault){reason_of((component_name)where, one->text[wrong]), (component_name)where,
                           (size_t)(one->text + wrong - text)};
    }
    if (!(SCHEMES[scheme].flags & S_STRICT) || memchr(host->text, '%', host->size) != NULL) return none;
    size_t wrong = wrong_label(host->text, host->size);
    if (wrong > host->size) return none;
    return (fault){HOST_LABEL, C_HOST, (size_t)(host->text + wrong - text)};
}

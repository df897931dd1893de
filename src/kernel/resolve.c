#include "resolve.h"

/* The end of the run of characters of a component and of percent-encoded bytes from `t` on. */
static const byte *plain_end(const byte *t, const byte *end, uint32_t flag)
{
    for (; t < end; ++t) {
        if (has(*t, flag)) continue;
        if (*t != '%' || end - t < 3 || hex_value(t[1]) < 0 || hex_value(t[2]) < 0) return t;
        t += 2;
    }
    return t;
}

/* The end of an authority that is a name of letters, digits, dots and hyphens, perhaps with a port; NULL if it is
 * another one. */
static const byte *plain_authority_end(const byte *t, const byte *end)
{
    const byte *host = t;
    while (t < end && (is_alphanumeric(*t) || *t == '.' || *t == '-')) ++t;
    if (t == host) return NULL;
    if (t < end && *t == ':')
        for (++t; t < end && is_digit(*t);) ++t;
    return t == end || ends_authority(*t) ? t : NULL;
}

int resolve_split(resolve_base *base, const byte *text, size_t size)
{
    const byte *end = text + size, *t = text;
    if (size == 0 || size > RESOLVE_LONGEST_BASE || !is_letter(*t)) return 0;
    while (t < end && has(*t, SCHEME_CHARACTER)) ++t;
    if (end - t < 3 || memcmp(t, "://", 3) != 0 || is_word(text, (size_t)(t - text), "urn")) return 0;
    base->text = text;
    base->scheme_end = (size_t)(t + 1 - text);
    t = plain_authority_end(t + 3, end);
    if (t == NULL) return 0;
    base->authority_end = base->directory_end = (size_t)(t - text);
    t = plain_end(t, end, SLASHCHAR);
    base->path_end = (size_t)(t - text);
    for (size_t i = base->authority_end; i < base->path_end; ++i)
        if (text[i] == '/') base->directory_end = i + 1;
    if (t < end && *t == '?') t = plain_end(t + 1, end, QUERYCHAR);
    base->size = (size_t)(t - text);
    return t == end || (*t == '#' && plain_end(t + 1, end, FRAGCHAR) == end);
}

byte *without_dots(byte *path, byte *end)
{
    byte *to = path;
    for (byte *t = path; t < end;) { /* at a slash */
        byte *next = t + 1;
        while (next < end && *next != '/') ++next;
        size_t size = (size_t)(next - t);
        int up = size == 3 && t[1] == '.' && t[2] == '.';
        if (up)
            while (to > path && *--to != '/') {}
        if (up || (size == 2 && t[1] == '.')) {
            if (next == end) *to++ = '/';
        } else {
            memmove(to, t, size);
            to += size;
        }
        t = next;
    }
    return to;
}

size_t resolve_reference(const resolve_base *base, const byte *reference, size_t size, byte *target)
{
    const byte *end = reference + size, *path = reference;
    int has_authority = size >= 2 && path[0] == '/' && path[1] == '/';
    if (has_authority && (path = plain_authority_end(reference + 2, end)) == NULL) return 0;
    const byte *tail = plain_end(path, end, SLASHCHAR), *rest = tail; /* the query and the fragment */
    if (rest < end && *rest == '?') rest = plain_end(rest + 1, end, QUERYCHAR);
    if (rest < end && (*rest != '#' || plain_end(rest + 1, end, FRAGCHAR) < end)) return 0;
    byte *to = target, *begin;
    if (has_authority) { /* 5.2.2 */
        to = put_bytes(to, base->text, base->scheme_end);
        to = begin = put_bytes(to, reference, (size_t)(path - reference));
        to = put_bytes(to, path, (size_t)(tail - path));
    } else if (path == tail) {
        to = begin = put_bytes(to, base->text, tail < end && *tail == '?' ? base->path_end : base->size);
    } else if (*path == '/') {
        to = begin = put_bytes(to, base->text, base->authority_end);
        to = put_bytes(to, path, (size_t)(tail - path));
    } else {
        const byte *slash = memchr(path, '/', (size_t)(tail - path));
        if (memchr(path, ':', (size_t)((slash == NULL ? tail : slash) - path)) != NULL) return 0; /* 4.2 */
        to = put_bytes(to, base->text, base->directory_end);
        begin = target + base->authority_end;
        if (base->directory_end == base->authority_end) *to++ = '/'; /* 5.2.3 */
        to = put_bytes(to, path, (size_t)(tail - path));
    }
    if (to > begin) to = without_dots(begin, to);
    to = put_bytes(to, tail, (size_t)(end - tail));
    return (size_t)(to - target);
}

#include "templates.h"
#include "harvest.h"

/* Write a segment of a path or a value: as it is without a digit, as a placeholder if there is nothing else; returns
 * NULL for any other one. */
static byte *put_part(byte *to, const byte *start, const byte *end)
{
    size_t digits = 0;
    for (const byte *at = start; at < end; ++at) digits += is_digit(*at);
    if (digits == 0) return put_bytes(to, start, (size_t)(end - start));
    if (digits < (size_t)(end - start)) return NULL;
    return put_bytes(to, (const byte *)"{}", 2);
}

/* Write parts with what stands between them: the name of a parameter belongs to no part. */
static byte *put_parts(byte *to, const byte *at, const byte *end, byte between, int has_names)
{
    for (const byte *stop; to != NULL; at = stop + 1) {
        stop = memchr(at, between, (size_t)(end - at));
        if (stop == NULL) stop = end;
        const byte *sign = has_names ? memchr(at, '=', (size_t)(stop - at)) : NULL;
        if (sign != NULL) {
            to = put_bytes(to, at, (size_t)(sign + 1 - at));
            at = sign + 1;
        }
        to = put_part(to, at, stop);
        if (stop == end) break;
        if (to != NULL) *to++ = between;
    }
    return to;
}

byte *plain_template(byte *to, const byte *text, size_t size)
{
    size_t head = size < 8 || memcmp(text, "http", 4) != 0 ? 0 : memcmp(text + 4, "://", 3) == 0 ? 7
                  : memcmp(text + 4, "s://", 4) == 0 ? 8 : 0;
    if (head == 0) return NULL;
    const byte *end = text + size, *mark = memchr(text, '#', size);
    if (mark != NULL) end = mark;
    if (first_mark(text, end, '@', '4', '0') < end) return NULL;
    const byte *query = memchr(text, '?', (size_t)(end - text)), *stop = query == NULL ? end : query;
    if (stop < text + head) return NULL;
    const byte *path = memchr(text + head, '/', (size_t)(stop - text) - head);
    if (path == NULL) path = stop;
    to = put_bytes(to, text, (size_t)(path - text));
    to = put_parts(to, path, stop, '/', 0);
    if (query == NULL || to == NULL) return to;
    *to++ = '?';
    return put_parts(to, query + 1, end, '&', 1);
}

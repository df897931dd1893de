#include "merge.h"
#include "components.h"
#include "find.h"

/* What stays as it is, in lower case; 0 for what is encoded. */
static byte kept[256];

void archive_prepare(void)
{
    for (unsigned b = '!'; b < 0x7F; ++b) kept[b] = b == '#' || b == '%' ? 0 : lower((byte)b);
}

/* Decode triplets until there are none: what decoding makes may be digits of another triplet. Returns the text, which is
 * the given one or is in `to`, and its size. */
static const byte *decode(byte *to, const byte *t, size_t *size)
{
    size_t made = 0;
    if (*size == 0 || memchr(t, '%', *size) == NULL) return t;
    for (size_t i = 0; i < *size; ++i) {
        to[made++] = t[i];
        while (made > 2 && to[made - 3] == '%' && hex_value(to[made - 2]) >= 0 && hex_value(to[made - 1]) >= 0) {
            to[made - 3] = (byte)(hex_value(to[made - 2]) << 4 | hex_value(to[made - 1]));
            made -= 2;
        }
    }
    *size = made;
    return to;
}

static byte *encode(byte *to, const byte *t, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        byte b = kept[t[i]];
        if (b) {
            *to++ = b;
        } else {
            *to++ = '%';
            to = put_octet(to, t[i], LOWER_HEX);
        }
    }
    return to;
}

/* Write a path without empty segments; returns NULL if the judge has to decide: there are segments of dots, or there may
 * be a session. */
static byte *put_path(byte *to, const byte *t, size_t size)
{
    byte *start = to;
    *to++ = '/';
    for (size_t i = 0; i < size;) {
        size_t from = i + (t[i] == '/');
        for (i = from; i < size && t[i] != '/';) ++i;
        size_t length = i - from;
        if (length && length <= 2 && t[from] == '.' && t[i - 1] == '.') return NULL;
        to = encode(to, t + from, length);
        if (length && i < size) *to++ = '/';
    }
    if (to - start > 1 && to[-1] == '/') --to;
    size_t length = (size_t)(to - start);
    return memchr(start, '(', length) != NULL && contains(start, length, ".aspx") ? NULL : to;
}

/* Whether one part of a query comes before another: by its name, then by its value; none is the least. */
static int has_lesser_name(const item *one, const item *other)
{
    size_t i = 0;
    while (i < one->size && i < other->size && one->text[i] == other->text[i]) ++i;
    int mine = i == one->size ? -2 : one->text[i], its = i == other->size ? -2 : other->text[i];
    int is_in_name = i <= one->name_size;
    if (is_in_name && mine == '=') mine = -1;
    if (is_in_name && its == '=') its = -1;
    return mine < its;
}

/* Write a query with its parts sorted, by way of `sorted`; returns NULL if the judge has to decide. */
static byte *put_query(byte *to, byte *sorted, const byte *t, size_t size)
{
    item items[MOST_ITEMS];
    byte *end = encode(to, t, size);
    size_t length = (size_t)(end - to), count = split_items(items, to, length, '&');
    if (contains(to, length, "sid=") || contains(to, length, "sessionid") || contains(to, length, "cfid=")) return NULL;
    if (count == 0) return NULL;
    sort_items(items, count, has_lesser_name);
    put_items(sorted, items, count, '&'); /* not longer than before it was decoded */
    memcpy(to, sorted, length);
    return end;
}

/* Write the labels of a host in the other order, without the `www` and digits before them. */
static byte *put_host(byte *to, const byte *host, size_t size)
{
    size_t at = 3;
    if (size > 3 && memcmp(host, "www", 3) == 0) {
        while (at < size && is_digit(host[at])) ++at;
        if (at < size && host[at] == '.') host += at + 1, size -= at + 1;
    }
    for (size_t end = size;;) {
        size_t start = end;
        while (start && host[start - 1] != '.') --start;
        to = put_bytes(to, host + start, end - start);
        if (start == 0) return to;
        *to++ = ',';
        end = start - 1;
    }
}

size_t archive_key(byte *out, byte *decoded, const byte *form, size_t size, unsigned flags)
{
    if (flags & S_URN) return (size_t)(put_bytes(out, form, size) - out); /* the indexes hold none */
    if (flags & S_OPAQUE) {
        for (size_t i = 0; i < size; ++i) {
            out[i] = lower(form[i]);
            if (form[i] == '%' || form[i] == '/' || form[i] == '?' || form[i] == '#') return 0;
        }
        return size;
    }
    if (flags & S_FILE) return 0;
    component parts[COMPONENT_COUNT];
    split_components(parts, form, size);
    component host = parts[C_HOST], port = parts[C_PORT], path = parts[C_PATH], query = parts[C_QUERY];
    if (host.size && *host.text == '[') return 0;
    byte *to = put_host(out, host.text, host.size);
    for (; port.size && *port.text == '0'; --port.size) ++port.text;
    const char *known = begins(form, size, "http:") ? "80" : begins(form, size, "https:") ? "443" : "";
    if (port.size && !(strlen(known) == port.size && memcmp(known, port.text, port.size) == 0)) {
        *to++ = ':';
        to = put_bytes(to, port.text, port.size);
    }
    *to++ = ')';
    const byte *text = decode(decoded, path.text, &path.size);
    to = put_path(to, text, path.size);
    if (to == NULL || query.size == 0) return to == NULL ? 0 : (size_t)(to - out);
    *to++ = '?';
    text = decode(decoded, query.text, &query.size);
    to = put_query(to, decoded, text, query.size);
    return to == NULL ? 0 : (size_t)(to - out);
}

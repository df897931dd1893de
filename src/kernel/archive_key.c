#include "archive_key.h"
#include "find.h"

/* Queries of more parts are left to the judge. */
#define MOST_PAIRS 64

/* What stays as it is, in lower case; 0 for what is encoded. */
static byte kept[256];

void archive_prepare(void)
{
    for (unsigned b = '!'; b < 0x7F; ++b) kept[b] = b == '#' || b == '%' ? 0 : lower((byte)b);
}

/* Decode triplets until there are none: what decoding makes may be digits of another triplet. Returns the text, which is
 * the given one or stands in `to`, and its size. */
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
    static const char HEX[] = "0123456789abcdef";
    for (size_t i = 0; i < size; ++i) {
        byte b = kept[t[i]];
        if (b) {
            *to++ = b;
        } else {
            *to++ = '%';
            *to++ = (byte)HEX[t[i] >> 4];
            *to++ = (byte)HEX[t[i] & 15];
        }
    }
    return to;
}

static int holds(const byte *t, size_t size, const char *word)
{
    return find_bytes(t, size, (const byte *)word, strlen(word)) < size;
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
    return memchr(start, '(', length) != NULL && holds(start, length, ".aspx") ? NULL : to;
}

/* Whether one pair of a query comes before another: by its name, then by its value; none is the least. */
static int comes_before(const byte *one, size_t size, const byte *other, size_t other_size)
{
    size_t i = 0;
    while (i < size && i < other_size && one[i] == other[i]) ++i;
    int mine = i == size ? -2 : one[i], its = i == other_size ? -2 : other[i];
    int is_in_name = memchr(one, '=', i) == NULL;
    if (is_in_name && mine == '=') mine = -1;
    if (is_in_name && its == '=') its = -1;
    return mine < its;
}

/* Write a query with its pairs sorted, by way of `sorted`; returns NULL if the judge has to decide. */
static byte *put_query(byte *to, byte *sorted, const byte *t, size_t size)
{
    struct { const byte *at; size_t size; } pairs[MOST_PAIRS], one;
    size_t count = 0;
    byte *end = encode(to, t, size);
    size_t length = (size_t)(end - to);
    if (holds(to, length, "sid=") || holds(to, length, "sessionid") || holds(to, length, "cfid=")) return NULL;
    int is_sorted = 1;
    for (const byte *at = to;; ++at) {
        const byte *stop = memchr(at, '&', (size_t)(end - at));
        if (stop == NULL) stop = end;
        if (count == MOST_PAIRS) return NULL;
        one.at = at;
        one.size = (size_t)(stop - at);
        size_t place = count++;
        for (; place && comes_before(one.at, one.size, pairs[place - 1].at, pairs[place - 1].size); --place)
            pairs[place] = pairs[place - 1], is_sorted = 0;
        pairs[place] = one;
        at = stop;
        if (stop == end) break;
    }
    if (is_sorted) return end;
    byte *made = sorted; /* what is encoded was a triplet: it is not longer now than before it was decoded */
    for (size_t i = 0; i < count; ++i) {
        if (i) *made++ = '&';
        made = put_bytes(made, pairs[i].at, pairs[i].size);
    }
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
    const byte *at = (const byte *)memchr(form, ':', size) + 1, *end = form + size;
    if (flags & S_URN) return (size_t)(put_bytes(out, form, size) - out); /* the indexes hold none */
    if (flags & S_OPAQUE) {
        for (size_t i = 0; i < size; ++i) {
            out[i] = lower(form[i]);
            if (form[i] == '%' || form[i] == '/' || form[i] == '?' || form[i] == '#') return 0;
        }
        return size;
    }
    if (flags & S_FILE) return 0;
    const byte *host = at += 2;
    if (flags & S_ROOT) at = memchr(at, '/', (size_t)(end - at)); /* a path follows */
    while (at < end && *at != '/' && *at != '?' && *at != '#') ++at;
    const byte *sign = at == host ? NULL : memchr(host, '@', (size_t)(at - host));
    if (sign != NULL) host = sign + 1; /* user information goes */
    if (*host == '[') return 0;
    const byte *colon = at == host ? NULL : memchr(host, ':', (size_t)(at - host)), *port = colon;
    if (port != NULL) ++port;
    byte *to = put_host(out, host, (size_t)((port == NULL ? at : port - 1) - host));
    while (port != NULL && port < at && *port == '0') ++port;
    size_t digits = port == NULL ? 0 : (size_t)(at - port);
    const char *known = starts(form, end, "http:") ? "80" : starts(form, end, "https:") ? "443" : "";
    if (digits && !(strlen(known) == digits && memcmp(known, port, digits) == 0)) {
        *to++ = ':';
        to = put_bytes(to, port, digits);
    }
    *to++ = ')';
    const byte *hash = at == end ? NULL : memchr(at, '#', (size_t)(end - at));
    if (hash != NULL) end = hash;
    const byte *mark = at == end ? NULL : memchr(at, '?', (size_t)(end - at));
    size_t length = (size_t)((mark == NULL ? end : mark) - at);
    const byte *text = decode(decoded, at, &length);
    to = put_path(to, text, length);
    if (to == NULL || mark == NULL || mark + 1 == end) return to == NULL ? 0 : (size_t)(to - out);
    *to++ = '?';
    length = (size_t)(end - mark - 1);
    text = decode(decoded, mark + 1, &length);
    to = put_query(to, decoded, text, length);
    return to == NULL ? 0 : (size_t)(to - out);
}

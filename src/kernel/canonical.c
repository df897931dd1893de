#include "canonical.h"
#include "buffer.h"
#include "memo.h"
#include "resolve.h"
#include "scheme.h"
#include "secrets.h"

/* RFC 3986 3.2.3 has no bound; a port above 65535 has a warning. */
#define PORT_DIGITS 5
#define LAST_PORT 65535

typedef enum { IN_A_PATH, IN_A_QUERY, IN_A_FRAGMENT } url_part;

/* The bytes that stand for themselves in a path, a query and a fragment, filled once. */
static byte held_by[3][256];

/* The bytes that an authority may end at, and "@"; those of a host of the DNS, in lower case. */
static byte stops_authority[256], of_host[256];

void canonical_prepare(void)
{
    static const uint32_t FLAGS[] = {SLASHCHAR, QUERYCHAR, FRAGCHAR};
    for (unsigned part = 0; part < 3; ++part)
        for (unsigned b = 0; b < 0x80; ++b) held_by[part][b] = (ASCII_FLAGS[b] & FLAGS[part]) != 0;
    for (const char *b = "/?#@"; *b; ++b) stops_authority[(byte)*b] = 1;
    for (unsigned b = 0; b < 0x80; ++b)
        if (is_alphanumeric((byte)b) || b == '-' || b == '.') of_host[b] = lower((byte)b);
}

/* Whether a character beyond ASCII is mapped as it is (RFC 3987 3.1). White space between two slashes may appear before a
 * user with a password. */
static int is_ordinary(const byte *t) { return (wide_flags(point_at(t)) & (W_ORDINARY | W_SPACE)) == W_ORDINARY; }

/* Copy a run of a part: its characters stay, triplets are normalized (RFC 3986 6.2.2.1, 6.2.2.2), other
 * characters become triplets (RFC 3987 3.1). Stops at the first ASCII character that it cannot contain.
 *
 * Returns the offset where it stops, or `size` + 1 if the judge has to decide. */
static size_t copied(byte **out, const byte *text, size_t offset, size_t size, url_part part)
{
    byte *to = *out;
    const byte *held = held_by[part];
    while (offset < size) {
        byte b = text[offset];
        if (held[b]) {
            do *to++ = text[offset++]; while (offset < size && held[text[offset]]);
        } else if (b == '%') {
            if (size - offset < 3) return size + 1;
            int high = hex_value(text[offset + 1]), low = hex_value(text[offset + 2]);
            if (high < 0 || low < 0) return size + 1;
            byte octet = (byte)(high << 4 | low);
            if (octet == 0) return size + 1; /* has a warning */
            if (has(octet, UNRESERVED)) {
                *to++ = octet;
            } else {
                *to++ = '%';
                to = put_octet(to, octet, UPPER_HEX);
            }
            offset += 3;
        } else if (is_wide(b)) {
            if (!is_ordinary(text + offset)) return size + 1;
            for (size_t end = offset + width(b); offset < end; ++offset) {
                *to++ = '%';
                to = put_octet(to, text[offset], UPPER_HEX);
            }
        } else {
            break;
        }
    }
    *out = to;
    return offset;
}

byte *canonical_rest(byte *out, const byte *text, size_t offset, size_t size, unsigned flags)
{
    byte *path = out;
    offset = copied(&out, text, offset, size, IN_A_PATH);
    if (offset > size) return NULL;
    if (out == path) {
        if ((flags & S_ROOT) && !(flags & AT_SYNTAX)) *out++ = '/'; /* RFC 3986 6.2.3 */
    } else if (*path == '/') {
        /* Most paths have fewer dots than slashes. */
        for (byte *dot = path + 1; dot < out && (dot = memchr(dot, '.', (size_t)(out - dot))) != NULL; ++dot)
            if (dot[-1] == '/') {
                out = without_dots(path, out);
                break;
            }
    }
    if (offset < size && text[offset] == '?') {
        *out++ = '?';
        offset = copied(&out, text, offset + 1, size, IN_A_QUERY);
        if (offset > size) return NULL;
    }
    if (offset < size && text[offset] == '#' && !(flags & S_NO_FRAGMENT)) {
        *out++ = '#';
        offset = copied(&out, text, offset + 1, size, IN_A_FRAGMENT);
    }
    return offset == size ? out : NULL;
}

int may_hold_dots(const byte *text, size_t offset, size_t size)
{
    for (size_t i = offset; i + 1 < size; ++i)
        if (text[i] == '/' && (text[i + 1] == '.' || text[i + 1] == '%')) return 1;
    return 0;
}

int is_ipv4(const byte *t, size_t size)
{
    unsigned parts = 0;
    size_t i = 0;
    while (i < size) {
        unsigned value = 0, digits = 0;
        size_t start = i;
        while (i < size && is_digit(t[i]) && digits < 4) {
            value = value * 10 + (unsigned)(t[i++] - '0');
            ++digits;
        }
        if (digits == 0 || digits > 3 || value > 255 || (digits > 1 && t[start] == '0')) return 0;
        ++parts;
        if (i == size) break;
        if (t[i] != '.' || ++i == size) return 0;
    }
    return parts == 4;
}

size_t plain_host(byte *out, const byte *host, size_t size)
{
    if (size == 0 || size > NAME_LIMIT) return 0;
    size_t label, i = 0;
    for (;;) {
        byte b = 0;
        for (label = i; i < size && (b = of_host[host[i]]) != 0 && b != '.'; ++i) out[i] = b;
        if (i < size && b == 0) return 0;
        if (i == label || i - label > LABEL_LIMIT || out[label] == '-' || out[i - 1] == '-') return 0;
        if (i - label >= 4 && memcmp(out + label, "xn--", 4) == 0) return 0;
        if (i == size) break;
        out[i++] = '.';
    }
    if (!is_digit(out[label])) return size;
    /* Some programs read a last label that is a number as a part of an address. */
    for (i = label; i < size && is_digit(out[i]);) ++i;
    if (i == size) return is_ipv4(out, size) ? size : 0;
    if (out[label] == '0' && out[label + 1] == 'x') {
        for (i = label + 2; i < size && hex_value(out[i]) >= 0;) ++i;
        if (i == size) return 0;
    }
    return size;
}

/* The hosts that were learnt. */
static memo hosts;

int learn_host(const byte *host, size_t size, const byte *form, size_t form_size)
{
    statement what = {form, form, form_size, form_size, VALID, 0, 0};
    memo_make_room(&hosts);
    ptrdiff_t index = memo_index(&hosts, host, size);
    return index >= 0 && memo_judge(&hosts, (size_t)index, &what);
}

/* Write the form of a host that was learnt; returns its length, or 0. */
static size_t known_host(byte *out, const byte *host, size_t size)
{
    for (size_t i = 0; i < size; i += width(host[i]))
        if (is_wide(host[i]) && !is_ordinary(host + i)) return 0;
    const judgement *known = memo_find(&hosts, host, size);
    if (known == NULL || known->verdict != VALID || known->uri_size > 3 * size) return 0;
    memcpy(out, hosts.bytes.at + known->uri, known->uri_size);
    return known->uri_size;
}

#define GROUPS 8u

/* Read the groups of an IPv6 address up to "::" or its end; returns the end of what was read, or NULL. */
static const byte *read_groups(const byte *t, const byte *end, uint16_t *groups, unsigned *count)
{
    while (t < end && *t != ':') {
        const byte *start = t;
        unsigned value = 0;
        int digit;
        for (; t < end && t - start < 5 && (digit = hex_value(*t)) >= 0; ++t) value = value << 4 | (unsigned)digit;
        if (t < end && *t == '.') { /* the last groups as an IPv4 address */
            if (*count > GROUPS - 2 || !is_ipv4(start, (size_t)(end - start))) return NULL;
            unsigned parts[4] = {0}, part = 0;
            for (t = start; t < end; ++t)
                if (*t == '.') ++part;
                else parts[part] = parts[part] * 10 + (unsigned)(*t - '0');
            groups[(*count)++] = (uint16_t)(parts[0] << 8 | parts[1]);
            groups[(*count)++] = (uint16_t)(parts[2] << 8 | parts[3]);
            return end;
        }
        if (t == start || t - start > 4 || *count == GROUPS) return NULL;
        groups[(*count)++] = (uint16_t)value;
        if (t == end) break;
        if (*t != ':' || ++t == end) return NULL;
        if (*t == ':') return t + 1;
    }
    return t;
}

/* Write an IPv6 address in the form of RFC 5952 4 and 5; NULL if it is none. */
static byte *put_ipv6(byte *to, const byte *t, const byte *end)
{
    uint16_t groups[GROUPS], behind[GROUPS];
    unsigned count = 0, more = 0, zeros = 0, best = GROUPS;
    int is_short = end - t >= 2 && t[0] == ':' && t[1] == ':';
    if (is_short) {
        t += 2;
    } else {
        const byte *start = t;
        t = read_groups(t, end, groups, &count);
        if (t == NULL || t == start) return NULL;
        is_short = t - start >= 2 && t[-1] == ':' && t[-2] == ':';
    }
    if (is_short) {
        if (t < end && (read_groups(t, end, behind, &more) != end || end[-1] == ':')) return NULL;
        if (count + more >= GROUPS) return NULL;
        for (; count + more < GROUPS; ++count) groups[count] = 0;
        memcpy(groups + count, behind, more * sizeof *behind);
    } else if (count != GROUPS || t != end) {
        return NULL;
    }
    for (unsigned i = 0; i < GROUPS; ++i) { /* the longest run of zeros, the first of equal ones */
        unsigned run = i;
        while (run < GROUPS && groups[run] == 0) ++run;
        if (run - i > zeros && run - i > 1) zeros = run - i, best = i;
        i = run;
    }
    int is_mapped = best == 0 && zeros == 5 && groups[5] == 0xFFFF;
    for (unsigned i = 0; i < GROUPS; ++i) {
        if (i == best) {
            to = put_bytes(to, (const byte *)"::", 2);
            i += zeros - 1;
            continue;
        }
        if (i && i != best + zeros) *to++ = ':';
        if (is_mapped && i == 6) {
            for (unsigned part = 0; part < 4; ++part) {
                if (part) *to++ = '.';
                to = put_decimal(to, part % 2 ? groups[6 + part / 2] & 0xFF : groups[6 + part / 2] >> 8);
            }
            break;
        }
        for (int shift = 12; shift >= 0; shift -= 4)
            if (shift == 0 || groups[i] >> shift) *to++ = (byte)LOWER_HEX[groups[i] >> shift & 15];
    }
    return to;
}

/* `//` and an authority of the DNS, then the rest (RFC 3986 3.2). */
static byte *hosted(byte *out, const byte *text, size_t offset, size_t size, int scheme, unsigned flags,
                    unsigned *warnings, byte **rest)
{
    byte *start = out;
    size_t end = offset;
    size_t at = 0;
    for (; end < size; ++end) {
        if (!stops_authority[text[end]]) continue;
        if (text[end] != '@') break;
        if (!at) at = end;
    }
    if (at) {
        /* RFC 3986 3.2.1; a password has a warning of its own and is masked when it is written. */
        for (size_t i = offset; i < at; ++i)
            if (!has(text[i], REGCHAR)) return NULL;
        if (at == offset) return NULL;
        memcpy(out, text + offset, at + 1 - offset);
        out += at + 1 - offset;
        offset = at + 1;
        *warnings |= FOUND_USERINFO_PRESENT;
    }
    size_t host_end = offset;
    byte *host = out;
    if (offset < end && text[offset] == '[') {
        const byte *bracket = memchr(text + offset, ']', end - offset);
        if (bracket == NULL || (flags & AT_SYNTAX)) return NULL;
        *out++ = '[';
        if ((out = put_ipv6(out, text + offset + 1, bracket)) == NULL) return NULL;
        *out++ = ']';
        host_end = (size_t)(bracket + 1 - text);
        if (host_end < end && text[host_end] != ':') return NULL;
    }
    const byte *colon = host_end < end ? memchr(text + host_end, ':', end - host_end) : NULL;
    if (host_end == offset) {
        host_end = colon ? (size_t)(colon - text) : end;
        size_t length = plain_host(out, text + offset, host_end - offset);
        if (length == 0 && !at && (flags & KNOWS_HOSTS)) length = known_host(out, text + offset, host_end - offset);
        if (length == 0) return NULL;
        out += length;
    }
    if (colon) {
        size_t digits = end - host_end - 1;
        const byte *port = colon + 1;
        if (digits > PORT_DIGITS) return NULL;
        long value = 0;
        for (size_t i = 0; i < digits; ++i) {
            if (!is_digit(port[i])) return NULL;
            value = value * 10 + (port[i] - '0');
        }
        if (value > LAST_PORT) return NULL;
        const char *known = SCHEMES[scheme].port;
        int is_known = digits == 0 || (strlen(known) == digits && memcmp(known, port, digits) == 0);
        if (!is_known || (flags & AT_SYNTAX)) { /* RFC 3986 6.2.3 */
            *out++ = ':';
            memcpy(out, port, digits);
            out += digits;
        }
    }
    *rest = is_hook(host, (size_t)(out - host)) ? NULL : at ? start : out; /* a token may be the name of a user */
    return canonical_rest(out, text, end, size, flags);
}

/* Whether the last label of a host may be a number, which some programs read as an IPv4 address, and is none. */
static int ends_in_number(const byte *host, size_t size)
{
    size_t end = size && host[size - 1] == '.' ? size - 1 : size, label = end;
    while (label > 0 && host[label - 1] != '.') --label;
    return label < end && is_digit(host[label]) && !is_ipv4(host, size);
}

/* `file:`: no authority, an empty one and `localhost` are the same (RFC 8089 2). */
static byte *file(byte *out, const byte *text, size_t offset, size_t size, unsigned *warnings)
{
    static const char LOCAL[] = "localhost";
    *out++ = '/';
    *out++ = '/';
    if (begins(text + offset, size - offset, "//")) {
        offset += 2;
        size_t end = offset;
        while (end < size && has(text[end], REGCHAR)) ++end; /* a port or user information is left to the judge */
        if (end - offset != sizeof LOCAL - 1 || !begins(text + offset, end - offset, LOCAL))
            for (size_t i = offset; i < end; ++i) *out++ = lower(text[i]);
        if (ends_in_number(text + offset, end - offset)) return NULL;
        offset = end;
    }
    if (offset >= size || text[offset] != '/' || (offset + 1 < size && text[offset + 1] == '/')) return NULL;
    if (may_hold_dots(text, offset, size)) return NULL; /* they may lead to a path that begins with "//" */
    byte *path = out, *end = canonical_rest(out, text, offset, size, 0);
    if (end != NULL) {
        const byte *query = memchr(path, '?', (size_t)(end - path));
        const byte *fragment = memchr(path, '#', (size_t)(end - path));
        if (query != NULL && (fragment == NULL || query < fragment)) *warnings |= FOUND_SCHEME_SYNTAX;
    }
    return end;
}

/* Add the warning of a secret in a form, whose last part it may be in; returns its length, or 0 where the judge has to
 * decide. */
static size_t with_secret(const byte *form, const byte *rest, const byte *end, unsigned *warnings)
{
    size_t size = (size_t)(end - form);
    if (rest == NULL) return 0;
    secret_result found = secret_behind(form, (size_t)(rest - form), size);
    if (found == HAS_SECRET) *warnings |= FOUND_SECRET_PRESENT;
    return found == MAY_HAVE_SECRET ? 0 : size;
}

size_t canonical_form(byte *out, const byte *text, size_t size, int scheme, unsigned flags, unsigned *warnings)
{
    if (scheme == NO_SCHEME || (flags & S_RULED) || !(flags & (S_HOSTED | S_FILE | S_OPAQUE))) return 0;
    if ((flags & AT_SYNTAX) && (flags & (S_FILE | S_OPAQUE))) return 0;
    byte *start = out;
    size_t offset = strlen(SCHEMES[scheme].name);
    memcpy(out, SCHEMES[scheme].name, offset);
    out += offset;
    *out++ = ':';
    ++offset;
    byte *rest = out;
    if (flags & S_OPAQUE) {
        int has_none = (flags & S_URN) || is_word(start, offset - 1, "data");
        out = opaque(out, text, offset, size, scheme, flags);
        if (out != NULL && has_none) return (size_t)(out - start);
    } else if (flags & S_FILE) {
        out = file(out, text, offset, size, warnings);
    } else {
        if (size - offset < 3 || text[offset] != '/' || text[offset + 1] != '/') return 0;
        *out++ = '/';
        *out++ = '/';
        out = hosted(out, text, offset + 2, size, scheme, flags, warnings, &rest);
    }
    return out == NULL ? 0 : with_secret(start, rest, out, warnings);
}

size_t unknown_form(byte *out, const byte *text, size_t size, unsigned *warnings)
{
    size_t offset = (size_t)((const byte *)memchr(text, ':', size) + 1 - text);
    /* A parameter, or a user, may have a password. */
    if (memchr(text, '=', size) != NULL || memchr(text, '@', size) != NULL) return 0;
    for (size_t i = 0; i < offset; ++i) out[i] = lower(text[i]);
    const byte *end = plain_opaque(out + offset, text, offset, size, 0);
    *warnings |= FOUND_UNREGISTERED_SCHEME;
    return end == NULL ? 0 : with_secret(out, out + offset, end, warnings);
}

size_t form_of_identifier(byte *out, const byte *text, size_t size, unsigned more, unsigned *warnings)
{
    size_t longest = LONGEST_SCHEME + 1;
    if (size > LONGEST_IDENTIFIER) return 0;
    if (size > 0 && is_space_at(text + before(text, size))) return 0; /* Python removes white space around a value */
    const byte *colon = size == 0 ? NULL : memchr(text, ':', size < longest ? size : longest);
    int scheme = colon == NULL ? NO_SCHEME : scheme_index(text, (size_t)(colon - text));
    return scheme == NO_SCHEME ? 0 : canonical_form(out, text, size, scheme, SCHEMES[scheme].flags | more, warnings);
}

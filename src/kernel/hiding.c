#include "hiding.h"
#include "harvest.h"

#define DIGITS "0123456789abcdef"

/* An identifier by its delimiters: the offset at which each part begins, and behind the last one the size. */
typedef struct {
    const byte *rest, *host, *path, *query, *fragment, *end; /* `rest` stands behind the colon, or behind "//" */
    int has_authority;
} layout;

static const byte *up_to(const byte *at, const byte *end, byte b)
{
    const byte *found = at < end ? memchr(at, b, (size_t)(end - at)) : NULL;
    return found == NULL ? end : found;
}

/* Returns 0 for what begins with no scheme, or with two, and for a URN, whose parts are others. */
static int lay_out(layout *to, component text)
{
    const byte *at = text.text, *end = at + text.size;
    if (!has_scheme(at, end) || begins(at, text.size, "urn:")) return 0;
    at = up_to(at, end, ':') + 1;
    to->has_authority = end - at > 1 && at[0] == '/' && at[1] == '/';
    if (!to->has_authority && has_scheme(at, end)) return 0;
    to->rest = to->host = to->path = at + 2 * to->has_authority;
    to->end = end;
    to->fragment = up_to(to->rest, end, '#');
    to->query = up_to(to->rest, to->fragment, '?');
    if (!to->has_authority) return 1;
    to->path = up_to(to->rest, to->query, '/');
    const byte *sign = up_to(to->rest, to->path, '@');
    if (sign < to->path) to->host = sign + 1;
    return up_to(to->host, to->path, '@') == to->path;
}

static byte *hide(byte *to, const byte *start, const byte *end, const blake2b_key *secret)
{
    if (secret == NULL) return put_bytes(to, (const byte *)"***", 3);
    byte digest[BLAKE2B_SIZE];
    blake2b_digest(digest, secret, start, (size_t)(end - start));
    for (unsigned i = 0; i < BLAKE2B_SIZE; ++i) {
        *to++ = (byte)DIGITS[digest[i] >> 4];
        *to++ = (byte)DIGITS[digest[i] & 15];
    }
    return to;
}

/* Whether a link inside may begin in a part that stays: with a colon and a slash, encoded or not, or as mail filters
 * write them; one with user information has an at-sign besides. In a path both are encoded. */
static int may_hold_link(const byte *start, const byte *end, unsigned parts, int is_path)
{
    const byte *at = first_mark(start, end, ':', '3', 'A');
    if ((parts & HIDE_USERINFO) && first_mark(at, end, '@', '4', '0') < end) return 1;
    if (!(parts & HIDE_OF_INNER)) return 0;
    for (; at < end; at = first_mark(at + 1, end, ':', '3', 'A')) {
        if (*at != ':') return 1;
        if (!is_path && end - at > 1 && (at[1] == '/' || at[1] == '%' || at[1] == '_')) return 1;
    }
    return 0;
}

byte *redacted(byte *to, component text, unsigned parts, const blake2b_key *secret)
{
    layout of;
    if (text.size == 0 || !lay_out(&of, text)) return NULL;
    to = put_bytes(to, text.text, (size_t)(of.rest - text.text));
    if (of.has_authority && of.host > of.rest && (parts & HIDE_USERINFO)) {
        if (of.host - of.rest < 2) return NULL;
        to = hide(to, of.rest, of.host - 1, secret);
        to = put_bytes(to, of.host - 1, (size_t)(of.path - of.host + 1));
    } else {
        if (!of.has_authority && (parts & HIDE_USERINFO) && begins(text.text, text.size, "sip")) return NULL;
        to = put_bytes(to, of.rest, (size_t)(of.path - of.rest));
    }
    int is_empty = of.query == of.path || (of.query - of.path == 1 && *of.path == '/');
    if (!(parts & HIDE_PATH) || is_empty) {
        if (may_hold_link(of.path, of.query, parts, 1)) return NULL;
        to = put_bytes(to, of.path, (size_t)(of.query - of.path));
    } else {
        if (*of.path == '/') *to++ = '/';
        to = hide(to, of.path, of.query, secret);
    }
    const byte *const starts[] = {of.query, of.fragment, of.end};
    for (int i = 0; i < 2; ++i) {
        const byte *start = starts[i], *end = starts[i + 1];
        if (start == end) continue;
        *to++ = *start++;
        if (start < end && (parts & (i ? HIDE_FRAGMENT : HIDE_QUERY))) {
            to = hide(to, start, end, secret);
        } else {
            if (may_hold_link(start, end, parts, 0)) return NULL;
            to = put_bytes(to, start, (size_t)(end - start));
        }
    }
    return to;
}

static component host_of(const layout *of)
{
    const byte *end = of->path;
    while (end > of->host && is_digit(end[-1])) --end;
    end = end > of->host && end[-1] == ':' ? end - 1 : of->path;
    return (component){of->host, (size_t)(end - of->host)};
}

int is_laid_out_alike(component raw, component uri)
{
    layout one, other;
    if (!lay_out(&one, raw) || !lay_out(&other, uri) || one.has_authority != other.has_authority) return 0;
    component start = {raw.text, (size_t)(one.rest - raw.text)}, head = {uri.text, (size_t)(other.rest - uri.text)};
    return is_same_but_case(start, head) && is_same_but_case(host_of(&one), host_of(&other)) &&
           (one.query < one.fragment) == (other.query < other.fragment) &&
           (one.fragment < one.end) == (other.fragment < other.end);
}

/* Write a stretch with the dots before `dots` in brackets, and without links. */
static byte *put_without_links(byte *to, const byte *at, const byte *end, const byte *dots)
{
    const byte *start = at;
    for (; at < end; ++at) {
        if (*at == '.' && at < dots && (at == start || at[-1] != '[') && (at + 1 == dots || at[1] != ']')) {
            to = put_bytes(to, (const byte *)"[.]", 3);
        } else if (*at == ':' && end - at > 2 && at[1] == '/' && at[2] == '/') {
            to = put_bytes(to, (const byte *)":[/]/", 5);
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    return to;
}

/* Schemes, and what they become. */
static const char *const CHANGED[][2] = {{"https", "hxxps"}, {"http", "hxxp"}, {"ftp", "fxp"}, {"ftps", "fxps"},
                                         {"sftp", "sfxp"},   {"ws", "wxs"},    {"wss", "wxss"}};

/* Write a scheme with the delimiters behind it, which are ":" or "://". */
static byte *put_head(byte *to, component scheme, const byte *marks, size_t size)
{
    for (size_t i = 0; size == 3 && i < sizeof CHANGED / sizeof *CHANGED; ++i) {
        if (is_word(scheme.text, scheme.size, CHANGED[i][1])) /* as it is */
            return put_bytes(to, scheme.text, scheme.size + size);
        if (!is_word(scheme.text, scheme.size, CHANGED[i][0])) continue;
        to = put_bytes(to, (const byte *)CHANGED[i][1], strlen(CHANGED[i][1]));
        return put_bytes(to, marks, size);
    }
    to = put_bytes(to, scheme.text, scheme.size);
    *to++ = '[';
    to = put_bytes(to, marks, size);
    *to++ = ']';
    return to;
}

byte *defanged(byte *to, component text)
{
    const byte *start = text.text, *end = start + text.size;
    if (text.size == 0 || !has_scheme(start, end) || memchr(start, '\\', text.size) != NULL) return NULL;
    const byte *colon = up_to(start, end, ':'), *rest = colon + 1, *dots = rest;
    component scheme = {start, (size_t)(colon - start)};
    if (end - rest > 1 && rest[0] == '/' && rest[1] == '/') {
        for (dots = rest += 2; dots < end && *dots != '/' && *dots != '?' && *dots != '#'; ++dots)
            if (is_wide(*dots)) return NULL; /* it may be a dot of IDNA */
        to = put_head(to, scheme, colon, 3);
        return put_without_links(to, rest, end, dots);
    }
    if (is_word(start, scheme.size, "urn")) return put_bytes(to, start, text.size);
    to = put_head(to, scheme, colon, 1);
    const byte *sign = up_to(rest, end, '@');
    to = put_without_links(to, rest, sign, rest);
    if (sign == end) return to;
    to = put_bytes(to, (const byte *)"[@]", 3);
    for (const byte *at = sign + 1; at < end; ++at)
        if (is_wide(*at)) return NULL;
    return put_without_links(to, sign + 1, end, end);
}

byte *defanged_host(byte *to, component host)
{
    return put_without_links(to, host.text, host.text + host.size, host.text + host.size);
}

byte *defanged_part(byte *to, component part)
{
    return put_without_links(to, part.text, part.text + part.size, part.text);
}

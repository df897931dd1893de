#include "hiding.h"
#include "harvest.h"
#include "secrets.h"

static const byte *up_to(const byte *at, const byte *end, byte b)
{
    const byte *found = at < end ? memchr(at, b, (size_t)(end - at)) : NULL;
    return found == NULL ? end : found;
}

/* Split a text, and find where its authority begins after "//", or its path without one. Returns NULL for what begins
 * with no scheme, or with two, or has two at-signs in the authority, and for a URN, whose parts are others. */
static const byte *split_plain(component *parts, component text)
{
    const byte *end = text.text + text.size;
    if (text.size == 0 || !has_scheme(text.text, end) || begins(text.text, text.size, "urn:")) return NULL;
    split_components(parts, text.text, text.size);
    const byte *path = parts[C_PATH].text, *host = parts[C_HOST].text;
    if (host == NULL) return has_scheme(path, end) ? NULL : path;
    if (up_to(host, path, '@') < path) return NULL;
    return parts[C_USERINFO].text != NULL ? parts[C_USERINFO].text : host;
}

static byte *hide(byte *to, const byte *start, const byte *end, const blake2b_start *secret)
{
    if (secret == NULL) return put_bytes(to, (const byte *)"***", 3);
    byte digest[HIDDEN_SIZE];
    blake2b_digest(digest, secret, start, (size_t)(end - start));
    for (unsigned i = 0; i < HIDDEN_SIZE; ++i) to = put_octet(to, digest[i], LOWER_HEX);
    return to;
}

/* Whether a link inside may begin in a part that stays: with a colon and a slash, encoded or not, or as mail filters
 * write them; one with user information also has an at-sign. In a path both are encoded. */
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

byte *redacted(byte *to, component text, unsigned hidden, const blake2b_start *secret)
{
    component parts[COMPONENT_COUNT];
    const byte *rest = split_plain(parts, text);
    if (rest == NULL || ((hidden & HIDE_SECRETS) && find_secret(text.text, text.size) != NO_SECRET)) return NULL;
    component user = parts[C_USERINFO], path = parts[C_PATH];
    to = put_bytes(to, text.text, (size_t)(rest - text.text));
    if (user.text != NULL && (hidden & HIDE_USERINFO)) {
        if (user.size == 0) return NULL;
        to = hide(to, user.text, user.text + user.size, secret);
        rest = user.text + user.size;
    } else if (parts[C_HOST].text == NULL && (hidden & HIDE_USERINFO) && begins(text.text, text.size, "sip")) {
        return NULL;
    }
    to = put_bytes(to, rest, (size_t)(path.text - rest));
    int is_empty = path.size == 0 || (path.size == 1 && *path.text == '/');
    if (!(hidden & HIDE_PATH) || is_empty) {
        if (may_hold_link(path.text, path.text + path.size, hidden, 1)) return NULL;
        to = put_bytes(to, path.text, path.size);
    } else {
        if (*path.text == '/') *to++ = '/';
        to = hide(to, path.text, path.text + path.size, secret);
    }
    for (int i = C_QUERY; i <= C_FRAGMENT; ++i) {
        component part = parts[i];
        if (part.text == NULL) continue;
        *to++ = i == C_QUERY ? '?' : '#';
        if (part.size && (hidden & (i == C_QUERY ? HIDE_QUERY : HIDE_FRAGMENT))) {
            to = hide(to, part.text, part.text + part.size, secret);
        } else {
            if (may_hold_link(part.text, part.text + part.size, hidden, 0)) return NULL;
            to = put_bytes(to, part.text, part.size);
        }
    }
    return to;
}

int is_laid_out_alike(component raw, component uri)
{
    component one[COMPONENT_COUNT], other[COMPONENT_COUNT];
    const byte *rest = split_plain(one, raw), *other_rest = split_plain(other, uri);
    if (rest == NULL || other_rest == NULL) return 0;
    component start = {raw.text, (size_t)(rest - raw.text)}, other_start = {uri.text, (size_t)(other_rest - uri.text)};
    if (!is_same_but_case(start, other_start) || !is_same_but_case(one[C_HOST], other[C_HOST])) return 0;
    for (int i = 0; i < COMPONENT_COUNT; ++i)
        if ((i == C_HOST || i == C_QUERY || i == C_FRAGMENT) && (one[i].text == NULL) != (other[i].text == NULL)) return 0;
    return 1;
}

/* Write a text with the dots before `dots` in brackets, and without links. */
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

/* Write a scheme with the delimiters after it, which are ":" or "://". */
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
        for (dots = rest += 2; dots < end && !ends_authority(*dots); ++dots)
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

#include "html_tokens.h"

/* The ends of names: 1, and 2 for a byte that may begin white space beyond ASCII. */
static const byte ENDS_NAME[256] = {
    [0] = 1,    ['\t'] = 1, ['\n'] = 1, [0x0B] = 1, ['\f'] = 1, ['\r'] = 1, [0x1C] = 1, [0x1D] = 1,
    [0x1E] = 1, [0x1F] = 1, [' '] = 1,  ['/'] = 1,  ['>'] = 1,  [0xC2] = 2, [0xE1] = 2, [0xE2] = 2, [0xE3] = 2,
};

/* Write a name in lower case, with zeros after it; returns 0 if it is in no table.
 *
 * A KELVIN SIGN is the one character beyond ASCII whose lower case is a letter of ASCII. */
static int lowered_wide(char *to, const byte *name, size_t size)
{
    size_t length = 0;
    memset(to, 0, HTML_LONGEST_NAME + 1);
    for (size_t i = 0; i < size; ++length) {
        if (length == HTML_LONGEST_NAME) return 0;
        if (!is_wide(name[i])) {
            to[length] = (char)lower(name[i++]);
        } else if (size - i >= 3 && memcmp(name + i, "\xE2\x84\xAA", 3) == 0) {
            to[length] = 'k';
            i += 3;
        } else {
            return 0;
        }
    }
    return 1;
}

/* Eight bytes with the letters of ASCII in lower case. */
static uint64_t lower_eight(uint64_t word)
{
    const uint64_t high = 0x8080808080808080u, one = 0x0101010101010101u;
    uint64_t low = word & ~high;
    uint64_t upper = ((low + (0x80 - 'A') * one) ^ (low + (0x7F - 'Z') * one)) & ~word & high;
    return word | upper >> 2;
}

static int lowered(char *to, const byte *name, size_t size, const byte *end)
{
    static const uint64_t NONE[2] = {0, 0};
    static const byte KEPT_BYTES[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t words[2], kept[2];
    if (size == 0 || memchr(name, 0, size) != NULL) return 0; /* names are compared with zeros after them */
    if (size > HTML_LONGEST_NAME) return lowered_wide(to, name, size);
    if (end - name >= 16) { /* a copy of a known size is quicker */
        memcpy(words, name, sizeof words);
        memcpy(kept, KEPT_BYTES + 16 - size, sizeof kept);
        words[0] &= kept[0];
        words[1] &= kept[1];
    } else {
        memcpy(words, NONE, sizeof words);
        memcpy(words, name, size);
    }
    if ((words[0] | words[1]) & 0x8080808080808080u) return lowered_wide(to, name, size);
    words[0] = lower_eight(words[0]);
    words[1] = lower_eight(words[1]);
    memcpy(to, words, sizeof words);
    return 1;
}

static unsigned name_slot(const char *name)
{
    uint64_t words[2];
    memcpy(words, name, sizeof words);
    uint64_t mixed = (words[0] ^ words[1] * 31u) * 0x9E3779B97F4A7C15u;
    return (unsigned)(mixed >> 40) % HTML_SLOTS;
}

int html_add_name(html_table *table, const byte *name, size_t size, uint32_t flags, uint32_t number)
{
    html_name made = {"", flags, number};
    if (size > HTML_LONGEST_NAME || table->count >= HTML_SLOTS / 2 || !lowered(made.name, name, size, name + size))
        return 0;
    unsigned slot = name_slot(made.name);
    while (table->slots[slot].name[0]) slot = (slot + 1) % HTML_SLOTS;
    table->slots[slot] = made;
    size_t written = size; /* a KELVIN SIGN takes two bytes more */
    for (size_t i = 0; made.name[i]; ++i) written += made.name[i] == 'k' ? 2 : 0;
    for (; size <= written; size += 2) {
        table->sizes[made.name[0] & 31] |= (uint32_t)1 << size;
        if (made.name[0] == 'k') table->sizes[0xE2 & 31] |= (uint32_t)1 << size;
    }
    ++table->count;
    return 1;
}

const html_name *html_find_name(const html_table *table, const byte *name, size_t size, const byte *end)
{
    char small[HTML_LONGEST_NAME + 1];
    if (size == 0 || size > 31 || !(table->sizes[name[0] & 31] >> size & 1)) return NULL; /* most are not in it */
    if (!lowered(small, name, size, end)) return NULL;
    for (unsigned slot = name_slot(small); table->slots[slot].name[0]; slot = (slot + 1) % HTML_SLOTS)
        if (memcmp(table->slots[slot].name, small, sizeof small) == 0) return &table->slots[slot];
    return NULL;
}

size_t html_space(const byte *t)
{
    switch (t[0]) {
    case '\t': case '\n': case 0x0B: case '\f': case '\r': case 0x1C: case 0x1D: case 0x1E: case 0x1F: case ' ':
        return 1;
    case 0xC2: return t[1] == 0x85 || t[1] == 0xA0 ? 2 : 0;
    case 0xE1: return t[1] == 0x9A && t[2] == 0x80 ? 3 : 0; /* U+1680 */
    case 0xE2: /* U+2000 to 200A, 2028, 2029, 202F, 205F */
        if (t[1] == 0x80) return t[2] <= 0x8A || t[2] == 0xA8 || t[2] == 0xA9 || t[2] == 0xAF ? 3 : 0;
        return t[1] == 0x81 && t[2] == 0x9F ? 3 : 0;
    case 0xE3: return t[1] == 0x80 && t[2] == 0x80 ? 3 : 0;
    default: return 0;
    }
}

const byte *html_after_space(const byte *t, const byte *end)
{
    size_t size;
    while (t < end && (size = html_space(t)) != 0) t += size;
    return t;
}

/* `_CODE` in html_tokens.py: whether a name goes on as that of no element, as in `i<t;`. */
static int is_code(const byte *t, const byte *end)
{
    while (t < end && (is_alphanumeric(*t) || memchr(".:_-", *t, 4) != NULL)) ++t;
    return t < end && memchr(";,()+&|?[]}*!", *t, 13) != NULL;
}

int html_is_text(const byte *t, const byte *end)
{
    if (++t == end || !is_letter(*t)) return 0;
    if (is_code(t, end)) return 1;
    while (t < end && has(*t, SCHEME_CHARACTER)) ++t;
    if (t == end || *t++ != ':') return 0;
    if (end - t >= 2 && t[0] == '/' && t[1] == '/') return 1;
    while (t < end && *t > ' ' && *t < 0x7F && strchr("\"'/:<=>@", *t) == NULL) ++t;
    return t < end && (*t == ':' || *t == '@');
}

const byte *html_name_end(const byte *t, const byte *end)
{
    while (t < end && (!ENDS_NAME[*t] || (ENDS_NAME[*t] == 2 && html_space(t) == 0))) ++t;
    return t;
}

const byte *html_tag_end(const byte *t, const byte *end, int *has_values)
{
    *has_values = 0;
    for (;;) {
        while (t < end && *t != '>' && *t != '=') ++t;
        if (t == end) return NULL;
        if (*t++ == '>') return t;
        *has_values = 1;
        /* An attribute's quotes count only after "=" (13.2.5.37 to 39). */
        t = html_after_space(t, end);
        if (t == end) return NULL;
        if (*t == '"' || *t == '\'') {
            t = memchr(t + 1, *t, (size_t)(end - t) - 1);
            if (t == NULL) return NULL;
            ++t;
        } else {
            while (t < end && *t != '>' && html_space(t) == 0) ++t;
        }
    }
}

const byte *html_next_attribute(const byte *t, const byte *tag_end, html_attribute *found)
{
    for (;; ++t) { /* what begins no attribute is passed over */
        size_t size;
        while (t < tag_end && (*t == '/' || (size = html_space(t)) != 0)) t += *t == '/' ? 1 : size;
        if (t == tag_end) return NULL;
        if (*t != '>' && *t != '=') break;
    }
    found->name = t;
    while (t < tag_end && *t != '=' && (!ENDS_NAME[*t] || *t == 0 || (ENDS_NAME[*t] == 2 && html_space(t) == 0))) ++t;
    found->name_end = t;
    found->value = found->value_end = NULL;
    t = html_after_space(t, tag_end);
    if (t == tag_end || *t != '=') return t;
    t = html_after_space(t + 1, tag_end);
    if (t < tag_end && (*t == '"' || *t == '\'')) {
        const byte *close = memchr(t + 1, *t, (size_t)(tag_end - t) - 1);
        if (close != NULL) {
            found->value = t + 1;
            found->value_end = close;
            return close + 1;
        }
    }
    found->value = t;
    while (t < tag_end && *t != '>' && html_space(t) == 0) ++t;
    found->value_end = t;
    return t;
}

/* The size of the character at `t` if it is a letter whose case does not count, as `re.IGNORECASE` compares them. */
static size_t like(const byte *t, const byte *end, char letter)
{
    if (t == end) return 0;
    if (lower(*t) == (byte)letter) return 1;
    if (end - t < 2) return 0;
    if (letter == 's') return t[0] == 0xC5 && t[1] == 0xBF ? 2 : 0;                       /* U+017F */
    if (letter == 'i') return t[0] == 0xC4 && (t[1] == 0xB0 || t[1] == 0xB1) ? 2 : 0; /* U+0130, U+0131 */
    return 0;
}

const byte *html_content_end(const byte *t, const byte *end, const char *name)
{
    while (t < end) {
        const byte *open = memchr(t, '<', (size_t)(end - t));
        if (open == NULL) return NULL;
        t = open + 1;
        if (t == end || *t != '/') continue;
        const byte *at = t + 1;
        size_t size = 1;
        const char *letter = name;
        for (; *letter && (size = like(at, end, *letter)) != 0; ++letter) at += size;
        if (*letter == 0 && at < end && (*at == '/' || *at == '>' || html_space(at) != 0)) return open;
    }
    return NULL;
}

const byte *html_comment_end(const byte *t, const byte *end, const byte **text, const byte **text_end)
{
    const byte *inside = t + 1;
    size_t size = (size_t)(end - inside);
    if (size >= 3 && memcmp(inside, "!--", 3) == 0) { /* 13.2.5.43 to 52 */
        inside += 3;
        *text = *text_end = inside;
        if (end - inside >= 1 && inside[0] == '>') return inside + 1;
        if (end - inside >= 2 && inside[0] == '-' && inside[1] == '>') return inside + 2;
        for (const byte *dash = inside; end - dash >= 3; ++dash) {
            dash = memchr(dash, '-', (size_t)(end - dash));
            if (dash == NULL || end - dash < 3) return NULL;
            if (dash[1] != '-') continue;
            *text_end = dash;
            if (dash[2] == '>') return dash + 3;
            if (end - dash >= 4 && dash[2] == '!' && dash[3] == '>') return dash + 4;
        }
        return NULL;
    }
    const byte *close = memchr(inside, '>', size); /* a declaration or a bogus comment */
    if (close == NULL) return NULL;
    *text = inside + 1;
    *text_end = close;
    /* The public and system identifiers of a document type name a format. */
    if (begins(*text, (size_t)(close - *text), "doctype")) *text = close;
    return close + 1;
}

size_t html_reference(const byte *t, const byte *end)
{
    const byte *at = t + 1;
    if (at == end) return 0;
    if (*at == '#') {
        int is_hexadecimal = ++at < end && (*at | 0x20) == 'x';
        at += is_hexadecimal;
        const byte *digits = at;
        while (at < end && (is_hexadecimal ? hex_value(*at) >= 0 : is_digit(*at))) ++at;
        if (at == digits) return 0;
    } else {
        if (!is_letter(*at)) return 0;
        while (at < end && is_alphanumeric(*at)) ++at;
    }
    return (size_t)(at - t) + (at < end && *at == ';');
}

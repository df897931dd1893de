#include "scheme.h"
#include "shape.h"

/* A hash table of the names, filled once. */
#define SLOTS 2048u
static uint16_t slots[SLOTS];

static uint32_t name_hash(const byte *name, size_t size)
{
    uint32_t hash = hash_of_lower(name, size);
    return hash ^ hash >> 15;
}

int scheme_listed(const byte *name, size_t size)
{
    if (size == 0 || size > LONGEST_SCHEME) return NO_SCHEME;
    for (uint32_t slot = name_hash(name, size) % SLOTS; slots[slot]; slot = (slot + 1) % SLOTS) {
        const char *known = SCHEMES[slots[slot] - 1].name;
        if (is_word(name, size, known)) return slots[slot] - 1;
    }
    return NO_SCHEME;
}

void scheme_prepare(void)
{
    for (unsigned index = 0; index < SCHEME_COUNT; ++index) {
        const char *name = SCHEMES[index].name;
        uint32_t slot = name_hash((const byte *)name, strlen(name)) % SLOTS;
        while (slots[slot]) slot = (slot + 1) % SLOTS;
        slots[slot] = (uint16_t)(index + 1);
    }
}

size_t web_ending(const byte *name, size_t size)
{
    static const char *const WEB[] = {"https", "http", "ftp"};
    for (unsigned i = 0; i < 3; ++i) {
        size_t n = strlen(WEB[i]);
        if (size >= n && begins(name + size - n, n, WEB[i])) return n;
    }
    return 0;
}

/* The characters before a colon in which escape sequences are looked for. */
#define ESCAPE_WINDOW 64

/* The end of the last escape sequence of a terminal in the text before a colon, or 0 (ECMA-48 5.4): the `m` of
 * `ESC [32mhttp:` belongs to it. `start` is where the characters of a scheme begin. */
static size_t after_escapes(const byte *text, size_t first, size_t start, size_t colon)
{
    size_t offset = colon;
    for (int count = 0; offset > first && count < ESCAPE_WINDOW; ++count) offset = before(text, offset);
    if (start <= offset) offset = first; /* the run is longer than the window */
    size_t end = 0;
    while (offset < colon) {
        int opens = text[offset] == 0x1B || (text[offset] == 0xC2 && text[offset + 1] == 0x9B); /* ESC, U+009B */
        size_t after = opens ? after_escape(text, offset, colon) : offset;
        if (after > offset)
            offset = end = after;
        else
            offset += width(text[offset]);
    }
    return end;
}

/* Where the letters of a scheme begin, of which escapes in the text may have left more; the colon if there are none. */
static size_t name_start(const byte *text, size_t first, size_t colon, int *is_cut)
{
    size_t start = colon;
    while (start > first && has(text[start - 1], SCHEME_CHARACTER)) --start;
    if (start == colon) return colon;
    if (start > first) {
        byte last = text[start - 1];
        if (last == '%' || last == '=') { /* `%0Ahttp:`, and `=3Dhttp:` of quoted-printable */
            size_t rest = colon - start;
            if (rest > 2 && hex_value(text[start]) >= 0 && hex_value(text[start + 1]) >= 0 &&
                web_ending(text + start + 2, rest - 2) == rest - 2) {
                start += 2;
                *is_cut = 1;
            }
        } else if (has(last, BEFORE_ESCAPED) || last == 0x9B) {
            size_t after = after_escapes(text, first, start, colon);
            if (after > start) start = after;
        }
    }
    while (start < colon && !is_letter(text[start])) ++start; /* a scheme begins with a letter */
    return start;
}

/* Look for a scheme at the end of a name that is not registered: after a dot or hyphen, or one of the web. */
static naming shorten(const scheme_choice *choice, const byte *text, size_t colon, int has_slashes, scheme_name *found)
{
    size_t start = found->start, part = colon;
    while (part > start && text[part - 1] != '.' && text[part - 1] != '-') --part;
    if (part > start) {
        int known = scheme_index(text + part, colon - part);
        if (words_hold(&choice->others, text + part, colon - part)) return NAME_DOUBTFUL;
        if (known != NO_SCHEME && (choice->flags[known] & S_REGISTERED)) {
            found->start = part;
            found->index = known;
            return NAMED;
        }
    }
    if (has_slashes && found->index == NO_SCHEME) {
        /* A prefix of a name of the web belongs to the text, as the `n` of `\nhttps://`. */
        size_t web = web_ending(text + start, colon - start);
        if (web && web < colon - start) {
            found->start = colon - web;
            found->index = scheme_index(text + found->start, web);
            found->is_cut = 1;
        }
    }
    return NAMED;
}

naming scheme_before(const scheme_choice *choice, const byte *text, size_t first, size_t colon, int has_slashes,
                     scheme_name *found)
{
    found->is_cut = 0;
    size_t start = found->start = name_start(text, first, colon, &found->is_cut), size = colon - start;
    if (size == 0) return NO_NAME;
    int index = found->index = scheme_index(text + start, size);
    if (words_hold(&choice->others, text + start, size)) return NAME_DOUBTFUL;
    if (index == NO_SCHEME || !(choice->flags[index] & S_REGISTERED)) {
        if (size == 1 && index == NO_SCHEME) return NO_NAME; /* `%s://`, `C:` */
        if (memchr(text + start, '+', size) == NULL && shorten(choice, text, colon, has_slashes, found) != NAMED)
            return NAME_DOUBTFUL;
        index = found->index;
    }
    if (index == NO_SCHEME ? !choice->takes_unknown : (choice->flags[index] & S_UNWANTED) != 0) return NO_NAME;
    return index != NO_SCHEME && (choice->flags[index] & S_RULED) ? NAME_DOUBTFUL : NAMED;
}

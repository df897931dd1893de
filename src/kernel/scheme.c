#include "scheme.h"

/* A hash table of the names, filled when the first name is looked up (by one thread: when a search is made). */
#define SLOTS 2048u
static uint16_t slots[SLOTS];
static int is_filled;

static uint32_t name_hash(const byte *name, size_t size)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; ++i) hash = (hash ^ lower(name[i])) * 16777619u;
    return hash ^ hash >> 15;
}

static void fill(void)
{
    for (unsigned index = 0; index < SCHEME_COUNT; ++index) {
        const char *name = SCHEMES[index].name;
        uint32_t slot = name_hash((const byte *)name, strlen(name)) % SLOTS;
        while (slots[slot]) slot = (slot + 1) % SLOTS;
        slots[slot] = (uint16_t)(index + 1);
    }
    is_filled = 1;
}

int scheme_index(const byte *name, size_t size)
{
    if (!is_filled) fill();
    if (size == 0 || size > LONGEST_SCHEME) return NO_SCHEME;
    for (uint32_t slot = name_hash(name, size) % SLOTS; slots[slot]; slot = (slot + 1) % SLOTS) {
        const char *known = SCHEMES[slots[slot] - 1].name;
        if (strlen(known) == size && begins(name, size, known)) return slots[slot] - 1;
    }
    return NO_SCHEME;
}

static int is_other(const scheme_choice *choice, const byte *name, size_t size)
{
    for (size_t i = 0; i < choice->other_count; ++i)
        if (strlen(choice->others[i]) == size && begins(name, size, choice->others[i])) return 1;
    return 0;
}

/* The length of a scheme of the web at the end of a name: those before which letters may belong to the text. */
static size_t web_ending(const byte *name, size_t size)
{
    static const char *const WEB[] = {"https", "http", "ftp"};
    for (unsigned i = 0; i < 3; ++i) {
        size_t n = strlen(WEB[i]);
        if (size >= n && begins(name + size - n, n, WEB[i])) return n;
    }
    return 0;
}

/* Whether an escape sequence of a terminal may stand shortly before an offset (ECMA-48 5.4): then the finder decides
 * which letters belong to it. */
static int may_be_escaped(const byte *text, size_t first, size_t start)
{
    size_t near = start - first > 256 ? start - 256 : first;
    if (memchr(text + near, 0x1B, start - near) != NULL) return 1;
    for (size_t i = near; i + 1 < start; ++i)
        if (text[i] == 0xC2 && text[i + 1] == 0x9B) return 1; /* U+009B */
    return 0;
}

naming scheme_before(const scheme_choice *choice, const byte *text, size_t first, size_t colon, int has_slashes,
                     scheme_name *found)
{
    size_t start = colon;
    while (start > first && has(text[start - 1], SCHEME_CHARACTER)) --start;
    if (start == colon) return NO_NAME;
    found->is_cut = 0;
    if (start > first) {
        byte last = text[start - 1];
        if (last == '%' || last == '=') { /* `%0Ahttp:`, and `=3Dhttp:` of quoted-printable */
            size_t rest = colon - start;
            if (rest > 2 && hex_value(text[start]) >= 0 && hex_value(text[start + 1]) >= 0 &&
                web_ending(text + start + 2, rest - 2) == rest - 2) {
                start += 2;
                found->is_cut = 1;
            }
        } else if ((has(last, BEFORE_ESCAPED) || last == 0x9B) && may_be_escaped(text, first, start)) {
            return NAME_DOUBTFUL;
        }
    }
    while (start < colon && !is_letter(text[start])) ++start; /* a scheme begins with a letter */
    if (start == colon) return NO_NAME;
    size_t size = colon - start;
    int index = scheme_index(text + start, size);
    if (choice->other_count && is_other(choice, text + start, size)) return NAME_DOUBTFUL;
    if (index == NO_SCHEME || !(choice->flags[index] & S_REGISTERED)) {
        if (size == 1 && index == NO_SCHEME) return NO_NAME; /* `%s://`, `C:` */
        if (memchr(text + start, '+', size) == NULL) {
            size_t part = colon;
            while (part > start && text[part - 1] != '.' && text[part - 1] != '-') --part;
            int known = part > start ? scheme_index(text + part, colon - part) : NO_SCHEME;
            if (part > start && choice->other_count && is_other(choice, text + part, colon - part))
                return NAME_DOUBTFUL;
            if (known != NO_SCHEME && (choice->flags[known] & S_REGISTERED)) {
                start = part;
                index = known;
            } else if (has_slashes && index == NO_SCHEME) {
                /* A prefix of a name of the web belongs to the text, as the `n` of `\nhttps://`. */
                size_t web = web_ending(text + start, size);
                if (web && web < size) {
                    start = colon - web;
                    index = scheme_index(text + start, web);
                    found->is_cut = 1;
                }
            }
        }
    }
    if (index == NO_SCHEME ? !choice->takes_unknown : (choice->flags[index] & S_UNWANTED) != 0) return NO_NAME;
    if (index != NO_SCHEME && (choice->flags[index] & S_RULED)) return NAME_DOUBTFUL;
    found->start = start;
    found->index = index;
    return NAMED;
}

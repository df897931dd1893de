#include "scheme.h"
#include <stdlib.h>
#include <limits.h>

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

/* Where the letters of a scheme begin, and the run of its characters before them, of which escapes in the text may have
 * left more; the colon if there are none. */
static size_t name_start(const byte *text, size_t first, size_t colon, size_t *run, int *is_cut)
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
    *run = start;
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
    size_t run = colon, start = found->start = name_start(text, first, colon, &run, &found->is_cut), size = colon - start;
    if (size == 0) return NO_NAME;
    int index = found->index = scheme_index(text + start, size);
    if (words_hold(&choice->others, text + start, size)) return NAME_DOUBTFUL;
    if (index == NO_SCHEME || !(choice->flags[index] & S_REGISTERED)) {
        if (size == 1 && index == NO_SCHEME) return NO_NAME; /* `%s://`, `C:` */
        if (memchr(text + start, '+', size) == NULL && shorten(choice, text, colon, has_slashes, found) != NAMED)
            return NAME_DOUBTFUL;
        index = found->index;
        /* `2018-03-06T10:02:07`, `3rd:place`: no scheme begins with a digit (RFC 3986 3.1) */
        if (index == NO_SCHEME && found->start > run && is_digit(text[found->start - 1])) return NO_NAME;
    }
    if (index == NO_SCHEME ? !choice->takes_unknown : (choice->flags[index] & S_UNWANTED) != 0) return NO_NAME;
    return index != NO_SCHEME && (choice->flags[index] & S_RULED) ? NAME_DOUBTFUL : NAMED;
}

int words_add(word_list *to, const byte *word, size_t size)
{
    char **words = realloc(to->words, (to->count + 1) * sizeof *words);
    if (words != NULL) to->words = words;
    char *copy = words == NULL ? NULL : malloc(size + 1);
    if (copy == NULL) return 0;
    memcpy(copy, word, size);
    copy[size] = 0;
    words[to->count++] = copy;
    return 1;
}

void words_free(word_list *one)
{
    for (size_t i = 0; i < one->count; ++i) free(one->words[i]);
    free(one->words);
    *one = (word_list){NULL, 0};
}

/* A matcher for the programs that tools/generate_kernel_tables.py makes of the patterns of the rows. It tries
 * alternatives in order and goes back like `re`. Shapes read a bounded number of characters; what matches whole texts
 * gives up after so many tries, and before it takes too much of the stack of a thread. */

#define MOST_TRIES 4096u
#define DEEPEST 128u

typedef struct {
    const byte *text;
    size_t end;
    unsigned tries, depth; /* what is left of them */
} matcher;

static int holds(const shape_class *kind, const byte *t)
{
    if (!is_wide(t[0])) return (int)(kind->ascii[t[0] >> 6] >> (t[0] & 63) & 1);
    uint32_t point = point_at(t);
    for (unsigned i = 0; i < kind->count; ++i) {
        const uint32_t *range = SHAPE_RANGES[kind->first + i];
        if (point >= range[0] && point <= range[1]) return 1;
    }
    return 0;
}

static int runs(matcher *in, const uint16_t *code, size_t offset, size_t *reached);

/* Try a program at an offset; a matcher that has given up matches nothing any more. */
static int matches(matcher *in, const uint16_t *code, size_t offset, size_t *reached)
{
    if (in->tries == 0 || in->depth == 0) {
        in->tries = 0;
        return 0;
    }
    --in->tries;
    --in->depth;
    int matched = runs(in, code, offset, reached);
    ++in->depth;
    return matched;
}

static int runs(matcher *in, const uint16_t *code, size_t offset, size_t *reached)
{
    const byte *text = in->text;
    size_t end = in->end;
    for (;;) {
        switch (*code) {
        case OP_MATCH: *reached = offset; return 1;
        case OP_CLASS:
            if (offset >= end || !holds(&SHAPE_CLASSES[code[1]], text + offset)) return 0;
            offset += width(text[offset]);
            code += 2;
            break;
        case OP_RUN:
        case OP_WHOLE_RUN: {
            const shape_class *kind = &SHAPE_CLASSES[code[1]];
            unsigned least = code[2], most = code[3], count = 0;
            while (count < most && offset < end && holds(kind, text + offset)) {
                offset += width(text[offset]);
                ++count;
            }
            if (count < least) return 0;
            if (*code == OP_RUN)
                for (; count > least; --count) {
                    if (matches(in, code + 4, offset, reached)) return 1;
                    offset = before(text, offset);
                }
            code += 4;
            break;
        }
        case OP_SPLIT:
            if (matches(in, code + 2, offset, reached)) return 1;
            code += 2 + code[1];
            break;
        case OP_JUMP: code += 2 + code[1]; break;
        case OP_BACK: code -= code[1]; break;
        case OP_AHEAD:
        case OP_NOT_AHEAD: {
            size_t ahead;
            if (matches(in, code + 2, offset, &ahead) != (*code == OP_AHEAD)) return 0;
            code += 2 + code[1];
            break;
        }
        case OP_ATOMIC:
            if (!matches(in, code + 2, offset, &offset)) return 0;
            code += 2 + code[1];
            break;
        case OP_EACH:
            for (size_t from = end + 1; from != offset;) {
                from = offset;
                if (!matches(in, code + 2, offset, &offset)) break;
            }
            code += 2 + code[1];
            break;
        case OP_END:
            if (offset < end) return 0;
            ++code;
            break;
        default: return 0;
        }
    }
}

int has_shape(unsigned shape, const byte *text, size_t offset, size_t end)
{
    matcher in = {text, end, UINT_MAX, UINT_MAX};
    size_t reached;
    return matches(&in, SHAPE_CODE + shape, offset, &reached);
}

int is_whole(unsigned program, const byte *text, size_t size)
{
    matcher in = {text, size, MOST_TRIES, DEEPEST};
    size_t reached;
    return matches(&in, SHAPE_CODE + program, 0, &reached) && in.tries > 0;
}

size_t after_escape(const byte *text, size_t offset, size_t end)
{
    matcher in = {text, end, UINT_MAX, UINT_MAX};
    size_t reached = offset;
    return matches(&in, SHAPE_CODE + ESCAPE_SEQUENCE, offset, &reached) ? reached : offset;
}

#include "bare.h"

/* The sections of an identifier, by the characters that a run between brackets may contain in them. */
typedef enum { AUTHORITY, PATH, QUERY, WHOLE_URN } section;

/* For each section the bytes that a run may contain, filled once; what is beyond ASCII is looked up. */
static byte held_by[4][256];

void run_prepare(void)
{
    static const uint32_t RUN[] = {PLAIN, IN_PATH, IN_QUERY, IN_URN};
    for (unsigned at = AUTHORITY; at <= WHOLE_URN; ++at)
        for (unsigned b = 0; b < 0x80; ++b) held_by[at][b] = (ASCII_FLAGS[b] & RUN[at]) != 0;
    held_by[AUTHORITY][';'] = held_by[AUTHORITY]['&'] = 0; /* they may end a host */
}

/* The last letter of the Latin blocks; a few Latin letters have higher numbers. */
#define LAST_LATIN 0x24Fu
/* What is before words of Japanese, and what is written for it. */
#define WAVE_DASH 0x301Cu
#define WIDE_TILDE 0xFF5Eu
/* The block of 256 characters that contains Hiragana, and Katakana. */
#define HIRAGANA 0x30u

/* What a character does to the run before it. */
typedef enum { GOES_ON, ENDS, MAY_END } effect;

/* A run that is read. */
typedef struct {
    const examined *at;
    const byte *text;
    const uint32_t *wrapper; /* its closers end the run; NULL for none */
    size_t limit;
    section now;
    int open[BRACKET_COUNT];
} run;

static byte next_of(const run *in, size_t offset) { return offset + 1 < in->limit ? in->text[offset + 1] : 0; }

static int closes_wrapper(const run *in, size_t offset, uint32_t point)
{
    return in->wrapper != NULL && offset >= in->at->body && (point == in->wrapper[1] || point == in->wrapper[2]);
}

/* The index of a bracket that opens or closes a pair, from 1; negative for a closer, 0 for any other character. */
static int bracket_number(uint32_t point)
{
    for (int i = 0; i < BRACKET_COUNT; ++i) {
        if (BRACKET_PAIRS[i][0] == point) return i + 1;
        if (BRACKET_PAIRS[i][1] == point) return -i - 1;
    }
    return 0;
}

static effect effect_of_opener(const run *in, size_t offset)
{
    byte b = in->text[offset], last = in->text[offset - 1];
    if (b != '[') /* it may end the host: `http://a.example(x)`; or a name: `doi:10.1/a（` */
        return in->now == AUTHORITY || (in->at->body == in->at->after && is_wide(b)) ? MAY_END : GOES_ON;
    if (in->now == AUTHORITY) /* `http://[::1]/`, `http://u@[::1]/`; but `http://a[.]example`, `http://a.example[1]` */
        return last == '/' || last == '@' ? GOES_ON : MAY_END;
    if (in->now != QUERY) return ENDS;
    return next_of(in, offset) == '/' ? MAY_END : GOES_ON; /* `?a=b[/url]` */
}

/* What a bracket does, or another character that no run between brackets contains. */
static effect effect_of_bracket(run *in, size_t offset, uint32_t point)
{
    int number = bracket_number(point);
    if (number == 0) return ENDS;
    if (number > 0) {
        ++in->open[number - 1];
        return effect_of_opener(in, offset);
    }
    if (point == ']' && in->now != AUTHORITY && in->now != QUERY) return ENDS;
    if (in->open[-number - 1]-- > 0) return GOES_ON;
    byte last = in->text[offset - 1]; /* `http://a.]example`, `http://u@]example` may be defanged */
    return in->now == AUTHORITY && point == ']' && (last == '.' || last == '@') ? MAY_END : ENDS;
}

static effect effect_of_ascii(run *in, size_t offset)
{
    byte b = in->text[offset];
    if (closes_wrapper(in, offset, b)) { /* `'http://a.example'`; an apostrophe in a word closes nothing */
        byte next = next_of(in, offset);
        return b == '\'' && (is_wide(next) || has(next, LETTER_OR_DIGIT)) ? MAY_END : ENDS;
    }
    if (in->now == AUTHORITY && b == '&') return MAY_END; /* `http://a.example&gt;` */
    if (in->now == AUTHORITY && b == ';') /* `http://a.example;b` */
        return ASCII_FLAGS[next_of(in, offset) & 0x7F] & HELD ? MAY_END : GOES_ON;
    if (held_by[in->now][b]) return GOES_ON; /* only where a wrapper is looked for */
    if (b == '/' && in->now == AUTHORITY) {
        in->now = PATH;
        return GOES_ON;
    }
    if ((b == '?' || b == '#') && (in->now == AUTHORITY || in->now == PATH)) {
        in->now = QUERY;
        return GOES_ON;
    }
    return ASCII_FLAGS[b] & BRACKET ? effect_of_bracket(in, offset, b) : ENDS;
}

/* Whether prose may begin with a character, as far as the finder has to look: a letter that is not Latin. */
static int may_be_prose(uint32_t point)
{
    return point > LAST_LATIN && (wide_flags(point) & (W_LETTER | W_SETTLED)) != W_SETTLED;
}

/* Whether prose may begin at a character beyond ASCII, before which a run would end. */
static int may_begin_prose(const run *in, size_t offset, uint32_t point, uint32_t flags)
{
    byte last = in->text[offset - 1];
    if (in->now == AUTHORITY && (flags & W_PLAIN)) return 1;                           /* `http://a.example如何` */
    if (in->at->body == in->at->after && (flags & (W_PLAIN | W_QUERY))) return 1;      /* `tel:+49123如何` */
    if ((flags & W_OPENS_PROSE) && !is_wide(last)) return 1;                           /* `http://a.example/x「` */
    if (point == WAVE_DASH || point == WIDE_TILDE) return 1;
    if (last == '/') return point >> 8 == HIRAGANA;                                    /* `http://a.example/です` */
    if (!has(last, LETTER_OR_DIGIT) && last != ')' && last != '\'' && last != '.') return 0;
    if (last == '0' && begins(in->text + offset - 3, 3, "%20")) return 0;              /* `/a%20如何` */
    return may_be_prose(point);                                                        /* `/index.html如何` */
}

static effect effect_of_wide(run *in, size_t offset)
{
    uint32_t point = point_at(in->text + offset), flags = wide_flags(point);
    if (closes_wrapper(in, offset, point) || in->now == WHOLE_URN) return ENDS; /* RFC 2141 2.4: nothing beyond ASCII */
    if (may_begin_prose(in, offset, point, flags)) return MAY_END;
    if (flags & (in->now == QUERY ? W_QUERY : W_PLAIN)) return GOES_ON;
    return effect_of_bracket(in, offset, point);
}

run_end bare_end(const examined *at, size_t limit, const uint32_t *wrapper)
{
    const byte *text = at->in->text;
    run in = {at, text, wrapper, limit, at->urn ? WHOLE_URN : PATH, {0}};
    size_t offset = at->after;
    if (!at->urn && limit - offset >= 2 && text[offset] == '/' && text[offset + 1] == '/') {
        in.now = AUTHORITY;
        offset += 2;
    }
    for (;;) {
        if (wrapper == NULL) /* most bytes end here */
            for (const byte *held = held_by[in.now]; offset < limit && held[text[offset]];) ++offset;
        if (offset >= limit) return (run_end){limit, 0};
        effect here = is_wide(text[offset]) ? effect_of_wide(&in, offset) : effect_of_ascii(&in, offset);
        if (here != GOES_ON) return (run_end){offset, here == MAY_END};
        offset += width(text[offset]);
    }
}

#include "extent.h"
#include "shape.h"

/* The white space that may stand between "URL:" and the scheme, and the length of both. */
#define URL_WINDOW 84
/* The characters that a shape may have to read. */
#define SHAPE_WINDOW 2048
/* The marks that are skipped behind an excluded character, at most. */
#define BEHIND 16

/* The sections of an identifier, by the characters that a run between brackets may hold in them. */
typedef enum { AUTHORITY, PATH, QUERY, WHOLE_URN } section;

/* For each section the bytes that a run may hold, filled once; what is beyond ASCII is looked up. */
static byte held_by[4][256];

void extent_prepare(void)
{
    static const uint32_t RUN[] = {PLAIN, IN_PATH, IN_QUERY, IN_URN};
    for (unsigned at = AUTHORITY; at <= WHOLE_URN; ++at)
        for (unsigned b = 0; b < 0x80; ++b) held_by[at][b] = (ASCII_FLAGS[b] & RUN[at]) != 0;
}

static uint32_t point_before(const byte *text, size_t offset)
{
    return offset ? point_at(text + before(text, offset)) : 0;
}

/* The row of a wrapper; NULL if a character opens none. */
static const uint32_t *wrapper_of(uint32_t opener)
{
    if (opener < 0x80 && !(ASCII_FLAGS[opener] & OPENER)) return NULL;
    for (unsigned i = 0; i < WRAPPER_COUNT; ++i)
        if (WRAPPER_PAIRS[i][0] == opener) return WRAPPER_PAIRS[i];
    return NULL;
}

/* Where a "URL:" before the scheme begins (RFC 3986 Appendix C), or the start of the scheme if there is none. */
static size_t url_prefix(const byte *text, size_t start)
{
    size_t offset = start, count = 0;
    while (offset > 0 && count < URL_WINDOW) {
        size_t previous = before(text, offset);
        if (!is_space_at(text + previous)) break;
        offset = previous;
        ++count;
    }
    if (count + 4 > URL_WINDOW || offset < 4 || text[offset - 1] != ':' || !begins(text + offset - 4, 4, "url:"))
        return start;
    /* The character before it is looked at only if it is within the window. */
    if (count + 4 < URL_WINDOW && offset > 4 && has(text[offset - 5], SCHEME_CHARACTER)) return start;
    return offset - 4;
}

size_t beyond(const byte *text, size_t offset, size_t size, int urn)
{
    while (offset < size) {
        byte b = text[offset];
        if (is_wide(b)) {
            if (urn || !(wide_flags(point_at(text + offset)) & W_HELD)) return offset;
            offset += width(b);
        } else if (ASCII_FLAGS[b] & (urn ? HELD_BY_URN : HELD)) {
            ++offset;
        } else {
            return offset;
        }
    }
    return size;
}

int may_decide(const byte *t)
{
    return is_wide(t[0]) ? !(wide_flags(point_at(t)) & W_HELD) : !(ASCII_FLAGS[t[0]] & HELD);
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

/* The end of a bare candidate before it is trimmed: the first closer without an opener ends it.
 *
 * `after` is the offset after the colon, `limit` the last possible end. `stop1` and `stop2` are closers of a wrapper,
 * each of which ends the candidate from `body` on. Sets `doubt` if the finder has to decide. */
static size_t bare_end(const byte *text, size_t after, size_t body, size_t limit, int urn, uint32_t stop1,
                       uint32_t stop2, int *doubt)
{
    section now = urn ? WHOLE_URN : PATH;
    size_t offset = after;
    int open[BRACKET_COUNT];
    int counts = 0; /* whether `open` is in use */
    if (!urn && limit - after >= 2 && text[after] == '/' && text[after + 1] == '/') {
        now = AUTHORITY;
        offset += 2;
    }
    while (offset < limit) {
        const byte *held = held_by[now];
        if (!stop1)
            while (offset < limit && held[text[offset]]) ++offset;
        if (offset == limit) break;
        byte b = text[offset];
        uint32_t point = b;
        if (!is_wide(b)) {
            uint32_t flags = ASCII_FLAGS[b];
            if (b == stop1 && offset >= body) return offset;
            if (held[b]) { /* only where there may be stops */
                ++offset;
                continue;
            }
            if (b == '/' && now == AUTHORITY) {
                now = PATH;
                ++offset;
                continue;
            }
            if ((b == '?' || b == '#') && now != QUERY && now != WHOLE_URN) {
                now = QUERY;
                ++offset;
                continue;
            }
            if (!(flags & BRACKET)) return offset;
        } else {
            point = point_at(text + offset);
            if ((point == stop1 || point == stop2) && offset >= body) return offset;
            if (now == WHOLE_URN) return offset; /* RFC 2141 2.4: nothing beyond ASCII */
            if (wide_flags(point) & (now == QUERY ? W_QUERY : W_PLAIN)) {
                offset += width(b);
                continue;
            }
        }
        int number = bracket_number(point);
        if (number == 0) return offset;
        if (b == '[' || b == ']') {
            if (now == PATH || now == WHOLE_URN) return offset;
            /* In the authority an IP literal is common; marks of defanged names and notes are not. */
            if (now == AUTHORITY && b == '[' && text[offset - 1] != '/' && text[offset - 1] != '@') *doubt = 1;
            if (now == QUERY && b == '[' && offset + 1 < limit && text[offset + 1] == '/') *doubt = 1;
            if (*doubt) return offset;
        }
        if (!counts) {
            memset(open, 0, sizeof open);
            counts = 1;
        }
        if (number > 0) {
            ++open[number - 1];
        } else {
            int *count = &open[-number - 1];
            if (*count == 0) {
                if (now == AUTHORITY && b == ']' && (text[offset - 1] == '.' || text[offset - 1] == '@')) *doubt = 1;
                return offset;
            }
            --*count;
        }
        offset += width(b);
    }
    return limit;
}

/* The end of a character reference (HTML) that ends at an offset, given the offset after its ";"; `end` if there is
 * none. A named one is doubtful: its name has to be looked up. */
static size_t before_reference(const byte *text, size_t floor, size_t end, int *doubt)
{
    size_t least = end - floor > 35 ? end - 35 : floor;
    size_t start = end - 1;
    while (start > least && has(text[start - 1], LETTER_OR_DIGIT)) --start;
    if (start == end - 1 || start == least) return end;
    int is_number = text[start - 1] == '#';
    size_t mark = is_number ? start - 2 : start - 1;
    if (is_number && start - 1 == least) return end;
    if (text[mark] != '&') return end;
    size_t digits = end - 1 - start;
    if (!is_number) {
        if (is_letter(text[start]) && digits >= 2 && digits <= 32) *doubt = 1;
        return end;
    }
    int hex = text[start] == 'x' || text[start] == 'X';
    if (hex ? digits < 2 || digits > 7 : digits > 7) return end;
    for (size_t i = start + (size_t)hex; i < end - 1; ++i)
        if (hex ? hex_value(text[i]) < 0 : !is_digit(text[i])) return end;
    return mark;
}

/* The end of a candidate without the punctuation that belongs to the sentence around it; see `trimmed_end`. */
static size_t trimmed(const byte *text, size_t floor, size_t end, uint32_t emphasis, int *doubt)
{
    while (end > floor) {
        byte b = text[end - 1];
        if (is_wide(b)) {
            size_t at = before(text, end);
            uint32_t flags = wide_flags(point_at(text + at));
            if (!(flags & W_SETTLED)) {
                *doubt = 1;
                return end;
            }
            if (!(flags & W_TRIMMED) || (flags & W_LETTER)) break;
            end = at;
            continue;
        }
        uint32_t flags = ASCII_FLAGS[b];
        if (flags & (LETTER_OR_DIGIT | KEPT)) break;
        if (flags & STOP) {
            size_t without = b == ';' ? before_reference(text, floor, end, doubt) : end;
            if (*doubt) return end;
            end = without < end ? without : end - 1;
        } else if ((flags & OPENER) || b == emphasis) {
            --end;
        } else {
            break;
        }
    }
    return end;
}

/* Whether a character continues a run behind an excluded character: -1 if only the finder knows. */
static int continues(const byte *t)
{
    if (!is_wide(t[0])) return (ASCII_FLAGS[t[0]] & (LETTER_OR_DIGIT | CONTINUES)) != 0;
    uint32_t flags = wide_flags(point_at(t));
    return flags & W_SETTLED ? (flags & W_LETTER) != 0 : -1;
}

static int is_excluded(const byte *t)
{
    return is_wide(t[0]) ? (wide_flags(point_at(t)) & W_EXCLUDED) != 0 : (ASCII_FLAGS[t[0]] & EXCLUDED) != 0;
}

/* Whether the run goes on behind the excluded character at which a candidate stopped: 1, 0, -1 if only the finder
 * knows, and -2 if more text is needed. */
static int goes_on(const byte *text, size_t stop, size_t size)
{
    size_t offset = stop;
    int count = 0;
    while (offset < size && count < BEHIND && is_excluded(text + offset)) {
        offset += width(text[offset]);
        ++count;
    }
    if (count == 0) return 0;
    for (count = 0; offset < size && count < BEHIND && has(text[offset], STOP); ++count) ++offset;
    return offset == size ? -2 : continues(text + offset);
}

/* Whether another link follows a single quote in a host, as in `https://a.example'https://b.example`. */
static int may_hold_second(const byte *text, size_t body, size_t end)
{
    if (memchr(text + body, '\'', end - body) == NULL) return 0;
    for (size_t i = body; i < end && text[i] != '/' && text[i] != '?' && text[i] != '#'; ++i)
        if (text[i] == '\'') {
            const byte *t = text + i + 1;
            size_t left = end - i - 1;
            if (begins(t, left, "http") || begins(t, left, "ftp")) return 1;
        }
    return 0;
}

/* The candidate in `<>` or `""` (Appendix C), if such a wrapper delimits it; NOTHING if none does. */
static finding wrapped_exactly(const find_choice *choice, const stretch *in, size_t outside, size_t body,
                               size_t after, unsigned shape, candidate *found)
{
    const byte *text = in->text;
    byte opener = text[outside - 1], closer = opener == '<' ? '>' : '"';
    size_t size = in->size, longest = found->start + choice->limit;
    size_t limit = size < longest + 1 ? size : longest + 1;
    size_t end = after;
    while (end < limit) {
        byte b = text[end];
        if (b == closer || b == opener || is_space_at(text + end)) break;
        if (b == 0x1B || (b == 0xC2 && end + 1 < size && text[end + 1] == 0x9B)) return DOUBTFUL;
        end += width(b);
    }
    if (end > limit) end = limit; /* the last character was cut by the limit */
    if (end == limit && longest < size) return DOUBTFUL;
    if (end == size || text[end] != closer) {
        size_t last = end;
        if (opener == '<' && choice->joins_in_angles && end < limit && is_space_at(text + end)) {
            while (last < limit && (is_space_at(text + last) || !may_decide(text + last))) last += width(text[last]);
            if (last < size && last < limit && text[last] == closer) return DOUBTFUL;
            if (last >= limit && longest < size) return DOUBTFUL;
        }
        if (last >= size && !in->final) {
            found->keep = outside - 1;
            found->awaits = last > end ? AWAITS_BEYOND_SPACED : AWAITS_CLOSER;
            return UNDECIDED;
        }
        return NOTHING;
    }
    if (outside >= 2 && text[outside - 2] == '\\') /* a string in a string: both quotes are escaped */
        while (end > found->start && text[end - 1] == '\\') --end;
    if (end <= body || (shape != NO_SHAPE && !has_shape(shape, text, after, end))) return NOTHING;
    if (opener == '<' && memchr(text + found->start, '|', end - found->start) != NULL) return DOUBTFUL;
    found->end = end;
    found->opener = opener;
    found->closer = closer;
    found->warnings = 0;
    return FOUND;
}

finding find_candidate(const find_choice *choice, const stretch *in, size_t colon, candidate *found)
{
    const byte *text = in->text;
    size_t size = in->size, after = colon + 1;
    int has_slashes = size - after >= 2 && text[after] == '/' && text[after + 1] == '/';
    if (!has_slashes) { /* most colons end here */
        if (after == size || text[after] <= ' ' || text[after] == ':' || text[after] == 0x7F) return NOTHING;
    }
    size_t first = colon - in->floor > choice->limit ? colon - choice->limit : in->floor;
    scheme_name name;
    switch (scheme_before(&choice->schemes, text, first, colon, has_slashes, &name)) {
    case NO_NAME: return NOTHING;
    case NAME_DOUBTFUL: return DOUBTFUL;
    default: break;
    }
    size_t start = name.start;
    unsigned flags = name.index == NO_SCHEME ? 0 : choice->schemes.flags[name.index];
    unsigned shape = NO_SHAPE;
    int urn = (flags & S_URN) != 0;
    found->start = start;
    found->scheme = name.index;
    found->opener = found->closer = 0;
    found->warnings = name.is_cut ? FOUND_CUT : 0;

    /* The opener before the scheme, or before "URL:". */
    size_t outside = start;
    if (start > 0 && (text[start - 1] == ':' || is_space_at(text + before(text, start))))
        outside = url_prefix(text, start);
    uint32_t opener = point_before(text, outside);

    if (!has_slashes) {
        shape = name.index == NO_SCHEME ? NO_SHAPE : SCHEMES[name.index].shape;
        if (shape == NO_SHAPE && !choice->schemes.takes_any_shape) return NOTHING;
        if (flags & S_BRACKETED) return DOUBTFUL;
    }
    if (shape != NO_SHAPE) {
        if (!in->final && size - after < SHAPE_WINDOW && beyond(text, after, size, urn) == size) {
            found->keep = start;
            found->awaits = urn ? AWAITS_BEYOND_URN : AWAITS_BEYOND;
            return UNDECIDED;
        }
        /* Inside angle brackets white space may stand in the text that the shape examines, and inside them and quotation
         * marks what no candidate can hold. */
        if (opener != '"' && !has_shape(shape, text, after, size)) return opener == '<' ? DOUBTFUL : NOTHING;
    }
    size_t body = has_slashes ? after + 2 : after;
    size_t longest = start + choice->limit;
    size_t limit = size < longest + 1 ? size : longest + 1;
    while (limit < size && is_continuation(text[limit])) --limit;

    if (opener == '<' || opener == '"') {
        finding exact = wrapped_exactly(choice, in, outside, body, after, shape, found);
        if (exact != NOTHING) return exact;
    }
    const uint32_t *wrapper = wrapper_of(opener);
    int doubt = 0, inner = wrapper != NULL && wrapper[3];
    size_t end = bare_end(text, after, body, limit, urn, inner ? wrapper[1] : 0, inner ? wrapper[2] : 0, &doubt);
    if (doubt || end > longest || (end >= limit && limit < size)) return DOUBTFUL;
    if (end == size && !in->final) {
        found->keep = outside ? outside - 1 : 0;
        found->awaits = urn ? AWAITS_BEYOND_URN : AWAITS_BEYOND;
        return UNDECIDED;
    }
    uint32_t closer = end < size ? point_at(text + end) : 0;
    if (wrapper != NULL && closer && opener != '<' && opener != '"' &&
        (closer == wrapper[1] || closer == wrapper[2])) {
        found->opener = opener;
        found->closer = closer;
    } else {
        inner = 0;
    }
    /* Whether the text may go on after an excluded character. */
    int goes = 0;
    if (end < size && !found->closer && (closer > 'Z' || closer == '&')) {
        if (closer == '[' || closer == ']') return DOUBTFUL;
        if (urn) return DOUBTFUL;
        goes = goes_on(text, end, size);
        if (goes == -2) {
            if (!in->final) {
                found->keep = outside ? outside - 1 : 0;
                found->awaits = AWAITS_ANY;
                return UNDECIDED;
            }
            goes = 0;
        }
        if (goes == -1) return DOUBTFUL;
    }
    if (!inner && end > body && may_hold_second(text, body, end)) return DOUBTFUL;

    byte last = text[end - 1];
    if (!has(last, LETTER_OR_DIGIT) && last != '/') {
        uint32_t emphasis = opener == '*' || opener == '_' || opener == '~' ? opener : 0;
        end = trimmed(text, body, end, emphasis, &doubt);
        if (doubt) return DOUBTFUL;
        if (end > body) {
            last = text[end - 1];
            /* A doubled mark may close an emphasis; a host that ends with a hyphen may go on in the next line. */
            if (!emphasis && (last == '*' || last == '_' || last == '~') && end - 1 > start && text[end - 2] == last)
                return DOUBTFUL;
            if (last == '-') {
                size_t i = body;
                while (i < end && text[i] != '/' && text[i] != '?' && text[i] != '#' && text[i] != '@') ++i;
                if (i == end) return DOUBTFUL;
            }
        }
    }
    if (end <= body || (shape != NO_SHAPE && !has_shape(shape, text, after, end))) return NOTHING;
    if (goes) found->warnings |= FOUND_STOPPED;
    found->end = end;
    return FOUND;
}

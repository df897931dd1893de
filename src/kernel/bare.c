#include "bare.h"

/* The sections of an identifier, by the characters that a run between brackets may hold in them. */
typedef enum { AUTHORITY, PATH, QUERY, WHOLE_URN } section;

/* For each section the bytes that a run may hold, filled once; what is beyond ASCII is looked up. */
static byte held_by[4][256];

void bare_prepare(void)
{
    static const uint32_t RUN[] = {PLAIN, IN_PATH, IN_QUERY, IN_URN};
    for (unsigned at = AUTHORITY; at <= WHOLE_URN; ++at)
        for (unsigned b = 0; b < 0x80; ++b) held_by[at][b] = (ASCII_FLAGS[b] & RUN[at]) != 0;
}

/* The row of a wrapper; NULL if a character opens none. */
static const uint32_t *wrapper_row(uint32_t opener)
{
    if (opener < 0x80 && !(ASCII_FLAGS[opener] & OPENER)) return NULL;
    for (unsigned i = 0; i < WRAPPER_COUNT; ++i)
        if (WRAPPER_PAIRS[i][0] == opener) return WRAPPER_PAIRS[i];
    return NULL;
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
    size_t least = end - floor > REFERENCE_WINDOW ? end - REFERENCE_WINDOW : floor;
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

/* The end of a candidate without the punctuation that belongs to the sentence around it, as `trimmed_end` of Python
 * has it. */
static size_t trimmed_end(const byte *text, size_t floor, size_t end, uint32_t emphasis, int *doubt)
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

/* Whether the text may go on after the excluded character at which a bare candidate ends; FOUND if that is known. */
static finding look_behind(const examined *at, size_t end, int *goes)
{
    const stretch *in = at->in;
    uint32_t stop = end < in->size ? point_at(in->text + end) : 0;
    if (stop <= 'Z' && stop != '&') return FOUND;
    if (stop == '[' || stop == ']' || at->urn) return DOUBTFUL;
    *goes = goes_on(in->text, end, in->size);
    if (*goes == -2) {
        if (!in->final) return undecided(at, at->outside ? at->outside - 1 : 0, AWAITS_ANY);
        *goes = 0;
    }
    return *goes == -1 ? DOUBTFUL : FOUND;
}

/* Remove the punctuation of the sentence from the end of a bare candidate; returns the new end. */
static size_t trim(const examined *at, size_t end, int *doubt)
{
    const byte *text = at->in->text;
    byte last = text[end - 1];
    if (has(last, LETTER_OR_DIGIT) || last == '/') return end;
    uint32_t emphasis = at->opener == '*' || at->opener == '_' || at->opener == '~' ? at->opener : 0;
    end = trimmed_end(text, at->body, end, emphasis, doubt);
    if (*doubt || end <= at->body) return end;
    last = text[end - 1];
    /* A doubled mark may close an emphasis; a host that ends with a hyphen may go on in the next line. */
    if (!emphasis && (last == '*' || last == '_' || last == '~') && end - 1 > at->found->start && text[end - 2] == last)
        *doubt = 1;
    if (last == '-') {
        size_t i = at->body;
        while (i < end && text[i] != '/' && text[i] != '?' && text[i] != '#' && text[i] != '@') ++i;
        if (i == end) *doubt = 1;
    }
    return end;
}

finding bare_candidate(const examined *at)
{
    const stretch *in = at->in;
    const byte *text = in->text;
    candidate *found = at->found;
    size_t size = in->size, longest = found->start + at->choice->limit;
    size_t limit = size < longest + 1 ? size : longest + 1;
    while (limit < size && is_continuation(text[limit])) --limit;
    const uint32_t *wrapper = wrapper_row(at->opener);
    int doubt = 0, inner = wrapper != NULL && wrapper[3], goes = 0;
    size_t end = bare_end(text, at->after, at->body, limit, at->urn, inner ? wrapper[1] : 0, inner ? wrapper[2] : 0,
                          &doubt);
    if (doubt || end > longest || (end >= limit && limit < size)) return DOUBTFUL;
    if (end == size && !in->final)
        return undecided(at, at->outside ? at->outside - 1 : 0, at->urn ? AWAITS_BEYOND_URN : AWAITS_BEYOND);
    uint32_t closer = wrapper != NULL && end < size ? point_at(text + end) : 0;
    if (closer && at->opener != '<' && at->opener != '"' && (closer == wrapper[1] || closer == wrapper[2])) {
        found->opener = at->opener;
        found->closer = closer;
    } else {
        inner = 0;
        finding known = look_behind(at, end, &goes);
        if (known != FOUND) return known;
    }
    if (!inner && end > at->body && may_hold_second(text, at->body, end)) return DOUBTFUL;
    end = trim(at, end, &doubt);
    if (doubt) return DOUBTFUL;
    if (!has_extent(at, end)) return NOTHING;
    if (goes) found->warnings |= FOUND_STOPPED;
    found->end = end;
    return FOUND;
}

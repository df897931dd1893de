#include "bare.h"

static uint32_t point_before(const byte *text, size_t offset)
{
    return offset ? point_at(text + before(text, offset)) : 0;
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

/* Whether no address in brackets is in the run from an offset on, nor may appear there when more text comes. */
static int is_without_literal(const stretch *in, size_t after)
{
    size_t end = beyond(in->text, after, in->size, 0);
    return (in->final || end < in->size) && memchr(in->text + after, '[', end - after) == NULL;
}

/* Examine the text after a scheme without "//"; FOUND if a candidate may begin there. */
static finding begins_shape(examined *at, int scheme, unsigned flags)
{
    const stretch *in = at->in;
    int has_none = scheme == NO_SCHEME || at->choice->ignores_shapes;
    at->shape = has_none ? NO_SHAPE : SCHEMES[scheme].shape;
    if (at->shape == NO_SHAPE && !at->choice->ignores_shapes && !at->choice->schemes.takes_any_shape) return NOTHING;
    if (at->shape != NO_SHAPE) {
        if (!in->final && in->size - at->after < SHAPE_WINDOW && beyond(in->text, at->after, in->size, at->urn) == in->size)
            return (flags & S_BRACKETED) && memchr(in->text + at->after, '[', in->size - at->after) != NULL
                       ? DOUBTFUL
                       : undecided(at, at->found->start, at->urn ? AWAITS_BEYOND_URN : AWAITS_BEYOND);
        /* Inside angle brackets white space may appear in the text that the shape examines, and inside them and quotation
         * marks what no candidate can contain. */
        if (at->opener != '"' && !has_shape(at->shape, in->text, at->after, in->size))
            return at->opener == '<' ? DOUBTFUL : NOTHING;
    }
    /* Looked at last, as it takes all of the run: of `sip:sip:sip:`, each of which may begin one, it would be all again. */
    return (flags & S_BRACKETED) && !is_without_literal(in, at->after) ? DOUBTFUL : FOUND;
}

static int holds_break(const byte *text, size_t start, size_t end)
{
    while (start < end && !begins_break(text + start)) start += width(text[start]);
    return start < end;
}

/* Whether the grammar of its scheme may make a candidate of what fills quotation marks and has no shape; a word that
 * follows the colon is none, as a rule. */
static int may_be_stated(const examined *at, size_t end)
{
    size_t i = at->after;
    unsigned flags = at->shape == NO_SHAPE ? 0 : SCHEMES[at->found->scheme].flags;
    if (end <= at->body || !(flags & S_STATED)) return 0;
    while (i < end && !is_wide(at->in->text[i]) &&
           (has(at->in->text[i], LETTER_OR_DIGIT) || at->in->text[i] == '-' || at->in->text[i] == '_'))
        ++i;
    return i < end || (flags & S_STATES_WORDS);
}

/* The candidate in `<>` or `""` (Appendix C), if such a wrapper delimits it; NOTHING if none does. */
static finding wrapped_exactly(const examined *at)
{
    candidate *found = at->found;
    const byte *text = at->in->text;
    byte opener = (byte)at->opener, closer = opener == '<' ? '>' : '"';
    size_t size = at->in->size, longest = found->start + at->choice->limit;
    size_t limit = size < longest + 1 ? size : longest + 1;
    size_t end = at->after;
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
        if (opener == '<' && end < limit && is_space_at(text + end)) {
            while (last < limit && (is_space_at(text + last) || !may_decide(text + last))) last += width(text[last]);
            if (last < size && last < limit && (text[last] == closer || may_be_sici(at, last))) return DOUBTFUL;
            /* It may be part of the prefix of a line. */
            if (last < size && last < limit && text[last] != opener && holds_break(text, end, last)) return DOUBTFUL;
            if (last >= limit && longest < size) return DOUBTFUL;
            /* A backslash may join two literals. */
            if (last < size && text[last] == '\\') return DOUBTFUL;
        }
        if (last >= size && !at->in->final) {
            awaited awaits = last > end ? AWAITS_BEYOND_SPACED : opener == '<' ? AWAITS_CLOSER : AWAITS_QUOTE;
            return undecided(at, at->outside - 1, awaits);
        }
        return NOTHING;
    }
    if (at->outside >= 2 && text[at->outside - 2] == '\\') /* a string in a string: both quotes are escaped */
        while (end > found->start && text[end - 1] == '\\') --end;
    if (!has_extent(at, end)) return may_be_stated(at, end) ? DOUBTFUL : NOTHING;
    if (opener == '<' && memchr(text + found->start, '|', end - found->start) != NULL) return DOUBTFUL;
    if (memchr(text + found->start, '\\', end - found->start) != NULL) return DOUBTFUL; /* an escape of a string */
    if (may_cut_password(at, end)) return DOUBTFUL;
    found->end = end;
    found->opener = opener;
    found->closer = closer;
    found->warnings = 0;
    return FOUND;
}

/* How far after a colon to look for an escape, in characters: as far as the finder does. */
#define ESCAPE_REACH 128

int escape_follows(const stretch *in, size_t pivot)
{
    const byte *text = in->text;
    size_t at = pivot + 1;
    for (int count = 0; at < in->size && count <= ESCAPE_REACH; at += width(text[at]), ++count) {
        byte b = text[at];
        if (b == '\\' || b == 0x1B) return count > 0;
        if (b == 0xC2 && at + 1 < in->size && text[at + 1] < 0xA0) return text[at + 1] == 0x9B && count > 0;
        if (b <= ' ' || b == '"' || b == '<' || b == '>' || b == 0x7F) return 0;
    }
    return 0;
}

static finding examined_candidate(const find_choice *choice, const stretch *in, size_t colon, candidate *found)
{
    const byte *text = in->text;
    size_t after = colon + 1;
    int has_slashes = in->size - after >= 2 && text[after] == '/' && text[after + 1] == '/';
    if (!has_slashes) { /* most colons end here */
        if (after == in->size || text[after] <= ' ' || text[after] == 0x7F) return NOTHING;
        if (text[after] == ':' && !choice->ignores_shapes) return NOTHING;
    }
    size_t first = colon - in->floor > choice->limit ? colon - choice->limit : in->floor;
    scheme_name name;
    switch (scheme_before(&choice->schemes, text, first, colon, has_slashes, &name)) {
    case NO_NAME: return NOTHING;
    case NAME_DOUBTFUL: return DOUBTFUL;
    default: break;
    }
    size_t start = found->start = name.start;
    found->scheme = name.index;
    found->opener = found->closer = 0;
    found->warnings = name.is_cut ? FOUND_SCHEME_CUT : 0;
    unsigned flags = name.index == NO_SCHEME ? 0 : choice->schemes.flags[name.index];
    if ((flags & S_URN) && choice->leaves_urns) return DOUBTFUL;
    examined at = {choice, in, after, has_slashes ? after + 2 : after, start, 0, NO_SHAPE, (flags & S_URN) != 0, found};
    if (start > 0 && (text[start - 1] == ':' || is_space_at(text + before(text, start))))
        at.outside = url_prefix(text, start);
    at.opener = found->before = point_before(text, at.outside);
    if (!has_slashes) {
        finding shaped = begins_shape(&at, name.index, flags);
        if (shaped != FOUND) return shaped;
    }
    if (at.opener == '<' || at.opener == '"') {
        finding exact = wrapped_exactly(&at);
        if (exact != NOTHING) return exact;
    }
    return bare_candidate(&at);
}

finding find_candidate(const find_choice *choice, const stretch *in, size_t colon, candidate *found)
{
    finding looked = examined_candidate(choice, in, colon, found);
    return looked == NOTHING && escape_follows(in, colon) ? DOUBTFUL : looked;
}

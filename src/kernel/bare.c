#include "bare.h"
#include "find.h"
#include "vector.h"
#include "harvest.h"

/* The scripts whose text has no blanks before what follows a link come after it: Thai is the first. */
#define FIRST_WITHOUT_BLANKS 0xE00u
/* The most parameters of a sequence of a terminal, in bytes: as many as the finder reads. */
#define SEQUENCE_LIMIT 64u

/* The row of a wrapper; NULL if a character opens none. */
static const uint32_t *wrapper_row(uint32_t opener)
{
    if (opener < 0x80 && !(ASCII_FLAGS[opener] & OPENER)) return NULL;
    for (unsigned i = 0; i < WRAPPER_COUNT; ++i)
        if (WRAPPER_PAIRS[i][0] == opener) return WRAPPER_PAIRS[i];
    return NULL;
}

/* Whether a character reference (HTML) may end before an offset, the last byte of which is a ";". */
static int may_end_reference(const byte *text, size_t floor, size_t end)
{
    size_t least = end - floor > REFERENCE_WINDOW ? end - REFERENCE_WINDOW : floor, start = end - 1;
    while (start > least && (has(text[start - 1], LETTER_OR_DIGIT) || text[start - 1] == '#')) --start;
    return start > 0 && text[start - 1] == '&';
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
            *doubt = b == ';' && may_end_reference(text, floor, end);
            if (*doubt) return end;
            --end;
        } else if ((flags & OPENER) || b == emphasis) {
            --end;
        } else {
            break;
        }
    }
    return end;
}

/* Whether a character continues a run after an excluded character: -1 if only the finder knows. */
static int continues(const byte *t)
{
    if (!is_wide(t[0])) return (ASCII_FLAGS[t[0]] & (LETTER_OR_DIGIT | CONTINUES)) != 0;
    return (wide_flags(point_at(t)) & (W_SETTLED | W_LETTER)) == (W_SETTLED | W_LETTER) ? 1 : -1;
}

static int is_excluded(const byte *t)
{
    return is_wide(t[0]) ? (wide_flags(point_at(t)) & W_EXCLUDED) != 0 : (ASCII_FLAGS[t[0]] & EXCLUDED) != 0;
}

/* Whether the run goes on after the excluded character at which a candidate stopped: 1, 0, -1 if only the finder
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
    /* Brackets with nothing or stops in them, or a quotation mark after one. */
    if (IS_ONE_OF(text[offset - 1], "[{") && offset < size && (has(text[offset], STOP) || IS_ONE_OF(text[offset], "\"]"))) return -1;
    for (count = 0; offset < size && count < BEHIND && has(text[offset], STOP); ++count) ++offset;
    return offset == size ? -2 : continues(text + offset);
}

/* Whether a candidate that ends at an offset ends in its authority. */
static int ends_in_host(const examined *at, size_t end)
{
    return at->body > at->after && authority_end(at->in->text, at->body, end) == end;
}

/* Whether a blank, a quotation mark, an angle bracket or a stop may be a part of what was meant: `q="a"`, `e<.>example`,
 * `a dot example`, `a。example`. */
static int may_lead_on(const examined *at, size_t end, uint32_t stop)
{
    const byte *text = at->in->text;
    if (stop == '"') return IS_ONE_OF(text[end - 1], "=([{");
    size_t size = at->in->size, after = end < size ? end + width(text[end]) : size;
    int is_mark = (stop == 0x3002 || stop == 0xFF0E || stop == 0xFF61) &&
                  (after >= size ? !at->in->final : is_wide(text[after]) || has(text[after], LETTER_OR_DIGIT));
    if (stop == ' ') is_mark = at->choice->refangs;
    if (stop == '<') is_mark = after == size ? !at->in->final : text[after] == '.';
    return is_mark && ends_in_host(at, end);
}

/* The end of an escape sequence of a terminal that begins at an offset, as `urisieve.find.escapes` reads it; the offset
 * if there is none that is complete, or a string of a device. */
static size_t after_sequence(const byte *text, size_t offset, size_t size)
{
    int is_long = size - offset >= 2 && (text[offset] == 0xC2 || text[offset + 1] == '[');
    size_t at = offset + 1 + (size_t)is_long, first = at;
    if (size - offset < 2 || !(text[offset] == 0x1B || (text[offset] == 0xC2 && text[offset + 1] == 0x9B))) return offset;
    while (is_long && at < size && at - first < SEQUENCE_LIMIT && text[at] >= '0' && text[at] <= '?') ++at;
    const char *marks = is_long ? " !\"#$%&'()*+,-./" : "#%()*+-./$";
    for (first = at; at < size && at - first < (is_long ? 8 : 2) && text[at] && strchr(marks, text[at]) != NULL;) ++at;
    if (at == size || text[at] < (is_long ? '@' : '0') || text[at] > '~') return offset;
    return !is_long && at == first && strchr("P[\\]X^_", text[at]) != NULL ? offset : at + 1;
}

/* Whether a candidate surely ends at the sequence of a terminal at an offset: nothing but a blank follows it, or it ends
 * the string of a device that contains the candidate. */
static int ends_at_sequence(const stretch *in, size_t at)
{
    const byte *text = in->text;
    size_t after = after_sequence(text, at, in->size);
    if (after == at) return text[at] == 0x1B && at + 1 < in->size && text[at + 1] == '\\';
    for (size_t next; (next = after_sequence(text, after, in->size)) > after;) after = next;
    if (after < in->size && text[after] && strchr(".,;:!?", text[after]) != NULL) ++after;
    if (after == in->size) return in->final;
    byte b = text[after];
    return b == ' ' || (b >= '\t' && b <= '\r') || b == '"' || b == '<' || b == '>';
}

/* Whether an escape of a string may appear where a candidate ends. */
static int is_escape(const stretch *in, size_t at)
{
    while (at < in->size && in->text[at] == '\\') ++at;
    if (at + 1 < in->size && in->text[at] == 'x') return in->text[at + 1] < '8'; /* others are bytes */
    return at < in->size && in->text[at] && strchr("/uxnrt", in->text[at]) != NULL;
}

/* Whether the text may go on after the character at which a bare candidate ends; FOUND if that is known. */
static finding following(const examined *at, size_t end, int *goes)
{
    const stretch *in = at->in;
    uint32_t stop = end < in->size ? point_at(in->text + end) : 0;
    if (stop == 0x1B || stop == 0x9B) return ends_at_sequence(in, end) ? FOUND : DOUBTFUL;
    if (may_lead_on(at, end, stop)) return DOUBTFUL;
    if (stop <= 'Z' && stop != '&') return FOUND;
    if (stop == '\\' && is_escape(in, end)) return DOUBTFUL;
    if (stop == '[' || at->urn) return DOUBTFUL;
    if (stop == ']') /* a closer */
        return at->choice->repairs || in->text[end - 1] == '.' || in->text[end - 1] == '@' ? DOUBTFUL : FOUND;
    *goes = goes_on(in->text, end, in->size);
    if (*goes == -2) {
        if (!in->final) return undecided(at, at->outside ? at->outside - 1 : 0, AWAITS_ANY);
        *goes = 0;
    }
    if (*goes == 0) return FOUND;
    /* A character that is not shown may appear in a host. */
    return *goes == -1 || ends_in_host(at, end) ? DOUBTFUL : FOUND;
}

/* Whether a candidate may have been shortened: an ellipsis follows it, or its line ends with its hyphen. */
static int is_shortened(const byte *text, size_t end, size_t size)
{
    static const char *const ELLIPSES[] = {"...", "\xE2\x80\xA6", "[...", "[\xE2\x80\xA6"};
    for (unsigned i = 0; i < 4; ++i)
        if (size - end >= strlen(ELLIPSES[i]) && memcmp(text + end, ELLIPSES[i], strlen(ELLIPSES[i])) == 0) return 1;
    if (text[end - 1] != '-') return 0;
    if (end < size && begins_break(text + end)) return 1;
    return end == size;
}

/* After blanks, and what may be a prefix or the marker of an item: signs or a word in brackets before a blank. */
static size_t behind_prefix(const byte *text, size_t at, size_t size)
{
    for (;;) {
        while (at < size && (text[at] == '>' || (is_space_at(text + at) && !begins_break(text + at)))) at += width(text[at]);
        size_t mark = at;
        while (mark < size && mark - at < 8 && text[mark] && strchr("-*+#;|!.:%", text[mark]) != NULL) ++mark;
        if (mark == at && at < size && text[at] == '[') {
            ++mark;
            while (mark < size && mark - at < 24 && has(text[mark], LETTER_OR_DIGIT)) ++mark;
            mark = mark < size && text[mark] == ']' ? mark + 1 : at;
        }
        if (mark == at || mark == size || text[mark] != ' ') return at;
        at = mark + 1;
    }
}

static int ends_word(const byte *text, size_t at, size_t size)
{
    if (at < size && text[at] && strchr(".,;:!?)", text[at]) != NULL) ++at;
    return at < size && (text[at] == ' ' || begins_break(text + at));
}

/* Whether the word of letters, or the short number, at an offset goes on no link. */
static int is_of_sentence(const byte *text, size_t at, size_t size)
{
    size_t end = at, digits = at;
    while (end < size && has(text[end], LETTER_OR_DIGIT)) ++end;
    while (digits < end && is_digit(text[digits])) ++digits;
    if (digits > at) return digits == end && end - at < 5 && ends_word(text, end, size);
    while (digits < end && is_letter(text[digits])) ++digits;
    if (digits < end || end == at) return 0;
    if (end - at == 3 && (begins(text + at, 3, "rem") || begins(text + at, 3, "dnl"))) return 0; /* a prefix */
    if (end < size && (text[end] == '\'' || text[end] == '-'))
        for (++end; end < size && is_letter(text[end]);) ++end;
    return ends_word(text, end, size);
}

/* Whether a line begins with a date, or with the scheme of a link, or the name of a field. */
static int begins_otherwise(const byte *text, size_t at, size_t size)
{
    size_t i = at;
    while (i < size && is_letter(text[i])) ++i;
    if (i > at) return i < size && text[i] == ':';
    for (int part = 0; part < 2; ++part) {
        size_t first = i;
        while (i < size && is_digit(text[i])) ++i;
        if (i == first || i - first > (part ? 2u : 4u) || i == size) return 0;
        if (text[i] != '-' && text[i] != '/' && text[i] != '.' && text[i] != ':') return 0;
        ++i;
    }
    return 1;
}

/* The fewest bytes of a line that a program has folded; characters may be fewer. */
#define FOLDED 60u

/* Whether a candidate is the root of a host, in a line that no program has folded. */
static int is_short_root(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t line = end;
    if (at->opener == '<' || at->body == at->after || authority_end(text, at->body, end) + 1 != end) return 0;
    while (line > 0 && end - line < FOLDED && !is_wide(text[line - 1]) && text[line - 1] != '\n') --line;
    return end - line < FOLDED && (line == 0 || text[line - 1] == '\n');
}

/* Whether a link that ends with its line may go on in the next one: FOUND if it does not, so that it stays as it is.
 *
 * Most next lines are empty, or begin with another link, a date or a word of letters alone. */
static finding look_at_next_line(const examined *at, size_t end)
{
    const stretch *in = at->in;
    const byte *text = in->text, last = text[end - 1];
    int is_question = end < in->size && text[end] == '?';
    size_t size = in->size, i = end + (size_t)is_question;
    if (!is_question && last != '/' && last != '&' && last != '=' && last != '_' && last != '-') return FOUND;
    if (i < size && !begins_break(text + i)) return FOUND;
    if (last == '/' && !is_question && is_short_root(at, end)) return FOUND;
    /* Such a host of the web is not valid. */
    if (last == '=' && !is_question && ends_in_host(at, end) && begins(text + at->found->start, 4, "http")) return FOUND;
    if (i < size) i += text[i] == '\r' && size - i > 1 && text[i + 1] == '\n' ? 2 : width(text[i]);
    i = behind_prefix(text, i, size);
    if (i < size && (text[i] < ' ' || begins_break(text + i))) return FOUND;
    if (i < size && (begins_otherwise(text, i, size) || ((is_question || last == '/') && is_of_sentence(text, i, size))))
        return FOUND;
    size_t word = beyond(text, i, size, 0);
    if (word == size && !in->final) return undecided(at, at->outside ? at->outside - 1 : 0, AWAITS_ANY);
    return i == size ? FOUND : DOUBTFUL;
}

/* Whether a character is surely a letter of a script whose text has no blanks before what follows a link. */
static int is_without_blanks(uint32_t point)
{
    return (point >= 0x4E00 && point <= 0x9FEF) || (point >= 0x3041 && point <= 0x3096) ||
           (point >= 0x30A1 && point <= 0x30FA) || (point >= 0xAC00 && point <= 0xD7A3);
}

/* Whether the last segment of a path is of other letters: FOUND if it may be prose, so that the candidate without it is
 * another reading; DOUBTFUL if the finder has to look; else NOTHING. */
static finding ends_in_other_letters(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t last = end; /* after the last ASCII character */
    while (last > at->body && is_wide(text[last - 1])) --last;
    if (last == end || text[last - 1] != '/' || point_at(text + last) < FIRST_WITHOUT_BLANKS) return NOTHING;
    size_t size = last - at->body;
    /* Without these it contains no password, in which another reading does not end. */
    int is_plain = ascii_run(text + at->body, size) == size && !holds_any(text + at->body, size, '@', '%', ';');
    return is_plain && is_without_blanks(point_at(text + last)) ? FOUND : DOUBTFUL;
}

/* Whether another scheme is in a candidate after what may separate two links. */
static int has_second_scheme(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    for (const byte *colon = text + at->body; (colon = memchr(colon, ':', (size_t)(text + end - colon))) != NULL; ++colon) {
        if (text + end - colon < 3 || colon[1] != '/' || colon[2] != '/') continue;
        const byte *name = colon;
        while (name > text + at->body && has(name[-1], SCHEME_CHARACTER)) --name;
        if (name > text + at->body && (name[-1] == ',' || name[-1] == ';' || is_wide(name[-1]))) return 1;
        size_t size = (size_t)(colon - name), web = web_ending(name, size); /* right after a letter or digit */
        if (web && web < size && has(name[size - web - 1], LETTER_OR_DIGIT)) return 1;
    }
    return 0;
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
    if (is_wide(last)) { /* symbols are cut */
        if (!(wide_flags(point_at(text + before(text, end))) & W_LETTER)) *doubt = 1;
        return end;
    }
    /* A doubled mark may close an emphasis; a host that ends with a hyphen may go on in the next line. */
    if (!emphasis && (last == '*' || last == '_' || last == '~') && end - 1 > at->found->start && text[end - 2] == last)
        *doubt = 1;
    /* A row of marks after a host; a line that ends with a hyphen or with `=` goes on with the rest of the host. */
    int is_broken = (last == '-' || last == '=') && text[end - 2] != last && end < at->in->size && text[end] == '\n';
    if (IS_ONE_OF(last, "-_*~=$&+") && !is_broken && authority_end(text, at->body, end) == end) *doubt = 1;
    return end;
}

int may_be_sici(const examined *at, size_t end)
{
    const byte *from = at->in->text + at->after;
    size_t size = end - at->after;
    if (end == at->in->size || at->in->text[end] != '<' || memchr(from, '(', size) == NULL) return 0;
    return contains(from, size, "10.");
}

finding bare_candidate(const examined *at)
{
    const stretch *in = at->in;
    const byte *text = in->text;
    candidate *found = at->found;
    size_t size = in->size, longest = found->start + at->choice->limit;
    size_t limit = size < longest + 1 ? size : longest + 1;
    while (limit < size && is_continuation(text[limit])) --limit;
    if (at->opener == ';' && may_end_reference(text, 0, at->outside)) return DOUBTFUL; /* of an opener */
    const uint32_t *wrapper = wrapper_row(at->opener);
    int doubt = 0, inner = wrapper != NULL && wrapper[3], goes = 0;
    run_end run = bare_end(at, limit, inner ? wrapper : NULL);
    size_t end = run.end;
    if (run.is_doubtful || end > longest || (end >= limit && limit < size) || may_be_sici(at, end)) return DOUBTFUL;
    if (end == size && !in->final)
        return undecided(at, at->outside ? at->outside - 1 : 0, at->urn ? AWAITS_BEYOND_URN : AWAITS_BEYOND);
    uint32_t closer = wrapper != NULL && end < size ? point_at(text + end) : 0;
    if (closer && at->opener != '<' && at->opener != '"' && (closer == wrapper[1] || closer == wrapper[2])) {
        found->opener = at->opener;
        found->closer = closer;
        /* An apostrophe before a letter closes nothing. */
        if (!in->final && end + 1 == size && closer == '\'')
            return undecided(at, at->outside ? at->outside - 1 : 0, AWAITS_ANY);
    } else {
        inner = 0;
        finding known = following(at, end, &goes);
        if (known != FOUND) return known;
    }
    /* Most hold none of these. */
    int is_marked = end > at->body && holds_any(text + at->body, end - at->body + (end < size), ':', '%', '\'');
    /* Another link may follow a single quote in a host, as in `https://a.example'https://b.example`. */
    if (is_marked && !inner && memchr(text + at->body, '\'', authority_end(text, at->body, end) - at->body))
        return DOUBTFUL;
    end = trim(at, end, &doubt);
    if (doubt) return DOUBTFUL;
    if (!has_extent(at, end)) return NOTHING;
    if ((is_marked || at->choice->ignores_shapes) && may_cut_password(at, end)) return DOUBTFUL;
    if (goes && at->choice->names_readings) return DOUBTFUL;
    finding follows = ends_in_other_letters(at, end);
    if ((is_marked && has_second_scheme(at, end)) || follows == DOUBTFUL) return DOUBTFUL;
    if (follows == FOUND) found->warnings |= FOUND_TEXT_FOLLOWS;
    if (goes) found->warnings |= FOUND_STOPS_AT_EXCLUDED;
    byte next = end < size ? text[end] : 0; /* most candidates end at a blank */
    if (!goes && !found->closer && (end == size || next == '?' || begins_break(text + end))) {
        finding known = look_at_next_line(at, end);
        if (known != FOUND) return known;
    }
    if (!goes && (text[end - 1] == '-' || next == '.' || next == '[' || is_wide(next)) && is_shortened(text, end, size))
        found->warnings |= FOUND_MAY_BE_SHORTENED;
    found->end = end;
    return FOUND;
}

/* How many bytes after a candidate may contain the "@" that ends a password: those of the finder's window, at least. */
#define PASSWORD_WINDOW 1024u

/* Whether the authority of a candidate goes over into another link: `http://a.example:80,http://b.example`. */
static int may_be_list(const examined *at, size_t end)
{
    const byte *text = at->in->text, *authority = text + at->body;
    size_t stop = authority_end(text, at->body, end), size = stop - at->body;
    if (size == 0 || stop == end || text[stop] != '/' || text[stop - 1] != ':') return 0;
    return memchr(authority, ',', size) != NULL || memchr(authority, ';', size) != NULL;
}

/* Whether an at-sign, or what may stand for it, begins at an offset; some more are counted. */
static int begins_sign(const byte *text, size_t i, size_t end)
{
    byte b = text[i], next = i + 1 < end ? text[i + 1] : 0;
    if (b == '@') return 1;
    if (b == '4') return next == '0' && (text[i - 1] == '%' || text[i - 1] == '5');                     /* `%40` */
    if (b == '&') return next == '#' || next == 'c';                                                   /* `&#64;` */
    if (b == '[' || b == '(' || b == '{') return (next | 0x20) == 'a' || next <= ' ' || is_wide(next); /* `[at]` */
    return b == 0xEF && next == 0xBC;                                                                  /* U+FF20 */
}

/* Whether an at-sign follows a candidate in its line, or in the next one in angle brackets: as far as a password may go on;
 * also if more text is needed to tell. */
static int sign_follows(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t i, size = at->in->size, most = size - end < PASSWORD_WINDOW ? size : end + PASSWORD_WINDOW;
    int lines = at->opener == '<';
    for (i = end; i < most && (text[i] != '\n' || lines-- > 0); ++i)
        if (begins_sign(text, i, most)) return 1;
    return i == size && !at->in->final;
}

int may_cut_password(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t start = at->found->start;
    /* `www.a.example:80|x@h`: what looks like a host with a port, where any scheme counts. */
    if (at->choice->ignores_shapes && begins(text + start, end - start, "www.")) return 1;
    size_t size = end - at->body + (end < at->in->size);
    const byte *body = text + at->body;
    /* A password follows a colon, which may be encoded; most candidates contain neither. */
    if (!holds_any(body, size, ':', '%', '%') || first_mark(body, body + size, ':', '3', 'A') == body + size) return 0;
    return (at->body > at->after && may_be_list(at, end)) || sign_follows(at, end);
}

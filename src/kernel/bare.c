#include "bare.h"
#include "vector.h"

/* The sections of an identifier, by the characters that a run between brackets may hold in them. */
typedef enum { AUTHORITY, PATH, QUERY, WHOLE_URN } section;

/* For each section the bytes that a run may hold, filled once; what is beyond ASCII is looked up. */
static byte held_by[4][256];

void bare_prepare(void)
{
    static const uint32_t RUN[] = {PLAIN, IN_PATH, IN_QUERY, IN_URN};
    for (unsigned at = AUTHORITY; at <= WHOLE_URN; ++at)
        for (unsigned b = 0; b < 0x80; ++b) held_by[at][b] = (ASCII_FLAGS[b] & RUN[at]) != 0;
    held_by[AUTHORITY][';'] = 0; /* it may end a host */
}

/* How far behind a candidate to look for another link: less than the finder does. */
#define OTHER_WINDOW 512u
/* How many bytes before a candidate to look for the mark that opened an emphasis: no fewer than the finder does. */
#define LOOK_BACK 384u
/* The last letter of the Latin blocks; a few Latin letters have higher numbers. */
#define LAST_LATIN 0x24Fu
/* The scripts whose text has no blanks before what follows a link come behind it: Thai is the first. */
#define FIRST_WITHOUT_BLANKS 0xE00u
/* The block of 256 characters that holds Hiragana, and Katakana. */
#define HIRAGANA 0x30u

/* Whether prose may begin with a character, as far as the finder has to look: a letter that is not Latin. */
static int may_be_prose(uint32_t point)
{
    return point > LAST_LATIN && (wide_flags(point) & (W_LETTER | W_SETTLED)) != W_SETTLED;
}

static int is_around(byte b) { return b == ')' || b == '\'' || b == '.'; }

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
            if (b == stop1 && offset >= body) {
                byte next = offset + 1 < limit ? text[offset + 1] : 0; /* an apostrophe in a word closes nothing */
                *doubt = b == '\'' && (is_wide(next) || has(next, LETTER_OR_DIGIT));
                return offset;
            }
            if (b == ';' && now == AUTHORITY && offset + 1 < limit && (ASCII_FLAGS[text[offset + 1] & 0x7F] & HELD)) {
                *doubt = 1;
                return offset;
            }
            if (held[b] || (b == ';' && now == AUTHORITY)) { /* only where there may be stops */
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
            uint32_t flags = wide_flags(point);
            /* A host may end before such a character; prose may begin where a path goes over into other letters, and
             * at what opens a bracket or a quotation behind ASCII. */
            if ((now == AUTHORITY && (flags & W_PLAIN)) || (body == after && (flags & (W_PLAIN | W_QUERY))) ||
                ((has(text[offset - 1], LETTER_OR_DIGIT) || is_around(text[offset - 1])) && may_be_prose(point) &&
                 (text[offset - 1] != '0' || !begins(text + offset - 3, 3, "%20"))) ||
                (text[offset - 1] == '/' && point >> 8 == HIRAGANA) ||
                ((flags & W_OPENS_PROSE) && !is_wide(text[offset - 1]))) {
                *doubt = 1;
                return offset;
            }
            if (flags & (now == QUERY ? W_QUERY : W_PLAIN)) {
                offset += width(b);
                continue;
            }
        }
        int number = bracket_number(point);
        if (number == 0) return offset;
        if ((now == AUTHORITY || (body == after && is_wide(b))) && number > 0 && b != '[') { /* it may end the host */
            *doubt = 1;
            return offset;
        }
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

/* The end of an authority that begins at an offset. */
static size_t authority_end(const byte *text, size_t at, size_t end)
{
    while (at < end && text[at] != '/' && text[at] != '?' && text[at] != '#') ++at;
    return at;
}

/* Whether another link follows a single quote in a host, as in `https://a.example'https://b.example`. */
static int may_hold_second(const byte *text, size_t body, size_t end)
{
    if (memchr(text + body, '\'', end - body) == NULL) return 0;
    for (size_t i = body, stop = authority_end(text, body, end); i < stop; ++i)
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
    if (stop == '[' || at->urn) return DOUBTFUL;
    if (stop == ']') /* a closer */
        return at->choice->repairs || in->text[end - 1] == '.' || in->text[end - 1] == '@' ? DOUBTFUL : FOUND;
    *goes = goes_on(in->text, end, in->size);
    if (*goes == -2) {
        if (!in->final) return undecided(at, at->outside ? at->outside - 1 : 0, AWAITS_ANY);
        *goes = 0;
    }
    if (*goes == 0) return FOUND;
    /* A character that is not shown may stand in a host. */
    int is_in_host = at->body > at->after && authority_end(in->text, at->body, end) == end;
    return *goes == -1 || is_in_host ? DOUBTFUL : FOUND;
}

/* Whether a candidate may have been shortened: an ellipsis follows it, or its line ends with its hyphen. */
static int is_shortened(const byte *text, size_t end, size_t size)
{
    static const char *const ELLIPSES[] = {"...", "\xE2\x80\xA6", "[...", "[\xE2\x80\xA6"};
    static const char *const LINE_ENDS[] = {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    for (unsigned i = 0; i < 4; ++i)
        if (size - end >= strlen(ELLIPSES[i]) && memcmp(text + end, ELLIPSES[i], strlen(ELLIPSES[i])) == 0) return 1;
    if (text[end - 1] != '-') return 0;
    for (unsigned i = 0; i < 5; ++i)
        if (size - end >= strlen(LINE_ENDS[i]) && memcmp(text + end, LINE_ENDS[i], strlen(LINE_ENDS[i])) == 0) return 1;
    return end == size;
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
    size_t last = end; /* behind the last ASCII character */
    while (last > at->body && is_wide(text[last - 1])) --last;
    if (last == end || text[last - 1] != '/' || point_at(text + last) < FIRST_WITHOUT_BLANKS) return NOTHING;
    size_t size = last - at->body;
    /* Without these it holds no password, in which another reading does not end. */
    int is_plain = ascii_run(text + at->body, size) == size && !holds_any(text + at->body, size, '@', '%', ';');
    return is_plain && is_without_blanks(point_at(text + last)) ? FOUND : DOUBTFUL;
}

/* Whether another scheme stands in a candidate behind what may separate two links. */
static int has_second_scheme(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    for (const byte *colon = text + at->body; (colon = memchr(colon, ':', (size_t)(text + end - colon))) != NULL; ++colon) {
        if (text + end - colon < 3 || colon[1] != '/' || colon[2] != '/') continue;
        const byte *name = colon;
        while (name > text + at->body && has(name[-1], SCHEME_CHARACTER)) --name;
        if (name > text + at->body && (name[-1] == ',' || name[-1] == ';' || is_wide(name[-1]))) return 1;
    }
    return 0;
}

/* Whether another link follows in the run in which a candidate ends, so that it has no other reading. */
static int another_follows(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t most = at->in->size - end < OTHER_WINDOW ? at->in->size : end + OTHER_WINDOW;
    for (size_t i = end; i + 2 < most && text[i] > ' ' && text[i] != 0x7F; i += width(text[i])) {
        byte b = text[i];
        if (is_wide(b) && !is_excluded(text + i)) return 0;
        if (b == '"' || b == '<' || b == '>' || b == ')' || b == ']' || b == '}') return 0;
        if (b == ':' && text[i + 1] == '/' && text[i + 2] == '/') {
            size_t name = i;
            while (name > end && i - name < LONGEST_SCHEME && has(text[name - 1], SCHEME_CHARACTER)) --name;
            while (name < i && !is_letter(text[name])) ++name;
            return name < i;
        }
    }
    return 0;
}

/* Whether the doubled mark at the end of a candidate may close an emphasis that was opened in its line before it. */
static int may_close_emphasis(const byte *text, size_t start, size_t end)
{
    byte mark = text[end - 1];
    for (size_t i = start + 1; i + 2 < end; ++i)
        if (text[i - 1] == mark && text[i] == mark) return 0; /* it was opened in the candidate */
    size_t least = start > LOOK_BACK ? start - LOOK_BACK : 0;
    for (size_t i = start; i > least + 1 && text[i - 1] != '\n'; --i)
        if (text[i - 1] == mark && text[i - 2] == mark) return 1;
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
    /* A doubled mark may close an emphasis; a host that ends with a hyphen may go on in the next line. */
    if (!emphasis && (last == '*' || last == '_' || last == '~') && end - 1 > at->found->start && text[end - 2] == last)
        *doubt = may_close_emphasis(text, at->found->start, end);
    if (last == '-' && !(end < at->in->size && text[end] == '\n')) {
        size_t i = at->body;
        while (i < end && text[i] != '/' && text[i] != '?' && text[i] != '#' && text[i] != '@') ++i;
        if (i == end) *doubt = 1;
    }
    return end;
}

/* Whether a character reference (HTML) ends at an offset: that of an opener may be a wrapper. */
static int follows_reference(const byte *text, size_t end)
{
    size_t least = end > REFERENCE_WINDOW ? end - REFERENCE_WINDOW : 0, start = end - 1;
    while (start > least && (has(text[start - 1], LETTER_OR_DIGIT) || text[start - 1] == '#')) --start;
    return start > 0 && text[start - 1] == '&';
}

/* How many bytes behind a candidate may hold the "@" that ends a password: those of the finder's window, at least. */
#define PASSWORD_WINDOW 1024u

static int ends_authority(byte b) { return b == '/' || b == '?' || b == '#' || b == '@'; }

/* Whether a part of a candidate ends with the authority of an encoded link, and that holds a colon. */
static int ends_in_encoded_user(const byte *text, size_t start, size_t end)
{
    int has_colon = end > start && text[end] == ':';
    for (size_t i = end; i-- > start + 2;) {
        byte high = text[i - 1], low = text[i] | 0x20;
        if (text[i] == ':') has_colon = 1;
        if (text[i - 2] != '%' && text[i - 2] != '5') continue;
        if (high == '3' && low == 'a') has_colon = 1;
        if (high != '2' || low != 'f') continue;
        size_t before = i - 2;
        while (before >= start + 2 && text[before] == '5' && text[before - 1] == '2') before -= 2;
        return has_colon && before >= start + 2 && text[before - 2] == '2' && (text[before - 1] | 0x20) == 'f';
    }
    return 0;
}

/* Whether an at-sign, or what may stand for it, begins at an offset; some more are counted. */
static int begins_sign(const byte *text, size_t i, size_t end)
{
    byte b = text[i], next = i + 1 < end ? text[i + 1] : 0;
    if (b == '@') return 1;
    if (b == '4') return next == '0' && (text[i - 1] == '%' || text[i - 1] == '5');
    if (b == '&') return next == '#' || next == 'c';
    if (b == '[' || b == '(' || b == '{') return (next | 0x20) == 'a' || next <= ' ' || is_wide(next);
    return b == 0xEF && next == 0xBC;
}

/* Whether an at-sign, or what may stand for it, follows a candidate in its run, or in its line; also if more text is
 * needed to tell. Without one no password ends behind the candidate. */
static int sign_follows(const examined *at, size_t end, int crosses)
{
    const byte *text = at->in->text;
    size_t i, size = at->in->size, most = size - end < PASSWORD_WINDOW ? size : end + PASSWORD_WINDOW;
    for (i = end; i < most && text[i] != '\n'; ++i) {
        if (!crosses && (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))) break;
        if (begins_sign(text, i, most)) return 1;
    }
    return i == size && !at->in->final;
}

/* Whether the authority of a candidate goes over into another link: `http://a.example:80,http://b.example`. */
static int may_be_list(const examined *at, size_t end)
{
    const byte *text = at->in->text, *authority = text + at->body;
    size_t stop = authority_end(text, at->body, end), size = stop - at->body;
    if (size == 0 || stop == end || text[stop] != '/' || text[stop - 1] != ':') return 0;
    return memchr(authority, ',', size) != NULL || memchr(authority, ';', size) != NULL;
}

int may_cut_password(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t i = at->body, size = at->in->size, start = at->found->start;
    /* What looks like a host with a port and a user, where any scheme counts. */
    if (at->choice->ignores_shapes && begins(text + start, end - start, "www.")) return 1;
    if (!holds_any(text + i, end - i + (end < size), ':', '%', '%')) return 0; /* most */
    int has_triplet = memchr(text + i, '%', end - i) != NULL;
    /* `user/password@`; a user without "//" */
    if (begins(text + start, end - start, "jdbc:oracle:") || begins(text + start, end - start, "sip"))
        return sign_follows(at, end, 1);
    if (i > at->after) { /* a colon that begins no port: not valid, or a password as a whole */
        if (may_be_list(at, end)) return 1;
        while (i < end && text[i] != ':' && text[i] != '[' && (text[i] == '@' || !ends_authority(text[i]))) ++i;
        if (i == end && end < size && text[end] == ':' && memchr(text + at->body, '@', end - at->body) != NULL)
            return sign_follows(at, end, 1);
        if (i < end && text[i] == ':') {
            for (++i; i < end && is_digit(text[i]);) ++i;
            if (i < end && text[i] != '/' && text[i] != '?' && text[i] != '#') return sign_follows(at, end, 1);
        }
    }
    if (end >= size) return 0;
    for (i = end; i > at->after && (text[i - 1] == '@' || !ends_authority(text[i - 1]));) --i;
    if (has_triplet && ends_in_encoded_user(text, i, end)) return sign_follows(at, end, 1);
    if (i < start + 2 || text[i - 1] != '/' || text[i - 2] != '/' || text[i] == '[') return 0;
    while (i < end && text[i] != ':') ++i;
    if (text[i] != ':') return 0;
    for (++i; i < end && is_digit(text[i]);) ++i;
    return sign_follows(at, end, i < end); /* no port, in a link inside this one; or one that a run goes on behind */
}

finding bare_candidate(const examined *at)
{
    const stretch *in = at->in;
    const byte *text = in->text;
    candidate *found = at->found;
    size_t size = in->size, longest = found->start + at->choice->limit;
    size_t limit = size < longest + 1 ? size : longest + 1;
    while (limit < size && is_continuation(text[limit])) --limit;
    if (at->opener == ';' && follows_reference(text, at->outside)) return DOUBTFUL;
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
        /* An apostrophe before a letter closes nothing. */
        if (!in->final && end + 1 == size && closer == '\'')
            return undecided(at, at->outside ? at->outside - 1 : 0, AWAITS_ANY);
    } else {
        inner = 0;
        finding known = look_behind(at, end, &goes);
        if (known != FOUND) return known;
    }
    /* Most hold none of these. */
    int is_marked = end > at->body && holds_any(text + at->body, end - at->body + (end < size), ':', '%', '\'');
    if (is_marked && !inner && may_hold_second(text, at->body, end)) return DOUBTFUL;
    end = trim(at, end, &doubt);
    if (doubt) return DOUBTFUL;
    if (!has_extent(at, end)) return NOTHING;
    if ((is_marked || at->choice->ignores_shapes) && may_cut_password(at, end)) return DOUBTFUL;
    if (goes && at->choice->names_readings && !another_follows(at, end)) return DOUBTFUL;
    finding follows = ends_in_other_letters(at, end);
    if ((is_marked && has_second_scheme(at, end)) || follows == DOUBTFUL) return DOUBTFUL;
    if (follows == FOUND) found->warnings |= FOUND_FOLLOWED;
    if (goes) found->warnings |= FOUND_STOPPED;
    byte next = end < size ? text[end] : 0; /* most candidates end at a blank */
    if (!goes && (text[end - 1] == '-' || next == '.' || next == '[' || is_wide(next)) && is_shortened(text, end, size))
        found->warnings |= FOUND_SHORTENED;
    found->end = end;
    return FOUND;
}

#include "pivots.h"
#include "find.h"
#include "vector.h"

/* The longest run of characters that is examined for a name, in characters. */
#define NAME_RUN 256u
/* The longest character in UTF-8. */
#define WIDEST 4u
/* The characters from its first digit on by which a number or name without a scheme is decided, and one more. */
#define BARE_WINDOW 98u
/* The bytes in which a word may appear that says what such a number is. */
#define LABEL_WINDOW 224u
/* The bytes before a name in which an escape sequence may appear that ends before it. */
#define ESCAPE_WINDOW 128u
/* The longest mark, and the most characters before a colon that a scheme in brackets has. */
#define MARK_LIMIT 16u
#define PARTED_LIMIT 14u

static uint32_t label_hash(const byte *label, size_t size)
{
    uint32_t hash = hash_of_lower(label, size);
    return (hash ^ hash >> 16) % LABEL_BITS;
}

void pivot_add_label(byte *labels, const byte *label, size_t size)
{
    uint32_t hash = label_hash(label, size);
    labels[hash / 8] |= (byte)(1u << hash % 8);
}

static int is_among(const byte *labels, uint32_t hash) { return labels[hash / 8] >> hash % 8 & 1; }

int pivot_has_label(const byte *labels, const byte *label, size_t size) { return is_among(labels, label_hash(label, size)); }

/* Whether a port and a slash are here, or only a slash; the end of the text may cut them. */
static int begins_path(const byte *text, size_t size, size_t at)
{
    size_t digits = at + 1;
    if (at < size && text[at] == ':') {
        while (digits < size && digits - at <= 5 && is_digit(text[digits])) ++digits;
        if (digits == at + 1 && digits < size) return 0;
        at = digits;
    }
    return at == size || text[at] == '/';
}

int may_follow_escape(const byte *text, size_t at)
{
    size_t near = at > ESCAPE_WINDOW ? at - ESCAPE_WINDOW : 0;
    return memchr(text + near, 0x1B, at - near) != NULL || memchr(text + near, 0x9B, at - near) != NULL;
}

/* Whether a name has a dot before this one already: the first one has been examined. */
static int is_inner(const byte *text, size_t floor, size_t dot)
{
    size_t i = dot;
    while (i > floor && (is_alphanumeric(text[i - 1]) || text[i - 1] == '-' || text[i - 1] == '_')) --i;
    return i > floor + 1 && dot - i < NAME_RUN / 2 && text[i - 1] == '.' && is_letter(text[i]) &&
           is_alphanumeric(text[i - 2]) && !may_follow_escape(text, i);
}

size_t name_before(const byte *text, size_t floor, size_t dot, int *is_sure)
{
    size_t least = dot - floor > NAME_RUN ? dot - NAME_RUN : floor, start = dot;
    *is_sure = 0;
    while (start > least && is_of_name(text[start - 1])) {
        --start;
        if (is_wide(text[start])) return start;
    }
    if ((start == least && least > floor) || may_follow_escape(text, start)) return start;
    *is_sure = 1;
    while (start < dot && !is_alphanumeric(text[start]) && text[start] != '_') ++start;
    return start > floor && IS_ONE_OF(text[start - 1], "/\\@$%#&+~*^_-.") ? dot : start;
}

/* Whether the name that goes on after a dot may be one that counts without a scheme; its end may be cut. */
static int may_be_name(const pivot_choice *choice, const byte *text, size_t size, size_t floor, size_t dot)
{
    size_t limit = dot + 1;
    for (; limit < size && is_of_name(text[limit]); ++limit)
        if (is_wide(text[limit]) || limit - dot > NAME_RUN) return 1;
    if (limit == size) return 1;
    size_t end = limit;
    while (text[end - 1] == '.' || text[end - 1] == '-' || text[end - 1] == '_') --end;
    size_t last = end;
    while (text[last - 1] != '.') --last;
    uint32_t hash = label_hash(text + last, end - last);
    if (!is_among(choice->top_levels, hash) && !(is_among(choice->doubtful, hash) && begins_path(text, size, end)))
        return 0;
    if (IS_ONE_OF(text[end], "(=@_[{&%$+*~^|`")) return 0; /* after a backslash it may go on in an escape */
    int is_sure;
    size_t start = name_before(text, floor, dot, &is_sure);
    if (!is_sure) return 1;
    if (start == dot) return 0;
    int has_upper = 0, has_lower = 0;
    for (size_t i = last; i < end; ++i) has_upper |= is_upper(text[i]);
    for (size_t i = start; i < end && has_upper; ++i) has_lower |= is_letter(text[i]) && !is_upper(text[i]);
    return !(has_upper && has_lower);
}

/* Whether the first dot of an IPv4 address with a path or a port is here; the end of the text may cut it. */
static int begins_numbers(const byte *text, size_t size, size_t dot)
{
    size_t at = dot + 1;
    for (int group = 0; group < 3; ++group) {
        size_t start = at;
        while (at < size && at - start < 3 && is_digit(text[at])) ++at;
        if (at == start || at == size) return 0; /* the pattern needs all of it */
        if (group < 2 && text[at++] != '.') return 0;
    }
    return begins_path(text, size, at);
}

static int is_dot_of_name(const pivot_choice *choice, const byte *text, size_t size, size_t floor, size_t dot)
{
    if (dot <= floor || dot + 1 >= size || !begins_label(text[dot - 1])) return 0;
    byte next = text[dot + 1];
    if (is_digit(next)) return is_digit(text[dot - 1]) && begins_numbers(text, size, dot);
    return begins_label(next) && !is_inner(text, floor, dot) && may_be_name(choice, text, size, floor, dot);
}

static int is_www(const byte *text, size_t size, size_t at)
{
    if (size - at < 5 || !begins(text + at, 4, "www.") || !begins_label(text[at + 4])) return 0;
    if (at == 0) return 1;
    byte last = text[at - 1];
    /* An `m` may be the end of an escape sequence. */
    return last == 'm' || !(is_alphanumeric(last) || IS_ONE_OF(last, "._-@/"));
}

static int is_at_of_address(const byte *text, size_t size, size_t floor, size_t at, int is_defanged)
{
    if (at <= floor || at + 1 >= size || text[at - 1] == '.' || !is_of_local(text[at - 1])) return 0;
    if (!begins_label(text[at + 1])) return 0;
    if (is_defanged) return 1; /* a mark may stand for the dot */
    size_t end = at + 1;
    while (end < size && is_of_name(text[end]) && text[end] != '.') ++end;
    return end == size || text[end] == '.';
}

static int is_opener(byte b) { return b == '[' || b == '(' || b == '{'; }

/* Whether a mark begins here, as far as its first characters show. */
static int begins_mark(unsigned kinds, const byte *text, size_t size, size_t at)
{
    const byte *t = text + at + 1;
    size_t rest = size - at - 1;
    int has_names = (kinds & PIVOT_WWW) != 0;
    switch (text[at]) {
    case '\\': return has_names && rest && *t == '.';
    case '&': return has_names && (begins(t, rest, "#46;") || begins(t, rest, "#x2e;"));
    case 'd':
    case 'D':
        if (!(kinds & PIVOT_SPOKEN) || rest < 4 || !is_alphanumeric(t[3]) || at < 2 || text[at - 1] != ' ') return 0;
        return is_alphanumeric(text[at - 2]) && memcmp(t, text[at] == 'd' ? "ot " : "OT ", 3) == 0;
    default: break;
    }
    if (!is_opener(text[at]) || rest == 0) return 0;
    if (*t == ':') return 1;
    if (*t == ' ' && rest > 1) ++t, --rest;
    if (has_names && (*t == '.' || begins(t, rest, "dot"))) return 1;
    return (kinds & PIVOT_AT) && (*t == '@' || begins(t, rest, "at"));
}

/* The characters of an authority up to its first mark. */
static int is_of_authority(byte b)
{
    return is_alphanumeric(b) || IS_ONE_OF(b, "-._~%!$'*+,;=:@&");
}

int pivot_may_be_defanged(const byte *text, size_t size, size_t start, size_t colon, size_t limit, int final)
{
    if (start > 0 && IS_ONE_OF(text[start - 1], "])*_")) return 1;
    size_t at = colon + 3;
    while (at < size && is_of_authority(text[at])) ++at;
    if (at - start > limit || (!final && size - at <= WIDEST * MARK_LIMIT)) return 1;
    if (at == size) return 0;
    byte b = text[at];
    if (b == ' ') return at + 1 < size && is_opener(text[at + 1]);
    if (is_wide(b) || is_opener(b) || b == '\\' || b == ']') return 1;
    return memchr(text + colon, '&', at - colon) != NULL; /* a reference may stand for a dot */
}

/* Whether groups of digits are here, with at most one separator before each but the first, of which the last may end
 * with an X; a blank may follow a hyphen. A separator beyond ASCII is taken for whatever is needed. */
static int has_groups(const byte *t, const byte *end, const unsigned char *groups, int count, int is_last_any)
{
    for (int i = 0; i < count; ++i) {
        if (i > 0 && t < end && (*t == '-' || *t == ' ')) t += 1 + (*t == '-' && t + 1 < end && t[1] == ' ');
        for (unsigned digits = groups[i]; digits; --digits, ++t) {
            if (t == end || is_wide(*t)) return t < end;
            int is_last = is_last_any && i == count - 1 && digits == 1;
            if (!is_digit(*t) && !(is_last && (*t | 0x20) == 'x')) return 0;
        }
    }
    return 1;
}

/* Whether a word is in so many bytes before an offset: it may say what follows there. */
static int has_label(const byte *text, size_t at, const char *word, size_t window)
{
    size_t size = at < window ? at : window;
    return contains_lower(text + at - size, size, word, strlen(word));
}

/* Whether the word that says what a number is comes right before it, without a blank. */
static int is_joined(unsigned kinds, const byte *text, size_t at)
{
    static const struct { const char *word; unsigned kind; } WORDS[] = {
        {"isbn", PIVOT_ISBN}, {"issn", PIVOT_ISSN}, {"orcid", PIVOT_ORCID}, {"doi", PIVOT_DOI},
        {"pmid", PIVOT_PMID}, {"pmc", PIVOT_PMCID}, {"pmcid", PIVOT_PMCID}, {"arxiv", PIVOT_ARXIV}};
    if (!IS_ONE_OF(text[at - 1] | 0x20, "ndicv")) return 0; /* their last letters */
    for (unsigned i = 0; i < sizeof WORDS / sizeof *WORDS; ++i) {
        size_t size = strlen(WORDS[i].word);
        if ((kinds & WORDS[i].kind) && at >= size && begins(text + at - size, size, WORDS[i].word)) return 1;
    }
    return 0;
}

static int is_dash(byte b) { return b == '-' || is_wide(b); }

static int has_four_digits(const byte *t) { return is_digit(t[0]) && is_digit(t[1]) && is_digit(t[2]) && is_digit(t[3]); }

static int is_of_noid(byte b) { return is_digit(b) || IS_ONE_OF(b, "bcdfghjkmnpqrstvwxz"); }

static int begins_ark(const byte *t, const byte *end)
{
    const byte *first = t;
    while (t < end && t - first < 8 && is_of_noid(*t)) ++t;
    return t < end && t - first >= 4 && *t == '/';
}

static int begins_handle(const byte *t, const byte *end)
{
    while (t < end && (is_alphanumeric(*t) || *t == '.' || *t == '-')) ++t;
    return t < end && *t == '/';
}

static int begins_isbn(const byte *text, size_t at, const byte *end)
{
    static const unsigned char GROUPS[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const byte *t = text + at;
    if (!has_groups(t, end, GROUPS, 10, 1)) return 0;
    if (t[0] == '9' && t[1] == '7' && (t[2] == '8' || t[2] == '9')) return 1;
    for (int i = 1; i < 12; ++i)
        if (is_dash(t[i])) return 1; /* an ISBN-10 is written with hyphens */
    return has_label(text, at, "isbn", LIST_WINDOW);
}

static int begins_issn(const byte *text, size_t at, const byte *end)
{
    static const unsigned char GROUPS[] = {4, 4};
    return has_groups(text + at, end, GROUPS, 2, 1) && (is_dash(text[at + 4]) || has_label(text, at, "issn", LIST_WINDOW));
}

static int begins_orcid(const byte *text, size_t at, const byte *end)
{
    static const unsigned char GROUPS[] = {4, 4, 4, 4};
    return has_groups(text + at, end, GROUPS, 4, 1) &&
           (begins(text + at, 3, "000") || has_label(text, at, "orcid", LIST_WINDOW));
}

/* More digits than a paper has. */
#define MANY_DIGITS 9

/* Whether an identifier of arXiv may be here, `2401.01234` or after a slash `9901001`. */
static int begins_arxiv(const byte *text, size_t at, const byte *end)
{
    size_t digits = digits_at(text + at, end, MANY_DIGITS);
    if (digits == 4)
        return text[at + 4] == '.' &&
               (has_label(text, at, "arxiv", LIST_WINDOW) || has_label(text, at, "print", LABEL_WINDOW));
    return digits == 7 && at > 1 && text[at - 1] == '/' && is_letter(text[at - 2]);
}

/* Whether a number of PubMed, of PubMed Central or of arXiv may begin at a digit. */
static int begins_paper(unsigned kinds, const byte *text, size_t at, const byte *end)
{
    if ((kinds & PIVOT_ARXIV) && begins_arxiv(text, at, end)) return 1;
    if (!(kinds & (PIVOT_PMID | PIVOT_PMCID)) || text[at] == '0' || digits_at(text + at, end, MANY_DIGITS) == MANY_DIGITS) return 0;
    if ((kinds & PIVOT_PMCID) && has_label(text, at, "pmc", LIST_WINDOW)) return 1;
    return (kinds & PIVOT_PMID) && (has_label(text, at, "pmid", LIST_WINDOW) || has_label(text, at, "pubmed", LABEL_WINDOW));
}

/* Whether a number or name without a scheme may begin at a digit. What decides without a word before it is said in
 * `urisieve.find.finder.bare_places`. */
static int is_digit_of_bare(const pivot_choice *choice, const byte *text, size_t size, size_t at)
{
    unsigned kinds = choice->kinds;
    if (at > 0 && is_alphanumeric(text[at - 1]) && text[at - 1] != 'm' && !is_joined(kinds, text, at)) return 0;
    if (at > 1 && text[at - 1] == '#' && text[at - 2] == '&') return 0; /* of a character reference */
    if (size - at < BARE_WINDOW) return 1; /* its end may be cut: the patterns see to that */
    const byte *t = text + at, *end = text + size;
    if ((kinds & PIVOT_DOI) && t[0] == '1' && t[1] == '0') {
        if (t[2] == '.' && has_four_digits(t + 3)) return 1;
        if (t[2] == '/' && has_label(text, at, "doi", LABEL_WINDOW)) return 1;
    }
    if ((kinds & PIVOT_ISBN) && begins_isbn(text, at, end)) return 1;
    if ((kinds & PIVOT_ISSN) && begins_issn(text, at, end)) return 1;
    if ((kinds & PIVOT_ORCID) && begins_orcid(text, at, end)) return 1;
    if ((kinds & PIVOT_PAPERS) && begins_paper(kinds, text, at, end)) return 1;
    if ((kinds & PIVOT_ARK) && begins_ark(t + 1, end) && has_label(text, at, "ark", LABEL_WINDOW)) return 1;
    if (!(kinds & PIVOT_HANDLE) || !begins_handle(t, t + BARE_WINDOW)) return 0;
    if (t[0] == '2' && t[2] == '.') return 1;
    return has_label(text, at, "hdl", LABEL_WINDOW) || has_label(text, at, "handle", LABEL_WINDOW);
}

int pivot_is(const pivot_choice *choice, const byte *text, size_t size, size_t floor, size_t at)
{
    byte b = text[at];
    if (b == '.') return (choice->kinds & PIVOT_NAMES) && is_dot_of_name(choice, text, size, floor, at);
    unsigned kinds = choice->kinds;
    if (b == '@') return (kinds & PIVOT_AT) && is_at_of_address(text, size, floor, at, (kinds & PIVOT_MARKS) != 0);
    if (is_digit(b)) return (kinds & PIVOT_DIGITS) && is_digit_of_bare(choice, text, size, at);
    if ((b | 0x20) == 'w') return (kinds & PIVOT_WWW) && is_www(text, size, at);
    return (kinds & PIVOT_MARKS) && begins_mark(kinds, text, size, at);
}

/* The characters that are pivots of some kinds, or show one. */
#define SIGN_ROWS 4
#define SIGNS 8 /* of a row, with the end of its text */
static unsigned signs_of(unsigned kinds, byte *signs)
{
    static const struct { char signs[SIGNS]; unsigned kinds; } ALL[SIGN_ROWS] = {
        {".", PIVOT_WWW | PIVOT_NAMES}, {"@", PIVOT_AT}, {"[({\\&", PIVOT_MARKS}, {"dD", PIVOT_SPOKEN}};
    unsigned count = 0;
    for (unsigned i = 0; i < SIGN_ROWS; ++i)
        for (const char *sign = ALL[i].signs; (kinds & ALL[i].kinds) && *sign; ++sign) signs[count++] = (byte)*sign;
    return count;
}

/* A bit for each sign, and for each digit if those count, among some bytes, `count` at most. */
static uint32_t sign_bits(const byte *signs, unsigned sign_count, int has_digits, const byte *t, size_t count)
{
    uint32_t bits = 0;
    if (count >= STEP) {
        vector v = load(t);
        for (unsigned i = 0; i < sign_count; ++i) bits |= equal_bits(v, signs[i]);
        return has_digits ? bits | digit_bits(v) : bits;
    }
    for (size_t i = 0; i < count; ++i)
        bits |= (uint32_t)(memchr(signs, t[i], sign_count) != NULL || (has_digits && is_digit(t[i]))) << i;
    return bits;
}

size_t pivot_next(const pivot_choice *choice, const byte *text, size_t size, size_t floor, size_t from, size_t end)
{
    byte signs[SIGN_ROWS * SIGNS] = {0};
    unsigned sign_count = signs_of(choice->kinds, signs);
    int has_digits = (choice->kinds & PIVOT_DIGITS) != 0;
    for (size_t offset = from; offset < end; offset += STEP) {
        uint32_t bits = sign_bits(signs, sign_count, has_digits, text + offset, size - offset);
        for (; bits; bits &= bits - 1) {
            size_t at = offset + lowest_bit(bits);
            if (at >= end) return end;
            /* A dot shows the pivot of `www` before it. */
            if ((choice->kinds & PIVOT_WWW) && text[at] == '.' && at >= from + 3 && is_www(text, size, at - 3))
                return at - 3;
            if (pivot_is(choice, text, size, floor, at)) return at;
        }
    }
    return end;
}

/* Where the run of some characters begins that ends at an offset: not before `first`, nor in a character. */
static size_t run_start(const byte *text, size_t size, size_t first, size_t end, int (*is_of_run)(byte))
{
    size_t start = end;
    while (start > first && is_of_run(text[start - 1])) --start;
    while (start < size && is_continuation(text[start])) ++start;
    return start;
}

/* The offset so many bytes before another one, but not before `least`. */
static size_t back(size_t offset, size_t bytes, size_t least) { return offset - least > bytes ? offset - bytes : least; }

static int is_of_address(byte b) { return is_of_local(b) || b == '@'; }

size_t pivot_tail(const pivot_choice *choice, const byte *text, size_t size, size_t least, size_t limit)
{
    size_t start = size;
    if (choice->kinds & PIVOT_AT)
        start = run_start(text, size, back(size, WIDEST * (LOCAL_LIMIT + 1), least), size, is_of_address);
    if (choice->kinds & PIVOT_NAMES) {
        size_t name = run_start(text, size, back(size, NAME_RUN * WIDEST, least), size, is_of_name);
        if (name < start) start = name;
    }
    if (choice->kinds & PIVOT_MARKS) {
        size_t mark = back(size, WIDEST * MARK_LIMIT, least), parted = back(mark, WIDEST * PARTED_LIMIT, least);
        size_t longest = limit > WIDEST * NAME_RUN ? limit : WIDEST * NAME_RUN; /* a scheme, or a name */
        size_t name = run_start(text, size, back(mark, longest, least), mark, is_of_local);
        while (parted < size && is_continuation(text[parted])) ++parted;
        if (parted < name) name = parted;
        if (name < start) start = name;
    }
    return start;
}

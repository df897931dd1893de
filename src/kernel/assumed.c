#include "assumed.h"
#include "bare.h"
#include "canonical.h"

/* The bytes after a name that are looked at for a mark of a defanged one, and those in which a path may begin. */
#define AHEAD 40u
/* The bytes before an address in which the finder looks for a user of SIP: 99 characters. */
#define SIP_WINDOW 396u

static int is_white(byte b) { return b == ' ' || (b >= '\t' && b <= '\r'); }

/* What may be around a local part more often than in it. */
static int is_around(byte b) { return !is_alphanumeric(b) && b != '_'; }

/* Whether a host is a name of at least so many dots whose last label is a word; its own labels are those of the DNS. */
static int is_name(const byte *host, size_t size, unsigned dots)
{
    byte lowered[NAME_LIMIT + 1];
    size_t last = size;
    if (plain_host(lowered, host, size) == 0) return 0;
    for (size_t i = 0; i < size; ++i)
        if (host[i] == '.') {
            last = i + 1;
            dots -= dots > 0;
        }
    return dots == 0 && last < size && is_letter(host[last]);
}

/* Where the last label of a name begins. */
static size_t last_label(const byte *text, size_t end)
{
    while (text[end - 1] != '.') --end;
    return end;
}

/* Whether the label before the last one may be a number of a version, as in `v1.2.co`. */
static int may_be_version(const byte *text, size_t start, size_t end)
{
    size_t stop = last_label(text, end) - 1, at = stop;
    while (at > start && is_digit(text[at - 1])) --at;
    return at < stop && (at == start || text[at - 1] == '.' || (text[at - 1] | 0x20) == 'v');
}

/* Whether a mark of a defanged name may begin at an offset, after a blank or not, or a dot that is spelt. */
static int may_be_mark(const stretch *in, size_t at)
{
    const byte *text = in->text;
    if (at < in->size && text[at] == ' ') {
        ++at;
        if (at < in->size && (text[at] | 0x20) == 'd') return 1;
    }
    if (at >= in->size) return !in->final;
    if (text[at] == '\\' || text[at] == '&') return 1;
    if (!IS_ONE_OF(text[at], "[({")) return 0;
    at += 1 + (at + 1 < in->size && text[at + 1] == ' ');
    return at >= in->size || IS_ONE_OF(text[at], ".@:/dDaA");
}

/* Whether nothing that directly follows a candidate may belong to it. Sets its end and its wrapper. */
static int ends_plainly(const find_choice *choice, const stretch *in, candidate *found, size_t end)
{
    const byte *text = in->text;
    byte opener = found->start ? text[found->start - 1] : 0, next = end < in->size ? text[end] : 0;
    size_t after = end + 1;
    int has_more = after < in->size;
    found->end = end;
    found->opener = found->closer = 0;
    if (end - found->start >= choice->limit) return 0;
    if (end == in->size) return in->final && opener != '<';
    for (unsigned i = 0; i < WRAPPER_COUNT && has(opener, OPENER); ++i)
        if (WRAPPER_PAIRS[i][0] == opener && (next == WRAPPER_PAIRS[i][1] || next == WRAPPER_PAIRS[i][2])) {
            found->opener = opener;
            found->closer = next;
            return 1;
        }
    if (opener == '<') return 0; /* it may go on in the next line */
    if (choice->refangs && may_be_mark(in, end)) return 0;
    if (is_white(next)) return 1;
    if (choice->repairs) return 0;
    if (next == '<') return has_more ? text[after] != '.' : in->final;
    if (next == '>' || next == '"') return 1;
    if (next == ')' || (next == ']' && !choice->refangs)) return 1;
    return IS_ONE_OF(next, ".,;!") && (has_more ? is_white(text[after]) || IS_ONE_OF(text[after], "<>\")'") : in->final);
}

/* Whether marks of a defanged name, or text that is not known, may go on after a run. */
static int may_go_on(const find_choice *choice, const stretch *in, size_t limit)
{
    size_t rest = in->size - limit;
    if (!in->final && rest < AHEAD) return 1;
    return choice->refangs && may_be_mark(in, limit);
}

/* The end of a run of characters of names; 0 if it is not ASCII, or longer than a name. */
static size_t run_end_of_name(const stretch *in, size_t start)
{
    size_t end = start;
    for (; end < in->size && is_of_name(in->text[end]); ++end)
        if (is_wide(in->text[end]) || end - start >= NAME_LIMIT) return 0;
    return end;
}

/* The same without what is trimmed from its end. */
static size_t trimmed_name(const byte *text, size_t start, size_t end)
{
    while (end > start && !is_alphanumeric(text[end - 1])) --end;
    return end;
}

/* Write what was found after its scheme. */
static finding found_as(candidate *found, assumed_text *as, const char *scheme, const stretch *in)
{
    size_t size = strlen(scheme), length = found->end - found->start;
    memcpy(as->text, scheme, size);
    memcpy(as->text + size, in->text + found->start, length);
    as->size = size + length;
    found->scheme = scheme_index(as->text, (size_t)((const byte *)memchr(scheme, ':', size) - (const byte *)scheme));
    found->warnings = FOUND_SCHEME_ASSUMED;
    return FOUND;
}

/* Whether `sip:` or `sips:` is so near before an address that it may be the rest of a password. */
static int may_be_password_of_sip(const byte *text, size_t floor, size_t start)
{
    const byte *near = text + (start - floor > SIP_WINDOW ? start - SIP_WINDOW : floor), *end = text + start, *at = near;
    for (; at < end && (at = memchr(at, ':', (size_t)(end - at))) != NULL; ++at) {
        size_t before = (size_t)(at - near);
        if (before >= 3 && begins(at - 3, 3, "sip")) return 1;
        if (before >= 4 && begins(at - 4, 4, "sips")) return 1;
    }
    return 0;
}

static finding address(const find_choice *choice, const pivot_choice *pivots, const stretch *in, size_t at,
                       candidate *found, assumed_text *as)
{
    const byte *text = in->text;
    size_t least = at - in->floor > LOCAL_LIMIT ? at - LOCAL_LIMIT : in->floor, start = at;
    while (start > least && !is_wide(text[start - 1]) && is_of_local(text[start - 1])) --start;
    if ((start == least && least > in->floor) || may_follow_escape(text, start)) return DOUBTFUL;
    if (start > in->floor && is_wide(text[start - 1])) return DOUBTFUL;
    while (start < at && is_around(text[start])) ++start;
    size_t limit = run_end_of_name(in, at + 1), end = limit ? trimmed_name(text, at + 1, limit) : 0;
    if (limit == 0 || may_go_on(choice, in, limit)) return DOUBTFUL;
    byte before = start > in->floor ? text[start - 1] : 0;
    if (start == at || before == '/' || before == '@') return NOTHING; /* a path, a user of another service */
    if (end == at + 1 || memchr(text + at + 1, '.', end - at - 1) == NULL || is_digit(text[last_label(text, end)]))
        return NOTHING;
    for (size_t i = start; i < at; ++i) /* others have a meaning of their own */
        if (!is_alphanumeric(text[i]) && (!IS_ONE_OF(text[i], "._+-!~*$") || (text[i] == '.' && text[i + 1] == '.')))
            return DOUBTFUL;
    if (may_be_password_of_sip(text, in->floor, start)) return DOUBTFUL;
    if (before == ':' || before == '!' || !is_name(text + at + 1, end - at - 1, 1)) return DOUBTFUL;
    size_t label = last_label(text, end);
    if (pivot_has_label(pivots->endings, text + label, end - label) || may_be_version(text, at + 1, end)) return DOUBTFUL;
    found->start = start;
    return ends_plainly(choice, in, found, end) ? found_as(found, as, "mailto:", in) : DOUBTFUL;
}

/* Whether a name needs a slash after it: its own label is a character or a short number. */
static int is_short(const byte *text, size_t start, size_t label)
{
    size_t size = label - 1 - start;
    return size < 4 && memchr(text + start, '.', size) == NULL && (size == 1 || is_digit(text[label - 2]));
}

static finding name(const find_choice *choice, const pivot_choice *pivots, const memo *levels, const stretch *in,
                    size_t dot, candidate *found, assumed_text *as)
{
    const byte *text = in->text;
    int is_sure;
    size_t start = name_before(text, in->floor, dot, &is_sure);
    if (!is_sure || start == dot || memchr(text + start, '.', dot - start) != NULL) return DOUBTFUL;
    size_t limit = run_end_of_name(in, start), end = limit ? trimmed_name(text, start, limit) : 0;
    if (limit == 0 || end <= dot || may_go_on(choice, in, limit) || !is_name(text + start, end - start, 1))
        return DOUBTFUL;
    size_t label = last_label(text, end);
    for (size_t i = label; i < end; ++i)
        if (is_upper(text[i])) return DOUBTFUL;
    if (memo_find(levels, text + label, end - label) == NULL || pivot_has_label(pivots->doubtful, text + label, end - label))
        return DOUBTFUL;
    if (may_be_version(text, start, end) || is_short(text, start, label)) return DOUBTFUL;
    found->start = start;
    return ends_plainly(choice, in, found, end) ? found_as(found, as, "http://", in) : DOUBTFUL;
}

static finding www(const find_choice *choice, const stretch *in, size_t start, candidate *found, assumed_text *as)
{
    const byte *text = in->text;
    if (start > 0 && (text[start - 1] == 'm' || is_wide(text[start - 1]))) return DOUBTFUL;
    size_t limit = run_end_of_name(in, start), end = limit ? trimmed_name(text, start, limit) : 0;
    if (limit == 0 || may_go_on(choice, in, limit) || !is_name(text + start, end - start, 2)) return DOUBTFUL;
    found->start = start;
    return ends_plainly(choice, in, found, end) ? found_as(found, as, "http://", in) : DOUBTFUL;
}

finding find_assumed(const find_choice *choice, const pivot_choice *pivots, const memo *levels, const stretch *in,
                     size_t pivot, candidate *found, assumed_text *as)
{
    finding looked;
    switch (in->text[pivot]) {
    case '@': looked = address(choice, pivots, in, pivot, found, as); break;
    case '.': looked = name(choice, pivots, levels, in, pivot, found, as); break;
    case 'w':
    case 'W': looked = www(choice, in, pivot, found, as); break;
    default: return DOUBTFUL;
    }
    return looked == NOTHING && choice->repairs && escape_follows(in, pivot) ? DOUBTFUL : looked;
}

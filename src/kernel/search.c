#include "search.h"
#include "buffer.h"
#include "canonical.h"
#include "utf8.h"
#include "vector.h"

/* The longest colon with slashes that is defanged. */
#define COLON_LIMIT 8u
/* What only a candidate that is repaired may contain. */
#define REPAIRED "\\^`{|}"

void search_prepare(search *in)
{
    const scheme_choice *schemes = &in->choice.schemes;
    memset(in->endings, 0, sizeof in->endings);
    in->filters = !in->choice.ignores_shapes && !schemes->takes_any_shape && schemes->others.count == 0;
    for (unsigned i = 0; i < SCHEME_COUNT; ++i) {
        size_t size = strlen(SCHEMES[i].name);
        if (schemes->flags[i] & S_RULED) in->filters = 0; /* its own row may have a shape */
        if (SCHEMES[i].shape == NO_SHAPE || (schemes->flags[i] & S_UNWANTED)) continue;
        if (size < 2 || !is_letter((byte)SCHEMES[i].name[size - 1]) || !is_letter((byte)SCHEMES[i].name[size - 2]))
            in->filters = 0;
        else
            in->endings[SCHEMES[i].name[size - 2] & 31] |= 1u << (SCHEMES[i].name[size - 1] & 31);
    }
    in->origin = (position){.line = 1, .newline = -1};
    in->is_ascii = 1;
}

int search_add_top_level(search *in, const byte *label, size_t size)
{
    pivot_add_label(in->others.top_levels, label, size);
    return memo_index(&in->levels, label, size) >= 0;
}

int search_append(search *in, const byte *text, size_t size)
{
    in->colon = 0;
    if (size == 0) return 1;
    if (!GROW(in->text, in->room, in->size + size)) return 0;
    size_t ascii = copied_ascii(in->text + in->size, text, size);
    if (ascii < size) {
        memcpy(in->text + in->size + ascii, text + ascii, size - ascii);
        in->is_ascii = 0;
    }
    in->size += size;
    return 1;
}

int search_append_bytes(search *in, const byte *data, size_t size, int final)
{
    byte joined[8];
    in->colon = 0;
    while (in->cut_size && (size || final)) { /* complete the character that the last block has cut */
        size_t more = size > 0;
        memcpy(joined, in->cut, in->cut_size);
        if (more) joined[in->cut_size] = data[0];
        size_t held = in->cut_size + more;
        data += more;
        size -= more;
        if (more && cut_character(joined, held) == held) { /* still cut */
            memcpy(in->cut, joined, held);
            in->cut_size = held;
            continue;
        }
        in->cut_size = 0;
        size_t usable = held;
        if (more && valid_utf8(joined, held) < held) { /* the new byte may begin another character */
            usable = held - 1;
            --data;
            ++size;
        }
        if (usable && !search_append_bytes(in, joined, usable, 1)) return 0;
    }
    if (size == 0) return 1;
    size_t cut = final ? 0 : cut_character(data, size);
    if (cut) {
        memcpy(in->cut, data + size - cut, cut);
        in->cut_size = cut;
        size -= cut;
    }
    if (size == 0) return 1;
    if (!GROW(in->text, in->room, in->size + size)) return 0;
    size_t ascii = copied_ascii(in->text + in->size, data, size);
    in->size += ascii;
    if (ascii == size) return 1;
    in->is_ascii = 0;
    data += ascii;
    size -= ascii;
    size_t valid = valid_utf8(data, size);
    if (valid < size && !GROW(in->text, in->room, in->size + valid + 3 * (size - valid))) return 0;
    memcpy(in->text + in->size, data, valid);
    in->size += valid;
    if (valid < size) {
        in->size += escaped_utf8(in->text + in->size, data + valid, size - valid, &in->stray);
        in->has_escapes = 1;
    }
    return 1;
}

/* Whether a character may begin an escape sequence of a terminal: ESC, or CSI, which is U+009B. */
static int begins_escape(const byte *t) { return t[0] == 0x1B || (t[0] == 0xC2 && t[1] == 0x9B); }

static int decides(const search *in, const byte *t)
{
    switch (in->awaits) {
    case AWAITS_BEYOND: return may_decide(t);
    case AWAITS_BEYOND_URN: return !has(t[0], HELD_BY_URN);
    case AWAITS_BEYOND_SPACED: return may_decide(t) && !is_space_at(t);
    case AWAITS_CLOSER: return t[0] == '<' || t[0] == '>' || is_space_at(t) || begins_escape(t);
    case AWAITS_QUOTE: return t[0] == '"' || is_space_at(t) || begins_escape(t);
    case AWAITS_NOT_SCHEME: return !has(t[0], SCHEME_CHARACTER);
    case AWAITS_MORE: return t[0] == '\n';
    default: return 1;
    }
}

int search_is_due(search *in)
{
    if (in->awaits == AWAITS_ANY) return 1;
    if (in->awaits == AWAITS_MORE && in->size - in->keep >= in->held + in->held / 8) {
        in->awaits = AWAITS_ANY;
        return 1;
    }
    for (; in->looked < in->size; in->looked += width(in->text[in->looked]))
        if (decides(in, in->text + in->looked)) {
            in->awaits = AWAITS_ANY;
            return 1;
        }
    /* What the finder awaits may have more bytes than the limit, which counts characters: it grows by an eighth. */
    if (in->awaits == AWAITS_MORE) return 0;
    size_t quarter = in->choice.limit / 4;
    if (in->size - in->keep > in->choice.limit + (quarter > CONTEXT ? quarter : CONTEXT)) {
        in->awaits = AWAITS_ANY;
        return 1;
    }
    return 0;
}

static int add_row(search *in, size_t start, size_t end, row_kind kind, size_t form, uint32_t form_size,
                   const candidate *found, unsigned warnings)
{
    if (!GROW(in->rows, in->row_room, in->row_count + 1)) return 0;
    in->rows[in->row_count++] = (row){start, end, form, form_size, found->opener, found->closer, (uint8_t)kind,
                                      (uint16_t)warnings};
    if (end > in->floor) in->floor = in->position = end; /* else it is in another one */
    return 1;
}

typedef enum { NOT_MADE, MADE, NO_ROOM } form_result;

/* Take a candidate by the canonical form of its text, if that can be made here. */
static form_result make_form(search *in, const candidate *found, const byte *raw, size_t size)
{
    unsigned warnings = found->warnings;
    if (found->scheme == NO_SCHEME && in->merge != NULL) return NOT_MADE;
    if (in->proves != SCHEME_FORMS && (found->scheme == NO_SCHEME || in->merge != NULL)) return NOT_MADE;
    if (found->scheme != NO_SCHEME && in->choice.leaves_urns && (in->choice.schemes.flags[found->scheme] & S_URN)) return NOT_MADE;
    if (!in->maps_wide && !in->is_ascii && ascii_run(raw, size) < size) return NOT_MADE;
    int has_key = in->merge != NULL && (in->merge->steps & MERGE_ARCHIVE_KEY);
    size_t room = CANONICAL_ROOM(size);
    if (!GROW(in->forms, in->forms_room, in->forms_size + (has_key ? room + ARCHIVE_ROOM(room) : room))) return NO_ROOM;
    byte *form = in->forms + in->forms_size;
    int merges = in->merge != NULL && (in->merge->steps & ~MERGE_ARCHIVE_KEY);
    if (in->merge != NULL && !GROW(in->plain, in->plain_room, room)) return NO_ROOM;
    byte *plain = merges ? in->plain : form;
    unsigned flags = found->scheme == NO_SCHEME ? 0 : in->choice.schemes.flags[found->scheme];
    if (in->proves != SCHEME_FORMS) flags |= AT_SYNTAX;
    size_t length = found->scheme == NO_SCHEME ? unknown_form(plain, raw, size, &warnings)
                                               : canonical_form(plain, raw, size, found->scheme, flags, &warnings);
    if (in->proves == WRITTEN_FORMS && (length != size || memcmp(form, raw, size) != 0)) return NOT_MADE;
    if (length && merges) length = merged_form(form, plain, length, in->merge, found->scheme, flags);
    if (length == 0 || (in->spoofing.checks && !is_unsuspicious(&in->spoofing, form, length, raw, size)))
        return NOT_MADE;
    form[length] = '\n';
    size_t offset = in->forms_size, key = 0;
    if (has_key) {
        key = archive_key(form + length + 1, in->plain, form, length, flags);
        if (key == 0) return NOT_MADE;
        form[length + 1 + key++] = '\n';
    }
    in->forms_size += length + 1 + key;
    row_kind kind = has_key ? KEYED : PROVED;
    return add_row(in, found->start, found->end, kind, offset, (uint32_t)length, found, warnings) ? MADE : NO_ROOM;
}

int search_take(search *in, const candidate *found)
{
    const byte *raw = in->text + found->start;
    size_t size = found->end - found->start;
    form_result made = make_form(in, found, raw, size);
    if (made != NOT_MADE) return made == MADE;
    ptrdiff_t index = memo_index(&in->judgements, raw, size);
    if (index < 0) return 0;
    return add_row(in, found->start, found->end, REMEMBERED, (size_t)index, 0, found, found->warnings);
}

/* The next colon from an offset on that may belong to a scheme; `size` if there is none. */
static size_t next_colon(const search *in, size_t offset)
{
    const byte *text = in->text;
    size_t size = in->size;
    for (; offset < size; offset += STEP) {
        /* A colon before white space or a control character belongs to no scheme, unless the text ends there. */
        while (size - offset >= 4 * STEP + 2 && !any_joined_of_four(text + offset, ':')) offset += 4 * STEP;
        uint32_t bits = 0;
        if (size - offset >= STEP + 2) {
            bits = bits_of(joined_bytes(text + offset, ':'));
        } else {
            size_t end = size - offset < STEP ? size : offset + STEP;
            for (size_t i = offset; i < end; ++i) bits |= (uint32_t)(text[i] == ':') << (i - offset);
        }
        for (; bits; bits &= bits - 1) {
            size_t colon = offset + lowest_bit(bits);
            if (size - colon < 3) return colon;
            byte next = text[colon + 1];
            if (next <= ' ' || next == 0x7F || (next == ':' && !in->choice.ignores_shapes)) continue;
            if (next == '/' && text[colon + 2] == '/') return colon;
            if (next == '\\' && text[colon + 2] && strchr("/\\ux", text[colon + 2])) return colon;
            if (!in->filters || (next == '[' && in->choice.refangs)) return colon;
            if (colon < 2) continue;
            byte second = text[colon - 2], last = text[colon - 1];
            if (is_letter(last) && is_letter(second) && (in->endings[second & 31] >> (last & 31) & 1)) return colon;
        }
    }
    return size;
}

int search_may_nest(const search *in, size_t from, size_t end)
{
    if (memchr(in->text + from, ':', end - from) == NULL) return 0;
    return (in->others.kinds & ~(unsigned)PIVOT_DIGITS) != 0 || next_colon(in, from) < end;
}

/* The next pivot from an offset on; `size` if there is none. */
static size_t next_pivot(search *in, size_t offset)
{
    if (!in->others.kinds) return next_colon(in, offset);
    if (in->colon <= offset) in->colon = next_colon(in, offset);
    return pivot_next(&in->others, in->text, in->size, in->floor, offset, in->colon);
}

/* Where a candidate begins whose colon the end of the text may cut, as in `htt`, `http:` or `http:/`. */
static size_t tail(const search *in)
{
    const byte *text = in->text;
    size_t least = in->position > in->floor ? in->position : in->floor;
    size_t colon = cut_slashes(text, least, in->size);
    if (colon - least > in->choice.limit) least = colon - in->choice.limit;
    size_t start = colon;
    while (start > least && has(text[start - 1], SCHEME_CHARACTER)) --start;
    if (in->others.kinds) {
        least = in->position > in->floor ? in->position : in->floor;
        size_t other = pivot_tail(&in->others, text, in->size, least, in->choice.limit);
        if (other < start) start = other;
    }
    return start;
}

/* Look at a colon after which slashes come with so many backslashes: what is taken here has its canonical form. */
static finding look_escaped(search *in, const stretch *now, size_t colon, size_t backslashes)
{
    candidate found;
    plain_text plain;
    if (in->choice.nests || in->choice.repairs || in->choice.refangs) return DOUBTFUL;
    finding looked = find_escaped(&in->choice, now, colon, backslashes, &found, &plain);
    if (looked != FOUND) return looked;
    const byte *text = plain.text + plain.start;
    size_t size = plain.end - plain.start;
    if (!in->maps_wide && ascii_run(text, size) < size) return DOUBTFUL;
    form_result made = make_form(in, &found, text, size);
    return made == MADE ? FOUND : made == NOT_MADE ? DOUBTFUL : UNDECIDED;
}

/* Look at another pivot: what is taken here has its canonical form. */
static finding look_assumed(search *in, const stretch *now, size_t pivot)
{
    candidate found;
    assumed_text as;
    if (in->proves == WRITTEN_FORMS) return DOUBTFUL;
    finding looked = find_assumed(&in->choice, &in->others, &in->levels, now, pivot, &found, &as);
    if (looked != FOUND) return looked;
    form_result made = make_form(in, &found, as.text, as.size);
    return made == MADE ? FOUND : made == NOT_MADE ? DOUBTFUL : UNDECIDED;
}

/* Whether the character after a candidate ends any, whatever is repaired. */
static int ends_any(const search *in, size_t end, int final)
{
    while (end < in->size && !may_decide(in->text + end)) end += width(in->text[end]);
    return end == in->size ? final : in->text[end] == 0 || strchr(REPAIRED, in->text[end]) == NULL;
}

/* Whether the colon and the slashes of a defanged scheme may appear here, and whether the end of the text cuts them. */
static int is_colon_defanged(const byte *text, size_t size, size_t colon)
{
    size_t at = colon + 1;
    return at < size && (text[at] == '[' || (text[at] == '/' && at + 1 < size && text[at + 1] == '['));
}

static int is_colon_cut(const byte *text, size_t size, size_t colon)
{
    size_t at = colon + 1;
    while (at < size && (text[at] == '/' || text[at] == '[' || text[at] == ']')) ++at;
    return at == size;
}

/* What the kernel decides about a colon, left to the finder where the options let that see something else. */
static finding look(search *in, const stretch *now, size_t colon, candidate *found)
{
    const find_choice *choice = &in->choice;
    const byte *text = in->text;
    if (choice->refangs && is_colon_defanged(text, in->size, colon)) return DOUBTFUL;
    finding looked = find_candidate(choice, now, colon, found);
    int has_slashes = in->size - colon > 2 && text[colon + 1] == '/' && text[colon + 2] == '/';
    if (looked == NOTHING) return (choice->refangs && has_slashes) || choice->repairs ? DOUBTFUL : NOTHING;
    if (looked != FOUND) return looked;
    if (choice->nests && search_may_nest(in, colon + 1, found->end)) return DOUBTFUL;
    /* Repair takes more into a candidate, and blanks into a wrapper that has no other end. */
    if (choice->repairs && found->opener != '<' && found->opener != '"' &&
        (found->before == '<' || found->before == '"' || !ends_any(in, found->end, now->final)))
        return DOUBTFUL;
    if (!choice->refangs || !has_slashes) return FOUND;
    /* `hxxp` is registered, too: each defanged scheme that is registered contains an x. */
    if (found->scheme == NO_SCHEME || !(choice->schemes.flags[found->scheme] & S_REGISTERED) ||
        strchr(SCHEMES[found->scheme].name, 'x') != NULL)
        return DOUBTFUL;
    return pivot_may_be_defanged(text, in->size, found->start, colon, choice->limit, now->final) ? DOUBTFUL : FOUND;
}

/* Where the rest of a candidate that was too long ends, by what the options let it hold. */
static size_t beyond_passed(const search *in)
{
    int is_urn = in->passing == 2;
    const char *more = is_urn ? (in->choice.leaves_urns ? "&~" : "") : in->choice.repairs ? REPAIRED : "";
    size_t end = in->position;
    for (;; ++end) {
        end = beyond(in->text, end, in->size, is_urn);
        if (end == in->size || in->text[end] == 0 || strchr(more, in->text[end]) == NULL) return end;
    }
}

progress search_run(search *in, int final)
{
    if (in->passing) {
        size_t end = beyond_passed(in);
        in->floor = in->position = end;
        if (end == in->size) {
            in->keep = in->looked = end;
            in->awaits = AWAITS_ANY;
            return SEARCHED;
        }
        in->passing = 0;
    }
    stretch now = {in->text, in->size, 0, final};
    for (;;) {
        size_t colon = next_pivot(in, in->position);
        if (colon == in->size) break;
        now.floor = in->floor;
        if (in->text[colon] != ':') {
            switch (look_assumed(in, &now, colon)) {
            case NOTHING: in->position = colon + 1; break;
            case FOUND: break;
            case UNDECIDED: return NO_MEMORY;
            case DOUBTFUL: in->place = colon; return AT_PLACE;
            }
            continue;
        }
        /* The text may be cut after the colon, or between two slashes. */
        if (!final && in->size - colon <= CUT_SLASHES && cut_slashes(in->text, colon, in->size) == colon) break;
        if (!final && in->choice.refangs && in->size - colon <= COLON_LIMIT && is_colon_cut(in->text, in->size, colon)) break;
        int is_cut, follows = in->size - colon > 2 && in->text[colon + 1] == '\\';
        size_t backslashes = follows ? escaped_slashes(in->text, in->size, colon, &is_cut) : 0;
        if (follows && !backslashes && has_numbered_slash(in->text, in->size, colon)) {
            in->place = colon;
            return AT_PLACE;
        }
        if (backslashes) {
            switch (look_escaped(in, &now, colon, backslashes)) {
            case NOTHING: in->position = colon + 1; break;
            case FOUND: break;
            case UNDECIDED: return NO_MEMORY;
            case DOUBTFUL: in->place = colon; return AT_PLACE;
            }
            continue;
        }
        candidate found;
        switch (look(in, &now, colon, &found)) {
        case NOTHING: in->position = colon + 1; break;
        case FOUND:
            if (!search_take(in, &found)) return NO_MEMORY;
            break;
        case UNDECIDED:
            in->position = colon;
            in->keep = found.keep;
            in->awaits = in->size - found.keep > LONG_RUN ? found.awaits : AWAITS_ANY;
            in->looked = in->size;
            return SEARCHED;
        case DOUBTFUL: in->place = colon; return AT_PLACE;
        }
    }
    if (final) {
        in->keep = in->position = in->size;
    } else {
        in->keep = tail(in);
        /* The position stays after the last colon that was examined. */
        if (in->position < in->keep) in->position = in->keep;
        in->awaits = in->size - in->keep > LONG_RUN ? AWAITS_NOT_SCHEME : AWAITS_ANY;
        in->looked = in->size;
    }
    return SEARCHED;
}

void search_dismiss(search *in) { in->position = in->place + 1; }

int search_settle(search *in, size_t start, size_t end, const statement *what)
{
    candidate found = {0};
    if (!memo_add(&in->given, what) || !add_row(in, start, end, GIVEN, in->given.count - 1, 0, &found, 0)) return 0;
    if (in->position <= in->place) in->position = in->place + 1; /* a mark may appear after the end */
    return 1;
}

void search_hold(search *in, size_t keep)
{
    in->position = in->place;
    in->keep = keep;
    in->held = in->size - keep;
    in->awaits = in->held > LONG_RUN ? AWAITS_MORE : AWAITS_ANY;
    in->looked = in->size;
}

void search_count(const search *in, position *at, size_t offset, size_t to, unsigned wanted)
{
    if (to == offset) return; /* there may be no text */
    const byte *text = in->text + offset;
    size_t size = to - offset;
    if (wanted & WANT_LINES) {
        size_t feeds = line_feeds(text, size);
        if (feeds) {
            size_t last = size;
            while (text[last - 1] != '\n') --last;
            at->line += feeds;
            at->newline = (int64_t)(at->characters + (in->is_ascii ? last - 1 : characters(text, last - 1)));
        }
    }
    if (wanted & (WANT_OFFSETS | WANT_LINES)) at->characters += in->is_ascii ? size : characters(text, size);
    if (wanted & WANT_BYTES) at->bytes += in->has_escapes ? size - 2 * escapes(text, size) : size;
}

void search_advance(search *in, int counts_lines)
{
    size_t context = in->others.kinds & PIVOT_DIGITS ? BARE_CONTEXT : CONTEXT;
    size_t drop = in->keep > context ? in->keep - context : 0;
    while (drop > 0 && is_continuation(in->text[drop])) --drop;
    search_count(in, &in->origin, 0, drop, WANT_OFFSETS | WANT_BYTES | (counts_lines ? WANT_LINES : 0));
    if (drop) memmove(in->text, in->text + drop, in->size - drop);
    in->size -= drop;
    in->colon = 0;
    in->position -= drop;
    in->keep -= drop;
    in->looked -= drop;
    in->floor = in->floor > drop ? in->floor - drop : 0;
    if (!in->is_ascii) in->is_ascii = ascii_run(in->text, in->size) == in->size;
    if (in->is_ascii) in->has_escapes = 0;
    in->row_count = in->forms_size = 0;
    memo_clear(&in->given);
}

void search_restart(search *in)
{
    memo_clear(&in->given);
    in->size = in->position = in->floor = in->keep = in->looked = in->colon = in->cut_size = 0;
    in->row_count = in->forms_size = 0;
    in->stray = 0;
    in->awaits = AWAITS_ANY;
    in->passing = in->has_escapes = 0;
    in->is_ascii = 1;
    in->origin = (position){.line = 1, .newline = -1};
}

void search_release(search *in)
{
    words_free(&in->choice.schemes.others);
    free(in->text);
    free(in->rows);
    free(in->forms);
    free(in->plain);
    memo_free(&in->judgements);
    memo_free(&in->given);
    memo_free(&in->spoofing.trusted);
    memo_free(&in->spoofing.labels);
    memo_free(&in->levels);
    memset(in, 0, sizeof *in);
}

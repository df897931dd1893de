/* The search: whatever the pieces, it finds the same, at the places where a naive count finds it. */
#include "fuzzing.h"
#include "canonical.h"
#include <sanitizer/asan_interface.h>

#define ALL_WANTED (WANT_RAW | WANT_OFFSETS | WANT_LINES | WANT_BYTES)

/* A search of the whole text or of its pieces, and what it has found. */
typedef struct {
    search in;
    const decoded_text *whole;
    unsigned wanted;
    size_t dropped; /* the size of the text that the search has forgotten */
    size_t judged;
    bytes_kept rows;   /* the findings, in order */
    bytes_kept places; /* where the finder was asked, and what it said */
} run;

/* What stands here for the finder: it decides by the offset of a place alone, once it sees enough text. */
static int decide(run *at, int final)
{
    search *in = &at->in;
    const byte *text = at->whole->text;
    size_t place = at->dropped + in->place, known = at->dropped + in->size;
    uint64_t offset = place;
    uint32_t said = mixed((const byte *)&offset, sizeof offset, 5);
    REQUIRE(in->place < in->size && in->text[in->place] == text[place]);
    REQUIRE(text[place] == ':' || pivot_is(&in->others, in->text, in->size, in->floor, in->place));
    size_t end = place + 1, start = in->place;
    if (said & 1)
        while (end < at->whole->size && end < place + 40 && text[end] > ' ') ++end;
    while (end < at->whole->size && is_continuation(text[end])) ++end;
    size_t least = in->place > in->choice.limit ? in->place - in->choice.limit : 0;
    if (least < in->floor) least = in->floor;
    while (start > least && has(in->text[start - 1], SCHEME_CHARACTER)) --start;
    if (!final && end >= known) {
        search_hold(in, start);
        return 0;
    }
    if (start + 8 < in->place) start = in->place - 8;
    keep_number(&at->places, place);
    if ((said & 3) == 2 || start == in->place) {
        search_dismiss(in);
        return 1;
    }
    const statement found = {(const byte *)"~:given", (const byte *)"~:key", 7, 5, said & 8 ? INVALID : VALID,
                             (said & 16) != 0, (said & 32) != 0};
    REQUIRE(search_settle(in, start, end - at->dropped, &found));
    if ((said & 0xC0) == 0xC0) /* it was too long: the rest of it is passed over */
        in->passing = said & 0x100 ? 2 : 1;
    return 1;
}

/* A canonical form that the kernel has made holds what a URI may hold, and is its own form. */
static void check_form(const search *in, const byte *form, size_t size)
{
    REQUIRE(has_uri_characters(form, size));
    const byte *colon = memchr(form, ':', size);
    REQUIRE(colon != NULL);
    int scheme = scheme_index(form, (size_t)(colon - form));
    byte *again = malloc(CANONICAL_ROOM(size)), *exact = exact_copy(form, size);
    unsigned warnings = 0, flags = scheme == NO_SCHEME ? 0 : in->choice.schemes.flags[scheme];
    if (in->proves != SCHEME_FORMS) flags |= AT_SYNTAX;
    size_t length = scheme == NO_SCHEME
                        ? unknown_form(again, exact, size, &warnings)
                        : canonical_form(again, exact, size, scheme, flags, &warnings);
    /* A triplet behind a slash of `file:` may be a dot: it is left to the judge. */
    REQUIRE(length == 0 ? form[0] == 'f' : length == size && memcmp(again, form, size) == 0);
    free(again);
    free(exact);
}

/* Where the rows of the search must be, by the count of characters. */
static void check_place(const run *at, const harvest *rows, const found_row *one)
{
    const decoded_text *whole = at->whole;
    REQUIRE(one->start <= one->end && one->end <= whole->characters);
    size_t start = whole->start[one->start], end = whole->start[one->end];
    REQUIRE(one->raw_size == end - start && memcmp(rows->raws.at + one->raw, whole->text + start, end - start) == 0);
    REQUIRE(one->byte_start == whole->source[one->start] && one->byte_end == whole->source[one->end]);
    uint64_t line = 1, column = 1;
    for (size_t i = 0; i < one->start; ++i, ++column)
        if (whole->text[whole->start[i]] == '\n') {
            ++line;
            column = 0;
        }
    REQUIRE(one->line == line && one->column == column);
}

static void keep_row(run *at, const harvest *rows, const found_row *one, int is_rejected)
{
    bytes_kept *to = &at->rows;
    keep_number(to, one->start);
    keep_number(to, one->end);
    keep_number(to, one->opener | (uint64_t)one->closer << 32);
    keep_number(to, one->warnings | one->has_password << 16 | is_rejected << 17 | (one->special != NO_SPECIAL) << 18);
    if (!is_rejected) {
        REQUIRE(one->uri + one->uri_size < rows->forms.size && rows->forms.at[one->uri + one->uri_size] == '\n');
        REQUIRE(one->key + one->key_size < rows->forms.size);
        keep_bytes(to, rows->forms.at + one->uri, one->uri_size);
        keep_bytes(to, rows->forms.at + one->key, one->key_size);
        if (one->uri_size && rows->forms.at[one->uri] != '~') check_form(&at->in, rows->forms.at + one->uri, one->uri_size);
    }
    if (is_rejected || (at->wanted & WANT_RAW)) {
        REQUIRE(one->raw + one->raw_size <= rows->raws.size);
        keep_bytes(to, rows->raws.at + one->raw, one->raw_size);
    }
}

static void take(run *at)
{
    search *in = &at->in;
    judge_awaited(in, &at->judged);
    if (in->row_count) {
        harvest rows;
        size_t count = in->row_count;
        REQUIRE(harvest_take(&rows, in, at->wanted | WANT_OFFSETS));
        REQUIRE(rows.count + rows.rejected_count == count);
        size_t rejected = 0;
        for (size_t i = 0; i <= rows.count; ++i) {
            for (; rejected < rows.rejected_count && rows.rejected[rejected].row == i; ++rejected) {
                keep_row(at, &rows, &rows.rejected[rejected].at, 1);
                if (at->wanted == ALL_WANTED) check_place(at, &rows, &rows.rejected[rejected].at);
            }
            if (i == rows.count) break;
            keep_row(at, &rows, &rows.rows[i], 0);
            if (at->wanted == ALL_WANTED) check_place(at, &rows, &rows.rows[i]);
        }
        REQUIRE(rejected == rows.rejected_count);
        if (at->wanted & WANT_RAW) check_lines(&rows);
        harvest_free(&rows);
    }
    size_t before = in->size;
    search_advance(in, (at->wanted & WANT_LINES) != 0);
    at->dropped += before - in->size;
    REQUIRE(in->keep <= in->size && in->position <= in->size && in->looked <= in->size);
}

static void search_on(run *at, int final)
{
    search *in = &at->in;
    if (in->text != NULL) ASAN_POISON_MEMORY_REGION(in->text + in->size, in->room - in->size);
    for (;;) {
        progress reached = search_run(in, final);
        REQUIRE(reached != NO_MEMORY);
        if (reached == SEARCHED || !decide(at, final)) break;
    }
    take(at);
    if (in->text != NULL) ASAN_UNPOISON_MEMORY_REGION(in->text, in->room);
}

/* Feed the data in pieces: characters if it is text, else bytes. */
static void feed(run *at, const byte *data, size_t size, size_t step, int is_bytes)
{
    for (size_t i = 0; i < size;) {
        size_t length = size - i < step ? size - i : step;
        if (!is_bytes)
            while (i + length < size && is_continuation(data[i + length])) ++length;
        byte *piece = exact_copy(data + i, length);
        REQUIRE(is_bytes ? search_append_bytes(&at->in, piece, length, 0) : search_append(&at->in, piece, length));
        free(piece);
        i += length;
        if (search_is_due(&at->in)) search_on(at, 0);
    }
    REQUIRE(search_append_bytes(&at->in, (const byte *)"", 0, 1));
    search_on(at, 1);
}

static void release(run *at)
{
    search_release(&at->in);
    forget_bytes(&at->rows);
    forget_bytes(&at->places);
}

void fuzz_search(const byte *data, size_t size)
{
    byte options[4] = {0};
    for (size_t i = 0; i < 4 && size; ++i, ++data, --size) options[i] = *data;
    int is_bytes = options[0] >> 5 & 1;
    decoded_text whole;
    decode(&whole, data, size, 0);
    const byte *given = is_bytes ? data : whole.text;
    size_t given_size = is_bytes ? size : whole.size;
    if (!is_bytes) /* its bytes are those of the text */
        for (size_t i = 0; i <= whole.characters; ++i) whole.source[i] = whole.start[i];
    run at_once = {.whole = &whole, .wanted = ALL_WANTED}, in_pieces = {.whole = &whole};
    choose_search(&at_once.in, options);
    choose_search(&in_pieces.in, options);
    feed(&at_once, given, given_size, given_size, is_bytes);
    REQUIRE(at_once.in.stray == (is_bytes ? whole.stray : 0));
    in_pieces.wanted = ALL_WANTED;
    feed(&in_pieces, given, given_size, options[3] % 61 + 1u, is_bytes);
    REQUIRE(in_pieces.in.stray == at_once.in.stray);
    /* Where the end of a piece lets the kernel ask at other places, the finder that stands here may say another thing. */
    if (at_once.places.size == in_pieces.places.size &&
        (!at_once.places.size || memcmp(at_once.places.at, in_pieces.places.at, at_once.places.size) == 0)) {
        REQUIRE(at_once.rows.size == in_pieces.rows.size);
        REQUIRE(!at_once.rows.size || memcmp(at_once.rows.at, in_pieces.rows.at, at_once.rows.size) == 0);
    }
    release(&in_pieces);
    release(&at_once);
    /* Fewer columns take other ways through the counts. */
    run narrow = {.whole = &whole, .wanted = options[3] >> 4};
    choose_search(&narrow.in, options);
    feed(&narrow, given, given_size, options[3] + 1u, is_bytes);
    release(&narrow);
    forget_decoded(&whole);
}

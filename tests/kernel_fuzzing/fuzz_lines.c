/* The lines of records: no longer than was reserved, and each value the one that the harvest holds. */
#include "fuzzing.h"
#include "canonical.h"
#include "cells.h"

#define SEPARATOR 0x1F
#define ABSENT "\x1E"

/* The value of a field of a line; the separator stands before each. */
static piece value_of(const byte *line, size_t size, int field)
{
    const byte *end = line + size, *at = line;
    for (; field >= 0; --field) {
        at = memchr(at, SEPARATOR, (size_t)(end - at));
        REQUIRE(at != NULL);
        ++at;
    }
    const byte *next = memchr(at, SEPARATOR, (size_t)(end - at));
    return (piece){at, (size_t)((next == NULL ? end : next) - at)};
}

/* Require that a value stands in a line, between its quotes; `text` is NULL if it must be absent. */
static void require_value(const byte *line, size_t size, int field, const piece *quote, const byte *text, size_t length)
{
    piece value = value_of(line, size, field);
    if (text == NULL) {
        REQUIRE(value.size == 1 && *value.text == (byte)*ABSENT);
        return;
    }
    REQUIRE(value.size == length + 2 * quote->size);
    REQUIRE(length == 0 || memcmp(value.text + quote->size, text, length) == 0);
}

static void check_line(const cell_writing *work, const found_row *row)
{
    const harvest *rows = work->from;
    size_t most = cells_most(work, row);
    byte *line = malloc(most), *uri = exact_copy(rows->forms + row->uri, row->uri_size);
    REQUIRE(line != NULL);
    const byte *end = cells_write(line, work, row, 0);
    if (end != NULL) {
        size_t size = (size_t)(end - line);
        REQUIRE(size && size <= most && line[size - 1] == '\n' && memchr(line, '\n', size) == end - 1);
        const piece *quote = &work->quote;
        require_value(line, size, F_RAW, quote, rows->raws + row->raw, row->raw_size);
        require_value(line, size, F_URI, quote, uri, row->uri_size);
        require_value(line, size, F_KEY, quote, rows->forms + row->key, row->key_size);
        component parts[COMPONENT_COUNT];
        split_components(parts, uri, row->uri_size);
        for (int i = 0; i < COMPONENT_COUNT; ++i)
            require_value(line, size, F_SCHEME + i, quote, parts[i].text, parts[i].size);
        piece iri = value_of(line, size, F_IRI);
        REQUIRE(is_text(iri.text, iri.size) && iri.size <= row->uri_size + 2 * quote->size);
        REQUIRE((memchr(uri, '%', row->uri_size) != NULL) || iri.size == row->uri_size + 2 * quote->size);
        piece nid = value_of(line, size, F_NID), nss = value_of(line, size, F_NSS);
        REQUIRE((*nid.text == (byte)*ABSENT) == (*nss.text == (byte)*ABSENT));
        char number[MOST_WRAPPERS];
        int digits = snprintf(number, sizeof number, "%llu", (unsigned long long)row->start);
        piece start = value_of(line, size, F_START);
        REQUIRE(start.size == (size_t)digits && memcmp(start.text, number, start.size) == 0);
    }
    free(line);
    free(uri);
}

static piece piece_of(const char *text) { return (piece){(const byte *)text, strlen(text)}; }

static void check_notation(const harvest *rows, const char *quote)
{
    static byte plain[128];
    static cell_writing work;
    for (int b = 0; b < 128; ++b) plain[b] = b >= ' ' && b != '"' && b != '\\' && b != 0x7F;
    work = (cell_writing){.from = rows, .count = F_GIVEN, .quote = piece_of(quote), .null = piece_of(ABSENT)};
    for (int i = 0; i < F_GIVEN; ++i) {
        work.columns[i] = i == F_SOURCE || i == F_LOCATION ? F_URI : (record_field)i; /* these are given */
        work.before[i] = piece_of("\x1F");
    }
    work.before[F_GIVEN] = piece_of("\n");
    for (int i = 0; i < WORD_COUNT; ++i) work.words[i] = piece_of("word");
    for (int i = 0; i < WARNING_SETS; ++i) work.warnings[i] = piece_of("warnings");
    work.wrapper_count = cells_wrappings(rows, work.wrappings);
    REQUIRE(work.wrapper_count <= MOST_WRAPPERS);
    for (size_t i = 0; i < work.wrapper_count; ++i) work.wrappers[i] = piece_of("()");
    cells_prepare(&work, plain);
    for (size_t i = 0; i < rows->count; ++i) check_line(&work, &rows->rows[i]);
}

void check_lines(const harvest *rows)
{
    check_notation(rows, "");
    check_notation(rows, "\"");
}

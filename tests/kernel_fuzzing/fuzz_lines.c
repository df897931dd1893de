/* The lines of records: no longer than was reserved, and each value the one that the harvest holds. */
#include "fuzzing.h"
#include "canonical.h"
#include "cells.h"
#include "harvest.h"

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

/* Write a part, or what stands for it. */
static void keep_part(bytes_kept *to, const char *before, component part, int is_hidden)
{
    if (part.text == NULL) return;
    keep_bytes(to, before, strlen(before));
    if (is_hidden && part.size) keep_bytes(to, "***", 3);
    else keep_bytes(to, part.text, part.size);
}

/* What is hidden in a canonical form by its components, if it has an authority and that is done in C. */
static void check_redacted(const byte *uri, size_t size, unsigned parts)
{
    byte *to = malloc(REDACTED_ROOM(size));
    component of[COMPONENT_COUNT], whole = {uri, size};
    const byte *end = redacted(to, whole, parts, NULL);
    split_components(of, uri, size);
    if (end != NULL) REQUIRE((size_t)(end - to) <= REDACTED_ROOM(size));
    if (end != NULL && of[C_HOST].text != NULL) {
        bytes_kept made = {0};
        component path = of[C_PATH];
        keep_part(&made, "", of[C_SCHEME], 0);
        keep_part(&made, "://", of[C_USERINFO], (parts & HIDE_USERINFO) != 0);
        keep_part(&made, of[C_USERINFO].text == NULL ? "://" : "@", of[C_HOST], 0);
        keep_part(&made, ":", of[C_PORT], 0);
        int is_hidden = (parts & HIDE_PATH) && path.size > 1;
        keep_part(&made, is_hidden ? "/" : "", path, is_hidden);
        keep_part(&made, "?", of[C_QUERY], (parts & HIDE_QUERY) != 0);
        keep_part(&made, "#", of[C_FRAGMENT], (parts & HIDE_FRAGMENT) != 0);
        REQUIRE(made.size == (size_t)(end - to) && memcmp(made.at, to, made.size) == 0);
        forget_bytes(&made);
    }
    free(to);
}

/* What is no link has none but the one that is its head, and is what it was without its marks. */
static void check_defanged(const byte *uri, size_t size)
{
    byte *to = malloc(DEFANGED_ROOM(size));
    const byte *end = defanged(to, (component){uri, size});
    REQUIRE(end == NULL || (size_t)(end - to) <= DEFANGED_ROOM(size));
    for (const byte *at = to; end != NULL && end - at > 2; ++at)
        REQUIRE(memcmp(at, "://", 3) != 0 || begins(uri, size, "urn:") || at == memchr(to, ':', (size_t)(end - to)));
    end = defanged_part(to, (component){uri, size});
    if (memchr(uri, '[', size) == NULL) {
        size_t length = 0;
        for (const byte *at = to; at < end; ++length) {
            REQUIRE(length < size && uri[length] == *at);
            at += length + 1 < size && *at == '/' && at[1] == ']' ? 2 : at[1] == '[' && at + 1 < end ? 2 : 1;
        }
        REQUIRE(length == size);
    }
    free(to);
}

static void check_line(cell_writing *work, const found_row *row)
{
    const harvest *rows = work->from;
    size_t most = cells_most(work, row);
    byte *line = malloc(most), *uri = exact_copy(rows->forms.at + row->uri, row->uri_size);
    work->scratch = malloc(cells_scratch(row));
    REQUIRE(line != NULL && work->scratch != NULL);
    const byte *end = cells_write(line, work, row);
    if (end != NULL && (work->hidden || work->defangs)) {
        REQUIRE((size_t)(end - line) <= most);
    } else if (end != NULL) {
        size_t size = (size_t)(end - line);
        REQUIRE(size && size <= most && line[size - 1] == '\n' && memchr(line, '\n', size) == end - 1);
        const piece *quote = &work->quote;
        require_value(line, size, F_RAW, quote, rows->raws.at + row->raw, row->raw_size);
        require_value(line, size, F_URI, quote, uri, row->uri_size);
        require_value(line, size, F_KEY, quote, rows->forms.at + row->key, row->key_size);
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
    free(work->scratch);
    free(line);
    free(uri);
}

static piece piece_of(const char *text) { return (piece){(const byte *)text, strlen(text)}; }

static void check_notation(const harvest *rows, const char *quote, unsigned hidden, int defangs)
{
    static byte plain[128];
    static cell_writing work;
    for (int b = 0; b < 128; ++b) plain[b] = b >= ' ' && b != '"' && b != '\\' && b != 0x7F;
    work = (cell_writing){.from = rows, .count = F_GIVEN, .quote = piece_of(quote), .null = piece_of(ABSENT)};
    work.hidden = hidden;
    work.defangs = defangs;
    blake2b_prepare(&work.secret, HIDDEN_SIZE, (const byte *)"secret", 6);
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

/* Rows chosen from the last to the first are the same rows, and the hosts those of their canonical forms. */
static void check_selected(const harvest *rows)
{
    harvest some;
    size_t *indices = malloc((rows->count + 1) * sizeof *indices);
    for (size_t i = 0; i < rows->count; ++i) indices[i] = rows->count - 1 - i;
    REQUIRE(harvest_select(&some, rows, indices, rows->count) && some.count == rows->count && hosts_number(&some));
    for (size_t i = 0; i < some.count; ++i) {
        const found_row *one = &some.rows[i], *other = &rows->rows[indices[i]];
        component of[COMPONENT_COUNT];
        REQUIRE(one->uri_size == other->uri_size && one->key_size == other->key_size);
        REQUIRE(memcmp(some.forms.at + one->uri, rows->forms.at + other->uri, one->uri_size) == 0);
        REQUIRE(memcmp(some.forms.at + one->key, rows->forms.at + other->key, one->key_size) == 0);
        byte *uri = exact_copy(some.forms.at + one->uri, one->uri_size);
        check_redacted(uri, one->uri_size, HIDE_QUERY << i % 3);
        check_redacted(uri, one->uri_size, HIDE_USERINFO | HIDE_QUERY);
        check_defanged(uri, one->uri_size);
        free(uri);
        REQUIRE(one->raw_size == 0 || memcmp(some.raws.at + one->raw, rows->raws.at + other->raw, one->raw_size) == 0);
        split_components(of, some.forms.at + one->uri, one->uri_size);
        component host = some.each_host[some.hosts[i]];
        REQUIRE((host.text == NULL) == (of[C_HOST].text == NULL) && host.size == of[C_HOST].size);
        REQUIRE(host.size == 0 || memcmp(host.text, of[C_HOST].text, host.size) == 0);
    }
    harvest_free(&some);
    free(indices);
}

/* Rows with the texts that they have are the same rows. */
static void check_worded(const harvest *rows)
{
    harvest some;
    component *texts = malloc((3 * rows->count + 1) * sizeof *texts);
    component *uris = texts, *keys = texts + rows->count, *raws = keys + rows->count;
    for (size_t i = 0; i < rows->count; ++i) {
        const found_row *one = &rows->rows[i];
        uris[i] = (component){rows->forms.at + one->uri, one->uri_size};
        keys[i] = (component){rows->forms.at + one->key, one->key_size};
        raws[i] = (component){rows->raws.at + one->raw, one->raw_size};
    }
    REQUIRE(harvest_word(&some, rows, uris, keys, raws) && some.count == rows->count);
    for (size_t i = 0; i < some.count; ++i) {
        const found_row *one = &some.rows[i];
        REQUIRE(one->uri_size == uris[i].size && memcmp(some.forms.at + one->uri, uris[i].text, uris[i].size) == 0);
        REQUIRE(one->key_size == keys[i].size && memcmp(some.forms.at + one->key, keys[i].text, keys[i].size) == 0);
        REQUIRE(raws[i].size == 0 || memcmp(some.raws.at + one->raw, raws[i].text, raws[i].size) == 0);
    }
    harvest_free(&some);
    free(texts);
}

void check_lines(const harvest *rows)
{
    check_notation(rows, "", 0, 0);
    check_notation(rows, "\"", 0, 0);
    check_notation(rows, "", HIDE_QUERY | HIDE_USERINFO, 1);
    check_notation(rows, "\"", HIDE_PATH | HIDE_FRAGMENT, 0);
    check_selected(rows);
    check_worded(rows);
}

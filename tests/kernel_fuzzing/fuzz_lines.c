/* The lines of records: as long as they were planned, and each value the one that the harvest holds. */
#include "fuzzing.h"
#include "canonical.h"
#include "components.h"
#include "lines.h"

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

static void check_line(const line_model *model, const harvest *rows, const planned_line *plan)
{
    static const int FIELDS[COMPONENT_COUNT] = {V_SCHEME, V_USERINFO, V_HOST, V_PORT, V_PATH, V_QUERY, V_FRAGMENT};
    const found_row *row = &rows->rows[plan->row];
    byte *line = malloc(plan->size), *uri = exact_copy(rows->forms + row->uri, row->uri_size);
    REQUIRE(line != NULL);
    REQUIRE(lines_write(line, model, rows, plan) == line + plan->size);
    REQUIRE(plan->size && line[plan->size - 1] == '\n' && memchr(line, '\n', plan->size) == line + plan->size - 1);
    const piece *quote = &model->words[WORD_QUOTE];
    require_value(line, plan->size, V_RAW, quote, rows->raws + row->raw, row->raw_size);
    require_value(line, plan->size, V_URI, quote, uri, row->uri_size);
    require_value(line, plan->size, V_KEY, quote, rows->forms + row->key, row->key_size);
    component parts[COMPONENT_COUNT];
    split_components(parts, uri, row->uri_size);
    for (int i = 0; i < COMPONENT_COUNT; ++i)
        require_value(line, plan->size, FIELDS[i], quote, parts[i].text, parts[i].size);
    piece iri = value_of(line, plan->size, V_IRI);
    REQUIRE(is_text(iri.text, iri.size) && iri.size <= row->uri_size + 2 * quote->size);
    REQUIRE((memchr(uri, '%', row->uri_size) != NULL) || iri.size == row->uri_size + 2 * quote->size);
    char number[MOST_ENDINGS];
    int digits = snprintf(number, sizeof number, "%llu", (unsigned long long)row->start);
    piece start = value_of(line, plan->size, V_START);
    REQUIRE(start.size == (size_t)digits && memcmp(start.text, number, start.size) == 0);
    free(line);
    free(uri);
}

static void check_notation(const harvest *rows, const char *quote)
{
    static byte plain[128];
    line_model model = {.plain = plain};
    for (int b = 0; b < 128; ++b) plain[b] = b >= ' ' && b != '"' && b != '\\' && b != 0x7F;
    static const byte BEFORE[] = {SEPARATOR};
    for (int i = 0; i < VALUE_COUNT; ++i) model.before[i] = (piece){BEFORE, 1};
    static const char *const WORDS[WORD_COUNT] = {"", ABSENT, "uri", "iri", "reg-name", "ipv4"};
    for (int i = 0; i < WORD_COUNT; ++i) {
        const char *word = i == WORD_QUOTE ? quote : WORDS[i];
        model.words[i] = (piece){(const byte *)word, strlen(word)};
    }
    model.ending_count = lines_endings(rows, model.endings);
    REQUIRE(model.ending_count <= MOST_ENDINGS);
    for (size_t i = 0; i < model.ending_count; ++i) model.tails[i] = (piece){(const byte *)"\x1F" "end\n", 5};
    REQUIRE(lines_prepare(&model));
    for (size_t i = 0; i < rows->count; ++i) {
        planned_line plan = {.row = i};
        lines_plan(&model, rows, &plan);
        if (plan.size) check_line(&model, rows, &plan);
    }
    lines_release(&model);
}

void check_lines(const harvest *rows)
{
    check_notation(rows, "");
    check_notation(rows, "\"");
}

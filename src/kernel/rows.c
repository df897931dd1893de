#include "rows.h"
#include "json_strings.h"
#include "utf8.h"

/* A text before its escapes are undone. */
typedef struct {
    size_t start, end;
    int is_escaped, is_literal; /* with doubled quotation marks; with some that are part of it */
} raw_text;

static int is_marked(const byte *t, size_t left) { return left >= 3 && t[0] == 0xEF && t[1] == 0xBB && t[2] == 0xBF; }

/* Note that a row ends; returns 0 if there is no memory. */
static int end_row(row_fields *made, size_t end)
{
    for (size_t i = 0; i < made->field_count; ++i) {
        field_texts *one = &made->fields[i];
        if (!GROW(one->ends, one->ends_room, made->count + 1)) return 0;
        one->ends[made->count] = (int32_t)one->bytes.size;
    }
    if (!GROW(made->bounds, made->room, made->count + 1)) return 0;
    made->bounds[made->count++] = (int32_t)end;
    return 1;
}

void row_fields_release(row_fields *one)
{
    for (size_t i = 0; i < MOST_FIELDS; ++i) {
        free(one->fields[i].bytes.at);
        free(one->fields[i].ends);
    }
    free(one->bounds);
}

/* ---------------------------------------------------------------- tables (RFC 4180) */

/* The end of a cell in quotation marks from the first one on, after the last one; 0 if it is never closed. */
static size_t quoted_end(const byte *t, size_t size, size_t at, int *is_escaped, size_t *feeds)
{
    for (++at; at < size; ++at) {
        if (t[at] == '\n') ++*feeds;
        if (t[at] != '"') continue;
        if (at + 1 == size || t[at + 1] != '"') return at + 1;
        *is_escaped = 1;
        ++at;
    }
    return 0;
}

/* The cells of one row. */
typedef struct {
    raw_text *cells;
    size_t count, room;
    size_t feeds; /* line feeds in quotation marks */
    int has_quotes, has_return; /* a carriage return elsewhere than at the end */
} table_row;

/* Read the row at an offset, which is moved after it; returns 0 if Python has to, -1 if there is no memory. Quotation marks
 * inside a cell that does not begin with one are part of it if it `takes_quotes`, as for a parser that is lenient. */
static int read_table_row(table_row *row, const byte *t, size_t size, size_t *at, byte delimiter, size_t most,
                          int takes_quotes)
{
    size_t p = *at;
    row->count = row->feeds = 0;
    row->has_quotes = row->has_return = 0;
    if (t[p] == '\n' || t[p] == '\r' || is_marked(t + p, size - p)) return 0;
    for (;;) {
        raw_text cell = {.start = p};
        if (p < size && t[p] == '"') {
            row->has_quotes = 1;
            p = quoted_end(t, size, p, &cell.is_escaped, &row->feeds);
            if (p == 0) return 0;
            ++cell.start;
            cell.end = p - 1;
            if (p + 1 < size && t[p] == '\r' && t[p + 1] == '\n') ++p;
            if (p < size && t[p] != delimiter && t[p] != '\n') return 0;
        } else {
            while (p < size && t[p] != delimiter && t[p] != '\n') {
                if (t[p] == '"' && !takes_quotes) return 0;
                cell.is_literal |= t[p] == '"';
                row->has_return |= t[p] == '\r' && !(p + 1 < size && t[p + 1] == '\n');
                ++p;
            }
            cell.end = p;
            if (p == size || t[p] == '\n')
                while (cell.end > cell.start && t[cell.end - 1] == '\r') --cell.end;
        }
        if (row->count == most) return 0;
        if (!GROW(row->cells, row->room, row->count + 1)) return -1;
        row->cells[row->count++] = cell;
        if (p == size || t[p] == '\n') break;
        ++p;
    }
    *at = p < size ? p + 1 : size;
    return 1;
}

/* Append a cell, of which `offset` gets the place; returns 0 if there is no memory. */
static int put_cell(byte_list *to, const byte *t, const raw_text *cell, size_t *offset)
{
    if (!add_bytes(to, t + cell->start, cell->end - cell->start, offset)) return 0;
    if (!cell->is_escaped) return 1;
    to->size = *offset;
    for (size_t p = cell->start; p < cell->end; ++p) { /* of two quotation marks one stays */
        to->at[to->size++] = t[p];
        p += t[p] == '"';
    }
    return 1;
}

int take_table_rows(row_fields *made, const byte *data, size_t size, size_t start, byte delimiter, size_t columns,
                    const size_t *indices)
{
    table_row row = {0};
    int done = 1;
    while (done == 1 && start < size) {
        done = read_table_row(&row, data, size, &start, delimiter, columns, 0);
        /* In a row with quotation marks a carriage return elsewhere is a fault. */
        if (done == 1 && ((row.has_quotes && row.has_return) || (row.feeds && row.count != columns))) done = 0;
        for (size_t i = 0; done == 1 && i < made->field_count; ++i) {
            size_t offset, index = indices[i];
            if (index < row.count && !put_cell(&made->fields[i].bytes, data, &row.cells[index], &offset)) done = -1;
        }
        if (done == 1 && !end_row(made, start)) done = -1;
        if (done == 1) made->lines += row.feeds + 1;
    }
    free(row.cells);
    return done >= 0;
}

/* Append the cells of a row in the columns that are given to their text; returns 0 if there is no memory. */
static int choose_cells(joined_cells *made, size_t first, size_t count)
{
    for (size_t i = 0; i < made->column_count && made->columns[i] < count; ++i) {
        const size_t cell = first + made->columns[i];
        const size_t begin = (size_t)made->begins[cell], end = (size_t)made->begins[cell + 1] - TEXT_SEPARATOR_SIZE;
        size_t offset;
        if (!GROW(made->chosen_begins, made->chosen_room, made->chosen_count + 2) ||
            !GROW(made->kept, made->kept_room, made->chosen_count + 1) ||
            !add_bytes(&made->chosen, made->text.at + begin - TEXT_SEPARATOR_SIZE, end - begin + TEXT_SEPARATOR_SIZE,
                       &offset))
            return 0;
        made->kept[made->chosen_count] = (int64_t)cell;
        made->chosen_begins[made->chosen_count++] = (int64_t)(offset + TEXT_SEPARATOR_SIZE);
        made->chosen_begins[made->chosen_count] = (int64_t)(made->chosen.size + TEXT_SEPARATOR_SIZE);
    }
    return 1;
}

/* Append a row to the cells that were taken, and where it ends; returns 0 if there is no memory. */
static int join_row(joined_cells *made, const byte *data, const table_row *row)
{
    size_t rows = made->rows + 2, count = made->count + row->count;
    if (!GROW(made->firsts, made->firsts_room, rows) ||
        !GROW(made->lines, made->lines_room, rows) ||
        !GROW(made->begins, made->begins_room, count + 1) ||
        !GROW(made->starts, made->starts_room, count))
        return 0;
    if (made->rows == 0) made->firsts[0] = made->lines[0] = 0;
    for (size_t i = 0; i < row->count; ++i) {
        size_t begin;
        if (!add_bytes(&made->text, TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE, &begin) ||
            !put_cell(&made->text, data, &row->cells[i], &begin))
            return 0;
        if (row->cells[i].is_literal) {
            if (!GROW(made->literals, made->literals_room, made->literal_count + 1)) return 0;
            made->literals[made->literal_count++] = (int64_t)made->count;
        }
        made->begins[made->count] = (int64_t)begin;
        made->starts[made->count++] = (int64_t)row->cells[i].start;
    }
    made->begins[made->count] = (int64_t)(made->text.size + TEXT_SEPARATOR_SIZE);
    if (made->columns != NULL && !choose_cells(made, made->count - row->count, row->count)) return 0;
    ++made->rows;
    made->firsts[made->rows] = (int64_t)made->count;
    made->lines[made->rows] = made->lines[made->rows - 1] + (int64_t)row->feeds + 1;
    return 1;
}

size_t take_cells(joined_cells *made, const byte *data, size_t size, byte delimiter, size_t longest, size_t most)
{
    table_row row = {0};
    size_t at = 0, start = 0;
    int done = GROW(made->chosen_begins, made->chosen_room, 1) ? 1 : -1;
    if (done == 1) made->chosen_begins[0] = TEXT_SEPARATOR_SIZE;
    for (; done == 1 && start < size && searched_size(made) <= most; start = at) {
        done = read_table_row(&row, data, size, &at, delimiter, SIZE_MAX, 1);
        if (done == 1 && row.has_return) done = 0;
        for (size_t i = 0; done == 1 && i < row.count; ++i)
            if (row.cells[i].end - row.cells[i].start > longest) done = 0;
        if (done == 1 && !join_row(made, data, &row)) done = -1;
        if (done != 1) break;
    }
    free(row.cells);
    return done < 0 ? SIZE_MAX : start;
}

void joined_cells_release(joined_cells *one)
{
    free(one->text.at);
    free(one->begins);
    free(one->starts);
    free(one->firsts);
    free(one->lines);
    free(one->literals);
    free(one->chosen.at);
    free(one->chosen_begins);
    free(one->kept);
}

/* ---------------------------------------------------------------- cells that a spreadsheet would run */

static int is_sign(const byte *at, const byte *end)
{
    if (*at == '=' || *at == '+' || *at == '-' || *at == '@') return 1;
    if (end - at < 3 || at[0] != 0xEF || at[1] != 0xBC) return 0;
    return at[2] == 0x8B || at[2] == 0x8D || at[2] == 0x9D || at[2] == 0xA0; /* the fullwidth ones */
}

/* Whether a cell begins as a formula, or with a tab or the end of a line. */
static int is_run(const byte *start, const byte *end)
{
    const byte *at = start;
    while (at < end && (*at == '\'' || *at == '"')) ++at;
    if (at < end && (*at == '\t' || *at == '\r' || *at == '\n')) return 1;
    for (at = start; at < end;) {
        if (*at <= ' ' || *at == '\'' || *at == '"') ++at;
        else if (end - at > 1 && at[0] == 0xC2 && at[1] == 0xA0) at += 2;
        else if (end - at > 2 && at[0] == 0xE3 && at[1] == 0x80 && at[2] == 0x80) at += 3;
        else if (is_marked(at, (size_t)(end - at))) at += 3;
        else return is_sign(at, end);
    }
    return 0;
}

static int is_number_or_sign(const byte *at, const byte *end)
{
    while (at < end && *at == ' ') ++at;
    if (at < end && (*at == '+' || *at == '-')) ++at;
    if (at < end && is_digit(*at)) {
        while (at < end && (is_digit(*at) || *at == '.' || *at == ',')) ++at;
        const byte *digit = at + (at < end);
        if (digit < end && (*digit == '+' || *digit == '-')) ++digit;
        if (at < end && (*at | 32) == 'e' && digit < end && is_digit(*digit))
            for (at = digit; at < end && is_digit(*at); ++at) {}
    }
    while (at < end && *at == ' ') ++at;
    return at == end;
}

/* The end of a cell, before what ends it. */
static const byte *end_of_cell(const byte *at, const byte *end, byte delimiter)
{
    if (at < end && *at == '"')
        for (++at; at < end;) {
            if (*at != '"') ++at;
            else if (end - at > 1 && at[1] == '"') at += 2;
            else {
                ++at;
                break;
            }
        }
    while (at < end && *at != delimiter && *at != '\r' && *at != '\n') ++at;
    return at;
}

int take_safe_cells(byte_list *made, size_t *changed, const byte *data, size_t size, byte delimiter)
{
    const byte *end = data + size, *done = data;
    size_t offset;
    for (const byte *at = data, *stop; at < end; at = stop + 1) {
        stop = end_of_cell(at, end, delimiter);
        if (at == data && is_marked(at, (size_t)(stop - at))) at += 3;
        int is_quoted = at < stop && *at == '"';
        at += is_quoted;
        if (!is_run(at, stop) || is_number_or_sign(at, stop - (is_quoted && stop > at && stop[-1] == '"'))) continue;
        if (!add_bytes(made, done, (size_t)(at - done), &offset) || !add_bytes(made, (const byte *)"'", 1, &offset))
            return 0;
        done = at;
        ++*changed;
    }
    return *changed == 0 || add_bytes(made, done, (size_t)(end - done), &offset);
}

/* ---------------------------------------------------------------- JSON lines (RFC 8259) */

static size_t field_of(const byte *name, size_t size, const byte *const *names, const size_t *sizes, size_t count)
{
    size_t i = 0;
    while (i < count && (sizes[i] != size || memcmp(names[i], name, size) != 0)) ++i;
    return i;
}

/* Append the texts of the fields of a line that was read: an object with one of them, as a string. Returns 0 if Python
 * has to, -1 if there is no memory. */
static int put_fields(row_fields *made, const json_strings *read, const byte *const *names, const size_t *sizes)
{
    size_t found[MOST_FIELDS] = {0}; /* after the index of the string that is the name */
    int has_field = 0;
    for (size_t i = 0; i < read->made.strings; ++i) {
        json_link link = read->links[i];
        if (link.owner != 0 || link.key < 0 || read->names[link.key] != read->starts[i]) continue;
        size_t size = (size_t)(read->begins[i + 1] - read->begins[i]) - TEXT_SEPARATOR_SIZE;
        size_t field = field_of(read->text + read->begins[i], size, names, sizes, made->field_count);
        if (field == made->field_count) continue;
        if (found[field] || i + 1 == read->made.strings || read->links[i + 1].owner || read->links[i + 1].key != link.key)
            return 0;
        found[field] = ++i;
        has_field = 1;
    }
    if (!has_field) return 0;
    for (size_t field = 0; field < made->field_count; ++field) {
        if (!found[field]) continue;
        const int64_t *begin = &read->begins[found[field]];
        size_t size = (size_t)(begin[1] - begin[0]) - TEXT_SEPARATOR_SIZE;
        const byte *text = read->text + begin[0];
        if (valid_utf8(text, size) != size) return 0; /* a lone surrogate */
        size_t offset;
        if (!add_bytes(&made->fields[field].bytes, text, size, &offset)) return -1;
    }
    return 1;
}

int take_json_rows(row_fields *made, const byte *data, size_t size, size_t start, const byte *const *names,
                   const size_t *name_sizes)
{
    json_strings read = {.is_lines = 1, .is_strict = 1};
    int done = 1;
    while (done == 1 && start < size) {
        const byte *feed = memchr(data + start, '\n', size - start);
        size_t behind = feed == NULL ? size : (size_t)(feed - data) + 1, stop, sizes[MOST_FIELDS];
        read.made = (json_counts){0};
        json_result result = json_read(&read, data + start, behind - start, &stop);
        done = result == JSON_DONE ? 1 : result == JSON_LEFT ? 0 : -1;
        for (size_t i = 0; i < made->field_count; ++i) sizes[i] = made->fields[i].bytes.size;
        if (done == 1) done = put_fields(made, &read, names, name_sizes);
        if (done == 0)
            for (size_t i = 0; i < made->field_count; ++i) made->fields[i].bytes.size = sizes[i];
        if (done == 1 && !end_row(made, behind)) done = -1;
        made->lines += done == 1;
        start = behind;
    }
    json_free(&read);
    return done >= 0;
}

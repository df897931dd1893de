/* Rows of tables and of JSON lines that are passed on as they are, and the texts in some of their fields.
 *
 * The readers of `urisieve.sources.structured` decide what a row is. Here those are taken that are well formed beyond
 * doubt; before any other one the taking ends, and Python reads that row. */
#ifndef URISIEVE_ROWS_H
#define URISIEVE_ROWS_H
#include "buffer.h"

/* The most fields. */
#define MOST_FIELDS 16

/* The texts of one field, one for each row: bytes, and the end of each. */
typedef struct {
    byte_list bytes;
    int32_t *ends;
    size_t ends_room;
} field_texts;

typedef struct {
    int32_t *bounds; /* the end of each row; the first one begins at the start */
    size_t count, room, lines;
    field_texts fields[MOST_FIELDS];
    size_t field_count;
} row_fields;

/* Take rows of a table from an offset on, in UTF-8 of at most INT32_MAX bytes. A row has at most `columns` cells, and
 * exactly as many if it has several lines; `indices` are those of the columns of the fields. A cell that is missing is
 * an empty text. Returns 0 if there is no memory. */
int take_table_rows(row_fields *made, const byte *data, size_t size, size_t start, byte delimiter, size_t columns,
                    const size_t *indices);

/* Take rows of JSON lines: objects that have one of the fields, by its name, as a string. A field that is missing is an
 * empty text. Returns 0 if there is no memory. */
int take_json_rows(row_fields *made, const byte *data, size_t size, size_t start, const byte *const *names,
                   const size_t *name_sizes);

void row_fields_release(row_fields *one);

/* The cells of rows of a table, joined to one text to be searched, each after a separator; offsets are in bytes. */
typedef struct {
    byte_list text;
    int64_t *begins; /* of each cell in the text, and after them that of one more */
    int64_t *starts; /* of each cell in the source, after its quotation mark */
    int64_t *firsts; /* for each row the index of its first cell, and after them their number */
    int64_t *lines;  /* for each row the number of lines before it, and after them that of all */
    int64_t *literals; /* the indices of cells without quotation marks around them and with some inside */
    size_t count, begins_room, starts_room, rows, firsts_room, lines_room, literal_count, literals_room;
    /* The cells of some columns, if these are given by their rising indices, joined likewise. */
    const size_t *columns;
    size_t column_count;
    byte_list chosen;
    int64_t *chosen_begins, *kept; /* as `begins`, and the index of each among all cells */
    size_t chosen_count, chosen_room, kept_room;
} joined_cells;

/* Take rows of a table from the start, up to one that is not well formed beyond doubt, has a carriage return elsewhere
 * than at its end, or a cell of more bytes than `longest`, or behind the one with which the text that is searched has more
 * than `most` bytes; returns where that begins, or SIZE_MAX without memory. */
size_t take_cells(joined_cells *made, const byte *data, size_t size, byte delimiter, size_t longest, size_t most);

/* The size of the text that is searched: that of the columns that are given. */
static inline size_t searched_size(const joined_cells *one)
{
    return one->columns == NULL ? one->text.size : one->chosen.size;
}

/* Write rows of a table with a `'` before each cell that a spreadsheet would run; `changed` gets their number, and nothing
 * is written if there are none. The definition is `urisieve.sinks.safe_cells`. Returns 0 if there is no memory. */
int take_safe_cells(byte_list *made, size_t *changed, const byte *data, size_t size, byte delimiter);

void joined_cells_release(joined_cells *one);

#endif

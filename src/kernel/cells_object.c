/* A method of `_kernel.Harvest` that writes chosen columns of its rows, around pieces of text that Python has made. */
#include "module.h"
#include "components.h"
#include "decimal.h"

#define MOST_CELLS 32

typedef enum {
    CELL_RAW, CELL_URI, CELL_KEY,
    CELL_START, CELL_END, CELL_LINE, CELL_COLUMN, CELL_BYTE_START, CELL_BYTE_END, /* numbers */
    CELL_COMPONENT
} cell_column;

static const char *const NAMES[] = {"raw",        "uri",      "key",    "start",    "end",  "line", "column",
                                    "byte_start", "byte_end", "scheme", "userinfo", "host", "port", "path",
                                    "query",      "fragment", NULL};
static const unsigned NEEDED[] = {WANT_RAW,     0,          0,          WANT_OFFSETS, WANT_OFFSETS,
                                  WANT_LINES,   WANT_LINES, WANT_BYTES, WANT_BYTES,   0};

typedef struct {
    const byte *text;
    size_t size;
} cell_piece;

/* What one call works on. */
typedef struct {
    const harvest *from;
    size_t count; /* of columns */
    cell_column columns[MOST_CELLS];
    component_name components[MOST_CELLS];
    cell_piece before[MOST_CELLS + 1], quote, null;
    const byte *plain;
    int splits;
} cell_writing;

static int piece_at(cell_piece *to, PyObject *bytes)
{
    char *text;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(bytes, &text, &size) < 0) return 0;
    *to = (cell_piece){(const byte *)text, (size_t)size};
    return 1;
}

/* Read the names of the columns and the pieces around them; returns 0 with an exception set. */
static int read_columns(cell_writing *work, PyObject *names, PyObject *before)
{
    Py_ssize_t count = PyTuple_Size(names);
    if (count > MOST_CELLS || PyTuple_Size(before) != count + 1) {
        PyErr_SetString(PyExc_ValueError, "too many columns, or not a piece around each");
        return 0;
    }
    work->count = (size_t)count;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (name == NULL) return 0;
        int index = 0;
        while (NAMES[index] != NULL && strcmp(NAMES[index], name) != 0) ++index;
        int is_component = index >= CELL_COMPONENT;
        work->columns[i] = is_component ? CELL_COMPONENT : (cell_column)index;
        work->components[i] = is_component ? (component_name)(index - CELL_COMPONENT) : C_SCHEME;
        unsigned needed = NEEDED[work->columns[i]];
        if (NAMES[index] == NULL || (work->from->count && (work->from->wanted & needed) != needed)) {
            PyErr_Format(PyExc_ValueError, "there is no column %s, or it was not asked for", name);
            return 0;
        }
        work->splits |= is_component;
    }
    for (Py_ssize_t i = 0; i <= count; ++i)
        if (!piece_at(&work->before[i], PyTuple_GetItem(before, i))) return 0;
    return 1;
}

static uint64_t number_of_row(const found_row *row, cell_column which)
{
    switch (which) {
    case CELL_START: return row->start;
    case CELL_END: return row->end;
    case CELL_LINE: return row->line;
    case CELL_COLUMN: return row->column;
    case CELL_BYTE_START: return row->byte_start;
    default: return row->byte_end;
    }
}

static component text_of_row(const harvest *from, const found_row *row, cell_column which)
{
    switch (which) {
    case CELL_RAW: return (component){from->raws + row->raw, row->raw_size};
    case CELL_URI: return (component){from->forms + row->uri, row->uri_size};
    default: return (component){from->forms + row->key, row->key_size};
    }
}

/* The most bytes that a row takes. */
static size_t most_of(const cell_writing *work, const found_row *row)
{
    size_t size = work->before[work->count].size;
    for (size_t i = 0; i < work->count; ++i) {
        size += work->before[i].size + 2 * work->quote.size + work->null.size + MOST_DIGITS + 2;
        cell_column which = work->columns[i];
        if (which == CELL_RAW) size += row->raw_size;
        else if (which == CELL_KEY) size += row->key_size;
        else if (which == CELL_URI || which == CELL_COMPONENT) size += row->uri_size;
    }
    return size;
}

static byte *put_piece(byte *to, cell_piece piece)
{
    if (piece.size) memcpy(to, piece.text, piece.size);
    return to + piece.size;
}

/* Write a text; returns its end, or NULL if a character does not stand for itself. */
static byte *put_text(byte *to, const cell_writing *work, component text)
{
    if (text.text == NULL) return put_piece(to, work->null);
    byte seen = 0;
    for (size_t i = 0; i < text.size; ++i) {
        byte character = text.text[i];
        byte class = character < 0x80 ? work->plain[character] : 0;
        if (!class) return NULL;
        seen |= class;
    }
    int encloses = (seen & 2) != 0;
    to = put_piece(to, work->quote);
    if (encloses) *to++ = '"';
    if (text.size) memcpy(to, text.text, text.size);
    to += text.size;
    if (encloses) *to++ = '"';
    return put_piece(to, work->quote);
}

/* Write a row; returns its end, or NULL as `put_text`. */
static byte *put_row(byte *to, const cell_writing *work, const found_row *row)
{
    component components[COMPONENT_COUNT];
    if (work->splits) split_components(components, work->from->forms + row->uri, row->uri_size);
    for (size_t i = 0; i < work->count; ++i) {
        to = put_piece(to, work->before[i]);
        cell_column which = work->columns[i];
        if (which >= CELL_START && which <= CELL_BYTE_END) {
            to = put_decimal(to, number_of_row(row, which));
            continue;
        }
        component text = which == CELL_COMPONENT ? components[work->components[i]]
                                                 : text_of_row(work->from, row, which);
        if ((to = put_text(to, work, text)) == NULL) return NULL;
    }
    return put_piece(to, work->before[work->count]);
}

PyObject *harvest_cells(harvest_object *self, PyObject *args)
{
    cell_writing work = {.from = &self->rows};
    PyObject *names, *before, *quote, *null, *plain, *rows = Py_None;
    if (!PyArg_ParseTuple(args, "O!O!SSS|O", &PyTuple_Type, &names, &PyTuple_Type, &before, &quote, &null, &plain,
                          &rows))
        return NULL;
    cell_piece classes;
    if (!piece_at(&work.quote, quote) || !piece_at(&work.null, null) || !piece_at(&classes, plain)) return NULL;
    if (classes.size != 128) {
        PyErr_SetString(PyExc_ValueError, "a class for each ASCII character is needed");
        return NULL;
    }
    work.plain = classes.text;
    if (!read_columns(&work, names, before)) return NULL;
    size_t count = work.from->count;
    size_t *indices = indices_of(rows, &count);
    if (indices == NULL) return NULL;
    size_t room = 0;
    for (size_t i = 0; i < count; ++i) room += most_of(&work, &work.from->rows[indices[i]]);
    byte *start = PyMem_Malloc(room + 1), *end = start;
    if (start != NULL) {
        Py_BEGIN_ALLOW_THREADS
        for (size_t i = 0; end != NULL && i < count; ++i) end = put_row(end, &work, &work.from->rows[indices[i]]);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(indices);
    if (start == NULL) return PyErr_NoMemory();
    PyObject *made = end == NULL ? Py_NewRef(Py_None)
                                 : PyBytes_FromStringAndSize((const char *)start, (Py_ssize_t)(end - start));
    PyMem_Free(start);
    return made;
}

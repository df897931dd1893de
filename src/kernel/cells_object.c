/* The methods of `_kernel.Harvest` that write its rows, around pieces of text that Python has made. */
#include "module.h"
#include "buffer.h"
#include "cells.h"
#include "harvest.h"

#define LEFT SIZE_MAX

/* What one call works on. */
typedef struct {
    cell_writing cells;
    size_t *indices, count, left;
    piece *given; /* all columns that are given, one after the other */
    size_t given_count, scratch_room;
    byte *made;
    size_t size, room;
    size_t *ends; /* of each row in `made`; LEFT for one that is left to Python */
    PyObject *others; /* the lines that Python has written, in their order */
} writing;

static int piece_at(piece *to, PyObject *bytes)
{
    char *text;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(bytes, &text, &size) < 0) return 0;
    *to = (piece){(const byte *)text, (size_t)size};
    return 1;
}

/* Take the texts of a tuple; returns 0 with an exception set if there are not `count` of them. */
static int pieces_of(piece *to, PyObject *tuple, size_t count, const char *name)
{
    if (!PyTuple_Check(tuple) || (size_t)PyTuple_Size(tuple) != count) {
        PyErr_Format(PyExc_ValueError, "%s: a tuple of %d texts is needed", name, (int)count);
        return 0;
    }
    for (size_t i = 0; i < count; ++i)
        if (!piece_at(&to[i], PyTuple_GetItem(tuple, (Py_ssize_t)i))) return 0;
    return 1;
}

/* The number of cells of a column that is given; 0 for the name of any other one. */
static size_t cells_given(PyObject *column)
{
    PyObject *cells = PyTuple_Check(column) && PyTuple_Size(column) == 2 ? PyTuple_GetItem(column, 0) : NULL;
    return cells != NULL && PyList_Check(cells) ? (size_t)PyList_Size(cells) : 0;
}

/* Read the cells of a column, and for each row the index of its own; returns 0 with an exception set. */
static int read_given(writing *work, size_t index, PyObject *column)
{
    cell_writing *cells = &work->cells;
    piece *to = work->given + work->given_count;
    const size_t count = cells_given(column);
    PyObject *list;
    const char *numbers;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(column, "O!y#", &PyList_Type, &list, &numbers, &size)) return 0;
    for (size_t i = 0; i < count; ++i)
        if (!piece_at(&to[i], PyList_GetItem(list, (Py_ssize_t)i))) return 0;
    cells->columns[index] = F_GIVEN;
    cells->given[index] = to;
    cells->numbers[index] = (const uint32_t *)(const void *)numbers;
    work->given_count += count;
    int is_right = (size_t)size == cells->from->count * sizeof(uint32_t);
    for (size_t i = 0; is_right && i < cells->from->count; ++i) is_right = cells->numbers[index][i] < count;
    return is_right || failed(PyExc_ValueError, "a column that is given: the index of a cell for each row is needed");
}

/* Read the numbers of a column, one of 64 bits for each row; returns 0 with an exception set. */
static int read_integers(cell_writing *cells, size_t index, PyObject *column)
{
    char *numbers;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(column, &numbers, &size) < 0) return 0;
    cells->columns[index] = F_NUMBER;
    cells->integers[index] = numbers;
    return (size_t)size == cells->from->count * sizeof(int64_t) ||
           failed(PyExc_ValueError, "a column of numbers: one of 64 bits for each row is needed");
}

static int read_column(writing *work, size_t index, PyObject *column)
{
    if (PyBytes_Check(column)) return read_integers(&work->cells, index, column);
    if (PyTuple_Check(column)) return read_given(work, index, column);
    work->cells.columns[index] = field_of(work->cells.from, column);
    return work->cells.columns[index] != F_COUNT;
}

/* Read the columns and the pieces around them; returns 0 with an exception set. */
static int read_columns(writing *work, PyObject *columns, PyObject *before)
{
    Py_ssize_t count = PyTuple_Size(columns);
    size_t given = 0;
    if (count > MOST_CELLS) return failed(PyExc_ValueError, "too many columns");
    work->cells.count = (size_t)count;
    for (Py_ssize_t i = 0; i < count; ++i) given += cells_given(PyTuple_GetItem(columns, i));
    work->given = PyMem_Malloc((given + 1) * sizeof *work->given);
    if (work->given == NULL) return no_memory();
    for (Py_ssize_t i = 0; i < count; ++i)
        if (!read_column(work, (size_t)i, PyTuple_GetItem(columns, i))) return 0;
    return pieces_of(work->cells.before, before, (size_t)count + 1, "before");
}

/* Read how the values leave: None, or the parts that are replaced, as bits, the warnings of raw texts that are laid out
 * in another way, whether it is as no links, for each host 1 if all after it is replaced, and a secret; returns 0 with
 * an exception set. */
static int read_hiding(cell_writing *cells, PyObject *hiding)
{
    const char *redirects = NULL, *secret = NULL;
    Py_ssize_t hosts = 0, size = 0;
    if (hiding == Py_None) return 1;
    if (!PyTuple_Check(hiding)) return failed(PyExc_TypeError, "a tuple is needed to hide anything");
    if (!PyArg_ParseTuple(hiding, "IIpz#z#", &cells->hidden, &cells->rewritten, &cells->defangs, &redirects, &hosts,
                          &secret, &size))
        return 0;
    if (redirects != NULL && (cells->from->hosts == NULL || (size_t)hosts != cells->from->host_count))
        return failed(PyExc_ValueError, "a byte for each host is needed");
    if (cells->hidden && (size < 1 || size > (Py_ssize_t)BLAKE2B_MOST_SECRET))
        return failed(PyExc_ValueError, "a secret of 1 to 64 bytes is needed");
    cells->redirects = (const byte *)redirects;
    if (cells->hidden) blake2b_prepare(&cells->secret, HIDDEN_SIZE, (const byte *)secret, (size_t)size);
    return 1;
}

static size_t given_size(const cell_writing *cells, size_t row)
{
    size_t size = 0;
    for (size_t i = 0; i < cells->count; ++i)
        if (cells->columns[i] == F_GIVEN) size += cells->given[i][cells->numbers[i][row]].size;
    return size;
}

/* Write all rows that are not left to Python; returns 0 if there is no memory. */
static int write_rows(writing *work)
{
    cell_writing *cells = &work->cells;
    for (size_t i = 0; i < work->count; ++i) {
        const found_row *row = &cells->from->rows[work->indices[i]];
        if (!GROW(cells->scratch, work->scratch_room, cells_scratch(row))) return 0;
        size_t most = cells_most(cells, row) + given_size(cells, work->indices[i]);
        if (!GROW(work->made, work->room, work->size + most + 1)) return 0;
        byte *end = cells_write(work->made + work->size, cells, row);
        work->left += end == NULL;
        if (end != NULL) work->size = (size_t)(end - work->made);
        work->ends[i] = end == NULL ? LEFT : work->size;
    }
    return 1;
}

/* Let Python write the rows that are left to it. */
static int ask_others(writing *work, PyObject *write)
{
    if (!work->left) return 1;
    PyObject *numbers = PyList_New(0);
    for (size_t i = 0; numbers != NULL && i < work->count; ++i)
        if (work->ends[i] == LEFT) append_new(&numbers, PyLong_FromSize_t(work->indices[i]));
    if (numbers == NULL) return 0;
    PyObject *lines = PyObject_CallFunctionObjArgs(write, numbers, NULL);
    Py_DECREF(numbers);
    work->others = lines == NULL ? NULL : PySequence_Tuple(lines);
    Py_XDECREF(lines);
    if (work->others != NULL && (size_t)PyTuple_Size(work->others) == work->left) return 1;
    if (work->others != NULL) PyErr_SetString(PyExc_ValueError, "a line for each row that is left is needed");
    return 0;
}

static PyObject *in_one(const writing *work)
{
    if (!work->left) return PyBytes_FromStringAndSize((const char *)work->made, (Py_ssize_t)work->size);
    piece *others = PyMem_Malloc(work->left * sizeof *others);
    if (others == NULL) return PyErr_NoMemory();
    PyObject *made = NULL;
    if (pieces_of(others, work->others, work->left, "lines")) {
        size_t size = work->size;
        for (size_t i = 0; i < work->left; ++i) size += others[i].size;
        made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    }
    if (made != NULL) {
        byte *to = (byte *)PyBytes_AsString(made);
        const byte *from = work->made;
        const piece *other = others;
        for (size_t i = 0; i < work->count; ++i) {
            const byte *text = work->ends[i] == LEFT ? other->text : from;
            size_t size = work->ends[i] == LEFT ? other++->size : (size_t)(work->made + work->ends[i] - from);
            if (work->ends[i] != LEFT) from += size;
            if (size) memcpy(to, text, size);
            to += size;
        }
    }
    PyMem_Free(others);
    return made;
}

static PyObject *one_by_one(const writing *work)
{
    PyObject *made = PyList_New((Py_ssize_t)work->count);
    Py_ssize_t other = 0;
    size_t start = 0;
    for (size_t i = 0; made != NULL && i < work->count; ++i) {
        PyObject *line;
        if (work->ends[i] == LEFT) {
            line = Py_NewRef(PyTuple_GetItem(work->others, other++));
        } else {
            line = PyBytes_FromStringAndSize((const char *)work->made + start, (Py_ssize_t)(work->ends[i] - start));
            start = work->ends[i];
        }
        set_new(&made, i, line);
    }
    return made;
}

static PyObject *write_cells(harvest_object *self, PyObject *args, PyObject *(*finish)(const writing *))
{
    PyObject *columns, *before, *marks, *words, *wrappers, *warnings, *rows, *hiding, *write;
    const char *plain;
    Py_ssize_t plain_size;
    int leaves_urns;
    if (!PyArg_ParseTuple(args, "O!OOy#OOOpOOO", &PyTuple_Type, &columns, &before, &marks, &plain, &plain_size, &words,
                          &wrappers, &warnings, &leaves_urns, &rows, &hiding, &write))
        return NULL;
    if (plain_size != 128) return PyErr_Format(PyExc_ValueError, "a class for each ASCII character is needed");
    writing work = {.cells.from = &self->rows, .count = self->rows.count};
    cell_writing *cells = &work.cells;
    PyObject *made = NULL;
    piece around[2];
    cells->wrapper_count = cells_wrappings(cells->from, cells->wrappings);
    if (!read_hiding(cells, hiding) || !pieces_of(around, marks, 2, "marks") || !pieces_of(cells->words, words, WORD_COUNT, "words") ||
        !pieces_of(cells->wrappers, wrappers, cells->wrapper_count, "wrappers") ||
        !pieces_of(cells->warnings, warnings, WARNING_SETS, "warnings"))
        return NULL;
    cells->leaves_urns = leaves_urns;
    cells->quote = around[0];
    cells->null = around[1];
    if ((work.indices = indices_of(rows, &work.count)) == NULL) return NULL;
    work.ends = PyMem_Malloc((work.count + 1) * sizeof *work.ends);
    if (work.ends == NULL) {
        PyErr_NoMemory();
    } else if (read_columns(&work, columns, before)) {
        int is_done;
        cells_prepare(cells, (const byte *)plain);
        Py_BEGIN_ALLOW_THREADS
        is_done = write_rows(&work);
        Py_END_ALLOW_THREADS
        if (!is_done) PyErr_NoMemory();
        else if (ask_others(&work, write)) made = finish(&work);
    }
    free(work.made);
    free(cells->scratch);
    PyMem_Free(work.given);
    PyMem_Free(work.ends);
    PyMem_Free(work.indices);
    Py_XDECREF(work.others);
    return made;
}

PyObject *harvest_written(harvest_object *self, PyObject *args) { return write_cells(self, args, in_one); }

PyObject *harvest_each(harvest_object *self, PyObject *args) { return write_cells(self, args, one_by_one); }

PyObject *harvest_hosts(harvest_object *self, PyObject *Py_UNUSED(unused))
{
    harvest *from = &self->rows;
    if (!hosts_number(from)) return PyErr_NoMemory();
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < from->host_count; ++i) append_new(&made, string_or_none(from->each_host[i]));
    return Py_BuildValue("NN", made, items_of(from->hosts, from->count, sizeof *from->hosts));
}

PyObject *harvest_wrappers(harvest_object *self, PyObject *Py_UNUSED(unused))
{
    wrapping found[MOST_WRAPPERS];
    size_t count = cells_wrappings(&self->rows, found);
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < count; ++i)
        append_new(&made, wrapper_of(found[i].opener, found[i].closer));
    return made;
}

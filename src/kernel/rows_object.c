/* The functions that take rows: `table_cells`, `table_fields` and `json_fields`. */
#include "module.h"
#include "rows.h"
#include "utf8.h"

/* An array of 32-bit numbers as bytes: `first`, then others. */
static PyObject *numbers_of(int32_t first, const int32_t *others, size_t count)
{
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((count + 1) * sizeof first));
    if (made == NULL) return NULL;
    byte *to = (byte *)PyBytes_AsString(made);
    memcpy(to, &first, sizeof first);
    if (count) memcpy(to + sizeof first, others, count * sizeof first);
    return made;
}

/* The rows: their bounds, the number of their lines, and offsets and texts of each field. */
static PyObject *rows_of(const row_fields *rows, size_t start)
{
    PyObject *fields = PyTuple_New((Py_ssize_t)rows->field_count);
    for (size_t i = 0; fields != NULL && i < rows->field_count; ++i) {
        const field_texts *one = &rows->fields[i];
        PyObject *pair = Py_BuildValue("NN", numbers_of(0, one->ends, rows->count), items_of(one->bytes, one->size, 1));
        if (pair == NULL || PyTuple_SetItem(fields, (Py_ssize_t)i, pair) < 0) Py_CLEAR(fields);
    }
    PyObject *bounds = numbers_of((int32_t)start, rows->bounds, rows->count);
    return Py_BuildValue("NnN", bounds, (Py_ssize_t)rows->lines, fields);
}

static int are_in_bounds(Py_ssize_t size, Py_ssize_t start, PyObject *fields)
{
    if (size > INT32_MAX || start < 0 || start > size || PyTuple_Size(fields) > MOST_FIELDS)
        return failed(PyExc_ValueError, "too many bytes or fields, or a start outside of the bytes");
    return 1;
}

PyObject *table_fields(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data, *fields;
    Py_ssize_t start, columns, size;
    int delimiter, done;
    char *bytes;
    if (!PyArg_ParseTuple(args, "SninO!", &data, &start, &delimiter, &columns, &PyTuple_Type, &fields)) return NULL;
    if (PyBytes_AsStringAndSize(data, &bytes, &size) < 0 || !are_in_bounds(size, start, fields)) return NULL;
    size_t indices[MOST_FIELDS];
    row_fields rows = {.field_count = (size_t)PyTuple_Size(fields)};
    for (size_t i = 0; i < rows.field_count; ++i) {
        indices[i] = PyLong_AsSize_t(PyTuple_GetItem(fields, (Py_ssize_t)i));
        if (PyErr_Occurred()) return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    done = take_table_rows(&rows, (const byte *)bytes, (size_t)size, (size_t)start, (byte)delimiter, (size_t)columns,
                           indices);
    Py_END_ALLOW_THREADS
    PyObject *made = done ? rows_of(&rows, (size_t)start) : PyErr_NoMemory();
    row_fields_release(&rows);
    return made;
}

PyObject *json_fields(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data, *fields;
    Py_ssize_t start, size;
    char *bytes;
    int done;
    if (!PyArg_ParseTuple(args, "SnO!", &data, &start, &PyTuple_Type, &fields)) return NULL;
    if (PyBytes_AsStringAndSize(data, &bytes, &size) < 0 || !are_in_bounds(size, start, fields)) return NULL;
    const byte *names[MOST_FIELDS];
    size_t sizes[MOST_FIELDS];
    row_fields rows = {.field_count = (size_t)PyTuple_Size(fields)};
    for (size_t i = 0; i < rows.field_count; ++i) {
        char *name;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(fields, (Py_ssize_t)i), &name, &length) < 0) return NULL;
        names[i] = (const byte *)name;
        sizes[i] = (size_t)length;
    }
    Py_BEGIN_ALLOW_THREADS
    done = take_json_rows(&rows, (const byte *)bytes, (size_t)size, (size_t)start, names, sizes);
    Py_END_ALLOW_THREADS
    PyObject *made = done ? rows_of(&rows, (size_t)start) : PyErr_NoMemory();
    row_fields_release(&rows);
    return made;
}

PyObject *table_cells(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data;
    Py_ssize_t size, longest;
    int delimiter;
    char *bytes;
    joined_cells made = {0};
    if (!PyArg_ParseTuple(args, "Sin", &data, &delimiter, &longest)) return NULL;
    if (PyBytes_AsStringAndSize(data, &bytes, &size) < 0) return NULL;
    const byte *source = (const byte *)bytes;
    size_t end, length = 0;
    Py_BEGIN_ALLOW_THREADS
    end = take_cells(&made, source, (size_t)size, (byte)delimiter, longest < 0 ? 0 : (size_t)longest);
    if (end != SIZE_MAX) {
        length = characters(source, end);
        to_characters(made.starts, made.count, source, end);
        if (made.count) to_characters(made.begins, made.count + 1, made.text, made.size);
    }
    Py_END_ALLOW_THREADS
    /* "N" takes what is there, and releases it if something is missing. */
    PyObject *found =
        end == SIZE_MAX
            ? PyErr_NoMemory()
            : Py_BuildValue("NNNNNn", string_of(made.text, made.size),
                            items_of(made.begins, made.count ? made.count + 1 : 0, sizeof *made.begins),
                            items_of(made.starts, made.count, sizeof *made.starts),
                            items_of(made.firsts, made.rows ? made.rows + 1 : 0, sizeof *made.firsts),
                            items_of(made.lines, made.rows ? made.rows + 1 : 0, sizeof *made.lines),
                            (Py_ssize_t)length);
    joined_cells_release(&made);
    return found;
}

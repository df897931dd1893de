/* The functions that take rows: `table_cells`, `table_fields`, `json_fields` and `safe_cells`. */
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
        set_new(&fields, i, Py_BuildValue("NN", numbers_of(0, one->ends, rows->count),
                                          items_of(one->bytes.at, one->bytes.size, 1)));
    }
    PyObject *bounds = numbers_of((int32_t)start, rows->bounds, rows->count);
    return Py_BuildValue("NnN", bounds, (Py_ssize_t)rows->lines, fields);
}

/* The rows of some bytes from a start on: of a table, whose fields are the indices of columns, or of JSON, whose are names. */
static PyObject *fields_of(PyObject *args, int is_table)
{
    PyObject *data, *fields, *made = NULL;
    Py_ssize_t start, columns = 0, size;
    int delimiter = 0, done;
    char *bytes;
    if (is_table ? !PyArg_ParseTuple(args, "SninO!", &data, &start, &delimiter, &columns, &PyTuple_Type, &fields)
                 : !PyArg_ParseTuple(args, "SnO!", &data, &start, &PyTuple_Type, &fields))
        return NULL;
    row_fields rows = {.field_count = (size_t)PyTuple_Size(fields)};
    if (PyBytes_AsStringAndSize(data, &bytes, &size) < 0) return NULL;
    if (size > INT32_MAX || start < 0 || start > size || rows.field_count > MOST_FIELDS)
        return PyErr_Format(PyExc_ValueError, "too many bytes or fields, or a start outside of the bytes");
    const byte *source = (const byte *)bytes, *names[MOST_FIELDS];
    size_t numbers[MOST_FIELDS]; /* the indices of columns, or the sizes of names */
    for (size_t i = 0; i < rows.field_count; ++i) {
        PyObject *field = PyTuple_GetItem(fields, (Py_ssize_t)i);
        Py_ssize_t length;
        char *name;
        if (!is_table && PyBytes_AsStringAndSize(field, &name, &length) < 0) return NULL;
        numbers[i] = is_table ? PyLong_AsSize_t(field) : (size_t)length;
        names[i] = is_table ? NULL : (const byte *)name;
        if (PyErr_Occurred()) return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    if (is_table)
        done = take_table_rows(&rows, source, (size_t)size, (size_t)start, (byte)delimiter, (size_t)columns, numbers);
    else
        done = take_json_rows(&rows, source, (size_t)size, (size_t)start, names, numbers);
    Py_END_ALLOW_THREADS
    made = done ? rows_of(&rows, (size_t)start) : PyErr_NoMemory();
    row_fields_release(&rows);
    return made;
}

PyObject *table_fields(PyObject *Py_UNUSED(module), PyObject *args) { return fields_of(args, 1); }
PyObject *json_fields(PyObject *Py_UNUSED(module), PyObject *args) { return fields_of(args, 0); }

PyObject *table_cells(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data;
    Py_ssize_t start, size, longest;
    int delimiter;
    char *bytes;
    joined_cells made = {0};
    if (!PyArg_ParseTuple(args, "Snin", &data, &start, &delimiter, &longest)) return NULL;
    if (PyBytes_AsStringAndSize(data, &bytes, &size) < 0) return NULL;
    if (start < 0 || start > size) return PyErr_Format(PyExc_ValueError, "a start outside of the bytes");
    const byte *source = (const byte *)bytes + start;
    size_t end, length = 0;
    size -= start;
    Py_BEGIN_ALLOW_THREADS
    end = take_cells(&made, source, (size_t)size, (byte)delimiter, longest < 0 ? 0 : (size_t)longest);
    if (end != SIZE_MAX) {
        length = characters(source, end);
        to_characters(made.starts, made.count, source, end);
        if (made.count) to_characters(made.begins, made.count + 1, made.text.at, made.text.size);
    }
    Py_END_ALLOW_THREADS
    /* "N" takes what is there, and releases it if something is missing. */
    PyObject *found =
        end == SIZE_MAX
            ? PyErr_NoMemory()
            : Py_BuildValue("NNNNNNnn", string_of(made.text.at, made.text.size),
                            items_of(made.begins, made.count ? made.count + 1 : 0, sizeof *made.begins),
                            items_of(made.starts, made.count, sizeof *made.starts),
                            items_of(made.firsts, made.rows ? made.rows + 1 : 0, sizeof *made.firsts),
                            items_of(made.lines, made.rows ? made.rows + 1 : 0, sizeof *made.lines),
                            items_of(made.literals, made.literal_count, sizeof *made.literals),
                            (Py_ssize_t)length, (Py_ssize_t)end);
    joined_cells_release(&made);
    return found;
}

PyObject *safe_cells(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data;
    Py_ssize_t size;
    int delimiter, is_done;
    char *bytes;
    byte_list made = {0};
    size_t changed = 0;
    if (!PyArg_ParseTuple(args, "Si", &data, &delimiter) || PyBytes_AsStringAndSize(data, &bytes, &size) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS
    is_done = take_safe_cells(&made, &changed, (const byte *)bytes, (size_t)size, (byte)delimiter);
    Py_END_ALLOW_THREADS
    PyObject *rows = !is_done ? PyErr_NoMemory() : changed ? items_of(made.at, made.size, 1) : Py_NewRef(data);
    free(made.at);
    return Py_BuildValue("Nn", rows, (Py_ssize_t)changed);
}

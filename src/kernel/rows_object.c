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
    Py_ssize_t start, size, longest, most;
    int delimiter;
    char *bytes;
    joined_cells made = {0};
    PyObject *columns;
    if (!PyArg_ParseTuple(args, "SninnO", &data, &start, &delimiter, &longest, &most, &columns)) return NULL;
    if (PyBytes_AsStringAndSize(data, &bytes, &size) < 0) return NULL;
    if (start < 0 || start > size) return PyErr_Format(PyExc_ValueError, "a start outside of the bytes");
    const byte *source = (const byte *)bytes + start;
    size_t end, length = 0, below = SIZE_MAX, *indices = NULL;
    if (columns != Py_None) {
        if ((indices = indices_of(columns, &below)) == NULL) return NULL;
        made.columns = indices;
        made.column_count = below;
    }
    size -= start;
    Py_BEGIN_ALLOW_THREADS
    end = take_cells(&made, source, (size_t)size, (byte)delimiter, longest < 0 ? 0 : (size_t)longest,
                     most < 0 ? 0 : (size_t)most);
    if (end != SIZE_MAX) {
        length = characters(source, end);
        to_characters(made.starts, made.count, source, end);
        if (made.count) to_characters(made.begins, made.count + 1, made.text.at, made.text.size);
        if (made.chosen_count) to_characters(made.chosen_begins, made.chosen_count + 1, made.chosen.at, made.chosen.size);
    }
    Py_END_ALLOW_THREADS
    /* "N" takes what is there, and releases it if something is missing. */
    PyObject *found =
        end == SIZE_MAX
            ? PyErr_NoMemory()
            : Py_BuildValue("NNNNNNNNNnnN", string_of(made.text.at, made.text.size),
                            items_of(made.begins, made.count ? made.count + 1 : 0, sizeof *made.begins),
                            items_of(made.starts, made.count, sizeof *made.starts),
                            items_of(made.firsts, made.rows ? made.rows + 1 : 0, sizeof *made.firsts),
                            items_of(made.lines, made.rows ? made.rows + 1 : 0, sizeof *made.lines),
                            items_of(made.literals, made.literal_count, sizeof *made.literals),
                            string_of(made.chosen.at, made.chosen.size),
                            items_of(made.chosen_begins, made.chosen_count + 1, sizeof *made.chosen_begins),
                            items_of(made.kept, made.chosen_count, sizeof *made.kept), (Py_ssize_t)length, (Py_ssize_t)end,
                            PyBool_FromLong(searched_size(&made) > (size_t)(most < 0 ? 0 : most)));
    joined_cells_release(&made);
    PyMem_Free(indices);
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

/* Numbers of 64 bits at any address. */
typedef struct {
    const char *at;
    size_t count;
} numbers_in;

static numbers_in list_of(const Py_buffer *from)
{
    return (numbers_in){from->buf, (size_t)from->len / sizeof(int64_t)};
}

/* Where found rows are in a table. */
typedef struct {
    int64_t *lines, *starts, *ends;
    uint32_t *columns;
} cell_places;

enum { FOUND_TEXTS, FOUND_STARTS, FOUND_ENDS, KEPT_CELLS, FIRST_CELLS, LINES_BEFORE, CELL_STARTS, LIST_COUNT };

/* Find the row and the column of each; returns 0 if the numbers do not fit each other. */
static int find_cells(cell_places *to, const numbers_in *lists, int64_t line, int64_t start)
{
    const numbers_in firsts = lists[FIRST_CELLS];
    size_t row = 0;
    for (size_t i = 0; i < lists[FOUND_TEXTS].count; ++i) {
        int64_t cell = int64_at(lists[FOUND_TEXTS].at, i);
        if (lists[KEPT_CELLS].at != NULL) {
            if (cell < 0 || (size_t)cell >= lists[KEPT_CELLS].count) return 0;
            cell = int64_at(lists[KEPT_CELLS].at, (size_t)cell);
        }
        if (cell < 0 || (size_t)cell >= lists[CELL_STARTS].count) return 0;
        if (row && int64_at(firsts.at, row) > cell) row = 0;
        while (row + 1 < firsts.count && int64_at(firsts.at, row + 1) <= cell) ++row;
        if (row + 1 >= firsts.count || row >= lists[LINES_BEFORE].count) return 0;
        const int64_t base = start + int64_at(lists[CELL_STARTS].at, (size_t)cell);
        to->lines[i] = line + int64_at(lists[LINES_BEFORE].at, row);
        to->columns[i] = (uint32_t)(cell - int64_at(firsts.at, row));
        to->starts[i] = base + int64_at(lists[FOUND_STARTS].at, i);
        to->ends[i] = base + int64_at(lists[FOUND_ENDS].at, i);
    }
    return 1;
}

PyObject *places_of_cells(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer given[LIST_COUNT] = {0};
    long long line, start;
    if (!PyArg_ParseTuple(args, "y*y*y*z*y*y*y*LL", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5],
                          &given[6], &line, &start))
        return NULL;
    numbers_in lists[LIST_COUNT];
    for (int i = 0; i < LIST_COUNT; ++i) lists[i] = list_of(&given[i]);
    const size_t count = lists[FOUND_TEXTS].count;
    int64_t *room = PyMem_Malloc((3 * count + 1) * sizeof *room);
    uint32_t *columns = PyMem_Malloc((count + 1) * sizeof *columns);
    cell_places places = {room, room + count, room + 2 * count, columns};
    PyObject *made = NULL;
    if (room == NULL || columns == NULL)
        PyErr_NoMemory();
    else if (lists[FOUND_STARTS].count < count || lists[FOUND_ENDS].count < count || !find_cells(&places, lists, line, start))
        PyErr_SetString(PyExc_ValueError, "what was found does not fit the cells");
    else
        made = Py_BuildValue("NNNN", items_of(places.lines, count, sizeof *places.lines),
                             items_of(columns, count, sizeof *columns), items_of(places.starts, count, sizeof *room),
                             items_of(places.ends, count, sizeof *room));
    PyMem_Free(room);
    PyMem_Free(columns);
    for (int i = 0; i < LIST_COUNT; ++i) PyBuffer_Release(&given[i]);
    return made;
}

/* `_kernel.Harvest`: what a search has found in some text, as columns and rows of Python objects, or as lines. */
#include "module.h"
#include "canonical.h"
#include "key_lines.h"

static void harvest_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    harvest_free(&((harvest_object *)object)->rows);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static Py_ssize_t harvest_length(PyObject *object) { return (Py_ssize_t)((harvest_object *)object)->rows.count; }

static PyObject *lines(harvest_object *self, PyObject *unused)
{
    (void)unused;
    const harvest *from = &self->rows;
    if (from->in_order) return PyBytes_FromStringAndSize((const char *)from->forms, (Py_ssize_t)from->forms_size);
    size_t size = 0;
    for (size_t i = 0; i < from->count; ++i) size += from->rows[i].uri_size + 1;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (made == NULL) return NULL;
    byte *to = (byte *)PyBytes_AsString(made);
    for (size_t i = 0; i < from->count; ++i) {
        memcpy(to, from->forms + from->rows[i].uri, from->rows[i].uri_size + 1);
        to += from->rows[i].uri_size + 1;
    }
    return made;
}

static size_t encoded(byte *to, uint32_t point)
{
    if (point < 0x80) return to[0] = (byte)point, 1;
    if (point < 0x800) return to[0] = (byte)(0xC0 | point >> 6), to[1] = (byte)(0x80 | (point & 63)), 2;
    to[0] = (byte)(0xE0 | point >> 12);
    to[1] = (byte)(0x80 | (point >> 6 & 63));
    to[2] = (byte)(0x80 | (point & 63));
    return 3;
}

PyObject *wrapper_of(uint32_t opener, uint32_t closer)
{
    if (opener == 0) return Py_NewRef(Py_None);
    byte both[8];
    size_t size = encoded(both, opener);
    size += encoded(both + size, closer);
    return string_of(both, size);
}

/* The wrapper of the last row that has one, for the next one that has the same. */
typedef struct {
    uint32_t opener, closer;
    PyObject *text;
} wrapper_text;

static PyObject *wrapper_of_row(const found_row *one, wrapper_text *known)
{
    if (one->opener == 0) return Py_NewRef(Py_None);
    if (known->text == NULL || known->opener != one->opener || known->closer != one->closer) {
        Py_XDECREF(known->text);
        known->text = wrapper_of(one->opener, one->closer);
        known->opener = one->opener;
        known->closer = one->closer;
    }
    return Py_XNewRef(known->text);
}

static PyObject *number_of(uint64_t number) { return PyLong_FromUnsignedLongLong(number); }

typedef enum { RAW, URI, KEY, START, END, LINE, COLUMN, WRAPPER, WARNINGS, BYTE_START, BYTE_END } field;
static const char *const FIELDS[] = {"raw",  "uri",     "key",      "start",      "end",      "line",
                                     "column", "wrapper", "warnings", "byte_start", "byte_end", NULL};

static PyObject *value_of(const harvest *from, const found_row *one, field which, PyObject *warnings,
                          wrapper_text *known)
{
    switch (which) {
    case RAW: return string_of(from->raws + one->raw, one->raw_size);
    case URI: return string_of(from->forms + one->uri, one->uri_size);
    case KEY: return string_of(from->forms + one->key, one->key_size);
    case START: return number_of(one->start);
    case END: return number_of(one->end);
    case LINE: return number_of(one->line);
    case COLUMN: return number_of(one->column);
    case WRAPPER: return wrapper_of_row(one, known);
    case WARNINGS: return Py_XNewRef(PyTuple_GetItem(warnings, one->warnings));
    case BYTE_START: return number_of(one->byte_start);
    default: return number_of(one->byte_end);
    }
}

static PyObject *column(harvest_object *self, PyObject *args)
{
    const char *name;
    PyObject *warnings = NULL;
    if (!PyArg_ParseTuple(args, "s|O", &name, &warnings)) return NULL;
    int which = 0;
    while (FIELDS[which] != NULL && strcmp(FIELDS[which], name) != 0) ++which;
    if (FIELDS[which] == NULL || (which == WARNINGS && (warnings == NULL || PyTuple_Size(warnings) != WARNING_SETS))) {
        PyErr_Format(PyExc_ValueError, "there is no column %s, or its table is missing", name);
        return NULL;
    }
    const harvest *from = &self->rows;
    unsigned needed = which == RAW                             ? WANT_RAW
                      : which == START || which == END         ? WANT_OFFSETS
                      : which == LINE || which == COLUMN       ? WANT_LINES
                      : which == BYTE_START || which == BYTE_END ? WANT_BYTES
                                                               : 0;
    if (from->count && (from->wanted & needed) != needed) {
        PyErr_Format(PyExc_ValueError, "the column %s was not asked for", name);
        return NULL;
    }
    PyObject *values = PyList_New((Py_ssize_t)from->count);
    wrapper_text known = {0, 0, NULL};
    for (size_t i = 0; values != NULL && i < from->count; ++i) {
        PyObject *value = value_of(from, &from->rows[i], (field)which, warnings, &known);
        if (value == NULL || PyList_SetItem(values, (Py_ssize_t)i, value) < 0) Py_CLEAR(values);
    }
    Py_XDECREF(known.text);
    return values;
}

/* One row, in the order of `RecordFields`. `counts` holds the numbers that stand for lines not counted, and the offset
 * in bytes that is not known. */
static PyObject *row_of(const harvest *from, const found_row *one, PyObject *source, PyObject *location,
                        PyObject *warnings, PyObject *zero, wrapper_text *known)
{
    PyObject *values[14];
    unsigned wanted = from->wanted;
    values[1] = string_of(from->forms + one->uri, one->uri_size);
    values[0] = values[1] != NULL && one->raw_size == one->uri_size &&
                        memcmp(from->raws + one->raw, from->forms + one->uri, one->uri_size) == 0
                    ? Py_NewRef(values[1])
                    : string_of(from->raws + one->raw, one->raw_size);
    values[2] = one->key == one->uri ? Py_XNewRef(values[1]) : string_of(from->forms + one->key, one->key_size);
    values[3] = number_of(one->start);
    values[4] = number_of(one->end);
    values[5] = wanted & WANT_LINES ? number_of(one->line) : Py_NewRef(zero);
    values[6] = wanted & WANT_LINES ? number_of(one->column) : Py_NewRef(zero);
    values[7] = Py_NewRef(source);
    values[8] = wrapper_of_row(one, known);
    values[9] = Py_XNewRef(PyTuple_GetItem(warnings, one->warnings));
    values[10] = Py_XNewRef(PyTuple_GetItem(warnings, 0));
    values[11] = wanted & WANT_BYTES ? number_of(one->byte_start) : Py_NewRef(Py_None);
    values[12] = wanted & WANT_BYTES ? number_of(one->byte_end) : Py_NewRef(Py_None);
    values[13] = Py_NewRef(location);
    PyObject *made = PyTuple_New(14);
    for (int i = 0; i < 14; ++i) {
        if (values[i] == NULL) Py_CLEAR(made);
    }
    for (int i = 0; i < 14; ++i) {
        if (made != NULL)
            PyTuple_SetItem(made, i, values[i]);
        else
            Py_XDECREF(values[i]);
    }
    return made;
}

static PyObject *rows(harvest_object *self, PyObject *args)
{
    PyObject *source, *location, *warnings, *indices = Py_None;
    if (!PyArg_ParseTuple(args, "OOO!|O", &source, &location, &PyTuple_Type, &warnings, &indices)) return NULL;
    const harvest *from = &self->rows;
    if (PyTuple_Size(warnings) != WARNING_SETS || (from->count && !(from->wanted & WANT_RAW))) {
        PyErr_SetString(PyExc_ValueError, "rows need the raw texts and the tuples of warnings");
        return NULL;
    }
    size_t count = from->count;
    size_t *wanted = indices_of(indices, &count);
    if (wanted == NULL) return NULL;
    PyObject *zero = PyLong_FromLong(0);
    PyObject *values = zero == NULL ? NULL : PyList_New((Py_ssize_t)count);
    wrapper_text known = {0, 0, NULL};
    for (size_t i = 0; values != NULL && i < count; ++i) {
        PyObject *one = row_of(from, &from->rows[wanted[i]], source, location, warnings, zero, &known);
        if (one == NULL || PyList_SetItem(values, (Py_ssize_t)i, one) < 0) Py_CLEAR(values);
    }
    Py_XDECREF(known.text);
    Py_XDECREF(zero);
    PyMem_Free(wanted);
    return values;
}

static PyObject *warned(harvest_object *self, PyObject *unused)
{
    (void)unused;
    const harvest *from = &self->rows;
    PyObject *indices = PyList_New(0);
    for (size_t i = 0; indices != NULL && from->has_warnings && i < from->count; ++i) {
        if (!from->rows[i].warnings) continue;
        PyObject *index = PyLong_FromSize_t(i);
        if (index == NULL || PyList_Append(indices, index) < 0) Py_CLEAR(indices);
        Py_XDECREF(index);
    }
    return indices;
}

static PyObject *specials(harvest_object *self, PyObject *unused)
{
    (void)unused;
    const harvest *from = &self->rows;
    PyObject *pairs = PyList_New(0);
    for (size_t i = 0; pairs != NULL && from->has_specials && i < from->count; ++i) {
        if (from->rows[i].special == NO_SPECIAL) continue;
        PyObject *pair = Py_BuildValue("nkB", (Py_ssize_t)i, (unsigned long)from->rows[i].special,
                                       from->rows[i].warnings);
        if (pair == NULL || PyList_Append(pairs, pair) < 0) Py_CLEAR(pairs);
        Py_XDECREF(pair);
    }
    return pairs;
}

static PyObject *rejected(harvest_object *self, PyObject *unused)
{
    (void)unused;
    const harvest *from = &self->rows;
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < from->rejected_count; ++i) {
        const rejected_row *one = &from->rejected[i];
        PyObject *raw = string_of(from->raws + one->at.raw, one->at.raw_size);
        PyObject *row = raw == NULL ? NULL
                                    : Py_BuildValue("nkNKKKKKK", (Py_ssize_t)one->row, (unsigned long)one->at.special,
                                                    raw, one->at.start, one->at.end, one->at.line, one->at.column,
                                                    one->at.byte_start, one->at.byte_end);
        if (row == NULL || PyList_Append(made, row) < 0) Py_CLEAR(made);
        Py_XDECREF(row);
    }
    return made;
}

static PyObject *has_warnings(harvest_object *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->rows.has_warnings);
}

static PyObject *has_passwords(harvest_object *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->rows.has_passwords);
}

static PyObject *has_keys(harvest_object *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->rows.has_keys);
}

static PyObject *has_rejected(harvest_object *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(self->rows.rejected_count != 0);
}

PyObject *harvest_of_lines(PyObject *module, PyObject *args)
{
    Py_buffer data;
    unsigned long long number;
    int raws;
    if (!PyArg_ParseTuple(args, "y*Kp", &data, &number, &raws)) return NULL;
    module_state *state = PyModule_GetState(module);
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->harvest, Py_tp_alloc);
    harvest_object *made = (harvest_object *)allocate(state->harvest, 0);
    lines_result result = LINES_NO_MEMORY;
    size_t count = 0;
    if (made != NULL) {
        Py_BEGIN_ALLOW_THREADS
        result = harvest_lines(&made->rows, data.buf, (size_t)data.len, number, raws ? WANT_RAW : 0, &count);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&data);
    if (result == LINES_TAKEN) return Py_BuildValue("Nn", (PyObject *)made, (Py_ssize_t)count);
    Py_XDECREF((PyObject *)made);
    return result == LINES_LEFT ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

static PyMethodDef METHODS[] = {
    {"lines", (PyCFunction)(void (*)(void))lines, METH_NOARGS, "The canonical forms, each with a line feed."},
    {"column", (PyCFunction)(void (*)(void))column, METH_VARARGS, "The values of one column."},
    {"rows", (PyCFunction)(void (*)(void))rows, METH_VARARGS, "The rows, in the order of `RecordFields`."},
    {"endings", (PyCFunction)(void (*)(void))harvest_endings, METH_NOARGS,
     "The different wrappers and bits of warnings of the rows that `written` may write."},
    {"written", (PyCFunction)(void (*)(void))harvest_written, METH_VARARGS, "The lines of some rows."},
    {"each", (PyCFunction)(void (*)(void))harvest_each, METH_VARARGS, "The line of each of some rows."},
    {"buffers", (PyCFunction)(void (*)(void))harvest_buffers, METH_VARARGS, "Some columns as buffers."},
    {"in_texts", (PyCFunction)(void (*)(void))harvest_in_texts, METH_VARARGS,
     "The number of the text that each row is in, with its start and end there."},
    {"warned", (PyCFunction)(void (*)(void))warned, METH_NOARGS, "The rows with warnings that the kernel knows."},
    {"specials", (PyCFunction)(void (*)(void))specials, METH_NOARGS, "The rows of which only Python knows all."},
    {"rejected", (PyCFunction)(void (*)(void))rejected, METH_NOARGS, "The rejected candidates."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    {"has_warnings", (getter)has_warnings, NULL, "Whether a row has a warning.", NULL},
    {"has_passwords", (getter)has_passwords, NULL, "Whether a row has a password.", NULL},
    {"has_keys", (getter)has_keys, NULL, "Whether a key differs from its canonical form.", NULL},
    {"has_rejected", (getter)has_rejected, NULL, "Whether a candidate was rejected.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot HARVEST_SLOTS[] = {
    {Py_tp_dealloc, harvest_dealloc},
    {Py_tp_methods, METHODS},
    {Py_tp_getset, ATTRIBUTES},
    {Py_sq_length, harvest_length},
    {Py_tp_doc, "What a search has found in some text."},
    {0, NULL},
};

PyType_Spec HARVEST_SPEC = {"urisieve._kernel.Harvest", sizeof(harvest_object), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, HARVEST_SLOTS};

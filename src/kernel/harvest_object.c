/* `_kernel.Harvest`: what a search has found in some text, as columns and rows of Python objects, or as lines. */
#include "module.h"
#include "harvest.h"
#include "utf8.h"

DEALLOC(harvest_dealloc, harvest_object, harvest_free, rows)

static Py_ssize_t harvest_length(PyObject *object) { return (Py_ssize_t)((harvest_object *)object)->rows.count; }

static PyObject *lines(harvest_object *self, PyObject *Py_UNUSED(unused))
{
    const harvest *from = &self->rows;
    if (from->in_order) return items_of(from->forms.at, from->forms.size, 1);
    size_t size = 0;
    for (size_t i = 0; i < from->count; ++i) size += from->rows[i].uri_size + 1;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (made == NULL) return NULL;
    byte *to = (byte *)PyBytes_AsString(made);
    for (size_t i = 0; i < from->count; ++i) {
        memcpy(to, from->forms.at + from->rows[i].uri, from->rows[i].uri_size + 1);
        to += from->rows[i].uri_size + 1;
    }
    return made;
}

PyObject *wrapper_of(uint32_t opener, uint32_t closer)
{
    if (opener == 0) return Py_NewRef(Py_None);
    byte both[8];
    size_t size = encode_point(both, opener);
    size += encode_point(both + size, closer);
    return string_of(both, size);
}

/* The wrapper of the last row that has one, for the next one that has the same. */
typedef struct {
    uint32_t opener, closer;
    PyObject *text;
} known_wrapper;

static PyObject *wrapper_of_row(const found_row *one, known_wrapper *known)
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

static PyObject *value_of(const harvest *from, const found_row *one, record_field which, PyObject *warnings,
                          known_wrapper *known)
{
    if (is_number(which)) return PyLong_FromUnsignedLongLong(number_in(one, which));
    if (which == F_WRAPPER) return wrapper_of_row(one, known);
    if (which == F_WARNINGS) return Py_XNewRef(PyTuple_GetItem(warnings, one->warnings));
    component text = text_in(from, one, which);
    return string_of(text.text, text.size);
}

record_field field_of(const harvest *from, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    record_field which = text == NULL ? F_COUNT : field_asked(from, text);
    if (which == F_COUNT && text != NULL)
        PyErr_Format(PyExc_ValueError, "there is no column %s, or it was not asked for", text);
    return which;
}

static PyObject *column(harvest_object *self, PyObject *args)
{
    PyObject *name, *warnings = NULL;
    if (!PyArg_ParseTuple(args, "U|O", &name, &warnings)) return NULL;
    const harvest *from = &self->rows;
    record_field which = field_of(from, name);
    if (which == F_COUNT) return NULL;
    int has_table = warnings != NULL && PyTuple_Check(warnings) && PyTuple_Size(warnings) == WARNING_SETS;
    if (which == F_WARNINGS ? !has_table : !is_number(which) && which > F_KEY && which != F_WRAPPER)
        return PyErr_Format(PyExc_ValueError, "there is no column %U, or its table is missing", name);
    PyObject *values = PyList_New((Py_ssize_t)from->count);
    known_wrapper known = {0, 0, NULL};
    for (size_t i = 0; values != NULL && i < from->count; ++i)
        set_new(&values, i, value_of(from, &from->rows[i], which, warnings, &known));
    Py_XDECREF(known.text);
    return values;
}

static PyObject *selected(harvest_object *self, PyObject *indices)
{
    size_t count = self->rows.count, *wanted = indices_of(indices, &count);
    harvest_object *made = wanted == NULL ? NULL : object_new(Py_TYPE((PyObject *)self));
    if (made != NULL && !harvest_select(&made->rows, &self->rows, wanted, count)) {
        Py_DECREF((PyObject *)made);
        made = NULL;
        PyErr_NoMemory();
    }
    PyMem_Free(wanted);
    return (PyObject *)made;
}

static PyObject *worded(harvest_object *self, PyObject *args)
{
    PyObject *uris, *keys, *raws;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &uris, &PyList_Type, &keys, &PyList_Type, &raws)) return NULL;
    const size_t count = self->rows.count;
    component *texts = PyMem_Malloc((3 * count + 1) * sizeof *texts);
    if (texts == NULL) return PyErr_NoMemory();
    harvest_object *made = NULL;
    if (texts_from(texts, uris, count) && texts_from(texts + count, keys, count) && texts_from(texts + 2 * count, raws, count))
        made = object_new(Py_TYPE((PyObject *)self));
    if (made != NULL && !harvest_word(&made->rows, &self->rows, texts, texts + count, texts + 2 * count)) {
        Py_DECREF((PyObject *)made);
        made = NULL;
        PyErr_NoMemory();
    }
    PyMem_Free(texts);
    return (PyObject *)made;
}

/* Read a pair of the name of a column and its numbers into the rows; returns 0 with an exception set. */
static int put_numbers(harvest *into, PyObject *pair)
{
    const char *name;
    Py_buffer numbers;
    if (!PyTuple_Check(pair)) return failed(PyExc_TypeError, "a tuple of a name and numbers is needed");
    if (!PyArg_ParseTuple(pair, "sy*", &name, &numbers)) return 0;
    if (strcmp(name, "line") == 0) into->wanted |= WANT_LINES;
    else if (strcmp(name, "byte_start") == 0) into->wanted |= WANT_BYTES;
    record_field which = field_asked(into, name);
    int is_right = is_number(which) && (size_t)numbers.len == into->count * sizeof(uint64_t);
    for (size_t i = 0; is_right && i < into->count; ++i)
        memcpy((char *)&into->rows[i] + NUMBER_FIELDS[which], (const char *)numbers.buf + i * sizeof(uint64_t),
               sizeof(uint64_t));
    PyBuffer_Release(&numbers);
    return is_right || failed(PyExc_ValueError, "a column of numbers, and one for each row, is needed");
}

static PyObject *placed(harvest_object *self, PyObject *columns)
{
    harvest_object *made = (harvest_object *)selected(self, Py_None);
    Py_ssize_t count = PyTuple_Check(columns) ? PyTuple_Size(columns) : 0;
    for (Py_ssize_t i = 0; made != NULL && i < count; ++i) {
        if (put_numbers(&made->rows, PyTuple_GetItem(columns, i))) continue;
        Py_DECREF((PyObject *)made);
        made = NULL;
    }
    return (PyObject *)made;
}

/* What the rows of a harvest share. */
typedef struct {
    PyObject *source, *location;
    PyObject *warnings; /* the tuples of warnings by their bits */
    PyObject *zero;     /* the number of lines that were not counted */
    known_wrapper wrapper;
} row_context;

/* A field of a row; texts that are equal to the canonical form are the same object. */
static PyObject *row_value(const harvest *from, const found_row *one, record_field which, PyObject *uri,
                           row_context *shared)
{
    switch (which) {
    case F_RAW:
        if (one->raw_size == one->uri_size && memcmp(from->raws.at + one->raw, from->forms.at + one->uri, one->uri_size) == 0)
            return Py_NewRef(uri);
        break;
    case F_URI: return Py_NewRef(uri);
    case F_KEY:
        if (one->key == one->uri) return Py_NewRef(uri);
        break;
    case F_LINE:
    case F_COLUMN:
        if (!(from->wanted & WANT_LINES)) return Py_NewRef(shared->zero);
        break;
    case F_SOURCE: return Py_NewRef(shared->source);
    case F_ALTERNATIVES: return Py_XNewRef(PyTuple_GetItem(shared->warnings, 0)); /* an empty tuple */
    case F_BYTE_START:
    case F_BYTE_END:
        if (!(from->wanted & WANT_BYTES)) return Py_NewRef(Py_None);
        break;
    case F_LOCATION: return Py_NewRef(shared->location);
    default: break;
    }
    return value_of(from, one, which, shared->warnings, &shared->wrapper);
}

/* One row, in the order of `RecordFields`. */
static PyObject *record_row(const harvest *from, const found_row *one, row_context *shared)
{
    PyObject *uri = string_of(from->forms.at + one->uri, one->uri_size);
    PyObject *made = uri == NULL ? NULL : PyTuple_New(FIELD_COUNT);
    for (size_t i = 0; made != NULL && i < FIELD_COUNT; ++i)
        set_new(&made, i, row_value(from, one, (record_field)i, uri, shared));
    Py_XDECREF(uri);
    return made;
}

static PyObject *rows(harvest_object *self, PyObject *args)
{
    row_context shared = {0};
    PyObject *indices = Py_None;
    if (!PyArg_ParseTuple(args, "OOO!|O", &shared.source, &shared.location, &PyTuple_Type, &shared.warnings, &indices))
        return NULL;
    const harvest *from = &self->rows;
    if (PyTuple_Size(shared.warnings) != WARNING_SETS || (from->count && !(from->wanted & WANT_RAW)))
        return PyErr_Format(PyExc_ValueError, "rows need the raw texts and the tuples of warnings");
    size_t count = from->count;
    size_t *wanted = indices_of(indices, &count);
    if (wanted == NULL) return NULL;
    shared.zero = PyLong_FromLong(0);
    PyObject *values = shared.zero == NULL ? NULL : PyList_New((Py_ssize_t)count);
    for (size_t i = 0; values != NULL && i < count; ++i)
        set_new(&values, i, record_row(from, &from->rows[wanted[i]], &shared));
    Py_XDECREF(shared.wrapper.text);
    Py_XDECREF(shared.zero);
    PyMem_Free(wanted);
    return values;
}

static PyObject *warned(harvest_object *self, PyObject *Py_UNUSED(unused))
{
    const harvest *from = &self->rows;
    PyObject *indices = PyList_New(0);
    for (size_t i = 0; indices != NULL && from->has_warnings && i < from->count; ++i)
        if (from->rows[i].warnings) append_new(&indices, PyLong_FromSize_t(i));
    return indices;
}

static PyObject *specials(harvest_object *self, PyObject *Py_UNUSED(unused))
{
    const harvest *from = &self->rows;
    PyObject *pairs = PyList_New(0);
    for (size_t i = 0; pairs != NULL && from->has_specials && i < from->count; ++i) {
        const found_row *one = &from->rows[i];
        if (one->special >= HAS_READING) continue;
        append_new(&pairs, Py_BuildValue("nIH", (Py_ssize_t)i, one->special, one->warnings));
    }
    return pairs;
}

static PyObject *followed(harvest_object *self, PyObject *Py_UNUSED(unused))
{
    const harvest *from = &self->rows;
    PyObject *found = PyList_New(0);
    for (size_t i = 0; found != NULL && from->has_specials && (from->wanted & WANT_RAW) && i < from->count; ++i) {
        const found_row *one = &from->rows[i];
        if (!(one->warnings & FOUND_TEXT_FOLLOWS)) continue;
        const byte *raw = from->raws.at + one->raw;
        PyObject *shorter = string_of(raw, ascii_run(raw, one->raw_size));
        append_new(&found, Py_BuildValue("nHN", (Py_ssize_t)i, one->warnings, shorter));
    }
    return found;
}

static PyObject *rejected(harvest_object *self, PyObject *Py_UNUSED(unused))
{
    const harvest *from = &self->rows;
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < from->rejected_count; ++i) {
        const found_row *one = &from->rejected[i].at;
        PyObject *raw = string_of(from->raws.at + one->raw, one->raw_size);
        append_new(&made, Py_BuildValue("nINKKKKKK", (Py_ssize_t)from->rejected[i].row, one->special, raw, one->start,
                                        one->end, one->line, one->column, one->byte_start, one->byte_end));
    }
    return made;
}

PyObject *harvest_of_lines(PyObject *module, PyObject *args)
{
    Py_buffer data;
    unsigned long long number;
    int raws;
    if (!PyArg_ParseTuple(args, "y*Kp", &data, &number, &raws)) return NULL;
    harvest_object *made = object_new(((PyTypeObject **)PyModule_GetState(module))[HARVEST_TYPE]);
    lines_result result = LINES_NO_MEMORY;
    size_t count = 0;
    steady_bytes steady = {0};
    if (made != NULL && steady_take(&steady, &data, 0, (size_t)data.len)) {
        Py_BEGIN_ALLOW_THREADS
        result = harvest_lines(&made->rows, steady.data, (size_t)data.len, number, raws ? WANT_RAW : 0, &count);
        Py_END_ALLOW_THREADS
    }
    steady_release(&steady, &data);
    if (result == LINES_TAKEN) return Py_BuildValue("Nn", (PyObject *)made, (Py_ssize_t)count);
    Py_XDECREF((PyObject *)made);
    return result == LINES_LEFT ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

static PyMethodDef METHODS[] = {
    HARVEST_METHODS(LISTED)
    METHOD("lines", lines, METH_NOARGS), METHOD("column", column, METH_VARARGS),
    METHOD("selected", selected, METH_O), METHOD("placed", placed, METH_O), METHOD("worded", worded, METH_VARARGS),
    METHOD("rows", rows, METH_VARARGS),
    METHOD("warned", warned, METH_NOARGS), METHOD("specials", specials, METH_NOARGS),
    METHOD("followed", followed, METH_NOARGS), METHOD("rejected", rejected, METH_NOARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    FLAG_FIELD("has_warnings", harvest_object, rows.has_warnings),
    FLAG_FIELD("has_passwords", harvest_object, rows.has_passwords),
    FLAG_FIELD("has_keys", harvest_object, rows.has_keys),
    {NULL, NULL, NULL, NULL, NULL},
};

TYPE_SPEC(HARVEST_SPEC, "Harvest", harvest_object, Py_TPFLAGS_DISALLOW_INSTANTIATION,
          {Py_tp_dealloc, harvest_dealloc}, {Py_tp_methods, METHODS}, {Py_tp_getset, ATTRIBUTES},
          {Py_sq_length, harvest_length}, {Py_tp_doc, "What a search has found in some text."});

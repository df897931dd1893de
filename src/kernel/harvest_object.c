/* `_kernel.Harvest`: what a search has found in some text, as columns and rows of Python objects, or as lines. */
#include "module.h"
#include "canonical.h"
#include "key_lines.h"
#include "record_fields.h"

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

static PyObject *number_of(uint64_t number) { return PyLong_FromUnsignedLongLong(number); }

/* The columns that a harvest knows itself. */
static const struct {
    const char *name;
    record_field which;
    unsigned needs; /* what must have been asked for */
} COLUMNS[] = {
    {"raw", RAW, WANT_RAW},
    {"uri", URI, 0},
    {"key", KEY, 0},
    {"start", START, WANT_OFFSETS},
    {"end", END, WANT_OFFSETS},
    {"line", LINE, WANT_LINES},
    {"column", COLUMN, WANT_LINES},
    {"wrapper", WRAPPER, 0},
    {"warnings", WARNINGS, 0},
    {"byte_start", BYTE_START, WANT_BYTES},
    {"byte_end", BYTE_END, WANT_BYTES},
};
#define COLUMN_COUNT (sizeof COLUMNS / sizeof *COLUMNS)

static PyObject *value_of(const harvest *from, const found_row *one, record_field which, PyObject *warnings,
                          known_wrapper *known)
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
    unsigned index = 0;
    while (index < COLUMN_COUNT && strcmp(COLUMNS[index].name, name) != 0) ++index;
    int has_table = warnings != NULL && PyTuple_Check(warnings) && PyTuple_Size(warnings) == WARNING_SETS;
    if (index == COLUMN_COUNT || (COLUMNS[index].which == WARNINGS && !has_table)) {
        PyErr_Format(PyExc_ValueError, "there is no column %s, or its table is missing", name);
        return NULL;
    }
    const harvest *from = &self->rows;
    unsigned needs = COLUMNS[index].needs;
    if (from->count && (from->wanted & needs) != needs) {
        PyErr_Format(PyExc_ValueError, "the column %s was not asked for", name);
        return NULL;
    }
    PyObject *values = PyList_New((Py_ssize_t)from->count);
    known_wrapper known = {0, 0, NULL};
    for (size_t i = 0; values != NULL && i < from->count; ++i) {
        PyObject *value = value_of(from, &from->rows[i], COLUMNS[index].which, warnings, &known);
        if (value == NULL || PyList_SetItem(values, (Py_ssize_t)i, value) < 0) Py_CLEAR(values);
    }
    Py_XDECREF(known.text);
    return values;
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
                           row_context *with)
{
    unsigned wanted = from->wanted;
    switch (which) {
    case RAW:
        if (one->raw_size == one->uri_size &&
            memcmp(from->raws + one->raw, from->forms + one->uri, one->uri_size) == 0)
            return Py_NewRef(uri);
        break;
    case URI: return Py_NewRef(uri);
    case KEY:
        if (one->key == one->uri) return Py_NewRef(uri);
        break;
    case LINE:
    case COLUMN:
        if (!(wanted & WANT_LINES)) return Py_NewRef(with->zero);
        break;
    case SOURCE: return Py_NewRef(with->source);
    case ALTERNATIVES: return Py_XNewRef(PyTuple_GetItem(with->warnings, 0)); /* an empty tuple */
    case BYTE_START:
    case BYTE_END:
        if (!(wanted & WANT_BYTES)) return Py_NewRef(Py_None);
        break;
    case LOCATION: return Py_NewRef(with->location);
    default: break;
    }
    return value_of(from, one, which, with->warnings, &with->wrapper);
}

/* One row, in the order of `RecordFields`. */
static PyObject *record_row(const harvest *from, const found_row *one, row_context *with)
{
    PyObject *uri = string_of(from->forms + one->uri, one->uri_size);
    PyObject *made = uri == NULL ? NULL : PyTuple_New(FIELD_COUNT);
    for (int i = 0; made != NULL && i < FIELD_COUNT; ++i) {
        PyObject *value = row_value(from, one, (record_field)i, uri, with);
        if (value == NULL || PyTuple_SetItem(made, i, value) < 0) Py_CLEAR(made);
    }
    Py_XDECREF(uri);
    return made;
}

static PyObject *rows(harvest_object *self, PyObject *args)
{
    row_context with = {0};
    PyObject *indices = Py_None;
    if (!PyArg_ParseTuple(args, "OOO!|O", &with.source, &with.location, &PyTuple_Type, &with.warnings, &indices))
        return NULL;
    const harvest *from = &self->rows;
    if (PyTuple_Size(with.warnings) != WARNING_SETS || (from->count && !(from->wanted & WANT_RAW))) {
        PyErr_SetString(PyExc_ValueError, "rows need the raw texts and the tuples of warnings");
        return NULL;
    }
    size_t count = from->count;
    size_t *wanted = indices_of(indices, &count);
    if (wanted == NULL) return NULL;
    with.zero = PyLong_FromLong(0);
    PyObject *values = with.zero == NULL ? NULL : PyList_New((Py_ssize_t)count);
    for (size_t i = 0; values != NULL && i < count; ++i) {
        PyObject *one = record_row(from, &from->rows[wanted[i]], &with);
        if (one == NULL || PyList_SetItem(values, (Py_ssize_t)i, one) < 0) Py_CLEAR(values);
    }
    Py_XDECREF(with.wrapper.text);
    Py_XDECREF(with.zero);
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

/* The size of the head of a URI: the scheme and the authority, or the namespace of a URN. */
static size_t head_size(const byte *uri, size_t size)
{
    const byte *colon = memchr(uri, ':', size), *stop = uri + size;
    if (colon == NULL) return 0;
    const byte *at = colon + 1;
    if (colon - uri == 3 && (uri[0] | 32) == 'u' && (uri[1] | 32) == 'r' && (uri[2] | 32) == 'n') {
        const byte *next = memchr(at, ':', (size_t)(stop - at));
        return (size_t)((next == NULL ? stop : next) - uri);
    }
    if (stop - at < 2 || at[0] != '/' || at[1] != '/') return (size_t)(at - uri);
    for (at += 2; at < stop && *at != '/' && *at != '?' && *at != '#'; ++at) {}
    return (size_t)(at - uri);
}

#define KNOWN_HEADS 1024u

typedef struct {
    const byte *at;
    size_t size;
    PyObject *text; /* NULL in a free place; a reference of the list */
} known_head;

static PyObject *head_of(const byte *uri, size_t size, known_head *known)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ uri[i]) * 16777619u;
    known_head *one = &known[hash % KNOWN_HEADS];
    if (one->text != NULL && one->size == size && memcmp(one->at, uri, size) == 0) return Py_NewRef(one->text);
    PyObject *text = string_of(uri, size);
    if (text != NULL) *one = (known_head){uri, size, text};
    return text;
}

static PyObject *heads(harvest_object *self, PyObject *unused)
{
    (void)unused;
    const harvest *from = &self->rows;
    known_head *known = PyMem_Calloc(KNOWN_HEADS, sizeof *known);
    if (known == NULL) return PyErr_NoMemory();
    PyObject *values = PyList_New((Py_ssize_t)from->count);
    for (size_t i = 0; values != NULL && i < from->count; ++i) {
        const byte *uri = from->forms + from->rows[i].uri;
        PyObject *value = head_of(uri, head_size(uri, from->rows[i].uri_size), known);
        if (value == NULL || PyList_SetItem(values, (Py_ssize_t)i, value) < 0) Py_CLEAR(values);
    }
    PyMem_Free(known);
    return values;
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
    steady_bytes steady = {0};
    if (made != NULL && steady_take(&steady, &data, 0, (size_t)data.len)) {
        Py_BEGIN_ALLOW_THREADS
        result = harvest_lines(&made->rows, steady.data, (size_t)data.len, number, raws ? WANT_RAW : 0, &count);
        Py_END_ALLOW_THREADS
    }
    steady_release(&steady);
    PyBuffer_Release(&data);
    if (result == LINES_TAKEN) return Py_BuildValue("Nn", (PyObject *)made, (Py_ssize_t)count);
    Py_XDECREF((PyObject *)made);
    return result == LINES_LEFT ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

static PyMethodDef METHODS[] = {
    {"lines", (PyCFunction)(void (*)(void))lines, METH_NOARGS, "The canonical forms, each with a line feed."},
    {"column", (PyCFunction)(void (*)(void))column, METH_VARARGS, "The values of one column."},
    {"heads", (PyCFunction)(void (*)(void))heads, METH_NOARGS,
     "The scheme and authority of each URI, or the namespace of a URN."},
    {"rows", (PyCFunction)(void (*)(void))rows, METH_VARARGS, "The rows, in the order of `RecordFields`."},
    {"wrappers", (PyCFunction)(void (*)(void))harvest_wrappers, METH_NOARGS, "The different wrappers of the rows."},
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

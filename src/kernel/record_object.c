/* `_kernel.RecordBase`: the fields of one identifier, on which `urisieve.Record` is built.
 *
 * A record holds either a row, which is a tuple in the order of `RecordFields`, or a copy of what a search has found:
 * numbers and texts behind each other in one piece of memory, of which it makes Python objects when they are asked for.
 * So it keeps nothing of the search alive. */
#include "module.h"
#include "proved_object.h"
#include "record_fields.h"

/* What the records of a harvest share, as a tuple: source, location, and the tuples of warnings by their bits. */
enum { SHARED_SOURCE, SHARED_LOCATION, SHARED_WARNINGS, SHARED_COUNT };

/* The fields of a record without a row. Behind them stand two offsets in bytes, if they are known, and the texts: the
 * canonical form, then the raw text and the key where they differ from it. */
typedef struct {
    uint64_t start, end, line, column;
    uint32_t uri_size, raw_size, key_size;
    uint32_t opener, closer;
    uint8_t warnings, has_raw, has_key, has_bytes;
} packed_fields;

typedef struct {
    uint64_t start, end;
} byte_offsets;

/* Its size is a multiple of the alignment of what stands behind it, on processors of 32 bits too. */
typedef struct {
    _Alignas(packed_fields) PyVarObject head;
    PyObject *row;    /* or NULL, if the fields are packed behind this */
    PyObject *shared; /* or NULL: no source, no location and no warnings */
    PyObject *parts;  /* the components of the URI, or NULL while they are not known */
    PyObject *ruled;  /* the rule table, or NULL for the usual one */
} record_object;

_Static_assert(sizeof(record_object) % _Alignof(packed_fields) == 0, "the fields behind a record are not aligned");
_Static_assert(sizeof(packed_fields) % _Alignof(byte_offsets) == 0, "the offsets behind the fields are not aligned");

static record_object *record(PyObject *object) { return (record_object *)object; }
static int is_packed(PyObject *object) { return Py_SIZE(object) > 0; }
static packed_fields *packed(PyObject *object) { return (packed_fields *)(record(object) + 1); }
static byte_offsets *in_bytes(PyObject *object) { return (byte_offsets *)(packed(object) + 1); }
static byte *texts(PyObject *object) { return (byte *)(in_bytes(object) + packed(object)->has_bytes); }

/* Whether records of a type may be packed: its objects are those of a subclass made in Python, which the collector of
 * garbage tracks. It can leave records alone, since nothing that they refer to leads back to them. */
static int is_tracked_type(PyObject *type)
{
    if (PyType_GetFlags((PyTypeObject *)type) & Py_TPFLAGS_HAVE_GC) return 1;
    PyErr_SetString(PyExc_TypeError, "records are made of a subclass");
    return 0;
}

static PyObject *packed_record(PyTypeObject *type, allocfunc allocate, const packed_fields *fields, const byte *uri,
                               const byte *raw, const byte *key)
{
    size_t size = sizeof *fields + (fields->has_bytes ? sizeof(byte_offsets) : 0) + fields->uri_size +
                  (fields->has_raw ? fields->raw_size : 0) + (fields->has_key ? fields->key_size : 0);
    PyObject *made = allocate(type, (Py_ssize_t)size);
    if (made == NULL) return NULL;
    PyObject_GC_UnTrack(made);
    *packed(made) = *fields;
    byte *to = texts(made);
    memcpy(to, uri, fields->uri_size);
    to += fields->uri_size;
    if (fields->has_raw) {
        memcpy(to, raw, fields->raw_size);
        to += fields->raw_size;
    }
    if (fields->has_key) memcpy(to, key, fields->key_size);
    return made;
}

static PyObject *found_record(PyTypeObject *type, allocfunc allocate, const harvest *from, const found_row *one)
{
    const byte *uri = from->forms + one->uri, *raw = from->raws + one->raw;
    int has_lines = (from->wanted & WANT_LINES) != 0;
    packed_fields fields = {
        .start = one->start,
        .end = one->end,
        .line = has_lines ? one->line : 0,
        .column = has_lines ? one->column : 0,
        .uri_size = one->uri_size,
        .raw_size = one->raw_size,
        .key_size = one->key_size,
        .opener = one->opener,
        .closer = one->closer,
        .warnings = one->warnings,
        .has_raw = one->raw_size != one->uri_size || memcmp(uri, raw, one->uri_size) != 0,
        .has_key = one->key != one->uri,
        .has_bytes = (from->wanted & WANT_BYTES) != 0,
    };
    PyObject *made = packed_record(type, allocate, &fields, uri, raw, from->forms + one->key);
    if (made != NULL && fields.has_bytes) *in_bytes(made) = (byte_offsets){one->byte_start, one->byte_end};
    return made;
}

/* The records of a harvest, by its own numbers: `Record._found(harvest, shared, ruled)`. */
static PyObject *found(PyObject *type, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    module_state *state = PyType_GetModuleState(defining);
    if (count != 3 || names != NULL || Py_TYPE(args[0]) != state->harvest || !PyTuple_Check(args[1]) ||
        PyTuple_Size(args[1]) != SHARED_COUNT || !PyTuple_Check(PyTuple_GetItem(args[1], SHARED_WARNINGS)) ||
        PyTuple_Size(PyTuple_GetItem(args[1], SHARED_WARNINGS)) != WARNING_SETS) {
        PyErr_SetString(PyExc_TypeError, "_found() takes a Harvest, what its records share, and their rules or None");
        return NULL;
    }
    if (!is_tracked_type(type)) return NULL;
    const harvest *from = &((harvest_object *)args[0])->rows;
    if (from->count && !(from->wanted & WANT_RAW)) {
        PyErr_SetString(PyExc_ValueError, "records need the raw texts");
        return NULL;
    }
    PyObject *ruled = args[2] == Py_None ? NULL : args[2];
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    PyObject *records = PyList_New((Py_ssize_t)from->count);
    for (size_t i = 0; records != NULL && i < from->count; ++i) {
        PyObject *one = found_record((PyTypeObject *)type, allocate, from, &from->rows[i]);
        if (one == NULL) {
            Py_CLEAR(records);
            break;
        }
        record(one)->shared = Py_NewRef(args[1]);
        record(one)->ruled = Py_XNewRef(ruled);
        PyList_SetItem(records, (Py_ssize_t)i, one);
    }
    return records;
}

/* The record of a text that is one identifier: `Record._proved(text)`; None if it has warnings or the judge has to
 * decide. */
static PyObject *proved(PyObject *type, PyObject *text)
{
    proved_form form;
    if (!is_tracked_type(type)) return NULL;
    int is_proved = prove(&form, text);
    if (is_proved < 0) return NULL;
    if (!is_proved || form.warnings) {
        if (is_proved) proved_free(&form);
        return Py_NewRef(Py_None);
    }
    packed_fields fields = {
        .end = (uint64_t)PyUnicode_GetLength(text),
        .line = 1,
        .column = 1,
        .uri_size = (uint32_t)form.length,
        .raw_size = (uint32_t)form.size,
        .has_raw = !form.is_same,
    };
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    PyObject *made = packed_record((PyTypeObject *)type, allocate, &fields, form.text, form.raw, NULL);
    proved_free(&form);
    return made;
}

static PyObject *shared_by(PyObject *object, Py_ssize_t index)
{
    PyObject *shared = record(object)->shared;
    return Py_NewRef(shared == NULL ? Py_None : PyTuple_GetItem(shared, index));
}

static PyObject *offset_in_bytes(PyObject *object, int is_end)
{
    if (!packed(object)->has_bytes) return Py_NewRef(Py_None);
    return PyLong_FromUnsignedLongLong(is_end ? in_bytes(object)->end : in_bytes(object)->start);
}

static PyObject *packed_field(PyObject *object, record_field which)
{
    const packed_fields *from = packed(object);
    const byte *text = texts(object);
    const byte *behind = text + from->uri_size;
    switch (which) {
    case RAW: return from->has_raw ? string_of(behind, from->raw_size) : string_of(text, from->uri_size);
    case URI: return string_of(text, from->uri_size);
    case KEY:
        if (!from->has_key) return string_of(text, from->uri_size);
        return string_of(behind + (from->has_raw ? from->raw_size : 0), from->key_size);
    case START: return PyLong_FromUnsignedLongLong(from->start);
    case END: return PyLong_FromUnsignedLongLong(from->end);
    case LINE: return PyLong_FromUnsignedLongLong(from->line);
    case COLUMN: return PyLong_FromUnsignedLongLong(from->column);
    case SOURCE: return shared_by(object, SHARED_SOURCE);
    case WRAPPER: return wrapper_of(from->opener, from->closer);
    case WARNINGS:
        if (from->warnings == 0) return PyTuple_New(0);
        return Py_XNewRef(PyTuple_GetItem(PyTuple_GetItem(record(object)->shared, SHARED_WARNINGS), from->warnings));
    case ALTERNATIVES: return PyTuple_New(0);
    case BYTE_START: return offset_in_bytes(object, 0);
    case BYTE_END: return offset_in_bytes(object, 1);
    default: return shared_by(object, SHARED_LOCATION);
    }
}

static PyObject *missing(void)
{
    PyErr_SetString(PyExc_AttributeError, "the record is empty");
    return NULL;
}

static PyObject *field(PyObject *object, record_field which)
{
    if (is_packed(object)) return packed_field(object, which);
    return record(object)->row == NULL ? missing() : Py_XNewRef(PyTuple_GetItem(record(object)->row, which));
}

/* One method for each field: a property of Python calls it without a frame. */
static PyObject *raw(PyObject *object, PyObject *unused) { return (void)unused, field(object, RAW); }
static PyObject *uri(PyObject *object, PyObject *unused) { return (void)unused, field(object, URI); }
static PyObject *key(PyObject *object, PyObject *unused) { return (void)unused, field(object, KEY); }
static PyObject *start(PyObject *object, PyObject *unused) { return (void)unused, field(object, START); }
static PyObject *end(PyObject *object, PyObject *unused) { return (void)unused, field(object, END); }
static PyObject *line(PyObject *object, PyObject *unused) { return (void)unused, field(object, LINE); }
static PyObject *column(PyObject *object, PyObject *unused) { return (void)unused, field(object, COLUMN); }
static PyObject *source(PyObject *object, PyObject *unused) { return (void)unused, field(object, SOURCE); }
static PyObject *wrapper(PyObject *object, PyObject *unused) { return (void)unused, field(object, WRAPPER); }
static PyObject *warnings(PyObject *object, PyObject *unused) { return (void)unused, field(object, WARNINGS); }
static PyObject *alternatives(PyObject *object, PyObject *unused) { return (void)unused, field(object, ALTERNATIVES); }
static PyObject *byte_start(PyObject *object, PyObject *unused) { return (void)unused, field(object, BYTE_START); }
static PyObject *byte_end(PyObject *object, PyObject *unused) { return (void)unused, field(object, BYTE_END); }
static PyObject *location(PyObject *object, PyObject *unused) { return (void)unused, field(object, LOCATION); }

static PyObject *get_row(PyObject *object, void *unused)
{
    (void)unused;
    if (!is_packed(object)) return record(object)->row == NULL ? missing() : Py_NewRef(record(object)->row);
    PyObject *row = PyTuple_New(FIELD_COUNT);
    for (int i = 0; row != NULL && i < FIELD_COUNT; ++i) {
        PyObject *value = packed_field(object, (record_field)i);
        if (value == NULL || PyTuple_SetItem(row, i, value) < 0) Py_CLEAR(row);
    }
    return row;
}

/* Set one of the objects that a record refers to. */
static int set(PyObject **slot, PyObject *value)
{
    PyObject *old = replaced_object(slot, value);
    Py_XDECREF(old);
    return 0;
}

static int set_row(PyObject *object, PyObject *value, void *unused)
{
    (void)unused;
    if (value == NULL || !PyTuple_Check(value) || PyTuple_Size(value) != FIELD_COUNT || is_packed(object)) {
        PyErr_SetString(PyExc_TypeError, "a row is a tuple of all fields, of a record without any");
        return -1;
    }
    return set(&record(object)->row, value);
}

static PyObject *get_parts(PyObject *object, void *unused)
{
    (void)unused;
    return record(object)->parts == NULL ? missing() : Py_NewRef(record(object)->parts);
}

static int set_parts(PyObject *object, PyObject *value, void *unused)
{
    (void)unused;
    return set(&record(object)->parts, value);
}

static PyObject *get_ruled(PyObject *object, void *unused)
{
    (void)unused;
    return record(object)->ruled == NULL ? missing() : Py_NewRef(record(object)->ruled);
}

static int set_ruled(PyObject *object, PyObject *value, void *unused)
{
    (void)unused;
    return set(&record(object)->ruled, value);
}

static void record_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(record(object)->row);
    Py_XDECREF(record(object)->shared);
    Py_XDECREF(record(object)->parts);
    Py_XDECREF(record(object)->ruled);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

#define FIELD(name) {#name, name, METH_NOARGS, NULL}
static PyMethodDef METHODS[] = {
    FIELD(raw), FIELD(uri), FIELD(key), FIELD(start), FIELD(end), FIELD(line), FIELD(column), FIELD(source),
    FIELD(wrapper), FIELD(warnings), FIELD(alternatives), FIELD(byte_start), FIELD(byte_end),
    {"_location", location, METH_NOARGS, NULL},
    {"_found", (PyCFunction)(void (*)(void))found, METH_CLASS | METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "The records of a harvest."},
    {"_proved", proved, METH_CLASS | METH_O,
     "The record of one identifier without warnings; None if the judge has to decide."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    {"_row", get_row, set_row, "The fields, in the order of `RecordFields`.", NULL},
    {"_parts", get_parts, set_parts, "The components of the URI, once they are known.", NULL},
    {"_ruled", get_ruled, set_ruled, "The rule table, if it is not the usual one.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot RECORD_SLOTS[] = {
    {Py_tp_dealloc, record_dealloc},
    {Py_tp_methods, METHODS},
    {Py_tp_getset, ATTRIBUTES},
    {Py_tp_doc, "The fields of one identifier."},
    {0, NULL},
};

PyType_Spec RECORD_SPEC = {"urisieve._kernel.RecordBase", sizeof(record_object), 1,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, RECORD_SLOTS};

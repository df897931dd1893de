/* `_kernel.RecordBase`: the fields of one identifier, on which `urisieve.Record` is built.
 *
 * A record has either a row, which is a tuple in the order of `RecordFields`, or a copy of what a search has found:
 * numbers and texts one after the other in one piece of memory, of which it makes Python objects when they are asked for.
 * So it keeps nothing of the search alive. */
#include "module.h"
#include "proved_object.h"
#include "search_object.h"

/* What the records of a harvest share, as a tuple: source, location, and the tuples of warnings by their bits. */
enum { SHARED_SOURCE, SHARED_LOCATION, SHARED_WARNINGS, SHARED_COUNT };

/* The fields of a record without a row. After them are two offsets in bytes, if they are known, and the texts: the
 * canonical form, then the raw text and the key where they differ from it. */
typedef struct {
    uint64_t start, end, line, column;
    uint32_t uri_size, raw_size, key_size;
    uint32_t opener, closer;
    uint16_t warnings;
    uint8_t has_raw : 1, has_key : 1, has_bytes : 1;
} packed_fields;

typedef struct {
    uint64_t start, end;
} byte_offsets;

/* Its size is a multiple of the alignment of what is after it, on processors of 32 bits too. */
typedef struct {
    _Alignas(packed_fields) PyVarObject head;
    PyObject *row;    /* or NULL, if the fields are packed after this */
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
static int is_tracked_type(PyTypeObject *type)
{
    return PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC || failed(PyExc_TypeError, "records are made of a subclass");
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
    byte *to = put_bytes(texts(made), uri, fields->uri_size);
    if (fields->has_raw) to = put_bytes(to, raw, fields->raw_size);
    if (fields->has_key) put_bytes(to, key, fields->key_size);
    return made;
}

static PyObject *found_record(PyTypeObject *type, allocfunc allocate, const harvest *from, const found_row *one)
{
    const byte *uri = from->forms.at + one->uri, *raw = from->raws.at + one->raw;
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
    PyObject *made = packed_record(type, allocate, &fields, uri, raw, from->forms.at + one->key);
    if (made != NULL && fields.has_bytes) *in_bytes(made) = (byte_offsets){one->byte_start, one->byte_end};
    return made;
}

/* Whether an object is what records share. */
static int is_shared(PyObject *object)
{
    if (!PyTuple_Check(object) || PyTuple_Size(object) != SHARED_COUNT) return 0;
    PyObject *warnings = PyTuple_GetItem(object, SHARED_WARNINGS);
    return PyTuple_Check(warnings) && PyTuple_Size(warnings) == WARNING_SETS;
}

static PyObject *records_of(PyTypeObject *type, const harvest *from, PyObject *shared, PyObject *ruled)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *records = PyList_New((Py_ssize_t)from->count);
    for (size_t i = 0; records != NULL && i < from->count; ++i) {
        PyObject *one = found_record(type, allocate, from, &from->rows[i]);
        if (one != NULL) {
            record(one)->shared = Py_NewRef(shared);
            if (ruled != Py_None) record(one)->ruled = Py_NewRef(ruled);
        }
        set_new(&records, i, one);
    }
    return records;
}

/* The records of a harvest, by its own numbers: `Record._found(harvest, shared, ruled)`. */
static PyObject *found(PyTypeObject *type, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                       PyObject *names)
{
    PyTypeObject **types = PyType_GetModuleState(defining);
    if (count != 3 || names != NULL || Py_TYPE(args[0]) != types[HARVEST_TYPE] || !is_shared(args[1]))
        return PyErr_Format(PyExc_TypeError, "_found() takes a Harvest, what its records share, and rules or None");
    if (!is_tracked_type(type)) return NULL;
    const harvest *from = &((harvest_object *)args[0])->rows;
    if (from->count && !(from->wanted & WANT_RAW)) return PyErr_Format(PyExc_ValueError, "records need the raw texts");
    return records_of(type, from, args[1], args[2]);
}

/* The records of a whole short text: `Record._searched(search, shared, ruled, lines, text)`; None if there is something
 * in it that only Python knows. */
static PyObject *searched(PyTypeObject *type, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                          PyObject *names)
{
    PyTypeObject **types = PyType_GetModuleState(defining);
    if (count != 5 || names != NULL || Py_TYPE(args[0]) != types[SEARCH_TYPE] || !is_shared(args[1]))
        return PyErr_Format(PyExc_TypeError, "_searched() takes a Search, what records share, rules, and a text");
    if (!is_tracked_type(type)) return NULL;
    search_object *by = (search_object *)args[0];
    int is_decided = search_at_once(by, args[4]);
    if (is_decided <= 0) return is_decided < 0 ? NULL : Py_NewRef(Py_None);
    if (by->in.row_count == 0) return PyList_New(0);
    harvest rows;
    unsigned wanted = WANT_RAW | WANT_OFFSETS | (args[3] == Py_True ? WANT_LINES : 0);
    PyObject *records = NULL;
    if (!harvest_take(&rows, &by->in, wanted)) PyErr_NoMemory();
    else if (rows.has_specials || rows.rejected_count) records = Py_NewRef(Py_None);
    else records = records_of(type, &rows, args[1], args[2]);
    harvest_free(&rows);
    return records;
}

/* The record of a text that is one identifier: `Record._proved(text, shared)`; None if the judge has to decide. */
static PyObject *proved(PyTypeObject *type, PyObject *const *args, Py_ssize_t count)
{
    proved_form form;
    if (count != 2 || !is_shared(args[1])) return PyErr_Format(PyExc_TypeError, "_proved() takes a text and what is shared");
    if (!is_tracked_type(type)) return NULL;
    PyObject *text = args[0];
    int is_proved = prove(&form, text);
    if (is_proved <= 0) return is_proved < 0 ? NULL : Py_NewRef(Py_None);
    packed_fields fields = {
        .end = (uint64_t)PyUnicode_GetLength(text),
        .line = 1,
        .column = 1,
        .uri_size = (uint32_t)form.length,
        .raw_size = (uint32_t)form.size,
        .has_raw = !form.is_same,
        .warnings = (uint16_t)form.warnings,
    };
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *made = packed_record(type, allocate, &fields, form.text, form.raw, form.text);
    if (made != NULL && form.warnings) record(made)->shared = Py_NewRef(args[1]);
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
    case F_RAW: return from->has_raw ? string_of(behind, from->raw_size) : string_of(text, from->uri_size);
    case F_URI: return string_of(text, from->uri_size);
    case F_KEY:
        if (!from->has_key) return string_of(text, from->uri_size);
        return string_of(behind + (from->has_raw ? from->raw_size : 0), from->key_size);
    case F_START: return PyLong_FromUnsignedLongLong(from->start);
    case F_END: return PyLong_FromUnsignedLongLong(from->end);
    case F_LINE: return PyLong_FromUnsignedLongLong(from->line);
    case F_COLUMN: return PyLong_FromUnsignedLongLong(from->column);
    case F_SOURCE: return shared_by(object, SHARED_SOURCE);
    case F_WRAPPER: return wrapper_of(from->opener, from->closer);
    case F_WARNINGS:
        if (from->warnings == 0) return PyTuple_New(0);
        return Py_XNewRef(PyTuple_GetItem(PyTuple_GetItem(record(object)->shared, SHARED_WARNINGS), from->warnings));
    case F_ALTERNATIVES: return PyTuple_New(0);
    case F_BYTE_START: return offset_in_bytes(object, 0);
    case F_BYTE_END: return offset_in_bytes(object, 1);
    default: return shared_by(object, SHARED_LOCATION);
    }
}

static PyObject *missing(void) { return PyErr_Format(PyExc_AttributeError, "the record is empty"); }

static PyObject *field(PyObject *object, record_field which)
{
    if (is_packed(object)) return packed_field(object, which);
    return record(object)->row == NULL ? missing() : Py_XNewRef(PyTuple_GetItem(record(object)->row, which));
}

/* One method for each field: a property of Python calls it without a frame. */
#define RECORD_FIELDS(X)                                                                                             \
    X(raw, F_RAW) X(uri, F_URI) X(key, F_KEY) X(start, F_START) X(end, F_END) X(line, F_LINE) X(column, F_COLUMN)    \
    X(source, F_SOURCE) X(wrapper, F_WRAPPER) X(warnings, F_WARNINGS) X(alternatives, F_ALTERNATIVES)                \
    X(byte_start, F_BYTE_START) X(byte_end, F_BYTE_END)
#define FIELD_METHOD(name, which) \
    static PyObject *name(PyObject *object, PyObject *Py_UNUSED(unused)) { return field(object, which); }
RECORD_FIELDS(FIELD_METHOD)
FIELD_METHOD(location, F_LOCATION)

static PyObject *get_row(PyObject *object, void *Py_UNUSED(unused))
{
    if (!is_packed(object)) return record(object)->row == NULL ? missing() : Py_NewRef(record(object)->row);
    PyObject *row = PyTuple_New(FIELD_COUNT);
    for (size_t i = 0; row != NULL && i < FIELD_COUNT; ++i) set_new(&row, i, packed_field(object, (record_field)i));
    return row;
}

/* Set one of the objects that a record refers to. */
static int set(PyObject **slot, PyObject *value)
{
    PyObject *old = replaced_object(slot, value);
    Py_XDECREF(old);
    return 0;
}

static int set_row(PyObject *object, PyObject *value, void *Py_UNUSED(unused))
{
    if (value == NULL || !PyTuple_Check(value) || PyTuple_Size(value) != FIELD_COUNT || is_packed(object)) {
        PyErr_SetString(PyExc_TypeError, "a row is a tuple of all fields, of a record without any");
        return -1;
    }
    return set(&record(object)->row, value);
}

/* One of these objects, by the offset of its slot. */
static PyObject **slot_at(PyObject *object, void *offset)
{
    return (PyObject **)(void *)((char *)object + (size_t)offset);
}

static PyObject *get_slot(PyObject *object, void *offset)
{
    PyObject *value = *slot_at(object, offset);
    return value == NULL ? missing() : Py_NewRef(value);
}

static PyObject *get_parts(PyObject *object, void *Py_UNUSED(unused))
{
    PyObject *parts = record(object)->parts;
    return Py_NewRef(parts == NULL ? Py_None : parts);
}

static int set_slot(PyObject *object, PyObject *value, void *offset) { return set(slot_at(object, offset), value); }

static void record_dealloc(PyObject *object)
{
    Py_XDECREF(record(object)->row);
    Py_XDECREF(record(object)->shared);
    Py_XDECREF(record(object)->parts);
    Py_XDECREF(record(object)->ruled);
    object_free(object);
}

#define FIELD_ROW(name, which) METHOD(#name, name, METH_NOARGS),
static PyMethodDef METHODS[] = {
    RECORD_FIELDS(FIELD_ROW)
    METHOD("_location", location, METH_NOARGS),
    METHOD("_found", found, METH_CLASS | METH_METHOD | METH_FASTCALL | METH_KEYWORDS),
    METHOD("_searched", searched, METH_CLASS | METH_METHOD | METH_FASTCALL | METH_KEYWORDS),
    METHOD("_proved", proved, METH_CLASS | METH_FASTCALL),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    {"_row", get_row, set_row, NULL, NULL},
    {"_parts", get_parts, set_slot, NULL, (void *)offsetof(record_object, parts)},
    {"_ruled", get_slot, set_slot, NULL, (void *)offsetof(record_object, ruled)},
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

/* Methods of `_kernel.Harvest`, and a function, that give columns as buffers in the layout of Apache Arrow: 64-bit numbers, and texts as
 * a bitmap of those that are present, 32-bit offsets and UTF-8. Nothing here knows more of Arrow than that. */
#include "module.h"
#include "canonical.h"
#include "components.h"
#include "harvest.h"

#define MOST_COLUMNS 16

typedef enum {
    F_RAW, F_URI, F_KEY,
    F_START, F_END, F_LINE, F_COLUMN, F_BYTE_START, F_BYTE_END, /* numbers */
    F_COMPONENT
} buffer_field;

static const char *const COMPONENTS[] = {"scheme", "userinfo", "host", "port", "path", "query", "fragment", NULL};
static const char *const OTHERS[] = {"raw",  "uri",    "key",        "start",    "end",
                                     "line", "column", "byte_start", "byte_end", NULL};
/* What has to be asked for to have each of them. */
static const unsigned NEEDED[] = {WANT_RAW,   0,          0,          WANT_OFFSETS, WANT_OFFSETS,
                                  WANT_LINES, WANT_LINES, WANT_BYTES, WANT_BYTES};

/* A column that is being made. */
typedef struct {
    buffer_field field;
    int component;
    PyObject *numbers, *offsets, *valid; /* bytes objects: the first for numbers, the others for texts */
    byte *texts;
    size_t size, nulls;
} making;

static int index_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i] != NULL; ++i)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static PyObject *room_for(size_t size) { return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size); }

static int is_number(const making *one) { return one->field >= F_START && one->field <= F_BYTE_END; }

/* Begin a column by its name; returns 0 with an exception set if it cannot be made. */
static int begin(making *one, const harvest *from, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (text == NULL) return 0;
    int other = index_of(OTHERS, text);
    one->component = index_of(COMPONENTS, text);
    one->field = other >= 0 ? (buffer_field)other : F_COMPONENT;
    unsigned needed = other < 0 ? 0 : NEEDED[other];
    if ((other < 0 && one->component < 0) || (from->count && (from->wanted & needed) != needed)) {
        PyErr_Format(PyExc_ValueError, "there is no column %s, or it was not asked for", text);
        return 0;
    }
    if (is_number(one)) {
        one->numbers = room_for(from->count * sizeof(int64_t));
        return one->numbers != NULL;
    }
    size_t most = one->field == F_RAW ? from->raws_size : from->forms_size;
    if (most > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "the texts of a column have more than 2**31 - 1 bytes");
        return 0;
    }
    one->texts = PyMem_Malloc(most ? most : 1);
    if (one->texts == NULL) PyErr_NoMemory();
    one->offsets = room_for((from->count + 1) * sizeof(int32_t));
    one->valid = room_for((from->count + 7) / 8);
    if (one->texts == NULL || one->offsets == NULL || one->valid == NULL) return 0;
    memset(PyBytes_AsString(one->valid), 0, (from->count + 7) / 8);
    memset(PyBytes_AsString(one->offsets), 0, sizeof(int32_t));
    return 1;
}

/* The text of a row in a column; that of an absent one is NULL. */
static component text_in(const making *one, const harvest *from, const found_row *row, const component *components)
{
    switch (one->field) {
    case F_RAW: return (component){from->raws + row->raw, row->raw_size};
    case F_URI: return (component){from->forms + row->uri, row->uri_size};
    case F_KEY: return (component){from->forms + row->key, row->key_size};
    default: return components[one->component];
    }
}

static uint64_t number_in(const making *one, const found_row *row)
{
    switch (one->field) {
    case F_START: return row->start;
    case F_END: return row->end;
    case F_LINE: return row->line;
    case F_COLUMN: return row->column;
    case F_BYTE_START: return row->byte_start;
    default: return row->byte_end;
    }
}

static void add(making *one, const harvest *from, size_t index, const component *components)
{
    const found_row *row = &from->rows[index];
    if (is_number(one)) {
        ((int64_t *)PyBytes_AsString(one->numbers))[index] = (int64_t)number_in(one, row);
        return;
    }
    component text = text_in(one, from, row, components);
    if (text.text != NULL) {
        if (text.size) memcpy(one->texts + one->size, text.text, text.size);
        one->size += text.size;
        PyBytes_AsString(one->valid)[index / 8] |= (char)(1 << index % 8);
    } else {
        ++one->nulls;
    }
    ((int32_t *)PyBytes_AsString(one->offsets))[index + 1] = (int32_t)one->size;
}

/* The buffers of a complete column. */
static PyObject *buffers_of(making *one)
{
    if (is_number(one)) return Py_BuildValue("(OO)", Py_None, one->numbers);
    return Py_BuildValue("(OOy#)", one->nulls ? one->valid : Py_None, one->offsets, (const char *)one->texts,
                         (Py_ssize_t)one->size);
}

PyObject *harvest_buffers(harvest_object *self, PyObject *args)
{
    PyObject *names;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &names)) return NULL;
    const harvest *from = &self->rows;
    Py_ssize_t count = PyTuple_Size(names);
    if (count > MOST_COLUMNS) {
        PyErr_SetString(PyExc_ValueError, "more columns than there are");
        return NULL;
    }
    making columns[MOST_COLUMNS] = {0};
    int done = 1, splits = 0;
    for (Py_ssize_t i = 0; done && i < count; ++i) {
        done = begin(&columns[i], from, PyTuple_GetItem(names, i));
        splits |= columns[i].field == F_COMPONENT;
    }
    component components[COMPONENT_COUNT];
    for (size_t row = 0; done && row < from->count; ++row) {
        if (splits) split_components(components, from->forms + from->rows[row].uri, from->rows[row].uri_size);
        for (Py_ssize_t i = 0; i < count; ++i) add(&columns[i], from, row, components);
    }
    PyObject *made = done ? PyList_New(count) : NULL;
    for (Py_ssize_t i = 0; made != NULL && i < count; ++i) {
        PyObject *buffers = buffers_of(&columns[i]);
        if (buffers == NULL || PyList_SetItem(made, i, buffers) < 0) Py_CLEAR(made);
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_XDECREF(columns[i].numbers);
        PyMem_Free(columns[i].texts);
        Py_XDECREF(columns[i].offsets);
        Py_XDECREF(columns[i].valid);
    }
    return made;
}

PyObject *harvest_in_texts(harvest_object *self, PyObject *args)
{
    Py_buffer begins;
    Py_ssize_t first;
    if (!PyArg_ParseTuple(args, "y*n", &begins, &first)) return NULL;
    const harvest *from = &self->rows;
    const char *at = begins.buf; /* it may begin at any address */
    size_t texts = (size_t)begins.len / sizeof(int64_t), text = (size_t)first;
    PyObject *made[3] = {NULL, NULL, NULL};
    PyObject *result = NULL;
    if (first < 0 || text >= texts || (from->count && !(from->wanted & WANT_OFFSETS))) {
        PyErr_SetString(PyExc_ValueError, "there is no such text, or the offsets were not asked for");
        goto release;
    }
    for (int i = 0; i < 3; ++i)
        if ((made[i] = room_for(from->count * sizeof(int64_t))) == NULL) goto release;
    int64_t *numbers = (int64_t *)PyBytes_AsString(made[0]), *starts = (int64_t *)PyBytes_AsString(made[1]),
            *ends = (int64_t *)PyBytes_AsString(made[2]);
    int64_t begin, next;
    memcpy(&begin, at + text * sizeof begin, sizeof begin);
    for (size_t i = 0; i < from->count; ++i) {
        int64_t start = (int64_t)from->rows[i].start;
        for (; text + 1 < texts; ++text, begin = next) {
            memcpy(&next, at + (text + 1) * sizeof next, sizeof next);
            if (next > start) break;
        }
        numbers[i] = (int64_t)text;
        starts[i] = start - begin;
        ends[i] = (int64_t)from->rows[i].end - begin;
    }
    result = Py_BuildValue("(OOO)", made[0], made[1], made[2]);
release:
    for (int i = 0; i < 3; ++i) Py_XDECREF(made[i]);
    PyBuffer_Release(&begins);
    return result;
}

static int64_t offset_at(const char *offsets, size_t index, int wide)
{
    int64_t wide_one;
    int32_t one;
    if (wide) {
        memcpy(&wide_one, offsets + index * sizeof wide_one, sizeof wide_one);
        return wide_one;
    }
    memcpy(&one, offsets + index * sizeof one, sizeof one);
    return one;
}

/* Write the canonical forms of some texts one behind the other, each with its offset, and a bit where there is one; the
 * data begins with the first text. Returns their size; there is room enough for all of them. */
static size_t prove_texts(byte *to, int32_t *ends, byte *valid, const byte *data, const char *offsets, size_t count,
                          int wide)
{
    size_t size = 0;
    int64_t first = offset_at(offsets, 0, wide);
    memset(valid, 0, (count + 7) / 8);
    ends[0] = 0;
    for (size_t i = 0; i < count; ++i) {
        int64_t start = offset_at(offsets, i, wide), end = offset_at(offsets, i + 1, wide);
        unsigned warnings = 0;
        size_t length = form_of_identifier(to + size, data + (start - first), (size_t)(end - start), &warnings);
        if (may_hold_password(to + size, length, 1)) length = 0; /* it is masked where it is written */
        if (length) valid[i / 8] |= (byte)(1 << i % 8);
        size += length;
        ends[i + 1] = (int32_t)size;
    }
    return size;
}

/* Whether offsets rise from 0 or more up to the size of the data at most. */
static int are_offsets(const char *offsets, size_t count, int wide, size_t size)
{
    int64_t before = 0;
    for (size_t i = 0; i <= count; ++i) {
        int64_t one = offset_at(offsets, i, wide);
        if (one < before || (uint64_t)one > size) return 0;
        before = one;
    }
    return 1;
}

PyObject *canonical_texts(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data, offsets;
    int wide;
    if (!PyArg_ParseTuple(args, "y*y*p", &data, &offsets, &wide)) return NULL;
    size_t width = wide ? sizeof(int64_t) : sizeof(int32_t);
    size_t count = (size_t)offsets.len / width, size = 0;
    PyObject *made = NULL, *ends = NULL, *valid = NULL;
    byte *texts = NULL;
    steady_bytes bounds = {0}, steady = {0};
    if (!steady_take(&bounds, &offsets, 0, (size_t)offsets.len)) goto release;
    const char *at = (const char *)bounds.data;
    if (count == 0 || !are_offsets(at, --count, wide, (size_t)data.len)) {
        PyErr_SetString(PyExc_ValueError, "these are not offsets in the data");
        goto release;
    }
    /* One text behind the other: the room of all together is enough for each. */
    size_t first = (size_t)offset_at(at, 0, wide), whole = (size_t)offset_at(at, count, wide) - first;
    size_t room = CANONICAL_ROOM(whole) + count * CANONICAL_ROOM(0);
    if (room > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "the texts are too long together");
        goto release;
    }
    if (!steady_take(&steady, &data, first, whole)) goto release;
    texts = PyMem_Malloc(room);
    ends = room_for((count + 1) * sizeof(int32_t));
    valid = room_for((count + 7) / 8);
    if (texts == NULL) PyErr_NoMemory();
    if (texts == NULL || ends == NULL || valid == NULL) goto release;
    int32_t *to_ends = (int32_t *)PyBytes_AsString(ends);
    byte *to_valid = (byte *)PyBytes_AsString(valid);
    Py_BEGIN_ALLOW_THREADS
    size = prove_texts(texts, to_ends, to_valid, steady.data, at, count, wide);
    Py_END_ALLOW_THREADS
    made = Py_BuildValue("OOy#", valid, ends, (const char *)texts, (Py_ssize_t)size);
release:
    steady_release(&bounds);
    steady_release(&steady);
    PyMem_Free(texts);
    Py_XDECREF(ends);
    Py_XDECREF(valid);
    PyBuffer_Release(&data);
    PyBuffer_Release(&offsets);
    return made;
}

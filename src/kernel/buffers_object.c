/* Methods of `_kernel.Harvest`, and a function, that give columns as buffers in the layout of Apache Arrow: 64-bit numbers, and texts as
 * a bitmap of those that are present, 32-bit offsets and UTF-8. Nothing here knows more of Arrow than that. */
#include "module.h"
#include "canonical.h"
#include "merge_object.h"

#define MOST_COLUMNS 16

/* A column that is being made. */
typedef struct {
    record_field field;
    PyObject *numbers, *offsets, *valid; /* bytes objects: the first for numbers, the others for texts */
    byte *texts;
    size_t size, nulls;
} making;

static PyObject *room_for(size_t size) { return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size); }

static int is_component(record_field which) { return which >= F_SCHEME && which <= F_FRAGMENT; }

/* Begin a column by its name; returns 0 with an exception set if it cannot be made. */
static int begin(making *one, const harvest *from, PyObject *name)
{
    record_field which = one->field = field_of(from, name);
    if (which == F_COUNT) return 0;
    if (is_number(which)) {
        one->numbers = room_for(from->count * sizeof(int64_t));
        return one->numbers != NULL;
    }
    if (which > F_KEY && !is_component(which)) return failed(PyExc_ValueError, "there are no buffers of this column");
    size_t most = which == F_RAW ? from->raws_size : from->forms_size;
    if (most > INT32_MAX) return failed(PyExc_OverflowError, "the texts of a column have more than 2**31 - 1 bytes");
    one->texts = PyMem_Malloc(most ? most : 1);
    if (one->texts == NULL) PyErr_NoMemory();
    one->offsets = room_for((from->count + 1) * sizeof(int32_t));
    one->valid = room_for((from->count + 7) / 8);
    if (one->texts == NULL || one->offsets == NULL || one->valid == NULL) return 0;
    memset(PyBytes_AsString(one->valid), 0, (from->count + 7) / 8);
    memset(PyBytes_AsString(one->offsets), 0, sizeof(int32_t));
    return 1;
}

static void add(making *one, const harvest *from, size_t index, const component *components)
{
    const found_row *row = &from->rows[index];
    record_field which = one->field;
    if (is_number(which)) {
        ((int64_t *)PyBytes_AsString(one->numbers))[index] = (int64_t)number_in(row, which);
        return;
    }
    component text = is_component(which) ? components[which - F_SCHEME] : text_in(from, row, which);
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
    if (is_number(one->field)) return Py_BuildValue("(OO)", Py_None, one->numbers);
    return Py_BuildValue("(OOy#)", one->nulls ? one->valid : Py_None, one->offsets, (const char *)one->texts,
                         (Py_ssize_t)one->size);
}

PyObject *harvest_buffers(harvest_object *self, PyObject *args)
{
    PyObject *names;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &names)) return NULL;
    const harvest *from = &self->rows;
    Py_ssize_t count = PyTuple_Size(names);
    if (count > MOST_COLUMNS) return PyErr_Format(PyExc_ValueError, "more columns than there are");
    making columns[MOST_COLUMNS] = {0};
    int done = 1, splits = 0;
    for (Py_ssize_t i = 0; done && i < count; ++i) {
        done = begin(&columns[i], from, PyTuple_GetItem(names, i));
        splits |= is_component(columns[i].field);
    }
    component components[COMPONENT_COUNT];
    for (size_t row = 0; done && row < from->count; ++row) {
        if (splits) split_components(components, from->forms + from->rows[row].uri, from->rows[row].uri_size);
        for (Py_ssize_t i = 0; i < count; ++i) add(&columns[i], from, row, components);
    }
    PyObject *made = done ? PyList_New(count) : NULL;
    for (Py_ssize_t i = 0; made != NULL && i < count; ++i) set_new(&made, (size_t)i, buffers_of(&columns[i]));
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

/* How forms of texts are made. */
typedef struct {
    const merge_choice *merge; /* the steps that follow the canonical form; NULL for none */
    byte *plain;               /* room for one canonical form, before these steps */
    record_field part;         /* the component that is taken of canonical forms instead; F_COUNT for none */
} form_maker;

#define NO_FORM SIZE_MAX

static size_t make_form(byte *out, const byte *text, size_t size, const form_maker *by)
{
    unsigned warnings = 0;
    if (by->part != F_COUNT) {
        component of[COMPONENT_COUNT];
        split_components(of, text, size);
        component one = of[by->part - F_SCHEME];
        put_bytes(out, one.text, one.size);
        return one.text == NULL ? NO_FORM : one.size;
    }
    size_t length = form_of_identifier(by->merge == NULL ? out : by->plain, text, size, 0, &warnings);
    if (length && by->merge != NULL) length = merged_identifier(out, by->plain, length, by->merge);
    if (length == 0 || may_hold_password(out, length, 1)) return NO_FORM; /* a password is masked where it is written */
    return length;
}

/* Write the forms of some texts one behind the other, each with its offset, and a bit where there is one; the data
 * begins with the first text. Returns their size; there is room enough for all of them. */
static size_t prove_texts(byte *to, int32_t *ends, byte *valid, const byte *data, const char *offsets, size_t count,
                          int wide, const form_maker *by)
{
    size_t size = 0;
    int64_t first = offset_at(offsets, 0, wide);
    memset(valid, 0, (count + 7) / 8);
    ends[0] = 0;
    for (size_t i = 0; i < count; ++i) {
        int64_t start = offset_at(offsets, i, wide), end = offset_at(offsets, i + 1, wide);
        size_t length = make_form(to + size, data + (start - first), (size_t)(end - start), by);
        if (length != NO_FORM) {
            valid[i / 8] |= (byte)(1 << i % 8);
            size += length;
        }
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

static size_t longest_text(const char *offsets, size_t count, int wide)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t size = (size_t)(offset_at(offsets, i + 1, wide) - offset_at(offsets, i, wide));
        if (size > longest) longest = size;
    }
    return longest;
}

static PyObject *made_of_texts(PyObject *args, form_maker by)
{
    Py_buffer data, offsets;
    int wide;
    const char *name = NULL;
    if (!PyArg_ParseTuple(args, by.part == F_COUNT ? "y*y*p" : "y*y*ps", &data, &offsets, &wide, &name)) return NULL;
    size_t width = wide ? sizeof(int64_t) : sizeof(int32_t);
    size_t count = (size_t)offsets.len / width, size = 0;
    PyObject *made = NULL, *ends = NULL, *valid = NULL;
    byte *texts = NULL;
    steady_bytes bounds = {0}, steady = {0};
    if (!steady_take(&bounds, &offsets, 0, (size_t)offsets.len)) goto release;
    const char *at = (const char *)bounds.data;
    if (name != NULL) by.part = field_asked(&(harvest){0}, name);
    if ((name != NULL && !is_component(by.part)) || count == 0 || !are_offsets(at, --count, wide, (size_t)data.len)) {
        PyErr_SetString(PyExc_ValueError, "these are not offsets in the data, or not a component");
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
    if (by.merge != NULL) by.plain = PyMem_Malloc(CANONICAL_ROOM(longest_text(at, count, wide)));
    int is_short = texts == NULL || (by.merge != NULL && by.plain == NULL);
    if (is_short) PyErr_NoMemory();
    if (is_short || ends == NULL || valid == NULL) goto release;
    int32_t *to_ends = (int32_t *)PyBytes_AsString(ends);
    byte *to_valid = (byte *)PyBytes_AsString(valid);
    Py_BEGIN_ALLOW_THREADS
    size = prove_texts(texts, to_ends, to_valid, steady.data, at, count, wide, &by);
    Py_END_ALLOW_THREADS
    made = Py_BuildValue("OOy#", valid, ends, (const char *)texts, (Py_ssize_t)size);
release:
    steady_release(&bounds, &offsets);
    steady_release(&steady, &data);
    PyMem_Free(texts);
    PyMem_Free(by.plain);
    Py_XDECREF(ends);
    Py_XDECREF(valid);
    return made;
}

PyObject *forms_of_texts(PyObject *args, const merge_choice *merge)
{
    return made_of_texts(args, (form_maker){merge, NULL, F_COUNT});
}

PyObject *canonical_texts(PyObject *Py_UNUSED(module), PyObject *args) { return forms_of_texts(args, NULL); }

PyObject *components_of_texts(PyObject *Py_UNUSED(module), PyObject *args)
{
    return made_of_texts(args, (form_maker){NULL, NULL, F_SCHEME});
}

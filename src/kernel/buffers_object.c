/* Methods of `_kernel.Harvest`, and a function, that give columns as buffers in the layout of Apache Arrow: 64-bit
 * numbers, and texts as a bitmap of those that are present, 32-bit offsets and UTF-8. Nothing here knows more of Arrow than that. */
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
} column_buffers;

static PyObject *room_for(size_t size) { return PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size); }

static int is_component(record_field which) { return which >= F_SCHEME && which <= F_FRAGMENT; }

/* Begin a column by its name; returns 0 with an exception set if it cannot be made. */
static int begin(column_buffers *one, const harvest *from, PyObject *name)
{
    record_field which = one->field = field_of(from, name);
    if (which == F_COUNT) return 0;
    if (is_number(which)) {
        one->numbers = room_for(from->count * sizeof(int64_t));
        return one->numbers != NULL;
    }
    if (which > F_KEY && !is_component(which)) return failed(PyExc_ValueError, "there are no buffers of this column");
    size_t most = which == F_RAW ? from->raws.size : from->forms.size;
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

static void add(column_buffers *one, const harvest *from, size_t index, const component *components)
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
static PyObject *buffers_of(column_buffers *one)
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
    column_buffers columns[MOST_COLUMNS] = {0};
    int done = 1, splits = 0;
    for (Py_ssize_t i = 0; done && i < count; ++i) {
        done = begin(&columns[i], from, PyTuple_GetItem(names, i));
        splits |= is_component(columns[i].field);
    }
    component components[COMPONENT_COUNT];
    for (size_t row = 0; done && row < from->count; ++row) {
        if (splits) split_components(components, from->forms.at + from->rows[row].uri, from->rows[row].uri_size);
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

#define NOT_OFFSETS "these are not offsets in the data, or not a component"

/* Offsets of 32 or 64 bits as numbers of 64, and the length of the longest text between two; NULL with an exception set if
 * they do not rise from 0 or more up to `size` at most. */
static int64_t *offsets_of(const char *from, size_t count, int wide, size_t size, size_t *longest)
{
    int64_t *made = PyMem_Malloc(count * sizeof *made), before = 0;
    if (made == NULL) PyErr_NoMemory();
    *longest = 0;
    for (size_t i = 0; made != NULL && i < count; before = made[i++]) {
        int32_t narrow = 0;
        if (wide) memcpy(&made[i], from + i * sizeof *made, sizeof *made);
        else memcpy(&narrow, from + i * sizeof narrow, sizeof narrow), made[i] = narrow;
        if (made[i] < before || (uint64_t)made[i] > size) {
            PyMem_Free(made);
            PyErr_SetString(PyExc_ValueError, NOT_OFFSETS);
            return NULL;
        }
        if (i > 0 && (size_t)(made[i] - before) > *longest) *longest = (size_t)(made[i] - before);
    }
    return made;
}

/* How forms of texts are made. */
typedef struct {
    const merge_choice *merge; /* the steps that follow the canonical form; NULL for none */
    byte *plain;               /* room for one canonical form, before these steps */
    record_field part;         /* the component that is taken of canonical forms instead; F_COUNT for none */
    component name;            /* of the parameter whose first value is taken of queries instead; no text for none */
} form_maker;

#define NO_FORM SIZE_MAX

/* Report whether a name in a query is this one, decoded as forms are (WHATWG URL 5.1). */
static int is_name(const byte *at, const byte *end, component name)
{
    size_t i = 0;
    for (; at < end && i < name.size; ++i) {
        int b = *at++, high = b == '%' && end - at > 1 ? hex_value(at[0]) : -1, low = high < 0 ? -1 : hex_value(at[1]);
        if (low >= 0) b = 16 * high + low, at += 2;
        else if (b == '+') b = ' ';
        if (b != name.text[i]) return 0;
    }
    return at == end && i == name.size;
}

/* The first value of a parameter, as it is written; no text if the query has none of this name. */
static component parameter_in(component query, component name)
{
    const byte *at = query.text, *const last = at + query.size, *end, *equals;
    for (; at != NULL && at < last; at = end + 1) {
        end = memchr(at, '&', (size_t)(last - at));
        if (end == NULL) end = last;
        if (end == at) continue; /* nothing between two `&` */
        equals = memchr(at, '=', (size_t)(end - at));
        if (equals == NULL) equals = end;
        if (!is_name(at, equals, name)) continue;
        at = equals < end ? equals + 1 : end;
        return (component){at, (size_t)(end - at)};
    }
    return (component){NULL, 0};
}

static size_t make_form(byte *out, const byte *text, size_t size, const form_maker *by)
{
    unsigned warnings = 0;
    if (by->part != F_COUNT || by->name.text != NULL) {
        component parts[COMPONENT_COUNT], one;
        if (by->name.text == NULL) split_components(parts, text, size);
        one = by->name.text == NULL ? parts[by->part - F_SCHEME] : parameter_in((component){text, size}, by->name);
        put_bytes(out, one.text, one.size);
        return one.text == NULL ? NO_FORM : one.size;
    }
    size_t length = form_of_identifier(by->merge == NULL ? out : by->plain, text, size, 0, &warnings);
    if (length && by->merge != NULL) length = merged_identifier(out, by->plain, length, by->merge);
    if (length == 0 || may_hold_password(out, length, 1)) return NO_FORM; /* a password is masked where it is written */
    return length;
}

/* Write the forms of some texts one after the other, each with its offset, and a bit where there is one; the data begins
 * with the first text. Returns their size; there is room enough for all of them. */
static size_t prove_texts(byte *to, int32_t *ends, byte *valid, const byte *data, const int64_t *offsets, size_t count,
                          const form_maker *by)
{
    size_t size = 0;
    memset(valid, 0, (count + 7) / 8);
    ends[0] = 0;
    for (size_t i = 0; i < count; ++i) {
        const byte *text = data + (offsets[i] - offsets[0]);
        size_t length = make_form(to + size, text, (size_t)(offsets[i + 1] - offsets[i]), by);
        if (length != NO_FORM) {
            valid[i / 8] |= (byte)(1 << i % 8);
            size += length;
        }
        ends[i + 1] = (int32_t)size;
    }
    return size;
}

/* What is made of texts by the arguments, of which the last is a name if `takes_name`. */
static PyObject *made_of_texts(PyObject *args, form_maker by, int takes_name)
{
    Py_buffer data, offsets;
    int wide;
    const char *name = NULL;
    Py_ssize_t size_of_name = 0;
    if (!PyArg_ParseTuple(args, takes_name ? "y*y*ps#" : "y*y*p", &data, &offsets, &wide, &name, &size_of_name)) return NULL;
    size_t count = (size_t)offsets.len / (wide ? sizeof(int64_t) : sizeof(int32_t)), size = 0, longest;
    PyObject *made = NULL, *ends = NULL, *valid = NULL;
    byte *texts = NULL;
    steady_bytes steady = {0};
    int takes_part = by.part != F_COUNT;
    if (takes_part) by.part = field_asked(&(harvest){0}, name);
    else if (takes_name) by.name = (component){(const byte *)name, (size_t)size_of_name};
    int64_t *at = count == 0 || (takes_part && !is_component(by.part))
                      ? (PyErr_SetString(PyExc_ValueError, NOT_OFFSETS), NULL)
                      : offsets_of(offsets.buf, count, wide, (size_t)data.len, &longest);
    if (at == NULL) goto release;
    /* One text after the other: the room of all together is enough for each. */
    size_t first = (size_t)at[0], whole = (size_t)at[--count] - first;
    size_t room = CANONICAL_ROOM(whole) + count * CANONICAL_ROOM(0);
    if (room > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "the texts are too long together");
        goto release;
    }
    if (!steady_take(&steady, &data, first, whole)) goto release;
    texts = PyMem_Malloc(room);
    ends = room_for((count + 1) * sizeof(int32_t));
    valid = room_for((count + 7) / 8);
    if (by.merge != NULL) by.plain = PyMem_Malloc(CANONICAL_ROOM(longest));
    int is_short = texts == NULL || (by.merge != NULL && by.plain == NULL);
    if (is_short) PyErr_NoMemory();
    if (is_short || ends == NULL || valid == NULL) goto release;
    int32_t *to_ends = (int32_t *)PyBytes_AsString(ends);
    byte *to_valid = (byte *)PyBytes_AsString(valid);
    Py_BEGIN_ALLOW_THREADS
    size = prove_texts(texts, to_ends, to_valid, steady.data, at, count, &by);
    Py_END_ALLOW_THREADS
    made = Py_BuildValue("OOy#", valid, ends, (const char *)texts, (Py_ssize_t)size);
release:
    steady_release(&steady, &data);
    PyBuffer_Release(&offsets);
    PyMem_Free(at);
    PyMem_Free(texts);
    PyMem_Free(by.plain);
    Py_XDECREF(ends);
    Py_XDECREF(valid);
    return made;
}

PyObject *forms_of_texts(PyObject *args, const merge_choice *merge)
{
    return made_of_texts(args, (form_maker){merge, NULL, F_COUNT, {NULL, 0}}, 0);
}

PyObject *canonical_texts(PyObject *Py_UNUSED(module), PyObject *args) { return forms_of_texts(args, NULL); }

PyObject *components_of_texts(PyObject *Py_UNUSED(module), PyObject *args)
{
    return made_of_texts(args, (form_maker){NULL, NULL, F_SCHEME, {NULL, 0}}, 1);
}

PyObject *parameters_of_texts(PyObject *Py_UNUSED(module), PyObject *args)
{
    return made_of_texts(args, (form_maker){NULL, NULL, F_COUNT, {NULL, 0}}, 1);
}

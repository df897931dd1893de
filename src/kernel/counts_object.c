/* `_kernel.KeyTable`: counts of keys as a Python object. */
#include "counts_object.h"
#include "ahead.h"
#include "buffer.h"

/* Bytes of a location that the key before does not share. */
#define LOCATION_SIZE 120u

static PyObject *table_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    table_object *self = (table_object *)allocate(type, 0);
    if (self != NULL && !secret_of(args, self->in.secret)) Py_CLEAR(self);
    return (PyObject *)self;
}

static void table_dealloc(PyObject *object)
{
    table_object *self = (table_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    for (size_t i = 0; i < self->located; ++i) {
        Py_DECREF(self->locations[2 * i]);
        Py_DECREF(self->locations[2 * i + 1]);
    }
    free(self->locations);
    counts_free(&self->in);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static Py_ssize_t table_length(PyObject *object) { return (Py_ssize_t)((table_object *)object)->in.count; }

/* Note where a key has appeared; returns 0 if there is no memory. */
static int locate(table_object *self, uint32_t key, int is_new, PyObject *first, PyObject *last)
{
    if (self->locations == NULL && first == Py_None && last == Py_None) return 1;
    size_t count = self->in.count;
    if (!reserve((void **)&self->locations, &self->location_room, count, 2 * sizeof *self->locations)) return 0;
    for (; self->located < count; ++self->located)
        for (size_t i = 0; i < 2; ++i) self->locations[2 * self->located + i] = Py_NewRef(Py_None);
    PyObject **of = &self->locations[2 * key];
    PyObject *old_first = NULL, *old_last = replaced_object(of + 1, last);
    if (is_new) {
        old_first = replaced_object(of, first);
        if (key == 0 || of[-2] != first) self->location_size += LOCATION_SIZE;
    }
    Py_XDECREF(old_first); /* what is run here may add to the counts */
    Py_XDECREF(old_last);
    return 1;
}

/* Add the keys of a harvest. */
static int add_rows(table_object *self, const harvest *from, uint32_t source, PyObject *location)
{
    uint32_t hashes[AHEAD], keys[AHEAD];
    for (key_block at = {0, 0}; next_block(&at, from->count);) {
        size_t size = at.last - at.first;
        for (size_t i = 0; i < size; ++i) {
            const found_row *one = &from->rows[at.first + i];
            hashes[i] = counts_hash(&self->in, from->forms + one->key, one->key_size);
            counts_prefetch(&self->in, hashes[i]);
        }
        for (size_t i = 0; i < size; ++i) keys[i] = counts_prefetch_key(&self->in, hashes[i]);
        for (size_t i = 0; i < size; ++i) counts_prefetch_text(&self->in, keys[i]);
        for (size_t i = at.first; i < at.last; ++i) {
            const found_row *one = &from->rows[i];
            appearance made = {from->forms + one->key, from->forms + one->uri, one->key_size, one->uri_size,
                               1, one->start, one->start, source};
            size_t before = self->in.count;
            uint32_t key = counts_add(&self->in, &made, hashes[i - at.first]);
            if (key == NO_ITEM || !locate(self, key, key == before, location, location) ||
                !counts_spell(&self->in, key, from->raws + one->raw, one->raw_size, key == before))
                return 0;
        }
    }
    return 1;
}

/* Read the number of a source; returns 0 with an exception set. */
static int source_of(PyObject *number, uint32_t *source)
{
    unsigned long found = PyLong_AsUnsignedLong(number);
    if (PyErr_Occurred()) return 0;
    if (found > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "the number of a source has more than 32 bits");
        return 0;
    }
    *source = (uint32_t)found;
    return 1;
}

static PyObject *add_harvest(table_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                             PyObject *names)
{
    module_state *state = PyType_GetModuleState(defining);
    if (count != 3 || names != NULL || Py_TYPE(args[0]) != state->harvest) {
        PyErr_SetString(PyExc_TypeError, "add_harvest() takes a Harvest, the number of a source and a location");
        return NULL;
    }
    uint32_t source;
    if (!source_of(args[1], &source)) return NULL;
    const harvest *from = &((harvest_object *)args[0])->rows;
    if (from->count && !(from->wanted & WANT_RAW)) {
        PyErr_SetString(PyExc_ValueError, "counts need the raw texts");
        return NULL;
    }
    return add_rows(self, from, source, args[2]) ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

static int spell(table_object *self, uint32_t key, int is_new, PyObject *spellings)
{
    if (spellings == Py_None) {
        const counted_key *of = &self->in.keys[key];
        if (counts_spell(&self->in, key, self->in.texts + of->key, of->key_size, is_new)) return 1;
        PyErr_NoMemory();
        return 0;
    }
    Py_ssize_t count = PyTuple_Size(spellings);
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_ssize_t size;
        PyObject *held;
        const byte *raw = text_of(PyTuple_GetItem(spellings, i), &size, &held);
        int done = raw != NULL && counts_spell(&self->in, key, raw, (size_t)size, is_new);
        Py_XDECREF(held);
        if (!done) {
            if (raw != NULL) PyErr_NoMemory();
            return 0;
        }
        is_new = 0;
    }
    return count >= 0;
}

/* Read a number; returns 0 with an exception set. */
static int number_of(PyObject *number, uint64_t *value)
{
    *value = PyLong_AsUnsignedLongLong(number);
    return !PyErr_Occurred();
}

/* Add appearances of a key: key, canonical form or None, count, source, first and last offset, first and last location,
 * spellings or None. */
static PyObject *add_key(table_object *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 9) {
        PyErr_SetString(PyExc_TypeError, "add() takes nine values");
        return NULL;
    }
    appearance one;
    if (!number_of(args[2], &one.count) || !source_of(args[3], &one.source) || !number_of(args[4], &one.first) ||
        !number_of(args[5], &one.last))
        return NULL;
    PyObject *held = NULL, *held_uri = NULL;
    Py_ssize_t key_size, uri_size = 0;
    const byte *key = one.key = one.uri = text_of(args[0], &key_size, &held);
    if (key != NULL && args[1] != Py_None) one.uri = text_of(args[1], &uri_size, &held_uri);
    PyObject *made = NULL;
    if (key != NULL && one.uri != NULL) {
        one.key_size = (size_t)key_size;
        one.uri_size = args[1] == Py_None ? one.key_size : (size_t)uri_size;
        size_t before = self->in.count;
        uint32_t index = counts_add(&self->in, &one, counts_hash(&self->in, key, one.key_size));
        if (index == NO_ITEM || !locate(self, index, index == before, args[6], args[7]))
            PyErr_NoMemory();
        else if (spell(self, index, index == before, args[8]))
            made = Py_NewRef(Py_None);
    }
    Py_XDECREF(held);
    Py_XDECREF(held_uri);
    return made;
}

static PyObject *size(PyObject *object, void *unused)
{
    (void)unused;
    const table_object *self = (const table_object *)object;
    return PyLong_FromSize_t(counts_size(&self->in) + 2 * self->located * sizeof *self->locations +
                             self->location_size);
}

static PyObject *has_locations(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((table_object *)object)->locations != NULL);
}

static PyMethodDef METHODS[] = {
    {"add_harvest", (PyCFunction)(void (*)(void))add_harvest, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "Add the keys of a harvest."},
    {"add", (PyCFunction)(void (*)(void))add_key, METH_FASTCALL, "Add appearances of one key."},
    {"rows", (PyCFunction)(void (*)(void))table_rows, METH_VARARGS, "The counts of some keys in an order, as tuples."},
    {"lines", (PyCFunction)(void (*)(void))table_lines, METH_VARARGS,
     "The lines of some keys in an order that came so often, and the position behind them."},
    {"numbers", (PyCFunction)(void (*)(void))table_numbers, METH_NOARGS, "How often each key came."},
    {"uris", (PyCFunction)(void (*)(void))table_uris, METH_NOARGS, "The canonical form of each key."},
    {"other_sources", (PyCFunction)(void (*)(void))table_other_sources, METH_NOARGS,
     "Pairs of a key and one of its sources other than the first."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    {"size", size, NULL, "The bytes that it takes.", NULL},
    {"has_locations", has_locations, NULL, "Whether an appearance has a location in its source.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot TABLE_SLOTS[] = {
    {Py_tp_new, table_new},
    {Py_tp_dealloc, table_dealloc},
    {Py_tp_methods, METHODS},
    {Py_tp_getset, ATTRIBUTES},
    {Py_sq_length, table_length},
    {Py_tp_doc, "Counts of keys, in the order of their first appearance."},
    {0, NULL},
};

PyType_Spec KEY_TABLE_SPEC = {"urisieve._kernel.KeyTable", sizeof(table_object), 0, Py_TPFLAGS_DEFAULT, TABLE_SLOTS};

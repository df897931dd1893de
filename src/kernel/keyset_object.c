/* `_kernel.KeySet`: a set of digests of keys as a Python object. */
#include "module.h"
#include "buffer.h"
#include "keyset.h"

/* So many digests are made before they are looked up, so that the slots have arrived from memory. */
#define AHEAD 16u

typedef struct {
    PyObject_HEAD
    key_set set;
    uint64_t secret[2];
} key_set_object;

static PyObject *key_set_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    const char *secret;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &secret, &size)) return NULL;
    if (size != 16) {
        PyErr_SetString(PyExc_ValueError, "the secret has 16 bytes");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    key_set_object *self = (key_set_object *)allocate(type, 0);
    if (self != NULL) memcpy(self->secret, secret, 16);
    return (PyObject *)self;
}

static void key_set_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    key_set_free(&((key_set_object *)object)->set);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static Py_ssize_t key_set_length(PyObject *object) { return (Py_ssize_t)((key_set_object *)object)->set.count; }

static int key_digest(key_set_object *self, PyObject *key, digest *made)
{
    Py_ssize_t size;
    PyObject *held;
    const byte *text = text_of(key, &size, &held);
    if (text != NULL) *made = digest_of(self->secret, text, (size_t)size);
    Py_XDECREF(held);
    return text != NULL;
}

static int key_set_contains(PyObject *object, PyObject *key)
{
    key_set_object *self = (key_set_object *)object;
    digest one;
    return key_digest(self, key, &one) ? key_set_holds(&self->set, one) : -1;
}

static PyObject *add(key_set_object *self, PyObject *key)
{
    digest one;
    if (!key_digest(self, key, &one)) return NULL;
    if (!key_set_reserve(&self->set, 1)) return PyErr_NoMemory();
    return PyBool_FromLong(key_set_add(&self->set, one));
}

/* The indices, or with `keys` the keys themselves, that are new among a sequence of keys. */
static PyObject *new_among(key_set_object *self, PyObject *sequence, int as_keys)
{
    PyObject *list = PyList_CheckExact(sequence) ? Py_NewRef(sequence) : PySequence_List(sequence);
    if (list == NULL) return NULL;
    Py_ssize_t count = PyList_Size(list);
    PyObject *made = PyList_New(0);
    if (made != NULL && !key_set_reserve(&self->set, (size_t)count)) {
        PyErr_NoMemory();
        Py_CLEAR(made);
    }
    digest some[AHEAD];
    for (Py_ssize_t first = 0; made != NULL && first < count; first += AHEAD) {
        Py_ssize_t last = count - first < (Py_ssize_t)AHEAD ? count : first + (Py_ssize_t)AHEAD;
        for (Py_ssize_t i = first; made != NULL && i < last; ++i) {
            if (!key_digest(self, PyList_GetItem(list, i), &some[i - first]))
                Py_CLEAR(made);
            else
                key_set_prefetch(&self->set, some[i - first]);
        }
        for (Py_ssize_t i = first; made != NULL && i < last; ++i) {
            if (!key_set_add(&self->set, some[i - first])) continue;
            PyObject *one = as_keys ? Py_NewRef(PyList_GetItem(list, i)) : PyLong_FromSsize_t(i);
            if (one == NULL || PyList_Append(made, one) < 0) Py_CLEAR(made);
            Py_XDECREF(one);
        }
    }
    Py_DECREF(list);
    return made;
}

static PyObject *unseen(key_set_object *self, PyObject *keys) { return new_among(self, keys, 1); }
static PyObject *unseen_places(key_set_object *self, PyObject *keys) { return new_among(self, keys, 0); }

/* Add the keys of a harvest; returns the canonical forms of the new ones as lines, and their number. */
static PyObject *unseen_lines(key_set_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                              PyObject *names)
{
    module_state *state = PyType_GetModuleState(defining);
    if (count != 1 || names != NULL || Py_TYPE(args[0]) != state->harvest) {
        PyErr_SetString(PyExc_TypeError, "unseen_lines() takes a Harvest");
        return NULL;
    }
    const harvest *from = &((harvest_object *)args[0])->rows;
    if (!key_set_reserve(&self->set, from->count)) return PyErr_NoMemory();
    byte *to = malloc(from->forms_size + 1);
    if (to == NULL) return PyErr_NoMemory();
    size_t size = 0, new = 0;
    digest some[AHEAD];
    for (size_t first = 0; first < from->count; first += AHEAD) {
        size_t last = from->count - first < AHEAD ? from->count : first + AHEAD;
        for (size_t i = first; i < last; ++i) {
            some[i - first] = digest_of(self->secret, from->forms + from->rows[i].key, from->rows[i].key_size);
            key_set_prefetch(&self->set, some[i - first]);
        }
        for (size_t i = first; i < last; ++i) {
            if (!key_set_add(&self->set, some[i - first])) continue;
            memcpy(to + size, from->forms + from->rows[i].uri, from->rows[i].uri_size + 1);
            size += from->rows[i].uri_size + 1;
            ++new;
        }
    }
    PyObject *made = Py_BuildValue("y#n", (const char *)to, (Py_ssize_t)size, (Py_ssize_t)new);
    free(to);
    return made;
}

static PyObject *bytes_used(key_set_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->set.capacity * sizeof(digest));
}

static PyMethodDef METHODS[] = {
    {"add", (PyCFunction)(void (*)(void))add, METH_O, "Add a key; return whether it is new."},
    {"unseen", (PyCFunction)(void (*)(void))unseen, METH_O, "Add keys; return those that are new."},
    {"unseen_places", (PyCFunction)(void (*)(void))unseen_places, METH_O,
     "Add keys; return the indices of those that are new."},
    {"unseen_lines", (PyCFunction)(void (*)(void))unseen_lines, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "Add the keys of a harvest; return the new canonical forms as lines, and their number."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    {"size", (getter)bytes_used, NULL, "The number of bytes of memory that the digests take.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot KEY_SET_SLOTS[] = {
    {Py_tp_new, key_set_new},
    {Py_tp_dealloc, key_set_dealloc},
    {Py_tp_methods, METHODS},
    {Py_tp_getset, ATTRIBUTES},
    {Py_sq_length, key_set_length},
    {Py_sq_contains, key_set_contains},
    {Py_tp_doc, "A set of keys, held as digests that are valid in this process only."},
    {0, NULL},
};

PyType_Spec KEY_SET_SPEC = {"urisieve._kernel.KeySet", sizeof(key_set_object), 0, Py_TPFLAGS_DEFAULT, KEY_SET_SLOTS};

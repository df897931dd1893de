/* `_kernel.KeySet`: a set of digests of keys as a Python object. */
#include "module.h"
#include "keyset.h"
#include <stdlib.h>

int set_is_free(key_set_object *self)
{
    if (!self->is_busy) return 1;
    PyErr_SetString(PyExc_RuntimeError, "another thread is adding keys to this set");
    return 0;
}

static PyObject *key_set_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    return new_with_seed(type, args, offsetof(key_set_object, seed));
}

DEALLOC(key_set_dealloc, key_set_object, key_set_free, set)

static Py_ssize_t key_set_length(PyObject *object) { return (Py_ssize_t)((key_set_object *)object)->set.count; }

/* The digest of a key; 0 with an exception set, as for NULL it is already. */
static int key_digest(key_set_object *self, PyObject *key, digest *made)
{
    utf8_text text;
    if (key == NULL || !text_of(&text, key)) return 0;
    if (!set_is_free(self)) {
        Py_XDECREF(text.held);
        return 0;
    }
    *made = digest_of(self->seed, text.at, text.size);
    Py_XDECREF(text.held);
    return 1;
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
    int is_new = key_set_add(&self->set, one);
    return is_new < 0 ? PyErr_NoMemory() : PyBool_FromLong(is_new);
}

/* Whether some more keys fit into a number of bytes of memory. */
static PyObject *has_room(key_set_object *self, PyObject *args)
{
    Py_ssize_t more;
    unsigned long long limit;
    if (!PyArg_ParseTuple(args, "nK", &more, &limit)) return NULL;
    if (more < 0) return PyErr_Format(PyExc_ValueError, "a number of keys is not negative");
    if (!set_is_free(self)) return NULL;
    return PyBool_FromLong(key_set_size_with(&self->set, (size_t)more) <= limit);
}

/* Go to the next block of a list of keys, and make their digests; returns 0 at the end, or with an exception set. */
static int next_digests(key_set_object *self, PyObject *keys, key_block *at, digest *made)
{
    if (!next_block(at, (size_t)PyList_Size(keys))) return 0;
    for (size_t i = at->first; i < at->last; ++i) {
        digest *one = &made[i - at->first];
        if (!key_digest(self, PyList_GetItem(keys, (Py_ssize_t)i), one)) return 0;
        key_set_prefetch(&self->set, *one);
    }
    return 1;
}

/* The indices of the keys in a list that the set does not contain. With `adds` they are added, each once; without it a
 * list of digests gets the digest of each. */
static PyObject *absent_indices(key_set_object *self, PyObject *keys, int adds, PyObject **digests)
{
    if (!PyList_Check(keys)) return PyErr_Format(PyExc_TypeError, "a list of keys is needed");
    PyObject *made = PyList_New(0);
    digest some[AHEAD];
    for (key_block at = {0, 0}; made != NULL && next_digests(self, keys, &at, some);)
        for (size_t i = at.first; made != NULL && i < at.last; ++i) {
            const digest key = some[i - at.first];
            int is_new = adds ? key_set_add(&self->set, key) : !key_set_holds(&self->set, key);
            if (is_new == 0) continue;
            append_new(&made, is_new < 0 ? PyErr_NoMemory() : PyLong_FromSize_t(i));
            if (digests != NULL) append_new(digests, items_of(&key, 1, sizeof key));
        }
    if (PyErr_Occurred()) Py_CLEAR(made);
    return made;
}

static PyObject *unseen_indices(key_set_object *self, PyObject *keys) { return absent_indices(self, keys, 1, NULL); }

static PyObject *absent(key_set_object *self, PyObject *keys)
{
    PyObject *digests = PyList_New(0);
    PyObject *indices = digests == NULL ? NULL : absent_indices(self, keys, 0, &digests);
    return Py_BuildValue("NN", indices, digests);
}

/* For each key in a list a byte, 1 if the set contains it. */
static PyObject *held(key_set_object *self, PyObject *keys)
{
    if (!PyList_Check(keys)) return PyErr_Format(PyExc_TypeError, "a list of keys is needed");
    Py_ssize_t count = PyList_Size(keys);
    PyObject *made = PyBytes_FromStringAndSize(NULL, count);
    char *to = made == NULL ? NULL : PyBytes_AsString(made);
    digest some[AHEAD];
    for (key_block at = {0, 0}; made != NULL && next_digests(self, keys, &at, some);)
        for (size_t i = at.first; i < at.last && i < (size_t)count; ++i)
            to[i] = (char)key_set_holds(&self->set, some[i - at.first]);
    if (PyErr_Occurred()) Py_CLEAR(made);
    return made;
}

static PyObject *all_digests(key_set_object *self, PyObject *Py_UNUSED(unused))
{
    if (!set_is_free(self)) return NULL;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(self->set.count * sizeof(digest)));
    if (made != NULL) key_set_digests(&self->set, (byte *)PyBytes_AsString(made));
    return made;
}

static PyObject *add_digests(key_set_object *self, PyObject *digests)
{
    char *from;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(digests, &from, &size) < 0 || !set_is_free(self)) return NULL;
    if (size % (Py_ssize_t)sizeof(digest)) return PyErr_Format(PyExc_ValueError, "a digest has 16 bytes");
    for (const char *end = from + size; from < end; from += sizeof(digest)) {
        digest one;
        memcpy(&one, from, sizeof one);
        if (one.low == 0 && one.high == 0) return PyErr_Format(PyExc_ValueError, "no digest is zero");
        if (key_set_add(&self->set, one) < 0) return PyErr_NoMemory();
    }
    return Py_BuildValue("");
}

static PyObject *digest_bytes(key_set_object *self, PyObject *key)
{
    digest one;
    return key_digest(self, key, &one) ? items_of(&one, 1, sizeof one) : NULL;
}

/* Add the keys of a harvest, whose digests are made unless they are given, and write the canonical forms of the new ones
 * as lines; returns their number, or SIZE_MAX if there is no memory. */
static size_t add_harvest(key_set_object *self, const harvest *from, const char *digests, byte *to, size_t *size)
{
    size_t added = 0;
    digest some[AHEAD];
    for (key_block at = {0, 0}; next_block(&at, from->count);) {
        if (digests != NULL) memcpy(some, digests + at.first * sizeof *some, (at.last - at.first) * sizeof *some);
        for (size_t i = at.first; i < at.last; ++i) {
            const found_row *one = &from->rows[i];
            if (digests == NULL) some[i - at.first] = digest_of(self->seed, from->forms.at + one->key, one->key_size);
            key_set_prefetch(&self->set, some[i - at.first]);
        }
        for (size_t i = at.first; i < at.last; ++i) {
            const found_row *one = &from->rows[i];
            const digest key = some[i - at.first];
            int is_new = key.low == 0 && key.high == 0 ? 0 : key_set_add(&self->set, key); /* no digest is zero */
            if (is_new < 0) return SIZE_MAX;
            if (!is_new) continue;
            memcpy(to + *size, from->forms.at + one->uri, one->uri_size + 1);
            *size += one->uri_size + 1;
            ++added;
        }
    }
    return added;
}

/* The rows of a harvest of Python; NULL with an exception set if it is none. */
static const harvest *rows_of(key_set_object *self, PyObject *taken)
{
    if (Py_TYPE(taken) == type_beside((PyObject *)self, HARVEST_TYPE)) return &((harvest_object *)taken)->rows;
    return PyErr_Format(PyExc_TypeError, "a Harvest is needed"), NULL;
}

/* Add the keys of a harvest; returns the canonical forms of the new ones as lines, and their number. Other threads go on
 * meanwhile: of the time of a list of links this takes a quarter, and half of that with digests that are given. */
static PyObject *unseen_lines(key_set_object *self, PyObject *args)
{
    PyObject *taken;
    const char *digests = NULL;
    Py_ssize_t digests_size = 0;
    if (!PyArg_ParseTuple(args, "O|z#", &taken, &digests, &digests_size)) return NULL;
    const harvest *from = rows_of(self, taken);
    if (from == NULL || !set_is_free(self)) return NULL;
    if (digests != NULL && (size_t)digests_size != from->count * sizeof(digest))
        return PyErr_Format(PyExc_ValueError, "a digest of 16 bytes for each row is needed");
    byte *to = malloc(from->forms.size + 1);
    if (to == NULL) return PyErr_NoMemory();
    size_t size = 0, added;
    BEGIN_BUSY(self)
    added = add_harvest(self, from, digests, to, &size);
    END_BUSY(self)
    PyObject *made = added == SIZE_MAX ? PyErr_NoMemory()
                                       : Py_BuildValue("y#n", (const char *)to, (Py_ssize_t)size, (Py_ssize_t)added);
    free(to);
    return made;
}

/* The digest of the key of each row of a harvest. Several threads may ask at once: the set itself is not looked at. */
static PyObject *digests_of(key_set_object *self, PyObject *taken)
{
    const harvest *from = rows_of(self, taken);
    PyObject *made = from == NULL ? NULL : PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(from->count * sizeof(digest)));
    if (made == NULL) return NULL;
    char *to = PyBytes_AsString(made);
    Py_BEGIN_ALLOW_THREADS
    for (size_t i = 0; i < from->count; ++i) {
        digest one = digest_of(self->seed, from->forms.at + from->rows[i].key, from->rows[i].key_size);
        memcpy(to + i * sizeof one, &one, sizeof one);
    }
    Py_END_ALLOW_THREADS
    return made;
}

static PyMethodDef METHODS[] = {
    METHOD("add", add, METH_O), METHOD("has_room", has_room, METH_VARARGS),
    METHOD("unseen_indices", unseen_indices, METH_O), METHOD("absent", absent, METH_O),
    METHOD("held", held, METH_O), METHOD("digest", digest_bytes, METH_O),
    METHOD("digests", all_digests, METH_NOARGS), METHOD("add_digests", add_digests, METH_O),
    METHOD("unseen_lines", unseen_lines, METH_VARARGS), METHOD("digests_of", digests_of, METH_O),
    {NULL, NULL, 0, NULL},
};

TYPE_SPEC(KEY_SET_SPEC, "KeySet", key_set_object, 0,
          {Py_tp_new, key_set_new}, {Py_tp_dealloc, key_set_dealloc}, {Py_tp_methods, METHODS},
          {Py_sq_length, key_set_length}, {Py_sq_contains, key_set_contains},
          {Py_tp_doc, "A set of keys, held as digests that are valid in this process only."});

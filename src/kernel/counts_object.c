/* `_kernel.KeyTable`: counts of keys as a Python object. */
#include "counts_object.h"
#include "keyset.h"
#include "buffer.h"
#include "utf8.h"

/* Bytes of a location that the key before does not share. */
#define LOCATION_SIZE 120u

static PyObject *table_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    return new_with_seed(type, args, offsetof(table_object, in.seed));
}

static void table_dealloc(PyObject *object)
{
    table_object *self = (table_object *)object;
    for (size_t i = 0; i < self->located; ++i) {
        Py_DECREF(self->locations[2 * i]);
        Py_DECREF(self->locations[2 * i + 1]);
    }
    free(self->locations);
    free(self->numbers);
    counts_free(&self->in);
    object_free(object);
}

static Py_ssize_t table_length(PyObject *object) { return (Py_ssize_t)((table_object *)object)->in.count; }

int table_locate(table_object *self, uint32_t key, int is_new, PyObject *first, PyObject *last)
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
            hashes[i] = counts_hash(&self->in, from->forms.at + one->key, one->key_size);
            counts_prefetch(&self->in, hashes[i]);
        }
        for (size_t i = 0; i < size; ++i) keys[i] = counts_prefetch_key(&self->in, hashes[i]);
        for (size_t i = 0; i < size; ++i) counts_prefetch_text(&self->in, keys[i]);
        for (size_t i = at.first; i < at.last; ++i) {
            const found_row *one = &from->rows[i];
            appearance made = {from->forms.at + one->key, from->forms.at + one->uri, one->key_size, one->uri_size,
                               1, one->start, one->start, source};
            size_t before = self->in.count;
            uint32_t key = counts_add(&self->in, &made, hashes[i - at.first]);
            if (key == NO_ITEM || !table_locate(self, key, key == before, location, location) ||
                !counts_spell(&self->in, key, from->raws.at + one->raw, one->raw_size, key == before))
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
    if (found > UINT32_MAX) return failed(PyExc_OverflowError, "the number of a source has more than 32 bits");
    *source = (uint32_t)found;
    return 1;
}

static PyObject *add_harvest(table_object *self, PyObject *args)
{
    harvest_object *taken;
    PyObject *number, *location;
    uint32_t source = 0;
    PyTypeObject *type = type_beside((PyObject *)self, HARVEST_TYPE);
    if (!PyArg_ParseTuple(args, "O!OO", type, &taken, &number, &location) || !source_of(number, &source)) return NULL;
    const harvest *from = &taken->rows;
    if (!table_is_free(self)) return NULL;
    if (from->count && !(from->wanted & WANT_RAW)) return PyErr_Format(PyExc_ValueError, "counts need the raw texts");
    return add_rows(self, from, source, location) ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

/* The size of the head of a URI: the scheme and the authority, or the namespace of a URN. */
static size_t head_size(const byte *uri, size_t size)
{
    const byte *colon = memchr(uri, ':', size), *stop = uri + size;
    if (colon == NULL) return 0;
    const byte *at = colon + 1;
    if (begins(uri, size, "urn:")) {
        const byte *next = memchr(at, ':', (size_t)(stop - at));
        return (size_t)((next == NULL ? stop : next) - uri);
    }
    if (stop - at < 2 || at[0] != '/' || at[1] != '/') return (size_t)(at - uri);
    return authority_end(uri, (size_t)(at + 2 - uri), size);
}

/* Whether a row is more than its key: another raw text or canonical form, or characters beyond ASCII. */
static int is_odd(const harvest *from, const found_row *one)
{
    const byte *raw = from->raws.at + one->raw;
    return one->uri != one->key || one->raw_size != one->key_size ||
           memcmp(raw, from->forms.at + one->key, one->raw_size) != 0 || ascii_run(raw, one->raw_size) < one->raw_size;
}

int table_is_free(const table_object *self)
{
    return !self->is_busy || failed(PyExc_RuntimeError, "another call adds heads to the table");
}

/* The most sets that are looked at beside that of all keys. */
#define MOST_SETS 8u

/* What `add_heads` looks at, and what it finds: the rows whose key is new, and those that are more than their key. */
typedef struct {
    key_set_object *keys, *others[MOST_SETS];
    size_t other_count;
    const char *digests; /* of the keys of the rows, or NULL */
    size_t *fresh, *odd;
    size_t fresh_count, odd_count;
} head_rows;

/* Whether one of the other sets contains the key of a row. */
static int is_held(const head_rows *of, const harvest *from, const found_row *one)
{
    for (size_t i = 0; i < of->other_count; ++i) {
        const key_set_object *in = of->others[i];
        if (in->set.count && key_set_holds(&in->set, digest_of(in->seed, from->forms.at + one->key, one->key_size)))
            return 1;
    }
    return 0;
}

/* Add the key of a row to a set and its head, of some size and hash, to the table, where the offset of its first
 * appearance is the number of new keys. Returns 1 if the key is new, 0 if it is not, -1 if there is no memory. */
static int add_head(counts *in, key_set *keys, digest key, const byte *uri, size_t size, uint32_t hash)
{
    const appearance one = {uri, uri, size, size, 1, 0, 0, 0};
    const int is_new = key_set_add(keys, key);
    const uint32_t head = is_new < 0 ? NO_ITEM : counts_add(in, &one, hash);
    if (head == NO_ITEM) return -1;
    if (is_new) {
        counted_key *of = counts_wide(in, head);
        if (of == NULL) return -1;
        ++of->first;
    }
    return is_new;
}

/* Add the keys and the heads of a harvest; returns 0 if there is no memory. */
static int add_all_heads(counts *in, const harvest *from, head_rows *of)
{
    key_set *const keys = &of->keys->set;
    key_set began_odd = {0}; /* the keys that came first in an odd row of this harvest */
    digest some[AHEAD];
    size_t sizes[AHEAD];
    uint32_t hashes[AHEAD], heads[AHEAD];
    int done = 1;
    for (key_block at = {0, 0}; done && next_block(&at, from->count);) {
        const size_t size = at.last - at.first;
        if (of->digests != NULL) memcpy(some, of->digests + at.first * sizeof *some, size * sizeof *some);
        for (size_t i = 0; i < size; ++i) {
            const found_row *one = &from->rows[at.first + i];
            const byte *uri = from->forms.at + one->uri;
            if (of->digests == NULL) some[i] = digest_of(of->keys->seed, from->forms.at + one->key, one->key_size);
            key_set_prefetch(keys, some[i]);
            sizes[i] = head_size(uri, one->uri_size);
            hashes[i] = counts_hash(in, uri, sizes[i]);
            counts_prefetch(in, hashes[i]);
        }
        for (size_t i = 0; i < size; ++i) heads[i] = counts_prefetch_key(in, hashes[i]);
        for (size_t i = 0; i < size; ++i) counts_prefetch_text(in, heads[i]);
        for (size_t i = 0; done && i < size; ++i) {
            const found_row *one = &from->rows[at.first + i];
            const int is_new = add_head(in, keys, some[i], from->forms.at + one->uri, sizes[i], hashes[i]);
            const int is_special = is_odd(from, one);
            done = is_new >= 0 && (!is_new || !is_special || key_set_add(&began_odd, some[i]) >= 0);
            if (is_new > 0) of->fresh[of->fresh_count++] = at.first + i;
            if (is_special || (!is_new && key_set_holds(&began_odd, some[i])) || is_held(of, from, one))
                of->odd[of->odd_count++] = at.first + i;
        }
    }
    key_set_free(&began_odd);
    return done;
}

/* Indices as a list. */
static PyObject *list_of(const size_t *indices, size_t count)
{
    PyObject *made = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; made != NULL && i < count; ++i) set_new(&made, i, PyLong_FromSize_t(indices[i]));
    return made;
}

/* Take the sets that are looked at; returns 0 with an exception set. */
static int take_sets(head_rows *of, PyObject *sets, PyTypeObject *type)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(sets); ++i) {
        PyObject *one = PyTuple_GetItem(sets, i);
        if (Py_TYPE(one) != type || i == MOST_SETS) return failed(PyExc_TypeError, "add_heads() takes a few sets of keys");
        of->others[of->other_count++] = (key_set_object *)one;
        if (!set_is_free((key_set_object *)one)) return 0;
    }
    return set_is_free(of->keys);
}

/* Mark what `add_heads` uses as busy, or as free again. */
static void set_busy(table_object *self, const head_rows *of, int is_busy)
{
    self->is_busy = of->keys->is_busy = is_busy;
    for (size_t i = 0; i < of->other_count; ++i) of->others[i]->is_busy = is_busy;
}

/* Other threads go on meanwhile: of the statistics of a list of links this takes a fourth. */
static PyObject *add_heads(table_object *self, PyObject *args)
{
    harvest_object *taken;
    PyObject *sets;
    head_rows of = {0};
    Py_ssize_t size = 0;
    PyTypeObject *set_type = type_beside((PyObject *)self, KEY_SET_TYPE);
    if (!PyArg_ParseTuple(args, "O!O!O!|z#", type_beside((PyObject *)self, HARVEST_TYPE), &taken, set_type, &of.keys,
                          &PyTuple_Type, &sets, &of.digests, &size))
        return NULL;
    const harvest *from = &taken->rows;
    if (!table_is_free(self) || !take_sets(&of, sets, set_type)) return NULL;
    if (from->count && !(from->wanted & WANT_RAW)) return PyErr_Format(PyExc_ValueError, "heads need the raw texts");
    if (of.digests != NULL && (size_t)size != from->count * sizeof(digest))
        return PyErr_Format(PyExc_ValueError, "a digest of 16 bytes for each row is needed");
    of.fresh = malloc((2 * from->count + 1) * sizeof *of.fresh);
    if (of.fresh == NULL) return PyErr_NoMemory();
    of.odd = of.fresh + from->count;
    int done;
    set_busy(self, &of, 1);
    Py_BEGIN_ALLOW_THREADS
    done = add_all_heads(&self->in, from, &of);
    Py_END_ALLOW_THREADS
    set_busy(self, &of, 0);
    PyObject *fresh = done ? list_of(of.fresh, of.fresh_count) : PyErr_NoMemory();
    PyObject *odd = fresh == NULL ? NULL : list_of(of.odd, of.odd_count);
    free(of.fresh);
    if (odd == NULL) Py_XDECREF(fresh);
    return odd == NULL ? NULL : Py_BuildValue("NN", fresh, odd);
}

static int spell(table_object *self, uint32_t key, int is_new, PyObject *spellings)
{
    if (spellings == Py_None) {
        const counted_key of = counts_key(&self->in, key);
        return counts_spell(&self->in, key, self->in.texts.at + of.key, of.key_size, is_new) || no_memory();
    }
    Py_ssize_t count = PyTuple_Size(spellings);
    for (Py_ssize_t i = 0; i < count; ++i) {
        utf8_text raw;
        if (!text_of(&raw, PyTuple_GetItem(spellings, i))) return 0;
        int done = counts_spell(&self->in, key, raw.at, raw.size, is_new);
        Py_XDECREF(raw.held);
        if (!done) return no_memory();
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
    if (count != 9) return PyErr_Format(PyExc_TypeError, "add() takes nine values");
    if (!table_is_free(self)) return NULL;
    appearance one;
    if (!number_of(args[2], &one.count) || !source_of(args[3], &one.source) || !number_of(args[4], &one.first) ||
        !number_of(args[5], &one.last))
        return NULL;
    utf8_text key, uri = {0};
    int is_key = args[1] == Py_None;
    if (!text_of(&key, args[0])) return NULL;
    int done = is_key || text_of(&uri, args[1]);
    if (done) {
        one.key = key.at;
        one.key_size = key.size;
        one.uri = is_key ? key.at : uri.at;
        one.uri_size = is_key ? key.size : uri.size;
        size_t before = self->in.count;
        uint32_t index = counts_add(&self->in, &one, counts_hash(&self->in, key.at, key.size));
        done = (index != NO_ITEM && table_locate(self, index, index == before, args[6], args[7])) || no_memory();
        done = done && spell(self, index, index == before, args[8]);
    }
    Py_XDECREF(uri.held);
    Py_XDECREF(key.held);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyObject *size(table_object *self, void *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(counts_size(&self->in) + 2 * self->located * sizeof *self->locations +
                             self->number_room * sizeof *self->numbers +
                             self->location_size);
}

static PyObject *has_locations(table_object *self, void *Py_UNUSED(unused))
{
    return PyBool_FromLong(self->locations != NULL);
}

static PyMethodDef METHODS[] = {
    TABLE_METHODS(LISTED)
    METHOD("add_harvest", add_harvest, METH_VARARGS), METHOD("add", add_key, METH_FASTCALL),
    METHOD("add_heads", add_heads, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    ATTRIBUTE("size", size), ATTRIBUTE("has_locations", has_locations),
    {NULL, NULL, NULL, NULL, NULL},
};

TYPE_SPEC(KEY_TABLE_SPEC, "KeyTable", table_object, 0,
          {Py_tp_new, table_new}, {Py_tp_dealloc, table_dealloc}, {Py_tp_methods, METHODS},
          {Py_tp_getset, ATTRIBUTES}, {Py_sq_length, table_length},
          {Py_tp_doc, "Counts of keys, in the order of their first appearance."});

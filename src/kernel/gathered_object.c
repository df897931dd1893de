/* `_kernel.gathered`: keys on their way to a store, as `urisieve.dedupe.store.store_entries.gathered` returns them; and
 * `_kernel.ordered_digests`. */
#include "module.h"
#include "digest.h"
#include <stdlib.h>

#define STORED_SIZE 16u /* bytes of a digest in a store */

typedef struct {
    byte digest[STORED_SIZE];
    size_t first; /* the index of the first key with it */
    uint64_t count;
    uint64_t source;
} gathered_key;

static int by_digest(const void *one, const void *other)
{
    const gathered_key *a = one, *b = other;
    int order = memcmp(a->digest, b->digest, STORED_SIZE);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* Sort keys by their digests: these are as random as their first two bytes, which leave little to be sorted. Returns 0
 * if there is no memory. */
static int sort_by_digest(gathered_key *keys, size_t count)
{
    enum { PARTS = 1 << 16, FEW = 4096 };
    if (count < FEW) {
        qsort(keys, count, sizeof *keys, by_digest);
        return 1;
    }
    gathered_key *held = malloc(count * sizeof *held + 1);
    size_t *ends = calloc(PARTS + 1, sizeof *ends);
    if (held != NULL && ends != NULL) {
        memcpy(held, keys, count * sizeof *held);
        for (size_t i = 0; i < count; ++i) ++ends[(held[i].digest[0] << 8 | held[i].digest[1]) + 1];
        for (size_t i = 1; i <= PARTS; ++i) ends[i] += ends[i - 1];
        for (size_t i = 0; i < count; ++i) keys[ends[held[i].digest[0] << 8 | held[i].digest[1]]++] = held[i];
        for (size_t i = 0, start = 0; i < PARTS; start = ends[i++])
            if (ends[i] - start > 1) qsort(keys + start, ends[i] - start, sizeof *keys, by_digest);
    }
    int done = held != NULL && ends != NULL;
    free(held);
    free(ends);
    return done;
}

static int by_values(const void *one, const void *other)
{
    const gathered_key *a = one, *b = other;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return memcmp(a->digest, b->digest, STORED_SIZE);
}

/* Read a key with its count and its source; returns 0 with an exception set. */
static int read_key(gathered_key *to, PyObject *key, PyObject *count, PyObject *source, size_t index)
{
    utf8_text text;
    if (key == NULL || count == NULL || source == NULL || !text_of(&text, key)) return 0;
    blake2b_start plain;
    blake2b_prepare(&plain, STORED_SIZE, NULL, 0);
    blake2b_digest(to->digest, &plain, text.at, text.size);
    Py_XDECREF(text.held);
    to->first = index;
    to->count = PyLong_AsUnsignedLongLong(count);
    to->source = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(source);
    return !PyErr_Occurred();
}

/* Join keys with one digest, the first of which counts; counts end at the largest integer of SQLite. */
static size_t join(gathered_key *keys, size_t count)
{
    size_t made = 0;
    for (size_t i = 0; i < count; ++i) {
        gathered_key *last = made ? &keys[made - 1] : NULL;
        if (last == NULL || memcmp(last->digest, keys[i].digest, STORED_SIZE) != 0)
            keys[made++] = keys[i];
        else
            last->count = keys[i].count > INT64_MAX - last->count ? INT64_MAX : last->count + keys[i].count;
    }
    return made;
}

/* Whether all keys have one count and one source, as those of a file that are all new and each there once. */
static int is_one_group(const gathered_key *keys, size_t count)
{
    for (size_t i = 1; i < count; ++i)
        if (keys[i].count != keys[0].count || keys[i].source != keys[0].source) return 0;
    return 1;
}

/* The digests of some keys, one after the other. */
static PyObject *digests_of(const gathered_key *keys, size_t count)
{
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * STORED_SIZE));
    char *to = made == NULL ? NULL : PyBytes_AsString(made);
    for (size_t i = 0; made != NULL && i < count; ++i) memcpy(to + i * STORED_SIZE, keys[i].digest, STORED_SIZE);
    return made;
}

PyObject *gathered_keys(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *keys, *counts, *sources;
    PyTypeObject *list = &PyList_Type;
    if (!PyArg_ParseTuple(args, "O!O!O!", list, &keys, list, &counts, list, &sources)) return NULL;
    size_t count = (size_t)PyList_Size(keys);
    gathered_key *all = PyMem_Malloc(count * sizeof *all + 1);
    if (all == NULL) return PyErr_NoMemory();
    int done = 1;
    for (size_t i = 0; done && i < count; ++i) {
        const Py_ssize_t at = (Py_ssize_t)i;
        done = read_key(&all[i], PyList_GetItem(keys, at), PyList_GetItem(counts, at), PyList_GetItem(sources, at), i);
    }
    PyObject *digests = NULL, *firsts = NULL, *groups = NULL;
    if (done && !sort_by_digest(all, count)) done = no_memory();
    if (done) {
        count = join(all, count);
        digests = digests_of(all, count);
        firsts = PyList_New((Py_ssize_t)count);
        for (size_t i = 0; firsts != NULL && i < count; ++i) set_new(&firsts, i, PyLong_FromSize_t(all[i].first));
        if (!is_one_group(all, count)) qsort(all, count, sizeof *all, by_values);
        groups = PyList_New(0);
        for (size_t i = 0, end; groups != NULL && i < count; i = end) {
            for (end = i + 1; end < count && all[end].count == all[i].count && all[end].source == all[i].source;) ++end;
            append_new(&groups, Py_BuildValue("KKN", (unsigned long long)all[i].count,
                                              (unsigned long long)all[i].source, digests_of(&all[i], end - i)));
        }
    }
    PyMem_Free(all);
    return done ? Py_BuildValue("NNN", digests, firsts, groups) : NULL;
}

PyObject *ordered_digests(PyObject *Py_UNUSED(module), PyObject *digests)
{
    if (!PyList_Check(digests)) return PyErr_Format(PyExc_TypeError, "a list of digests is needed");
    size_t count = (size_t)PyList_Size(digests);
    gathered_key *all = PyMem_Calloc(count + 1, sizeof *all);
    int done = all != NULL || no_memory();
    for (size_t i = 0; done && i < count; ++i) {
        char *at;
        Py_ssize_t size;
        done = PyBytes_AsStringAndSize(PyList_GetItem(digests, (Py_ssize_t)i), &at, &size) == 0 &&
               (size == STORED_SIZE || failed(PyExc_ValueError, "a digest has 16 bytes"));
        if (!done) break;
        memcpy(all[i].digest, at, STORED_SIZE);
        all[i].first = i;
    }
    if (done && !sort_by_digest(all, count)) done = no_memory();
    PyObject *joined = NULL, *firsts = NULL;
    if (done) {
        count = join(all, count);
        joined = digests_of(all, count);
        firsts = PyList_New((Py_ssize_t)count);
        for (size_t i = 0; firsts != NULL && i < count; ++i) set_new(&firsts, i, PyLong_FromSize_t(all[i].first));
    }
    PyMem_Free(all);
    return done ? Py_BuildValue("NN", joined, firsts) : NULL;
}

/* `_kernel.KeyTable`: counts as bytes, on their way to disk or to another process, and back. */
#include "counts_object.h"
#include "buffer.h"
#include "memo.h"

/* A key before its texts: its other sources, as 32-bit numbers; the key, and its canonical form unless that is the same;
 * each spelling after its size; and both locations. The numbers are those of one machine. */
typedef struct {
    uint64_t number; /* the order of first appearance */
    uint64_t count, first, last;
    uint32_t key_size, uri_size, others, spellings, first_source, last_source, first_location, last_location;
} packed_key;

#define SAME_URI UINT32_MAX

static int put(byte_list *to, const void *from, size_t size)
{
    size_t offset;
    return add_bytes(to, from, size, &offset);
}

/* The bytes of a location, made by `dump`, or NULL for None; returns 0 with an exception set. */
static int dumped(PyObject *dump, PyObject *location, PyObject **made, char **at, Py_ssize_t *size)
{
    *made = NULL;
    *size = 0;
    if (location == Py_None) return 1;
    *made = PyObject_CallFunctionObjArgs(dump, location, NULL);
    return *made != NULL && PyBytes_AsStringAndSize(*made, at, size) >= 0;
}

/* Append a key; returns 0 with an exception set. `others` are its sources but the first. */
static int pack_key(byte_list *to, const table_object *self, size_t index, uint64_t number, const uint32_t *others,
                    size_t count, PyObject *dump)
{
    const counts *in = &self->in;
    const counted_key of = counts_key(in, index);
    const int is_key = of.uri == of.key && of.uri_size == of.key_size;
    const size_t spellings = of.last_spelling == NO_ITEM ? 0 : counts_spellings(in, &of);
    char *places[2] = {NULL, NULL};
    Py_ssize_t sizes[2] = {0, 0};
    PyObject *held[2] = {NULL, NULL};
    int done = 1;
    for (size_t i = 0; done && index < self->located && i < 2; ++i)
        done = dumped(dump, self->locations[2 * index + i], &held[i], &places[i], &sizes[i]);
    if (done) {
        const packed_key head = {
            number, of.count, of.first, of.last, of.key_size, is_key ? SAME_URI : of.uri_size, (uint32_t)count,
            (uint32_t)spellings, of.first_source, of.last_source, (uint32_t)sizes[0], (uint32_t)sizes[1]};
        done = put(to, &head, sizeof head) && put(to, others, count * sizeof *others) &&
               put(to, in->texts.at + of.key, of.key_size) && (is_key || put(to, in->texts.at + of.uri, of.uri_size));
        uint32_t at = of.last_spelling;
        for (size_t i = 0; done && i < spellings; ++i) {
            at = in->spellings[at].next;
            const uint32_t size = in->spellings[at].size;
            done = put(to, &size, sizeof size) && put(to, in->texts.at + in->spellings[at].text, size);
        }
        for (size_t i = 0; done && i < 2; ++i) done = put(to, places[i], (size_t)sizes[i]);
        if (!done) PyErr_NoMemory();
    }
    Py_XDECREF(held[0]);
    Py_XDECREF(held[1]);
    return done;
}

static int by_key(const void *one, const void *other)
{
    const key_source *a = one, *b = other;
    return a->key != b->key ? (a->key > b->key ? 1 : -1) : (a->source > b->source) - (a->source < b->source);
}

PyObject *table_packed(table_object *self, PyObject *args)
{
    PyObject *dump;
    Py_ssize_t parts;
    unsigned long long run;
    int shift;
    if (!PyArg_ParseTuple(args, "nKiO", &parts, &run, &shift, &dump) || !table_is_free(self)) return NULL;
    if (parts < 1 || parts > UINT16_MAX || shift > 48) return PyErr_Format(PyExc_ValueError, "too many parts, or none");
    const counts *in = &self->in;
    const size_t count = in->count, other_count = in->other_count; /* whatever `dump` does */
    byte_list *made = PyMem_Calloc((size_t)parts, sizeof *made);
    key_source *others = PyMem_Malloc(other_count * sizeof *others + 1);
    uint32_t *sources = PyMem_Malloc(other_count * sizeof *sources + 1);
    int done = (made != NULL && others != NULL && sources != NULL) || no_memory();
    if (done && other_count) {
        memcpy(others, in->others, other_count * sizeof *others);
        qsort(others, other_count, sizeof *others, by_key);
        for (size_t i = 0; i < other_count; ++i) sources[i] = others[i].source;
    }
    for (size_t i = 0, first = 0, last; done && i < count; ++i, first = last) {
        for (last = first; last < other_count && others[last].key == i; ++last) {}
        const uint64_t number = self->numbered == count ? self->numbers[i] : (uint64_t)run << 32 | i;
        const counted_key of = counts_key(in, i);
        const uint64_t hash = digest_of(memo_seed, in->texts.at + of.key, of.key_size).high;
        const size_t part = shift < 0 ? (size_t)(number >> 32) : (size_t)(hash >> shift) % (size_t)parts;
        if (part >= (size_t)parts)
            done = failed(PyExc_ValueError, "there are more runs than parts");
        else
            done = pack_key(&made[part], self, i, number, sources + first, last - first, dump);
    }
    PyObject *list = done ? PyList_New(parts) : NULL;
    for (Py_ssize_t i = 0; made != NULL && i < parts; ++i) {
        if (list != NULL) set_new(&list, (size_t)i, items_of(made[i].at, made[i].size, 1));
        free(made[i].at);
    }
    PyMem_Free(made);
    PyMem_Free(others);
    PyMem_Free(sources);
    return list;
}

/* Bytes that are read from the start. */
typedef struct {
    const byte *at, *end;
} packed_reader;

static const byte *take(packed_reader *from, size_t size)
{
    if ((size_t)(from->end - from->at) < size) return NULL;
    const byte *at = from->at;
    from->at += size;
    return at;
}

/* A location, None for no bytes; NULL with an exception set. */
static PyObject *loaded(PyObject *load, const byte *at, size_t size)
{
    return size ? PyObject_CallFunction(load, "y#", (const char *)at, (Py_ssize_t)size) : Py_NewRef(Py_None);
}

/* Note the number of a new key, unless one before it has none; returns 0 if there is no memory. */
static int number_key(table_object *self, uint32_t key, uint64_t number)
{
    if (key != self->numbered) return 1;
    if (!GROW(self->numbers, self->number_room, self->in.count)) return 0;
    self->numbers[self->numbered++] = number;
    return 1;
}

/* Add a key of packed counts, whose source is another one unless that is negative; returns 0 with an exception set. */
static int load_key(table_object *self, packed_reader *from, PyObject *load, long long source)
{
    static const char BROKEN[] = "these are not packed counts";
    packed_key head;
    const byte *at = take(from, sizeof head);
    if (at == NULL) return failed(PyExc_ValueError, BROKEN);
    memcpy(&head, at, sizeof head);
    if (source >= 0) {
        if (head.others) return failed(PyExc_ValueError, "there are several sources");
        head.first_source = head.last_source = (uint32_t)source;
    }
    if (head.others > (size_t)(from->end - from->at) / sizeof(uint32_t)) return failed(PyExc_ValueError, BROKEN);
    const byte *others = take(from, head.others * sizeof(uint32_t)), *key = take(from, head.key_size);
    const byte *uri = head.uri_size == SAME_URI ? key : take(from, head.uri_size);
    if (others == NULL || key == NULL || uri == NULL) return failed(PyExc_ValueError, BROKEN);
    appearance one = {key, uri, head.key_size, head.uri_size == SAME_URI ? head.key_size : head.uri_size,
                      head.count, head.first, head.last, head.first_source};
    const size_t before = self->in.count;
    const uint32_t hash = counts_hash(&self->in, key, head.key_size);
    const uint32_t index = counts_add(&self->in, &one, hash);
    const int is_new = index == before;
    int done = index != NO_ITEM && (!is_new || source >= 0 || number_key(self, index, head.number));
    one.count = 0;
    for (uint32_t i = 0; done && i <= head.others; ++i) { /* the last source comes last */
        one.source = head.last_source;
        if (i < head.others) memcpy(&one.source, others + i * sizeof one.source, sizeof one.source);
        done = counts_add(&self->in, &one, hash) != NO_ITEM;
    }
    if (done && !head.spellings) done = counts_spell(&self->in, index, key, head.key_size, is_new);
    for (uint32_t i = 0, size; done && i < head.spellings; ++i) {
        const byte *length = take(from, sizeof size);
        if (length != NULL) memcpy(&size, length, sizeof size);
        const byte *raw = length == NULL ? NULL : take(from, size);
        if (raw == NULL) return failed(PyExc_ValueError, BROKEN);
        done = counts_spell(&self->in, index, raw, size, is_new && i == 0);
    }
    if (!done) return no_memory();
    const byte *first = take(from, head.first_location), *last = take(from, head.last_location);
    if (first == NULL || last == NULL) return failed(PyExc_ValueError, BROKEN);
    PyObject *begin = loaded(load, first, head.first_location);
    PyObject *end = begin == NULL ? NULL : loaded(load, last, head.last_location);
    done = end != NULL && (table_locate(self, index, is_new, begin, end) || no_memory());
    Py_XDECREF(begin);
    Py_XDECREF(end);
    return done;
}

PyObject *table_add_packed(table_object *self, PyObject *args)
{
    const char *data;
    Py_ssize_t size;
    PyObject *load;
    long long source;
    if (!PyArg_ParseTuple(args, "y#OL", &data, &size, &load, &source) || !table_is_free(self)) return NULL;
    if (source > UINT32_MAX) return PyErr_Format(PyExc_ValueError, "the number of a source has more than 32 bits");
    packed_reader from = {(const byte *)data, (const byte *)data + size};
    while (from.at < from.end)
        if (!load_key(self, &from, load, source)) return NULL;
    return Py_NewRef(Py_None);
}

/* The order of the first appearances of keys that were packed. */
PyObject *table_first(table_object *self, PyObject *Py_UNUSED(unused))
{
    const size_t count = self->numbered;
    PyObject *made = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; made != NULL && i < count; ++i) set_new(&made, i, PyLong_FromUnsignedLongLong(self->numbers[i]));
    return made;
}

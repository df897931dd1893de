/* `_kernel.KeyTable`: the counts as tuples, or as lines of text. */
#include "counts_object.h"
#include "buffer.h"

/* The index of the key at a position of an order, which is a list of indices or None; -1 with an exception set. */
static Py_ssize_t key_at(const table_object *self, PyObject *order, Py_ssize_t position)
{
    Py_ssize_t index = position;
    if (order != Py_None) {
        PyObject *item = PyList_GetItem(order, position);
        index = item == NULL ? -1 : PyLong_AsSsize_t(item);
    }
    if (index >= 0 && (size_t)index < self->in.count) return index;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such key");
    return -1;
}

/* The number of keys in an order; -1 with an exception set. */
#define ORDER_SIZE(self, order) ((order) == Py_None ? (Py_ssize_t)(self)->in.count : PyList_Size(order))

/* The spellings of a key. The collector of garbage may run where objects are made, and what it runs may add to the
 * counts: then there are more of them, in other memory. */
static PyObject *forms_of(const counts *in, size_t index, PyObject *key)
{
    const counted_key before = counts_key(in, index);
    size_t count = counts_spellings(in, &before);
    PyObject *made = PyTuple_New((Py_ssize_t)count);
    const counted_key of = counts_key(in, index);
    uint32_t at = of.last_spelling;
    for (size_t i = 0; made != NULL && i < count; ++i) {
        if (at != NO_ITEM) at = in->spellings[at].next;
        const key_spelling *one = at == NO_ITEM ? NULL : &in->spellings[at];
        int is_key = one == NULL || (one->text == of.key && one->size == of.key_size);
        set_new(&made, i, is_key ? Py_NewRef(key) : string_of(in->texts.at + one->text, one->size));
    }
    return made;
}

static PyObject *counted_row(const table_object *self, size_t index)
{
    const counts *in = &self->in;
    const counted_key of = counts_key(in, index);
    PyObject *key = string_of(in->texts.at + of.key, of.key_size);
    if (key == NULL) return NULL;
    int is_key = of.uri == of.key && of.uri_size == of.key_size; /* an empty key takes no room */
    PyObject *uri = is_key ? Py_NewRef(key) : string_of(in->texts.at + of.uri, of.uri_size);
    PyObject *forms = uri == NULL ? NULL : forms_of(in, index, key);
    if (forms == NULL) {
        Py_DECREF(key);
        Py_XDECREF(uri);
        return NULL;
    }
    int known = index < self->located;
    PyObject *first = Py_NewRef(known ? self->locations[2 * index] : Py_None);
    PyObject *last = Py_NewRef(known ? self->locations[2 * index + 1] : Py_None);
    return Py_BuildValue("NNKkkNKkNKN", key, uri, (unsigned long long)of.count, (unsigned long)of.sources,
                         (unsigned long)of.first_source, first, (unsigned long long)of.first,
                         (unsigned long)of.last_source, last, (unsigned long long)of.last, forms);
}

PyObject *table_rows(table_object *self, PyObject *args)
{
    PyObject *order;
    Py_ssize_t position, most;
    if (!PyArg_ParseTuple(args, "Onn", &order, &position, &most) || !table_is_free(self)) return NULL;
    Py_ssize_t count = ORDER_SIZE(self, order);
    PyObject *made = count < 0 ? NULL : PyList_New(0);
    for (; made != NULL && position < count && most > 0; ++position, --most) {
        Py_ssize_t index = key_at(self, order, position);
        append_new(&made, index < 0 ? NULL : counted_row(self, (size_t)index));
    }
    return made;
}

/* The text shown before the offsets in a source; NULL with an exception set. */
static const char *name_of(PyObject *names, uint32_t source, Py_ssize_t *size)
{
    char *text;
    PyObject *name = PyList_GetItem(names, (Py_ssize_t)source);
    return name == NULL || PyBytes_AsStringAndSize(name, &text, size) < 0 ? NULL : text;
}

/* Write the line of a key; without `names` it is the canonical form alone. */
static int write_line(const counts *in, const counted_key *of, PyObject *names, byte **made, size_t *size, size_t *room)
{
    const char *first = NULL, *last = NULL;
    Py_ssize_t first_size = 0, last_size = 0;
    if (names != Py_None) {
        first = name_of(names, of->first_source, &first_size);
        last = first == NULL ? NULL : name_of(names, of->last_source, &last_size);
        if (last == NULL) return 0;
    }
    size_t needed = *size + of->uri_size + (size_t)first_size + (size_t)last_size + 5 * (MOST_DIGITS + 1) + 1;
    if (!reserve((void **)made, room, needed, 1)) return no_memory();
    byte *to = *made + *size;
    if (names != Py_None) {
        uint64_t numbers[] = {of->count, of->sources, counts_spellings(in, of)};
        for (size_t i = 0; i < 3; ++i) {
            to = put_decimal(to, numbers[i]);
            *to++ = '\t';
        }
        memcpy(to, first, (size_t)first_size);
        to = put_decimal(to + first_size, of->first);
        *to++ = '\t';
        memcpy(to, last, (size_t)last_size);
        to = put_decimal(to + last_size, of->last);
        *to++ = '\t';
    }
    memcpy(to, in->texts.at + of->uri, of->uri_size);
    to += of->uri_size;
    *to++ = '\n';
    *size = (size_t)(to - *made);
    return 1;
}

PyObject *table_lines(table_object *self, PyObject *args)
{
    PyObject *order, *names;
    Py_ssize_t position, most;
    unsigned long long least;
    if (!PyArg_ParseTuple(args, "OnnKO", &order, &position, &most, &least, &names) || !table_is_free(self)) return NULL;
    Py_ssize_t count = ORDER_SIZE(self, order);
    if (count < 0) return NULL;
    byte *text = NULL;
    size_t size = 0, room = 0;
    for (; position < count && most > 0; ++position) {
        Py_ssize_t index = key_at(self, order, position);
        counted_key of = {0};
        if (index >= 0) of = counts_key(&self->in, (size_t)index);
        if (index >= 0 && of.count < least) continue;
        if (index < 0 || !write_line(&self->in, &of, names, &text, &size, &room)) {
            free(text);
            return NULL;
        }
        --most;
    }
    PyObject *made = Py_BuildValue("y#n", text == NULL ? "" : (const char *)text, (Py_ssize_t)size, position);
    free(text);
    return made;
}

/* How often each key came. */
PyObject *table_numbers(table_object *self, PyObject *Py_UNUSED(unused))
{
    if (!table_is_free(self)) return NULL;
    size_t count = self->in.count;
    PyObject *made = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; made != NULL && i < count; ++i)
        set_new(&made, i, PyLong_FromUnsignedLongLong(counts_key(&self->in, i).count));
    return made;
}

/* The canonical form of each key. */
PyObject *table_uris(table_object *self, PyObject *Py_UNUSED(unused))
{
    if (!table_is_free(self)) return NULL;
    size_t count = self->in.count;
    PyObject *made = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; made != NULL && i < count; ++i) {
        const counted_key of = counts_key(&self->in, i);
        set_new(&made, i, string_of(self->in.texts.at + of.uri, of.uri_size));
    }
    return made;
}

/* Pairs of the index of a key and the number of one of its sources, other than its first one. */
PyObject *table_other_sources(table_object *self, PyObject *Py_UNUSED(unused))
{
    if (!table_is_free(self)) return NULL;
    size_t count = self->in.other_count;
    PyObject *made = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; made != NULL && i < count; ++i) {
        const key_source *one = &self->in.others[i];
        set_new(&made, i, Py_BuildValue("kk", (unsigned long)one->key, (unsigned long)one->source));
    }
    return made;
}

/* `_kernel.NameTable`: counts of names as a Python object. */
#include "counts_object.h"
#include "memo.h"
#include "names.h"
#include "templates.h"

/* The links that a template has as examples, at most; and the bytes of one that is shown as it is. */
#define EXAMPLES 3u
#define LONGEST_EXAMPLE 200u

typedef struct {
    uint64_t digests[EXAMPLES]; /* 0 for none */
} shown_links;

typedef struct {
    PyObject_HEAD
    names in;
    shown_links *shown; /* of the first names, which are templates */
    size_t shown_count, shown_room;
} name_table;

static PyObject *table_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    return new_with_seed(type, args, offsetof(name_table, in.seed));
}

static void table_dealloc(PyObject *object)
{
    name_table *self = (name_table *)object;
    free(self->shown);
    names_free(&self->in);
    object_free(object);
}

static Py_ssize_t table_length(PyObject *object) { return (Py_ssize_t)((name_table *)object)->in.count; }

static PyObject *size(name_table *self, void *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(names_size(&self->in) + self->shown_count * sizeof *self->shown);
}

/* Add the names of a dictionary with their numbers, which may be negative; `is_fresh` says which of both numbers these
 * are. Returns 0 with an exception set. */
static int add_numbers(names *in, PyObject *numbers, int is_fresh)
{
    PyObject *name, *number;
    Py_ssize_t position = 0;
    while (PyDict_Next(numbers, &position, &name, &number)) {
        utf8_text text;
        const uint64_t more = (uint64_t)PyLong_AsLongLong(number);
        if (PyErr_Occurred() || !text_of(&text, name)) return 0;
        const uint32_t index =
            names_add(in, (component){text.at, text.size}, is_fresh ? 0 : more, is_fresh ? more : 0);
        Py_XDECREF(text.held);
        if (index == NO_ITEM) return no_memory();
    }
    return 1;
}

static PyObject *add(name_table *self, PyObject *args)
{
    PyObject *counts, *fresh;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &counts, &PyDict_Type, &fresh)) return NULL;
    return add_numbers(&self->in, counts, 0) && add_numbers(&self->in, fresh, 1) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *row_of(component name, uint64_t count, uint64_t fresh)
{
    return Py_BuildValue("NLL", string_of(name.text, name.size), (long long)count, (long long)fresh);
}

static PyObject *row_at(const names *in, size_t index)
{
    return row_of(name_at(in, index), in->each[index].count, in->each[index].fresh);
}

static PyObject *rows(name_table *self, PyObject *args)
{
    Py_ssize_t position, most;
    if (!PyArg_ParseTuple(args, "nn", &position, &most)) return NULL;
    PyObject *made = PyList_New(0);
    for (; made != NULL && position >= 0 && (size_t)position < self->in.count && most > 0; ++position, --most)
        append_new(&made, row_at(&self->in, (size_t)position));
    return made;
}

typedef struct {
    int64_t count;
    component name;
    size_t index;
} ranked;

/* The order of a ranking: names that came more often, then by their text, whose UTF-8 has the order of its characters. */
static int by_rank(const void *one, const void *other)
{
    const ranked *a = one, *b = other;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    const size_t both = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int order = both ? memcmp(a->name.text, b->name.text, both) : 0;
    return order ? order : (a->name.size > b->name.size) - (a->name.size < b->name.size);
}

/* The names that are sorted at once, beyond those of a ranking. */
#define SORTED 1024u

static PyObject *best(name_table *self, PyObject *args)
{
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "n", &most)) return NULL;
    const names *in = &self->in;
    const size_t top = most < 0 ? 0 : (size_t)most < in->count ? (size_t)most : in->count;
    ranked *some = PyMem_Malloc((2 * top + SORTED) * sizeof *some);
    if (some == NULL) return PyErr_NoMemory();
    size_t number = 0, held = 0;
    int64_t total = 0, least = INT64_MIN;
    for (size_t i = 0; i < in->count; ++i) {
        const counted_name *one = &in->each[i];
        if (one->size == 0) continue;
        ++number;
        const int64_t count = (int64_t)one->count;
        total += count;
        if (count < least) continue;
        some[held++] = (ranked){count, name_at(in, i), i};
        if (held < 2 * top + SORTED) continue;
        qsort(some, held, sizeof *some, by_rank);
        held = top;
        if (top) least = some[top - 1].count;
    }
    qsort(some, held, sizeof *some, by_rank);
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < held && i < top; ++i) append_new(&made, row_at(in, some[i].index));
    PyMem_Free(some);
    return made == NULL ? NULL
                        : Py_BuildValue("nLN", (Py_ssize_t)number, (long long)total, made);
}

/* The rows of some names, as a list. */
static PyObject *all_rows(const names *in)
{
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < in->count; ++i) append_new(&made, row_at(in, i));
    return made;
}

static PyObject *add_hosts(name_table *self, PyObject *args)
{
    table_object *heads;
    if (!PyArg_ParseTuple(args, "O!", type_beside((PyObject *)self, KEY_TABLE_TYPE), &heads) || !table_is_free(heads))
        return NULL;
    const counts *from = &heads->in;
    names schemes = {0};
    memcpy(schemes.seed, self->in.seed, sizeof schemes.seed);
    PyObject *left = PyList_New(0);
    int done = 1;
    for (size_t i = 0; done && left != NULL && i < from->count; ++i) {
        const counted_key of = counts_key(from, i);
        const component head = {from->texts.at + of.key, of.key_size};
        component parts[COMPONENT_COUNT];
        split_components(parts, head.text, head.size);
        const component scheme = parts[C_SCHEME], host = parts[C_HOST];
        if (scheme.size == 0 || begins(head.text, head.size, "urn:")) {
            append_new(&left, row_of(head, of.count, of.first));
            continue;
        }
        done = names_add(&schemes, scheme, of.count, of.first) != NO_ITEM &&
               (host.text == NULL || names_add(&self->in, host, of.count, of.first) != NO_ITEM);
    }
    PyObject *made = done && left != NULL ? all_rows(&schemes) : NULL;
    names_free(&schemes);
    if (!done) PyErr_NoMemory();
    if (made == NULL) Py_XDECREF(left);
    return made == NULL ? NULL : Py_BuildValue("NN", made, left);
}

static PyObject *add_domains(name_table *self, PyObject *args)
{
    name_table *hosts, *rules;
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (!PyArg_ParseTuple(args, "O!O!", type, &hosts, type, &rules)) return NULL;
    if (self == hosts || self == rules) return PyErr_Format(PyExc_ValueError, "a table cannot be added to itself");
    const names *from = &hosts->in;
    PyObject *left = PyList_New(0);
    for (size_t i = 0; left != NULL && i < from->count; ++i) {
        byte text[LONGEST_HOST];
        component domain;
        if (!domain_of_host(&domain, text, &rules->in, name_at(from, i)))
            append_new(&left, row_at(from, i));
        else if (domain.text != NULL &&
                 names_add(&self->in, domain, from->each[i].count, from->each[i].fresh) == NO_ITEM)
            append_new(&left, PyErr_NoMemory());
    }
    return left;
}

/* A name before its text, on its way to disk and back; the numbers are those of one machine. */
typedef struct {
    uint64_t count, fresh, size;
} packed_name;

static PyObject *packed(name_table *self, PyObject *args)
{
    Py_ssize_t parts;
    if (!PyArg_ParseTuple(args, "n", &parts)) return NULL;
    if (parts < 1 || parts > UINT16_MAX) return PyErr_Format(PyExc_ValueError, "too many parts, or none");
    const names *in = &self->in;
    byte_list *made = PyMem_Calloc((size_t)parts, sizeof *made);
    int done = made != NULL;
    for (size_t i = 0; done && i < in->count; ++i) {
        const component name = name_at(in, i);
        const packed_name head = {in->each[i].count, in->each[i].fresh, name.size};
        byte_list *to = &made[digest_of(memo_seed, name.text, name.size).high % (size_t)parts];
        size_t at;
        done = add_bytes(to, &head, sizeof head, &at) && add_bytes(to, name.text, name.size, &at);
    }
    PyObject *list = done ? PyList_New(parts) : PyErr_NoMemory();
    for (Py_ssize_t i = 0; made != NULL && i < parts; ++i) {
        if (list != NULL) set_new(&list, (size_t)i, items_of(made[i].at, made[i].size, 1));
        free(made[i].at);
    }
    PyMem_Free(made);
    return list;
}

static PyObject *add_packed(name_table *self, PyObject *args)
{
    const char *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &data, &size)) return NULL;
    packed_name head;
    for (const char *const end = data + size; data < end; data += head.size) {
        if ((size_t)(end - data) < sizeof head) return PyErr_Format(PyExc_ValueError, "these are not packed names");
        memcpy(&head, data, sizeof head);
        data += sizeof head;
        if (head.size > (size_t)(end - data)) return PyErr_Format(PyExc_ValueError, "these are not packed names");
        if (names_add(&self->in, (component){(const byte *)data, (size_t)head.size}, head.count, head.fresh) == NO_ITEM)
            return PyErr_NoMemory();
    }
    return Py_NewRef(Py_None);
}

/* Whether a link becomes an example of a template; -1 if there is no memory. */
static int is_example(name_table *self, uint32_t index, component link)
{
    if (!GROW(self->shown, self->shown_room, self->in.count)) return -1;
    while (self->shown_count < self->in.count) self->shown[self->shown_count++] = (shown_links){{0}};
    uint64_t *digests = self->shown[index].digests;
    if (digests[EXAMPLES - 1]) return 0;
    const uint64_t one = digest_of(self->in.seed, link.text, link.size).high | 1;
    size_t i = 0;
    for (; digests[i]; ++i)
        if (digests[i] == one) return 0;
    digests[i] = one;
    return 1;
}

/* Append an example: the template, the link and its number, each with a line feed. */
static int put_example(byte_list *to, component name, component link, uint64_t number)
{
    byte digits[MOST_DIGITS];
    const size_t size = (size_t)(put_decimal(digits, number) - digits);
    size_t at;
    return add_bytes(to, name.text, name.size, &at) && add_bytes(to, "\n", 1, &at) &&
           add_bytes(to, link.text, link.size, &at) && add_bytes(to, "\n", 1, &at) &&
           add_bytes(to, digits, size, &at) && add_bytes(to, "\n", 1, &at);
}

/* Add the template of a link; returns 1, 0 where Python has to decide, -1 if there is no memory. */
static int add_template(name_table *self, component link, int is_new, uint64_t number, byte_list *examples)
{
    byte text[TEMPLATE_ROOM(LONGEST_EXAMPLE)];
    const byte *const end = link.text + link.size;
    if (link.size > LONGEST_EXAMPLE || first_mark(link.text, end, '@', '4', '0') < end) return 0;
    const byte *stop = plain_template(text, link.text, link.size);
    if (stop == NULL) return 0;
    const component name = {text, (size_t)(stop - text)};
    const uint32_t index = names_add(&self->in, name, 1, (uint64_t)is_new);
    const int shown = index == NO_ITEM ? -1 : is_example(self, index, link);
    return shown < 0 || (shown && !put_example(examples, name, link, number)) ? -1 : 1;
}

static PyObject *add_templates(name_table *self, PyObject *args)
{
    harvest_object *taken;
    PyObject *fresh;
    unsigned long long first;
    if (!PyArg_ParseTuple(args, "O!O!K", type_beside((PyObject *)self, HARVEST_TYPE), &taken, &PyList_Type, &fresh,
                          &first))
        return NULL;
    const harvest *from = &taken->rows;
    size_t count = from->count, number = (size_t)PyList_Size(fresh), at = 0;
    size_t *new = indices_of(fresh, &count);
    if (new == NULL) return NULL;
    byte_list examples = {0};
    PyObject *left = PyList_New(0);
    for (size_t i = 0; left != NULL && i < from->count; ++i) {
        const found_row *one = &from->rows[i];
        const int is_new = at < number && new[at] == i;
        at += (size_t)is_new;
        const int done = add_template(self, (component){from->forms.at + one->uri, one->uri_size}, is_new, first + i, &examples);
        if (done < 1) append_new(&left, done < 0 ? PyErr_NoMemory() : PyLong_FromSize_t(i));
    }
    PyMem_Free(new);
    PyObject *made = left == NULL ? NULL : Py_BuildValue("NN", left, items_of(examples.at, examples.size, 1));
    free(examples.at);
    return made;
}

static PyMethodDef METHODS[] = {
    METHOD("packed", packed, METH_VARARGS), METHOD("add_packed", add_packed, METH_VARARGS),
    METHOD("add_templates", add_templates, METH_VARARGS), METHOD("add", add, METH_VARARGS), METHOD("rows", rows, METH_VARARGS), METHOD("best", best, METH_VARARGS),
    METHOD("add_hosts", add_hosts, METH_VARARGS), METHOD("add_domains", add_domains, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {ATTRIBUTE("size", size), {NULL, NULL, NULL, NULL, NULL}};

TYPE_SPEC(NAME_TABLE_SPEC, "NameTable", name_table, 0,
          {Py_tp_new, table_new}, {Py_tp_dealloc, table_dealloc}, {Py_tp_methods, METHODS},
          {Py_tp_getset, ATTRIBUTES}, {Py_sq_length, table_length},
          {Py_tp_doc, "Counts of names, in the order of their first appearance."});

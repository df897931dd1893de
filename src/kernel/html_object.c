/* `_kernel.HtmlReader` and `_kernel.HtmlPage`: windows of HTML as Python objects. */
#include "module.h"
#include "buffer.h"
#include "components.h"
#include "utf8.h"

/* Ask Python for a reference; called without the interpreter, unless mail is read. */
static int resolve(void *context, const byte *written, size_t size, int in_attribute, byte *text, size_t *length)
{
    html_reader_object *self = context;
    if (self->thread != NULL) PyEval_RestoreThread(self->thread);
    PyObject *found = PyObject_CallFunction(self->resolve, "Ni", string_of(written, size), in_attribute);
    utf8_text made = {0};
    int done = found != NULL && text_of(&made, found);
    if (done && made.size > HTML_REFERENCE_ROOM)
        done = failed(PyExc_ValueError, "a character reference stands for too long a text");
    *length = made.size;
    if (done) memcpy(text, made.at, made.size);
    Py_XDECREF(made.held);
    Py_XDECREF(found);
    if (self->thread != NULL) PyEval_SaveThread();
    return done;
}

static int add_names(html_table *table, PyObject *rows, int numbered)
{
    PyObject *list = PySequence_List(rows);
    int done = list != NULL;
    for (Py_ssize_t i = 0; done && i < PyList_Size(list); ++i) {
        const char *name;
        Py_ssize_t size;
        unsigned flags;
        done = PyArg_ParseTuple(PyList_GetItem(list, i), "s#I", &name, &size, &flags);
        if (done && (!html_add_name(table, (const byte *)name, (size_t)size, flags, (uint32_t)i) ||
                     (numbered && i >= (Py_ssize_t)HTML_MOST_ATTRIBUTES)))
            done = failed(PyExc_ValueError, "there are too many names, or one is too long");
    }
    Py_XDECREF(list);
    return done;
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *NAMES[] = {"elements", "attributes", "resolve", NULL};
    PyObject *elements, *attributes, *function;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO", NAMES, &elements, &attributes, &function)) return NULL;
    html_reader_object *self = object_new(type);
    if (self == NULL) return NULL;
    self->resolve = Py_NewRef(function);
    self->reader.resolve = resolve;
    self->reader.context = self;
    if (!add_names(&self->reader.elements, elements, 0) || !add_names(&self->reader.attributes, attributes, 1)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static int reader_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((html_reader_object *)object)->resolve);
    return 0;
}

static void reader_dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    Py_XDECREF(((html_reader_object *)object)->resolve);
    object_free(object);
}

static PyObject *read_page(html_reader_object *self, PyObject *args)
{
    PyObject *text, *given;
    html_base base = {0};
    resolve_base plain;
    utf8_text source, base_text = {0};
    int final;
    int takes_every_value;
    size_t limit;
    if (!PyArg_ParseTuple(args, "OpO&Opp", &text, &final, to_size, &limit, &given, &base.is_declared,
                          &takes_every_value))
        return NULL;
    base.is_known = given != Py_None;
    if (base.is_known && !text_of(&base_text, given)) return NULL;
    if (base.is_known && resolve_split(&plain, base_text.at, base_text.size)) base.plain = &plain;
    page_object *made = NULL;
    if (text_of(&source, text)) {
        if (self->thread != NULL) PyErr_SetString(PyExc_RuntimeError, "another thread is reading with this object");
        else made = object_new(type_beside((PyObject *)self, HTML_PAGE_TYPE));
        if (made == NULL) Py_XDECREF(source.held);
    }
    if (made == NULL) {
        Py_XDECREF(base_text.held);
        return NULL;
    }
    made->text = Py_NewRef(text);
    made->held = source.held;
    self->reader.takes_every_value = takes_every_value;
    self->thread = PyThreadState_Get(); /* set before another thread can run */
    PyEval_SaveThread();
    html_result result = html_read(&self->reader, &made->page, source.at, source.size, final, base, limit);
    PyEval_RestoreThread(self->thread);
    self->thread = NULL;
    Py_XDECREF(base_text.held);
    if (result == HTML_DONE) return (PyObject *)made;
    Py_DECREF((PyObject *)made);
    if (result == HTML_LEFT) Py_RETURN_NONE;
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

static PyMethodDef READER_METHODS[] = {
    METHOD("read", read_page, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

TYPE_SPEC(HTML_READER_SPEC, "HtmlReader", html_reader_object, Py_TPFLAGS_HAVE_GC,
          {Py_tp_new, reader_new}, {Py_tp_dealloc, reader_dealloc}, {Py_tp_traverse, reader_traverse},
          {Py_tp_methods, READER_METHODS}, {Py_tp_doc, "Reads windows of HTML."});

static void page_dealloc(PyObject *object)
{
    page_object *self = (page_object *)object;
    html_free(&self->page);
    Py_XDECREF(self->text);
    Py_XDECREF(self->held);
    object_free(object);
}

/* The text of a page with a number; NULL with an exception set if it is not one. */
static html_stream *stream_of(page_object *self, PyObject *number)
{
    long which = PyLong_AsLong(number);
    if (which >= 0 && which <= 2) return html_stream_of(&self->page, (int)which);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "there is no such text");
    return NULL;
}

static PyObject *page_text(page_object *self, PyObject *number)
{
    const html_stream *stream = stream_of(self, number);
    return stream == NULL ? NULL : string_of(stream->text, stream->size);
}

static PyObject *page_source(page_object *self, PyObject *args)
{
    Py_ssize_t character;
    PyObject *number;
    int is_end;
    if (!PyArg_ParseTuple(args, "nOp", &character, &number, &is_end)) return NULL;
    html_stream *stream = stream_of(self, number);
    size_t offset = character < 0 ? 0 : (size_t)character;
    return stream == NULL ? NULL : PyLong_FromSize_t(html_source(&self->page, stream, offset, is_end));
}

/* The item with a number: of links, and of what Python has to read, then of values. */
static const html_item *item_at(const html_page *page, size_t index)
{
    return index < page->item_count ? &page->items[index] : &page->texts[index - page->item_count];
}

static const html_item *item_of(page_object *self, PyObject *number)
{
    size_t index = PyLong_AsSize_t(number);
    if (index < self->page.item_count + self->page.text_count) return item_at(&self->page, index);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such link");
    return NULL;
}

/* The text of an item. */
static const byte *text_at(const html_page *page, const html_item *item)
{
    if (item->link_size == 0) return (const byte *)"";
    return (item->kind == HTML_VALUE ? page->values.text : page->links) + item->link;
}

static PyObject *page_link(page_object *self, PyObject *number)
{
    const html_item *item = item_of(self, number);
    return item == NULL ? NULL : string_of(text_at(&self->page, item), item->link_size);
}

/* The links with some numbers, joined after a separator each, and the offset of each in characters, and one more. */
static PyObject *page_links(page_object *self, PyObject *args)
{
    const html_page *page = &self->page;
    size_t first, stop, size = 0, used = 0;
    if (!PyArg_ParseTuple(args, "O&O&", to_size, &first, to_size, &stop)) return NULL;
    if (first > stop || stop > page->item_count + page->text_count) return PyErr_Format(PyExc_IndexError, "there are no such links");
    for (size_t i = first; i < stop; ++i) size += TEXT_SEPARATOR_SIZE + item_at(page, i)->link_size;
    byte *whole = malloc(size + 1);
    int64_t *begins = malloc((stop - first + 1) * sizeof *begins);
    PyObject *made = NULL;
    if (whole == NULL || begins == NULL) {
        PyErr_NoMemory();
    } else {
        int64_t count = 0;
        for (size_t i = first; i < stop; ++i) {
            const html_item *item = item_at(page, i);
            memcpy(whole + used, TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE);
            used += TEXT_SEPARATOR_SIZE;
            begins[i - first] = count += TEXT_SEPARATOR_SIZE;
            memcpy(whole + used, text_at(page, item), item->link_size);
            count += (int64_t)characters(whole + used, item->link_size);
            used += item->link_size;
        }
        begins[stop - first] = count + TEXT_SEPARATOR_SIZE;
        made = Py_BuildValue("NN", string_of(whole, size), items_of(begins, stop - first + 1, sizeof *begins));
    }
    free(whole);
    free(begins);
    return made;
}

static PyObject *page_item(page_object *self, PyObject *number)
{
    const html_item *item = item_of(self, number);
    if (item == NULL) return NULL;
    size_t tag = html_character(&self->page, item->tag);
    size_t value = item->is_plain ? html_character(&self->page, item->value) : 0;
    size_t tag_end = html_character(&self->page, item->tag_end);
    const byte *source = self->page.source, *name = source + item->tag + 1;
    size_t name_size = (size_t)(html_name_end(name, source + item->tag_end) - name);
    return Py_BuildValue("iNNnnnI", item->kind, string_of(name, name_size),
                         string_of(source + item->name, item->name_size), (Py_ssize_t)tag, (Py_ssize_t)tag_end,
                         item->is_plain ? (Py_ssize_t)value : (Py_ssize_t)-1, item->reference_size);
}

/* The pairs of names before the last one that are looked at, to find one that is there: there are few in a page. */
#define NAMES_ASKED 32

/* The element and the attribute of an item. */
typedef struct {
    component element, attribute;
} item_names;

static item_names names_of(const html_page *page, const html_item *item)
{
    const byte *name = page->source + item->tag + 1;
    return (item_names){{name, (size_t)(html_name_end(name, page->source + item->tag_end) - name)},
                        {page->source + item->name, item->name_size}};
}

static PyObject *string_pair(item_names names)
{
    return Py_BuildValue("NN", string_of(names.element.text, names.element.size),
                         string_of(names.attribute.text, names.attribute.size));
}

/* The index of the names of an item among those that were met, to which they are added; UINT32_MAX without memory. */
static uint32_t index_of_names(item_names **met, size_t *count, size_t *room, item_names names)
{
    const size_t first = *count > NAMES_ASKED ? *count - NAMES_ASKED : 0;
    for (size_t i = *count; i > first; --i)
        if (is_same_text((*met)[i - 1].element, names.element) && is_same_text((*met)[i - 1].attribute, names.attribute))
            return (uint32_t)(i - 1);
    if (!GROW(*met, *room, *count + 1)) return UINT32_MAX;
    (*met)[*count] = names;
    return (uint32_t)(*count)++;
}

static PyObject *page_places(page_object *self, PyObject *args)
{
    Py_buffer numbers, starts, ends;
    long long base;
    if (!PyArg_ParseTuple(args, "y*y*y*L", &numbers, &starts, &ends, &base)) return NULL;
    html_page *page = &self->page;
    const size_t count = (size_t)numbers.len / sizeof(int64_t), wide = sizeof(int64_t);
    int64_t *places = PyMem_Malloc((2 * count + 1) * sizeof *places);
    uint32_t *indices = PyMem_Malloc((count + 1) * sizeof *indices);
    item_names *met = NULL;
    size_t met_count = 0, met_room = 0, i = 0;
    PyObject *left = PyList_New(0), *names = NULL, *made = NULL;
    if (places == NULL || indices == NULL) {
        PyErr_NoMemory();
    } else if (starts.len < numbers.len || ends.len < numbers.len) {
        PyErr_SetString(PyExc_ValueError, "a start and an end of each is needed");
    } else {
        for (; left != NULL && i < count; ++i) {
            const int64_t number = int64_at(numbers.buf, i), start = int64_at(starts.buf, i), end = int64_at(ends.buf, i);
            if (number < 0 || (size_t)number >= page->item_count + page->text_count) {
                PyErr_SetString(PyExc_IndexError, "there is no such link");
                break;
            }
            const html_item *item = item_at(page, (size_t)number);
            indices[i] = index_of_names(&met, &met_count, &met_room, names_of(page, item));
            if (indices[i] == UINT32_MAX) {
                PyErr_NoMemory();
                break;
            }
            if (item->kind == HTML_VALUE || !item->is_plain) {
                places[i] = places[count + i] = -1;
                append_new(&left, PyLong_FromSize_t(i));
                continue;
            }
            const int64_t at = base + (int64_t)html_character(page, item->value);
            places[i] = item->reference_size ? at : at + start;
            places[count + i] = at + (item->reference_size ? (int64_t)item->reference_size : end);
        }
        if (left != NULL && i == count) names = PyList_New(0);
        for (size_t k = 0; names != NULL && k < met_count; ++k) append_new(&names, string_pair(met[k]));
    }
    if (names != NULL)
        made = Py_BuildValue("ONNNO", names, items_of(indices, count, sizeof *indices), items_of(places, count, wide),
                             items_of(places + count, count, wide), left);
    Py_XDECREF(names);
    Py_XDECREF(left);
    free(met);
    PyMem_Free(places);
    PyMem_Free(indices);
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    return made;
}

static PyObject *page_reference(page_object *self, PyObject *number)
{
    const html_item *item = item_of(self, number);
    if (item == NULL) return NULL;
    if (item->reference_size == 0) Py_RETURN_NONE;
    return string_of(self->page.links + item->reference, item->reference_size);
}

static PyObject *page_base(page_object *self, void *Py_UNUSED(unused))
{
    if (!self->page.has_base) Py_RETURN_NONE;
    return string_of(self->page.links, self->page.links_size);
}

static PyObject *page_shown(page_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < self->page.item_count; ++i) {
        const html_item *item = &self->page.items[i];
        if (item->shown_in == 0) continue;
        const html_stream *stream = html_stream_of(&self->page, item->shown_in == 2);
        PyObject *text = string_of(stream->text + item->shown, item->shown_end - item->shown);
        append_new(&made, Py_BuildValue("nN", (Py_ssize_t)i, text));
    }
    return made;
}

static PyObject *page_special(page_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < self->page.item_count; ++i)
        if (self->page.items[i].kind != HTML_LINK) append_new(&made, PyLong_FromSize_t(i));
    return made;
}

static PyObject *page_skipped(page_object *self, PyObject *Py_UNUSED(unused))
{
    return Py_BuildValue("KK", self->page.same, self->page.relative);
}

static PyObject *page_has_text(page_object *self, PyObject *number)
{
    const html_stream *stream = stream_of(self, number);
    return stream == NULL ? NULL : PyBool_FromLong(html_has_text(stream));
}

/* The number of line feeds in the page, and of characters after the last one. */
static PyObject *page_lines(page_object *self, PyObject *Py_UNUSED(unused))
{
    const byte *source = self->page.source;
    size_t stop = self->page.end.stop, start = stop, feeds = line_feeds(source, stop);
    while (start && source[start - 1] != '\n') --start;
    return Py_BuildValue("nn", (Py_ssize_t)feeds, (Py_ssize_t)characters(source + start, stop - start));
}

static PyObject *page_stop(page_object *self, void *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(html_character(&self->page, self->page.end.stop));
}

static PyMethodDef PAGE_METHODS[] = {
    METHOD("text", page_text, METH_O), METHOD("has_text", page_has_text, METH_O),
    METHOD("lines", page_lines, METH_NOARGS),
    METHOD("source", page_source, METH_VARARGS), METHOD("link", page_link, METH_O),
    METHOD("links", page_links, METH_VARARGS),
    METHOD("item", page_item, METH_O), METHOD("places", page_places, METH_VARARGS), METHOD("reference", page_reference, METH_O),
    METHOD("shown", page_shown, METH_NOARGS), METHOD("special", page_special, METH_NOARGS),
    METHOD("skipped", page_skipped, METH_NOARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef PAGE_ATTRIBUTES[] = {
    ATTRIBUTE("stop", page_stop), ATTRIBUTE("base", page_base),
    FLAG_FIELD("is_done", page_object, page.is_done), SIZE_FIELD("count", page_object, page.item_count),
    SIZE_FIELD("value_count", page_object, page.text_count),
    {NULL, NULL, NULL, NULL, NULL},
};

TYPE_SPEC(HTML_PAGE_SPEC, "HtmlPage", page_object, Py_TPFLAGS_DISALLOW_INSTANTIATION,
          {Py_tp_dealloc, page_dealloc}, {Py_tp_methods, PAGE_METHODS}, {Py_tp_getset, PAGE_ATTRIBUTES},
          {Py_tp_doc, "A window of HTML: its texts and links."});

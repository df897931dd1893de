/* `_kernel.MailReader`: reads the plain messages of a mailbox, and headers. */
#include "module.h"
#include "mail_header.h"
#include <stdlib.h>
#include "utf8.h"

typedef struct {
    PyObject_HEAD
    mail_reader reader;
    PyObject *judge, *skip, *decode;
    PyObject *html; /* the reader of pages, NULL as long as there was none */
    int is_busy;
} reader_object;

static PyObject *bytes_of(mail_value value)
{
    return value.at == NULL ? Py_NewRef(Py_None)
                            : PyBytes_FromStringAndSize((const char *)value.at, (Py_ssize_t)value.size);
}

/* Fill a table from a text of 128 characters; NUL stands for none. */
static int fill(mail_table *table, PyObject *characters)
{
    Py_ssize_t size;
    PyObject *held;
    const byte *text = text_of(characters, &size, &held), *end = text + size;
    int count = 0;
    for (; text != NULL && text < end && count < 128; text += width(*text), ++count) {
        table->size[count] = (byte)(*text ? width(*text) : 0);
        if (table->size[count] > 3) break;
        memcpy(table->text[count], text, table->size[count]);
    }
    int done = text != NULL && text == end && count == 128;
    if (!done && text != NULL) PyErr_SetString(PyExc_ValueError, "a table has 128 characters of at most three bytes");
    Py_XDECREF(held);
    return done;
}

static int judge(void *context, const mail_content *content, mail_table *table)
{
    reader_object *self = context;
    PyObject *type = bytes_of(content->type), *encoding = bytes_of(content->encoding),
             *disposition = bytes_of(content->disposition), *head = bytes_of(content->head), *said = NULL, *characters;
    if (type != NULL && encoding != NULL && disposition != NULL && head != NULL)
        said = PyObject_CallFunctionObjArgs(self->judge, type, encoding, disposition, head, NULL);
    int flags = -1;
    if (said != NULL && (!PyArg_ParseTuple(said, "iO", &flags, &characters) ||
                         (characters != Py_None && !fill(table, characters))))
        flags = -1;
    if (flags > 0 && characters != Py_None) flags |= (int)MAIL_TABLE;
    Py_XDECREF(said);
    Py_XDECREF(head);
    Py_XDECREF(type);
    Py_XDECREF(encoding);
    Py_XDECREF(disposition);
    return flags;
}

static int skip(void *context, const mail_content *content, const byte *body, size_t size)
{
    reader_object *self = context;
    PyObject *type = bytes_of(content->type), *encoding = bytes_of(content->encoding),
             *disposition = bytes_of(content->disposition), *data = bytes_of((mail_value){body, size}), *said = NULL;
    if (type != NULL && encoding != NULL && disposition != NULL && data != NULL)
        said = PyObject_CallFunctionObjArgs(self->skip, type, encoding, disposition, data, NULL);
    long reason = said == NULL ? -1 : said == Py_None ? -2 : PyLong_AsLong(said);
    Py_XDECREF(said);
    Py_XDECREF(data);
    Py_XDECREF(type);
    Py_XDECREF(encoding);
    Py_XDECREF(disposition);
    return reason < -2 ? -2 : (int)reason;
}

static int decode(void *context, mail_stretch *into, const byte *value, size_t size)
{
    reader_object *self = context;
    PyObject *text = PyObject_CallFunction(self->decode, "y#", (const char *)value, (Py_ssize_t)size), *held = NULL;
    int done = text == NULL ? -1 : 0;
    if (text != NULL && text != Py_None) {
        Py_ssize_t length;
        const byte *bytes = text_of(text, &length, &held);
        done = bytes == NULL ? -1 : held != NULL ? 0 : 1; /* Python reads half a surrogate pair */
        if (done == 1 && !mail_add_text(into, bytes, (size_t)length)) {
            PyErr_NoMemory();
            done = -1;
        }
    }
    Py_XDECREF(held);
    Py_XDECREF(text);
    return done;
}

static int add_names(mail_names *to, PyObject *names)
{
    PyObject *list = PySequence_List(names);
    if (list == NULL) return 0;
    Py_ssize_t count = PyList_Size(list);
    to->names = PyMem_Calloc((size_t)count + 1, sizeof *to->names);
    int done = to->names != NULL;
    if (!done) PyErr_NoMemory();
    for (Py_ssize_t i = 0; done && i < count; ++i) {
        Py_ssize_t size;
        PyObject *held;
        const byte *name = text_of(PyList_GetItem(list, i), &size, &held);
        char *copy = name == NULL ? NULL : PyMem_Malloc((size_t)size + 1);
        if (copy != NULL) {
            memcpy(copy, name, (size_t)size);
            copy[size] = 0;
            to->names[to->count++] = copy;
        } else {
            if (name != NULL) PyErr_NoMemory();
            done = 0;
        }
        Py_XDECREF(held);
    }
    Py_DECREF(list);
    return done;
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *NAMES[] = {"opaque", "ids", "judge", "skip", "decode", "reads_parts", NULL};
    PyObject *opaque, *ids, *judging, *skipping, *decoding;
    int reads_parts;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOp", NAMES, &opaque, &ids, &judging, &skipping, &decoding,
                                     &reads_parts))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    reader_object *self = (reader_object *)allocate(type, 0);
    if (self == NULL) return NULL;
    self->judge = Py_NewRef(judging);
    self->skip = Py_NewRef(skipping);
    self->decode = Py_NewRef(decoding);
    self->reader.judge = judge;
    self->reader.skip = skip;
    self->reader.decode = decode;
    self->reader.context = self;
    self->reader.reads_parts = reads_parts;
    if (!add_names(&self->reader.opaque, opaque) || !add_names(&self->reader.ids, ids)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static int reader_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((reader_object *)object)->judge);
    Py_VISIT(((reader_object *)object)->skip);
    Py_VISIT(((reader_object *)object)->decode);
    Py_VISIT(((reader_object *)object)->html);
    return 0;
}

static int reader_clear(PyObject *object)
{
    Py_CLEAR(((reader_object *)object)->judge);
    Py_CLEAR(((reader_object *)object)->skip);
    Py_CLEAR(((reader_object *)object)->decode);
    Py_CLEAR(((reader_object *)object)->html);
    return 0;
}

static void free_names(mail_names *some)
{
    for (size_t i = 0; i < some->count; ++i) PyMem_Free(some->names[i]);
    PyMem_Free(some->names);
}

static void reader_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    reader_clear(object);
    free_names(&((reader_object *)object)->reader.opaque);
    free_names(&((reader_object *)object)->reader.ids);
    free(((reader_object *)object)->reader.decoded);
    free(((reader_object *)object)->reader.wide);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyObject *read_mail(reader_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                           PyObject *names)
{
    if (count != 5 || names != NULL) {
        PyErr_SetString(PyExc_TypeError, "read() takes bytes, their offset, what was searched, whether they end, a size");
        return NULL;
    }
    unsigned long long base = PyLong_AsUnsignedLongLong(args[1]);
    size_t searched = PyErr_Occurred() ? 0 : PyLong_AsSize_t(args[2]);
    int final = PyErr_Occurred() ? 0 : PyObject_IsTrue(args[3]);
    size_t most = PyErr_Occurred() ? 0 : PyLong_AsSize_t(args[4]);
    if (PyErr_Occurred()) return NULL;
    if (self->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "the reader is called by what it has called");
        return NULL;
    }
    Py_buffer data;
    if (PyObject_GetBuffer(args[0], &data, PyBUF_SIMPLE) < 0) return NULL;
    module_state *state = PyType_GetModuleState(defining);
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->mail_texts, Py_tp_alloc);
    mail_texts_object *made = (mail_texts_object *)allocate(state->mail_texts, 0);
    mail_result result = MAIL_NO_MEMORY;
    if (made != NULL) {
        self->is_busy = 1;
        result = mail_read(&self->reader, &made->texts, data.buf, (size_t)data.len, &searched, final, most);
        made->texts.base = base;
        self->is_busy = 0;
    }
    PyBuffer_Release(&data);
    if (result == MAIL_NO_MEMORY && !PyErr_Occurred()) PyErr_NoMemory();
    if (result == MAIL_NO_MEMORY || result == MAIL_ERROR) {
        Py_XDECREF((PyObject *)made);
        return NULL;
    }
    return Py_BuildValue("NiK", (PyObject *)made, (int)result, (unsigned long long)searched);
}

static PyObject *use_html(reader_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                          PyObject *names)
{
    module_state *state = PyType_GetModuleState(defining);
    if (count != 1 || names != NULL || Py_TYPE(args[0]) != state->html_reader || self->html != NULL) {
        PyErr_SetString(PyExc_TypeError, "use_html() takes a reader of HTML, once");
        return NULL;
    }
    self->html = Py_NewRef(args[0]);
    self->reader.html = &((html_reader_object *)args[0])->reader;
    Py_RETURN_NONE;
}

static PyMethodDef READER_METHODS[] = {
    {"read", (PyCFunction)(void (*)(void))read_mail, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "Read the plain messages at the start of some bytes."},
    {"use_html", (PyCFunction)(void (*)(void))use_html, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "Read pages with a reader that is used for nothing else."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot READER_SLOTS[] = {
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_traverse, reader_traverse},
    {Py_tp_clear, reader_clear},
    {Py_tp_methods, READER_METHODS},
    {Py_tp_doc, "Reads the plain messages of a mailbox."},
    {0, NULL},
};

PyType_Spec MAIL_READER_SPEC = {"urisieve._kernel.MailReader", sizeof(reader_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, READER_SLOTS};

PyObject *read_mail_header(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data;
    Py_ssize_t start, end;
    if (!PyArg_ParseTuple(args, "y*nn", &data, &start, &end)) return NULL;
    mail_header header = {0};
    mail_result found = MAIL_LEFT;
    if (start < 0 || end < start || end > data.len)
        PyErr_SetString(PyExc_IndexError, "the header is not inside the data");
    else
        found = mail_read_header(&header, data.buf, (size_t)start, (size_t)end);
    PyObject *fields = found == MAIL_TAKEN ? PyList_New(0) : NULL;
    for (size_t i = 0; fields != NULL && i < header.count; ++i) {
        const mail_field *one = &header.fields[i];
        PyObject *field = Py_BuildValue("s#nn", (const char *)data.buf + one->name, (Py_ssize_t)one->name_size,
                                        (Py_ssize_t)one->value, (Py_ssize_t)one->end);
        if (field == NULL || PyList_Append(fields, field) < 0) Py_CLEAR(fields);
        Py_XDECREF(field);
    }
    free(header.fields);
    PyBuffer_Release(&data);
    if (found == MAIL_NO_MEMORY) return PyErr_NoMemory();
    if (PyErr_Occurred()) return NULL;
    if (fields == NULL) Py_RETURN_NONE;
    return Py_BuildValue("Nn", fields, (Py_ssize_t)header.end);
}

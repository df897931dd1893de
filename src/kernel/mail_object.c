/* `_kernel.MailReader`: reads the plain messages of a mailbox. */
#include "module.h"
#include "mail.h"
#include <stdlib.h>

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
    utf8_text all;
    if (!text_of(&all, characters)) return 0;
    const byte *text = all.at, *end = text + all.size;
    int count = 0;
    for (; text < end && count < 128; text += width(*text), ++count) {
        table->size[count] = (byte)(*text ? width(*text) : 0);
        if (table->size[count] > 3) break;
        memcpy(table->text[count], text, table->size[count]);
    }
    Py_XDECREF(all.held);
    if (text == end && count == 128) return 1;
    return failed(PyExc_ValueError, "a table has 128 characters of at most three bytes");
}

/* Ask Python about a content and some bytes of it. */
static PyObject *ask(PyObject *function, const mail_content *content, mail_value some)
{
    return PyObject_CallFunction(function, "NNNN", bytes_of(content->type), bytes_of(content->encoding),
                                 bytes_of(content->disposition), bytes_of(some));
}

static int judge(void *context, const mail_content *content, mail_table *table)
{
    reader_object *self = context;
    PyObject *said = ask(self->judge, content, content->head), *characters;
    int flags = -1;
    if (said != NULL && (!PyArg_ParseTuple(said, "iO", &flags, &characters) ||
                         (characters != Py_None && !fill(table, characters))))
        flags = -1;
    if (flags > 0 && characters != Py_None) flags |= (int)MAIL_TABLE;
    Py_XDECREF(said);
    return flags;
}

static int skip(void *context, const mail_content *content, const byte *body, size_t size)
{
    reader_object *self = context;
    PyObject *said = ask(self->skip, content, (mail_value){body, size});
    long reason = said == NULL ? -1 : said == Py_None ? -2 : PyLong_AsLong(said);
    Py_XDECREF(said);
    return reason < -2 ? -2 : (int)reason;
}

static int decode(void *context, mail_stretch *into, const byte *value, size_t size)
{
    reader_object *self = context;
    PyObject *text = PyObject_CallFunction(self->decode, "y#", (const char *)value, (Py_ssize_t)size);
    int done = text == NULL ? -1 : 0;
    if (text != NULL && text != Py_None) {
        utf8_text made;
        done = !text_of(&made, text) ? -1 : made.held == NULL; /* Python reads half a surrogate pair */
        if (done == 1 && !mail_add_text(into, made.at, made.size)) done = -1, no_memory();
        Py_XDECREF(made.held);
    }
    Py_XDECREF(text);
    return done;
}

static int add_name(void *names, const byte *name, size_t size) { return words_add(names, name, size); }

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *NAMES[] = {"opaque", "ids", "judge", "skip", "decode", "reads_parts", "every_field", NULL};
    PyObject *opaque, *ids, *judging, *skipping, *decoding;
    int reads_parts, every_field;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOpp", NAMES, &opaque, &ids, &judging, &skipping, &decoding,
                                     &reads_parts, &every_field))
        return NULL;
    reader_object *self = object_new(type);
    if (self == NULL) return NULL;
    self->judge = Py_NewRef(judging);
    self->skip = Py_NewRef(skipping);
    self->decode = Py_NewRef(decoding);
    self->reader.judge = judge;
    self->reader.skip = skip;
    self->reader.decode = decode;
    self->reader.context = self;
    self->reader.reads_parts = reads_parts;
    self->reader.every_field = every_field;
    if (!each_text(opaque, add_name, &self->reader.opaque) || !each_text(ids, add_name, &self->reader.ids)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static int reader_traverse(PyObject *object, visitproc visit, void *arg)
{
    reader_object *self = (reader_object *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->judge);
    Py_VISIT(self->skip);
    Py_VISIT(self->decode);
    Py_VISIT(self->html);
    return 0;
}

static int reader_clear(PyObject *object)
{
    reader_object *self = (reader_object *)object;
    Py_CLEAR(self->judge);
    Py_CLEAR(self->skip);
    Py_CLEAR(self->decode);
    Py_CLEAR(self->html);
    return 0;
}

static void reader_dealloc(PyObject *object)
{
    mail_reader *reader = &((reader_object *)object)->reader;
    PyObject_GC_UnTrack(object);
    reader_clear(object);
    words_free(&reader->opaque);
    words_free(&reader->ids);
    free(reader->decoded);
    free(reader->wide);
    object_free(object);
}

static PyObject *read_mail(reader_object *self, PyObject *args)
{
    Py_buffer data;
    unsigned long long base;
    size_t searched, most;
    int final;
    if (!PyArg_ParseTuple(args, "y*KO&pO&", &data, &base, to_size, &searched, &final, to_size, &most)) return NULL;
    mail_texts_object *made = NULL;
    mail_result result = MAIL_ERROR;
    if (self->is_busy) PyErr_SetString(PyExc_RuntimeError, "the reader is called by what it has called");
    else made = object_new(type_beside((PyObject *)self, MAIL_TEXTS_TYPE));
    if (made != NULL) {
        self->is_busy = 1;
        result = mail_read(&self->reader, &made->texts, data.buf, (size_t)data.len, &searched, final, most);
        made->texts.base = base;
        self->is_busy = 0;
    }
    PyBuffer_Release(&data);
    if (result != MAIL_NO_MEMORY && result != MAIL_ERROR)
        return Py_BuildValue("NiK", (PyObject *)made, (int)result, (unsigned long long)searched);
    Py_XDECREF((PyObject *)made);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

static PyObject *use_html(reader_object *self, PyObject *reader)
{
    if (Py_TYPE(reader) != type_beside((PyObject *)self, HTML_READER_TYPE) || self->html != NULL)
        return PyErr_Format(PyExc_TypeError, "use_html() takes a reader of HTML, once");
    self->html = Py_NewRef(reader);
    self->reader.html = &((html_reader_object *)reader)->reader;
    self->reader.html->takes_every_value = self->reader.every_field;
    Py_RETURN_NONE;
}

static PyMethodDef READER_METHODS[] = {
    METHOD("read", read_mail, METH_VARARGS), METHOD("use_html", use_html, METH_O),
    {NULL, NULL, 0, NULL},
};

TYPE_SPEC(MAIL_READER_SPEC, "MailReader", reader_object, Py_TPFLAGS_HAVE_GC,
          {Py_tp_new, reader_new}, {Py_tp_dealloc, reader_dealloc}, {Py_tp_traverse, reader_traverse},
          {Py_tp_clear, reader_clear}, {Py_tp_methods, READER_METHODS},
          {Py_tp_doc, "Reads the plain messages of a mailbox."});

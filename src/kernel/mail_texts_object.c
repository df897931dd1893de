/* `_kernel.MailTexts`: the texts of plain messages as a Python object. */
#include "module.h"

static void texts_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    mail_free(&((mail_texts_object *)object)->texts);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static const mail_text *text_at(mail_texts_object *self, PyObject *number)
{
    size_t index = PyLong_AsSize_t(number);
    if (index < self->texts.count) return &self->texts.texts[index];
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such text");
    return NULL;
}

static PyObject *texts_text(mail_texts_object *self, PyObject *number)
{
    const mail_text *one = text_at(self, number);
    return one == NULL ? NULL : string_of(self->texts.text + one->start, one->size);
}

static PyObject *texts_item(mail_texts_object *self, PyObject *number)
{
    const mail_text *one = text_at(self, number);
    if (one == NULL) return NULL;
    PyObject *label = one->label_size ? string_of(self->texts.labels + one->label, one->label_size) : Py_NewRef(Py_None);
    if (label == NULL) return NULL;
    PyObject *offset = one->is_decoded ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(self->texts.base + one->offset);
    if (offset == NULL) {
        Py_DECREF(label);
        return NULL;
    }
    return Py_BuildValue("INNi", one->message, label, offset, (int)one->is_legacy);
}

static const mail_message *message_at(mail_texts_object *self, PyObject *number)
{
    size_t index = PyLong_AsSize_t(number);
    if (index < self->texts.message_count) return &self->texts.messages[index];
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such message");
    return NULL;
}

static PyObject *label_bytes(mail_texts_object *self, size_t label, uint32_t size)
{
    if (size == 0) return PyBytes_FromStringAndSize("", 0);
    return PyBytes_FromStringAndSize((const char *)self->texts.labels + label, (Py_ssize_t)size);
}

static PyObject *texts_message_id(mail_texts_object *self, PyObject *number)
{
    const mail_message *one = message_at(self, number);
    return one == NULL ? NULL : label_bytes(self, one->id, one->id_size);
}

static PyObject *texts_date(mail_texts_object *self, PyObject *number)
{
    const mail_message *one = message_at(self, number);
    return one == NULL ? NULL : label_bytes(self, one->date, one->date_size);
}

static PyObject *texts_found(mail_texts_object *self, PyObject *args)
{
    Py_ssize_t first, stop;
    if (!PyArg_ParseTuple(args, "nn", &first, &stop)) return NULL;
    if (first < 0 || (size_t)stop > self->texts.count) {
        PyErr_SetString(PyExc_IndexError, "there is no such text");
        return NULL;
    }
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = first; made != NULL && i < stop; ++i) {
        uint32_t found = self->texts.texts[i].found;
        if (found == 0) continue;
        PyObject *number = PyLong_FromSsize_t(i);
        for (; number != NULL && found && PyList_Append(made, number) == 0; --found) continue;
        if (found) Py_CLEAR(made);
        Py_XDECREF(number);
    }
    return made;
}

static PyObject *texts_count(mail_texts_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->texts.count);
}

static PyObject *texts_messages(mail_texts_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->texts.message_count - (self->texts.left != 0));
}

static PyObject *texts_left(mail_texts_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->texts.left);
}

static PyObject *texts_taken(mail_texts_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->texts.taken);
}

#define METHOD(name, function, how, text) {name, (PyCFunction)(void (*)(void))function, how, text}
static PyMethodDef TEXTS_METHODS[] = {
    METHOD("text", texts_text, METH_O, "A text."),
    METHOD("item", texts_item, METH_O, "The message, the field (None for a body) and the offset (or None) of a text."),
    METHOD("message_id", texts_message_id, METH_O, "The value of the Message-ID of a message."),
    METHOD("date", texts_date, METH_O, "The value of the Date of a message, or its envelope line."),
    METHOD("found", texts_found, METH_VARARGS, "The number of the text of each row that was found in some texts."),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef TEXTS_ATTRIBUTES[] = {
    {"count", (getter)texts_count, NULL, "The number of texts.", NULL},
    {"messages", (getter)texts_messages, NULL, "The number of messages.", NULL},
    {"left", (getter)texts_left, NULL, "The number of bytes of a message whose fields alone were taken, or 0.", NULL},
    {"taken", (getter)texts_taken, NULL, "The number of bytes of the messages.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot TEXTS_SLOTS[] = {
    {Py_tp_dealloc, texts_dealloc},
    {Py_tp_methods, TEXTS_METHODS},
    {Py_tp_getset, TEXTS_ATTRIBUTES},
    {Py_tp_doc, "The texts of plain messages."},
    {0, NULL},
};

PyType_Spec MAIL_TEXTS_SPEC = {"urisieve._kernel.MailTexts", sizeof(mail_texts_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, TEXTS_SLOTS};

/* `_kernel.MailTexts`: the texts of plain messages as a Python object. */
#include "module.h"
#include "segments.h"
#include "utf8.h"

DEALLOC(texts_dealloc, mail_texts_object, mail_free, texts)

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
    int has_label = one->label_size && !one->is_link;
    PyObject *label = has_label ? string_of(self->texts.labels + one->label, one->label_size) : Py_NewRef(Py_None);
    uint64_t at = self->texts.base + one->offset;
    PyObject *offset = one->is_decoded ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(at);
    return Py_BuildValue("INNi", one->message, label, offset, (int)one->is_legacy);
}

static const mail_message *message_at(mail_texts_object *self, PyObject *number)
{
    size_t index = PyLong_AsSize_t(number);
    if (index < self->texts.message_count) return &self->texts.messages[index];
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such message");
    return NULL;
}

static PyObject *texts_body(mail_texts_object *self, PyObject *number)
{
    const mail_message *one = message_at(self, number);
    if (one == NULL) return NULL;
    return Py_BuildValue("nnnON", (Py_ssize_t)one->start, (Py_ssize_t)one->size, (Py_ssize_t)one->first,
                         one->has_parts ? Py_True : Py_False,
                         items_of(one->id_size ? self->texts.labels + one->id : NULL, one->id_size, 1));
}

static PyObject *texts_counts(mail_texts_object *self, void *Py_UNUSED(unused))
{
    const mail_counts *counts = &self->texts.counts;
    PyObject *skipped = PyTuple_New(MAIL_REASONS);
    for (Py_ssize_t i = 0; skipped != NULL && i < (Py_ssize_t)MAIL_REASONS; ++i) {
        PyObject *number = PyLong_FromUnsignedLongLong(counts->skipped[i]);
        if (number == NULL || PyTuple_SetItem(skipped, i, number) < 0) Py_CLEAR(skipped);
    }
    return Py_BuildValue("KKKKN", counts->parts, counts->pages, counts->same, counts->relative, skipped);
}

static PyObject *texts_has_parts(mail_texts_object *self, void *Py_UNUSED(unused))
{
    for (size_t i = 0; i < self->texts.message_count; ++i)
        if (self->texts.messages[i].has_parts) Py_RETURN_TRUE;
    Py_RETURN_FALSE;
}

static PyObject *texts_shown(mail_texts_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < self->texts.count; ++i) {
        const mail_text *one = &self->texts.texts[i];
        if (!one->is_link || !one->label_size) continue;
        PyObject *text = string_of(self->texts.labels + one->label, one->label_size);
        append_new(&made, Py_BuildValue("nN", (Py_ssize_t)i, text));
    }
    return made;
}

static PyObject *form_of(const mail_text *one)
{
    return one->group ? Py_BuildValue("II", one->group, one->branch) : Py_NewRef(Py_None);
}

static PyObject *texts_joined(mail_texts_object *self, PyObject *Py_UNUSED(unused))
{
    const mail_stretch *texts = &self->texts;
    PyObject *begins = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((texts->count + 1) * sizeof(int64_t)));
    PyObject *kinds = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)texts->count);
    if (begins == NULL || kinds == NULL) {
        Py_XDECREF(begins);
        Py_XDECREF(kinds);
        return NULL;
    }
    char *to = PyBytes_AsString(begins), *kind = PyBytes_AsString(kinds);
    int64_t begin = 0;
    for (size_t i = 0; i <= texts->count; ++i) {
        begin += TEXT_SEPARATOR_SIZE;
        memcpy(to + i * sizeof begin, &begin, sizeof begin);
        if (i == texts->count) break;
        const mail_text *one = &texts->texts[i];
        begin += (int64_t)(one->is_ascii ? one->size : characters(texts->text + one->start, one->size));
        kind[i] = (char)((one->is_link ? SEGMENT_LINK : 0) | (one->is_legacy ? SEGMENT_LEGACY : 0));
    }
    return Py_BuildValue("NNN", string_of(texts->text, texts->size), begins, kinds);
}

static PyObject *texts_form(mail_texts_object *self, PyObject *number)
{
    const mail_text *one = text_at(self, number);
    return one == NULL ? NULL : form_of(one);
}

static PyObject *texts_has_forms(mail_texts_object *self, void *Py_UNUSED(unused))
{
    return PyBool_FromLong(self->texts.groups != 0);
}

static PyObject *texts_messages(mail_texts_object *self, void *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(self->texts.message_count - (self->texts.left != 0));
}

static PyMethodDef TEXTS_METHODS[] = {
    METHOD("text", texts_text, METH_O), METHOD("item", texts_item, METH_O),
    METHOD("body", texts_body, METH_O), METHOD("joined", texts_joined, METH_NOARGS),
    METHOD("form", texts_form, METH_O), METHOD("shown", texts_shown, METH_NOARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef TEXTS_ATTRIBUTES[] = {
    SIZE_FIELD("count", mail_texts_object, texts.count), ATTRIBUTE("messages", texts_messages),
    ATTRIBUTE("counts", texts_counts), ATTRIBUTE("has_forms", texts_has_forms),
    ATTRIBUTE("has_parts", texts_has_parts), SIZE_FIELD("left", mail_texts_object, texts.left),
    SIZE_FIELD("taken", mail_texts_object, texts.taken),
    {NULL, NULL, NULL, NULL, NULL},
};

TYPE_SPEC(MAIL_TEXTS_SPEC, "MailTexts", mail_texts_object, Py_TPFLAGS_DISALLOW_INSTANTIATION,
          {Py_tp_dealloc, texts_dealloc}, {Py_tp_methods, TEXTS_METHODS}, {Py_tp_getset, TEXTS_ATTRIBUTES},
          {Py_tp_doc, "The texts of plain messages."});

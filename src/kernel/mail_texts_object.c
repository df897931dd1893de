/* `_kernel.MailTexts`: the texts of plain messages as a Python object. */
#include "module.h"

static void texts_dealloc(PyObject *object)
{
    mail_free(&((mail_texts_object *)object)->texts);
    object_free(object);
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
    return Py_BuildValue("nnnO", (Py_ssize_t)one->start, (Py_ssize_t)one->size, (Py_ssize_t)one->first,
                         one->has_parts ? Py_True : Py_False);
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

static PyObject *label_bytes(mail_texts_object *self, size_t label, uint32_t size)
{
    return items_of(size ? self->texts.labels + label : NULL, size, 1);
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

/* The number of a link with its visible text, if that may be a link. */
static PyObject *shown_pair(mail_texts_object *self, const mail_text *one, size_t number)
{
    return Py_BuildValue("nN", (Py_ssize_t)number, string_of(self->texts.labels + one->label, one->label_size));
}

static PyObject *form_of(const mail_text *one)
{
    return one->group ? Py_BuildValue("II", one->group, one->branch) : Py_NewRef(Py_None);
}

typedef enum { NUMBERS, SHOWN, FORMS } row_list;

/* A list with something for each of some rows that were found in the texts from a number on, or for each link among
 * these that shows a text. */
static PyObject *of_rows(mail_texts_object *self, PyObject *args, row_list kind)
{
    Py_ssize_t first, rows;
    if (!PyArg_ParseTuple(args, "nn", &first, &rows)) return NULL;
    if (first < 0) return PyErr_Format(PyExc_IndexError, "there is no such text");
    PyObject *made = PyList_New(0);
    for (size_t i = (size_t)first; made != NULL && rows > 0 && i < self->texts.count; ++i) {
        const mail_text *one = &self->texts.texts[i];
        uint32_t times = kind != SHOWN ? one->found : one->found && one->is_link && one->label_size;
        rows -= one->found;
        if (times == 0) continue;
        PyObject *item = kind == SHOWN ? shown_pair(self, one, i) : kind == FORMS ? form_of(one) : PyLong_FromSize_t(i);
        for (; item != NULL && times && PyList_Append(made, item) == 0; --times) continue;
        if (times) Py_CLEAR(made);
        Py_XDECREF(item);
    }
    return made;
}

static PyObject *texts_found(mail_texts_object *self, PyObject *args) { return of_rows(self, args, NUMBERS); }

static PyObject *texts_shown(mail_texts_object *self, PyObject *args) { return of_rows(self, args, SHOWN); }

static PyObject *texts_forms(mail_texts_object *self, PyObject *args) { return of_rows(self, args, FORMS); }

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
    METHOD("text", texts_text, METH_O),
    METHOD("item", texts_item, METH_O),
    METHOD("message_id", texts_message_id, METH_O),
    METHOD("date", texts_date, METH_O),
    METHOD("body", texts_body, METH_O),
    METHOD("found", texts_found, METH_VARARGS),
    METHOD("form", texts_form, METH_O),
    METHOD("forms", texts_forms, METH_VARARGS),
    METHOD("shown", texts_shown, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef TEXTS_ATTRIBUTES[] = {
    SIZE_FIELD("count", mail_texts_object, texts.count),
    ATTRIBUTE("messages", texts_messages),
    ATTRIBUTE("counts", texts_counts),
    ATTRIBUTE("has_forms", texts_has_forms),
    ATTRIBUTE("has_parts", texts_has_parts),
    SIZE_FIELD("left", mail_texts_object, texts.left),
    SIZE_FIELD("taken", mail_texts_object, texts.taken),
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

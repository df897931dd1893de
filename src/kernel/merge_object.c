#include "merge_object.h"
#include "proved_object.h"
#include "scheme.h"

static int add_parameter(void *to, const byte *text, size_t size) { return parameters_add(to, text, size); }

static PyObject *merging_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    unsigned int steps;
    PyObject *kept, *dropped;
    if (!PyArg_ParseTuple(args, "IOO", &steps, &kept, &dropped)) return NULL;
    merging_object *self = object_new(type);
    if (self == NULL) return NULL;
    self->choice.steps = steps;
    if (each_text(kept, add_parameter, &self->choice.kept) && each_text(dropped, add_parameter, &self->choice.dropped))
        return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

static void merging_dealloc(PyObject *object)
{
    merge_free(&((merging_object *)object)->choice);
    object_free(object);
}

static PyObject *merging_canonical(merging_object *self, PyObject *text)
{
    proved_form form;
    int is_proved = prove(&form, text);
    if (is_proved <= 0) return is_proved < 0 ? NULL : Py_NewRef(Py_None);
    PyObject *made = NULL;
    byte few[sizeof form.few];
    size_t room = MERGED_ROOM(form.length);
    byte *out = room > sizeof few ? PyMem_Malloc(room) : few;
    if (out == NULL) {
        PyErr_NoMemory();
    } else {
        size_t length = merged_identifier(out, form.text, form.length, &self->choice);
        made = length ? string_of(out, length) : Py_NewRef(Py_None);
    }
    if (out != few) PyMem_Free(out);
    proved_free(&form);
    return made;
}

static PyObject *merging_canonical_texts(merging_object *self, PyObject *args)
{
    return forms_of_texts(args, &self->choice);
}

static PyMethodDef METHODS[] = {
    METHOD("canonical", merging_canonical, METH_O),
    METHOD("canonical_texts", merging_canonical_texts, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot SLOTS[] = {
    {Py_tp_new, merging_new},
    {Py_tp_dealloc, merging_dealloc},
    {Py_tp_methods, METHODS},
    {Py_tp_doc, "What a profile says of the steps that merge more than the RFCs do."},
    {0, NULL},
};

PyType_Spec MERGING_SPEC = {"urisieve._kernel.Merging", sizeof(merging_object), 0, Py_TPFLAGS_DEFAULT, SLOTS};

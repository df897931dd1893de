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

DEALLOC(merging_dealloc, merging_object, merge_free, choice)

/* The form of a text, or its key; None if the judge has to decide. */
static PyObject *made_of(merging_object *self, PyObject *text, int is_key)
{
    proved_form form;
    int is_proved = prove(&form, text);
    if (is_proved <= 0) return is_proved < 0 ? NULL : Py_NewRef(Py_None);
    PyObject *made = NULL;
    byte few[2 * sizeof form.few];
    size_t room = MERGED_ROOM(form.length), whole = room + ARCHIVE_ROOM(room);
    byte *out = whole > sizeof few ? PyMem_Malloc(whole) : few;
    if (out == NULL) {
        PyErr_NoMemory();
    } else {
        size_t length = merged_identifier(out, form.text, form.length, &self->choice);
        byte *to = out;
        if (length && is_key && (self->choice.steps & MERGE_ARCHIVE_KEY))
            length = archive_key(to = out + length, form.text, out, length, SCHEMES[scheme_of_form(out, length)].flags);
        made = length ? string_of(to, length) : Py_NewRef(Py_None);
    }
    if (out != few) PyMem_Free(out);
    proved_free(&form);
    return made;
}

static PyObject *merging_canonical(merging_object *self, PyObject *text) { return made_of(self, text, 0); }
static PyObject *merging_key(merging_object *self, PyObject *text) { return made_of(self, text, 1); }

static PyObject *merging_canonical_texts(merging_object *self, PyObject *args)
{
    return forms_of_texts(args, &self->choice);
}

static PyMethodDef METHODS[] = {
    METHOD("canonical", merging_canonical, METH_O), METHOD("key", merging_key, METH_O),
    METHOD("canonical_texts", merging_canonical_texts, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

TYPE_SPEC(MERGING_SPEC, "Merging", merging_object, 0,
          {Py_tp_new, merging_new}, {Py_tp_dealloc, merging_dealloc}, {Py_tp_methods, METHODS},
          {Py_tp_doc, "What a profile says of the steps that merge more than the RFCs do."});

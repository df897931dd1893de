#include "proved_object.h"
#include "fault.h"

int prove(proved_form *form, PyObject *text)
{
    if (!PyUnicode_CheckExact(text)) return 0;
    Py_ssize_t size;
    form->raw = (const byte *)PyUnicode_AsUTF8AndSize(text, &size);
    if (form->raw == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear(); /* a lone surrogate */
        return 0;
    }
    form->size = (size_t)size;
    if (form->size > UINT32_MAX / 4) return 0;
    size_t room = CANONICAL_ROOM(form->size);
    form->text = room > sizeof form->few ? PyMem_Malloc(room) : form->few;
    if (form->text == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    form->warnings = 0;
    form->length = form_of_identifier(form->text, form->raw, form->size, KNOWS_HOSTS, &form->warnings);
    if (form->length == 0) {
        proved_free(form);
        return 0;
    }
    form->is_same = form->length == form->size && memcmp(form->text, form->raw, form->size) == 0;
    return 1;
}

void proved_free(proved_form *form)
{
    if (form->text != form->few) PyMem_Free(form->text);
}

PyObject *canonical(PyObject *Py_UNUSED(module), PyObject *text)
{
    proved_form form;
    int is_proved = prove(&form, text);
    if (is_proved <= 0) return is_proved < 0 ? NULL : Py_NewRef(Py_None);
    PyObject *made = form.is_same ? Py_NewRef(text) : string_of(form.text, form.length);
    proved_free(&form);
    return made;
}

PyObject *found_fault(PyObject *Py_UNUSED(module), PyObject *text)
{
    Py_ssize_t size;
    const char *bytes = PyUnicode_CheckExact(text) ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
    fault found = {NO_FAULT, C_SCHEME, 0};
    if (bytes != NULL) found = fault_of((const byte *)bytes, (size_t)size);
    else PyErr_Clear(); /* a lone surrogate */
    if (found.reason == NO_FAULT) return Py_NewRef(Py_None);
    return Py_BuildValue("iin", (int)found.reason, (int)found.where, (Py_ssize_t)found.offset);
}

PyObject *host_learnt(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *host, *form;
    Py_ssize_t size, form_size;
    if (!PyArg_ParseTuple(args, "s#s#", &host, &size, &form, &form_size)) return NULL;
    if (!learn_host((const byte *)host, (size_t)size, (const byte *)form, (size_t)form_size)) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

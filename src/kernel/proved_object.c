#include "proved_object.h"
#include "buffer.h"
#include "components.h"
#include "merge_object.h"
#include "resolve.h"
#include "templates.h"
#include "utf8.h"

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
    return Py_BuildValue("ssn", REASONS[found.reason - 1], COMPONENTS[found.where], (Py_ssize_t)found.offset);
}

PyObject *host_learnt(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *host, *form;
    Py_ssize_t size, form_size;
    if (!PyArg_ParseTuple(args, "s#s#", &host, &size, &form, &form_size)) return NULL;
    if (!learn_host((const byte *)host, (size_t)size, (const byte *)form, (size_t)form_size)) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

PyObject *string_or_none(component part)
{
    return part.text == NULL ? Py_NewRef(Py_None) : string_of(part.text, part.size);
}

/* The template of one link; None where Python has to decide. */
static PyObject *template_of_text(PyObject *text)
{
    utf8_text link;
    if (!text_of(&link, text)) return NULL;
    byte few[512], *to = TEMPLATE_ROOM(link.size) > sizeof few ? PyMem_Malloc(TEMPLATE_ROOM(link.size)) : few;
    PyObject *made = to == NULL ? PyErr_NoMemory() : NULL;
    if (to != NULL) {
        const byte *end = plain_template(to, link.at, link.size);
        const size_t size = end == NULL ? 0 : (size_t)(end - to);
        if (end == NULL) made = Py_NewRef(Py_None);
        else if (size == link.size && memcmp(to, link.at, size) == 0) made = Py_NewRef(text);
        else made = string_of(to, size);
    }
    if (to != few) PyMem_Free(to);
    Py_XDECREF(link.held);
    return made;
}

PyObject *templates_of(PyObject *Py_UNUSED(module), PyObject *texts)
{
    if (!PyList_Check(texts)) return PyErr_Format(PyExc_TypeError, "templates() takes a list of texts");
    const Py_ssize_t count = PyList_Size(texts);
    PyObject *made = PyList_New(count);
    for (Py_ssize_t i = 0; made != NULL && i < count; ++i)
        set_new(&made, (size_t)i, template_of_text(PyList_GetItem(texts, i)));
    return made;
}

PyObject *split_text(PyObject *Py_UNUSED(module), PyObject *text)
{
    utf8_text of;
    if (!text_of(&of, text)) return NULL;
    component parts[COMPONENT_COUNT];
    split_components(parts, of.at, of.size);
    size_t size = parts[C_SCHEME].size;
    int is_split = size > 0;
    for (size_t i = 0; i < size; ++i) is_split &= of.at[i] != '/' && of.at[i] != '?' && of.at[i] != '#';
    PyObject *made = is_split ? PyTuple_New(COMPONENT_COUNT) : Py_NewRef(Py_None);
    for (size_t i = 0; is_split && made != NULL && i < COMPONENT_COUNT; ++i)
        set_new(&made, i, string_or_none(parts[i]));
    Py_XDECREF(of.held);
    return made;
}

PyObject *resolve_text(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *base, *reference, *made = NULL;
    utf8_text of = {0}, to = {0};
    if (!PyArg_ParseTuple(args, "OO", &base, &reference) || !text_of(&of, base)) return NULL;
    if (text_of(&to, reference)) {
        resolve_base plain;
        size_t size = 0;
        byte few[2 * RESOLVE_LONGEST_BASE];
        /* A fragment alone belongs to the base as it is, and so does nothing. */
        if (to.size && *to.at != '#' && resolve_split(&plain, of.at, of.size) &&
            resolve_room(&plain, to.size) <= sizeof few)
            size = resolve_reference(&plain, to.at, to.size, few);
        made = size ? string_of(few, size) : Py_NewRef(Py_None);
    }
    Py_XDECREF(of.held);
    Py_XDECREF(to.held);
    return made;
}

/* Append the row of a text with a form, unless that may contain a password; returns 0 if it is not taken, -1 if there is no
 * memory. */
static int add_proved(harvest *to, const proved_form *from, const byte *form, size_t length)
{
    if (length == 0 || may_hold_password(form, length, 1)) return 0;
    found_row made = {
        .uri = to->forms.size,
        .key = to->forms.size,
        .uri_size = (uint32_t)length,
        .key_size = (uint32_t)length,
        .raw_size = (uint32_t)from->size,
        .special = NO_SPECIAL,
        .end = characters(from->raw, from->size),
        .line = 1,
        .column = 1,
        .warnings = (uint16_t)from->warnings,
    };
    if (!GROW(to->rows, to->room, to->count + 1) ||
        !add_bytes(&to->forms, form, length, &made.uri) || !add_bytes(&to->raws, from->raw, from->size, &made.raw))
        return -1;
    to->forms.at[to->forms.size++] = '\n';
    to->has_warnings |= made.warnings != 0;
    to->rows[to->count++] = made;
    return 1;
}

/* Take a text as a row, by the steps of `merge` if there are any; returns as `add_proved`, -1 with an exception set. */
static int take_proved(harvest *to, PyObject *text, const merge_choice *merge)
{
    proved_form form;
    int taken = prove(&form, text);
    if (taken <= 0) return taken;
    if (merge == NULL) {
        taken = add_proved(to, &form, form.text, form.length);
    } else {
        byte *out = PyMem_Malloc(MERGED_ROOM(form.length));
        taken = out == NULL ? -1 : add_proved(to, &form, out, merged_identifier(out, form.text, form.length, merge));
        PyMem_Free(out);
    }
    proved_free(&form);
    if (taken < 0) PyErr_NoMemory();
    return taken;
}

PyObject *proved_rows(PyObject *module, PyObject *args)
{
    PyTypeObject **types = PyModule_GetState(module);
    PyObject *texts, *with;
    if (!PyArg_ParseTuple(args, "OO!", &with, &PyList_Type, &texts)) return NULL;
    if (with != Py_None && Py_TYPE(with) != types[MERGING_TYPE])
        return PyErr_Format(PyExc_TypeError, "proved_rows() takes a Merging or None");
    const merge_choice *merge = with == Py_None ? NULL : &((merging_object *)with)->choice;
    harvest_object *made = object_new(types[HARVEST_TYPE]);
    PyObject *others = made == NULL ? NULL : PyList_New(0);
    for (Py_ssize_t i = 0; others != NULL && i < PyList_Size(texts); ++i) {
        int taken = take_proved(&made->rows, PyList_GetItem(texts, i), merge);
        if (taken == 0) append_new(&others, PyLong_FromSsize_t(i));
        if (taken < 0) Py_CLEAR(others);
    }
    if (others != NULL) {
        made->rows.in_order = 1;
        made->rows.wanted = WANT_RAW | WANT_OFFSETS | WANT_LINES;
    }
    return Py_BuildValue("NN", (PyObject *)made, others);
}

/* The methods of `_kernel.Search` by which the finder decides about a place. */
#include "search_object.h"
#include "utf8.h"

/* The offset of a character of the window, in bytes of the text. */
static size_t offset_of(const search_object *self, Py_ssize_t character)
{
    const search *in = &self->in;
    size_t offset = self->window < in->size ? self->window : in->size; /* what is decided may be forgotten since */
    if (in->is_ascii) return (size_t)character < in->size - offset ? offset + (size_t)character : in->size;
    for (; character > 0 && offset < in->size; --character) offset += width(in->text[offset]);
    return offset;
}

PyObject *search_window(search_object *self, PyObject *ahead)
{
    Py_ssize_t most = PyLong_AsSsize_t(ahead);
    if ((most == -1 && PyErr_Occurred()) || !search_is_at_place(self)) return NULL;
    const search *in = &self->in;
    if (in->place >= in->size) return PyErr_Format(PyExc_RuntimeError, "the text at the place has been forgotten");
    size_t start = in->place, end = in->size;
    if (in->text[start] == ':') /* the scheme, and the context before */
        while (start > 0 && has(in->text[start - 1], SCHEME_CHARACTER)) --start;
    else /* a name before its dot has as many characters at most */
        start = start > 2 * CONTEXT ? start - 2 * CONTEXT : 0;
    size_t context = is_digit(in->text[in->place]) ? BARE_CONTEXT : CONTEXT;
    start = start > context ? start - context : 0;
    while (start > 0 && is_continuation(in->text[start])) --start;
    if (end - in->place > (size_t)most) {
        end = in->place + (size_t)most;
        while (is_continuation(in->text[end])) --end;
    }
    self->window = start;
    self->window_end = end;
    size_t floor = in->floor > start ? characters(in->text + start, in->floor - start) : 0;
    size_t pivot = characters(in->text + start, in->place - start);
    int is_all = end == in->size;
    PyObject *text = string_of(in->text + start, end - start);
    return text == NULL ? NULL : Py_BuildValue("Nnni", text, (Py_ssize_t)pivot, (Py_ssize_t)floor, is_all);
}

PyObject *search_no_candidate(search_object *self, PyObject *Py_UNUSED(unused))
{
    if (!search_is_at_place(self)) return NULL;
    search_dismiss(&self->in);
    Py_RETURN_NONE;
}

/* Take what the finder has found in the window, from one character to another. */
static int settle(search_object *self, const statement *what, void *bounds)
{
    const Py_ssize_t *of = bounds;
    return search_settle(&self->in, offset_of(self, of[0]), offset_of(self, of[1]), what);
}

PyObject *search_candidate(search_object *self, PyObject *args)
{
    Py_ssize_t of[2];
    statement_objects from;
    if (!PyArg_ParseTuple(args, "nnOOpp", &of[0], &of[1], &from.uri, &from.key, &from.has_warnings, &from.has_password))
        return NULL;
    if (of[0] < 0 || of[1] < of[0]) return PyErr_Format(PyExc_ValueError, "a candidate ends behind its start");
    if (!search_is_at_place(self)) return NULL;
    return search_take_statement(self, &from, settle, of);
}

PyObject *search_wait(search_object *self, PyObject *start)
{
    Py_ssize_t offset = PyLong_AsSsize_t(start);
    if ((offset == -1 && PyErr_Occurred()) || !search_is_at_place(self)) return NULL;
    search_hold(&self->in, offset_of(self, offset > 0 ? offset : 0));
    Py_RETURN_NONE;
}

PyObject *search_skip(search_object *self, PyObject *urn)
{
    int is_urn = PyObject_IsTrue(urn);
    if (is_urn < 0 || !search_is_at_place(self)) return NULL;
    self->in.passing = is_urn ? 2 : 1;
    Py_RETURN_NONE;
}

/* The methods of `_kernel.Search` by which the finder decides about a place. */
#include "search_object.h"
#include "buffer.h"
#include "utf8.h"

/* The offset of a character of the window, in bytes of the text. */
static size_t offset_of(const search_object *self, Py_ssize_t character)
{
    const search *in = &self->in;
    size_t offset = self->window;
    if (in->is_ascii) return (size_t)character < in->size - offset ? offset + (size_t)character : in->size;
    for (; character > 0 && offset < in->size; --character) offset += width(in->text[offset]);
    return offset;
}

PyObject *search_window(search_object *self, PyObject *ahead)
{
    Py_ssize_t most = PyLong_AsSsize_t(ahead);
    if ((most == -1 && PyErr_Occurred()) || !search_is_free(self)) return NULL;
    const search *in = &self->in;
    size_t start = in->place, end = in->size;
    if (in->text[start] == ':') /* the scheme, and the context before */
        while (start > 0 && has(in->text[start - 1], SCHEME_CHARACTER)) --start;
    else /* a name before its dot has as many characters at most */
        start = start > 2 * CONTEXT ? start - 2 * CONTEXT : 0;
    start = start > CONTEXT ? start - CONTEXT : 0;
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

PyObject *search_no_candidate(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!search_is_free(self)) return NULL;
    search_dismiss(&self->in);
    Py_RETURN_NONE;
}

static int keep(search_object *self, const byte *text, size_t length, size_t *offset, uint32_t *size)
{
    *offset = self->given_size;
    *size = (uint32_t)length;
    return append_bytes(&self->given_bytes, &self->given_size, &self->given_bytes_room, text, length);
}

/* Take what the finder has found in the window, without a form if it was rejected; returns 0 if there is no memory. */
static int taken(search_object *self, Py_ssize_t start, Py_ssize_t end, const given_entry *about,
                 const form_texts *texts)
{
    if (!reserve((void **)&self->given, &self->given_room, self->given_count + 1, sizeof *self->given)) return 0;
    given_entry *one = &self->given[self->given_count];
    *one = *about;
    if (!keep(self, texts->uri, texts->uri_size, &one->uri, &one->uri_size) ||
        !keep(self, texts->key, texts->key_size, &one->key, &one->key_size) ||
        !search_settle(&self->in, offset_of(self, start), offset_of(self, end), self->given_count))
        return 0;
    ++self->given_count;
    return 1;
}

PyObject *search_candidate(search_object *self, PyObject *args)
{
    Py_ssize_t start, end;
    PyObject *uri, *key, *made = NULL;
    int warned, password;
    form_texts texts;
    if (!PyArg_ParseTuple(args, "nnOOpp", &start, &end, &uri, &key, &warned, &password)) return NULL;
    if (start < 0 || end < start) {
        PyErr_SetString(PyExc_ValueError, "a candidate ends behind its start");
        return NULL;
    }
    if (!form_texts_of(&texts, uri, key)) return NULL;
    if (search_is_free(self)) {
        given_entry about = {.is_rejected = uri == Py_None,
                             .has_warnings = (uint8_t)warned,
                             .has_password = (uint8_t)password};
        made = taken(self, start, end, &about, &texts) ? Py_NewRef(Py_None) : PyErr_NoMemory();
    }
    form_texts_release(&texts);
    return made;
}

PyObject *search_wait(search_object *self, PyObject *start)
{
    Py_ssize_t offset = PyLong_AsSsize_t(start);
    if ((offset == -1 && PyErr_Occurred()) || !search_is_free(self)) return NULL;
    search_hold(&self->in, offset_of(self, offset > 0 ? offset : 0));
    Py_RETURN_NONE;
}

PyObject *search_skip(search_object *self, PyObject *urn)
{
    int is_urn = PyObject_IsTrue(urn);
    if (is_urn < 0 || !search_is_free(self)) return NULL;
    self->in.passing = is_urn ? 2 : 1;
    Py_RETURN_NONE;
}

/* The methods of `_kernel.Search` that judge, and that return what was found. */
#include "search_object.h"
#include "mail_search.h"
#include "utf8.h"
#include <stdlib.h>

int form_texts_of(form_texts *made, PyObject *uri, PyObject *key)
{
    *made = (form_texts){.uri = (const byte *)"", .key = (const byte *)""};
    if (uri == Py_None) return 1;
    Py_ssize_t uri_size, key_size;
    made->uri = text_of(uri, &uri_size, &made->held_uri);
    if (made->uri == NULL) return 0;
    made->key = text_of(key, &key_size, &made->held_key);
    if (made->key == NULL) {
        form_texts_release(made);
        return 0;
    }
    made->uri_size = (size_t)uri_size;
    made->key_size = (size_t)key_size;
    return 1;
}

void form_texts_release(form_texts *one)
{
    Py_XDECREF(one->held_uri);
    Py_XDECREF(one->held_key);
}

PyObject *search_unjudged(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!search_is_free(self)) return NULL;
    memo *judgements = &self->in.judgements;
    PyObject *raws = PyList_New(0);
    for (size_t i = self->asked; raws != NULL && i < judgements->count; ++i) {
        const judgement *one = &judgements->entries[i];
        PyObject *raw = string_of(judgements->bytes + one->raw, one->raw_size);
        if (raw == NULL || PyList_Append(raws, raw) < 0) Py_CLEAR(raws);
        Py_XDECREF(raw);
    }
    return raws;
}

PyObject *search_judge(search_object *self, PyObject *args)
{
    PyObject *uri, *key, *made = NULL;
    int warned, password;
    form_texts texts;
    if (!PyArg_ParseTuple(args, "OOpp", &uri, &key, &warned, &password) || !form_texts_of(&texts, uri, key))
        return NULL;
    memo *judgements = &self->in.judgements;
    if (search_is_free(self)) {
        if (self->asked >= judgements->count) {
            PyErr_SetString(PyExc_RuntimeError, "every candidate has been judged");
        } else if (!memo_judge(judgements, self->asked, uri == Py_None ? INVALID : VALID, texts.uri, texts.uri_size,
                               texts.key, texts.key_size, warned, password)) {
            PyErr_NoMemory();
        } else {
            ++self->asked;
            made = Py_NewRef(Py_None);
        }
    }
    form_texts_release(&texts);
    return made;
}

/* Set the positions of rows that are whole texts. */
static void set_whole(harvest *rows, const search *in)
{
    size_t done = 0, rejected = 0;
    for (size_t i = 0; i < in->row_count; ++i) {
        const row *one = &in->rows[i];
        int is_rejected = rejected < rows->rejected_count && rows->rejected[rejected].source == i;
        found_row *to = is_rejected ? &rows->rejected[rejected++].at : &rows->rows[done++];
        to->start = 0;
        to->end = characters(in->text + one->start, one->end - one->start);
        to->line = to->column = 1;
    }
}

/* What the finder has found, for the harvest; NULL if there is no memory. */
static given *given_of(const search_object *self)
{
    given *made = malloc((self->given_count + 1) * sizeof *made);
    for (size_t i = 0; made != NULL && i < self->given_count; ++i) {
        const given_entry *one = &self->given[i];
        made[i] = (given){self->given_bytes + one->uri, self->given_bytes + one->key, one->uri_size, one->key_size,
                          one->is_rejected, one->has_warnings, one->has_password};
    }
    return made;
}

/* The harvest of all rows of a search; NULL with an exception set. */
static harvest_object *harvest_of(search_object *self, PyTypeObject *type, unsigned wanted)
{
    search *in = &self->in;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    harvest_object *made = (harvest_object *)allocate(type, 0);
    if (made == NULL) return NULL;
    given *found = given_of(self);
    int done = 0;
    if (found != NULL) {
        self->is_busy = 1;
        Py_BEGIN_ALLOW_THREADS
        if (self->mail != NULL)
            done = mail_take(&made->rows, in, &self->mail->texts, self->mail_first, wanted, found);
        else
            done = harvest_take(&made->rows, in, wanted, found);
        if (done && self->is_list) set_whole(&made->rows, in);
        Py_END_ALLOW_THREADS
        self->is_busy = 0;
        free(found);
    }
    if (done) return made;
    Py_DECREF((PyObject *)made);
    PyErr_NoMemory();
    return NULL;
}

PyObject *search_harvest(search_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                         PyObject *names)
{
    if (count != 1 || names != NULL) {
        PyErr_SetString(PyExc_TypeError, "take() takes one number");
        return NULL;
    }
    unsigned long wanted = PyLong_AsUnsignedLong(args[0]);
    if (PyErr_Occurred() || !search_is_free(self)) return NULL;
    search *in = &self->in;
    if (self->asked < in->judgements.count) {
        PyErr_SetString(PyExc_RuntimeError, "some candidates have not been judged");
        return NULL;
    }
    harvest_object *made = NULL;
    if (in->row_count) {
        module_state *state = PyType_GetModuleState(defining);
        made = harvest_of(self, state->harvest, (unsigned)wanted);
        if (made == NULL) return NULL;
    }
    Py_CLEAR(self->mail);
    search_advance(in, (wanted & WANT_LINES) != 0);
    self->given_count = self->given_size = 0;
    return made == NULL ? Py_NewRef(Py_None) : (PyObject *)made;
}

PyObject *search_make_room(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!search_is_free(self)) return NULL;
    memo *judgements = &self->in.judgements;
    if (self->in.row_count || !memo_is_full(judgements)) Py_RETURN_FALSE;
    memo_clear(judgements);
    self->asked = 0;
    Py_RETURN_TRUE;
}

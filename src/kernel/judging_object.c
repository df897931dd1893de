/* The methods of `_kernel.Search` that judge, and that return what was found. */
#include "search_object.h"
#include "utf8.h"

PyObject *search_take_statement(search_object *self, const statement_objects *from, taking *take, void *context)
{
    utf8_text uri = {0}, key = {0};
    int is_valid = from->uri != Py_None, done = 0;
    if (is_valid && (!text_of(&uri, from->uri) || !text_of(&key, from->key))) {
        Py_XDECREF(uri.held);
        return NULL;
    }
    if (search_is_free(self)) {
        statement what = {uri.at, key.at, uri.size, key.size, is_valid ? VALID : INVALID, from->has_warnings,
                          from->has_password};
        done = take(self, &what, context);
        if (!done && !PyErr_Occurred()) PyErr_NoMemory();
    }
    Py_XDECREF(uri.held);
    Py_XDECREF(key.held);
    return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *search_unjudged(search_object *self, PyObject *Py_UNUSED(unused))
{
    if (!search_is_free(self)) return NULL;
    memo *judgements = &self->in.judgements;
    PyObject *raws = PyList_New(0);
    for (size_t i = self->asked; raws != NULL && i < judgements->count; ++i) {
        const judgement *one = &judgements->entries[i];
        append_new(&raws, string_of(judgements->bytes.at + one->raw, one->raw_size));
    }
    return raws;
}

/* Enter what is said of the next candidate that was asked for. */
static int judge_next(search_object *self, const statement *what, void *Py_UNUSED(context))
{
    memo *judgements = &self->in.judgements;
    if (self->asked >= judgements->count) return failed(PyExc_RuntimeError, "every candidate has been judged");
    return memo_judge(judgements, self->asked, what) && ++self->asked;
}

PyObject *search_judge(search_object *self, PyObject *args)
{
    statement_objects from;
    if (!PyArg_ParseTuple(args, "OOpp", &from.uri, &from.key, &from.has_warnings, &from.has_password)) return NULL;
    return search_take_statement(self, &from, judge_next, NULL);
}

/* The harvest of all rows of a search; NULL with an exception set. */
static PyObject *harvest_of(search_object *self, unsigned wanted)
{
    search *in = &self->in;
    harvest_object *made = object_new(type_beside((PyObject *)self, HARVEST_TYPE));
    if (made == NULL) return NULL;
    int done;
    BEGIN_BUSY(self)
    done = harvest_take(&made->rows, in, wanted);
    END_BUSY(self)
    if (done) return (PyObject *)made;
    Py_DECREF((PyObject *)made);
    return PyErr_NoMemory();
}

PyObject *search_harvest(search_object *self, PyObject *number)
{
    unsigned long wanted = PyLong_AsUnsignedLong(number);
    if (PyErr_Occurred() || !search_is_free(self)) return NULL;
    search *in = &self->in;
    if (self->asked < in->judgements.count)
        return PyErr_Format(PyExc_RuntimeError, "some candidates have not been judged");
    PyObject *made = in->row_count ? harvest_of(self, (unsigned)wanted) : Py_NewRef(Py_None);
    if (made == NULL) return NULL;
    search_advance(in, (wanted & WANT_LINES) != 0);
    return made;
}

PyObject *search_trust(search_object *self, PyObject *host)
{
    utf8_text text;
    if (!search_is_free(self) || !text_of(&text, host)) return NULL;
    int done = trust_host(&self->in.spoofing, text.at, text.size);
    Py_XDECREF(text.held);
    return done ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

PyObject *search_make_room(search_object *self, PyObject *Py_UNUSED(unused))
{
    if (!search_is_free(self)) return NULL;
    size_t gone = self->in.row_count ? 0 : memo_make_room(&self->in.judgements);
    self->asked -= gone;
    return PyLong_FromSize_t(gone);
}

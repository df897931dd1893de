/* `_kernel.Search`: the search as a Python object. It releases the interpreter while it searches. */
#include "search_object.h"
#include "delimited.h"
#include "mail_search.h"
#include "utf8.h"
#include <stdlib.h>

int search_is_free(search_object *self)
{
    if (!self->is_busy) return 1;
    PyErr_SetString(PyExc_RuntimeError, "another thread is searching with this object");
    return 0;
}

/* Add a name to those that are left to the finder; returns 0 with an exception set. */
static int add_other(scheme_choice *schemes, const byte *name, size_t size)
{
    char **others = realloc(schemes->others, (schemes->other_count + 1) * sizeof *others);
    if (others != NULL) schemes->others = others;
    char *copy = others == NULL ? NULL : malloc(size + 1);
    if (copy == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    memcpy(copy, name, size);
    copy[size] = 0;
    schemes->others[schemes->other_count++] = copy;
    return 1;
}

/* Enter names of schemes: those of the table get a flag and lose others; the rest is left to the finder. Returns 0 with
 * an exception set. */
static int choose(scheme_choice *schemes, PyObject *names, uint16_t flag, uint16_t lost)
{
    PyObject *list = PySequence_List(names);
    if (list == NULL) return 0;
    int done = 1;
    for (Py_ssize_t i = 0; done && i < PyList_Size(list); ++i) {
        Py_ssize_t size;
        PyObject *held;
        const byte *name = text_of(PyList_GetItem(list, i), &size, &held);
        int index = name == NULL ? NO_SCHEME : scheme_index(name, (size_t)size);
        if (index != NO_SCHEME)
            schemes->flags[index] = (uint16_t)((schemes->flags[index] | flag) & ~lost);
        else
            done = name != NULL && add_other(schemes, name, (size_t)size);
        Py_XDECREF(held);
    }
    Py_DECREF(list);
    return done;
}

/* Enter which schemes count; `wanted` is None, or holds the only ones. Returns 0 with an exception set. */
static int choose_all(scheme_choice *schemes, PyObject *wanted, PyObject *unwanted, PyObject *known, PyObject *ruled)
{
    for (unsigned i = 0; i < SCHEME_COUNT; ++i)
        schemes->flags[i] = (uint16_t)(SCHEMES[i].flags | (schemes->takes_unknown ? 0 : S_UNWANTED));
    if (!choose(schemes, known, S_REGISTERED, 0) || !choose(schemes, ruled, S_RULED, 0)) return 0;
    if (wanted != Py_None) {
        schemes->takes_any_shape = 1;
        if (!choose(schemes, wanted, S_REGISTERED, S_UNWANTED)) return 0;
    } else if (!schemes->takes_unknown) { /* those of the registry */
        for (unsigned i = 0; i < SCHEME_COUNT; ++i)
            if (schemes->flags[i] & S_REGISTERED) schemes->flags[i] &= (uint16_t)~S_UNWANTED;
    }
    return choose(schemes, unwanted, S_UNWANTED, 0);
}

/* Enter the top-level domains of names without a scheme; returns 0 with an exception set. */
static int add_top_levels(byte *levels, PyObject *names)
{
    PyObject *list = PySequence_List(names);
    if (list == NULL) return 0;
    int done = 1;
    for (Py_ssize_t i = 0; done && i < PyList_Size(list); ++i) {
        Py_ssize_t size;
        PyObject *held;
        const byte *name = text_of(PyList_GetItem(list, i), &size, &held);
        done = name != NULL;
        if (done) pivot_add_top_level(levels, name, (size_t)size);
        Py_XDECREF(held);
    }
    Py_DECREF(list);
    return done;
}

static PyObject *search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *NAMES[] = {"limit", "proves", "maps_wide", "joins_in_angles", "names_readings", "takes_unknown",
                            "ignores_shapes", "leaves_urns", "nests", "repairs", "refangs", "wanted", "unwanted", "known", "ruled", "pivots",
                            "top_levels", "doubtful", NULL};
    Py_ssize_t limit;
    int proves, maps_wide, joins, names, takes_unknown;
    find_choice chosen = {0};
    unsigned pivots;
    PyObject *wanted, *unwanted, *known, *ruled, *top_levels, *doubtful;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n$ppppppppppOOOOIOO", NAMES, &limit, &proves, &maps_wide, &joins, &names,
                                     &takes_unknown, &chosen.ignores_shapes, &chosen.leaves_urns, &chosen.nests,
                                     &chosen.repairs, &chosen.refangs, &wanted, &unwanted, &known, &ruled, &pivots,
                                     &top_levels, &doubtful))
        return NULL;
    if (limit < 0) {
        PyErr_SetString(PyExc_ValueError, "a length is not negative");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    search_object *self = (search_object *)allocate(type, 0);
    if (self == NULL) return NULL;
    search *in = &self->in;
    in->choice = chosen;
    in->choice.limit = (size_t)limit;
    in->choice.joins_in_angles = joins;
    in->choice.names_readings = names;
    in->proves = proves;
    in->maps_wide = maps_wide;
    in->choice.schemes.takes_unknown = takes_unknown;
    in->others.kinds = pivots;
    if (!choose_all(&in->choice.schemes, wanted, unwanted, known, ruled) || !add_top_levels(in->others.top_levels, top_levels) ||
        !add_top_levels(in->others.doubtful, doubtful)) {
        Py_DECREF(self);
        return NULL;
    }
    search_prepare(in);
    return (PyObject *)self;
}

static void search_dealloc(PyObject *object)
{
    search_object *self = (search_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    search_free(&self->in);
    Py_XDECREF((PyObject *)self->mail);
    free(self->given);
    free(self->given_bytes);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

/* Append a text; returns 0 with an exception set. */
static int append_text(search_object *self, PyObject *text)
{
    Py_ssize_t size;
    PyObject *held;
    const byte *data = text_of(text, &size, &held);
    int done = data != NULL && search_is_free(self);
    if (done && !search_append(&self->in, data, (size_t)size)) {
        PyErr_NoMemory();
        done = 0;
    }
    Py_XDECREF(held);
    return done;
}

static PyObject *feed(search_object *self, PyObject *text)
{
    return append_text(self, text) ? PyBool_FromLong(search_is_due(&self->in)) : NULL;
}

static PyObject *feed_bytes(search_object *self, PyObject *args)
{
    Py_buffer data;
    int final;
    if (!PyArg_ParseTuple(args, "y*p", &data, &final)) return NULL;
    steady_bytes steady;
    if (!steady_take(&steady, &data, 0, (size_t)data.len) || !search_is_free(self)) {
        steady_release(&steady);
        PyBuffer_Release(&data);
        return NULL;
    }
    self->is_busy = 1;
    int done;
    Py_BEGIN_ALLOW_THREADS
    done = search_append_bytes(&self->in, steady.data, (size_t)data.len, final);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    steady_release(&steady);
    PyBuffer_Release(&data);
    return done ? PyBool_FromLong(search_is_due(&self->in)) : PyErr_NoMemory();
}

static PyObject *run(search_object *self, PyObject *final)
{
    int is_final = PyObject_IsTrue(final);
    if (is_final < 0 || !search_is_free(self)) return NULL;
    if (self->mail != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "what was found in mail has not been taken");
        return NULL;
    }
    self->is_busy = 1;
    progress reached;
    Py_BEGIN_ALLOW_THREADS
    reached = search_run(&self->in, is_final);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    return reached == NO_MEMORY ? PyErr_NoMemory() : PyBool_FromLong(reached == AT_PLACE);
}

static html_page *page_of(PyTypeObject *defining, PyObject *object)
{
    module_state *state = PyType_GetModuleState(defining);
    return Py_TYPE(object) == state->html_page ? &((page_object *)object)->page : NULL;
}

static PyObject *feed_page(search_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                           PyObject *names)
{
    html_page *page = count == 2 && names == NULL ? page_of(defining, args[0]) : NULL;
    if (page == NULL) {
        PyErr_SetString(PyExc_TypeError, "feed_page() takes a page and the number of a text");
        return NULL;
    }
    int number = html_text_number(args[1]);
    if (number < 0 || !search_is_free(self)) return NULL;
    const html_stream *stream = html_stream_of(page, number);
    if (!search_append(&self->in, stream->text, stream->size)) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

/* Search texts of mail, which stay where they are. */
static PyObject *follow_mail(search_object *self, mail_texts_object *mail, size_t first)
{
    if (self->in.row_count || self->mail != NULL || first > mail->texts.count) {
        PyErr_SetString(PyExc_RuntimeError, "mail is searched from a text on, after all that was found has been taken");
        return NULL;
    }
    self->is_busy = 1;
    size_t number;
    Py_BEGIN_ALLOW_THREADS
    number = mail_follow(&self->in, &mail->texts, first);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    if (number == SIZE_MAX) return PyErr_NoMemory();
    self->mail = (mail_texts_object *)Py_NewRef((PyObject *)mail);
    self->mail_first = first;
    return PyLong_FromSize_t(number);
}

static PyObject *follow(search_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                        PyObject *names)
{
    module_state *state = PyType_GetModuleState(defining);
    int is_mail = count == 2 && Py_TYPE(args[0]) == state->mail_texts;
    const html_page *page = count == 2 && names == NULL && !is_mail ? page_of(defining, args[0]) : NULL;
    if (names != NULL || (!is_mail && page == NULL)) {
        PyErr_SetString(PyExc_TypeError, "follow() takes a page and the number of a link, or texts of mail");
        return NULL;
    }
    size_t number = PyLong_AsSize_t(args[1]);
    if (PyErr_Occurred() || !search_is_free(self)) return NULL;
    if (is_mail) return follow_mail(self, (mail_texts_object *)args[0], number);
    self->is_list = 1;
    self->is_busy = 1;
    delimiting taken = DELIMITED;
    Py_BEGIN_ALLOW_THREADS
    while (number < page->item_count && page->items[number].kind == HTML_LINK) {
        const html_item *item = &page->items[number];
        taken = search_delimited(&self->in, page->links + item->link, item->link_size);
        if (taken != DELIMITED) break;
        ++number;
    }
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    return taken == DELIMITED_NO_MEMORY ? PyErr_NoMemory() : PyLong_FromSize_t(number);
}

static PyObject *restart(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!search_is_free(self)) return NULL;
    search_restart(&self->in);
    self->is_list = 0;
    Py_CLEAR(self->mail);
    self->given_count = self->given_size = 0;
    Py_RETURN_NONE;
}

static PyObject *enter(search_object *self, PyObject *args)
{
    PyObject *context;
    unsigned long long characters_before, lines, bytes;
    if (!PyArg_ParseTuple(args, "UKKK", &context, &characters_before, &lines, &bytes) || !append_text(self, context))
        return NULL;
    search *in = &self->in;
    in->position = in->floor = in->keep = in->looked = in->size;
    in->characters = characters_before - characters(in->text, in->size);
    in->bytes = bytes - in->size;
    in->line = lines + 1 - line_feeds(in->text, in->size);
    in->newline = (int64_t)in->characters - 1;
    Py_RETURN_NONE;
}

static PyObject *stray(search_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(self->in.stray);
}

static PyObject *memo_size(search_object *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->in.judgements.count);
}

static PyObject *held(search_object *self, void *unused)
{
    (void)unused;
    const search *in = &self->in;
    const memo *judgements = &in->judgements;
    return PyLong_FromSize_t(in->room + in->row_room * sizeof *in->rows + in->forms_room +
                             judgements->room * sizeof *judgements->entries + judgements->bytes_room +
                             judgements->slot_count * sizeof *judgements->slots +
                             self->given_room * sizeof *self->given + self->given_bytes_room);
}

#define METHOD(name, function, how) {name, (PyCFunction)(void (*)(void))function, how, NULL}
#define WITH_CLASS (METH_METHOD | METH_FASTCALL | METH_KEYWORDS)
static PyMethodDef METHODS[] = {
    METHOD("feed", feed, METH_O),
    METHOD("feed_bytes", feed_bytes, METH_VARARGS),
    METHOD("feed_page", feed_page, WITH_CLASS),
    METHOD("follow", follow, WITH_CLASS),
    METHOD("run", run, METH_O),
    METHOD("restart", restart, METH_NOARGS),
    METHOD("enter", enter, METH_VARARGS),
    METHOD("window", search_window, METH_O),
    METHOD("dismiss", search_no_candidate, METH_NOARGS),
    METHOD("settle", search_candidate, METH_VARARGS),
    METHOD("hold", search_wait, METH_O),
    METHOD("skip", search_skip, METH_O),
    METHOD("unjudged", search_unjudged, METH_NOARGS),
    METHOD("judge", search_judge, METH_VARARGS),
    METHOD("take", search_harvest, WITH_CLASS),
    METHOD("make_room", search_make_room, METH_NOARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    {"stray", (getter)stray, NULL, "The number of bytes that did not decode.", NULL},
    {"held", (getter)held, NULL, "The number of bytes of memory that it holds.", NULL},
    {"judged", (getter)memo_size, NULL, "The number of judgements in the memo.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot SEARCH_SLOTS[] = {
    {Py_tp_new, search_new},
    {Py_tp_dealloc, search_dealloc},
    {Py_tp_methods, METHODS},
    {Py_tp_getset, ATTRIBUTES},
    {Py_tp_doc, "The search for candidates in text that comes in pieces."},
    {0, NULL},
};

PyType_Spec SEARCH_SPEC = {"urisieve._kernel.Search", sizeof(search_object), 0, Py_TPFLAGS_DEFAULT, SEARCH_SLOTS};

/* `_kernel.Search`: the search as a Python object. It releases the interpreter while it searches. */
#include "search_object.h"
#include "delimited.h"
#include "mail_search.h"
#include "utf8.h"

int search_is_free(search_object *self)
{
    return !self->is_busy || failed(PyExc_RuntimeError, "another thread is searching with this object");
}

/* What names of schemes get. */
typedef struct {
    scheme_choice *schemes;
    uint16_t flag, lost;
} choosing;

static int choose_one(void *context, const byte *name, size_t size)
{
    const choosing *with = context;
    int index = scheme_index(name, size);
    if (index == NO_SCHEME) return words_add(&with->schemes->others, name, size);
    with->schemes->flags[index] = (uint16_t)((with->schemes->flags[index] | with->flag) & ~with->lost);
    return 1;
}

/* Enter names of schemes: those of the table get a flag and lose others; the rest is left to the finder. Returns 0 with
 * an exception set. */
static int choose(scheme_choice *schemes, PyObject *names, uint16_t flag, uint16_t lost)
{
    return each_text(names, choose_one, &(choosing){schemes, flag, lost});
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

/* Enter a top-level domain of names without a scheme. */
static int add_top_level(void *levels, const byte *name, size_t size)
{
    pivot_add_top_level(levels, name, size);
    return 1;
}

static PyObject *search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *NAMES[] = {"limit", "proves", "maps_wide", "joins_in_angles", "names_readings", "takes_unknown",
                            "ignores_shapes", "leaves_urns", "nests", "repairs", "refangs", "spoofing", "wanted",
                            "unwanted", "known", "ruled", "pivots", "top_levels", "doubtful", "merge", NULL};
    PyObject *wanted, *unwanted, *known, *ruled, *top_levels, *doubtful, *merge;
    search_object *self = object_new(type);
    if (self == NULL) return NULL;
    search *in = &self->in;
    find_choice *choice = &in->choice;
    Py_ssize_t limit;
    int done = PyArg_ParseTupleAndKeywords(
        args, kwargs, "n$ppppppppppIOOOOIOOO", NAMES, &limit, &in->proves, &in->maps_wide, &choice->joins_in_angles,
        &choice->names_readings, &choice->schemes.takes_unknown, &choice->ignores_shapes, &choice->leaves_urns,
        &choice->nests, &choice->repairs, &choice->refangs, &in->spoofing, &wanted, &unwanted, &known, &ruled, &in->others.kinds,
        &top_levels, &doubtful, &merge);
    if (done && limit < 0) done = failed(PyExc_ValueError, "a length is not negative");
    if (done && merge != Py_None) {
        if (Py_TYPE(merge) == type_beside((PyObject *)self, MERGING_TYPE)) {
            self->merging = (merging_object *)Py_NewRef(merge);
            in->merge = &self->merging->choice;
        } else {
            done = failed(PyExc_TypeError, "what merges is a Merging, or None");
        }
    }
    if (!done || !choose_all(&choice->schemes, wanted, unwanted, known, ruled) ||
        !each_text(top_levels, add_top_level, in->others.top_levels) ||
        !each_text(doubtful, add_top_level, in->others.doubtful)) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    choice->limit = (size_t)limit;
    search_prepare(in);
    return (PyObject *)self;
}

static void search_dealloc(PyObject *object)
{
    search_object *self = (search_object *)object;
    search_free(&self->in);
    Py_XDECREF((PyObject *)self->mail);
    Py_XDECREF((PyObject *)self->merging);
    object_free(object);
}

/* Append a text; returns 0 with an exception set. */
static int append_text(search_object *self, PyObject *text)
{
    utf8_text data;
    if (!text_of(&data, text)) return 0;
    int done = search_is_free(self);
    if (done && !search_append(&self->in, data.at, data.size)) done = no_memory();
    Py_XDECREF(data.held);
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
        steady_release(&steady, &data);
        return NULL;
    }
    self->is_busy = 1;
    int done;
    Py_BEGIN_ALLOW_THREADS
    done = search_append_bytes(&self->in, steady.data, (size_t)data.len, final);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    steady_release(&steady, &data);
    return done ? PyBool_FromLong(search_is_due(&self->in)) : PyErr_NoMemory();
}

static PyObject *run(search_object *self, PyObject *final)
{
    int is_final = PyObject_IsTrue(final);
    if (is_final < 0 || !search_is_free(self)) return NULL;
    if (self->mail != NULL) return PyErr_Format(PyExc_RuntimeError, "what was found in mail has not been taken");
    self->is_busy = 1;
    progress reached;
    Py_BEGIN_ALLOW_THREADS
    reached = search_run(&self->in, is_final);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    return reached == NO_MEMORY ? PyErr_NoMemory() : PyBool_FromLong(reached == AT_PLACE);
}

static PyObject *feed_page(search_object *self, PyObject *args)
{
    page_object *from;
    PyObject *which;
    if (!PyArg_ParseTuple(args, "O!O", type_beside((PyObject *)self, HTML_PAGE_TYPE), &from, &which)) return NULL;
    int number = html_text_number(which);
    if (number < 0 || !search_is_free(self)) return NULL;
    const html_stream *stream = html_stream_of(&from->page, number);
    if (!search_append(&self->in, stream->text, stream->size)) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

/* Search texts of mail, which stay where they are. */
static PyObject *follow_mail(search_object *self, mail_texts_object *mail, size_t first)
{
    if (self->in.row_count || self->mail != NULL || first > mail->texts.count)
        return PyErr_Format(PyExc_RuntimeError,
                            "mail is searched from a text on, after all that was found has been taken");
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

static PyObject *follow(search_object *self, PyObject *args)
{
    PyObject *from, *me = (PyObject *)self;
    size_t number;
    if (!PyArg_ParseTuple(args, "OO&", &from, to_size, &number) || !search_is_free(self)) return NULL;
    if (Py_TYPE(from) == type_beside(me, MAIL_TEXTS_TYPE)) return follow_mail(self, (mail_texts_object *)from, number);
    if (Py_TYPE(from) != type_beside(me, HTML_PAGE_TYPE))
        return PyErr_Format(PyExc_TypeError, "follow() takes a page and the number of a link, or texts of mail");
    const html_page *page = &((page_object *)from)->page;
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

static PyObject *restart(search_object *self, PyObject *Py_UNUSED(unused))
{
    if (!search_is_free(self)) return NULL;
    search_restart(&self->in);
    self->is_list = 0;
    Py_CLEAR(self->mail);
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
    uint64_t first = characters_before - characters(in->text, in->size);
    in->origin = (position){first, bytes - in->size, lines + 1 - line_feeds(in->text, in->size), (int64_t)first - 1};
    Py_RETURN_NONE;
}

static PyObject *stray(search_object *self, void *Py_UNUSED(unused))
{
    return PyLong_FromUnsignedLongLong(self->in.stray);
}

static PyObject *held(search_object *self, void *Py_UNUSED(unused))
{
    const search *in = &self->in;
    return PyLong_FromSize_t(in->room + in->row_room * sizeof *in->rows + in->forms_room +
                             in->plain_room + memo_size(&in->judgements) +
                             memo_size(&in->given) + memo_size(&in->trusted));
}

static PyMethodDef METHODS[] = {
    METHOD("feed", feed, METH_O),
    METHOD("feed_bytes", feed_bytes, METH_VARARGS),
    METHOD("feed_page", feed_page, METH_VARARGS),
    METHOD("follow", follow, METH_VARARGS),
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
    METHOD("trust", search_trust, METH_O),
    METHOD("take", search_harvest, METH_O),
    METHOD("make_room", search_make_room, METH_NOARGS),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    ATTRIBUTE("stray", stray),
    ATTRIBUTE("held", held),
    SIZE_FIELD("judged", search_object, in.judgements.count),
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

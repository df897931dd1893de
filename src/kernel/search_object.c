/* `_kernel.Search`: the search as a Python object. It releases the interpreter while it searches. */
#include "search_object.h"
#include "segments.h"
#include "utf8.h"

int search_is_free(search_object *self)
{
    return !self->is_busy || failed(PyExc_RuntimeError, "another thread is searching with this object");
}

int search_is_at_place(search_object *self)
{
    return search_is_free(self) &&
           (self->is_at_place || failed(PyExc_RuntimeError, "the search has not stopped for the finder"));
}

/* What names of schemes get. */
typedef struct {
    scheme_choice *schemes;
    uint16_t flag, lost;
} choosing;

static int choose_one(void *context, const byte *name, size_t size)
{
    const choosing *choice = context;
    int index = scheme_index(name, size);
    if (index == NO_SCHEME) return words_add(&choice->schemes->others, name, size);
    choice->schemes->flags[index] = (uint16_t)((choice->schemes->flags[index] | choice->flag) & ~choice->lost);
    return 1;
}

/* Enter names of schemes: those of the table get a flag and lose others; the rest is left to the finder. Returns 0 with
 * an exception set. */
static int choose(scheme_choice *schemes, PyObject *names, uint16_t flag, uint16_t lost)
{
    return each_text(names, choose_one, &(choosing){schemes, flag, lost});
}

/* Enter which schemes count; `wanted` is None, or contains the only ones. Returns 0 with an exception set. */
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

/* Enter a label among some. */
static int add_label(void *labels, const byte *label, size_t size)
{
    pivot_add_label(labels, label, size);
    return 1;
}

/* Enter the skeleton of a label of a protected name. */
static int enter_label(void *checks, const byte *label, size_t size) { return protect_label(checks, label, size); }

/* Enter a character and its skeleton. */
static int enter_look(void *checks, const byte *pair, size_t size)
{
    add_look(checks, pair, size);
    return 1;
}

/* Enter a top-level domain that ends a name as it is. */
static int add_top_level(void *context, const byte *label, size_t size)
{
    return search_add_top_level(context, label, size);
}

static PyObject *search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *NAMES[] = {"limit", "proves", "maps_wide", "names_readings", "takes_unknown",
                            "ignores_shapes", "leaves_urns", "nests", "repairs", "refangs", "spoofing", "protected", "looks", "wanted",
                            "unwanted", "known", "ruled", "pivots", "top_levels", "doubtful", "endings", "merge", NULL};
    PyObject *labels, *looks, *wanted, *unwanted, *known, *ruled, *top_levels, *doubtful, *endings, *merge;
    search_object *self = object_new(type);
    if (self == NULL) return NULL;
    search *in = &self->in;
    find_choice *choice = &in->choice;
    Py_ssize_t limit;
    int done = PyArg_ParseTupleAndKeywords(
        args, kwargs, "n$IpppppppppOOOOOOIOOOO", NAMES, &limit, &in->proves, &in->maps_wide, 
        &choice->names_readings, &choice->schemes.takes_unknown, &choice->ignores_shapes, &choice->leaves_urns,
        &choice->nests, &choice->repairs, &choice->refangs, &in->spoofing.checks, &labels, &looks, &wanted, &unwanted, &known, &ruled, &in->others.kinds,
        &top_levels, &doubtful, &endings, &merge);
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
        !each_text(labels, enter_label, &in->spoofing) || !each_text(looks, enter_look, &in->spoofing) ||
        !each_text(top_levels, add_top_level, in) ||
        !each_text(doubtful, add_label, in->others.doubtful) || !each_text(endings, add_label, in->others.endings)) {
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
    search_release(&self->in);
    Py_XDECREF((PyObject *)self->merging);
    object_free(object);
}

/* Append a text; returns 0 with an exception set. */
static int append_text(search_object *self, PyObject *text)
{
    utf8_text data;
    if (!text_of(&data, text)) return 0;
    int done = search_is_free(self);
    self->is_at_place = 0;
    if (done && !search_append(&self->in, data.at, data.size)) done = no_memory();
    Py_XDECREF(data.held);
    return done;
}

/* The most characters of a short text: what is left to Python is searched twice. */
#define SHORT_TEXT 4096

int search_at_once(search_object *self, PyObject *text)
{
    search *in = &self->in;
    if (self->is_busy) return 0; /* by a call that the collector of garbage runs, too */
    if (!PyUnicode_Check(text) || PyUnicode_GetLength(text) > SHORT_TEXT) return 0;
    search_restart(in);
    if (!append_text(self, text)) return -1;
    progress reached = search_run(in, 1);
    if (reached == NO_MEMORY) return PyErr_NoMemory() == NULL ? -1 : 0;
    int is_judged = self->asked == in->judgements.count;
    if (!is_judged) { /* nobody will judge here */
        memo_clear(&in->judgements);
        self->asked = 0;
    }
    return reached == SEARCHED && is_judged;
}

static PyObject *finds(search_object *self, PyObject *text)
{
    int is_decided = search_at_once(self, text), is_found = 0;
    if (is_decided <= 0) return is_decided < 0 ? NULL : Py_NewRef(Py_None);
    const search *in = &self->in;
    for (size_t i = 0; i < in->row_count && !is_found; ++i)
        is_found = in->rows[i].kind != REMEMBERED || in->judgements.entries[in->rows[i].form].verdict == VALID;
    return PyBool_FromLong(is_found);
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
    self->is_at_place = 0;
    int done;
    BEGIN_BUSY(self)
    done = search_append_bytes(&self->in, steady.data, (size_t)data.len, final);
    END_BUSY(self)
    steady_release(&steady, &data);
    return done ? PyBool_FromLong(search_is_due(&self->in)) : PyErr_NoMemory();
}

static PyObject *run(search_object *self, PyObject *final)
{
    int is_final = PyObject_IsTrue(final);
    if (is_final < 0 || !search_is_free(self)) return NULL;
    progress reached;
    BEGIN_BUSY(self)
    reached = search_run(&self->in, is_final);
    END_BUSY(self)
    self->is_at_place = reached == AT_PLACE;
    return reached == NO_MEMORY ? PyErr_NoMemory() : PyBool_FromLong(reached == AT_PLACE);
}

/* Whether segments lie in a text, one after another; if not, an exception is set. */
static int are_inside(const segment_list *list, PyObject *text)
{
    Py_ssize_t length = PyUnicode_Check(text) ? PyUnicode_GetLength(text) : -1;
    int64_t before = TEXT_SEPARATOR_SIZE, begin = before;
    int are_rising = 1;
    for (size_t i = 0; i <= list->count; ++i, before = begin + TEXT_SEPARATOR_SIZE) {
        memcpy(&begin, list->begins + i * sizeof begin, sizeof begin);
        are_rising &= begin >= before;
        if (i == 0) are_rising &= begin == TEXT_SEPARATOR_SIZE;
    }
    if (length >= 0 && are_rising && begin == (int64_t)length + TEXT_SEPARATOR_SIZE) return 1;
    return failed(PyExc_ValueError, "the offsets of the segments do not fit the text");
}

static PyObject *segments(search_object *self, PyObject *args)
{
    PyObject *text, *left = NULL;
    Py_buffer begins, kinds;
    if (!PyArg_ParseTuple(args, "Oy*y*", &text, &begins, &kinds)) return NULL;
    segment_list list = {begins.buf, kinds.buf, (size_t)kinds.len};
    size_t count = 0;
    int64_t *numbers = NULL;
    if (begins.len < (Py_ssize_t)((list.count + 1) * sizeof *numbers))
        PyErr_SetString(PyExc_ValueError, "there are as many offsets as segments, and one more");
    else if (!are_inside(&list, text) || !append_text(self, text))
        ;
    else if ((numbers = calloc(list.count + 1, sizeof *numbers)) == NULL)
        PyErr_NoMemory();
    else {
        BEGIN_BUSY(self)
        count = search_segments(&self->in, &list, numbers);
        END_BUSY(self)
        if (count == SIZE_MAX) PyErr_NoMemory();
        else left = items_of(numbers, count, sizeof *numbers);
    }
    free(numbers);
    PyBuffer_Release(&begins);
    PyBuffer_Release(&kinds);
    return left;
}

static PyObject *restart(search_object *self, PyObject *Py_UNUSED(unused))
{
    if (!search_is_free(self)) return NULL;
    search_restart(&self->in);
    self->is_at_place = 0;
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
                             memo_size(&in->given) + memo_size(&in->spoofing.trusted));
}

/* How far the text that is kept is decided, in bytes of it. A candidate that is decided later may begin before what is
 * kept for it, but not before its run. */
static size_t decided_size(const search *in)
{
    size_t begin = in->keep;
    if (begin < in->size)
        for (++begin; begin > in->floor && memchr(" \t\r\n", in->text[begin - 1], 4) == NULL;) --begin;
    return begin < in->floor ? in->floor : begin;
}

static PyObject *decided(search_object *self, void *Py_UNUSED(unused))
{
    const search *in = &self->in;
    if (!search_is_free(self)) return NULL;
    return PyLong_FromUnsignedLongLong(in->origin.characters + characters(in->text, decided_size(in)));
}

static PyObject *decided_bytes(search_object *self, void *Py_UNUSED(unused))
{
    const search *in = &self->in;
    if (!search_is_free(self)) return NULL;
    size_t size = decided_size(in); /* a byte that did not decode is a surrogate of three */
    return PyLong_FromUnsignedLongLong(in->origin.bytes + size - 2 * escapes(in->text, size));
}

static PyMethodDef METHODS[] = {
    SEARCH_METHODS(LISTED)
    METHOD("feed", feed, METH_O), METHOD("feed_bytes", feed_bytes, METH_VARARGS),
    METHOD("segments", segments, METH_VARARGS), METHOD("run", run, METH_O), METHOD("restart", restart, METH_NOARGS),
    METHOD("enter", enter, METH_VARARGS), METHOD("finds", finds, METH_O),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ATTRIBUTES[] = {
    ATTRIBUTE("stray", stray), ATTRIBUTE("held", held), ATTRIBUTE("decided", decided),
    ATTRIBUTE("decided_bytes", decided_bytes),
    SIZE_FIELD("judged", search_object, in.judgements.count),
    {NULL, NULL, NULL, NULL, NULL},
};

TYPE_SPEC(SEARCH_SPEC, "Search", search_object, 0,
          {Py_tp_new, search_new}, {Py_tp_dealloc, search_dealloc}, {Py_tp_methods, METHODS},
          {Py_tp_getset, ATTRIBUTES}, {Py_tp_doc, "The search for candidates in text that comes in pieces."});

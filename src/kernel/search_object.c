/* `_kernel.Search`: the search as a Python object. It releases the interpreter while it searches. */
#include "module.h"
#include "buffer.h"
#include "delimited.h"
#include "mail_search.h"
#include "utf8.h"

typedef struct {
    size_t uri, key;
    uint32_t uri_size, key_size;
    uint8_t is_rejected, has_warnings, has_password;
} given_entry;

typedef struct {
    PyObject_HEAD
    search in;
    int is_busy; /* whether a thread is searching */
    size_t window, window_end; /* the text shown to the finder */
    given_entry *given;
    size_t given_count, given_room;
    byte *given_bytes;
    size_t given_size, given_bytes_room;
    size_t asked; /* the judgements that have been asked for */
    int is_list;  /* whether each row is a whole text, that of a link */
    mail_texts_object *mail; /* the texts that hold the rows, if they are those of mail */
    size_t mail_first;       /* the number of the first of them */
} search_object;

static int is_free(search_object *self)
{
    if (!self->is_busy) return 1;
    PyErr_SetString(PyExc_RuntimeError, "another thread is searching with this object");
    return 0;
}

/* Enter names of schemes: those of the table get a flag, others are left to the finder if `keeps` says so. */
static int choose(scheme_choice *schemes, PyObject *names, uint16_t flag, int keeps)
{
    PyObject *list = PySequence_List(names);
    if (list == NULL) return 0;
    Py_ssize_t count = PyList_Size(list);
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_ssize_t size;
        PyObject *held;
        const byte *name = text_of(PyList_GetItem(list, i), &size, &held);
        int failed = name == NULL;
        int index = failed ? NO_SCHEME : scheme_index(name, (size_t)size);
        if (!failed && index != NO_SCHEME) {
            schemes->flags[index] |= flag;
        } else if (!failed && keeps) {
            char **others = realloc(schemes->others, (schemes->other_count + 1) * sizeof *others);
            char *copy = others == NULL ? NULL : malloc((size_t)size + 1);
            if (others != NULL) schemes->others = others;
            if (copy == NULL) {
                PyErr_NoMemory();
                failed = 1;
            } else {
                memcpy(copy, name, (size_t)size);
                copy[size] = 0;
                schemes->others[schemes->other_count++] = copy;
            }
        }
        Py_XDECREF(held);
        if (failed) {
            Py_DECREF(list);
            return 0;
        }
    }
    Py_DECREF(list);
    return 1;
}

static PyObject *search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *NAMES[] = {"limit", "proves", "maps_wide", "joins_in_angles", "takes_unknown", "wanted", "unwanted",
                            "known", "ruled", NULL};
    Py_ssize_t limit;
    int proves, maps_wide, joins, takes_unknown;
    PyObject *wanted, *unwanted, *known, *ruled;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n$ppppOOOO", NAMES, &limit, &proves, &maps_wide, &joins,
                                     &takes_unknown, &wanted, &unwanted, &known, &ruled))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    search_object *self = (search_object *)allocate(type, 0);
    if (self == NULL) return NULL;
    search *in = &self->in;
    scheme_choice *schemes = &in->choice.schemes;
    in->choice.limit = (size_t)limit;
    in->choice.joins_in_angles = joins;
    in->proves = proves;
    in->maps_wide = maps_wide;
    schemes->takes_unknown = takes_unknown;
    for (unsigned i = 0; i < SCHEME_COUNT; ++i)
        schemes->flags[i] = (uint16_t)(SCHEMES[i].flags | (takes_unknown ? 0 : S_UNWANTED));
    int failed = !choose(schemes, known, S_REGISTERED, 1) || !choose(schemes, ruled, S_RULED, 1);
    if (!failed && wanted != Py_None) { /* a list of the only schemes */
        schemes->takes_any_shape = 1;
        failed = !choose(schemes, wanted, S_REGISTERED, 1);
        PyObject *list = failed ? NULL : PySequence_List(wanted);
        for (Py_ssize_t i = 0; list != NULL && i < PyList_Size(list); ++i) {
            Py_ssize_t size;
            PyObject *held;
            const byte *name = text_of(PyList_GetItem(list, i), &size, &held);
            int index = name == NULL ? NO_SCHEME : scheme_index(name, (size_t)size);
            if (index != NO_SCHEME) schemes->flags[index] &= (uint16_t)~S_UNWANTED;
            Py_XDECREF(held);
        }
        Py_XDECREF(list);
    } else if (!failed && !takes_unknown) { /* those of the registry */
        for (unsigned i = 0; i < SCHEME_COUNT; ++i)
            if (schemes->flags[i] & S_REGISTERED) schemes->flags[i] &= (uint16_t)~S_UNWANTED;
    }
    failed = failed || !choose(schemes, unwanted, S_UNWANTED, 1);
    if (failed) {
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

static PyObject *feed(search_object *self, PyObject *text)
{
    Py_ssize_t size;
    PyObject *held;
    if (!is_free(self)) return NULL;
    const byte *data = text_of(text, &size, &held);
    int failed = data == NULL;
    if (!failed && !search_append(&self->in, data, (size_t)size)) {
        PyErr_NoMemory();
        failed = 1;
    }
    Py_XDECREF(held);
    return failed ? NULL : PyBool_FromLong(search_is_due(&self->in));
}

static PyObject *feed_bytes(search_object *self, PyObject *args)
{
    Py_buffer data;
    int final;
    if (!PyArg_ParseTuple(args, "y*p", &data, &final)) return NULL;
    if (!is_free(self) || !data.readonly) { /* another thread could write to it while it is read */
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "bytes are needed");
        PyBuffer_Release(&data);
        return NULL;
    }
    self->is_busy = 1;
    int done;
    Py_BEGIN_ALLOW_THREADS
    done = search_append_bytes(&self->in, data.buf, (size_t)data.len, final);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    PyBuffer_Release(&data);
    return done ? PyBool_FromLong(search_is_due(&self->in)) : PyErr_NoMemory();
}

static PyObject *run(search_object *self, PyObject *final)
{
    int is_final = PyObject_IsTrue(final);
    if (is_final < 0 || !is_free(self)) return NULL;
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

/* The offset of a character of the window, in bytes of the text. */
static size_t offset_of(const search_object *self, Py_ssize_t character)
{
    const search *in = &self->in;
    size_t offset = self->window;
    if (in->is_ascii) return (size_t)character < in->size - offset ? offset + (size_t)character : in->size;
    for (; character > 0 && offset < in->size; --character) offset += width(in->text[offset]);
    return offset;
}

static PyObject *window(search_object *self, PyObject *ahead)
{
    Py_ssize_t most = PyLong_AsSsize_t(ahead);
    if ((most == -1 && PyErr_Occurred()) || !is_free(self)) return NULL;
    const search *in = &self->in;
    size_t start = in->place, end = in->size;
    while (start > 0 && has(in->text[start - 1], SCHEME_CHARACTER)) --start; /* the scheme, and 128 characters before */
    start = start > 512 ? start - 512 : 0;
    while (start > 0 && is_continuation(in->text[start])) --start;
    if (end - in->place > (size_t)most) {
        end = in->place + (size_t)most;
        while (is_continuation(in->text[end])) --end;
    }
    self->window = start;
    self->window_end = end;
    PyObject *text = string_of(in->text + start, end - start);
    if (text == NULL) return NULL;
    size_t floor = in->floor > start ? characters(in->text + start, in->floor - start) : 0;
    size_t pivot = characters(in->text + start, in->place - start);
    return Py_BuildValue("Nnni", text, (Py_ssize_t)pivot, (Py_ssize_t)floor, end == in->size);
}

static PyObject *dismiss(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!is_free(self)) return NULL;
    search_dismiss(&self->in);
    Py_RETURN_NONE;
}

static int keep(search_object *self, PyObject *text, size_t *offset, uint32_t *size)
{
    Py_ssize_t length;
    PyObject *held;
    const byte *bytes = text_of(text, &length, &held);
    int done = bytes != NULL && reserve((void **)&self->given_bytes, &self->given_bytes_room,
                                        self->given_size + (size_t)length, 1);
    if (done) {
        memcpy(self->given_bytes + self->given_size, bytes, (size_t)length);
        *offset = self->given_size;
        *size = (uint32_t)length;
        self->given_size += (size_t)length;
    } else if (bytes != NULL) {
        PyErr_NoMemory();
    }
    Py_XDECREF(held);
    return done;
}

static PyObject *settle(search_object *self, PyObject *args)
{
    Py_ssize_t start, end;
    PyObject *uri, *key;
    int warned, password;
    if (!PyArg_ParseTuple(args, "nnOOpp", &start, &end, &uri, &key, &warned, &password) || !is_free(self)) return NULL;
    if (start < 0 || end < start) {
        PyErr_SetString(PyExc_ValueError, "a candidate ends behind its start");
        return NULL;
    }
    if (!reserve((void **)&self->given, &self->given_room, self->given_count + 1, sizeof *self->given))
        return PyErr_NoMemory();
    given_entry *one = &self->given[self->given_count];
    memset(one, 0, sizeof *one);
    one->is_rejected = uri == Py_None;
    one->has_warnings = (uint8_t)warned;
    one->has_password = (uint8_t)password;
    if (uri != Py_None && (!keep(self, uri, &one->uri, &one->uri_size) || !keep(self, key, &one->key, &one->key_size)))
        return NULL;
    if (!search_settle(&self->in, offset_of(self, start), offset_of(self, end), self->given_count))
        return PyErr_NoMemory();
    ++self->given_count;
    Py_RETURN_NONE;
}

static PyObject *hold(search_object *self, PyObject *start)
{
    Py_ssize_t offset = PyLong_AsSsize_t(start);
    if ((offset == -1 && PyErr_Occurred()) || !is_free(self)) return NULL;
    search_hold(&self->in, offset_of(self, offset > 0 ? offset : 0));
    Py_RETURN_NONE;
}

static PyObject *skip(search_object *self, PyObject *urn)
{
    int is_urn = PyObject_IsTrue(urn);
    if (is_urn < 0 || !is_free(self)) return NULL;
    self->in.passing = is_urn ? 2 : 1;
    Py_RETURN_NONE;
}

static PyObject *unjudged(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!is_free(self)) return NULL;
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

static PyObject *judge(search_object *self, PyObject *args)
{
    PyObject *uri, *key;
    int warned, password;
    if (!PyArg_ParseTuple(args, "OOpp", &uri, &key, &warned, &password) || !is_free(self)) return NULL;
    memo *judgements = &self->in.judgements;
    if (self->asked >= judgements->count) {
        PyErr_SetString(PyExc_RuntimeError, "every candidate has been judged");
        return NULL;
    }
    int done;
    if (uri == Py_None) {
        done = memo_judge(judgements, self->asked, INVALID, NULL, 0, NULL, 0, 0, 0);
    } else {
        Py_ssize_t uri_size, key_size;
        PyObject *held_uri, *held_key = NULL;
        const byte *uri_text = text_of(uri, &uri_size, &held_uri), *key_text = NULL;
        if (uri_text != NULL) key_text = text_of(key, &key_size, &held_key);
        done = key_text != NULL;
        if (done && !memo_judge(judgements, self->asked, VALID, uri_text, (size_t)uri_size, key_text, (size_t)key_size,
                                warned, password)) {
            PyErr_NoMemory();
            done = 0;
        }
        Py_XDECREF(held_uri);
        Py_XDECREF(held_key);
        if (!done) return NULL;
    }
    if (!done) return PyErr_NoMemory();
    ++self->asked;
    Py_RETURN_NONE;
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

static PyObject *feed_page(search_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                           PyObject *names)
{
    module_state *state = PyType_GetModuleState(defining);
    if (!is_free(self)) return NULL;
    if (count != 2 || names != NULL || Py_TYPE(args[0]) != state->html_page) {
        PyErr_SetString(PyExc_TypeError, "feed_page() takes a page, and whether the text of its comments is meant");
        return NULL;
    }
    int comments = PyObject_IsTrue(args[1]);
    if (comments < 0) return NULL;
    const html_page *page = &((page_object *)args[0])->page;
    const html_stream *stream = comments ? &page->comments : &page->running;
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
    if (!is_free(self)) return NULL;
    int is_mail = count == 2 && Py_TYPE(args[0]) == state->mail_texts;
    if (count != 2 || names != NULL || (!is_mail && Py_TYPE(args[0]) != state->html_page)) {
        PyErr_SetString(PyExc_TypeError, "follow() takes a page and the number of a link, or texts of mail");
        return NULL;
    }
    size_t number = PyLong_AsSize_t(args[1]);
    if (PyErr_Occurred()) return NULL;
    if (is_mail) return follow_mail(self, (mail_texts_object *)args[0], number);
    const html_page *page = &((page_object *)args[0])->page;
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

static PyObject *take(search_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                      PyObject *names)
{
    if (!is_free(self)) return NULL;
    if (count != 1 || names != NULL) {
        PyErr_SetString(PyExc_TypeError, "take() takes one number");
        return NULL;
    }
    unsigned long wanted = PyLong_AsUnsignedLong(args[0]);
    if (PyErr_Occurred()) return NULL;
    search *in = &self->in;
    if (self->asked < in->judgements.count) {
        PyErr_SetString(PyExc_RuntimeError, "some candidates have not been judged");
        return NULL;
    }
    harvest_object *made = NULL;
    if (in->row_count) {
        module_state *state = PyType_GetModuleState(defining);
        allocfunc allocate = (allocfunc)PyType_GetSlot(state->harvest, Py_tp_alloc);
        made = (harvest_object *)allocate(state->harvest, 0);
        given *found = made == NULL ? NULL : malloc((self->given_count + 1) * sizeof *found);
        if (found == NULL) {
            Py_XDECREF((PyObject *)made);
            return PyErr_NoMemory();
        }
        for (size_t i = 0; i < self->given_count; ++i) {
            const given_entry *one = &self->given[i];
            found[i] = (given){self->given_bytes + one->uri, self->given_bytes + one->key, one->uri_size, one->key_size,
                               one->is_rejected, one->has_warnings, one->has_password};
        }
        int done;
        self->is_busy = 1;
        Py_BEGIN_ALLOW_THREADS
        if (self->mail != NULL)
            done = mail_take(&made->rows, in, &self->mail->texts, self->mail_first, (unsigned)wanted, found);
        else
            done = harvest_take(&made->rows, in, (unsigned)wanted, found);
        if (done && self->is_list) set_whole(&made->rows, in);
        Py_END_ALLOW_THREADS
        self->is_busy = 0;
        free(found);
        if (!done) {
            Py_DECREF((PyObject *)made);
            return PyErr_NoMemory();
        }
    }
    Py_CLEAR(self->mail);
    search_advance(in, (wanted & WANT_LINES) != 0);
    self->given_count = self->given_size = 0;
    return made == NULL ? Py_NewRef(Py_None) : (PyObject *)made;
}

static PyObject *make_room(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!is_free(self)) return NULL;
    memo *judgements = &self->in.judgements;
    if (self->in.row_count || !memo_is_full(judgements)) Py_RETURN_FALSE;
    memo_clear(judgements);
    self->asked = 0;
    Py_RETURN_TRUE;
}

static PyObject *restart(search_object *self, PyObject *unused)
{
    (void)unused;
    if (!is_free(self)) return NULL;
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
    if (!PyArg_ParseTuple(args, "UKKK", &context, &characters_before, &lines, &bytes) || !is_free(self)) return NULL;
    Py_ssize_t size;
    PyObject *held;
    const byte *text = text_of(context, &size, &held);
    if (text == NULL) return NULL;
    search *in = &self->in;
    int done = search_append(in, text, (size_t)size);
    Py_XDECREF(held);
    if (!done) return PyErr_NoMemory();
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

#define METHOD(name, how) {#name, (PyCFunction)(void (*)(void))name, how, NULL}
static PyMethodDef METHODS[] = {
    METHOD(feed, METH_O),       METHOD(feed_bytes, METH_VARARGS),
    METHOD(run, METH_O),        METHOD(window, METH_O),
    METHOD(dismiss, METH_NOARGS), METHOD(settle, METH_VARARGS),
    METHOD(hold, METH_O),       METHOD(skip, METH_O),
    METHOD(unjudged, METH_NOARGS), METHOD(judge, METH_VARARGS),
    METHOD(take, METH_METHOD | METH_FASTCALL | METH_KEYWORDS), METHOD(make_room, METH_NOARGS),
    METHOD(feed_page, METH_METHOD | METH_FASTCALL | METH_KEYWORDS),
    METHOD(follow, METH_METHOD | METH_FASTCALL | METH_KEYWORDS),
    METHOD(restart, METH_NOARGS), METHOD(enter, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

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

/* `_kernel.LineHours`: the times of the lines of a text; see `urisieve.sources.hours.LineHours`. */
#include "module.h"
#include "buffer.h"
#include "hours.h"

/* The times that are remembered: a day has 1,440 minutes. */
#define KNOWN_TIMES 2048u
/* No time is further from the start of its line, in bytes. */
#define LINE_HEAD 1024

/* What Python has made of a time. */
typedef struct {
    byte text[TIME_SIZE];      /* as it is there, or to the minute and its zone; filled up with zeros */
    PyObject *minute;          /* its minute and its hour, None if there is no such time; NULL in a free place */
    PyObject *context;         /* NULL until it is asked for */
    uint64_t call;             /* the call in which the context was numbered */
    uint32_t number;
} known_time;

/* The last time before an offset; none if the time is NULL, or no time of the calendar if its minute is None. */
typedef struct {
    known_time *time;
    line_time found;         /* the same, in the text of `time` */
    long long start, behind; /* of the line that begins with it, and the end of it there */
} last_time;

typedef struct {
    PyObject_HEAD
    PyObject *minute_of, *context_of;
    size_t keep;
    long long continued;
    byte *text;
    size_t size, room;
    long long base;       /* the offset of the text that is kept */
    long long start, end; /* the line that was looked at last, in that text */
    int is_known;         /* whether all of its head had come */
    last_time own;        /* the time with which it begins */
    last_time before;     /* the last one before it */
    known_time *times, *minutes;
    uint64_t calls;
} hours_object;

static void hours_restart(hours_object *self, long long offset)
{
    self->size = 0;
    self->base = offset;
    self->start = 0;
    self->end = -1;
    self->is_known = 1;
    self->own.time = self->before.time = NULL;
}

static PyObject *hours_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *minute_of, *context_of;
    Py_ssize_t keep, continued;
    if (!PyArg_ParseTuple(args, "OOnn", &minute_of, &context_of, &keep, &continued)) return NULL;
    hours_object *self = object_new(type);
    if (self == NULL) return NULL;
    self->minute_of = Py_NewRef(minute_of);
    self->context_of = Py_NewRef(context_of);
    self->keep = keep < 0 ? 0 : (size_t)keep;
    self->continued = (long long)continued;
    self->times = calloc(2 * KNOWN_TIMES, sizeof *self->times);
    self->minutes = self->times + KNOWN_TIMES;
    hours_restart(self, 0);
    if (self->times != NULL) return (PyObject *)self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void hours_dealloc(PyObject *object)
{
    hours_object *self = (hours_object *)object;
    for (size_t i = 0; self->times != NULL && i < 2 * KNOWN_TIMES; ++i) {
        Py_XDECREF(self->times[i].minute);
        Py_XDECREF(self->times[i].context);
    }
    free(self->times);
    free(self->text);
    Py_XDECREF(self->minute_of);
    Py_XDECREF(self->context_of);
    object_free(object);
}

/* The place of a text in a table, which is not one that is kept; it is free if the text is not remembered. */
static known_time *place_of(known_time *table, const known_time *kept, const byte text[TIME_SIZE], size_t size)
{
    uint64_t mixed = 0, part; /* at worst Python is asked again */
    for (size_t i = 0; i < size; i += sizeof part) {
        memcpy(&part, text + i, sizeof part);
        mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u;
        mixed ^= mixed >> 32; /* a product says nothing of what is above its bits */
    }
    known_time *known = &table[mixed % KNOWN_TIMES];
    if (memcmp(known->text, text, TIME_SIZE) == 0) return known;
    if (known == kept) known = &table[mixed % KNOWN_TIMES ^ 1];
    if (memcmp(known->text, text, TIME_SIZE) == 0) return known;
    memcpy(known->text, text, TIME_SIZE);
    known->call = 0;
    Py_XDECREF(replaced_object(&known->minute, NULL));
    Py_XDECREF(replaced_object(&known->context, NULL));
    return known;
}

/* Let Python read a time to its minute; NULL with an exception set. */
static PyObject *minute_of_time(hours_object *self, const line_time *of)
{
    byte text[TIME_SIZE] = {0};
    memcpy(text, of->minute, of->minute_size);
    put_bytes(text + of->minute_size, of->zone, of->zone_size);
    known_time *known = place_of(self->minutes, NULL, text, of->minute_size + of->zone_size);
    if (known->minute == NULL) {
        PyObject *made = PyObject_CallFunction(
            self->minute_of, "s#s#", (const char *)of->minute, (Py_ssize_t)of->minute_size,
            of->zone_size ? (const char *)of->zone : "", (Py_ssize_t)of->zone_size);
        PyObject *minute = made == NULL ? NULL : PyTuple_GetItem(made, 0);
        if (minute != NULL) Py_XDECREF(replaced_object(&known->minute, minute == Py_None ? minute : made));
        Py_XDECREF(made);
        if (minute == NULL) return NULL;
    }
    return Py_NewRef(known->minute);
}

/* The time of a line as it is remembered, which contains it from then on; NULL with an exception set. */
static known_time *remembered(hours_object *self, line_time *of)
{
    byte text[TIME_SIZE] = {0};
    const size_t size = (size_t)(of->end - of->time);
    memcpy(text, of->time, size);
    known_time *known = place_of(self->times, self->before.time, text, size);
    if (known->minute == NULL && (known->minute = minute_of_time(self, of)) == NULL) return NULL;
    of->time = known->text;
    of->end = known->text + size;
    return known;
}

/* Make the context of a time; NULL with an exception set. */
static PyObject *made_context(const hours_object *self, const last_time *of)
{
    byte time[TIME_SIZE], written[TIME_SIZE];
    utf8_text minute;
    if (!text_of(&minute, PyTuple_GetItem(of->time->minute, 0))) return NULL;
    const size_t size = put_time(time, minute.at, minute.size, &of->found);
    Py_XDECREF(minute.held);
    return PyObject_CallFunction(self->context_of, "((z#s#OOO))", size ? (const char *)time : NULL, (Py_ssize_t)size,
                                 (const char *)written, (Py_ssize_t)put_written(written, &of->found), Py_None,
                                 Py_None, Py_None);
}

static long long line_end(const hours_object *self, long long at)
{
    const byte *end = self->size ? memchr(self->text + at, '\n', self->size - (size_t)at) : NULL;
    return end == NULL ? (long long)self->size : end - self->text;
}

/* Find the time with which a line begins; returns 0 with an exception set. */
static int read_time(hours_object *self, last_time *made, long long start)
{
    const byte *line = self->text + start;
    made->time = NULL;
    made->start = start;
    if (!find_line_time(&made->found, line, self->text + self->size)) return 1;
    made->behind = start + (made->found.end - line);
    made->time = remembered(self, &made->found);
    return made->time != NULL;
}

/* The same of the line that was looked at last, as far as it has come. */
static int read_own(hours_object *self)
{
    if (self->is_known || self->start < 0 || self->size == 0) return 1; /* its head was forgotten, or has not come */
    const long long head = self->start + LINE_HEAD;
    self->is_known = (self->end < head ? self->end : head) < (long long)self->size;
    return read_time(self, &self->own, self->start);
}

/* The last time before a line, into `before`, which is that before the line that begins at `floor`. */
static int read_before(hours_object *self, long long start, long long floor)
{
    last_time found = {0};
    for (long long line = start, end = start; line > floor; end = line) {
        --line;
        while (line > floor && self->text[line - 1] != '\n') --line;
        if (end - line == 2 && self->text[line] == TEXT_SEPARATOR[1]) {
            self->before.time = NULL;
            return 1;
        }
        if (start - line > self->continued) break;
        if (!read_time(self, &found, line)) return 0;
        if (found.time != NULL) {
            self->before = found;
            return 1;
        }
    }
    if (self->before.time != NULL && start - self->before.start > self->continued) self->before.time = NULL;
    return 1;
}

/* Find the line around an offset of the text that is kept, and its time; returns 0 with an exception set. */
static int look(hours_object *self, long long at)
{
    if (at < self->start || at > self->end) {
        long long floor = 0;
        if (at > self->end) {
            if (!read_own(self)) return 0;
            floor = self->end + 1;
            if (self->own.time != NULL) self->before = self->own;
        } else {
            self->before.time = NULL;
        }
        long long start = floor;
        for (const byte *feed; start < at && (feed = memchr(self->text + start, '\n', (size_t)(at - start))) != NULL;)
            start = feed - self->text + 1;
        self->own.time = NULL;
        self->is_known = 1; /* should Python fail */
        if (!read_before(self, start, floor)) return 0;
        self->start = start;
        self->end = line_end(self, at);
        self->is_known = 0;
    }
    return read_own(self);
}

/* Find the last time before an offset in the text, NULL if there is none; returns 0 with an exception set. */
static int time_before(hours_object *self, const last_time **found, unsigned long long offset)
{
    const long long at = (long long)offset - self->base;
    *found = NULL;
    if (self->size == 0) return 1; /* nothing has come */
    if (at < 0 || at > (long long)self->size) {
        PyErr_SetString(PyExc_ValueError, "an offset outside of the text that is kept");
        return 0;
    }
    if (!look(self, at)) return 0;
    const last_time *last = self->own.time != NULL && at >= self->own.behind ? &self->own : &self->before;
    if (last->time != NULL && last->time->minute != Py_None) *found = last;
    return 1;
}

static PyObject *restart(hours_object *self, PyObject *offset)
{
    long long at = PyLong_AsLongLong(offset);
    if (PyErr_Occurred()) return NULL;
    hours_restart(self, at);
    return Py_NewRef(Py_None);
}

static PyObject *feed(hours_object *self, PyObject *data)
{
    Py_buffer piece;
    /* Twice as much is kept, so that each byte is moved once. */
    const size_t surplus = self->size > 2 * self->keep ? self->size - self->keep : 0;
    if (surplus && !look(self, (long long)surplus)) return NULL; /* the line that the cut divides */
    if (PyObject_GetBuffer(data, &piece, PyBUF_SIMPLE) < 0) return NULL;
    if (surplus) {
        memmove(self->text, self->text + surplus, self->keep);
        self->size = self->keep;
        self->base += (long long)surplus;
        self->start -= (long long)surplus;
        self->end -= (long long)surplus;
        self->own.behind -= (long long)surplus;
        self->own.start -= (long long)surplus;
        self->before.start -= (long long)surplus;
    }
    const int is_open = self->end >= (long long)self->size;
    const int is_taken = append_bytes(&self->text, &self->size, &self->room, piece.buf, (size_t)piece.len);
    PyBuffer_Release(&piece);
    if (!is_taken) return PyErr_NoMemory();
    if (is_open) self->end = line_end(self, self->end);
    return Py_NewRef(Py_None);
}

/* Offsets in a text: those of a column of a harvest, or of a list of numbers. */
typedef struct {
    const harvest *from; /* NULL for a list */
    record_field which;
    PyObject *list;
    Py_ssize_t count;
} offsets;

/* Read a harvest and the name of a column, or a list, from arguments; returns 0 with an exception set. */
static int read_offsets(offsets *made, const hours_object *self, PyObject *args)
{
    PyObject *name = NULL;
    *made = (offsets){NULL, F_COUNT, NULL, 0};
    if (!PyArg_ParseTuple(args, "O|U", &made->list, &name)) return 0;
    if (Py_TYPE(made->list) != type_beside((PyObject *)self, HARVEST_TYPE)) {
        made->count = PyList_Size(made->list);
        return made->count >= 0;
    }
    made->from = &((harvest_object *)made->list)->rows;
    made->count = (Py_ssize_t)made->from->count;
    if (name != NULL && is_number(made->which = field_of(made->from, name))) return 1;
    return PyErr_Occurred() ? 0 : failed(PyExc_ValueError, "the name of a column of offsets is needed");
}

/* An offset of some; an exception may be set. */
static unsigned long long offset_at(const offsets *of, Py_ssize_t index)
{
    return of->from != NULL ? number_in(&of->from->rows[index], of->which)
                            : PyLong_AsUnsignedLongLong(PyList_GetItem(of->list, index));
}

static PyObject *hours(hours_object *self, PyObject *args)
{
    offsets given;
    if (!read_offsets(&given, self, args)) return NULL;
    PyObject *made = PyList_New(given.count);
    for (Py_ssize_t i = 0; made != NULL && i < given.count; ++i) {
        const unsigned long long at = offset_at(&given, i);
        const last_time *last;
        if (PyErr_Occurred() || !time_before(self, &last, at)) Py_CLEAR(made);
        else set_new(&made, (size_t)i, Py_XNewRef(last != NULL ? PyTuple_GetItem(last->time->minute, 1) : Py_None));
    }
    return made;
}

/* The number of the context of an offset among those of a call; UINT32_MAX with an exception set. */
static uint32_t number_of(hours_object *self, unsigned long long offset, PyObject *each)
{
    const last_time *last;
    if (!time_before(self, &last, offset)) return UINT32_MAX;
    if (last == NULL) return 0;
    known_time *known = last->time;
    if (known->context == NULL && (known->context = made_context(self, last)) == NULL) return UINT32_MAX;
    if (known->call == self->calls) return known->number;
    known->call = self->calls;
    known->number = (uint32_t)PyList_Size(each);
    return PyList_Append(each, known->context) < 0 ? UINT32_MAX : known->number;
}

static PyObject *contexts(hours_object *self, PyObject *args)
{
    offsets given;
    PyObject *result = NULL;
    if (!read_offsets(&given, self, args)) return NULL;
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, given.count * (Py_ssize_t)sizeof(uint32_t));
    PyObject *each = numbers == NULL ? NULL : PyList_New(0);
    int is_done = each != NULL && PyList_Append(each, Py_None) == 0;
    ++self->calls;
    for (Py_ssize_t i = 0; is_done && i < given.count; ++i) {
        const unsigned long long at = offset_at(&given, i);
        const uint32_t number = PyErr_Occurred() ? UINT32_MAX : number_of(self, at, each);
        is_done = number != UINT32_MAX;
        ((uint32_t *)PyBytes_AsString(numbers))[i] = number;
    }
    if (is_done) result = Py_BuildValue("OO", each, numbers);
    Py_XDECREF(each);
    Py_XDECREF(numbers);
    return result;
}

static PyMethodDef METHODS[] = {
    METHOD("restart", restart, METH_O), METHOD("feed", feed, METH_O), METHOD("hours", hours, METH_VARARGS),
    METHOD("contexts", contexts, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

TYPE_SPEC(LINE_HOURS_SPEC, "LineHours", hours_object, 0,
          {Py_tp_new, hours_new}, {Py_tp_dealloc, hours_dealloc}, {Py_tp_methods, METHODS},
          {Py_tp_doc, "The times of the lines of a text that comes as bytes."});

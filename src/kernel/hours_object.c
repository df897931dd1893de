/* `_kernel.LineHours`: the hours of the lines of a text; see `urisieve.sources.hours.LineHours`. */
#include "module.h"
#include "buffer.h"
#include "digest.h"
#include "hours.h"

/* The times whose hours are remembered: a day has 1,440 minutes. */
#define KNOWN_TIMES 2048u
/* The most bytes of a time to the minute and its zone. */
#define TIME_SIZE 24u
/* No time stands further from the start of its line, in bytes. */
#define LINE_HEAD 1024

typedef struct {
    byte text[TIME_SIZE]; /* filled up with zeros */
    PyObject *hour;       /* NULL in a free place */
} known_time;

typedef struct {
    PyObject_HEAD
    PyObject *hour_of;
    size_t keep;
    byte *text;
    size_t size, room;
    long long base;               /* the offset of the text that is kept */
    long long start, end, behind; /* the line that was looked at last, and the end of its time, in that text */
    int is_known;                 /* whether all of its head had come */
    PyObject *hour;
    known_time *known;
} hours_object;

static void hours_restart(hours_object *self, long long offset)
{
    self->size = 0;
    self->base = offset;
    self->start = self->behind = 0;
    self->end = -1;
    self->is_known = 0;
    Py_XDECREF(replaced_object(&self->hour, Py_None));
}

static PyObject *hours_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *hour_of;
    Py_ssize_t keep;
    if (!PyArg_ParseTuple(args, "On", &hour_of, &keep)) return NULL;
    hours_object *self = object_new(type);
    if (self == NULL) return NULL;
    self->hour_of = Py_NewRef(hour_of);
    self->keep = keep < 0 ? 0 : (size_t)keep;
    self->known = calloc(KNOWN_TIMES, sizeof *self->known);
    hours_restart(self, 0);
    if (self->known != NULL) return (PyObject *)self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void hours_dealloc(PyObject *object)
{
    hours_object *self = (hours_object *)object;
    for (size_t i = 0; self->known != NULL && i < KNOWN_TIMES; ++i) Py_XDECREF(self->known[i].hour);
    free(self->known);
    free(self->text);
    Py_XDECREF(self->hour);
    Py_XDECREF(self->hour_of);
    object_free(object);
}

/* The hour of a time, None if there is no such time; NULL with an exception set. */
static PyObject *hour_of_time(hours_object *self, time_form form, const line_time *of)
{
    byte text[TIME_SIZE] = {0};
    memcpy(text, of->time, of->time_size);
    if (of->zone != NULL) memcpy(text + of->time_size, of->zone, of->zone_size);
    static const uint64_t NO_SECRET[2] = {0, 0}; /* at worst an hour is asked for again */
    known_time *known = &self->known[digest_of(NO_SECRET, text, TIME_SIZE).low % KNOWN_TIMES];
    if (known->hour != NULL && memcmp(known->text, text, TIME_SIZE) == 0) return Py_NewRef(known->hour);
    PyObject *hour = PyObject_CallFunction(self->hour_of, "is#s#", (int)form, (const char *)of->time,
                                           (Py_ssize_t)of->time_size, of->zone == NULL ? "" : (const char *)of->zone,
                                           (Py_ssize_t)of->zone_size);
    if (hour == NULL) return NULL;
    memcpy(known->text, text, TIME_SIZE);
    Py_XDECREF(replaced_object(&known->hour, hour));
    return hour;
}

static long long line_end(const hours_object *self, long long at)
{
    const byte *end = self->size ? memchr(self->text + at, '\n', self->size - (size_t)at) : NULL;
    return end == NULL ? (long long)self->size : end - self->text;
}

/* Find the line around an offset of the text that is kept, and its hour; returns 0 with an exception set. */
static int look(hours_object *self, long long at)
{
    if (at < self->start || at > self->end) {
        long long start = at > self->end && self->end >= 0 ? self->end + 1 : 0;
        for (const byte *feed; start < at && (feed = memchr(self->text + start, '\n', (size_t)(at - start))) != NULL;)
            start = feed - self->text + 1;
        self->start = start;
        self->end = line_end(self, at);
    } else if (self->is_known) {
        return 1;
    }
    if (self->start < 0 || self->size == 0) return 1; /* its head was forgotten, or has not come */
    const byte *line = self->text + self->start;
    line_time found = {0};
    const time_form form = find_line_time(&found, line, self->text + self->size);
    const long long head = self->start + LINE_HEAD;
    self->behind = self->start + (form == NO_TIME ? 0 : found.end - line);
    self->is_known = (self->end < head ? self->end : head) < (long long)self->size;
    PyObject *hour = form == NO_TIME ? Py_NewRef(Py_None) : hour_of_time(self, form, &found);
    if (hour == NULL) return 0;
    self->is_known |= hour != Py_None;
    Py_XDECREF(replaced_object(&self->hour, hour));
    Py_DECREF(hour);
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
    char *piece;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(data, &piece, &size) < 0) return NULL;
    if (self->size > self->keep && !look(self, (long long)(self->size - self->keep))) return NULL;
    if (self->size > self->keep) { /* the line that the cut divides has been looked at */
        const size_t surplus = self->size - self->keep;
        memmove(self->text, self->text + surplus, self->keep);
        self->size = self->keep;
        self->base += (long long)surplus;
        self->start -= (long long)surplus;
        self->behind -= (long long)surplus;
        self->end -= (long long)surplus;
    }
    const int is_open = self->end >= (long long)self->size;
    if (!append_bytes(&self->text, &self->size, &self->room, (const byte *)piece, (size_t)size))
        return PyErr_NoMemory();
    if (is_open) self->end = line_end(self, self->end);
    return Py_NewRef(Py_None);
}

static PyObject *hours(hours_object *self, PyObject *offsets)
{
    Py_ssize_t count = PyList_Size(offsets);
    PyObject *made = count < 0 ? NULL : PyList_New(count);
    for (Py_ssize_t i = 0; made != NULL && i < count; ++i) {
        long long at = PyLong_AsLongLong(PyList_GetItem(offsets, i)) - self->base;
        if (PyErr_Occurred() || at < 0 || at > (long long)self->size) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "an offset outside of the text that is kept");
            Py_CLEAR(made);
            break;
        }
        int is_here = self->is_known && at >= self->start && at <= self->end;
        if (!is_here && !look(self, at))
            Py_CLEAR(made);
        else
            set_new(&made, (size_t)i, Py_NewRef(at >= self->behind ? self->hour : Py_None));
    }
    return made;
}

static PyMethodDef METHODS[] = {
    METHOD("restart", restart, METH_O),
    METHOD("feed", feed, METH_O),
    METHOD("hours", hours, METH_O),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot HOURS_SLOTS[] = {
    {Py_tp_new, hours_new},
    {Py_tp_dealloc, hours_dealloc},
    {Py_tp_methods, METHODS},
    {Py_tp_doc, "The hours of the lines of a text that comes as bytes."},
    {0, NULL},
};

PyType_Spec LINE_HOURS_SPEC = {"urisieve._kernel.LineHours", sizeof(hours_object), 0, Py_TPFLAGS_DEFAULT, HOURS_SLOTS};

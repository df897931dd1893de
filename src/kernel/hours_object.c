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

typedef struct {
    PyObject_HEAD
    PyObject *minute_of, *context_of;
    size_t keep;
    byte *text;
    size_t size, room;
    long long base;               /* the offset of the text that is kept */
    long long start, end, behind; /* the line that was looked at last, and the end of its time, in that text */
    int is_known;                 /* whether its time was read to the end, or all of its head had come */
    known_time *time;             /* NULL without a time */
    line_time found;              /* the same, in the text of `time` */
    known_time *times, *minutes;
    uint64_t calls;
} hours_object;

static void hours_restart(hours_object *self, long long offset)
{
    self->size = 0;
    self->base = offset;
    self->start = self->behind = 0;
    self->end = -1;
    self->is_known = 0;
    self->time = NULL;
}

static PyObject *hours_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *minute_of, *context_of;
    Py_ssize_t keep;
    if (!PyArg_ParseTuple(args, "OOn", &minute_of, &context_of, &keep)) return NULL;
    hours_object *self = object_new(type);
    if (self == NULL) return NULL;
    self->minute_of = Py_NewRef(minute_of);
    self->context_of = Py_NewRef(context_of);
    self->keep = keep < 0 ? 0 : (size_t)keep;
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

/* The place of a text in a table; it is free if the text is not remembered. */
static known_time *place_of(known_time *table, const byte text[TIME_SIZE], size_t size)
{
    uint64_t mixed = 0, part; /* at worst Python is asked again */
    for (size_t i = 0; i < size; i += sizeof part) {
        memcpy(&part, text + i, sizeof part);
        mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u;
        mixed ^= mixed >> 32; /* a product says nothing of what is above its bits */
    }
    known_time *known = &table[mixed % KNOWN_TIMES];
    if (memcmp(known->text, text, TIME_SIZE) == 0) return known;
    memcpy(known->text, text, TIME_SIZE);
    known->call = 0;
    Py_XDECREF(replaced_object(&known->minute, NULL));
    Py_XDECREF(replaced_object(&known->context, NULL));
    return known;
}

/* Let Python read a time to its minute; NULL with an exception set. */
static PyObject *minute_of_time(hours_object *self, time_form form, const line_time *of)
{
    byte text[TIME_SIZE] = {0};
    memcpy(text, of->time, of->time_size);
    if (of->zone != NULL) memcpy(text + of->time_size, of->zone, of->zone_size);
    known_time *known = place_of(self->minutes, text, of->time_size + of->zone_size);
    if (known->minute == NULL) {
        PyObject *made = PyObject_CallFunction(
            self->minute_of, "is#s#", (int)form, (const char *)of->time, (Py_ssize_t)of->time_size,
            of->zone == NULL ? "" : (const char *)of->zone, (Py_ssize_t)of->zone_size);
        PyObject *minute = made == NULL ? NULL : PyTuple_GetItem(made, 0);
        if (minute != NULL) Py_XDECREF(replaced_object(&known->minute, minute == Py_None ? minute : made));
        Py_XDECREF(made);
        if (minute == NULL) return NULL;
    }
    return Py_NewRef(known->minute);
}

/* The time of a line as it is remembered, and where its parts are in that text; NULL with an exception set. */
static known_time *remembered(hours_object *self, time_form form, line_time *of)
{
    byte text[TIME_SIZE] = {0};
    const size_t size = (size_t)(of->end - of->time);
    memcpy(text, of->time, size);
    known_time *known = place_of(self->times, text, size);
    if (known->minute == NULL && (known->minute = minute_of_time(self, form, of)) == NULL) return NULL;
    if (of->second != NULL) of->second = known->text + (of->second - of->time);
    if (of->zone != NULL) of->zone = known->text + (of->zone - of->time);
    of->time = known->text;
    return known;
}

/* Make the context of the line that was looked at last, which has a time; NULL with an exception set. */
static PyObject *made_context(const hours_object *self)
{
    byte time[TIME_SIZE], written[TIME_SIZE];
    utf8_text minute;
    if (!text_of(&minute, PyTuple_GetItem(self->time->minute, 0))) return NULL;
    const size_t size = put_time(time, minute.at, minute.size, &self->found);
    Py_XDECREF(minute.held);
    return PyObject_CallFunction(self->context_of, "((z#s#OOO))", size ? (const char *)time : NULL, (Py_ssize_t)size,
                                 (const char *)written, (Py_ssize_t)put_written(written, &self->found), Py_None,
                                 Py_None, Py_None);
}

static long long line_end(const hours_object *self, long long at)
{
    const byte *end = self->size ? memchr(self->text + at, '\n', self->size - (size_t)at) : NULL;
    return end == NULL ? (long long)self->size : end - self->text;
}

/* Find the line around an offset of the text that is kept, and its time; returns 0 with an exception set. */
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
    const time_form form = find_line_time(&self->found, line, self->text + self->size);
    const long long head = self->start + LINE_HEAD;
    self->is_known = (self->end < head ? self->end : head) < (long long)self->size;
    self->time = NULL;
    if (form == NO_TIME) return 1;
    self->behind = self->start + (self->found.end - line);
    known_time *time = remembered(self, form, &self->found);
    if (time == NULL) return 0;
    if (time->minute != Py_None) self->time = time;
    self->is_known |= self->time != NULL && at >= self->behind;
    return 1;
}

/* Find the line of an offset in the text; returns 1 if it has a time, and is after it, and -1 with an exception
 * set. */
static int has_time(hours_object *self, unsigned long long offset)
{
    const long long at = (long long)offset - self->base;
    if (self->size == 0) return 0; /* nothing has come */
    if (at < 0 || at > (long long)self->size) {
        PyErr_SetString(PyExc_ValueError, "an offset outside of the text that is kept");
        return -1;
    }
    const int is_here = self->is_known && at >= self->start && at <= self->end;
    if (!is_here && !look(self, at)) return -1;
    return self->time != NULL && at >= self->behind;
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
        self->behind -= (long long)surplus;
        self->end -= (long long)surplus;
    }
    const int is_open = self->end >= (long long)self->size;
    const int is_taken = append_bytes(&self->text, &self->size, &self->room, piece.buf, (size_t)piece.len);
    PyBuffer_Release(&piece);
    if (!is_taken) return PyErr_NoMemory();
    if (is_open) self->end = line_end(self, self->end);
    return Py_NewRef(Py_None);
}

static PyObject *hours(hours_object *self, PyObject *offsets)
{
    Py_ssize_t count = PyList_Size(offsets);
    PyObject *made = count < 0 ? NULL : PyList_New(count);
    for (Py_ssize_t i = 0; made != NULL && i < count; ++i) {
        const unsigned long long at = PyLong_AsUnsignedLongLong(PyList_GetItem(offsets, i));
        const int is_dated = PyErr_Occurred() ? -1 : has_time(self, at);
        if (is_dated < 0) Py_CLEAR(made);
        else set_new(&made, (size_t)i, Py_XNewRef(is_dated ? PyTuple_GetItem(self->time->minute, 1) : Py_None));
    }
    return made;
}

/* The number of the context of an offset among those of a call; UINT32_MAX with an exception set. */
static uint32_t number_of(hours_object *self, unsigned long long offset, PyObject *each)
{
    const int is_dated = has_time(self, offset);
    if (is_dated < 1) return is_dated < 0 ? UINT32_MAX : 0;
    known_time *known = self->time;
    if (known->context == NULL && (known->context = made_context(self)) == NULL) return UINT32_MAX;
    if (known->call == self->calls) return known->number;
    known->call = self->calls;
    known->number = (uint32_t)PyList_Size(each);
    return PyList_Append(each, known->context) < 0 ? UINT32_MAX : known->number;
}

static PyObject *contexts(hours_object *self, PyObject *args)
{
    PyObject *given, *name = NULL, *result = NULL;
    if (!PyArg_ParseTuple(args, "O|U", &given, &name)) return NULL;
    const harvest *from = Py_TYPE(given) == type_beside((PyObject *)self, HARVEST_TYPE)
                              ? &((harvest_object *)given)->rows : NULL;
    record_field which = F_COUNT;
    if (from != NULL && (name == NULL || !is_number(which = field_of(from, name))))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "the name of a column of offsets is needed");
    const Py_ssize_t count = from != NULL ? (Py_ssize_t)from->count : PyList_Size(given);
    PyObject *numbers = count < 0 ? NULL : PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint32_t));
    PyObject *each = numbers == NULL ? NULL : PyList_New(0);
    int is_done = each != NULL && PyList_Append(each, Py_None) == 0;
    ++self->calls;
    for (Py_ssize_t i = 0; is_done && i < count; ++i) {
        const unsigned long long at = from != NULL ? number_in(&from->rows[i], which)
                                                   : PyLong_AsUnsignedLongLong(PyList_GetItem(given, i));
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
    METHOD("restart", restart, METH_O), METHOD("feed", feed, METH_O), METHOD("hours", hours, METH_O),
    METHOD("contexts", contexts, METH_VARARGS),
    {NULL, NULL, 0, NULL},
};

TYPE_SPEC(LINE_HOURS_SPEC, "LineHours", hours_object, 0,
          {Py_tp_new, hours_new}, {Py_tp_dealloc, hours_dealloc}, {Py_tp_methods, METHODS},
          {Py_tp_doc, "The times of the lines of a text that comes as bytes."});

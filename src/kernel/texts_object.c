/* The methods of `_kernel.Harvest` for what was found in many texts that were searched as one. */
#include "module.h"
#include "harvest.h"
#include "utf8.h"
#include <stdlib.h>

PyObject *harvest_in_texts(harvest_object *self, PyObject *args)
{
    Py_buffer begins;
    Py_ssize_t first;
    if (!PyArg_ParseTuple(args, "y*n", &begins, &first)) return NULL;
    const harvest *from = &self->rows;
    const char *at = begins.buf; /* it may begin at any address */
    size_t texts = (size_t)begins.len / sizeof(int64_t), text = (size_t)first;
    PyObject *result = NULL;
    int64_t *numbers = PyMem_Malloc(3 * from->count * sizeof *numbers + 1), *starts = numbers + from->count;
    int64_t *ends = starts + from->count, begin, next;
    if (first < 0 || text >= texts || (from->count && !(from->wanted & WANT_OFFSETS))) {
        PyErr_SetString(PyExc_ValueError, "there is no such text, or the offsets were not asked for");
    } else if (numbers == NULL) {
        PyErr_NoMemory();
    } else {
        memcpy(&begin, at + text * sizeof begin, sizeof begin);
        for (size_t i = 0; i < from->count; ++i) {
            int64_t start = (int64_t)from->rows[i].start;
            for (; text + 1 < texts; ++text, begin = next) {
                memcpy(&next, at + (text + 1) * sizeof next, sizeof next);
                if (next > start) break;
            }
            numbers[i] = (int64_t)text;
            starts[i] = start - begin;
            ends[i] = (int64_t)from->rows[i].end - begin;
        }
        result = Py_BuildValue("NNN", items_of(numbers, from->count, 8), items_of(starts, from->count, 8),
                               items_of(ends, from->count, 8));
    }
    PyMem_Free(numbers);
    PyBuffer_Release(&begins);
    return result;
}

static int64_t number_at(const char *from, size_t index)
{
    int64_t number;
    memcpy(&number, from + index * sizeof number, sizeof number);
    return number;
}

/* Whether a text begins with a scheme, or with the slashes before a host: `_BEGINS` of urisieve.runs.text_blocks. */
static int begins_as_link(const byte *at, const byte *end)
{
    if (end - at > 1 && at[0] == '/' && at[1] == '/') return 1;
    if (at == end || !is_letter(*at)) return 0;
    while (at < end && has(*at, SCHEME_CHARACTER)) ++at;
    return at < end && *at == ':';
}

/* Write for each of some texts the offset where it begins as a link, in characters, behind white space; -1 for one that
 * does not. Returns 0 if the offsets do not fit the whole. */
static int find_links(int64_t *links, const char *begins, size_t count, const byte *whole, size_t size)
{
    const byte *at = whole, *const end = whole + size;
    int64_t known = 0;
    const int is_ascii = ascii_run(whole, size) == size;
    for (size_t i = 0; i < count; ++i) {
        int64_t begin = number_at(begins, i), stop = number_at(begins, i + 1) - TEXT_SEPARATOR_SIZE;
        if (begin < known || stop < begin) return 0;
        if (is_ascii && (size_t)stop > size) return 0;
        if (is_ascii) at = whole + begin;
        else
            for (; known < begin && at < end; ++known) at += width(*at);
        known = begin;
        const byte *first = at;
        int64_t offset = begin;
        for (; offset < stop && first < end && is_space_at(first); ++offset) first += width(*first);
        /* What ends a scheme is before the end of the text: its separator begins with a line feed. */
        links[i] = offset < stop && first < end && begins_as_link(first, end) ? offset : -1;
    }
    return 1;
}

/* The index of the text that an offset is in, by a search in halves. */
static size_t text_at(const char *begins, size_t count, int64_t offset)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (number_at(begins, middle) <= offset) low = middle + 1;
        else high = middle;
    }
    return low - (low > 0);
}

PyObject *harvest_unfilled(harvest_object *self, PyObject *args)
{
    PyObject *whole, *skipped, *found = NULL;
    Py_buffer begins;
    utf8_text text = {0};
    if (!PyArg_ParseTuple(args, "Uy*O!", &whole, &begins, &PyList_Type, &skipped)) return NULL;
    const harvest *from = &self->rows;
    const char *at = begins.buf;
    const size_t numbers = (size_t)begins.len / sizeof(int64_t), count = numbers ? numbers - 1 : 0;
    size_t left_out = (size_t)PyList_Size(skipped), next = 0;
    int64_t *links = PyMem_Malloc((count + 1) * sizeof *links);
    if (links == NULL) {
        PyErr_NoMemory();
    } else if (numbers == 0 || (from->count && !(from->wanted & WANT_OFFSETS))) {
        PyErr_SetString(PyExc_ValueError, "there is no text, or the offsets were not asked for");
    } else if (text_of(&text, whole)) {
        if (!find_links(links, at, count, text.at, text.size))
            PyErr_SetString(PyExc_ValueError, "the offsets of the texts do not fit the whole");
        else
            found = PyList_New(0);
    }
    for (size_t i = 0; found != NULL && i < from->count; ++i) {
        if (next < left_out && PyLong_AsSize_t(PyList_GetItem(skipped, (Py_ssize_t)next)) == i) {
            ++next;
            continue;
        }
        const size_t index = text_at(at, count, (int64_t)from->rows[i].start);
        if (index < count && links[index] == (int64_t)from->rows[i].start &&
            number_at(at, index + 1) - TEXT_SEPARATOR_SIZE == (int64_t)from->rows[i].end)
            links[index] = -1;
    }
    if (PyErr_Occurred()) Py_CLEAR(found);
    for (size_t i = 0; found != NULL && i < count; ++i)
        if (links[i] >= 0) append_new(&found, PyLong_FromSize_t(i));
    Py_XDECREF(text.held);
    PyMem_Free(links);
    PyBuffer_Release(&begins);
    return found;
}

/* Read a text for each row from a list of bytes; returns 0 with an exception set. */
int texts_from(component *to, PyObject *list, size_t count)
{
    if ((size_t)PyList_Size(list) != count) return failed(PyExc_ValueError, "a text for each row is needed");
    for (size_t i = 0; i < count; ++i) {
        char *text;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, (Py_ssize_t)i), &text, &size) < 0) return 0;
        if (size > (Py_ssize_t)INT32_MAX) return failed(PyExc_ValueError, "a text is too long");
        to[i] = (component){(const byte *)text, (size_t)size};
    }
    return 1;
}

/* What `joined` is given of a row that is not of a harvest: whether Python alone knows all of it, and has a password. */
#define ROW_SPECIAL 1u
#define ROW_PASSWORD 2u
#define ROW_NUMBERS 6u

/* The row that has some numbers, in the order of the fields, and flags. */
static found_row row_of(const char *numbers, unsigned flags, component uri)
{
    uint64_t all[ROW_NUMBERS];
    memcpy(all, numbers, sizeof all);
    int has_password = (flags & ROW_PASSWORD) || may_hold_password(uri.text, uri.size, 1);
    return (found_row){.start = all[0], .end = all[1], .line = all[2], .column = all[3], .byte_start = all[4],
                       .byte_end = all[5], .special = flags & ROW_SPECIAL ? 0 : NO_SPECIAL,
                       .has_password = (uint8_t)has_password};
}

PyObject *harvest_joined(harvest_object *self, PyObject *args)
{
    PyObject *order, *uris, *keys, *raws;
    const char *numbers, *flags;
    Py_ssize_t numbers_size, count;
    PyTypeObject *list = &PyList_Type;
    if (!PyArg_ParseTuple(args, "O!O!O!O!y#y#", list, &order, list, &uris, list, &keys, list, &raws, &numbers,
                          &numbers_size, &flags, &count))
        return NULL;
    const harvest *from = &self->rows;
    const size_t more = (size_t)count, all = from->count + more;
    if ((size_t)numbers_size != more * ROW_NUMBERS * sizeof(uint64_t))
        return PyErr_Format(PyExc_ValueError, "six numbers for each row are needed");
    size_t size = all, *wanted = indices_of(order, &size);
    component *texts = PyMem_Malloc((3 * more + 1) * sizeof *texts);
    found_row *rows = PyMem_Malloc((more + 1) * sizeof *rows);
    harvest_object *made = NULL;
    if (texts == NULL || rows == NULL) {
        PyErr_NoMemory();
    } else if (wanted != NULL && texts_from(texts, uris, more) && texts_from(texts + more, keys, more) &&
               texts_from(texts + 2 * more, raws, more)) {
        made = object_new(Py_TYPE((PyObject *)self));
        const size_t pair = ROW_NUMBERS * sizeof(uint64_t);
        for (size_t i = 0; i < more; ++i) rows[i] = row_of(numbers + i * pair, (byte)flags[i], texts[i]);
        if (made != NULL && !harvest_join(&made->rows, from, wanted, size, rows, texts, more)) {
            Py_DECREF((PyObject *)made);
            made = NULL;
            PyErr_NoMemory();
        }
    }
    PyMem_Free(wanted);
    PyMem_Free(texts);
    PyMem_Free(rows);
    return (PyObject *)made;
}

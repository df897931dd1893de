/* The methods of `_kernel.Harvest` for what was found in many texts that were searched as one. */
#include "module.h"
#include "harvest.h"
#include "utf8.h"

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
        begin = int64_at(at, text);
        for (size_t i = 0; i < from->count; ++i) {
            int64_t start = (int64_t)from->rows[i].start;
            for (; text + 1 < texts; ++text, begin = next) {
                next = int64_at(at, text + 1);
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
        int64_t begin = int64_at(begins, i), stop = int64_at(begins, i + 1) - TEXT_SEPARATOR_SIZE;
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
        if (int64_at(begins, middle) <= offset) low = middle + 1;
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
            int64_at(at, index + 1) - TEXT_SEPARATOR_SIZE == (int64_t)from->rows[i].end)
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

PyObject *places_in_lines(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *text, *made = NULL;
    Py_buffer offsets;
    long long at, line, first;
    utf8_text one;
    if (!PyArg_ParseTuple(args, "Uy*LLL", &text, &offsets, &at, &line, &first)) return NULL;
    const int64_t length = (int64_t)PyUnicode_GetLength(text);
    const size_t count = (size_t)offsets.len / sizeof(int64_t);
    int64_t *places = PyMem_Malloc((2 * count + 1) * sizeof *places);
    if (places == NULL) {
        PyErr_NoMemory();
    } else if (text_of(&one, text)) {
        const int is_ascii = (size_t)length == one.size;
        int64_t known = 0;
        size_t byte_at = 0, i = 0;
        int fits = at >= 0 && at <= length;
        for (; fits && !is_ascii && known < at; ++known) byte_at += width(one.at[byte_at]);
        if (is_ascii) byte_at = (size_t)at;
        for (; fits && i < count; ++i) {
            const int64_t offset = int64_at(offsets.buf, i);
            fits = offset >= at && offset <= length;
            if (!fits) break;
            if (is_ascii) {
                const byte *feed;
                while (at < offset && (feed = memchr(one.at + at, '\n', (size_t)(offset - at))) != NULL) {
                    at = feed - one.at + 1;
                    first = at;
                    ++line;
                }
            } else {
                for (; at < offset; ++at) {
                    const byte b = one.at[byte_at];
                    byte_at += width(b);
                    if (b == '\n') first = at + 1, ++line;
                }
            }
            at = offset;
            places[i] = line;
            places[count + i] = at - first + 1;
        }
        if (!fits) PyErr_SetString(PyExc_ValueError, "offsets that do not rise, or are outside of the text");
        else
            made = Py_BuildValue("NNLLL", items_of(places, count, sizeof *places), items_of(places + count, count, sizeof *places),
                                 (long long)at, (long long)line, (long long)first);
        Py_XDECREF(one.held);
    }
    PyMem_Free(places);
    PyBuffer_Release(&offsets);
    return made;
}

/* A run of a source map; see urisieve.sources.bytes.source_map. */
typedef struct {
    const char *begins, *starts;
    const signed char *widths;
    size_t count;
    PyObject *texts; /* of the runs that are measured, by their offset */
    size_t run;
    utf8_text text; /* of the last run that is measured, and what is known of it */
    PyObject *of;
    int64_t known;
    size_t known_size;
} source_runs;

/* Go to the run of an offset: that which ends there, or with `first` that which begins there. */
static void find_run(source_runs *in, int64_t offset, int first)
{
    const int64_t at = offset - !first;
    if (at < int64_at(in->begins, in->run)) in->run = text_at(in->begins, in->count, at);
    while (in->run + 1 < in->count && int64_at(in->begins, in->run + 1) <= at) ++in->run;
}

/* Whether the size of characters of a run can be counted: its text is UTF-8 without what stands for other bytes. */
static int has_text(source_runs *in, int64_t begin)
{
    PyObject *key = PyLong_FromLongLong(begin), *text = key == NULL ? NULL : PyDict_GetItemWithError(in->texts, key);
    Py_XDECREF(key);
    if (text == NULL || !PyUnicode_Check(text)) return 0;
    if (text == in->of) return 1;
    Py_CLEAR(in->text.held);
    in->of = NULL;
    if (!text_of(&in->text, text) || in->text.held != NULL) return 0;
    in->of = text;
    in->known = 0;
    in->known_size = 0;
    return 1;
}

/* Find an offset in the source; returns 0 if that is left to Python. */
static int find_source(source_runs *in, int64_t *to, int64_t offset, int first)
{
    find_run(in, offset, first);
    const int64_t begin = int64_at(in->begins, in->run), length = offset - begin, base = int64_at(in->starts, in->run);
    const int width_of = in->widths[in->run];
    if (length < 0 || width_of == 0) return 0;
    *to = base + length * width_of;
    if (width_of > 0) return 1;
    if (!has_text(in, begin)) return 0;
    if (length < in->known) in->known = 0, in->known_size = 0;
    for (; in->known < length && in->known_size < in->text.size; ++in->known)
        in->known_size += width(in->text.at[in->known_size]);
    *to = base + (int64_t)in->known_size;
    return in->known == length;
}

PyObject *offsets_in_source(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer begins, starts, widths, offsets;
    int first;
    source_runs in = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*pO!", &begins, &starts, &widths, &offsets, &first, &PyDict_Type, &in.texts))
        return NULL;
    in.begins = begins.buf;
    in.starts = starts.buf;
    in.widths = widths.buf;
    in.count = (size_t)widths.len;
    const size_t count = (size_t)offsets.len / sizeof(int64_t);
    int64_t *found = PyMem_Malloc((count + 1) * sizeof *found);
    PyObject *made = NULL;
    if (found == NULL) {
        PyErr_NoMemory();
    } else if (in.count == 0 || begins.len < (Py_ssize_t)(in.count * sizeof *found) || starts.len < begins.len) {
        PyErr_SetString(PyExc_ValueError, "runs with a start and a width each are needed");
    } else {
        size_t i = 0;
        while (i < count && find_source(&in, &found[i], int64_at(offsets.buf, i), first)) ++i;
        if (!PyErr_Occurred()) made = i < count ? Py_NewRef(Py_None) : items_of(found, count, sizeof *found);
    }
    Py_XDECREF(in.text.held);
    PyMem_Free(found);
    PyBuffer_Release(&begins);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&widths);
    PyBuffer_Release(&offsets);
    return made;
}

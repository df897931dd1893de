#include "module.h"
#include "canonical.h"
#include "find.h"
#include "quotes.h"
#include "bare.h"
#include "memo.h"
#include "proved_object.h"
#include "utf8.h"

const byte *text_of(PyObject *text, Py_ssize_t *size, PyObject **held)
{
    *held = NULL;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a str is needed");
        return NULL;
    }
    const char *found = PyUnicode_AsUTF8AndSize(text, size);
    if (found != NULL) return (const byte *)found;
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
    PyErr_Clear();
    *held = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    char *bytes;
    if (*held != NULL && PyBytes_AsStringAndSize(*held, &bytes, size) == 0) return (const byte *)bytes;
    Py_CLEAR(*held);
    return NULL;
}

PyObject *items_of(const void *items, size_t count, size_t size)
{
    return PyBytes_FromStringAndSize(count ? items : "", (Py_ssize_t)(count * size));
}

PyObject *string_of(const byte *text, size_t size)
{
    return PyUnicode_DecodeUTF8((const char *)text, (Py_ssize_t)size, "surrogatepass");
}

/* Whether a buffer shows a `bytes` object, by a memoryview or as it is; -1 with an exception set. A view that cannot be
 * written to may show what others write to. */
static int shows_bytes(PyObject *exporter)
{
    if (exporter == NULL || !PyMemoryView_Check(exporter)) return exporter != NULL && PyBytes_Check(exporter);
    PyObject *shown = PyObject_GetAttrString(exporter, "obj");
    if (shown == NULL) return -1;
    int is_bytes = PyBytes_Check(shown);
    Py_DECREF(shown);
    return is_bytes;
}

int steady_take(steady_bytes *made, const Py_buffer *from, size_t start, size_t size)
{
    made->copy = NULL;
    made->data = from->len ? (const byte *)from->buf + start : (const byte *)"";
    int is_steady = shows_bytes(from->obj);
    if (is_steady || size == 0) return is_steady >= 0;
    made->copy = PyMem_Malloc(size);
    if (made->copy == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    made->data = memcpy(made->copy, made->data, size);
    return 1;
}

void steady_release(steady_bytes *one) { PyMem_Free(one->copy); }

int secret_of(PyObject *args, uint64_t secret[2])
{
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &size)) return 0;
    if (size != 2 * sizeof *secret) {
        PyErr_SetString(PyExc_ValueError, "the secret has 16 bytes");
        return 0;
    }
    memcpy(secret, bytes, (size_t)size);
    return 1;
}

PyObject *replaced_object(PyObject **slot, PyObject *value)
{
    PyObject *old = *slot;
    *slot = Py_XNewRef(value);
    return old;
}

size_t *indices_of(PyObject *list, size_t *count)
{
    size_t below = *count;
    if (list != Py_None && !PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "a list of indices is needed");
        return NULL;
    }
    if (list != Py_None) *count = (size_t)PyList_Size(list);
    size_t *made = PyMem_Malloc((*count + 1) * sizeof *made);
    if (made == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < *count; ++i) {
        made[i] = list == Py_None ? i : PyLong_AsSize_t(PyList_GetItem(list, (Py_ssize_t)i));
        if (made[i] < below) continue;
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such row");
        PyMem_Free(made);
        return NULL;
    }
    return made;
}

static PyObject *find(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data, needle;
    Py_ssize_t start;
    if (!PyArg_ParseTuple(args, "s*s*n", &data, &needle, &start)) return NULL;
    Py_ssize_t found = -1;
    if (needle.len < 2) {
        PyErr_SetString(PyExc_ValueError, "find() takes a needle of two bytes or more");
    } else if (start >= 0 && start < data.len) {
        size_t size = (size_t)(data.len - start);
        size_t offset = find_bytes((const byte *)data.buf + start, size, needle.buf, (size_t)needle.len);
        if (offset < size) found = start + (Py_ssize_t)offset;
    }
    PyBuffer_Release(&data);
    PyBuffer_Release(&needle);
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(found);
}

static PyObject *blanked_quotes(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *text, *held, *made;
    int alone;
    if (!PyArg_ParseTuple(args, "Up", &text, &alone)) return NULL;
    Py_ssize_t length;
    const byte *lines = text_of(text, &length, &held);
    if (lines == NULL) return NULL;
    size_t size = (size_t)length, first = first_quote(lines, size, alone);
    if (first == size) {
        made = Py_NewRef(text);
    } else {
        byte *copy = PyMem_Malloc(size);
        if (copy != NULL) {
            memcpy(copy, lines, size);
            blank_quotes(copy, size, first, alone);
            made = string_of(copy, size);
            PyMem_Free(copy);
        } else {
            made = PyErr_NoMemory();
        }
    }
    Py_XDECREF(held);
    return made;
}

#ifndef URISIEVE_VERSION
#define URISIEVE_VERSION "0"
#endif

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(URISIEVE_VERSION);
}

static PyObject *counts(PyObject *module, PyObject *object)
{
    (void)module;
    Py_buffer data;
    if (PyObject_GetBuffer(object, &data, PyBUF_SIMPLE) < 0) return NULL;
    size_t size = (size_t)data.len, valid, lines = 0, number = 0;
    steady_bytes steady;
    if (!steady_take(&steady, &data, 0, size)) {
        PyBuffer_Release(&data);
        return NULL;
    }
    int is_valid;
    Py_BEGIN_ALLOW_THREADS
    valid = valid_utf8(steady.data, size);
    is_valid = valid == size || size - valid == cut_character(steady.data, size);
    if (is_valid) {
        lines = line_feeds(steady.data, valid);
        number = characters(steady.data, valid);
    }
    Py_END_ALLOW_THREADS
    steady_release(&steady);
    PyBuffer_Release(&data);
    if (!is_valid) Py_RETURN_NONE;
    return Py_BuildValue("nnn", (Py_ssize_t)number, (Py_ssize_t)lines, (Py_ssize_t)valid);
}

static PyMethodDef FUNCTIONS[] = {
    {"version", version, METH_NOARGS, "version()\n--\n\nReturn the version of the package that it was built for."},
    {"canonical", canonical, METH_O,
     "canonical(text, /)\n--\n\nReturn the canonical form of an identifier, by the default options; None if the judge "
     "has to decide."},
    {"canonical_texts", canonical_texts, METH_VARARGS,
     "canonical_texts(data, offsets, wide, /)\n--\n\nReturn the canonical forms of many identifiers in UTF-8 by the "
     "default options: a bitmap of those that are made, 32-bit offsets and UTF-8; the judge decides about the others, and "
     "about those that may hold a password."},
    {"lines", harvest_of_lines, METH_VARARGS,
     "lines(data, number, raws, /)\n--\n\nReturn the lines of some bytes as a harvest of keys, and their number; None "
     "if Python has to decode them."},
    {"find", find, METH_VARARGS,
     "find(data, needle, start, /)\n--\n\nReturn the offset of the first needle from an offset on; -1 without one."},
    {"blanked_quotes", blanked_quotes, METH_VARARGS,
     "blanked_quotes(text, alone, /)\n--\n\nReturn a text of mail with the marks of its quotes replaced by blanks; a "
     "quote has two lines or more unless `alone`."},
    {"mail_header", read_mail_header, METH_VARARGS,
     "mail_header(data, start, end, /)\n--\n\nReturn name, start and end of the fields of a header that may hold an "
     "identifier or describe the message, and the start of the body; None if Python has to read it."},
    {"json_strings", json_strings_of, METH_VARARGS,
     "json_strings(data, start, is_lines, leaves_bytes, /)\n--\n\nReturn the strings of JSON joined, where each begins "
     "in the text and in the source, and where reading ended, in bytes and in characters."},
    {"warc_records", warc_records_of, METH_VARARGS,
     "warc_records(data, start, longest, /)\n--\n\nReturn offset, fields, start and end of the records of a web archive "
     "from an offset on, up to one that Python has to read."},
    {"table_cells", table_cells, METH_VARARGS,
     "table_cells(data, delimiter, longest, /)\n--\n\nReturn the cells of a table joined, where each begins in the text "
     "and in the data, and the rows."},
    {"xml_texts", xml_texts_of, METH_VARARGS,
     "xml_texts(data, end, is_end, mode, is_leaf, open, links, link_elements, /)\n--\n\nReturn the texts of XML joined, "
     "where each stands, the elements, and where reading ended."},
    {"table_fields", table_fields, METH_VARARGS,
     "table_fields(data, start, delimiter, columns, indices, /)\n--\n\nReturn the bounds of rows of a table from an "
     "offset on, the number of their lines, and offsets and texts of some columns; Python reads the row behind them."},
    {"json_fields", json_fields, METH_VARARGS,
     "json_fields(data, start, names, /)\n--\n\nReturn the bounds of rows of JSON lines from an offset on, the number "
     "of their lines, and offsets and texts of some fields; Python reads the row behind them."},
    {"counts", counts, METH_O,
     "counts(data, /)\n--\n\nReturn the numbers of characters and of line feeds of UTF-8, and of the bytes before a "
     "character that its end cuts; None if it is not valid."},
    {NULL, NULL, 0, NULL},
};

/* Draw the secret of the memos. */
static int draw_secret(void)
{
    PyObject *os = PyImport_ImportModule("os");
    PyObject *drawn = os == NULL ? NULL : PyObject_CallMethod(os, "urandom", "n", (Py_ssize_t)sizeof memo_secret);
    char *bytes = drawn == NULL ? NULL : PyBytes_AsString(drawn);
    if (bytes != NULL) memcpy(memo_secret, bytes, sizeof memo_secret);
    Py_XDECREF(drawn);
    Py_XDECREF(os);
    return bytes != NULL;
}

static int execute(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    static int is_prepared; /* the module may be imported again, while another thread searches */
    if (!is_prepared) {
        scheme_prepare();
        bare_prepare();
        canonical_prepare();
        if (!draw_secret()) return -1;
        is_prepared = 1;
    }
    struct {
        PyType_Spec *spec;
        PyTypeObject **type;
    } types[] = {
        {&SEARCH_SPEC, &state->search},
        {&HARVEST_SPEC, &state->harvest},
        {&KEY_SET_SPEC, &state->key_set},
        {&KEY_TABLE_SPEC, &state->key_table},
        {&RECORD_SPEC, &state->record},
        {&HTML_READER_SPEC, &state->html_reader},
        {&HTML_PAGE_SPEC, &state->html_page},
        {&MAIL_READER_SPEC, &state->mail_reader},
        {&MAIL_TEXTS_SPEC, &state->mail_texts},
    };
    for (unsigned i = 0; i < sizeof types / sizeof *types; ++i) {
        *types[i].type = (PyTypeObject *)PyType_FromModuleAndSpec(module, types[i].spec, NULL);
        if (*types[i].type == NULL || PyModule_AddType(module, *types[i].type) < 0) return -1;
    }
    return 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    Py_VISIT(state->search);
    Py_VISIT(state->harvest);
    Py_VISIT(state->key_set);
    Py_VISIT(state->key_table);
    Py_VISIT(state->record);
    Py_VISIT(state->html_reader);
    Py_VISIT(state->html_page);
    Py_VISIT(state->mail_reader);
    Py_VISIT(state->mail_texts);
    return 0;
}

static int clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->search);
    Py_CLEAR(state->harvest);
    Py_CLEAR(state->key_set);
    Py_CLEAR(state->key_table);
    Py_CLEAR(state->record);
    Py_CLEAR(state->html_reader);
    Py_CLEAR(state->html_page);
    Py_CLEAR(state->mail_reader);
    Py_CLEAR(state->mail_texts);
    return 0;
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, execute}, {0, NULL}};

static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "urisieve._kernel", "The compiled kernel: finds and normalizes what is common.",
    sizeof(module_state), FUNCTIONS, SLOTS, traverse, clear, NULL,
};

PyMODINIT_FUNC PyInit__kernel(void);
PyMODINIT_FUNC PyInit__kernel(void) { return PyModuleDef_Init(&MODULE); }

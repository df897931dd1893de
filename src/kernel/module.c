#include "module.h"
#include "canonical.h"
#include "archive_key.h"
#include "find.h"
#include "quotes.h"
#include "bare.h"
#include "memo.h"
#include "utf8.h"

PyTypeObject *type_beside(PyObject *object, type_number which)
{
    return ((PyTypeObject **)PyType_GetModuleState(Py_TYPE(object)))[which];
}

static PyObject *find(PyObject *Py_UNUSED(module), PyObject *args)
{
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

static PyObject *blanked_quotes(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *text, *made;
    int alone;
    utf8_text lines;
    if (!PyArg_ParseTuple(args, "Up", &text, &alone) || !text_of(&lines, text)) return NULL;
    size_t first = first_quote(lines.at, lines.size, alone);
    byte *copy = first < lines.size ? PyMem_Malloc(lines.size) : NULL;
    if (first == lines.size) {
        made = Py_NewRef(text);
    } else if (copy == NULL) {
        made = PyErr_NoMemory();
    } else {
        memcpy(copy, lines.at, lines.size);
        blank_quotes(copy, lines.size, first, alone);
        made = string_of(copy, lines.size);
    }
    PyMem_Free(copy);
    Py_XDECREF(lines.held);
    return made;
}

#ifndef URISIEVE_VERSION
#define URISIEVE_VERSION "0"
#endif

static PyObject *version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyUnicode_FromString(URISIEVE_VERSION);
}

static PyObject *counts(PyObject *Py_UNUSED(module), PyObject *object)
{
    Py_buffer data;
    if (PyObject_GetBuffer(object, &data, PyBUF_SIMPLE) < 0) return NULL;
    size_t size = (size_t)data.len, valid = 0, lines = 0, number = 0;
    steady_bytes steady;
    int is_taken = steady_take(&steady, &data, 0, size), is_valid = 0;
    if (is_taken) {
        Py_BEGIN_ALLOW_THREADS
        valid = valid_utf8(steady.data, size);
        is_valid = valid == size || size - valid == cut_character(steady.data, size);
        if (is_valid) {
            lines = line_feeds(steady.data, valid);
            number = characters(steady.data, valid);
        }
        Py_END_ALLOW_THREADS
    }
    steady_release(&steady, &data);
    if (!is_valid) return is_taken ? Py_NewRef(Py_None) : NULL;
    return Py_BuildValue("nnn", (Py_ssize_t)number, (Py_ssize_t)lines, (Py_ssize_t)valid);
}

static PyMethodDef FUNCTIONS[] = {
    METHOD("version", version, METH_NOARGS),
    METHOD("canonical", canonical, METH_O),
    METHOD("fault", found_fault, METH_O),
    METHOD("learn_host", host_learnt, METH_VARARGS),
    METHOD("canonical_texts", canonical_texts, METH_VARARGS),
    METHOD("components_of_texts", components_of_texts, METH_VARARGS),
    METHOD("proved_rows", proved_rows, METH_VARARGS),
    METHOD("gathered", gathered_keys, METH_VARARGS),
    METHOD("split", split_text, METH_O),
    METHOD("resolve", resolve_text, METH_VARARGS),
    METHOD("lines", harvest_of_lines, METH_VARARGS),
    METHOD("find", find, METH_VARARGS),
    METHOD("blanked_quotes", blanked_quotes, METH_VARARGS),
    METHOD("mail_header", read_mail_header, METH_VARARGS),
    METHOD("json_strings", json_strings_of, METH_VARARGS),
    METHOD("warc_records", warc_records_of, METH_VARARGS),
    METHOD("table_cells", table_cells, METH_VARARGS),
    METHOD("xml_texts", xml_texts_of, METH_VARARGS),
    METHOD("table_fields", table_fields, METH_VARARGS),
    METHOD("json_fields", json_fields, METH_VARARGS),
    METHOD("counts", counts, METH_O),
    {NULL, NULL, 0, NULL},
};

/* Draw the seed of the memos. */
static int draw_seed(void)
{
    PyObject *os = PyImport_ImportModule("os");
    PyObject *drawn = os == NULL ? NULL : PyObject_CallMethod(os, "urandom", "n", (Py_ssize_t)sizeof memo_seed);
    char *bytes = drawn == NULL ? NULL : PyBytes_AsString(drawn);
    if (bytes != NULL) memcpy(memo_seed, bytes, sizeof memo_seed);
    Py_XDECREF(drawn);
    Py_XDECREF(os);
    return bytes != NULL;
}

static int execute(PyObject *module)
{
    PyTypeObject **types = PyModule_GetState(module);
    static int is_prepared; /* the module may be imported again, while another thread searches */
    if (!is_prepared) {
        scheme_prepare();
        bare_prepare();
        canonical_prepare();
        archive_prepare();
        if (!draw_seed()) return -1;
        is_prepared = 1;
    }
    static PyType_Spec *const SPECS[TYPE_COUNT] = {
        &SEARCH_SPEC, &HARVEST_SPEC, &KEY_SET_SPEC, &KEY_TABLE_SPEC, &RECORD_SPEC, &HTML_READER_SPEC, &HTML_PAGE_SPEC,
        &MAIL_READER_SPEC, &MAIL_TEXTS_SPEC, &MERGING_SPEC, &LINE_HOURS_SPEC};
    for (unsigned i = 0; i < TYPE_COUNT; ++i) {
        types[i] = (PyTypeObject *)PyType_FromModuleAndSpec(module, SPECS[i], NULL);
        if (types[i] == NULL || PyModule_AddType(module, types[i]) < 0) return -1;
    }
    return 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    PyTypeObject **types = PyModule_GetState(module);
    for (unsigned i = 0; i < TYPE_COUNT; ++i) Py_VISIT(types[i]);
    return 0;
}

static int clear(PyObject *module)
{
    PyTypeObject **types = PyModule_GetState(module);
    for (unsigned i = 0; i < TYPE_COUNT; ++i) Py_CLEAR(types[i]);
    return 0;
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, execute}, {0, NULL}};

static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "urisieve._kernel", "The compiled kernel: finds and normalizes what is common.",
    TYPE_COUNT * sizeof(PyTypeObject *), FUNCTIONS, SLOTS, traverse, clear, NULL,
};

PyMODINIT_FUNC PyInit__kernel(void);
PyMODINIT_FUNC PyInit__kernel(void) { return PyModuleDef_Init(&MODULE); }

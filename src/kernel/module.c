#include "module.h"
#include "canonical.h"
#include "secrets.h"
#include "merge.h"
#include "bare.h"
#include "memo.h"
#include "utf8.h"

PyTypeObject *type_beside(PyObject *object, type_number which)
{
    return ((PyTypeObject **)PyType_GetModuleState(Py_TYPE(object)))[which];
}

#ifndef BUILT_FROM
#define BUILT_FROM ""
#endif

PyObject *built_from(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyUnicode_FromString(BUILT_FROM);
}

PyObject *counts_of(PyObject *Py_UNUSED(module), PyObject *object)
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

static PyMethodDef FUNCTIONS[] = {MODULE_FUNCTIONS(LISTED){NULL, NULL, 0, NULL}};

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

/* Give the module a list of names as a tuple; returns 0 with an exception set. */
static int add_names(PyObject *module, const name_list *from)
{
    Py_ssize_t count = 0;
    while (from->names[count] != NULL) ++count;
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t i = 0; made != NULL && i < count; ++i)
        set_new(&made, (size_t)i, PyUnicode_InternFromString(from->names[i]));
    int done = made != NULL && PyModule_AddObjectRef(module, from->name, made) == 0;
    Py_XDECREF(made);
    return done;
}

static int execute(PyObject *module)
{
    PyTypeObject **types = PyModule_GetState(module);
    static int is_prepared; /* the module may be imported again, while another thread searches */
    if (!is_prepared) {
        scheme_prepare();
        run_prepare();
        canonical_prepare();
        secrets_prepare();
        archive_prepare();
        if (!draw_seed()) return -1;
        is_prepared = 1;
    }
    for (unsigned i = 0; i < NAME_LIST_COUNT; ++i)
        if (!add_names(module, &NAME_LISTS[i])) return -1;
    static PyType_Spec *const SPECS[TYPE_COUNT] = {
        &SEARCH_SPEC, &HARVEST_SPEC, &KEY_SET_SPEC, &KEY_TABLE_SPEC, &RECORD_SPEC, &HTML_READER_SPEC, &HTML_PAGE_SPEC,
        &MAIL_READER_SPEC, &MAIL_TEXTS_SPEC, &MERGING_SPEC, &LINE_HOURS_SPEC, &NAME_TABLE_SPEC};
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

/* The extension module urisieve._kernel: the only file that includes Python.h, in the limited API of Python 3.11. */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef URISIEVE_VERSION
#error "setup.py defines URISIEVE_VERSION"
#endif

static PyObject *version(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    return PyUnicode_FromString(URISIEVE_VERSION);
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "Return the version of urisieve that this kernel was compiled from."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "urisieve._kernel",
    .m_doc = "What of urisieve is compiled.",
    .m_size = 0,
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__kernel(void) { return PyModuleDef_Init(&definition); }

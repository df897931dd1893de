/* `warc_records`: the records of a web archive that are in memory; see warc.h. */
#include "warc.h"
#include "module.h"

/* The most records of one call. */
#define MOST 256

static PyObject *fields_of(const byte *data, const warc_record *one)
{
    PyObject *fields = PyDict_New();
    for (unsigned i = 0; fields != NULL && i < WARC_FIELDS; ++i) {
        warc_span value = one->values[i];
        if (!value.end) continue;
        PyObject *text = PyUnicode_FromStringAndSize((const char *)data + value.start, (Py_ssize_t)(value.end - value.start));
        if (text == NULL || PyDict_SetItemString(fields, WARC_NAMES[i], text) < 0) Py_CLEAR(fields);
        Py_XDECREF(text);
    }
    return fields;
}

PyObject *warc_records_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *source;
    Py_ssize_t start, longest;
    if (!PyArg_ParseTuple(args, "Snn", &source, &start, &longest)) return NULL;
    const byte *data = (const byte *)PyBytes_AsString(source);
    Py_ssize_t size = PyBytes_Size(source);
    if (start < 0 || start > size || longest < 0) return PyErr_Format(PyExc_IndexError, "the data do not go that far");
    PyObject *records = PyList_New(0);
    size_t at = (size_t)start;
    warc_record one;
    while (records != NULL && PyList_Size(records) < MOST && warc_record_at(data, (size_t)size, at, (size_t)longest, &one)) {
        append_new(&records, Py_BuildValue("nNnn", (Py_ssize_t)one.offset, fields_of(data, &one),
                                           (Py_ssize_t)one.block.start, (Py_ssize_t)one.block.end));
        at = one.block.end;
    }
    return records;
}

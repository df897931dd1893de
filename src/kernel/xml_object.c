/* `xml_texts`: the texts of XML, for the search; see xml_texts.h. */
#include "module.h"
#include "xml_texts.h"
#include <stdlib.h>

static PyObject *bytes_of(const void *items, size_t size)
{
    return PyBytes_FromStringAndSize(size ? (const char *)items : "", (Py_ssize_t)size);
}

/* The numbers of the elements that are open. */
static PyObject *open_of(const xml_texts *made)
{
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(made->depth * sizeof(int64_t)));
    if (numbers == NULL) return NULL;
    char *to = PyBytes_AsString(numbers);
    for (size_t i = 0; i < made->depth; ++i) memcpy(to + i * sizeof(int64_t), &made->open[i].number, sizeof(int64_t));
    return numbers;
}

PyObject *xml_texts_of(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *open;
    Py_ssize_t end;
    int is_end;
    xml_texts made = {0};
    if (!PyArg_ParseTuple(args, "SnpipSss", &data, &end, &is_end, &made.mode, &made.is_leaf, &open, &made.links,
                          &made.link_elements))
        return NULL;
    const byte *source = (const byte *)PyBytes_AsString(data);
    if (end < 0 || end > PyBytes_Size(data)) {
        PyErr_SetString(PyExc_IndexError, "the data do not go that far");
        return NULL;
    }
    made.depth = (size_t)PyBytes_Size(open);
    if (made.depth) {
        const char *flags = PyBytes_AsString(open);
        made.open_room = made.depth;
        made.open = malloc(made.depth * sizeof *made.open);
        if (made.open == NULL) return PyErr_NoMemory();
        for (size_t i = 0; i < made.depth; ++i) made.open[i] = (xml_open){(int64_t)i, flags[i] != 0};
    }
    size_t stop;
    xml_result result;
    Py_BEGIN_ALLOW_THREADS
    result = xml_read(&made, source, (size_t)end, is_end, &stop);
    Py_END_ALLOW_THREADS
    PyObject *found = NULL;
    if (result == XML_NO_MEMORY) {
        PyErr_NoMemory();
    } else {
        PyObject *parts[] = {
            string_of(made.text, made.size),
            bytes_of(made.begins, made.count ? (made.count + 1) * sizeof *made.begins : 0),
            bytes_of(made.kinds, made.count),
            bytes_of(made.rows, made.count * sizeof *made.rows),
            bytes_of(made.elements, made.element_count * sizeof *made.elements),
            open_of(&made),
        };
        int is_made = 1;
        for (size_t i = 0; i < 6; ++i) is_made &= parts[i] != NULL;
        if (is_made)
            found = Py_BuildValue("OOOOOOniNN", parts[0], parts[1], parts[2], parts[3], parts[4], parts[5],
                                  (Py_ssize_t)stop, made.mode, PyBool_FromLong(made.is_leaf),
                                  PyBool_FromLong(result == XML_TOO_DEEP));
        for (size_t i = 0; i < 6; ++i) Py_XDECREF(parts[i]);
    }
    xml_free(&made);
    return found;
}

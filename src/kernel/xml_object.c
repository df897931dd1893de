/* `xml_texts`: the texts of XML, for the search; see xml_texts.h. */
#include "module.h"
#include "xml_texts.h"
#include <stdlib.h>

/* The numbers of the elements that are open. */
static PyObject *open_of(const xml_texts *made)
{
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(made->depth * sizeof(int64_t)));
    if (numbers == NULL) return NULL;
    char *to = PyBytes_AsString(numbers);
    for (size_t i = 0; i < made->depth; ++i) memcpy(to + i * sizeof(int64_t), &made->open[i].number, sizeof(int64_t));
    return numbers;
}

PyObject *xml_texts_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data, *open;
    Py_ssize_t end;
    int is_end;
    xml_texts made = {0};
    if (!PyArg_ParseTuple(args, "SnpipSss", &data, &end, &is_end, &made.mode, &made.is_leaf, &open, &made.links,
                          &made.link_elements))
        return NULL;
    const byte *source = (const byte *)PyBytes_AsString(data);
    if (end < 0 || end > PyBytes_Size(data)) return PyErr_Format(PyExc_IndexError, "the data do not go that far");
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
    PyObject *found =
        result == XML_NO_MEMORY
            ? PyErr_NoMemory()
            : Py_BuildValue("NNNNNNniNN", string_of(made.text, made.size),
                            items_of(made.begins, made.count ? made.count + 1 : 0, sizeof *made.begins),
                            items_of(made.kinds, made.count, 1), items_of(made.rows, made.count, sizeof *made.rows),
                            items_of(made.elements, made.element_count, sizeof *made.elements), open_of(&made),
                            (Py_ssize_t)stop, made.mode, PyBool_FromLong(made.is_leaf),
                            PyBool_FromLong(result == XML_TOO_DEEP));
    xml_free(&made);
    return found;
}

/* `json_strings`: the strings of JSON, for the search; see json_strings.h. */
#include "json_strings.h"
#include "module.h"
#include "utf8.h"

PyObject *json_strings_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data;
    Py_ssize_t start;
    json_strings made = {0};
    if (!PyArg_ParseTuple(args, "Snpp", &data, &start, &made.is_lines, &made.leaves_bytes)) return NULL;
    const byte *source = (const byte *)PyBytes_AsString(data);
    Py_ssize_t size = PyBytes_Size(data);
    if (start < 0 || start > size || size > INT32_MAX)
        return PyErr_Format(PyExc_IndexError, "the data do not go that far, or are too many");
    size_t stop, stop_characters;
    json_result result;
    Py_BEGIN_ALLOW_THREADS
    result = json_read(&made, source + start, (size_t)(size - start), &stop);
    stop_characters = characters(source + start, stop);
    to_characters(made.starts, made.count, source + start, stop);
    if (made.count) to_characters(made.begins, made.count + 1, made.text, made.size);
    Py_END_ALLOW_THREADS
    PyObject *found =
        result == JSON_NO_MEMORY
            ? PyErr_NoMemory()
            : Py_BuildValue("NNNNNnn", string_of(made.text, made.size),
                            items_of(made.begins, made.count ? made.count + 1 : 0, sizeof *made.begins),
                            items_of(made.starts, made.count, sizeof *made.starts),
                            items_of(made.links, made.count, sizeof *made.links),
                            items_of(made.containers, made.container_count, sizeof *made.containers),
                            (Py_ssize_t)((size_t)start + stop), (Py_ssize_t)stop_characters);
    json_free(&made);
    return found;
}

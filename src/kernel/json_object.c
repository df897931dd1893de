/* `json_strings`: the strings of JSON, for the search; see json_strings.h. */
#include "json_strings.h"
#include "buffer.h"
#include "module.h"
#include "utf8.h"

PyObject *json_strings_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *data, *found = NULL;
    Py_ssize_t start, field_size;
    Py_buffer open;
    json_strings in = {0};
    if (!PyArg_ParseTuple(args, "Snpppy#y*", &data, &start, &in.is_lines, &in.goes_on, &in.takes_bytes, &in.field,
                          &field_size, &open))
        return NULL;
    const byte *source = (const byte *)PyBytes_AsString(data);
    Py_ssize_t size = PyBytes_Size(data);
    in.field_size = (size_t)field_size;
    in.made.depth = (size_t)open.len / sizeof *in.open;
    if (start < 0 || start > size || size > INT32_MAX || field_size > INT32_MAX) {
        failed(PyExc_IndexError, "the data do not go that far, or are too many");
    } else if (!GROW(in.open, in.open_room, in.made.depth)) {
        no_memory();
    } else {
        if (in.made.depth) memcpy(in.open, open.buf, in.made.depth * sizeof *in.open);
        size_t stop = 0, stop_characters = 0;
        json_result result;
        Py_BEGIN_ALLOW_THREADS
        result = json_read(&in, source + start, (size_t)(size - start), &stop);
        stop_characters = characters(source + start, stop);
        to_characters(in.starts, in.made.strings, source + start, stop);
        to_characters(in.names, in.made.names, source + start, stop);
        if (in.made.strings) to_characters(in.begins, in.made.strings + 1, in.text, in.made.size);
        Py_END_ALLOW_THREADS
        size_t strings = in.made.strings;
        if (result == JSON_NO_MEMORY) no_memory();
        else
            found = Py_BuildValue(
                "NNNNNNNNnnNN", string_of(in.text, in.made.size),
                items_of(in.begins, strings ? strings + 1 : 0, sizeof *in.begins),
                items_of(in.starts, strings, sizeof *in.starts), items_of(in.links, strings, sizeof *in.links),
                items_of(in.names, in.made.names, sizeof *in.names),
                items_of(in.owners, in.made.names, sizeof *in.owners),
                items_of(in.containers, in.made.containers, sizeof *in.containers),
                items_of(in.open, in.made.depth, sizeof *in.open), (Py_ssize_t)((size_t)start + stop),
                (Py_ssize_t)stop_characters, PyBool_FromLong(result == JSON_LEFT), PyBool_FromLong(in.made.has_field));
    }
    PyBuffer_Release(&open);
    json_free(&in);
    return found;
}

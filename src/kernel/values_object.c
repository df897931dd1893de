#include "values_object.h"

int failed(PyObject *type, const char *message)
{
    PyErr_SetString(type, message);
    return 0;
}

int no_memory(void)
{
    PyErr_NoMemory();
    return 0;
}

PyObject *size_at(PyObject *object, void *offset)
{
    return PyLong_FromSize_t(*(size_t *)(void *)((char *)object + (size_t)offset));
}

PyObject *flag_at(PyObject *object, void *offset)
{
    return PyBool_FromLong(*(int *)(void *)((char *)object + (size_t)offset));
}

void *object_new(PyTypeObject *type) { return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0); }

void object_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

void append_new(PyObject **list, PyObject *item)
{
    if (*list != NULL && (item == NULL || PyList_Append(*list, item) < 0)) Py_CLEAR(*list);
    Py_XDECREF(item);
}

void set_new(PyObject **into, size_t index, PyObject *item)
{
    int (*set)(PyObject *, Py_ssize_t, PyObject *) = PyTuple_Check(*into) ? PyTuple_SetItem : PyList_SetItem;
    if (item == NULL || set(*into, (Py_ssize_t)index, item) < 0) Py_CLEAR(*into);
}

int to_size(PyObject *number, void *size)
{
    *(size_t *)size = PyLong_AsSize_t(number);
    return !PyErr_Occurred();
}

int text_of(utf8_text *made, PyObject *text)
{
    made->held = NULL;
    if (!PyUnicode_Check(text)) return failed(PyExc_TypeError, "a str is needed");
    Py_ssize_t size;
    char *bytes = (char *)PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return 0;
        PyErr_Clear();
        made->held = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
        if (made->held == NULL || PyBytes_AsStringAndSize(made->held, &bytes, &size) < 0) {
            Py_CLEAR(made->held);
            return 0;
        }
    }
    made->at = (const byte *)bytes;
    made->size = (size_t)size;
    return 1;
}

int each_text(PyObject *texts, int (*take)(void *to, const byte *text, size_t size), void *to)
{
    PyObject *list = PySequence_List(texts);
    int done = list != NULL;
    for (Py_ssize_t i = 0; done && i < PyList_Size(list); ++i) {
        utf8_text one;
        if (!(done = text_of(&one, PyList_GetItem(list, i)))) break;
        if (!take(to, one.at, one.size)) done = no_memory();
        Py_XDECREF(one.held);
    }
    Py_XDECREF(list);
    return done;
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
    if (made->copy == NULL) return no_memory();
    made->data = memcpy(made->copy, made->data, size);
    return 1;
}

void steady_release(steady_bytes *one, Py_buffer *from)
{
    PyMem_Free(one->copy);
    PyBuffer_Release(from);
}

PyObject *new_with_seed(PyTypeObject *type, PyObject *args, size_t offset)
{
    const char *seed;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &seed, &size)) return NULL;
    if (size != 2 * sizeof(uint64_t)) return PyErr_Format(PyExc_ValueError, "the seed has 16 bytes");
    char *made = object_new(type);
    if (made != NULL) memcpy(made + offset, seed, (size_t)size);
    return (PyObject *)made;
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
    if (made == NULL) PyErr_NoMemory();
    for (size_t i = 0; made != NULL && i < *count; ++i) {
        made[i] = list == Py_None ? i : PyLong_AsSize_t(PyList_GetItem(list, (Py_ssize_t)i));
        if (made[i] < below) continue;
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such row");
        PyMem_Free(made);
        return NULL;
    }
    return made;
}

/* The methods of `_kernel.Harvest` that write its rows as lines. */
#include "module.h"
#include "lines.h"

PyObject *harvest_endings(harvest_object *self, PyObject *unused)
{
    (void)unused;
    ending found[MOST_ENDINGS];
    size_t count = lines_endings(&self->rows, found);
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < count; ++i) {
        PyObject *wrapper = wrapper_of(found[i].opener, found[i].closer);
        PyObject *one = wrapper == NULL ? NULL : Py_BuildValue("NI", wrapper, found[i].warnings);
        if (one == NULL || PyList_Append(made, one) < 0) Py_CLEAR(made);
        Py_XDECREF(one);
    }
    return made;
}

/* Take the texts of a tuple; returns 0 with an exception set if there are not `count` of them. */
static int pieces_of(piece *to, PyObject *tuple, size_t count, const char *name)
{
    if (!PyTuple_Check(tuple) || (size_t)PyTuple_Size(tuple) != count) {
        PyErr_Format(PyExc_ValueError, "%s: a tuple of %d texts is needed", name, (int)count);
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        char *text;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, (Py_ssize_t)i), &text, &size) < 0) return 0;
        to[i] = (piece){(const byte *)text, (size_t)size};
    }
    return 1;
}

/* What one call works on. */
typedef struct {
    const harvest *from;
    line_model model;
    planned_line *plans;
    size_t count, left;
    PyObject *others; /* the lines that Python has written, in their order */
} writing;

static int plan_all(writing *work, PyObject *rows)
{
    work->count = work->from->count;
    size_t *indices = indices_of(rows, &work->count);
    if (indices == NULL) return 0;
    work->plans = PyMem_Malloc((work->count + 1) * sizeof *work->plans);
    if (work->plans == NULL || !lines_prepare(&work->model)) {
        PyMem_Free(indices);
        PyErr_NoMemory();
        return 0;
    }
    Py_BEGIN_ALLOW_THREADS
    for (size_t i = 0; i < work->count; ++i) {
        work->plans[i].row = indices[i];
        lines_plan(&work->model, work->from, &work->plans[i]);
        work->left += work->plans[i].size == 0;
    }
    Py_END_ALLOW_THREADS
    PyMem_Free(indices);
    return 1;
}

/* Let Python write the lines that are left to it. */
static int ask_others(writing *work, PyObject *write)
{
    if (!work->left) return 1;
    PyObject *indices = PyList_New(0);
    for (size_t i = 0; indices != NULL && i < work->count; ++i) {
        if (work->plans[i].size) continue;
        PyObject *index = PyLong_FromSize_t(work->plans[i].row);
        if (index == NULL || PyList_Append(indices, index) < 0) Py_CLEAR(indices);
        Py_XDECREF(index);
    }
    if (indices == NULL) return 0;
    PyObject *lines = PyObject_CallFunctionObjArgs(write, indices, NULL);
    Py_DECREF(indices);
    work->others = lines == NULL ? NULL : PySequence_Tuple(lines);
    Py_XDECREF(lines);
    if (work->others != NULL && (size_t)PyTuple_Size(work->others) == work->left) return 1;
    if (work->others != NULL) PyErr_SetString(PyExc_ValueError, "a line for each row that is left is needed");
    return 0;
}

static PyObject *in_one(const writing *work)
{
    piece *others = PyMem_Malloc((work->left + 1) * sizeof *others);
    if (others == NULL) return PyErr_NoMemory();
    PyObject *made = NULL;
    if (!work->left || pieces_of(others, work->others, work->left, "lines")) {
        size_t size = 0;
        for (size_t i = 0; i < work->count; ++i) size += work->plans[i].size;
        for (size_t i = 0; i < work->left; ++i) size += others[i].size;
        made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    }
    if (made != NULL) {
        byte *to = (byte *)PyBytes_AsString(made);
        const piece *other = others;
        Py_BEGIN_ALLOW_THREADS
        for (size_t i = 0; i < work->count; ++i) {
            if (work->plans[i].size) {
                to = lines_write(to, &work->model, work->from, &work->plans[i]);
            } else {
                memcpy(to, other->text, other->size);
                to += other++->size;
            }
        }
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(others);
    return made;
}

static PyObject *one_by_one(const writing *work)
{
    PyObject *made = PyList_New((Py_ssize_t)work->count);
    Py_ssize_t other = 0;
    for (size_t i = 0; made != NULL && i < work->count; ++i) {
        PyObject *line;
        if (work->plans[i].size) {
            line = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)work->plans[i].size);
            if (line != NULL) lines_write((byte *)PyBytes_AsString(line), &work->model, work->from, &work->plans[i]);
        } else {
            line = Py_NewRef(PyTuple_GetItem(work->others, other++));
        }
        if (line == NULL || PyList_SetItem(made, (Py_ssize_t)i, line) < 0) Py_CLEAR(made);
    }
    return made;
}

static PyObject *write_lines(harvest_object *self, PyObject *args, PyObject *(*finish)(const writing *))
{
    PyObject *before, *words, *tails, *rows, *others;
    const char *plain;
    Py_ssize_t plain_size;
    if (!PyArg_ParseTuple(args, "OOy#O!OO", &before, &words, &plain, &plain_size, &PyTuple_Type, &tails, &rows,
                          &others))
        return NULL;
    writing work = {.from = &self->rows};
    work.model.plain = (const byte *)plain;
    work.model.ending_count = lines_endings(work.from, work.model.endings);
    if (!pieces_of(work.model.before, before, VALUE_COUNT, "before") ||
        !pieces_of(work.model.words, words, WORD_COUNT, "words") ||
        !pieces_of(work.model.tails, tails, work.model.ending_count, "tails"))
        return NULL;
    unsigned needed = WANT_RAW | WANT_OFFSETS;
    if (plain_size != 128 || (work.from->count && (work.from->wanted & needed) != needed)) {
        PyErr_SetString(PyExc_ValueError, "lines need raw texts, offsets, and a byte for each ASCII character");
        return NULL;
    }
    PyObject *made = plan_all(&work, rows) && ask_others(&work, others) ? finish(&work) : NULL;
    lines_release(&work.model);
    PyMem_Free(work.plans);
    Py_XDECREF(work.others);
    return made;
}

PyObject *harvest_written(harvest_object *self, PyObject *args) { return write_lines(self, args, in_one); }

PyObject *harvest_each(harvest_object *self, PyObject *args) { return write_lines(self, args, one_by_one); }

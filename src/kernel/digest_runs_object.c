/* `_kernel.merged_digests`, `met_digests` and `mark_digests`: what `urisieve.dedupe.digest_runs` asks of sorted digests. */
#include "module.h"

#define DIGEST 16

static int compared(const char *one, const char *other) { return memcmp(one, other, DIGEST); }

/* The number of sorted digests that come before another one. */
static Py_ssize_t number_before(const char *run, Py_ssize_t count, const char *one)
{
    Py_ssize_t low = 0;
    while (low < count) {
        Py_ssize_t middle = low + (count - low) / 2;
        if (compared(run + middle * DIGEST, one) < 0) low = middle + 1;
        else count = middle;
    }
    return low;
}

/* Two arguments that are bytes of whole digests; returns 0 with an exception set if they are something else. */
static int two_of(PyObject *args, const char *at[2], Py_ssize_t count[2])
{
    PyObject *given[2];
    if (!PyArg_ParseTuple(args, "SS", &given[0], &given[1])) return 0;
    for (int i = 0; i < 2; ++i) {
        at[i] = PyBytes_AsString(given[i]);
        count[i] = PyBytes_Size(given[i]);
        if (count[i] % DIGEST) return failed(PyExc_ValueError, "a digest has 16 bytes");
        count[i] /= DIGEST;
    }
    return 1;
}

PyObject *merged_digests(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *at[2];
    Py_ssize_t count[2];
    if (!two_of(args, at, count)) return NULL;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (count[0] + count[1]) * DIGEST);
    if (made == NULL) return NULL;
    char *to = PyBytes_AsString(made);
    for (; count[0] && count[1]; to += DIGEST) {
        int from = compared(at[0], at[1]) > 0;
        memcpy(to, at[from], DIGEST);
        at[from] += DIGEST;
        --count[from];
    }
    for (int i = 0; i < 2; ++i)
        if (count[i]) memcpy(to, at[i], (size_t)count[i] * DIGEST);
    return made;
}

/* The number of sorted digests that come before another one, which is sought near their beginning. */
static Py_ssize_t number_stepped(const char *run, Py_ssize_t count, const char *one)
{
    Py_ssize_t skipped = 0, step = 1; /* that grows, as far as all that is stepped over comes before */
    while (step < count - skipped && compared(run + (skipped + step - 1) * DIGEST, one) < 0) {
        skipped += step;
        step *= 2;
    }
    const Py_ssize_t left = count - skipped;
    return skipped + number_before(run + skipped * DIGEST, step < left ? step : left, one);
}

PyObject *met_digests(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *at[2];
    Py_ssize_t count[2];
    if (!two_of(args, at, count)) return NULL;
    PyObject *made = PyList_New(0);
    const char *run = at[1];
    Py_ssize_t left = count[1];
    for (Py_ssize_t i = 0; made != NULL && left && i < count[0]; ++i) {
        const char *one = at[0] + i * DIGEST;
        const Py_ssize_t skipped = number_stepped(run, left, one);
        run += skipped * DIGEST;
        left -= skipped;
        if (left && compared(run, one) == 0) append_new(&made, PyLong_FromSsize_t(i));
    }
    return made;
}

/* Mark those of some sorted digests, from an index on, that are in a run; returns the index of the first one that is
 * beyond the run. */
PyObject *mark_digests(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer marks;
    const char *asked, *run;
    Py_ssize_t asked_size, run_size, first;
    if (!PyArg_ParseTuple(args, "w*y#ny#", &marks, &asked, &asked_size, &first, &run, &run_size)) return NULL;
    Py_ssize_t count = asked_size / DIGEST, left = run_size / DIGEST;
    if (asked_size % DIGEST || run_size % DIGEST || marks.len != count || first < 0 || first > count) {
        PyBuffer_Release(&marks);
        return PyErr_Format(PyExc_ValueError, "a mark for each digest of 16 bytes is needed");
    }
    Py_ssize_t end = first;
    if (left) {
        const char *last = run + (left - 1) * DIGEST;
        first += number_stepped(asked + first * DIGEST, count - first, run);
        /* Not where the run is walked through: in a damaged one that is anywhere. */
        end = first + number_stepped(asked + first * DIGEST, count - first, last);
        if (end < count && compared(asked + end * DIGEST, last) == 0) ++end;
    }
    for (; first < end; ++first) {
        const Py_ssize_t skipped = number_stepped(run, left, asked + first * DIGEST);
        run += skipped * DIGEST;
        left -= skipped;
        if (left == 0) break;
        if (compared(run, asked + first * DIGEST) == 0) ((char *)marks.buf)[first] = 1;
    }
    PyBuffer_Release(&marks);
    return PyLong_FromSsize_t(end);
}

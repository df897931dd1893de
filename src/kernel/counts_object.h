/* Counts of keys as a Python object: what its files share. */
#ifndef URISIEVE_COUNTS_OBJECT_H
#define URISIEVE_COUNTS_OBJECT_H
#include "module.h"
#include "counts.h"

typedef struct {
    PyObject_HEAD
    counts in;
    /* The locations of the first and the last appearance of each key; NULL as long as there was none but None. */
    PyObject **locations;
    size_t located, location_room;
    size_t location_size;
    /* The order of first appearance of the first keys, which were packed before. */
    uint64_t *numbers;
    size_t numbered, number_room;
    int is_busy; /* whether a call adds heads without the interpreter */
} table_object;

/* Whether no call adds heads to a table; returns 0 with an exception set. */
int table_is_free(const table_object *self);

/* Note where a key has appeared; returns 0 if there is no memory. */
int table_locate(table_object *self, uint32_t key, int is_new, PyObject *first, PyObject *last);

/* The methods that return what was counted, and that pack it and take it back. */
#define TABLE_METHODS(X)                                                                            \
    X("rows", table_rows, METH_VARARGS) X("lines", table_lines, METH_VARARGS)                       \
    X("numbers", table_numbers, METH_NOARGS) X("uris", table_uris, METH_NOARGS)                     \
    X("other_sources", table_other_sources, METH_NOARGS) X("packed", table_packed, METH_VARARGS)    \
    X("add_packed", table_add_packed, METH_VARARGS) X("first_numbers", table_first, METH_NOARGS)
#define TABLE_METHOD(name, function, how) PyObject *function(table_object *self, PyObject *args);
TABLE_METHODS(TABLE_METHOD)

#endif

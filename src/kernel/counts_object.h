/* Counts of keys as a Python object: what its two files share. */
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
} table_object;

/* The methods that return what was counted. */
PyObject *table_rows(table_object *self, PyObject *args);
PyObject *table_lines(table_object *self, PyObject *args);
PyObject *table_numbers(table_object *self, PyObject *unused);
PyObject *table_uris(table_object *self, PyObject *unused);
PyObject *table_other_sources(table_object *self, PyObject *unused);

#endif

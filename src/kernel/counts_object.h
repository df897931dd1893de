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
} table_object;

/* Note where a key has appeared; returns 0 if there is no memory. */
int table_locate(table_object *self, uint32_t key, int is_new, PyObject *first, PyObject *last);

/* The methods that return what was counted. */
PyObject *table_rows(table_object *self, PyObject *args);
PyObject *table_lines(table_object *self, PyObject *args);
PyObject *table_numbers(table_object *self, PyObject *unused);
PyObject *table_uris(table_object *self, PyObject *unused);
PyObject *table_other_sources(table_object *self, PyObject *unused);

/* Those that pack what was counted, and take it back. */
PyObject *table_packed(table_object *self, PyObject *args);
PyObject *table_add_packed(table_object *self, PyObject *args);
PyObject *table_first(table_object *self, PyObject *unused);

#endif

/* The binding of the kernel to Python: its types and functions. Nothing else in this folder knows of Python but module.c
 * and the files whose names end with `_object`. */
#ifndef URISIEVE_MODULE_H
#define URISIEVE_MODULE_H
#include "values_object.h"

#include "harvest.h"
#include "html.h"
#include "keyset.h"
#include "mail.h"

typedef enum {
    SEARCH_TYPE, HARVEST_TYPE, KEY_SET_TYPE, KEY_TABLE_TYPE, RECORD_TYPE, HTML_READER_TYPE, HTML_PAGE_TYPE,
    MAIL_READER_TYPE, MAIL_TEXTS_TYPE, MERGING_TYPE, LINE_HOURS_TYPE, NAME_TABLE_TYPE, TYPE_COUNT
} type_number;

extern PyType_Spec SEARCH_SPEC, HARVEST_SPEC, KEY_SET_SPEC, KEY_TABLE_SPEC, RECORD_SPEC, HTML_READER_SPEC,
    HTML_PAGE_SPEC, MAIL_READER_SPEC, MAIL_TEXTS_SPEC, MERGING_SPEC, LINE_HOURS_SPEC, NAME_TABLE_SPEC;

/* Another type of the module to which the type of an object belongs, which has no subclasses. */
PyTypeObject *type_beside(PyObject *object, type_number which);

typedef struct {
    PyObject_HEAD
    harvest rows;
} harvest_object;

typedef struct {
    PyObject_HEAD
    key_set set;
    uint64_t seed[2];
    int is_busy; /* whether a call adds keys without the interpreter */
} key_set_object;

/* Whether no call adds keys to a set; returns 0 with an exception set. */
int set_is_free(key_set_object *self);

/* The column of a harvest with a name; F_COUNT with an exception set if it has none, or it was not asked for. */
record_field field_of(const harvest *from, PyObject *name);

/* Read a text for each row from a list of bytes; returns 0 with an exception set. */
int texts_from(component *to, PyObject *list, size_t count);

/* A component as a string, or None if it is absent. */
PyObject *string_or_none(component part);

/* A wrapper as a string, or None if there is none. */
PyObject *wrapper_of(uint32_t opener, uint32_t closer);

/* Methods of `Harvest` that write rows (cells_object.c), that give buffers (buffers_object.c), and that know of the texts
 * in which rows are (texts_object.c). */
#define HARVEST_METHODS(X) \
    X("hosts", harvest_hosts, METH_NOARGS) X("wrappers", harvest_wrappers, METH_NOARGS) \
    X("written", harvest_written, METH_VARARGS) X("each", harvest_each, METH_VARARGS) \
    X("buffers", harvest_buffers, METH_VARARGS) X("in_texts", harvest_in_texts, METH_VARARGS) \
    X("unfilled", harvest_unfilled, METH_VARARGS) X("joined", harvest_joined, METH_VARARGS)
#define HARVEST_METHOD(name, function, how) PyObject *function(harvest_object *self, PyObject *args);
HARVEST_METHODS(HARVEST_METHOD)

typedef struct {
    PyObject_HEAD
    html_reader reader;
    PyObject *resolve;
    PyThreadState *thread; /* of the call that is reading without the interpreter; NULL if none is */
} html_reader_object;

typedef struct {
    PyObject_HEAD
    html_page page;
    PyObject *text, *held; /* the source */
} page_object;

typedef struct {
    PyObject_HEAD
    mail_stretch texts;
} mail_texts_object;

/* The functions of the module; urisieve/_kernel.pyi describes them. */
#define MODULE_FUNCTIONS(X) \
    X("built_from", built_from, METH_NOARGS) X("canonical", canonical, METH_O) X("fault", found_fault, METH_O) \
    X("learn_host", host_learnt, METH_VARARGS) X("canonical_texts", canonical_texts, METH_VARARGS) \
    X("components_of_texts", components_of_texts, METH_VARARGS) X("proved_rows", proved_rows, METH_VARARGS) \
    X("parameters_of_texts", parameters_of_texts, METH_VARARGS) \
    X("merged_digests", merged_digests, METH_VARARGS) X("met_digests", met_digests, METH_VARARGS) \
    X("ordered_digests", ordered_digests, METH_O) X("merged_entries", merged_entries, METH_VARARGS) \
    X("mark_digests", mark_digests, METH_VARARGS) X("filter_digests", filter_digests, METH_VARARGS) \
    X("filtered_digests", filtered_digests, METH_VARARGS) \
    X("gathered", gathered_keys, METH_VARARGS) X("split", split_text, METH_O) X("resolve", resolve_text, METH_VARARGS) \
    X("lines", harvest_of_lines, METH_VARARGS) X("json_strings", json_strings_of, METH_VARARGS) \
    X("table_cells", table_cells, METH_VARARGS) X("xml_texts", xml_texts_of, METH_VARARGS) \
    X("table_fields", table_fields, METH_VARARGS) X("json_fields", json_fields, METH_VARARGS) \
    X("cell_places", places_of_cells, METH_VARARGS) X("source_offsets", offsets_in_source, METH_VARARGS) \
    X("line_places", places_in_lines, METH_VARARGS) \
    X("safe_cells", safe_cells, METH_VARARGS) X("counts", counts_of, METH_O) \
    X("templates", templates_of, METH_O)
#define DECLARED(name, function, how) PyObject *function(PyObject *module, PyObject *args);
MODULE_FUNCTIONS(DECLARED)

/* A number of 64 bits of an array that may be at any address. */
static inline int64_t int64_at(const void *from, size_t index)
{
    int64_t number;
    memcpy(&number, (const char *)from + index * sizeof number, sizeof number);
    return number;
}

#endif

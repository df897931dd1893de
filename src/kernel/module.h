/* The binding of the kernel to Python: its types and functions. Nothing else in this folder knows of Python but module.c
 * and the files whose names end with `_object`. */
#ifndef URISIEVE_MODULE_H
#define URISIEVE_MODULE_H
#include "values_object.h"

#include "harvest.h"
#include "html.h"
#include "keyset.h"
#include "mail.h"
#include "record_fields.h"

typedef enum {
    SEARCH_TYPE, HARVEST_TYPE, KEY_SET_TYPE, KEY_TABLE_TYPE, RECORD_TYPE, HTML_READER_TYPE, HTML_PAGE_TYPE,
    MAIL_READER_TYPE, MAIL_TEXTS_TYPE, MERGING_TYPE, LINE_HOURS_TYPE, TYPE_COUNT
} type_number;

extern PyType_Spec SEARCH_SPEC, HARVEST_SPEC, KEY_SET_SPEC, KEY_TABLE_SPEC, RECORD_SPEC, HTML_READER_SPEC,
    HTML_PAGE_SPEC, MAIL_READER_SPEC, MAIL_TEXTS_SPEC, MERGING_SPEC, LINE_HOURS_SPEC;

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

/* A wrapper as a string, or None if there is none. */
PyObject *wrapper_of(uint32_t opener, uint32_t closer);

/* Methods of `Harvest` that write rows; see cells_object.c. */
PyObject *harvest_hosts(harvest_object *self, PyObject *unused);
PyObject *harvest_wrappers(harvest_object *self, PyObject *unused);
PyObject *harvest_written(harvest_object *self, PyObject *args);
PyObject *harvest_each(harvest_object *self, PyObject *args);

/* Methods of `Harvest` that give buffers; see buffers_object.c. */
PyObject *harvest_buffers(harvest_object *self, PyObject *args);
PyObject *harvest_in_texts(harvest_object *self, PyObject *args);

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

/* The number of a text of a page; -1 with an exception set. */
int html_text_number(PyObject *number);

typedef struct {
    PyObject_HEAD
    mail_stretch texts;
} mail_texts_object;

/* The functions of the module that stand in other files. */
PyObject *canonical(PyObject *module, PyObject *text);
PyObject *found_fault(PyObject *module, PyObject *text);
PyObject *host_learnt(PyObject *module, PyObject *args);
PyObject *canonical_texts(PyObject *module, PyObject *args);
PyObject *components_of_texts(PyObject *module, PyObject *args);
PyObject *proved_rows(PyObject *module, PyObject *args);
PyObject *gathered_keys(PyObject *module, PyObject *args);
PyObject *split_text(PyObject *module, PyObject *text);
PyObject *resolve_text(PyObject *module, PyObject *args);
PyObject *harvest_of_lines(PyObject *module, PyObject *args);
PyObject *read_mail_header(PyObject *module, PyObject *args);
PyObject *warc_records_of(PyObject *module, PyObject *args);
PyObject *json_strings_of(PyObject *module, PyObject *args);
PyObject *xml_texts_of(PyObject *module, PyObject *args);
PyObject *table_fields(PyObject *module, PyObject *args);
PyObject *json_fields(PyObject *module, PyObject *args);
PyObject *table_cells(PyObject *module, PyObject *args);

#endif

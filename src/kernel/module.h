/* The binding of the kernel to Python, by the limited API of 3.11. Nothing else in this folder knows of Python but
 * module.c and the files whose names end with `_object`. */
#ifndef URISIEVE_MODULE_H
#define URISIEVE_MODULE_H
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "harvest.h"
#include "html.h"
#include "mail.h"

typedef struct {
    PyTypeObject *search, *harvest, *key_set, *key_table, *record, *html_reader, *html_page,
        *mail_reader, *mail_texts;
} module_state;

extern PyType_Spec SEARCH_SPEC, HARVEST_SPEC, KEY_SET_SPEC, KEY_TABLE_SPEC, RECORD_SPEC, HTML_READER_SPEC,
    HTML_PAGE_SPEC, MAIL_READER_SPEC, MAIL_TEXTS_SPEC;

typedef struct {
    PyObject_HEAD
    harvest rows;
} harvest_object;

/* Methods of `Harvest` that write lines; see lines_object.c. */
PyObject *harvest_endings(harvest_object *self, PyObject *unused);
PyObject *harvest_written(harvest_object *self, PyObject *args);
PyObject *harvest_each(harvest_object *self, PyObject *args);

/* A method of `Harvest` that writes chosen columns; see cells_object.c. */
PyObject *harvest_cells(harvest_object *self, PyObject *args);

/* Methods of `Harvest` that give buffers; see buffers_object.c. */
PyObject *harvest_buffers(harvest_object *self, PyObject *args);
PyObject *harvest_in_texts(harvest_object *self, PyObject *args);

/* `canonical_texts(data, offsets, wide)`: the canonical forms of many identifiers; see buffers_object.c. */
PyObject *canonical_texts(PyObject *module, PyObject *args);

typedef struct {
    PyObject_HEAD
    html_page page;
    PyObject *text, *held; /* the source */
} page_object;

typedef struct {
    PyObject_HEAD
    mail_stretch texts;
} mail_texts_object;

/* The UTF-8 of a string, in which lone surrogates may stand. `held` gets an object to release, or NULL; returns NULL
 * with an exception set if there is no memory or `text` is not a string. */
const byte *text_of(PyObject *text, Py_ssize_t *size, PyObject **held);

/* `lines(data, number, raws)`: the lines of some bytes as a harvest; None if only Python can take them. */
PyObject *harvest_of_lines(PyObject *module, PyObject *args);

/* Read the secret of a table from the arguments of its constructor; returns 0 with an exception set. */
int secret_of(PyObject *args, uint64_t secret[2]);

/* Let a slot refer to another object, or to none; returns what it referred to, which is to be released. */
PyObject *replaced_object(PyObject **slot, PyObject *value);

/* `mail_header(data, start, end)`: the fields of a header of mail and the offset of the body; None if Python has to read
 * it. */
PyObject *read_mail_header(PyObject *module, PyObject *args);

/* A string from UTF-8. */
PyObject *string_of(const byte *text, size_t size);

/* A wrapper as a string, or None if there is none. */
PyObject *wrapper_of(uint32_t opener, uint32_t closer);

/* The indices in a list, or all below `count` for None; NULL with an exception set if one is not below it. `count` gets
 * their number. To be freed with PyMem_Free. */
size_t *indices_of(PyObject *list, size_t *count);

#endif

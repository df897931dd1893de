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

/* Methods of `Harvest` that write rows; see cells_object.c. */
PyObject *harvest_wrappers(harvest_object *self, PyObject *unused);
PyObject *harvest_written(harvest_object *self, PyObject *args);
PyObject *harvest_each(harvest_object *self, PyObject *args);

/* Methods of `Harvest` that give buffers; see buffers_object.c. */
PyObject *harvest_buffers(harvest_object *self, PyObject *args);
PyObject *harvest_in_texts(harvest_object *self, PyObject *args);

/* `canonical_texts(data, offsets, wide)`: the canonical forms of many identifiers; see buffers_object.c. */
PyObject *canonical_texts(PyObject *module, PyObject *args);

/* `table_fields` and `json_fields`: rows of data sets, and the texts in their fields; see rows_object.c. */
PyObject *table_fields(PyObject *module, PyObject *args);
PyObject *json_fields(PyObject *module, PyObject *args);

/* `table_cells(data, delimiter, longest)`: the cells of a table, for the search; see rows_object.c. */
PyObject *table_cells(PyObject *module, PyObject *args);

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

/* The UTF-8 of a string, in which lone surrogates may stand. `held` gets an object to release, or NULL; returns NULL
 * with an exception set if there is no memory or `text` is not a string. */
const byte *text_of(PyObject *text, Py_ssize_t *size, PyObject **held);

/* Bytes that stay as they are while other threads run: those of a `bytes` object, or a copy of what others hold. */
typedef struct {
    const byte *data;
    byte *copy;
} steady_bytes;

/* Take `size` bytes of a buffer from an offset on; returns 0 with an exception set. To be released before the buffer,
 * which may be done when nothing was taken. */
int steady_take(steady_bytes *made, const Py_buffer *from, size_t start, size_t size);
void steady_release(steady_bytes *one);

/* `lines(data, number, raws)`: the lines of some bytes as a harvest; None if only Python can take them. */
PyObject *harvest_of_lines(PyObject *module, PyObject *args);

/* Read the secret of a table from the arguments of its constructor; returns 0 with an exception set. */
int secret_of(PyObject *args, uint64_t secret[2]);

/* Let a slot refer to another object, or to none; returns what it referred to, which is to be released. */
PyObject *replaced_object(PyObject **slot, PyObject *value);

/* `mail_header(data, start, end)`: the fields of a header of mail and the offset of the body; None if Python has to read
 * it. */
PyObject *read_mail_header(PyObject *module, PyObject *args);

/* `warc_records(data, start, longest)`: the records of a web archive; see warc_object.c. */
PyObject *warc_records_of(PyObject *module, PyObject *args);

/* `json_strings(data, start, is_lines, leaves_bytes)`: the strings of JSON; see json_object.c. */
PyObject *json_strings_of(PyObject *module, PyObject *args);

/* Items of an array as bytes. */
PyObject *items_of(const void *items, size_t count, size_t size);

/* `xml_texts(data, end, is_end, mode, is_leaf, open, links, link_elements)`: the texts of XML; see xml_object.c. */
PyObject *xml_texts_of(PyObject *module, PyObject *args);

/* A string from UTF-8. */
PyObject *string_of(const byte *text, size_t size);

/* A wrapper as a string, or None if there is none. */
PyObject *wrapper_of(uint32_t opener, uint32_t closer);

/* The indices in a list, or all below `count` for None; NULL with an exception set if one is not below it. `count` gets
 * their number. To be freed with PyMem_Free. */
size_t *indices_of(PyObject *list, size_t *count);

#endif

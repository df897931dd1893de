/* The search as a Python object: what its files share. */
#ifndef URISIEVE_SEARCH_OBJECT_H
#define URISIEVE_SEARCH_OBJECT_H
#include "module.h"

typedef struct {
    size_t uri, key;
    uint32_t uri_size, key_size;
    uint8_t is_rejected, has_warnings, has_password;
} given_entry;

typedef struct {
    PyObject_HEAD
    search in;
    int is_busy; /* whether a thread is searching */
    size_t window, window_end; /* the text shown to the finder */
    given_entry *given;
    size_t given_count, given_room;
    byte *given_bytes;
    size_t given_size, given_bytes_room;
    size_t asked; /* the judgements that have been asked for */
    int is_list;  /* whether each row is a whole text, that of a link */
    mail_texts_object *mail; /* the texts that hold the rows, if they are those of mail */
    size_t mail_first;       /* the number of the first of them */
} search_object;

/* Whether no thread is searching; if one is, an exception is set. To be asked when the arguments have been converted,
 * since that may run any code. */
int search_is_free(search_object *self);

/* The UTF-8 of a canonical form and of its key; see `text_of`. */
typedef struct {
    const byte *uri, *key;
    size_t uri_size, key_size;
    PyObject *held_uri, *held_key;
} form_texts;

/* Returns 0 with an exception set. Without a form, which is None, both are empty. */
int form_texts_of(form_texts *made, PyObject *uri, PyObject *key);
void form_texts_release(form_texts *one);

/* The methods by which the finder decides about a place; see finder_object.c. */
PyObject *search_window(search_object *self, PyObject *ahead);
PyObject *search_no_candidate(search_object *self, PyObject *unused);
PyObject *search_candidate(search_object *self, PyObject *args);
PyObject *search_wait(search_object *self, PyObject *start);
PyObject *search_skip(search_object *self, PyObject *urn);

/* The methods that judge and return what was found; see judging_object.c. */
PyObject *search_unjudged(search_object *self, PyObject *unused);
PyObject *search_judge(search_object *self, PyObject *args);
PyObject *search_harvest(search_object *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t count,
                         PyObject *names);
PyObject *search_make_room(search_object *self, PyObject *unused);

#endif

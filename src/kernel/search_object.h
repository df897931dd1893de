/* The search as a Python object: what its files share. */
#ifndef URISIEVE_SEARCH_OBJECT_H
#define URISIEVE_SEARCH_OBJECT_H
#include "merge_object.h"

typedef struct {
    PyObject_HEAD
    search in;
    int is_busy; /* whether a thread is searching */
    size_t window, window_end; /* the text shown to the finder */
    size_t asked; /* the judgements that have been asked for */
    int is_list;  /* whether each row is a whole text, that of a link */
    mail_texts_object *mail; /* the texts that hold the rows, if they are those of mail */
    size_t mail_first;       /* the number of the first of them */
    merging_object *merging; /* the steps that follow the canonical form, if there are any */
} search_object;

/* Whether no thread is searching; if one is, an exception is set. To be asked when the arguments have been converted,
 * since that may run any code. */
int search_is_free(search_object *self);

/* Let `take` have what Python says of a candidate: its canonical form or None, its key, and whether there are warnings
 * and a password. `take` returns 0 if there is no memory. Returns None, or NULL with an exception set. */
typedef struct {
    PyObject *uri, *key;
    int has_warnings, has_password;
} statement_objects;
typedef int taking(search_object *self, const statement *what, void *context);
PyObject *search_take_statement(search_object *self, const statement_objects *from, taking *take, void *context);

/* The methods by which the finder decides about a place; see finder_object.c. */
PyObject *search_window(search_object *self, PyObject *ahead);
PyObject *search_no_candidate(search_object *self, PyObject *unused);
PyObject *search_candidate(search_object *self, PyObject *args);
PyObject *search_wait(search_object *self, PyObject *start);
PyObject *search_skip(search_object *self, PyObject *urn);

/* The methods that judge and return what was found; see judging_object.c. */
PyObject *search_unjudged(search_object *self, PyObject *unused);
PyObject *search_judge(search_object *self, PyObject *args);
PyObject *search_harvest(search_object *self, PyObject *wanted);
PyObject *search_trust(search_object *self, PyObject *host);
PyObject *search_make_room(search_object *self, PyObject *unused);

#endif

/* The search as a Python object: what its files share. */
#ifndef URISIEVE_SEARCH_OBJECT_H
#define URISIEVE_SEARCH_OBJECT_H
#include "merge_object.h"

typedef struct {
    PyObject_HEAD
    search in;
    int is_busy; /* whether a thread is searching */
    int is_at_place; /* whether the search has stopped for the finder, and the text is as it was then */
    size_t window, window_end; /* the text shown to the finder */
    size_t asked; /* the judgements that have been asked for */
    merging_object *merging; /* the steps that follow the canonical form, if there are any */
} search_object;

/* Whether no thread is searching; if one is, an exception is set. To be asked when the arguments have been converted,
 * since that may run any code. */
int search_is_free(search_object *self);

/* The same, and whether the search has stopped at a place for the finder. */
int search_is_at_place(search_object *self);

/* Search a whole short text, without releasing the interpreter. Returns whether everything in it is decided here: 0 if the
 * finder or the judge is needed, or a call is searching; -1 with an exception set. */
int search_at_once(search_object *self, PyObject *text);

/* Let `take` have what Python says of a candidate: its canonical form or None, its key, and whether there are warnings
 * and a password. `take` returns 0 if there is no memory. Returns None, or NULL with an exception set. */
typedef struct {
    PyObject *uri, *key;
    int has_warnings, has_password;
} statement_objects;
typedef int taking(search_object *self, const statement *what, void *context);
PyObject *search_take_statement(search_object *self, const statement_objects *from, taking *take, void *context);

/* The methods by which the finder decides about a place (finder_object.c), and that judge and return what was found
 * (judging_object.c). */
#define SEARCH_METHODS(X)                                                                                             \
    X("window", search_window, METH_O) X("dismiss", search_no_candidate, METH_NOARGS)                                \
    X("settle", search_candidate, METH_VARARGS) X("hold", search_wait, METH_O) X("skip", search_skip, METH_O)        \
    X("unjudged", search_unjudged, METH_NOARGS) X("judge", search_judge, METH_VARARGS)                               \
    X("take", search_harvest, METH_O) X("trust", search_trust, METH_O) X("make_room", search_make_room, METH_NOARGS)
#define SEARCH_METHOD(name, function, how) PyObject *function(search_object *self, PyObject *args);
SEARCH_METHODS(SEARCH_METHOD)

#endif

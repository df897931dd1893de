/* `_kernel.Merging`: what a profile says, for a search and for single identifiers. */
#ifndef URISIEVE_MERGE_OBJECT_H
#define URISIEVE_MERGE_OBJECT_H
#include "module.h"
#include "merge.h"

typedef struct {
    PyObject_HEAD
    merge_choice choice;
} merging_object;

/* Return what `canonical_texts` returns for its arguments, but with the forms that the steps make; NULL for none. */
PyObject *forms_of_texts(PyObject *args, const merge_choice *merge);

#endif

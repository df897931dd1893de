/* `_kernel.Merging`: what a profile says, for a search and for single identifiers. */
#ifndef URISIEVE_MERGE_OBJECT_H
#define URISIEVE_MERGE_OBJECT_H
#include "module.h"
#include "merge.h"

typedef struct {
    PyObject_HEAD
    merge_choice choice;
} merging_object;

#endif

/* Single identifiers: the canonical form of a whole text by the default options. */
#ifndef URISIEVE_PROVED_OBJECT_H
#define URISIEVE_PROVED_OBJECT_H
#include "module.h"
#include "canonical.h"

typedef struct {
    const byte *raw; /* the text itself */
    size_t size;
    byte *text; /* its canonical form */
    size_t length;
    int is_same; /* whether both are equal */
    unsigned warnings;
    byte few[1024];
} proved_form;

/* Returns 1 and the canonical form, which is to be freed; 0 if the judge has to decide, or -1 with an exception. */
int prove(proved_form *form, PyObject *text);
void proved_free(proved_form *form);

#endif

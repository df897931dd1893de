/* Faults: why a text with an authority is no identifier. */
#ifndef URISIEVE_FAULT_H
#define URISIEVE_FAULT_H
#include "components.h"

typedef struct {
    fault_reason reason;
    component_name where;
    size_t offset;
} fault;

/* The first fault of a text, in the order of `urisieve.judge.validate`; NO_FAULT if there is none, or the judge has to
 * decide. */
fault fault_of(const byte *text, size_t size);

#endif

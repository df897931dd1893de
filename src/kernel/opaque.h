/* The canonical forms of identifiers without an authority, by the rows of their schemes and namespaces. */
#ifndef URISIEVE_OPAQUE_H
#define URISIEVE_OPAQUE_H
#include "text.h"

/* Write the canonical form of what follows a scheme and its colon; `scheme` is the index of the scheme, `flags` its
 * flags under the options. The form is no longer than `canonical_form` has room for.
 *
 * Returns the end of what was written, or NULL if the judge has to decide. */
byte *opaque(byte *out, const byte *text, size_t offset, size_t size, int scheme, unsigned flags);

#endif

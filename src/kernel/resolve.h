/* Relative references resolved against a base (RFC 3986 5.2), as `urisieve.identifiers` does it.
 *
 * Only what is plain: a base with an authority, and references in ASCII that the grammar allows. The rest is left to
 * Python, which says what is wrong with it. */
#ifndef URISIEVE_RESOLVE_H
#define URISIEVE_RESOLVE_H
#include "text.h"

/* A longer base is left to Python: each reference repeats it. */
#define RESOLVE_LONGEST_BASE 1024u

typedef struct {
    const byte *text;
    size_t scheme_end;    /* after its colon */
    size_t authority_end; /* where the path begins, which is empty or begins with "/" */
    size_t directory_end; /* after the last "/" of the path */
    size_t path_end;
    size_t size;          /* with the query, without the fragment */
} resolve_base;

/* Remove the dot segments of a path that begins with "/" (RFC 3986 5.2.4); returns its new end. */
byte *without_dots(byte *path, byte *end);

/* Split a base, which has to stay where it is; returns 0 if it is not plain. */
int resolve_split(resolve_base *base, const byte *text, size_t size);

/* The most bytes of the target of a reference. */
static inline size_t resolve_room(const resolve_base *base, size_t size) { return base->size + size + 1; }

/* Write the target of a reference without a scheme, which is neither empty nor a fragment alone, and not in the text of
 * the base; returns its size, or 0 if the reference is not plain. */
size_t resolve_reference(const resolve_base *base, const byte *reference, size_t size, byte *target);

#endif

/* A set of digests: open addressing in one table, which is never more than three quarters full. */
#ifndef URISIEVE_KEYSET_H
#define URISIEVE_KEYSET_H
#include "digest.h"

typedef struct {
    digest *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} key_set;

/* Make room for some more digests; returns 0 if there is no memory. */
int key_set_reserve(key_set *set, size_t more);

/* Add a digest, for which there is room; returns whether it is new. */
int key_set_add(key_set *set, digest one);

int key_set_holds(const key_set *set, digest one);

/* Fetch the slot of a digest that will be added soon. */
void key_set_prefetch(const key_set *set, digest one);

void key_set_free(key_set *set);

#endif

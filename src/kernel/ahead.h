/* Blocks of keys: the digests of a block are made before one of them is looked up, so that what they look at has arrived
 * from memory. */
#ifndef URISIEVE_AHEAD_H
#define URISIEVE_AHEAD_H
#include <stddef.h>

#define AHEAD 32u

/* The indices of a block; all zero before the first one. */
typedef struct {
    size_t first, last;
} key_block;

/* Go to the next block of some keys; returns 0 if there is none. */
static inline int next_block(key_block *at, size_t count)
{
    at->first = at->last;
    at->last = count - at->first < AHEAD ? count : at->first + AHEAD;
    return at->first < at->last;
}

#endif

/* A set of digests: open addressing in many small tables, which grow one after the other, so that a growing set takes
 * little more memory than it will need afterwards. No table is more than three quarters full. */
#ifndef URISIEVE_KEYSET_H
#define URISIEVE_KEYSET_H
#include "digest.h"

#define KEY_TABLES 64u

typedef struct {
    digest *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} key_table;

typedef struct {
    key_table tables[KEY_TABLES];
    size_t count;
    size_t capacity; /* of all tables */
} key_set;

/* Add a digest; returns 1 if it is new, 0 if it is not, -1 if there is no memory. */
int key_set_add(key_set *set, digest one);

int key_set_holds(const key_set *set, digest one);

/* Fetch the slot of a digest that will be looked up soon. */
void key_set_prefetch(const key_set *set, digest one);

/* The bytes that the set takes while and after some more digests are added. */
size_t key_set_size_with(const key_set *set, size_t more);

/* Copy all digests, in any order; there is room for `count` of them. */
void key_set_digests(const key_set *set, byte *to);

void key_set_free(key_set *set);

/* The digests of a block of keys are made before one of them is looked up, so that what they look at has arrived from
 * memory. */
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

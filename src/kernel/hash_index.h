/* An index from hashes to the numbers of items that its owner keeps in an array: open addressing, at most three
 * quarters full. It keeps a part of each hash, so that it grows without asking for the items. */
#ifndef URISIEVE_HASH_INDEX_H
#define URISIEVE_HASH_INDEX_H
#include "vector.h"

/* There is no item of this number. */
#define NO_ITEM UINT32_MAX

typedef struct {
    uint64_t *slots; /* the hash, and the number of the item plus one; 0 is free */
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} hash_index;

/* Enter an item; returns 0 if there is no memory. */
int hash_index_add(hash_index *in, uint32_t hash, uint32_t item);

/* The next item with a hash, or NO_ITEM. `at` is where to look: the hash for the first one. */
static inline uint32_t hash_index_next(const hash_index *in, uint32_t hash, size_t *at)
{
    size_t mask = in->capacity - 1;
    for (uint64_t slot; in->capacity && (slot = in->slots[*at & mask]) != 0;) {
        ++*at;
        if ((uint32_t)(slot >> 32) == hash) return (uint32_t)slot - 1;
    }
    return NO_ITEM;
}

/* Fetch the slot of a hash that will be looked up soon. */
static inline void hash_index_prefetch(const hash_index *in, uint32_t hash)
{
    if (in->capacity) prefetch(&in->slots[hash & (in->capacity - 1)]);
}

void hash_index_clear(hash_index *in);
void hash_index_free(hash_index *in);

#endif

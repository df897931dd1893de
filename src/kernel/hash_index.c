#include "hash_index.h"
#include <stdlib.h>

#define LEAST_SLOTS 1024u

static void enter(uint64_t *slots, size_t capacity, uint64_t slot)
{
    size_t mask = capacity - 1, at = (size_t)(slot >> 32) & mask;
    while (slots[at]) at = (at + 1) & mask;
    slots[at] = slot;
}

static int grow_index(hash_index *in)
{
    size_t capacity = in->capacity ? in->capacity * 2 : LEAST_SLOTS;
    uint64_t *slots = capacity > SIZE_MAX / 2 / sizeof *slots ? NULL : calloc(capacity, sizeof *slots);
    if (slots == NULL) return 0;
    for (size_t i = 0; i < in->capacity; ++i)
        if (in->slots[i]) enter(slots, capacity, in->slots[i]);
    free(in->slots);
    in->slots = slots;
    in->capacity = capacity;
    return 1;
}

int hash_index_add(hash_index *in, uint32_t hash, uint32_t item)
{
    if (item == NO_ITEM) return 0;
    if (in->count >= in->capacity - in->capacity / 4 && !grow_index(in)) return 0;
    enter(in->slots, in->capacity, (uint64_t)hash << 32 | (item + 1));
    ++in->count;
    return 1;
}

void hash_index_clear(hash_index *in)
{
    in->count = 0;
    if (in->slots != NULL) memset(in->slots, 0, in->capacity * sizeof *in->slots);
}

void hash_index_free(hash_index *in)
{
    free(in->slots);
    memset(in, 0, sizeof *in);
}

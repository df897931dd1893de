#include "keyset.h"
#include "vector.h"
#include <stdlib.h>

#define LEAST_CAPACITY 1024u

static size_t slot_of(const key_set *set, digest one)
{
    size_t mask = set->capacity - 1, slot = (size_t)one.low & mask;
    while ((set->slots[slot].low | set->slots[slot].high) != 0 &&
           (set->slots[slot].low != one.low || set->slots[slot].high != one.high))
        slot = (slot + 1) & mask;
    return slot;
}

static int is_free(const key_set *set, size_t slot) { return (set->slots[slot].low | set->slots[slot].high) == 0; }

int key_set_reserve(key_set *set, size_t more)
{
    size_t needed = set->count + more, capacity = set->capacity ? set->capacity : LEAST_CAPACITY;
    while (capacity - capacity / 4 < needed) {
        if (capacity > SIZE_MAX / 2 / sizeof(digest)) return 0;
        capacity *= 2;
    }
    if (capacity == set->capacity) return 1;
    digest *old = set->slots;
    size_t old_capacity = set->capacity;
    digest *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) return 0;
    set->slots = slots;
    set->capacity = capacity;
    for (size_t i = 0; i < old_capacity; ++i)
        if (old[i].low | old[i].high) slots[slot_of(set, old[i])] = old[i];
    free(old);
    return 1;
}

int key_set_add(key_set *set, digest one)
{
    size_t slot = slot_of(set, one);
    if (!is_free(set, slot)) return 0;
    set->slots[slot] = one;
    ++set->count;
    return 1;
}

int key_set_holds(const key_set *set, digest one) { return set->count && !is_free(set, slot_of(set, one)); }

void key_set_prefetch(const key_set *set, digest one)
{
    if (set->capacity) prefetch(&set->slots[(size_t)one.low & (set->capacity - 1)]);
}

void key_set_free(key_set *set)
{
    free(set->slots);
    set->slots = NULL;
    set->capacity = set->count = 0;
}

#include "keyset.h"
#include "vector.h"
#include <stdlib.h>

#define LEAST_CAPACITY 64u

/* A table is selected by other bits than a slot in it. */
static key_table *table_of(const key_set *set, digest one)
{
    return (key_table *)&set->tables[one.high % KEY_TABLES];
}

static int is_free(digest slot) { return (slot.low | slot.high) == 0; }

/* The slot that contains a digest, or the free one where it belongs. */
static digest *slot_of(const key_table *table, digest one)
{
    size_t mask = table->capacity - 1, index = (size_t)one.low & mask;
    for (digest *slot; !is_free(*(slot = &table->slots[index])); index = (index + 1) & mask)
        if (slot->low == one.low && slot->high == one.high) break;
    return &table->slots[index];
}

static int grow_table(key_set *set, key_table *table)
{
    key_table larger = {NULL, table->capacity ? table->capacity * 2 : LEAST_CAPACITY, table->count};
    if (larger.capacity > SIZE_MAX / 2 / sizeof(digest)) return 0;
    larger.slots = calloc(larger.capacity, sizeof(digest));
    if (larger.slots == NULL) return 0;
    for (size_t i = 0; i < table->capacity; ++i)
        if (!is_free(table->slots[i])) *slot_of(&larger, table->slots[i]) = table->slots[i];
    free(table->slots);
    set->capacity += larger.capacity - table->capacity;
    *table = larger;
    return 1;
}

int key_set_add(key_set *set, digest one)
{
    key_table *table = table_of(set, one);
    if (table->count >= table->capacity - table->capacity / 4 && !grow_table(set, table)) return -1;
    digest *slot = slot_of(table, one);
    if (!is_free(*slot)) return 0;
    *slot = one;
    ++table->count;
    ++set->count;
    return 1;
}

int key_set_holds(const key_set *set, digest one)
{
    const key_table *table = table_of(set, one);
    return table->count && !is_free(*slot_of(table, one));
}

void key_set_prefetch(const key_set *set, digest one)
{
    const key_table *table = table_of(set, one);
    if (table->capacity) prefetch(&table->slots[(size_t)one.low & (table->capacity - 1)]);
}

size_t key_set_size_with(const key_set *set, size_t more)
{
    if (set->count > SIZE_MAX / 8 / sizeof(digest) || more > SIZE_MAX / 8 / sizeof(digest)) return SIZE_MAX;
    /* The tables fill evenly; a sixteenth more is far beyond what chance makes of it. */
    size_t each = (set->count + more) / KEY_TABLES + 1, capacity = LEAST_CAPACITY;
    each += each / 16;
    while (capacity - capacity / 4 < each) capacity *= 2;
    size_t all = capacity * KEY_TABLES > set->capacity ? capacity * KEY_TABLES : set->capacity;
    return (all + capacity) * sizeof(digest);
}

void key_set_digests(const key_set *set, byte *to)
{
    for (unsigned i = 0; i < KEY_TABLES; ++i) {
        const key_table *table = &set->tables[i];
        for (size_t at = 0; at < table->capacity; ++at) {
            if (is_free(table->slots[at])) continue;
            memcpy(to, &table->slots[at], sizeof(digest));
            to += sizeof(digest);
        }
    }
}

void key_set_free(key_set *set)
{
    for (unsigned i = 0; i < KEY_TABLES; ++i) free(set->tables[i].slots);
    memset(set, 0, sizeof *set);
}

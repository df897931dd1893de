/* Counts of keys: how often each came, in how many sources, where first and last, and in which spellings; in the order
 * of first appearance. The texts are kept, so that equal keys are equal, whatever their hashes. */
#ifndef URISIEVE_COUNTS_H
#define URISIEVE_COUNTS_H
#include "buffer.h"
#include "digest.h"
#include "hash_index.h"

/* All that is counted of a key. */
typedef struct {
    size_t key, uri; /* offsets in `texts`; the same if the canonical form is the key */
    uint32_t key_size, uri_size;
    uint64_t count;
    uint64_t first, last; /* the offsets of its first and last appearance */
    uint32_t sources;     /* the number of its sources */
    uint32_t first_source, last_source;
    uint32_t last_spelling; /* the last of its spellings; NO_ITEM if it only came as the key itself */
} counted_key;

/* The spellings of a key refer to each other in a ring, in which the first follows the last. */
typedef struct {
    size_t text;
    uint32_t size;
    uint32_t key;
    uint32_t next;
} key_spelling;

/* A source of a key other than its first one. */
typedef struct {
    uint32_t key, source;
} key_source;

typedef struct {
    uint64_t seed[2];
    uint32_t *keys; /* how far behind that of its block each begins in `texts`; or with `WIDE` its index in `wide` */
    size_t count, room;
    uint64_t *blocks; /* where a block of keys begins in `texts` */
    size_t block_room;
    counted_key *wide; /* the keys of which there is more to say than that they came once, as themselves */
    size_t wide_count, wide_room;
    byte_list texts;
    key_spelling *spellings;
    size_t spelling_count, spelling_room;
    key_source *others;
    size_t other_count, other_room;
    /* The keys by their hashes: open addressing, at most three quarters full. In a slot are the number of the key plus one
     * and as much of its hash as is left, above; 0 is free. So it takes half of a `hash_index`, and hashes anew to grow. */
    uint32_t *slots;
    unsigned slot_bits; /* the logarithm of their number; 0 if there are none */
    hash_index by_spelling, by_source;
} counts;

typedef struct {
    const byte *key, *uri;
    size_t key_size, uri_size;
    uint64_t count, first, last;
    uint32_t source;
} appearance;

uint32_t counts_hash(const counts *in, const byte *text, size_t size);

/* Fetch from memory what adding a key of some hash will look at: first its slot; later the key that the slot names,
 * whose index is returned (or NO_ITEM); later the text of that key. */
void counts_prefetch(const counts *in, uint32_t hash);
uint32_t counts_prefetch_key(const counts *in, uint32_t hash);
void counts_prefetch_text(const counts *in, uint32_t key);

/* All that is counted of a key. */
counted_key counts_key(const counts *in, size_t index);

/* The same to be changed, until another key is added or changed; NULL if there is no memory. */
counted_key *counts_wide(counts *in, size_t index);

/* Add appearances of a key, whose hash is `hash`; returns its index, or NO_ITEM if there is no memory. A new key has
 * the index that `count` was. */
uint32_t counts_add(counts *in, const appearance *one, uint32_t hash);

/* Note a spelling of a key. Call it for each appearance, after `counts_add`; `is_new` says that this was the first.
 * Returns 0 if there is no memory. */
int counts_spell(counts *in, uint32_t key, const byte *raw, size_t size, int is_new);

/* The number of spellings of a key. */
size_t counts_spellings(const counts *in, const counted_key *of);

/* The bytes that the counts take. */
size_t counts_size(const counts *in);

void counts_free(counts *in);

#endif

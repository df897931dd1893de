#include "memo.h"
#include "digest.h"

/* Mailing lists and logs repeat nine links of ten: more than this saves no more time. */
#define MOST_ENTRIES 16384u
#define MOST_BYTES 4194304u

uint64_t memo_seed[2];

/* The entry after the last one, empty; NULL if there is no memory. */
static judgement *next_entry(memo *of)
{
    if (!GROW(of->entries, of->room, of->count + 1)) return NULL;
    return memset(&of->entries[of->count], 0, sizeof *of->entries);
}

static uint32_t hash_of(const byte *raw, size_t size) { return (uint32_t)digest_of(memo_seed, raw, size).low; }

static const judgement *found(const memo *of, uint32_t hash, const byte *raw, size_t size)
{
    uint32_t item;
    size_t at = hash;
    while ((item = hash_index_next(&of->by_raw, hash, &at)) != NO_ITEM) {
        const judgement *one = &of->entries[item];
        if (one->raw_size == size && memcmp(of->bytes.at + one->raw, raw, size) == 0) return one;
    }
    return NULL;
}

const judgement *memo_find(const memo *of, const byte *raw, size_t size)
{
    return of->count ? found(of, hash_of(raw, size), raw, size) : NULL;
}

ptrdiff_t memo_index(memo *of, const byte *raw, size_t size)
{
    uint32_t hash = hash_of(raw, size);
    const judgement *known = found(of, hash, raw, size);
    if (known != NULL) return known - of->entries;
    judgement *one = next_entry(of);
    if (one == NULL || !add_bytes(&of->bytes, raw, size, &one->raw)) return -1;
    one->raw_size = (uint32_t)size;
    return hash_index_add(&of->by_raw, hash, (uint32_t)of->count) ? (ptrdiff_t)of->count++ : -1;
}

int memo_judge(memo *of, size_t index, const statement *what)
{
    judgement *one = &of->entries[index];
    one->verdict = (uint8_t)what->verdict;
    one->has_warnings = (uint8_t)what->has_warnings;
    one->has_password = (uint8_t)what->has_password;
    if (what->verdict != VALID) return 1;
    if (!add_bytes(&of->bytes, what->uri, what->uri_size, &one->uri)) return 0;
    one->key = one->uri;
    int is_same = what->key_size == what->uri_size && memcmp(what->key, what->uri, what->key_size) == 0;
    if (!is_same && !add_bytes(&of->bytes, what->key, what->key_size, &one->key)) return 0;
    one->uri_size = (uint32_t)what->uri_size;
    one->key_size = (uint32_t)what->key_size;
    return 1;
}

int memo_add(memo *of, const statement *what)
{
    if (next_entry(of) == NULL || !memo_judge(of, of->count, what)) return 0;
    ++of->count;
    return 1;
}

size_t memo_make_room(memo *of)
{
    if (of->count < MOST_ENTRIES && of->bytes.size <= MOST_BYTES) return 0;
    size_t gone = (of->count + 1) / 2, kept = of->count - gone;
    size_t first = kept ? of->entries[gone].raw : of->bytes.size; /* an entry's text comes before its judgement */
    memmove(of->bytes.at, of->bytes.at + first, of->bytes.size -= first);
    memmove(of->entries, of->entries + gone, kept * sizeof *of->entries);
    of->count = 0;
    hash_index_clear(&of->by_raw);
    for (; of->count < kept; ++of->count) {
        judgement *one = &of->entries[of->count];
        one->raw -= first;
        one->uri -= one->verdict == VALID ? first : 0;
        one->key -= one->verdict == VALID ? first : 0;
        hash_index_add(&of->by_raw, hash_of(of->bytes.at + one->raw, one->raw_size), (uint32_t)of->count); /* has room */
    }
    return gone;
}

size_t memo_size(const memo *of)
{
    return of->room * sizeof *of->entries + of->bytes.room + of->by_raw.capacity * sizeof *of->by_raw.slots;
}

void memo_clear(memo *of)
{
    of->count = of->bytes.size = 0;
    hash_index_clear(&of->by_raw);
}

void memo_free(memo *of)
{
    free(of->entries);
    free(of->bytes.at);
    hash_index_free(&of->by_raw);
    memset(of, 0, sizeof *of);
}

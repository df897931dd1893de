#include "memo.h"
#include "buffer.h"
#include "digest.h"

/* Mailing lists and logs repeat nine links of ten: more than this saves no more time. */
#define MOST_ENTRIES 16384u
#define MOST_BYTES 4194304u

uint64_t memo_secret[2];

static uint32_t hash_of(const byte *t, size_t size) { return (uint32_t)digest_of(memo_secret, t, size).low; }

static int fill(memo *of, size_t slot_count)
{
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (slots == NULL) return 0;
    for (size_t i = 0; i < of->count; ++i) {
        size_t slot = of->entries[i].hash & (slot_count - 1);
        while (slots[slot]) slot = (slot + 1) & (slot_count - 1);
        slots[slot] = (uint32_t)(i + 1);
    }
    free(of->slots);
    of->slots = slots;
    of->slot_count = slot_count;
    return 1;
}

static int stored(memo *of, const byte *t, size_t size, size_t *offset)
{
    *offset = of->size;
    return append_bytes(&of->bytes, &of->size, &of->bytes_room, t, size);
}

ptrdiff_t memo_index(memo *of, const byte *raw, size_t size)
{
    if ((of->count + 1) * 2 > of->slot_count && !fill(of, of->slot_count ? of->slot_count * 2 : 1024)) return -1;
    uint32_t hash = hash_of(raw, size);
    size_t slot = hash & (of->slot_count - 1);
    for (; of->slots[slot]; slot = (slot + 1) & (of->slot_count - 1)) {
        const judgement *one = &of->entries[of->slots[slot] - 1];
        if (one->hash == hash && one->raw_size == size && memcmp(of->bytes + one->raw, raw, size) == 0)
            return (ptrdiff_t)(of->slots[slot] - 1);
    }
    if (!reserve((void **)&of->entries, &of->room, of->count + 1, sizeof *of->entries)) return -1;
    judgement *one = &of->entries[of->count];
    memset(one, 0, sizeof *one);
    if (!stored(of, raw, size, &one->raw)) return -1;
    one->raw_size = (uint32_t)size;
    one->hash = hash;
    one->verdict = AWAITED;
    of->slots[slot] = (uint32_t)(of->count + 1);
    return (ptrdiff_t)of->count++;
}

int memo_judge(memo *of, size_t index, verdict verdict, const byte *uri, size_t uri_size, const byte *key,
               size_t key_size, int has_warnings, int has_password)
{
    judgement *one = &of->entries[index];
    one->verdict = (uint8_t)verdict;
    if (verdict != VALID) return 1; /* there is neither form nor key */
    if (!stored(of, uri, uri_size, &one->uri)) return 0;
    one->key = one->uri;
    int is_same = key_size == uri_size && (key_size == 0 || memcmp(key, uri, key_size) == 0);
    if (!is_same && !stored(of, key, key_size, &one->key)) return 0;
    one->uri_size = (uint32_t)uri_size;
    one->key_size = (uint32_t)key_size;
    one->has_warnings = (uint8_t)has_warnings;
    one->has_password = (uint8_t)has_password;
    return 1;
}

int memo_is_full(const memo *of) { return of->count >= MOST_ENTRIES || of->size > MOST_BYTES; }

void memo_clear(memo *of)
{
    of->count = of->size = 0;
    if (of->slots != NULL) memset(of->slots, 0, of->slot_count * sizeof *of->slots);
}

void memo_free(memo *of)
{
    free(of->entries);
    free(of->bytes);
    free(of->slots);
    memset(of, 0, sizeof *of);
}

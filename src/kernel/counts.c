#include "counts.h"

uint32_t counts_hash(const counts *in, const byte *text, size_t size)
{
    return (uint32_t)digest_of(in->seed, text, size).low;
}

#define BLOCK 64u /* the keys of a block */
#define LEAST_BITS 10u
#define MOST_BITS 31u /* the number of a key is not all of a slot */

/* The next key with a hash, or NO_ITEM. `at` is where to look: the hash for the first one. */
static uint32_t next_key(const counts *in, uint32_t hash, size_t *at)
{
    const uint32_t mask = ((uint32_t)1 << in->slot_bits) - 1;
    for (uint32_t slot; in->slot_bits && (slot = in->slots[*at & mask]) != 0;) {
        ++*at;
        if (slot >> in->slot_bits == hash >> in->slot_bits) return (slot & mask) - 1;
    }
    return NO_ITEM;
}

static void enter(uint32_t *slots, unsigned bits, uint32_t hash, uint32_t key)
{
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    size_t at = hash & mask;
    while (slots[at]) at = (at + 1) & mask;
    slots[at] = hash >> bits << bits | (key + 1);
}

/* Make room for another key; returns 0 if there is none. */
static int reserve_slot(counts *in)
{
    const size_t capacity = in->slot_bits ? (size_t)1 << in->slot_bits : 0;
    if (in->count < capacity - capacity / 4) return 1;
    const unsigned bits = in->slot_bits ? in->slot_bits + 1 : LEAST_BITS;
    uint32_t *slots = bits > MOST_BITS ? NULL : calloc((size_t)1 << bits, sizeof *slots);
    if (slots == NULL) return 0;
    for (size_t first = 0, end; first < in->count; first = end) {
        uint32_t hashes[BLOCK];
        end = in->count - first < BLOCK ? in->count : first + BLOCK;
        for (size_t i = first; i < end; ++i) {
            const counted_key of = counts_key(in, i);
            hashes[i - first] = counts_hash(in, in->texts.at + of.key, of.key_size);
            prefetch(&slots[hashes[i - first] & (((uint32_t)1 << bits) - 1)]);
        }
        for (size_t i = first; i < end; ++i) enter(slots, bits, hashes[i - first], (uint32_t)i);
    }
    free(in->slots);
    in->slots = slots;
    in->slot_bits = bits;
    return 1;
}

void counts_prefetch(const counts *in, uint32_t hash)
{
    if (in->slot_bits) prefetch(&in->slots[hash & (((uint32_t)1 << in->slot_bits) - 1)]);
}

uint32_t counts_prefetch_key(const counts *in, uint32_t hash)
{
    size_t at = hash;
    uint32_t key = next_key(in, hash, &at);
    if (key == NO_ITEM) return key;
    prefetch(&in->keys[key]);
    prefetch(&in->blocks[key / BLOCK]);
    return key;
}

#define WIDE ((uint32_t)1 << 31)

void counts_prefetch_text(const counts *in, uint32_t key)
{
    if (key == NO_ITEM) return;
    const uint32_t at = in->keys[key];
    if (at & WIDE) prefetch(&in->wide[at & ~WIDE]);
    else prefetch(in->texts.at + in->blocks[key / BLOCK] + at);
}

/* Before the text of a key that came once, as itself, are its size, its offset and its source: seven bits a byte, the
 * lowest first, all but the last of which are marked. */
#define MOST_NUMBERS (5u + 10u + 5u)

static byte *put_number(byte *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) *to++ = (byte)(number | 0x80);
    *to++ = (byte)number;
    return to;
}

static uint64_t next_number(const byte **at)
{
    uint64_t number = **at & 0x7F;
    for (unsigned shift = 7; *(*at)++ & 0x80; shift += 7) number |= (uint64_t)(**at & 0x7F) << shift;
    return number;
}

counted_key counts_key(const counts *in, size_t index)
{
    const uint32_t held = in->keys[index];
    if (held & WIDE) return in->wide[held & ~WIDE];
    const byte *at = in->texts.at + in->blocks[index / BLOCK] + held;
    counted_key made = {.count = 1, .sources = 1, .last_spelling = NO_ITEM};
    made.key_size = made.uri_size = (uint32_t)next_number(&at);
    made.first = made.last = next_number(&at);
    made.first_source = made.last_source = (uint32_t)next_number(&at);
    made.key = made.uri = (size_t)(at - in->texts.at);
    return made;
}

counted_key *counts_wide(counts *in, size_t index)
{
    if (!(in->keys[index] & WIDE)) {
        if (in->wide_count >= WIDE || !GROW(in->wide, in->wide_room, in->wide_count + 1)) return NULL;
        in->wide[in->wide_count] = counts_key(in, index);
        in->keys[index] = WIDE | (uint32_t)in->wide_count++;
    }
    return &in->wide[in->keys[index] & ~WIDE];
}

/* Append a text; returns 0 if there is no memory, or it is longer than the sizes allow. */
static int append(counts *in, const byte *text, size_t size, size_t *offset)
{
    return size <= UINT32_MAX && add_bytes(&in->texts, text, size, offset);
}

static int is_same(const counts *in, size_t offset, size_t held, const byte *text, size_t size)
{
    return held == size && (size == 0 || memcmp(in->texts.at + offset, text, size) == 0);
}

/* Append a key that came once, as itself, less than `WIDE` behind its block. */
static int add_brief(counts *in, const appearance *one, uint32_t *held)
{
    byte numbers[MOST_NUMBERS];
    byte *end = put_number(put_number(put_number(numbers, one->key_size), one->first), one->source);
    size_t at, text;
    if (one->key_size > UINT32_MAX || !add_bytes(&in->texts, numbers, (size_t)(end - numbers), &at)) return 0;
    *held = (uint32_t)(at - in->blocks[in->count / BLOCK]);
    return append(in, one->key, one->key_size, &text);
}

static int add_wide(counts *in, const appearance *one, uint32_t *held)
{
    if (in->wide_count >= WIDE || !GROW(in->wide, in->wide_room, in->wide_count + 1)) return 0;
    counted_key *made = &in->wide[in->wide_count];
    memset(made, 0, sizeof *made);
    if (!append(in, one->key, one->key_size, &made->key)) return 0;
    made->uri = made->key;
    made->key_size = (uint32_t)one->key_size;
    if (!is_same(in, made->key, made->key_size, one->uri, one->uri_size) &&
        !append(in, one->uri, one->uri_size, &made->uri))
        return 0;
    made->uri_size = (uint32_t)one->uri_size;
    made->count = one->count;
    made->first = one->first;
    made->last = one->last;
    made->sources = 1;
    made->first_source = made->last_source = one->source;
    made->last_spelling = NO_ITEM;
    *held = WIDE | (uint32_t)in->wide_count++;
    return 1;
}

static uint32_t add_key(counts *in, const appearance *one, uint32_t hash)
{
    const size_t block = in->count / BLOCK;
    if (!reserve_slot(in) || !GROW(in->keys, in->room, in->count + 1) || !GROW(in->blocks, in->block_room, block + 1))
        return NO_ITEM;
    if (in->count % BLOCK == 0) in->blocks[block] = in->texts.size;
    const int is_brief = one->count == 1 && one->first == one->last && one->key_size == one->uri_size &&
                         (one->key_size == 0 || memcmp(one->key, one->uri, one->key_size) == 0) &&
                         in->texts.size - in->blocks[block] < WIDE;
    uint32_t held;
    if (!(is_brief ? add_brief(in, one, &held) : add_wide(in, one, &held))) return NO_ITEM;
    enter(in->slots, in->slot_bits, hash, (uint32_t)in->count);
    in->keys[in->count] = held;
    return (uint32_t)in->count++;
}

/* Note a source of a key that is not its last one. */
static int add_source(counts *in, uint32_t key, uint32_t source)
{
    counted_key *of = counts_wide(in, key);
    if (of == NULL) return 0;
    of->last_source = source;
    if (source == of->first_source) return 1;
    key_source made = {key, source};
    uint32_t hash = counts_hash(in, (const byte *)&made, sizeof made), other;
    size_t at = hash;
    while ((other = hash_index_next(&in->by_source, hash, &at)) != NO_ITEM)
        if (in->others[other].key == key && in->others[other].source == source) return 1;
    if (!GROW(in->others, in->other_room, in->other_count + 1) ||
        in->other_count >= NO_ITEM || !hash_index_add(&in->by_source, hash, (uint32_t)in->other_count))
        return 0;
    in->others[in->other_count++] = made;
    ++of->sources;
    return 1;
}

uint32_t counts_add(counts *in, const appearance *one, uint32_t hash)
{
    size_t at = hash;
    uint32_t key;
    counted_key of;
    while ((key = next_key(in, hash, &at)) != NO_ITEM) {
        of = counts_key(in, key);
        if (is_same(in, of.key, of.key_size, one->key, one->key_size)) break;
    }
    if (key == NO_ITEM) return add_key(in, one, hash);
    if (one->count || of.last != one->last) {
        counted_key *wide = counts_wide(in, key);
        if (wide == NULL) return NO_ITEM;
        wide->count += one->count;
        wide->last = one->last;
    }
    return of.last_source == one->source || add_source(in, key, one->source) ? key : NO_ITEM;
}

/* Append a spelling of a key, unless it has it. */
static int add_spelling(counts *in, uint32_t key, const byte *raw, size_t size)
{
    digest whole = digest_of(in->seed, raw, size);
    uint32_t hash = (uint32_t)whole.low ^ key * 0x9E3779B1u, other;
    size_t at = hash;
    while ((other = hash_index_next(&in->by_spelling, hash, &at)) != NO_ITEM) {
        const key_spelling *one = &in->spellings[other];
        if (one->key == key && is_same(in, one->text, one->size, raw, size)) return 1;
    }
    if (in->spelling_count >= NO_ITEM || !GROW(in->spellings, in->spelling_room, in->spelling_count + 1)) return 0;
    counted_key *of = counts_wide(in, key);
    if (of == NULL) return 0;
    key_spelling *made = &in->spellings[in->spelling_count];
    uint32_t number = (uint32_t)in->spelling_count;
    *made = (key_spelling){of->key, (uint32_t)size, key, number};
    if (!is_same(in, of->key, of->key_size, raw, size) && !append(in, raw, size, &made->text)) return 0;
    if (!hash_index_add(&in->by_spelling, hash, number)) return 0;
    if (of->last_spelling != NO_ITEM) {
        key_spelling *last = &in->spellings[of->last_spelling];
        made->next = last->next;
        last->next = number;
    }
    of->last_spelling = number;
    ++in->spelling_count;
    return 1;
}

int counts_spell(counts *in, uint32_t key, const byte *raw, size_t size, int is_new)
{
    const counted_key of = counts_key(in, key);
    if (of.last_spelling == NO_ITEM) {
        if (is_same(in, of.key, of.key_size, raw, size)) return 1;
        if (!is_new && !add_spelling(in, key, in->texts.at + of.key, of.key_size)) return 0;
    }
    return add_spelling(in, key, raw, size);
}

size_t counts_spellings(const counts *in, const counted_key *of)
{
    if (of->last_spelling == NO_ITEM) return 1;
    size_t count = 1;
    for (uint32_t at = in->spellings[of->last_spelling].next; at != of->last_spelling; at = in->spellings[at].next)
        ++count;
    return count;
}

size_t counts_size(const counts *in)
{
    /* An index that grows has both its old slots and twice as many new ones. */
    const size_t slots = in->by_spelling.capacity + in->by_source.capacity;
    const size_t key_slots = in->slot_bits ? (size_t)1 << in->slot_bits : 0;
    return in->texts.size + in->count * sizeof *in->keys + in->count / BLOCK * sizeof *in->blocks +
           key_slots * sizeof *in->slots * 3 / 2 + in->wide_count * sizeof *in->wide +
           in->spelling_count * sizeof *in->spellings + in->other_count * sizeof *in->others +
           slots * sizeof(uint64_t) * 3 / 2;
}

void counts_free(counts *in)
{
    free(in->keys);
    free(in->blocks);
    free(in->wide);
    free(in->texts.at);
    free(in->spellings);
    free(in->others);
    free(in->slots);
    hash_index_free(&in->by_spelling);
    hash_index_free(&in->by_source);
    memset(in, 0, sizeof *in);
}

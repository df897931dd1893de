/* `_kernel.merged_entries`: entries of a store on their way from sorted pieces to others, as
 * `urisieve.dedupe.store.entry_pieces` describes them; and a filter of digests that are in a store. */
#include "module.h"
#include "buffer.h"
#include "hash_index.h"

#define DIGEST 16u
#define VALUES 4u                /* first and last time, count, source */
#define VALUES_SIZE (8u * VALUES)
#define MOST_PIECES 64u

enum { FIRST, LAST, COUNT, SOURCE };

static uint64_t big_endian(const byte *at)
{
    uint64_t made = 0;
    for (unsigned i = 0; i < 8; ++i) made = made << 8 | at[i];
    return made;
}

static uint64_t little_endian(const byte *at, unsigned size)
{
    uint64_t made = 0;
    for (unsigned i = size; i-- > 0;) made = made << 8 | at[i];
    return made;
}

static void put_little_endian(byte *to, uint64_t number, unsigned size)
{
    for (unsigned i = 0; i < size; ++i, number >>= 8) to[i] = (byte)number;
}

/* Bytes of the number of the values of an entry, among so many. */
static unsigned width_of(size_t values) { return values < 2 ? 0 : values <= 1u << 8 ? 1 : values <= 1u << 16 ? 2 : 4; }

typedef struct {
    const byte *digests, *values, *numbers;
    size_t at, end; /* of the digests that are left */
    size_t value_count;
    unsigned width;
    uint32_t *made; /* the number of each of the values in what is made; NO_ITEM if they are not in it */
    uint64_t high, low; /* the digest at `at` */
} entry_piece;

/* The number of sorted digests whose first 32 bits are less than a number. */
static size_t number_below(const byte *digests, size_t count, uint64_t bound)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (big_endian(digests + middle * DIGEST) >> 32 < bound) low = middle + 1;
        else count = middle;
    }
    return low;
}

static void read_digest(entry_piece *one)
{
    if (one->at >= one->end) return;
    one->high = big_endian(one->digests + one->at * DIGEST);
    one->low = big_endian(one->digests + one->at * DIGEST + 8);
}

/* Read a pair of bytes; returns 0 with an exception set if they are no piece. */
static int read_piece(entry_piece *to, PyObject *pair, uint64_t low, uint64_t high)
{
    static const char BROKEN[] = "this is not a piece of entries";
    const char *digests, *entries;
    Py_ssize_t digests_size, entries_size;
    if (!PyArg_ParseTuple(pair, "y#y#", &digests, &digests_size, &entries, &entries_size)) return 0;
    const size_t count = (size_t)digests_size / DIGEST, size = (size_t)entries_size;
    if (digests_size % (Py_ssize_t)DIGEST || size < 4) return failed(PyExc_ValueError, BROKEN);
    to->digests = (const byte *)digests;
    to->values = (const byte *)entries + 4;
    to->value_count = (size_t)little_endian((const byte *)entries, 4);
    to->width = width_of(to->value_count);
    if (to->value_count > (size - 4) / VALUES_SIZE || to->value_count > count || (count && !to->value_count) ||
        size != 4 + to->value_count * VALUES_SIZE + count * to->width)
        return failed(PyExc_ValueError, BROKEN);
    to->numbers = to->values + to->value_count * VALUES_SIZE;
    to->at = number_below(to->digests, count, low);
    to->end = number_below(to->digests, count, high);
    read_digest(to);
    to->made = PyMem_Malloc(to->value_count * sizeof *to->made + 1);
    if (to->made == NULL) return no_memory();
    memset(to->made, 0xFF, to->value_count * sizeof *to->made);
    return 1;
}

typedef struct {
    byte *digests;
    uint32_t *numbers; /* of the values of each entry */
    size_t count;
    int64_t (*values)[VALUES];
    size_t value_count, value_room;
    hash_index by_values;
} made_entries;

/* The number of some values, in what is made; NO_ITEM if there is no memory. */
static uint32_t number_of(made_entries *in, const int64_t values[VALUES])
{
    uint64_t mixed = 0;
    for (unsigned i = 0; i < VALUES; ++i) mixed = (mixed ^ (uint64_t)values[i]) * 0x9E3779B97F4A7C15u, mixed ^= mixed >> 32;
    const uint32_t hash = (uint32_t)mixed;
    uint32_t found;
    size_t at = hash;
    while ((found = hash_index_next(&in->by_values, hash, &at)) != NO_ITEM)
        if (memcmp(in->values[found], values, VALUES_SIZE) == 0) return found;
    if (!GROW(in->values, in->value_room, in->value_count + 1) ||
        !hash_index_add(&in->by_values, hash, (uint32_t)in->value_count))
        return NO_ITEM;
    memcpy(in->values[in->value_count], values, VALUES_SIZE);
    return (uint32_t)in->value_count++;
}

/* Where the values of the entry at which a piece is are; its number there in `number`. NULL if it has no such values. */
static const byte *values_at(const entry_piece *of, size_t *number)
{
    *number = of->width ? (size_t)little_endian(of->numbers + of->at * of->width, of->width) : 0;
    return *number < of->value_count ? of->values + *number * VALUES_SIZE : NULL;
}

static int64_t value(const byte *values, unsigned which)
{
    const uint64_t number = little_endian(values + 8u * which, 8);
    int64_t made;
    memcpy(&made, &number, sizeof made);
    return made;
}

/* Add the values of a later entry to those of an earlier one with the same digest. */
static void combine(int64_t to[VALUES], const byte *later)
{
    const int64_t first = value(later, FIRST), last = value(later, LAST), count = value(later, COUNT);
    if (first < to[FIRST]) {
        to[FIRST] = first;
        to[SOURCE] = value(later, SOURCE);
    }
    if (last > to[LAST]) to[LAST] = last;
    const int is_more = to[COUNT] > 0 && count > INT64_MAX - to[COUNT];
    to[COUNT] = is_more ? INT64_MAX : (int64_t)((uint64_t)to[COUNT] + (uint64_t)count);
}

/* Go behind sorted digests that come before another one; returns whether that one is among them. */
static int is_among(const byte **digests, const byte *end, const byte *one)
{
    int order = -1;
    while (*digests < end && (order = memcmp(*digests, one, DIGEST)) < 0) *digests += DIGEST;
    return *digests < end && order == 0;
}

/* Sorted digests whose entries are left out. */
typedef struct {
    const byte *at, *end;
} left_out;

/* Add the least entry of some pieces, and go on behind it; returns 0 at the end, or with an exception set. */
static int add_least(made_entries *to, entry_piece *pieces, size_t count, left_out *without)
{
    entry_piece *least = NULL;
    int is_alone = 1;
    for (entry_piece *one = pieces; one < pieces + count; ++one) {
        if (one->at >= one->end) continue;
        if (least != NULL && (one->high > least->high || (one->high == least->high && one->low > least->low))) continue;
        is_alone = least == NULL || one->high != least->high || one->low != least->low;
        if (is_alone) least = one;
    }
    if (least == NULL) return 0;
    const byte *digest = least->digests + least->at * DIGEST;
    if (is_among(&without->at, without->end, digest)) {
        ++least->at;
        read_digest(least);
        return 1;
    }
    memcpy(to->digests + to->count * DIGEST, digest, DIGEST);
    const uint64_t high = least->high, low = least->low;
    size_t number;
    const byte *values = values_at(least, &number);
    if (values == NULL) return failed(PyExc_ValueError, "an entry has no values");
    uint32_t made = is_alone ? least->made[number] : NO_ITEM;
    if (made == NO_ITEM) {
        int64_t all[VALUES];
        for (unsigned i = 0; i < VALUES; ++i) all[i] = value(values, i);
        for (entry_piece *one = least + 1; !is_alone && one < pieces + count; ++one) {
            if (one->at >= one->end || one->high != high || one->low != low) continue;
            size_t other;
            const byte *later = values_at(one, &other);
            if (later == NULL) return failed(PyExc_ValueError, "an entry has no values");
            combine(all, later);
            ++one->at;
            read_digest(one);
        }
        made = number_of(to, all);
        if (made == NO_ITEM) return no_memory();
        if (is_alone) least->made[number] = made;
    }
    ++least->at;
    read_digest(least);
    to->numbers[to->count++] = made;
    return 1;
}

/* What was made, as a pair of bytes. */
static PyObject *piece_of(const made_entries *made)
{
    const unsigned width = width_of(made->value_count);
    const size_t size = 4 + made->value_count * VALUES_SIZE + made->count * width;
    PyObject *entries = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (entries == NULL) return NULL;
    byte *to = (byte *)PyBytes_AsString(entries);
    put_little_endian(to, made->value_count, 4);
    to += 4;
    for (size_t i = 0; i < made->value_count; ++i)
        for (unsigned j = 0; j < VALUES; ++j, to += 8) put_little_endian(to, (uint64_t)made->values[i][j], 8);
    for (size_t i = 0; width && i < made->count; ++i, to += width) put_little_endian(to, made->numbers[i], width);
    return Py_BuildValue("y#N", made->digests == NULL ? "" : (const char *)made->digests,
                         (Py_ssize_t)(made->count * DIGEST), entries);
}

PyObject *merged_entries(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given, *result = NULL;
    unsigned long long low, high;
    const char *gone = "";
    Py_ssize_t gone_size = 0;
    if (!PyArg_ParseTuple(args, "O!KK|y#", &PyList_Type, &given, &low, &high, &gone, &gone_size)) return NULL;
    if (gone_size % (Py_ssize_t)DIGEST) return PyErr_Format(PyExc_ValueError, "a digest has 16 bytes");
    const byte *first = (const byte *)gone;
    left_out without = {first + number_below(first, (size_t)gone_size / DIGEST, low) * DIGEST, first + gone_size};
    const size_t count = (size_t)PyList_Size(given);
    if (count > MOST_PIECES) return PyErr_Format(PyExc_ValueError, "there are too many pieces");
    entry_piece pieces[MOST_PIECES];
    memset(pieces, 0, sizeof pieces);
    made_entries made = {0};
    size_t most = 0;
    int done = 1;
    for (size_t i = 0; done && i < count; ++i) {
        done = read_piece(&pieces[i], PyList_GetItem(given, (Py_ssize_t)i), low, high);
        if (done && pieces[i].end > pieces[i].at) most += pieces[i].end - pieces[i].at;
    }
    if (done) {
        made.digests = PyMem_Malloc(most * DIGEST + 1);
        made.numbers = PyMem_Malloc(most * sizeof *made.numbers + 1);
        if (made.digests == NULL || made.numbers == NULL) no_memory();
        else
            while (add_least(&made, pieces, count, &without)) {}
        if (!PyErr_Occurred()) result = piece_of(&made);
    }
    for (size_t i = 0; i < count; ++i) PyMem_Free(pieces[i].made);
    PyMem_Free(made.digests);
    PyMem_Free(made.numbers);
    free(made.values);
    hash_index_free(&made.by_values);
    return result;
}

/* A filter is blocks of 512 bits, ordered as the digests: one walks through it as through sorted digests. In its block
 * each digest has seven bits, so that with 16 bits a digest one of 500 others seems to be there. */
#define BLOCK 64u
#define BITS 7u

static byte *block_of(const Py_buffer *filter, const byte *one)
{
    const uint64_t blocks = (uint64_t)filter->len / BLOCK;
    return (byte *)filter->buf + ((big_endian(one) >> 32) * blocks >> 32) * BLOCK;
}

/* Whether the bits of a digest are set in its block; with `sets` they are. */
static int look(byte *block, const byte *one, int sets)
{
    uint64_t bits = big_endian(one + 8);
    int is_there = 1;
    for (unsigned i = 0; i < BITS; ++i, bits >>= 9) {
        byte *at = block + (bits >> 3 & (BLOCK - 1));
        const byte bit = (byte)(1u << (bits & 7));
        is_there &= (*at & bit) != 0;
        if (sets) *at = (byte)(*at | bit);
    }
    return is_there;
}

/* Read a filter and digests; returns 0 with an exception set. The filter must be released. */
static int filter_of(PyObject *args, Py_buffer *filter, const byte **digests, size_t *count)
{
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "w*y#", filter, (const char **)digests, &size)) return 0;
    *count = (size_t)size / DIGEST;
    if (filter->len >= (Py_ssize_t)BLOCK && filter->len / (Py_ssize_t)BLOCK <= INT32_MAX && size % (Py_ssize_t)DIGEST == 0)
        return 1;
    PyBuffer_Release(filter);
    return failed(PyExc_ValueError, "a filter has blocks of 64 bytes, and a digest 16 bytes");
}

PyObject *filter_digests(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer filter;
    const byte *digests;
    size_t count;
    if (!filter_of(args, &filter, &digests, &count)) return NULL;
    for (size_t i = 0; i < count; ++i) look(block_of(&filter, digests + i * DIGEST), digests + i * DIGEST, 1);
    PyBuffer_Release(&filter);
    return Py_NewRef(Py_None);
}

PyObject *filtered_digests(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer filter;
    const byte *digests;
    size_t count;
    if (!filter_of(args, &filter, &digests, &count)) return NULL;
    PyObject *made = PyList_New(0);
    for (size_t i = 0; made != NULL && i < count; ++i)
        if (look(block_of(&filter, digests + i * DIGEST), digests + i * DIGEST, 0)) append_new(&made, PyLong_FromSize_t(i));
    PyBuffer_Release(&filter);
    return made;
}

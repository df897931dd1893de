/* A growing array of bytes or of records. */
#ifndef URISIEVE_BUFFER_H
#define URISIEVE_BUFFER_H
#include "text.h"
#include <stdlib.h>

/* Make `*items` hold at least `needed` items of `size` bytes; returns 0 if there is no memory. */
static inline int reserve(void **items, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room) return 1;
    size_t larger = *room < 64 ? 64 : *room;
    while (larger < needed) {
        if (larger > SIZE_MAX / 2) return 0;
        larger *= 2;
    }
    if (larger > SIZE_MAX / size) return 0;
    void *moved = realloc(*items, larger * size);
    if (moved == NULL) return 0;
    *items = moved;
    *room = larger;
    return 1;
}

/* The same for an array of a type: `GROW(in->rows, in->row_room, in->row_count + 1)`. */
#define GROW(items, room, needed) reserve((void **)&(items), &(room), (needed), sizeof *(items))

/* Append some bytes, perhaps none; there is room for one more after them. Returns 0 if there is no memory. */
static inline int append_bytes(byte **bytes, size_t *size, size_t *room, const byte *t, size_t length)
{
    if (!reserve((void **)bytes, room, *size + length + 1, 1)) return 0;
    if (length) memcpy(*bytes + *size, t, length);
    *size += length;
    return 1;
}

/* A growing array of bytes. */
typedef struct {
    byte *at;
    size_t size, room;
} byte_list;

/* The same for such a list; `offset` gets where the bytes begin. */
static inline int add_bytes(byte_list *to, const void *t, size_t length, size_t *offset)
{
    *offset = to->size;
    return append_bytes(&to->at, &to->size, &to->room, t, length);
}

/* The digits of the largest number. */
#define MOST_DIGITS 20u

/* Write a number; returns its end. */
static inline byte *put_decimal(byte *to, uint64_t number)
{
    byte *end = to + 1;
    for (uint64_t rest = number; rest >= 10; rest /= 10) ++end;
    for (to = end; to == end || number; number /= 10) *--to = (byte)('0' + number % 10);
    return end;
}

#endif

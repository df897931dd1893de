/* A growing array of bytes or of records. */
#ifndef URISIEVE_BUFFER_H
#define URISIEVE_BUFFER_H
#include <stddef.h>
#include <stdint.h>
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

#endif

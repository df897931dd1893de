/* Lists in identifiers: the parts between their delimiters, and the order of these by name. */
#ifndef URISIEVE_ITEMS_H
#define URISIEVE_ITEMS_H
#include "text.h"

/* Lists of more items are left to the judge. */
#define MOST_ITEMS 64u

typedef struct {
    const byte *text;
    size_t size, name_size; /* the name ends before the first "=" */
    int is_last;     /* whether it comes after all others that are not, whatever their names */
    int is_tracking; /* whether a row of the table covers its name */
} item;

/* Split a text at a delimiter; returns the number of items, or 0 if there are more than `MOST_ITEMS`. */
size_t split_items(item items[MOST_ITEMS], const byte *t, size_t size, byte delimiter);

/* Whether one item comes before another, by its name. */
int comes_before(const item *one, const item *other);

/* Sort items; those of which none comes before the other stay in their order. */
void sort_items(item *items, size_t count, int (*comes_before)(const item *one, const item *other));

/* Write items with a delimiter between them; returns the end of what was written. */
byte *put_items(byte *to, const item *items, size_t count, byte delimiter);

#endif

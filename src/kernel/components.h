/* The components of a canonical form (RFC 3986 3), and the fault of a text that has none; lists in components: the parts
 * between their delimiters, and the order of these by name (items.c). */
#ifndef URISIEVE_COMPONENTS_H
#define URISIEVE_COMPONENTS_H
#include "text.h"

/* A component; `text` is NULL if it is absent. */
typedef struct {
    const byte *text;
    size_t size;
} component;

/* Whether two components are the same text, or both absent. */
static inline int is_same_text(component one, component other)
{
    if (one.text == NULL || other.text == NULL) return one.text == other.text;
    return one.size == other.size && memcmp(one.text, other.text, one.size) == 0;
}

/* Whether two texts are the same but for case. */
static inline int is_same_but_case(component one, component other)
{
    size_t i = 0;
    while (i < one.size && i < other.size && lower(one.text[i]) == lower(other.text[i])) ++i;
    return one.size == other.size && i == one.size;
}

/* Split a text that begins with a scheme, as `urisieve.syntax.components.split` does (RFC 3986 Appendix B). */
void split_components(component *to, const byte *uri, size_t size);

/* Whether `xn--` is in a text, in any case. */
int has_a_label(component text);

/* The host alone. */
component host_in(const byte *uri, size_t size);

typedef struct {
    fault_reason reason;
    component_name where;
    size_t offset;
} fault;

/* The first fault of a text, in the order of `urisieve.judge.validate`; NO_FAULT if there is none, or the judge has to
 * decide. */
fault fault_of(const byte *text, size_t size);

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

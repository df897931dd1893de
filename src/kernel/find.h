/* The search for a few bytes in many. */
#ifndef URISIEVE_FIND_H
#define URISIEVE_FIND_H
#include "text.h"

/* The offset of the first `needle`, of two bytes or more; `size` if there is none. */
size_t find_bytes(const byte *text, size_t size, const byte *needle, size_t length);

/* Whether a text contains a word in lower case, which begins with a letter and has a size; the case of the text does not
 * count. */
int contains_lower(const byte *text, size_t size, const char *word, size_t length);

/* Whether a text contains a word, as it is written. */
static inline int contains(const byte *text, size_t size, const char *word)
{
    return find_bytes(text, size, (const byte *)word, strlen(word)) < size;
}

#endif

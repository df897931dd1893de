/* The search for a few bytes in many. */
#ifndef URISIEVE_FIND_H
#define URISIEVE_FIND_H
#include "text.h"

/* The offset of the first `needle`, of two bytes or more; `size` if there is none. */
size_t find_bytes(const byte *text, size_t size, const byte *needle, size_t length);

#endif

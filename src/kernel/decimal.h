/* Numbers in decimal digits. */
#ifndef URISIEVE_DECIMAL_H
#define URISIEVE_DECIMAL_H
#include "text.h"

/* The digits of the largest number. */
#define MOST_DIGITS 20u

static inline size_t decimal_size(uint64_t number)
{
    size_t count = 1;
    for (; number >= 10; number /= 10) ++count;
    return count;
}

/* Write a number; returns its end. */
static inline byte *put_decimal(byte *to, uint64_t number)
{
    byte *end = to + decimal_size(number), *at = end;
    do *--at = (byte)('0' + number % 10); while (number /= 10);
    return end;
}

#endif

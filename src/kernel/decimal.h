/* Numbers in decimal digits. */
#ifndef URISIEVE_DECIMAL_H
#define URISIEVE_DECIMAL_H
#include "text.h"

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

/* Lines that are keys already, as a harvest. */
#ifndef URISIEVE_KEY_LINES_H
#define URISIEVE_KEY_LINES_H
#include "harvest.h"

typedef enum { LINES_TAKEN, LINES_LEFT, LINES_NO_MEMORY } lines_result;

/* Take each line of some bytes that is not empty as a key; carriage returns at its end do not belong to it. The offset
 * of a key is the number of its line, the first of which has `number`. `count` gets the number of lines, empty ones
 * included.
 *
 * LINES_LEFT if the bytes are not UTF-8, or a line is too long: then nothing is taken. */
lines_result harvest_lines(harvest *into, const byte *data, size_t size, uint64_t number, unsigned wanted,
                           size_t *count);

#endif

/* Shapes: the text after a scheme by which an identifier without "//" is found in running text. */
#ifndef URISIEVE_SHAPE_H
#define URISIEVE_SHAPE_H
#include "text.h"

/* Whether the text from an offset, up to `end` at most, begins with a shape of the table. */
int has_shape(unsigned shape, const byte *text, size_t offset, size_t end);

/* Whether all of a text matches a program that was made for whole texts; 0 too if that takes too many tries. */
int is_whole(unsigned program, const byte *text, size_t size);

/* The end of the escape sequence of a terminal that begins at an offset (ECMA-48 5.4), or the offset itself. */
size_t after_escape(const byte *text, size_t offset, size_t end);

#endif

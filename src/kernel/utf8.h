/* From bytes to text: validation of UTF-8, bytes that do not decode, and counts of characters. */
#ifndef URISIEVE_UTF8_H
#define URISIEVE_UTF8_H
#include "text.h"

/* The number of bytes at the start of some bytes that are well-formed UTF-8 (RFC 3629 4). */
size_t valid_utf8(const byte *data, size_t size);

/* The number of bytes at the end of some bytes that may be the beginning of a character: 0 to 3. */
size_t cut_character(const byte *data, size_t size);

/* Copy bytes as text: each byte that is not part of a character becomes a lone surrogate, U+DC80 to U+DCFF (PEP 383).
 * `text` has room for three times `size`. Returns the size of the text, and adds to the number of stray bytes. */
size_t escaped_utf8(byte *text, const byte *data, size_t size, uint64_t *stray);

/* The number of characters of a text. */
size_t characters(const byte *text, size_t size);

/* Make rising offsets in a text, of which the last may lie beyond its end, those of characters. */
void to_characters(int64_t *offsets, size_t count, const byte *text, size_t size);

/* The number of surrogates in a text that stand for stray bytes. */
size_t escapes(const byte *text, size_t size);

/* The number of line feeds in a text. */
size_t line_feeds(const byte *text, size_t size);

/* Write a code point, or a lone surrogate, as a character; returns its size, at most 4. */
size_t encode_point(byte *to, uint32_t point);

#endif

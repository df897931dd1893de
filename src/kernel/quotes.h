/* Quoted lines of mail (RFC 3676 4.5), as `urisieve.sources.mail.flowed` blanks their marks. */
#ifndef URISIEVE_QUOTES_H
#define URISIEVE_QUOTES_H
#include "text.h"

/* The offset of the first line that is part of a quote, `size` if there is none: a line that begins with ">", beside
 * another one unless `alone`. */
size_t first_quote(const byte *text, size_t size, int alone);

/* Replace the marks of all quotes by blanks, from a line of a quote on. */
void blank_quotes(byte *text, size_t size, size_t offset, int alone);

#endif

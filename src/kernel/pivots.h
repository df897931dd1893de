/* Pivots other than colons: the characters at which an identifier without a scheme may begin, or hold its at-sign or
 * its first dot, where the options ask for such.
 *
 * What is surely nothing is passed over here, and the finder decides about the rest. `urisieve.find.pivots` has the
 * patterns; each pivot that they match is one here, too. */
#ifndef URISIEVE_PIVOTS_H
#define URISIEVE_PIVOTS_H
#include "text.h"

#define PIVOT_DIGITS (PIVOT_DOI | PIVOT_ISBN | PIVOT_ISSN | PIVOT_ORCID | PIVOT_ARK | PIVOT_HANDLE)

/* Top-level domains, as bits by their hash: a few other labels have one of them, too. */
#define TOP_LEVEL_BITS 65536u

typedef struct {
    unsigned kinds;
    byte top_levels[TOP_LEVEL_BITS / 8]; /* those that end a name as they are */
    byte doubtful[TOP_LEVEL_BITS / 8];   /* those that end one if a slash follows */
} pivot_choice;

void pivot_add_top_level(byte *levels, const byte *label, size_t size);

/* The first pivot from an offset on and before `end`; `end` if there is none.
 *
 * `size` is that of the text, `floor` the end of the previous candidate. A pivot that the end of the text may cut is
 * one, unless its first characters are missing. */
size_t pivot_next(const pivot_choice *choice, const byte *text, size_t size, size_t floor, size_t from, size_t end);

/* Whether a character is a pivot. */
int pivot_is(const pivot_choice *choice, const byte *text, size_t size, size_t floor, size_t at);

/* Whether marks may appear in the scheme before a colon with "//" after it, or in the authority after that. */
int pivot_may_be_defanged(const byte *text, size_t size, size_t start, size_t colon, size_t limit, int final);

/* Where something begins, from `least` on, whose pivot the end of the text may cut; `limit` is that of candidates. */
size_t pivot_tail(const pivot_choice *choice, const byte *text, size_t size, size_t least, size_t limit);

#endif

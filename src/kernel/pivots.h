/* Pivots other than colons: the characters at which an identifier without a scheme may begin, or hold its at-sign or
 * its first dot, where the options ask for such.
 *
 * What is surely nothing is passed over here, and the finder decides about the rest. `urisieve.find.pivots` has the
 * patterns; each pivot that they match is one here, too. */
#ifndef URISIEVE_PIVOTS_H
#define URISIEVE_PIVOTS_H
#include "text.h"

#define PIVOT_DIGITS (PIVOT_DOI | PIVOT_ISBN | PIVOT_ISSN | PIVOT_ORCID | PIVOT_ARK | PIVOT_HANDLE | PIVOT_PAPERS)
#define PIVOT_PAPERS (PIVOT_PMID | PIVOT_PMCID | PIVOT_ARXIV)

/* Labels, as bits by their hash: a few other labels have one of them, too. */
#define LABEL_BITS 65536u

typedef struct {
    unsigned kinds;
    byte top_levels[LABEL_BITS / 8]; /* the top-level domains that end a name as they are */
    byte doubtful[LABEL_BITS / 8];   /* those that end one if a slash follows */
    byte endings[LABEL_BITS / 8];    /* endings of files that are no top-level domains */
} pivot_choice;

void pivot_add_label(byte *labels, const byte *label, size_t size);

/* Whether a label is among some, or one that has the same bit. */
int pivot_has_label(const byte *labels, const byte *label, size_t size);

/* A local part has at most 64 octets (RFC 5321 4.5.3.1.1). */
#define LOCAL_LIMIT 64u

/* What a label of a host name begins with, and the characters of names. */
static inline int begins_label(byte b) { return is_alphanumeric(b) || is_wide(b); }
static inline int is_of_name(byte b) { return begins_label(b) || b == '.' || b == '_' || b == '-'; }
/* The characters of a local part (RFC 5322 3.2.3, RFC 6531 3.3); the finder sees which of those beyond ASCII are. */
static inline int is_of_local(byte b)
{
    return is_alphanumeric(b) || is_wide(b) || IS_ONE_OF(b, "+-._%&'=!#$*/?^`{|}~");
}

/* Whether an escape sequence of a terminal may appear before an offset; then the finder sees where a name begins. */
int may_follow_escape(const byte *text, size_t at);

/* Where the name begins that goes on before a dot; `dot` if it is part of something else. Names that are not ASCII, and
 * those of which the beginning is not known, are left to the finder. */
size_t name_before(const byte *text, size_t floor, size_t dot, int *is_sure);

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

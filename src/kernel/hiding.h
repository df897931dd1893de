/* How values leave: with parts replaced, and as no links (`urisieve.records.redacted`).
 *
 * What is common is written here as these modules write it; a text that needs more is left to Python. */
#ifndef URISIEVE_HIDING_H
#define URISIEVE_HIDING_H
#include "digest.h"
#include "components.h"

/* The parts that a link inside another one has in places where the outer link has none. */
#define HIDE_OF_INNER (HIDE_QUERY | HIDE_FRAGMENT | HIDE_PATH)

#define HIDDEN_SIZE 8u /* bytes of the digest that is in a key for what is hidden */
/* The most bytes of a text with parts replaced, and of one that is no link. */
#define REDACTED_ROOM(size) ((size) + 4 * (2 * HIDDEN_SIZE + 1))
#define DEFANGED_ROOM(size) (3 * (size) + 8)

/* Write an identifier with some parts replaced, by "***" or by their digests; returns its end, or NULL if that is left
 * to Python, as where it may contain another link. A password is not seen here. */
byte *redacted(byte *to, component text, unsigned hidden, const blake2b_start *secret);

/* Whether the raw text of an identifier has the parts of its canonical form: the scheme, the host, and a query and a
 * fragment where that has them. Not every one that has them is known. */
int is_laid_out_alike(component raw, component uri);

/* Write what is no link: an identifier, a host, or a part without links; returns its end, or NULL if that is left to
 * Python. */
byte *defanged(byte *to, component text);
byte *defanged_host(byte *to, component host);
byte *defanged_part(byte *to, component part);

#endif

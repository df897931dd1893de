/* Names of hosts and addresses of mail without a scheme, as far as their own characters and their neighbours decide: what
 * surely is none, and what surely is one that nothing else touches (`urisieve.find.finder.assumed_candidates`). */
#ifndef URISIEVE_ASSUMED_H
#define URISIEVE_ASSUMED_H
#include "extent.h"
#include "memo.h"
#include "pivots.h"

/* The scheme that is assumed, and a name or an address. */
typedef struct {
    size_t size;
    byte text[512];
} assumed_text;

/* Examine a pivot other than a colon. NOTHING, FOUND, or DOUBTFUL if the finder has to look; `levels` contains the
 * top-level domains that end a name as they are. */
finding find_assumed(const find_choice *choice, const pivot_choice *pivots, const memo *levels, const stretch *in,
                     size_t pivot, candidate *found, assumed_text *as);

#endif

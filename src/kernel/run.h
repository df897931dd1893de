/* The run of a bare candidate: all that it may contain, before it is trimmed. */
#ifndef URISIEVE_RUN_H
#define URISIEVE_RUN_H
#include "bare.h"

/* Where a run ends, and whether that is doubtful: then the finder has to decide. */
typedef struct {
    size_t end;
    int is_doubtful;
} run_end;

/* Fill the tables; called once, before the first search. */
void run_prepare(void);

/* Find the end of the run after a colon, `limit` at most: a character that it cannot contain, or the first closer without
 * an opener, ends it; so does a closer of a wrapper, if one is given. */
run_end bare_end(const examined *at, size_t limit, const uint32_t *wrapper);

#endif

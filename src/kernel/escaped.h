/* Candidates whose slashes are escaped, as in JSON: `https:\/\/a.example\/x`; see `urisieve.find.escaped`. */
#ifndef URISIEVE_ESCAPED_H
#define URISIEVE_ESCAPED_H
#include "extent.h"

/* The bytes before a colon and behind it that are looked at: what goes on beyond them is left to the finder. */
#define PLAIN_BEFORE 512u
#define PLAIN_RUN 2048u
#define PLAIN_BEHIND 1200u
/* The longest slashes that the end of a text may cut, with the colon. */
#define CUT_SLASHES 32u

/* The text around a candidate with its escapes resolved, in which the offsets of the candidate count. */
typedef struct {
    size_t start, end;
    byte text[PLAIN_BEFORE + PLAIN_RUN + PLAIN_BEHIND];
} plain_text;

/* The number of backslashes before each of the two slashes behind a colon; 0 if none stand there. Sets `is_cut` if the
 * end of the text may have cut them. */
size_t escaped_slashes(const byte *text, size_t size, size_t colon, int *is_cut);

/* The colon behind which the end of the text may have cut slashes, escaped or not, from an offset on; `size` if there
 * is none. */
size_t cut_slashes(const byte *text, size_t least, size_t size);

/* Examine a colon behind which slashes stand with so many backslashes, as `find_candidate` does. */
finding find_escaped(const find_choice *choice, const stretch *in, size_t colon, size_t backslashes, candidate *found,
                     plain_text *plain);

#endif

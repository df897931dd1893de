/* Candidates whose slashes are escaped, as in JSON: `https:\/\/a.example\/x`; see `urisieve.find.escaped`. */
#ifndef URISIEVE_ESCAPED_H
#define URISIEVE_ESCAPED_H
#include "extent.h"

/* The bytes before a colon and after it that are looked at: what goes on beyond them is left to the finder. */
#define PLAIN_BEFORE 512u
#define PLAIN_RUN 2048u
#define PLAIN_BEHIND 1200u
/* The longest slashes that the end of a text may cut, with the colon. */
#define CUT_SLASHES 48u

/* The text around a candidate with its escapes resolved, in which the offsets of the candidate count. */
typedef struct {
    size_t start, end;
    byte text[PLAIN_BEFORE + PLAIN_RUN + PLAIN_BEHIND];
} plain_text;

/* The number of backslashes before each of the two slashes after a colon; 0 if none are there. Sets `is_cut` if the
 * end of the text may have cut them. */
size_t escaped_slashes(const byte *text, size_t size, size_t colon, int *is_cut);

/* Whether the slashes after a colon may be written by their numbers, as in `https:\u002F\u002Fa.example`. */
int has_numbered_slash(const byte *text, size_t size, size_t colon);

/* The colon after which the end of the text may have cut slashes, escaped or not, from an offset on; `size` if there
 * is none. */
size_t cut_slashes(const byte *text, size_t least, size_t size);

/* Examine a colon after which slashes come with so many backslashes, as `find_candidate` does. */
finding find_escaped(const find_choice *choice, const stretch *in, size_t colon, size_t backslashes, candidate *found,
                     plain_text *plain);

#endif

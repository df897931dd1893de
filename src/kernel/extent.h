/* One candidate: from the colon of its scheme to its extent and its wrapper (RFC 3986 Appendix C); escaped.c for one whose
 * slashes are escaped, as in JSON: `https:\/\/a.example\/x` (`urisieve.find.escaped`). */
#ifndef URISIEVE_EXTENT_H
#define URISIEVE_EXTENT_H
#include "scheme.h"

/* What one set of options says of candidates. */
typedef struct {
    scheme_choice schemes;
    size_t limit;       /* the length of the longest candidate */
    int ignores_shapes;  /* whether a scheme without "//" takes whatever follows it */
    int leaves_urns;     /* whether URNs are left to the finder and the judge */
    int nests;           /* whether identifiers in identifiers are reported */
    int repairs;         /* whether a candidate may contain what no identifier may */
    int refangs;         /* whether defanged identifiers are found */
    int names_readings;  /* whether readings after the end of a candidate are asked for, which only the finder knows */
} find_choice;

/* The text of a search, as far as it is known. */
typedef struct {
    const byte *text;
    size_t size;
    size_t floor; /* the end of the previous candidate: no scheme begins before it */
    int final;    /* whether the text is complete */
} stretch;

typedef enum {
    NOTHING,   /* no candidate begins at this colon */
    FOUND,
    UNDECIDED, /* more text is needed */
    DOUBTFUL   /* the finder has to look */
} finding;

/* What may decide a candidate that the end of the text leaves undecided: any character; one that a candidate, or a URN,
 * cannot contain; the same, and no white space; one that ends the content of `<>`, or of `""`; one that is not of a
 * scheme; a line feed, or much more text. */
typedef enum {
    AWAITS_ANY,
    AWAITS_BEYOND,
    AWAITS_BEYOND_URN,
    AWAITS_BEYOND_SPACED,
    AWAITS_CLOSER,
    AWAITS_QUOTE,
    AWAITS_NOT_SCHEME,
    AWAITS_MORE
} awaited;

typedef struct {
    size_t start, end; /* of the candidate */
    size_t keep;       /* if it is undecided: the first byte that is needed again */
    awaited awaits;      /* and what may decide it */
    uint32_t before;         /* the character before it, and before a "URL:"; 0 if there is none */
    uint32_t opener, closer; /* the wrapper; 0 if there is none */
    unsigned warnings;
    int scheme;
} candidate;

/* Examine the colon at an offset. What it decides is what `urisieve.find.finder.finder` decides; it decides less. */
finding find_candidate(const find_choice *choice, const stretch *in, size_t colon, candidate *found);

/* Whether a byte at an offset may end an undecided candidate. */
int may_decide(const byte *t);

/* The offset of the first character from `offset` on that a candidate cannot contain, or `size`; of a URN if `urn`. */
size_t beyond(const byte *text, size_t offset, size_t size, int urn);

/* Whether an escape of a string, or of a terminal, is in the run after a pivot. */
int escape_follows(const stretch *in, size_t pivot);

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

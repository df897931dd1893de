/* A candidate that its own characters delimit, or a wrapper other than `<>` and `""` (RFC 3986 Appendix C): its run, which
 * is all that it may contain (run.c), and what is trimmed from that (bare.c). */
#ifndef URISIEVE_BARE_H
#define URISIEVE_BARE_H
#include "extent.h"
#include "scheme.h"

/* A candidate while it is examined. */
typedef struct {
    const find_choice *choice;
    const stretch *in;
    size_t after;    /* the offset after the colon */
    size_t body;     /* the same, or the offset after "//" */
    size_t outside;  /* where "URL:" before it begins, or its start */
    uint32_t opener; /* the character before that, 0 if there is none */
    unsigned shape;
    int urn;
    candidate *found;
} examined;

static inline finding undecided(const examined *at, size_t keep, awaited awaits)
{
    at->found->keep = keep;
    at->found->awaits = awaits;
    return UNDECIDED;
}

/* Whether the text up to an end is a candidate, by its length and its shape. */
static inline int has_extent(const examined *at, size_t end)
{
    return end > at->body && (at->shape == NO_SHAPE || has_shape(at->shape, at->in->text, at->after, end));
}

/* Whether the end of a SICI in a DOI name may begin where a candidate ends: the finder has to look. */
int may_be_sici(const examined *at, size_t end);

/* Find where the candidate ends, and its wrapper. */
finding bare_candidate(const examined *at);

/* Whether a candidate may end in the middle of a password (`http://admin:2024|x@h.example/`), so that the finder has to
 * look for an "@" after it (`urisieve.find.ends.cut_passwords`). */
int may_cut_password(const examined *at, size_t end);

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

/* A candidate that its own characters delimit, or a wrapper other than `<>` and `""` (RFC 3986 Appendix C). */
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

#endif

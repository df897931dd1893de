/* Candidates that end in the middle of a password: `http://admin:2024|x@h.example/`.
 *
 * What `urisieve.find.finder.cut_passwords` asks. The answer is "surely not", or that the finder has to look. */
#ifndef URISIEVE_PASSWORD_END_H
#define URISIEVE_PASSWORD_END_H
#include "bare.h"

/* Whether a candidate may end in a password, so that the finder has to look for an "@" after it. */
int may_cut_password(const examined *at, size_t end);

#endif

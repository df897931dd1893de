/* Which identifiers surely have no warning about spoofing (`urisieve.rules.spoof_check`). */
#ifndef URISIEVE_SPOOFING_H
#define URISIEVE_SPOOFING_H
#include "memo.h"

/* What the hosts of forms made here are compared with: the hosts that are known to have no warning, and the skeletons of
 * labels of names to be protected; `looks` contains the skeletons of characters of ASCII that are not their own. */
typedef struct {
    int checks; /* whether anything is */
    memo trusted, labels;
    char looks[128][3];
} spoof_checks;

/* Whether an identifier has no warning: `form` is its canonical form. False is no more than a doubt. */
int is_unsuspicious(const spoof_checks *in, const byte *form, size_t form_size, const byte *raw, size_t raw_size);

/* Remember that a host has no warnings; returns 0 if there is no memory. */
int trust_host(spoof_checks *in, const byte *host, size_t size);

/* Enter the skeleton of a label of a protected name; returns 0 if there is no memory. */
int protect_label(spoof_checks *in, const byte *label, size_t size);

/* Enter a character of ASCII with its skeleton after it; others are passed over. */
void add_look(spoof_checks *in, const byte *pair, size_t size);

#endif

/* Which identifiers surely have no warning about spoofing (`urisieve.rules.spoof_check`). */
#ifndef URISIEVE_SPOOFING_H
#define URISIEVE_SPOOFING_H
#include "memo.h"

/* What is checked: nothing, names and addresses of hosts, or also whether a host passes for a protected one. */
typedef enum { UNCHECKED, CHECKED, PROTECTED } spoof_check;

/* Whether an identifier has no warning: `form` is its canonical form, and `hosts` contains hosts that have none. False is no
 * more than a doubt. */
int is_unsuspicious(const byte *form, size_t form_size, const byte *raw, size_t raw_size, spoof_check check,
                    const memo *hosts);

/* Remember that a host has no warnings; returns 0 if there is no memory. */
int trust_host(memo *hosts, const byte *host, size_t size);

#endif

/* Keyed digests of 128 bits: SipHash-1-3, as CPython hashes strings, with a seed drawn anew in each process, so that
 * no one can make keys that collide. */
#ifndef URISIEVE_DIGEST_H
#define URISIEVE_DIGEST_H
#include "text.h"

typedef struct {
    uint64_t low, high;
} digest;

digest digest_of(const uint64_t seed[2], const byte *key, size_t size);

#endif

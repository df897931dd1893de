/* Keyed digests of 128 bits: SipHash-1-3, as CPython hashes strings, with a seed drawn anew in each process, so that
 * no one can make keys that collide. */
#ifndef URISIEVE_DIGEST_H
#define URISIEVE_DIGEST_H
#include "text.h"

typedef struct {
    uint64_t low, high;
} digest;

digest digest_of(const uint64_t seed[2], const byte *key, size_t size);

/* BLAKE2b (RFC 7693), with a key or without. */
#define BLAKE2B_MOST_SECRET 64u /* bytes of a secret */

/* The state before a text. */
typedef struct {
    uint64_t words[8];
    uint64_t taken; /* bytes */
    unsigned size;  /* of a digest, in bytes */
} blake2b_start;

/* Begin digests of at most 64 bytes, by a secret of 1 to 64 bytes; a `secret_size` of 0 is none. */
void blake2b_prepare(blake2b_start *made, unsigned size, const byte *secret, size_t secret_size);

/* Write the digest of a text, which must not be empty if there is a secret. */
void blake2b_digest(byte *digest, const blake2b_start *from, const byte *text, size_t size);

#endif

/* BLAKE2b with a key (RFC 7693), and digests of eight bytes: what stands in a key for what is hidden in it. */
#ifndef URISIEVE_BLAKE2B_H
#define URISIEVE_BLAKE2B_H
#include "text.h"

#define BLAKE2B_SIZE 8u        /* bytes of a digest */
#define BLAKE2B_MOST_SECRET 64u /* bytes of a secret */

/* The state behind the block of the secret. */
typedef struct {
    uint64_t words[8];
} blake2b_key;

/* Take a secret of 1 to 64 bytes. */
void blake2b_prepare(blake2b_key *made, const byte *secret, size_t size);

/* Write the digest of a text. */
void blake2b_digest(byte digest[BLAKE2B_SIZE], const blake2b_key *key, const byte *text, size_t size);

#endif

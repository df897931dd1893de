/* BLAKE2b (RFC 7693) of 16 bytes, without a key: the digests that stores keep. */
#ifndef URISIEVE_BLAKE2B_H
#define URISIEVE_BLAKE2B_H
#include "text.h"

#define BLAKE_SIZE 16u

void blake2b(byte digest[BLAKE_SIZE], const byte *text, size_t size);

#endif

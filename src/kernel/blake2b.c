#include "blake2b.h"

#define BLOCK 128u

/* RFC 7693 2.6 and 2.7. */
static const uint64_t START[8] = {0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
                                  0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u};
static const uint8_t ORDER[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

#define ROTATED(x, b) (((x) >> (b)) | ((x) << (64 - (b))))
#define MIX(a, b, c, d, x, y)                            \
    do {                                                 \
        a += b + (x); d = ROTATED(d ^ a, 32);            \
        c += d; b = ROTATED(b ^ c, 24);                  \
        a += b + (y); d = ROTATED(d ^ a, 16);            \
        c += d; b = ROTATED(b ^ c, 63);                  \
    } while (0)

/* RFC 7693 3.2: `size` bytes were taken, those of this block too. */
static void compress(uint64_t h[8], const byte block[BLOCK], uint64_t size, int is_last)
{
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; ++i) {
        m[i] = 0;
        for (int j = 8; j-- > 0;) m[i] = m[i] << 8 | block[8 * i + j];
    }
    for (int i = 0; i < 8; ++i) v[i] = h[i], v[i + 8] = START[i];
    v[12] ^= size;
    if (is_last) v[14] = ~v[14];
    for (int round = 0; round < 12; ++round) {
        const uint8_t *s = ORDER[round % 10];
        MIX(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
        MIX(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
        MIX(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
        MIX(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
        MIX(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
        MIX(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
        MIX(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
        MIX(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[i + 8];
}

void blake2b_prepare(blake2b_key *made, const byte *secret, size_t size)
{
    byte block[BLOCK] = {0};
    memcpy(block, secret, size);
    memcpy(made->words, START, sizeof START);
    made->words[0] ^= 0x01010000u ^ size << 8 ^ BLAKE2B_SIZE;
    compress(made->words, block, BLOCK, 0);
}

void blake2b_digest(byte digest[BLAKE2B_SIZE], const blake2b_key *key, const byte *text, size_t size)
{
    uint64_t h[8], taken = BLOCK;
    byte block[BLOCK] = {0};
    memcpy(h, key->words, sizeof h);
    for (; size > BLOCK; text += BLOCK, size -= BLOCK) compress(h, text, taken += BLOCK, 0);
    memcpy(block, text, size);
    compress(h, block, taken + size, 1);
    for (unsigned i = 0; i < BLAKE2B_SIZE; ++i) digest[i] = (byte)(h[0] >> 8 * i);
}

#include "blake2b.h"

#define BLOCK 128u
#define ROTATED(x, b) (((x) >> (b)) | ((x) << (64 - (b))))

/* RFC 7693 2.6 and 2.7. */
static const uint64_t IV[8] = {0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu, 0xA54FF53A5F1D36F1u,
                               0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu, 0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u};
static const uint8_t SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t word_at(const byte *t)
{
    uint64_t word = 0;
    for (int i = 7; i >= 0; --i) word = word << 8 | t[i];
    return word;
}

static void mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = ROTATED(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = ROTATED(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = ROTATED(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = ROTATED(v[b] ^ v[c], 63);
}

/* RFC 7693 3.2: `count` is the number of bytes so far. */
static void compress(uint64_t h[8], const byte *block, uint64_t count, int is_last)
{
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; ++i) m[i] = word_at(block + 8 * i);
    for (int i = 0; i < 8; ++i) {
        v[i] = h[i];
        v[i + 8] = IV[i];
    }
    v[12] ^= count;
    if (is_last) v[14] = ~v[14];
    for (int round = 0; round < 12; ++round) {
        const uint8_t *s = SIGMA[round % 10];
        for (int i = 0; i < 4; ++i) mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
        for (int i = 0; i < 4; ++i)
            mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[i + 8];
}

void blake2b(byte digest[BLAKE_SIZE], const byte *text, size_t size)
{
    uint64_t h[8], count = 0;
    memcpy(h, IV, sizeof h);
    h[0] ^= 0x01010000u ^ BLAKE_SIZE;
    for (; size > BLOCK; size -= BLOCK, text += BLOCK) compress(h, text, count += BLOCK, 0);
    byte last[BLOCK] = {0};
    if (size) memcpy(last, text, size);
    compress(h, last, count + size, 1);
    for (unsigned i = 0; i < BLAKE_SIZE; ++i) digest[i] = (byte)(h[i / 8] >> (8 * (i % 8)));
}

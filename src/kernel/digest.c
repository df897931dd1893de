#include "digest.h"

#define ROTATED(x, b) (((x) << (b)) | ((x) >> (64 - (b))))
#define ROUND                                                           \
    do {                                                                \
        v0 += v1; v1 = ROTATED(v1, 13); v1 ^= v0; v0 = ROTATED(v0, 32); \
        v2 += v3; v3 = ROTATED(v3, 16); v3 ^= v2;                       \
        v0 += v3; v3 = ROTATED(v3, 21); v3 ^= v0;                       \
        v2 += v1; v1 = ROTATED(v1, 17); v1 ^= v2; v2 = ROTATED(v2, 32); \
    } while (0)

/* At most eight bytes as a number whose lowest byte is the first, and whose others are 0: on machines that store the
 * highest byte first, too, where the bytes of a short tail would else be where the size is added. */
static uint64_t word_at(const byte *p, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, p, size);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

digest digest_of(const uint64_t seed[2], const byte *key, size_t size)
{
    uint64_t v0 = 0x736f6d6570736575u ^ seed[0], v1 = 0x646f72616e646f6du ^ seed[1] ^ 0xEE;
    uint64_t v2 = 0x6c7967656e657261u ^ seed[0], v3 = 0x7465646279746573u ^ seed[1];
    const byte *p = key, *end = key + (size & ~(size_t)7);
    for (; p < end; p += 8) {
        uint64_t word = word_at(p, sizeof word);
        v3 ^= word;
        ROUND;
        v0 ^= word;
    }
    uint64_t last = (size & 7 ? word_at(p, size & 7) : 0) ^ (uint64_t)size << 56;
    v3 ^= last;
    ROUND;
    v0 ^= last;
    digest made;
    v2 ^= 0xEE;
    for (int i = 0; i < 3; ++i) ROUND;
    made.low = v0 ^ v1 ^ v2 ^ v3;
    v1 ^= 0xDD;
    for (int i = 0; i < 3; ++i) ROUND;
    made.high = v0 ^ v1 ^ v2 ^ v3;
    if (made.low == 0 && made.high == 0) made.low = 1; /* zero marks a free slot of a set */
    return made;
}

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

#define ROTATED_RIGHT(x, b) (((x) >> (b)) | ((x) << (64 - (b))))
#define MIX(a, b, c, d, x, y)                                  \
    do {                                                       \
        a += b + (x); d = ROTATED_RIGHT(d ^ a, 32);            \
        c += d; b = ROTATED_RIGHT(b ^ c, 24);                  \
        a += b + (y); d = ROTATED_RIGHT(d ^ a, 16);            \
        c += d; b = ROTATED_RIGHT(b ^ c, 63);                  \
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

void blake2b_prepare(blake2b_start *made, unsigned size, const byte *secret, size_t secret_size)
{
    memcpy(made->words, START, sizeof START);
    made->words[0] ^= 0x01010000u ^ (uint64_t)secret_size << 8 ^ size;
    made->size = size;
    made->taken = secret_size ? BLOCK : 0;
    if (!secret_size) return;
    byte block[BLOCK] = {0};
    memcpy(block, secret, secret_size);
    compress(made->words, block, BLOCK, 0);
}

void blake2b_digest(byte *digest, const blake2b_start *from, const byte *text, size_t size)
{
    uint64_t h[8], taken = from->taken;
    byte block[BLOCK] = {0};
    memcpy(h, from->words, sizeof h);
    for (; size > BLOCK; text += BLOCK, size -= BLOCK) compress(h, text, taken += BLOCK, 0);
    if (size) memcpy(block, text, size);
    compress(h, block, taken + size, 1);
    for (unsigned i = 0; i < from->size; ++i) digest[i] = (byte)(h[i / 8] >> 8 * (i % 8));
}

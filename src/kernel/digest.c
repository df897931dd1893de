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

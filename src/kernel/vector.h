/* Loops over many bytes at once: SSE2 or NEON where the compiler has them, else eight bytes in a word. */
#ifndef URISIEVE_VECTOR_H
#define URISIEVE_VECTOR_H
#include "text.h"

#if defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#include <emmintrin.h>
#define STEP 16
typedef __m128i vector;
static inline vector load(const byte *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
/* One bit for each byte that equals `b`. */
static inline uint32_t equal_bits(vector v, byte b)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8((char)b)));
}
static inline uint32_t wide_bits(vector v) { return (uint32_t)_mm_movemask_epi8(v); }
/* One bit for each digit. */
static inline uint32_t digit_bits(vector v)
{
    vector value = _mm_sub_epi8(v, _mm_set1_epi8('0'));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value));
}
/* Bytes of a vector that equal `b`, and before one above a blank: the byte behind the vector is read, too. */
static inline vector joined_bytes(const byte *p, byte b)
{
    vector next = load(p + 1), shown = _mm_cmpeq_epi8(_mm_max_epu8(next, _mm_set1_epi8(' ' + 1)), next);
    return _mm_and_si128(_mm_cmpeq_epi8(load(p), _mm_set1_epi8((char)b)), shown);
}
static inline uint32_t joined_bits(const byte *p, byte b) { return (uint32_t)_mm_movemask_epi8(joined_bytes(p, b)); }
/* Whether there is one in four vectors from an address on. */
static inline int any_joined_of_four(const byte *p, byte b)
{
    vector first = _mm_or_si128(joined_bytes(p, b), joined_bytes(p + 16, b));
    vector second = _mm_or_si128(joined_bytes(p + 32, b), joined_bytes(p + 48, b));
    return _mm_movemask_epi8(_mm_or_si128(first, second)) != 0;
}
/* Whether one of four vectors holds a byte beyond ASCII; they are copied. */
static inline int copied_four(byte *to, const byte *from)
{
    vector a = load(from), b = load(from + 16), c = load(from + 32), d = load(from + 48);
    _mm_storeu_si128((__m128i *)(void *)to, a);
    _mm_storeu_si128((__m128i *)(void *)(to + 16), b);
    _mm_storeu_si128((__m128i *)(void *)(to + 32), c);
    _mm_storeu_si128((__m128i *)(void *)(to + 48), d);
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) != 0;
}
/* Bytes that match are FF, others 0; continuation bytes, 80 to BF, are less than -64 as signed numbers. */
static inline vector equal_bytes(vector v, byte b) { return _mm_cmpeq_epi8(v, _mm_set1_epi8((char)b)); }
static inline vector continuation_bytes(vector v) { return _mm_cmplt_epi8(v, _mm_set1_epi8(-64)); }
static inline vector no_bytes(void) { return _mm_setzero_si128(); }
/* Add one to each count whose byte matches; the sum of all counts. */
static inline vector counted(vector counts, vector matches) { return _mm_sub_epi8(counts, matches); }
static inline size_t sum_of(vector counts)
{
    vector halves = _mm_sad_epu8(counts, _mm_setzero_si128());
    return (size_t)_mm_cvtsi128_si32(halves) + (size_t)_mm_cvtsi128_si32(_mm_srli_si128(halves, 8));
}
#elif (defined(__ARM_NEON) && defined(__aarch64__)) || defined(_M_ARM64)
#include <arm_neon.h>
#define STEP 16
typedef uint8x16_t vector;
static inline vector load(const byte *p) { return vld1q_u8(p); }
static inline uint32_t bits_of(uint8x16_t matches)
{
    static const uint8_t WEIGHTS[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t weighted = vandq_u8(matches, vld1q_u8(WEIGHTS));
    return (uint32_t)vaddv_u8(vget_low_u8(weighted)) | (uint32_t)vaddv_u8(vget_high_u8(weighted)) << 8;
}
static inline uint32_t equal_bits(vector v, byte b) { return bits_of(vceqq_u8(v, vdupq_n_u8(b))); }
static inline vector joined_bytes(const byte *p, byte b)
{
    return vandq_u8(vceqq_u8(load(p), vdupq_n_u8(b)), vcgtq_u8(load(p + 1), vdupq_n_u8(' ')));
}
static inline uint32_t joined_bits(const byte *p, byte b) { return bits_of(joined_bytes(p, b)); }
static inline int any_joined_of_four(const byte *p, byte b)
{
    vector first = vorrq_u8(joined_bytes(p, b), joined_bytes(p + 16, b));
    vector second = vorrq_u8(joined_bytes(p + 32, b), joined_bytes(p + 48, b));
    return vmaxvq_u8(vorrq_u8(first, second)) != 0;
}
static inline int copied_four(byte *to, const byte *from)
{
    vector a = load(from), b = load(from + 16), c = load(from + 32), d = load(from + 48);
    vst1q_u8(to, a);
    vst1q_u8(to + 16, b);
    vst1q_u8(to + 32, c);
    vst1q_u8(to + 48, d);
    return vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d))) >= 0x80;
}
static inline uint32_t wide_bits(vector v) { return bits_of(vcgeq_u8(v, vdupq_n_u8(0x80))); }
static inline uint32_t digit_bits(vector v) { return bits_of(vcleq_u8(vsubq_u8(v, vdupq_n_u8('0')), vdupq_n_u8(9))); }
static inline vector equal_bytes(vector v, byte b) { return vceqq_u8(v, vdupq_n_u8(b)); }
static inline vector continuation_bytes(vector v) { return vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(-64)); }
static inline vector no_bytes(void) { return vdupq_n_u8(0); }
static inline vector counted(vector counts, vector matches) { return vsubq_u8(counts, matches); }
static inline size_t sum_of(vector counts) { return vaddlvq_u8(counts); }
#else
/* The portable way: one bit for each of eight bytes. */
#define STEP 8
typedef uint64_t vector;
#define ONES 0x0101010101010101u
static inline vector load(const byte *p)
{
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint32_t equal_bits(vector v, byte b)
{
    const byte *p = (const byte *)&v;
    vector other = v ^ (ONES * b);
    if (!((other - ONES) & ~other & (ONES * 0x80))) return 0;
    uint32_t bits = 0;
    for (int i = 0; i < STEP; ++i) bits |= (uint32_t)(p[i] == b) << i;
    return bits;
}
static inline uint32_t wide_bits(vector v)
{
    const byte *p = (const byte *)&v;
    if (!(v & (ONES * 0x80))) return 0;
    uint32_t bits = 0;
    for (int i = 0; i < STEP; ++i) bits |= (uint32_t)is_wide(p[i]) << i;
    return bits;
}
static inline uint32_t digit_bits(vector v)
{
    const byte *p = (const byte *)&v;
    uint32_t bits = 0;
    for (int i = 0; i < STEP; ++i) bits |= (uint32_t)is_digit(p[i]) << i;
    return bits;
}
static inline uint32_t joined_bits(const byte *p, byte b)
{
    uint32_t found = equal_bits(load(p), b), bits = 0;
    for (int i = 0; found; ++i, found >>= 1) bits |= (found & (p[i + 1] > ' ')) << i;
    return bits;
}
static inline int any_joined_of_four(const byte *p, byte b)
{
    return memchr(p, b, 4 * STEP) != NULL;
}
static inline int copied_four(byte *to, const byte *from)
{
    vector all = load(from) | load(from + STEP) | load(from + 2 * STEP) | load(from + 3 * STEP);
    memcpy(to, from, 4 * STEP);
    return (all & (ONES * 0x80)) != 0;
}
static inline vector equal_bytes(vector v, byte b)
{
    const byte *p = (const byte *)&v;
    vector matches = 0;
    byte *to = (byte *)&matches;
    for (int i = 0; i < STEP; ++i) to[i] = p[i] == b ? 0xFF : 0;
    return matches;
}
static inline vector continuation_bytes(vector v)
{
    const byte *p = (const byte *)&v;
    vector matches = 0;
    byte *to = (byte *)&matches;
    for (int i = 0; i < STEP; ++i) to[i] = is_continuation(p[i]) ? 0xFF : 0;
    return matches;
}
static inline vector no_bytes(void) { return 0; }
static inline vector counted(vector counts, vector matches) { return counts + (matches & ONES); }
static inline size_t sum_of(vector counts)
{
    const byte *p = (const byte *)&counts;
    size_t sum = 0;
    for (int i = 0; i < STEP; ++i) sum += p[i];
    return sum;
}
#endif

#if defined(_MSC_VER)
#include <intrin.h>
static inline unsigned lowest_bit(uint32_t bits)
{
    unsigned long index;
    _BitScanForward(&index, bits);
    return (unsigned)index;
}
static inline void prefetch(const void *p) { (void)p; }
#else
static inline unsigned lowest_bit(uint32_t bits) { return (unsigned)__builtin_ctz(bits); }
static inline void prefetch(const void *p) { __builtin_prefetch(p); }
#endif

/* Copy bytes up to a byte beyond ASCII; returns their number, which is `size` if all are ASCII. */
static inline size_t copied_ascii(byte *to, const byte *from, size_t size)
{
    size_t i = 0;
    while (i + 4 * STEP <= size && !copied_four(to + i, from + i)) i += 4 * STEP;
    for (; i < size && !is_wide(from[i]); ++i) to[i] = from[i];
    return i;
}

/* The number of ASCII characters at the start of a text. */
static inline size_t ascii_run(const byte *t, size_t size)
{
    size_t i = 0;
    for (; i + STEP <= size; i += STEP) {
        uint32_t bits = wide_bits(load(t + i));
        if (bits) return i + lowest_bit(bits);
    }
    while (i < size && !is_wide(t[i])) ++i;
    return i;
}

/* Counts of a byte each, which hold this many matches. */
#define MOST_COUNTED 255

/* The number of bytes that equal `b`, or of continuation bytes. */
static inline size_t count_bytes(const byte *t, size_t size, byte b, int continuations)
{
    size_t i = 0, count = 0;
    while (i + STEP <= size) {
        vector counts = no_bytes();
        for (int n = 0; n < MOST_COUNTED && i + STEP <= size; ++n, i += STEP) {
            vector v = load(t + i);
            counts = counted(counts, continuations ? continuation_bytes(v) : equal_bytes(v, b));
        }
        count += sum_of(counts);
    }
    for (; i < size; ++i) count += continuations ? is_continuation(t[i]) : t[i] == b;
    return count;
}

/* Whether a text holds one of three bytes. */
static inline int holds_any(const byte *text, size_t size, byte a, byte b, byte c)
{
    size_t i = 0;
    if (size < STEP) {
        for (; i < size; ++i)
            if (text[i] == a || text[i] == b || text[i] == c) return 1;
        return 0;
    }
    for (;; i += STEP) {
        if (size - i < STEP) i = size - STEP; /* the last vector overlaps the one before */
        vector v = load(text + i);
        if (equal_bits(v, a) | equal_bits(v, b) | equal_bits(v, c)) return 1;
        if (i == size - STEP) return 0;
    }
}

#endif

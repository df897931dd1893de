/* Loops over many bytes at once: SSE2 or NEON where the compiler has them, else vectors of the compiler (GCC, Clang).
 *
 * In a vector of matches the bytes that match are FF, others 0. */
#ifndef URISIEVE_VECTOR_H
#define URISIEVE_VECTOR_H
#include "text.h"

#define STEP 16
#if defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#include <emmintrin.h>
typedef __m128i vector;
static inline vector load(const byte *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
static inline void store(byte *p, vector v) { _mm_storeu_si128((__m128i *)(void *)p, v); }
static inline vector equal_bytes(vector v, byte b) { return _mm_cmpeq_epi8(v, _mm_set1_epi8((char)b)); }
/* The bytes that are not less than `least`. */
static inline vector bytes_from(vector v, byte least)
{
    return _mm_cmpeq_epi8(_mm_max_epu8(v, _mm_set1_epi8((char)least)), v);
}
/* The bytes beyond ASCII; only the highest bit of each byte counts. */
static inline vector wide_bytes(vector v) { return v; }
/* Continuation bytes, 80 to BF, are less than -64 as signed numbers. */
static inline vector continuation_bytes(vector v) { return _mm_cmplt_epi8(v, _mm_set1_epi8(-64)); }
static inline vector in_both(vector a, vector b) { return _mm_and_si128(a, b); }
static inline vector in_any(vector a, vector b) { return _mm_or_si128(a, b); }
/* One bit for each byte that matches, and whether there is one. */
static inline uint32_t bits_of(vector matches) { return (uint32_t)_mm_movemask_epi8(matches); }
static inline int has_match(vector matches) { return _mm_movemask_epi8(matches) != 0; }
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
typedef uint8x16_t vector;
static inline vector load(const byte *p) { return vld1q_u8(p); }
static inline void store(byte *p, vector v) { vst1q_u8(p, v); }
static inline vector equal_bytes(vector v, byte b) { return vceqq_u8(v, vdupq_n_u8(b)); }
static inline vector bytes_from(vector v, byte least) { return vcgeq_u8(v, vdupq_n_u8(least)); }
static inline vector wide_bytes(vector v) { return bytes_from(v, 0x80); }
static inline vector continuation_bytes(vector v) { return vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(-64)); }
static inline vector in_both(vector a, vector b) { return vandq_u8(a, b); }
static inline vector in_any(vector a, vector b) { return vorrq_u8(a, b); }
static inline uint32_t bits_of(vector matches)
{
    static const uint8_t WEIGHTS[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t weighted = vandq_u8(matches, vld1q_u8(WEIGHTS));
    return (uint32_t)vaddv_u8(vget_low_u8(weighted)) | (uint32_t)vaddv_u8(vget_high_u8(weighted)) << 8;
}
static inline int has_match(vector matches) { return vmaxvq_u8(matches) != 0; }
static inline vector no_bytes(void) { return vdupq_n_u8(0); }
static inline vector counted(vector counts, vector matches) { return vsubq_u8(counts, matches); }
static inline size_t sum_of(vector counts) { return vaddlvq_u8(counts); }
#else
typedef byte vector __attribute__((vector_size(STEP)));
static inline vector load(const byte *p)
{
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void store(byte *p, vector v) { memcpy(p, &v, sizeof v); }
static inline vector equal_bytes(vector v, byte b) { return (vector)(v == b); }
static inline vector bytes_from(vector v, byte least) { return (vector)(v >= least); }
static inline vector wide_bytes(vector v) { return bytes_from(v, 0x80); }
static inline vector continuation_bytes(vector v) { return (vector)((v & 0xC0) == 0x80); }
static inline vector in_both(vector a, vector b) { return a & b; }
static inline vector in_any(vector a, vector b) { return a | b; }
static inline int has_match(vector matches)
{
    uint64_t halves[2];
    memcpy(halves, &matches, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}
static inline uint32_t bits_of(vector matches)
{
    uint32_t bits = 0;
    for (int i = 0; has_match(matches) && i < STEP; ++i) bits |= (uint32_t)(matches[i] >> 7) << i;
    return bits;
}
static inline vector no_bytes(void) { return (vector){0}; }
static inline vector counted(vector counts, vector matches) { return counts - matches; }
static inline size_t sum_of(vector counts)
{
    size_t sum = 0;
    for (int i = 0; i < STEP; ++i) sum += counts[i];
    return sum;
}
#endif

static inline uint32_t equal_bits(vector v, byte b) { return bits_of(equal_bytes(v, b)); }
/* One bit for each digit. */
static inline uint32_t digit_bits(vector v) { return bits_of(bytes_from(v, '0')) & ~bits_of(bytes_from(v, '9' + 1)); }
/* Bytes of a vector that equal `b`, and before one above a blank: the byte after the vector is read, too. */
static inline vector joined_bytes(const byte *p, byte b)
{
    return in_both(equal_bytes(load(p), b), bytes_from(load(p + 1), ' ' + 1));
}
/* Whether there is one in four vectors from an address on. */
static inline int any_joined_of_four(const byte *p, byte b)
{
    vector first = in_any(joined_bytes(p, b), joined_bytes(p + STEP, b));
    return has_match(in_any(first, in_any(joined_bytes(p + 2 * STEP, b), joined_bytes(p + 3 * STEP, b))));
}
/* Copy four vectors; returns whether one of them contains a byte beyond ASCII. */
static inline int copied_four(byte *to, const byte *from)
{
    vector all = no_bytes();
    for (int i = 0; i < 4 * STEP; i += STEP) {
        vector v = load(from + i);
        store(to + i, v);
        all = in_any(all, v);
    }
    return has_match(wide_bytes(all));
}

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
        uint32_t bits = bits_of(wide_bytes(load(t + i)));
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

/* Whether a text contains one of three bytes. */
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

/* Characters of UTF-8 text.
 *
 * The kernel works on "generalized" UTF-8: well formed, but lone surrogates may appear in it as sequences of three
 * bytes. So it contains any Python string, and bytes that did not decode (PEP 383). Offsets are in bytes. */
#ifndef URISIEVE_TEXT_H
#define URISIEVE_TEXT_H
#include "tables.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

static inline int is_wide(byte b) { return b >= 0x80; }
static inline int is_continuation(byte b) { return (b & 0xC0) == 0x80; }
static inline int is_digit(byte b) { return b >= '0' && b <= '9'; }

/* The number of digits at a place, counted up to `most`. */
static inline size_t digits_at(const byte *t, const byte *end, size_t most)
{
    size_t size = 0;
    while (size < most && t + size < end && is_digit(t[size])) ++size;
    return size;
}

static inline int is_upper(byte b) { return b >= 'A' && b <= 'Z'; }
static inline int is_letter(byte b) { return (byte)((b | 0x20) - 'a') < 26; }
static inline int is_alphanumeric(byte b) { return is_letter(b) || is_digit(b); }
static inline byte lower(byte b) { return is_upper(b) ? (byte)(b | 0x20) : b; }

/* White space of XML, JSON and headers. */
static inline int is_blank(byte b) { return b == ' ' || b == '\t' || b == '\n' || b == '\r'; }

/* The value of a hexadecimal digit; -1 for any other byte. */
static inline int hex_value(byte b)
{
    if (is_digit(b)) return b - '0';
    b |= 0x20;
    return b >= 'a' && b <= 'f' ? b - 'a' + 10 : -1;
}

/* Whether an ASCII character has one of some flags; a byte of any other character has none. */
static inline int has(byte b, uint32_t flags) { return b < 0x80 && (ASCII_FLAGS[b] & flags) != 0; }

/* The number of bytes of the character that begins with a byte. */
static inline size_t width(byte first) { return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

/* The code point of the character that begins at `t`. */
static inline uint32_t point_at(const byte *t)
{
    if (t[0] < 0x80) return t[0];
    if (t[0] < 0xE0) return (uint32_t)(t[0] & 0x1F) << 6 | (t[1] & 0x3F);
    if (t[0] < 0xF0) return (uint32_t)(t[0] & 0x0F) << 12 | (uint32_t)(t[1] & 0x3F) << 6 | (t[2] & 0x3F);
    return (uint32_t)(t[0] & 0x07) << 18 | (uint32_t)(t[1] & 0x3F) << 12 | (uint32_t)(t[2] & 0x3F) << 6 | (t[3] & 0x3F);
}

/* The offset of the character before an offset, which is not 0. */
static inline size_t before(const byte *t, size_t offset)
{
    do --offset; while (offset > 0 && is_continuation(t[offset]));
    return offset;
}

/* The flags W_... of a character beyond ASCII. */
static inline uint32_t wide_flags(uint32_t point) { return WIDE_FLAGS[WIDE_BLOCK[point >> 8]][point & 0xFF]; }

/* Whether a character is white space by RFC 3986 Appendix C, as `SPACES` has it. */
static inline int is_space_at(const byte *t)
{
    return is_wide(t[0]) ? (wide_flags(point_at(t)) & W_SPACE) != 0 : (ASCII_FLAGS[t[0]] & SPACE) != 0;
}

/* Whether a line ends at a character: `LINE_BREAKS`. */
static inline int begins_break(const byte *t)
{
    if (!is_wide(t[0])) return t[0] == '\n' || t[0] == '\r';
    uint32_t point = point_at(t);
    return point == 0x85 || point == 0x2028 || point == 0x2029;
}

/* What is before each of some texts that are joined: `urisieve.find.delimited.SEPARATOR`. */
#define TEXT_SEPARATOR "\n\x1e\n"
#define TEXT_SEPARATOR_SIZE 3u

/* A hash of a text whose case does not count (FNV-1a). */
static inline uint32_t hash_of_lower(const byte *t, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ lower(t[i])) * 16777619u;
    return hash;
}

/* Write some bytes, perhaps none; returns their end. */
static inline byte *put_bytes(byte *to, const byte *t, size_t size)
{
    if (size) memcpy(to, t, size);
    return to + size;
}

/* The end of an authority that begins at an offset (RFC 3986 3.2). */
static inline int ends_authority(byte b) { return b == '/' || b == '?' || b == '#'; }
static inline size_t authority_end(const byte *text, size_t at, size_t end)
{
    while (at < end && !ends_authority(text[at])) ++at;
    return at;
}

/* The digits of octets. */
#define UPPER_HEX "0123456789ABCDEF"
#define LOWER_HEX "0123456789abcdef"

/* Write an octet by two digits; returns its end. */
static inline byte *put_octet(byte *to, byte octet, const char *digits)
{
    *to++ = (byte)digits[octet >> 4];
    *to++ = (byte)digits[octet & 15];
    return to;
}

/* Whether a text begins with a word in lower case; its own case does not count. */
static inline int begins(const byte *t, size_t size, const char *word)
{
    size_t n = strlen(word);
    if (size < n) return 0;
    for (size_t i = 0; i < n; ++i)
        if (lower(t[i]) != (byte)word[i]) return 0;
    return 1;
}

/* Whether a text begins with a word, just as it is written. */
static inline int starts(const byte *t, const byte *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - t) >= size && memcmp(t, word, size) == 0;
}

/* Whether a text begins with a scheme and its colon (RFC 3986 3.1). */
static inline int has_scheme(const byte *t, const byte *end)
{
    if (t == end || !is_letter(*t)) return 0;
    while (t < end && has(*t, SCHEME_CHARACTER)) ++t;
    return t < end && *t == ':';
}

/* The code of four hexadecimal digits; -1 if they do not appear there. */
static inline int32_t unit_at(const byte *t, const byte *end)
{
    int32_t unit = 0;
    if (end - t < 4) return -1;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_value(t[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

#define MONTHS "JanFebMarAprMayJunJulAugSepOctNovDec"

/* Whether one of some words of three letters, which a string contains one after the other, is at the start of a text. */
static inline int begins_with_three(const byte *t, const byte *end, const char *words)
{
    while (*words && (end - t < 3 || memcmp(t, words, 3) != 0)) words += 3;
    return *words != 0;
}

/* Whether a text is a word in lower case; its own case does not count. */
static inline int is_word(const byte *t, size_t size, const char *word)
{
    return strlen(word) == size && begins(t, size, word);
}

/* Whether a byte is one of the characters of a string. */
#define IS_ONE_OF(b, characters) (memchr(characters, (b), sizeof characters - 1) != NULL)

#endif

#include "find.h"
#include "vector.h"

size_t find_bytes(const byte *text, size_t size, const byte *needle, size_t length)
{
    if (length > size) return size;
    size_t last = size - length, offset = 0;
    byte first = needle[0], final = needle[length - 1];
    for (; offset + STEP <= last; offset += STEP) { /* the first and the last byte of the needle at once */
        uint32_t bits = equal_bits(load(text + offset), first);
        if (bits) bits &= equal_bits(load(text + offset + length - 1), final);
        for (; bits; bits &= bits - 1) {
            size_t found = offset + lowest_bit(bits);
            if (memcmp(text + found, needle, length) == 0) return found;
        }
    }
    for (; offset <= last; ++offset)
        if (text[offset] == first && memcmp(text + offset, needle, length) == 0) return offset;
    return size;
}

int contains_lower(const byte *text, size_t size, const char *word, size_t length)
{
    for (int turn = 0; turn < 2; ++turn) { /* the word in either case of its first character */
        int first = turn ? word[0] ^ 0x20 : word[0];
        for (size_t i = 0; i + length <= size; ++i) {
            const byte *next = memchr(text + i, first, size - length + 1 - i);
            size_t k = 1;
            if (next == NULL) break;
            while (k < length && lower(next[k]) == (byte)word[k]) ++k;
            if (k >= length) return 1;
            i = (size_t)(next - text);
        }
        if (!is_letter((byte)word[0])) break;
    }
    return 0;
}

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

#include "utf8.h"
#include "vector.h"

size_t valid_utf8(const byte *data, size_t size)
{
    size_t i = 0;
    while (i < size) {
        i += ascii_run(data + i, size - i);
        /* Text beyond ASCII comes in runs. The table is that of RFC 3629 4. */
        while (i < size && is_wide(data[i])) {
            byte first = data[i];
            size_t left = size - i;
            if (first >= 0xE1 && first <= 0xEF && first != 0xED && left >= 3) { /* the most common case: three bytes */
                if (!is_continuation(data[i + 1]) || !is_continuation(data[i + 2])) return i;
                i += 3;
            } else if (first >= 0xC2 && first <= 0xDF) {
                if (left < 2 || !is_continuation(data[i + 1])) return i;
                i += 2;
            } else if (first == 0xE0 || first == 0xED) {
                if (left < 3 || !is_continuation(data[i + 1]) || !is_continuation(data[i + 2])) return i;
                if (first == 0xE0 ? data[i + 1] < 0xA0 : data[i + 1] > 0x9F) return i;
                i += 3;
            } else if (first >= 0xF0 && first <= 0xF4) {
                if (left < 4 || !is_continuation(data[i + 1]) || !is_continuation(data[i + 2]) ||
                    !is_continuation(data[i + 3]))
                    return i;
                if ((first == 0xF0 && data[i + 1] < 0x90) || (first == 0xF4 && data[i + 1] > 0x8F)) return i;
                i += 4;
            } else {
                return i;
            }
        }
    }
    return i;
}

size_t cut_character(const byte *data, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; ++back) {
        byte b = data[size - back];
        if (is_continuation(b)) continue;
        if (b < 0xC2 || b > 0xF4 || width(b) <= back) return 0;
        if (back > 1) { /* the second byte must be one that may follow */
            byte second = data[size - back + 1];
            if ((b == 0xE0 && second < 0xA0) || (b == 0xED && second > 0x9F) || (b == 0xF0 && second < 0x90) ||
                (b == 0xF4 && second > 0x8F))
                return 0;
        }
        return back;
    }
    return 0;
}

size_t escaped_utf8(byte *text, const byte *data, size_t size, uint64_t *stray)
{
    byte *out = text;
    for (size_t i = 0; i < size;) {
        size_t valid = valid_utf8(data + i, size - i);
        memcpy(out, data + i, valid);
        out += valid;
        i += valid;
        if (i < size) { /* U+DC00 + byte, as three bytes */
            *out++ = 0xED;
            *out++ = (byte)(0xB0 | data[i] >> 6);
            *out++ = (byte)(0x80 | (data[i] & 0x3F));
            ++i;
            ++*stray;
        }
    }
    return (size_t)(out - text);
}

size_t characters(const byte *text, size_t size) { return size - count_bytes(text, size, 0, 1); }

size_t escapes(const byte *text, size_t size)
{
    size_t count = 0;
    const byte *end = text + size, *at = text;
    while (at < end && (at = memchr(at, 0xED, (size_t)(end - at))) != NULL) {
        if (end - at >= 3 && (at[1] == 0xB2 || at[1] == 0xB3)) ++count; /* U+DC80 to U+DCFF */
        ++at;
    }
    return count;
}

size_t line_feeds(const byte *text, size_t size) { return count_bytes(text, size, '\n', 0); }

void to_characters(int64_t *offsets, size_t count, const byte *text, size_t size)
{
    if (characters(text, size) == size) return;
    int64_t at = 0, made = 0;
    for (size_t i = 0; i < count; ++i) {
        int64_t end = offsets[i] < (int64_t)size ? offsets[i] : (int64_t)size;
        made += (int64_t)characters(text + at, (size_t)(end - at));
        at = end;
        offsets[i] += made - at;
    }
}

size_t encode_point(byte *to, uint32_t point)
{
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (size == 1) {
        to[0] = (byte)point;
    } else {
        for (size_t i = size; --i > 0; point >>= 6) to[i] = (byte)(0x80 | (point & 0x3F));
        to[0] = (byte)((0xF00 >> size & 0xFF) | point);
    }
    return size;
}

#include "mail.h"

size_t mail_decode_qp(byte *to, const byte *from, size_t size)
{
    const byte *end = from + size;
    byte *begin = to;
    while (from < end) {
        const byte *sign = memchr(from, '=', (size_t)(end - from));
        size_t plain = (size_t)((sign == NULL ? end : sign) - from);
        memcpy(to, from, plain);
        to += plain;
        from += plain;
        if (sign == NULL || ++from == end) break;
        if (*from == '\n' || *from == '\r') { /* a soft line break, with whatever follows the CR */
            while (from < end && *from != '\n') ++from;
            if (from < end) ++from;
        } else if (*from == '=') {
            *to++ = '=';
            ++from;
        } else if (end - from >= 2 && hex_value(from[0]) >= 0 && hex_value(from[1]) >= 0) {
            *to++ = (byte)(hex_value(from[0]) << 4 | hex_value(from[1]));
            from += 2;
        } else {
            *to++ = '=';
        }
    }
    return (size_t)(to - begin);
}

/* The six bits of each digit of base64, and what else may appear in it: padding and white space. */
enum { PADDING = 64, BLANK, OTHER };

static void fill_values(byte values[256])
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    memset(values, OTHER, 256);
    for (byte i = 0; i < 64; ++i) values[(byte)DIGITS[i]] = i;
    values['='] = PADDING;
    values[' '] = values['\t'] = values['\r'] = values['\n'] = BLANK;
}

size_t mail_decode_base64(byte *to, const byte *from, size_t size)
{
    byte values[256], *begin = to;
    uint32_t bits = 0, digits = 0, padding = 0;
    fill_values(values);
    for (const byte *end = from + size; from < end; ++from) {
        for (; digits == 0 && padding == 0 && end - from > 4; from += 4) {
            byte a = values[from[0]], b = values[from[1]], c = values[from[2]], d = values[from[3]];
            if ((a | b | c | d) >= PADDING) break;
            *to++ = (byte)(a << 2 | b >> 4);
            *to++ = (byte)(b << 4 | c >> 2);
            *to++ = (byte)(c << 6 | d);
        }
        byte value = values[*from];
        if (value == BLANK) continue;
        if (value == PADDING && digits >= 2 && digits + padding < 4) {
            ++padding;
            continue;
        }
        if (value >= PADDING || padding) return SIZE_MAX;
        bits = bits << 6 | value;
        if (++digits < 4) continue;
        *to++ = (byte)(bits >> 16);
        *to++ = (byte)(bits >> 8);
        *to++ = (byte)bits;
        bits = digits = 0;
    }
    if (digits == 0) return (size_t)(to - begin);
    if (digits + padding != 4 || (bits & (digits == 2 ? 0xFu : 0x3u))) return SIZE_MAX;
    *to++ = (byte)(bits >> (digits == 2 ? 4 : 10));
    if (digits == 3) *to++ = (byte)(bits >> 2);
    return (size_t)(to - begin);
}

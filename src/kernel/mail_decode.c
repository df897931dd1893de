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

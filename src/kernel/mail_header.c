#include "mail_header.h"
#include "mail_lines.h"

/* A longer header may have more fields than are read (`_MOST_FIELDS` in header_fields.py). */
#define LONGEST_HEADER 20000u

int mail_has_sign(const byte *value, size_t size)
{
    const byte *end = value + size, *colon = value;
    while ((colon = memchr(colon, ':', (size_t)(end - colon))) != NULL) {
        size_t before = (size_t)(colon - value);
        if (++colon == end) return 0;
        if (*colon <= ' ' || *colon == 0x7F || before == 0) continue;
        byte last = colon[-2];
        if (is_letter(last) || last == '+' || last == '.' || last == '-') return 1;
        if (!is_digit(last) || before < 2) continue;
        if (is_letter(colon[-3]) || (before >= 3 && is_digit(colon[-3]) && is_digit(colon[-4]))) return 1;
    }
    return 0;
}

mail_result mail_next_field(const byte *data, size_t *at, size_t limit, size_t end, mail_field *field, size_t *body)
{
    *body = 0;
    if (*at == limit) {
        if (limit < end) return MAIL_LEFT;
        *body = end;
        return MAIL_TAKEN;
    }
    if (data[*at] == '\n' || (data[*at] == '\r' && limit - *at >= 2 && data[*at + 1] == '\n')) {
        *body = *at + (data[*at] == '\r') + 1;
        return MAIL_TAKEN;
    }
    size_t behind, name = mail_name(data + *at, limit - *at, &behind);
    if (name == 0) return MAIL_LEFT;
    *field = (mail_field){*at, name, *at + behind, 0};
    size_t stop = field->value;
    for (;; ++stop) { /* folded lines begin with white space */
        const byte *feed = memchr(data + stop, '\n', limit - stop);
        if (feed == NULL) return MAIL_LEFT;
        stop = (size_t)(feed - data);
        if (stop + 1 == limit || (data[stop + 1] != ' ' && data[stop + 1] != '\t')) break;
    }
    field->end = stop;
    *at = stop + 1;
    return MAIL_TAKEN;
}

size_t mail_header_limit(const byte *data, size_t start, size_t end)
{
    size_t limit = end - start > LONGEST_HEADER ? start + LONGEST_HEADER : end;
    size_t quoted = limit > start && data[start] == '>';
    return limit - start - quoted >= 5 && memcmp(data + start + quoted, "From ", 5) == 0 ? 0 : limit;
}

#include "mail_parts.h"

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
    if (limit - *at >= behind + 2 && memcmp(data + *at + behind, "//", 2) == 0) return MAIL_LEFT; /* a link */
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

/* As in mailboxes.py: how much of a line is examined, and of the line after it; how far the date may be from "From ". */
#define LINE 1024u
#define NEXT 160u
#define REACH 512u
/* The longest name of a field there, and the most blanks after it. */
#define LONGEST_NAME 100u
#define MOST_BLANKS 8u

static int is_word_byte(byte b) { return is_alphanumeric(b) || b == '_'; }

static int is_name_character(byte b) { return b > ' ' && b < 0x7F && b != ':'; }

/* The end of the date of a shape that a text begins with, NULL if it begins with none: `W` is a weekday, `M` a month, `d` a
 * number of at most two digits, `y` one of two to four, a blank one or more of them, a comma one or none, `9` a digit, and a
 * colon is itself. */
static const byte *date_end(const byte *t, const byte *end, const char *shape)
{
    for (; *shape; ++shape) {
        const byte *start = t;
        ptrdiff_t least = *shape == 'y' ? 2 : 1;
        switch (*shape) {
        case 'W':
        case 'M':
            if (!begins_with_three(t, end, *shape == 'M' ? MONTHS : "MonTueWedThuFriSatSun")) return NULL;
            t += 3;
            break;
        case 'd':
        case 'y':
            while (t < end && is_digit(*t)) ++t;
            if (t - start < least || t - start > 2 * least) return NULL;
            break;
        case ',': t += t < end && *t == ','; break;
        case ' ':
            while (t < end && *t == ' ') ++t;
            if (t == start) return NULL;
            break;
        default:
            if (t == end || !(*shape == '9' ? is_digit(*t) : *t == (byte)*shape)) return NULL;
            ++t;
        }
    }
    return t;
}

/* The dates of RFC 4155, which is that of `asctime` without the year, as in "Thu Aug 22 12:36", with commas after the
 * weekday and the day or without; and of RFC 5322 without the weekday, as in "22 Aug 2002 12:36". */
#define ASCTIME "W, M d, d:99"
#define MAIL_DATE "d M y d:99"

/* Whether what follows a date in a line ends an envelope line: no word but those of the host that UUCP adds. */
static int ends_envelope(const byte *t, const byte *end)
{
    static const char UUCP[] = "remote from ";
    size_t length = sizeof UUCP - 1;
    while (t < end && *t != '\n' && *t < 0x80 && !(*t >= 'a' && *t <= 'z')) ++t;
    return t == end || *t == '\n' || ((size_t)(end - t) >= length && memcmp(t, UUCP, length) == 0);
}

/* `ENVELOPE`: whether a line that begins with "From " ends with a date. */
static int is_dated(const byte *line, const byte *end)
{
    const byte *last = end - line > (ptrdiff_t)(5 + REACH) ? line + 5 + REACH : end;
    for (const byte *t = line + 5; t <= last && t < end; ++t) {
        if (*t == '\n') return 0;
        if (!is_word_byte(*t) || is_word_byte(t[-1])) continue;
        const byte *date = date_end(t, end, is_digit(*t) ? MAIL_DATE : ASCTIME);
        if (date != NULL && ends_envelope(date, end)) return 1;
    }
    return 0;
}

size_t mail_name(const byte *line, size_t size, size_t *behind)
{
    size_t name = 0;
    while (name < size && is_name_character(line[name])) ++name;
    size_t colon = name;
    while (colon < size && (line[colon] == ' ' || line[colon] == '\t')) ++colon;
    if (colon == size || line[colon] != ':') return 0;
    *behind = colon + 1;
    return name;
}

/* `FIELD`: whether a line begins like a field of a header. */
static int is_field(const byte *line, size_t size)
{
    size_t quoted = size && line[0] == '>', behind = 0;
    if (size - quoted >= 5 && memcmp(line + quoted, "From ", 5) == 0) return 1;
    size_t name = mail_name(line, size, &behind);
    return name && name <= LONGEST_NAME && behind - name - 1 <= MOST_BLANKS;
}

mail_envelope mail_is_envelope(const byte *data, size_t size, size_t start, size_t offset, int final)
{
    const byte *line = data + offset;
    size_t left = size - offset, most = left < LINE ? left : LINE;
    const byte *feed = memchr(line, '\n', most);
    if (!final && left < (feed == NULL ? LINE : (size_t)(feed - line) + NEXT)) return ENVELOPE_CUT;
    size_t back = offset - start;
    int after_empty = back <= 2 || memcmp(line - 2, "\n\n", 2) == 0 || memcmp(line - 3, "\n\r\n", 3) == 0;
    const byte *next = feed == NULL ? NULL : feed + 1;
    size_t rest = next == NULL ? 0 : (size_t)(data + size - next), behind;
    if (rest > NEXT) rest = NEXT;
    if (is_dated(line, line + most)) return after_empty || is_field(next, rest) ? IS_ENVELOPE : IS_NOT_ENVELOPE;
    /* Whether the field after it is typical of mail is for Python to say. */
    return after_empty && rest && mail_name(next, rest, &behind) ? ENVELOPE_UNSURE : IS_NOT_ENVELOPE;
}

int mail_is_quoted_from(const byte *data, size_t start, size_t at)
{
    if (data[at - 1] != '>') return 0;
    while (at > start && data[at - 1] == '>') --at;
    return at == start || data[at - 1] == '\n';
}

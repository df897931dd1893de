#include "mail_lines.h"

/* As in mailboxes.py: how much of a line is examined, and of the line after it; how far the date may be from "From ". */
#define LINE 1024u
#define NEXT 160u
#define REACH 512u
/* The longest name of a field there, and the most blanks after it. */
#define LONGEST_NAME 100u
#define MOST_BLANKS 8u

static int is_word_byte(byte b) { return is_alphanumeric(b) || b == '_'; }

static int is_name_character(byte b) { return b > ' ' && b < 0x7F && b != ':'; }

/* Each of these goes on behind what it finds at the start of a text; returns 0 if it does not stand there. */
static int pass_blanks(const byte **t, const byte *end)
{
    const byte *start = *t;
    while (*t < end && **t == ' ') ++*t;
    return *t > start;
}

static int pass_digits(const byte **t, const byte *end, ptrdiff_t least, ptrdiff_t most)
{
    const byte *start = *t;
    while (*t < end && is_digit(**t)) ++*t;
    return *t - start >= least && *t - start <= most;
}

/* One of some words of three letters. */
static int pass_word(const byte **t, const byte *end, const char *words)
{
    if (end - *t < 3) return 0;
    while (*words && memcmp(*t, words, 3) != 0) words += 3;
    *t += 3;
    return *words != 0;
}

static int pass_month(const byte **t, const byte *end)
{
    return pass_word(t, end, "JanFebMarAprMayJunJulAugSepOctNovDec");
}

static int pass_comma(const byte **t, const byte *end)
{
    *t += *t < end && **t == ',';
    return 1;
}

/* Whether the time of the day stands here, up to its minutes. */
static int is_time(const byte *t, const byte *end)
{
    return pass_digits(&t, end, 1, 2) && end - t >= 3 && t[0] == ':' && is_digit(t[1]) && is_digit(t[2]);
}

/* The date of RFC 4155, that of `asctime`, without the year: "Thu Aug 22 12:36". A comma may stand after the weekday
 * and after the day. */
static int is_asctime(const byte *t, const byte *end)
{
    return pass_word(&t, end, "MonTueWedThuFriSatSun") && pass_comma(&t, end) && pass_blanks(&t, end) &&
           pass_month(&t, end) && pass_blanks(&t, end) && pass_digits(&t, end, 1, 2) && pass_comma(&t, end) &&
           pass_blanks(&t, end) && is_time(t, end);
}

/* The date of RFC 5322, without the weekday: "22 Aug 2002 12:36". */
static int is_date(const byte *t, const byte *end)
{
    return pass_digits(&t, end, 1, 2) && pass_blanks(&t, end) && pass_month(&t, end) && pass_blanks(&t, end) &&
           pass_digits(&t, end, 2, 4) && pass_blanks(&t, end) && is_time(t, end);
}

/* `DATED`: whether a date stands in a line that begins with "From ". */
static int is_dated(const byte *line, const byte *end)
{
    const byte *last = end - line > (ptrdiff_t)(5 + REACH) ? line + 5 + REACH : end;
    for (const byte *t = line + 5; t <= last && t < end; ++t) {
        if (*t == '\n') return 0;
        if (is_word_byte(*t) && !is_word_byte(t[-1]) && (is_digit(*t) ? is_date(t, end) : is_asctime(t, end))) return 1;
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

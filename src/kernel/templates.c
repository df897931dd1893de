#include "templates.h"
#include "harvest.h"

/* The patterns of the rules of `urisieve.judge.templates`, with its numbers. */
#define LONGEST_PART 256u
#define LEAST_HEXADECIMAL 8u
#define LEAST_RANDOM 16u
#define LEAST_CHANGING 4u
#define LEAST_WITHIN 4u

typedef struct {
    byte text[LONGEST_PART];
    size_t size;
} part;

/* Whether Python has to decide: there may be a date, a time, a UUID, base64, or characters that stand for others. */
static int is_left(const byte *t, size_t size)
{
    const byte *const end = t + size;
    if (size > LONGEST_PART || *t == '+' || *t == '-') return 1;
    for (const byte *at = t; at < end; ++at) {
        const size_t before = (size_t)(at - t), behind = (size_t)(end - at) - 1;
        if (is_wide(*at) || IS_ONE_OF(*at, "%:{}")) return 1;
        if (size >= LEAST_RANDOM && IS_ONE_OF(*at, "+/=")) return 1;
        if (*at == '-' && before >= 4 && behind && (at[1] == '0' || at[1] == '1') && digits_at(at - 4, at, 4) == 4) return 1;
        if (*at == '-' && before >= 8 && behind >= 5 && at[5] == '-') return 1;
        if (lower(*at) == 't' && before >= 8 && behind && is_digit(at[1]) && digits_at(at - 8, at, 8) == 8) return 1;
    }
    return 0;
}

static int has_digit(const byte *t, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (is_digit(t[i])) return 1;
    return 0;
}

/* The number of runs of letters of one case, of which the first may be a capital, and of digits, in letters and digits. */
static size_t changes_in(const byte *t, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; ++count) {
        const size_t start = i;
        if (is_digit(t[i])) {
            while (i < size && is_digit(t[i])) ++i;
            continue;
        }
        while (i < size && is_upper(t[i])) ++i;
        if (i - start < 2)
            while (i < size && is_letter(t[i]) && !is_upper(t[i])) ++i;
    }
    return count;
}

/* Whether words joined by `-` and `_` are random. */
static int is_random(const byte *t, size_t size)
{
    if (!has_digit(t, size)) return 0;
    size_t letters = 0, changes = 0;
    for (size_t start = 0, end; start <= size; start = end + 1) {
        for (end = start; end < size && is_alphanumeric(t[end]); ++end) {}
        const size_t length = end - start, same = changes_in(t + start, length);
        if (same == 1 && length >= LEAST_CHANGING) return 0;
        letters += length;
        changes += same ? same - 1 : 0;
    }
    return letters && changes * LEAST_CHANGING >= letters;
}

static int is_hexadecimal(const byte *t, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (!is_digit(t[i]) && (lower(t[i]) < 'a' || lower(t[i]) > 'f')) return 0;
    return has_digit(t, size);
}

/* Replace each run that a function accepts, of letters, digits and perhaps what joins words, which has so many characters
 * and no brace beside it. */
static void replace_runs(part *in, size_t least, int with_joints, int (*is_any)(const byte *t, size_t size))
{
    byte *to = in->text;
    const byte *const end = in->text + in->size;
    byte last = 0;
    for (const byte *at = in->text, *stop; at < end; at = stop) {
        for (stop = at; stop < end && (is_alphanumeric(*stop) || (with_joints && (*stop == '-' || *stop == '_')));) ++stop;
        const size_t size = (size_t)(stop - at);
        if (size == 0) {
            last = *to++ = *stop++;
            continue;
        }
        const int is_free = last != '}' && !(stop < end && (*stop == '{' || (with_joints && *stop == '}')));
        if (size >= least && is_free && !(with_joints && last == '{') && is_any(at, size)) {
            to = put_bytes(to, (const byte *)"{}", 2);
        } else {
            memmove(to, at, size);
            to += size;
        }
        last = stop[-1];
    }
    in->size = (size_t)(to - in->text);
}

/* Write a text with a placeholder for each number, also with dots, and for four or more digits within a word. */
static byte *put_numbers(byte *to, const byte *t, size_t size)
{
    const byte *const end = t + size;
    for (const byte *at = t; at < end;) {
        const byte *stop = at;
        while (stop < end && is_digit(*stop)) ++stop;
        if (stop == at) {
            *to++ = *at++;
            continue;
        }
        const int is_word = (at > t && (is_alphanumeric(at[-1]) || at[-1] == '}')) ||
                            (stop < end && (is_alphanumeric(*stop) || *stop == '{'));
        if (is_word && (size_t)(stop - at) < LEAST_WITHIN) {
            to = put_bytes(to, at, (size_t)(stop - at));
        } else {
            while (!is_word && stop < end && *stop == '.') {
                const byte *next = stop + 1;
                while (next < end && is_digit(*next)) ++next;
                if (next == stop + 1 || (next < end && (is_alphanumeric(*next) || *next == '{'))) break;
                stop = next;
            }
            to = put_bytes(to, (const byte *)"{}", 2);
        }
        at = stop;
    }
    return to;
}

/* Write a segment of a path or a value: as it is without a digit, else with placeholders; returns NULL where Python has
 * to decide. */
static byte *put_part(byte *to, const byte *start, const byte *end)
{
    const size_t size = (size_t)(end - start);
    size_t digits = 0;
    for (const byte *at = start; at < end; ++at) digits += is_digit(*at);
    if (digits == 0) return put_bytes(to, start, size);
    if (digits == size) return put_bytes(to, (const byte *)"{}", 2);
    if (is_left(start, size)) return NULL;
    part made;
    memcpy(made.text, start, size);
    made.size = size;
    replace_runs(&made, LEAST_HEXADECIMAL, 0, is_hexadecimal);
    if (made.size >= LEAST_RANDOM) {
        replace_runs(&made, LEAST_RANDOM, 1, is_random);
        replace_runs(&made, LEAST_RANDOM, 0, is_random);
    }
    return put_numbers(to, made.text, made.size);
}

/* Write parts with what stands between them: the name of a parameter belongs to no part. */
static byte *put_parts(byte *to, const byte *at, const byte *end, byte between, int has_names)
{
    for (const byte *stop; to != NULL; at = stop + 1) {
        stop = memchr(at, between, (size_t)(end - at));
        if (stop == NULL) stop = end;
        const byte *sign = has_names ? memchr(at, '=', (size_t)(stop - at)) : NULL;
        if (sign != NULL) {
            to = put_bytes(to, at, (size_t)(sign + 1 - at));
            at = sign + 1;
        }
        to = put_part(to, at, stop);
        if (stop == end) break;
        if (to != NULL) *to++ = between;
    }
    return to;
}

byte *plain_template(byte *to, const byte *text, size_t size)
{
    size_t head = size < 8 || memcmp(text, "http", 4) != 0 ? 0 : memcmp(text + 4, "://", 3) == 0 ? 7
                  : memcmp(text + 4, "s://", 4) == 0 ? 8 : 0;
    if (head == 0) return NULL;
    const byte *end = text + size, *mark = memchr(text, '#', size);
    if (mark != NULL) end = mark;
    if (first_mark(text, end, '@', '4', '0') < end) return NULL;
    const byte *query = memchr(text, '?', (size_t)(end - text)), *stop = query == NULL ? end : query;
    if (stop < text + head) return NULL;
    const byte *path = memchr(text + head, '/', (size_t)(stop - text) - head);
    if (path == NULL) path = stop;
    to = put_bytes(to, text, (size_t)(path - text));
    to = put_parts(to, path, stop, '/', 0);
    if (query == NULL || to == NULL) return to;
    *to++ = '?';
    return put_parts(to, query + 1, end, '&', 1);
}

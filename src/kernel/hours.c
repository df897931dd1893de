#include "hours.h"
#include "vector.h"

#define LONGEST_WORD 255u /* of the words before a time in the Common Log Format */

static int is_digit_at(const byte *t, const byte *end) { return t < end && is_digit(*t); }

static const byte *digits(const byte *t, const byte *end, size_t most)
{
    for (; most && is_digit_at(t, end); --most) ++t;
    return t;
}

/* The end of what has a shape: `9` is a digit, `M` a month, `_` a blank or digit, `T` itself or a blank, `-` itself or
 * a slash, any other character itself. NULL if it has not. */
static const byte *fits(const byte *t, const byte *end, const char *shape)
{
    for (; *shape; ++shape, ++t) {
        if (t == end) return NULL;
        switch (*shape) {
        case '9':
            if (!is_digit(*t)) return NULL;
            break;
        case 'M':
            if (!begins_with_three(t, end, MONTHS)) return NULL;
            t += 2;
            break;
        case '_':
            if (*t != ' ' && !is_digit(*t)) return NULL;
            break;
        default:
            if (*t != (byte)*shape && !(*shape == 'T' && *t == ' ') && !(*shape == '-' && *t == '/')) return NULL;
        }
    }
    return t;
}

/* The end of a time of a shape, which is noted; NULL if there is none. */
static const byte *time_at(line_time *made, const byte *t, const byte *end, const char *shape)
{
    const byte *behind = fits(t, end, shape);
    if (behind == NULL) return NULL;
    *made = (line_time){.time = t, .time_size = (size_t)(behind - t), .end = behind};
    return behind;
}

/* The end of a priority in angle brackets (RFC 5424 6.2.1), or the start if there is none. */
static const byte *behind_priority(const byte *t, const byte *end)
{
    if (t == end || *t != '<') return t;
    const byte *behind = digits(t + 1, end, 3);
    return behind > t + 1 && behind < end && *behind == '>' ? behind + 1 : t;
}

static int is_iso(line_time *made, const byte *line, const byte *end)
{
    static const char ISO[] = "9999-99-99T99:99";
    const byte *at = behind_priority(line, end), *behind = NULL;
    if (at > line) { /* perhaps a version of two digits, and a blank */
        for (int size = (int)(digits(at, end, 2) - at); behind == NULL && size >= 0; --size) {
            if (at + size < end && at[size] == ' ') behind = time_at(made, at + size + 1, end, ISO);
            if (behind == NULL) behind = time_at(made, at + size, end, ISO);
        }
    } else {
        behind = time_at(made, line + (line < end && *line == '['), end, ISO);
    }
    if (behind == NULL) return 0;
    const byte *seconds = fits(behind, end, ":99");
    if (seconds != NULL) {
        made->second = behind + 1;
        behind = seconds;
        if (behind < end && (*behind == '.' || *behind == ',') && is_digit_at(behind + 1, end))
            behind = digits(behind + 1, end, 9);
        made->second_size = (size_t)(behind - made->second);
    }
    made->end = behind;
    const byte *zone = behind + (behind < end && *behind == ' ');
    const byte *stop = fits(zone, end, "Z");
    if (stop == NULL && zone < end && (*zone == '+' || *zone == '-')) {
        stop = fits(zone + 1, end, "99:99");
        if (stop == NULL) stop = fits(zone + 1, end, "9999");
    }
    if (stop == NULL || is_digit_at(stop, end)) return 1;
    made->zone = zone;
    made->zone_size = (size_t)(stop - zone);
    made->end = stop;
    return 1;
}

static int is_bsd(line_time *made, const byte *line, const byte *end)
{
    const byte *behind = time_at(made, behind_priority(line, end), end, "M _9 99:99");
    const byte *stop = behind == NULL ? NULL : fits(behind, end, ":99");
    if (stop == NULL) return 0;
    made->second = behind + 1;
    made->second_size = 2;
    made->end = stop;
    return 1;
}

/* White space, and the bracket before a time. */
static int ends_word(byte one) { return one == ' ' || (one >= 9 && one <= 13) || one == '['; }

static int is_clf(line_time *made, const byte *line, const byte *end)
{
    const byte *at = line;
    while (at < end && (size_t)(at - line) < LONGEST_WORD && !ends_word(*at)) ++at;
    if (at == line || at == end || *at != ' ') return 0;
    const byte *words = ++at;
    while (at < end && (size_t)(at - words) <= LONGEST_WORD && *at != '[' && *at != '\n') ++at;
    if (at == end || *at != '[' || at - words < 2 || at[-1] != ' ') return 0;
    const byte *behind = time_at(made, at + 1, end, "99/M/9999:99:99");
    const byte *zone = behind == NULL ? NULL : fits(behind, end, ":99 ");
    if (zone == NULL || zone == end || (*zone != '+' && *zone != '-')) return 0;
    const byte *stop = fits(zone + 1, end, "9999]");
    if (stop == NULL) return 0;
    made->second = behind + 1;
    made->second_size = 2;
    made->zone = zone;
    made->zone_size = 5;
    made->end = stop;
    return 1;
}

time_form find_line_time(line_time *made, const byte *line, const byte *end)
{
    return is_iso(made, line, end)   ? ISO_TIME
           : is_bsd(made, line, end) ? BSD_TIME
           : is_clf(made, line, end) ? CLF_TIME
                                     : NO_TIME;
}

size_t put_written(byte to[TIME_SIZE], const line_time *of)
{
    const byte *end = of->time + of->time_size;
    if (of->second != NULL) end = of->second + of->second_size;
    if (of->zone != NULL) end = of->zone + of->zone_size;
    size_t size = 0;
    for (const byte *t = of->time; t < end; ++t)
        if (t == of->time || *t != ' ' || t[-1] != ' ') to[size++] = *t;
    return size;
}

size_t put_time(byte to[TIME_SIZE], const byte *minute, size_t size, const line_time *of)
{
    const byte *second = of->second == NULL ? (const byte *)"00" : of->second;
    const size_t second_size = of->second == NULL ? 2 : of->second_size;
    if (size + second_size + 2 > TIME_SIZE || *minute == '-' || (second[0] - '0') * 10 + second[1] - '0' > 60) return 0;
    memcpy(to, minute, size);
    to[size++] = ':';
    for (size_t i = 0; i < second_size; ++i) to[size++] = second[i] == ',' ? '.' : second[i];
    if (of->zone != NULL) to[size++] = 'Z';
    return size;
}

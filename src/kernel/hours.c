#include "hours.h"

#define LONGEST_RUN 255u
#define LONGEST_NAME 32u /* of logfmt */
#define MOST_PAIRS 8u
#define MOST_BLANKS 64u
#define NO_HOUR 99u /* that no day has */

/* What a shape has found so far. */
typedef struct {
    const byte *line, *end; /* of all text */
    const byte *zone, *fraction;
    size_t zone_size, fraction_size;
    unsigned year, month, day, hour, minute, second;
    int has_year, has_second;
    byte half;      /* A, P, or 0 */
    uint64_t epoch; /* 0 if there is none */
} stated;

/* The end of a number of so many digits; NULL if there are fewer. */
static const byte *number_at(unsigned *value, const byte *t, const byte *end, size_t size)
{
    if (digits_at(t, end, size) < size) return NULL;
    for (*value = 0; size; --size) *value = *value * 10 + (unsigned)(*t++ - '0');
    return t;
}

/* The same of one or two digits, or of a blank and one. */
static const byte *short_number_at(unsigned *value, const byte *t, const byte *end)
{
    if (t < end && *t == ' ') return number_at(value, t + 1, end, 1);
    const size_t size = digits_at(t, end, 2);
    return size ? number_at(value, t, end, size) : NULL;
}

/* The number of one of some words of three letters, of which the first is a capital, from 1; 0 if none is there. */
static unsigned word_at(const byte *t, const byte *end, const char *words)
{
    if (t == end || !is_upper(*t)) return 0;
    for (unsigned number = 1; *words; words += 3, ++number)
        if (end - t >= 3 && memcmp(t, words, 3) == 0) return number;
    return 0;
}

static const byte *level_at(const byte *t, const byte *end)
{
    static const char *const LEVELS[] = {"TRACE", "DEBUG",  "INFO",     "NOTICE", "WARNING",
                                         "WARN",  "ERROR", "SEVERE", "CRITICAL", "FATAL"};
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; ++i)
        if (starts(t, end, LEVELS[i])) return t + strlen(LEVELS[i]);
    return NULL;
}

static const byte *behind_fraction(stated *of, const byte *t, const byte *end)
{
    if (t == end || (*t != '.' && *t != ',')) return t;
    const size_t size = digits_at(t + 1, end, 9);
    if (!size) return t;
    of->fraction = t + 1;
    of->fraction_size = size;
    return t + 1 + size;
}

static const byte *behind_second(stated *of, const byte *t, const byte *end)
{
    t = number_at(&of->second, t, end, 2);
    if (t == NULL) return NULL;
    of->has_second = 1;
    return behind_fraction(of, t, end);
}

/* The end of a zone; NULL if none is there. */
static const byte *zone_at(const byte *t, const byte *end)
{
    if (t == end) return NULL;
    if (*t == 'Z') return digits_at(t + 1, end, 1) ? NULL : t + 1;
    if (starts(t, end, "UTC") || starts(t, end, "GMT")) {
        t += 3;
        return t < end && (is_alphanumeric(*t) || *t == '+' || *t == '-') ? NULL : t;
    }
    if ((*t != '+' && *t != '-') || digits_at(t + 1, end, 2) < 2) return NULL;
    const byte *hours = t + 3, *minutes = hours + (hours < end && *hours == ':');
    if (digits_at(minutes, end, 3) == 2) return minutes + 2;
    return hours < end && (is_digit(*hours) || *hours == ':') ? NULL : hours;
}

static void set_zone(stated *of, const byte *t, const byte *end)
{
    of->zone = t;
    of->zone_size = (size_t)(end - t);
}

static const byte *behind_epoch(stated *of, const byte *t, const byte *end)
{
    if (digits_at(t, end, 10) < 10 || *t != '1') return NULL;
    of->epoch = 0;
    for (size_t i = 0; i < 10; ++i) of->epoch = of->epoch * 10 + (uint64_t)(t[i] - '0');
    of->fraction = t + 10;
    of->fraction_size = 0;
    const byte *behind = t + 10;
    if (behind < end && *behind == '.' && digits_at(behind + 1, end, 9)) {
        of->fraction = behind + 1;
        of->fraction_size = digits_at(behind + 1, end, 9);
        behind += 1 + of->fraction_size;
    } else if (t > of->line) {
        of->fraction_size = digits_at(behind, end, 9) / 3 * 3;
        behind += of->fraction_size;
    } else {
        return NULL;
    }
    if (behind < end && (is_alphanumeric(*behind) || *behind == '.')) return NULL;
    while (of->fraction_size && of->fraction[of->fraction_size - 1] == '0') --of->fraction_size;
    return behind;
}

/* The end of a name and `=`; NULL if they are not there. */
static const byte *behind_name(const byte *t, const byte *end)
{
    const byte *name = t;
    while (t < end && (size_t)(t - name) < LONGEST_NAME && (is_letter(*t) || *t == '_' || *t == '.')) ++t;
    return t == name || t == end || *t != '=' ? NULL : t + 1;
}

/* The end of a name, `=`, a value and a blank; NULL if they are not there. */
static const byte *behind_pair(const byte *t, const byte *end)
{
    const byte *value = t = behind_name(t, end);
    if (value == NULL) return NULL;
    const int is_quoted = t < end && *t == '"';
    if (is_quoted) value = ++t;
    while (t < end && (size_t)(t - value) < LONGEST_RUN && *t != '"' && *t != '\n' && (is_quoted || *t != ' ')) ++t;
    if (is_quoted && (t == end || *t++ != '"')) return NULL;
    return t < end && *t == ' ' ? t + 1 : NULL;
}

static int is_in_word(byte one) { return one != ' ' && !(one >= 9 && one <= 13) && one != '[' && one != '|'; }

/* The end of what has a shape (`urisieve.syntax.time_forms`); NULL if it has not. */
static const byte *fits(stated *of, const byte *t, const char *shape)
{
    const byte *const end = of->end, *stop;
    size_t size;
    for (; t != NULL && *shape; ++shape) {
        if (*shape != '%') {
            t = t < end && *t == (byte)*shape ? t + 1 : NULL;
            continue;
        }
        switch (*++shape) {
        case 'Y':
            t = number_at(&of->year, t, end, 4);
            of->has_year = 1;
            break;
        case 'y':
            t = number_at(&of->year, t, end, 2);
            of->year += of->year < CENTURY ? 2000 : 1900;
            of->has_year = 1;
            break;
        case 'b':
            of->month = word_at(t, end, MONTHS);
            t = of->month ? t + 3 : NULL;
            break;
        case 'm': t = number_at(&of->month, t, end, 2); break;
        case 'd': t = number_at(&of->day, t, end, 2); break;
        case 'e': t = short_number_at(&of->day, t, end); break;
        case 'H': t = number_at(&of->hour, t, end, 2); break;
        case 'k': t = short_number_at(&of->hour, t, end); break;
        case 'M': t = number_at(&of->minute, t, end, 2); break;
        case 'S': t = behind_second(of, t, end); break;
        case ':':
            if (t < end && *t == ':' && (stop = behind_second(of, t + 1, end)) != NULL) t = stop;
            break;
        case 'p':
            of->half = t < end ? *t : 0;
            t = end - t >= 2 && (*t == 'A' || *t == 'P') && t[1] == 'M' ? t + 2 : NULL;
            break;
        case 'z': {
            const byte *zone = t + (t < end && *t == ' ');
            if ((stop = zone_at(zone, end)) == NULL) break;
            set_zone(of, zone, stop);
            t = stop;
            break;
        }
        case 'Z':
            for (size = 0; size < 6 && t + size < end && is_upper(t[size]); ++size) {}
            stop = t + size;
            if (t < end && (*t == '+' || *t == '-') && digits_at(t + 1, end, 4) == 4) stop = t + 5;
            if (stop == end || *stop != ' ') break;
            if (stop == t + 5 && size == 0) set_zone(of, t, stop);
            else if (size == 3 && (starts(t, end, "UTC") || starts(t, end, "GMT"))) set_zone(of, t, stop);
            else if (size < 3 || size > 5) break;
            t = stop + 1;
            break;
        case 'a':
            stop = t + 3;
            if (!word_at(t, end, "MonTueWedThuFriSatSun")) break;
            if (stop < end && *stop == ',') ++stop;
            if (stop < end && *stop == ' ') t = stop + 1;
            break;
        case 's': t = behind_epoch(of, t, end); break;
        case '|':
            if (t < end && (is_alphanumeric(*t) || IS_ONE_OF(*t, ".:-"))) t = NULL;
            break;
        case 'L':
            if (t == end || *t != ' ' || level_at(t + 1, end) == NULL) t = NULL;
            break;
        case '-': t = t < end && IS_ONE_OF(*t, "-/") ? t + 1 : NULL; break;
        case '/': t = t < end && IS_ONE_OF(*t, "-/ ") ? t + 1 : NULL; break;
        case ';': t = t < end && IS_ONE_OF(*t, ": ") ? t + 1 : NULL; break;
        case 't':
            if (t < end && IS_ONE_OF(*t, "T_-")) {
                ++t;
                break;
            }
            for (size = 0; size < 2 && t + size < end && IS_ONE_OF(t[size], " \t"); ++size) {}
            t = size ? t + size : NULL;
            break;
        case 'n':
            size = digits_at(t, end, 5);
            t = size ? t + size : NULL;
            break;
        case 'g': t = t < end && is_upper(*t) ? t + 1 : NULL; break;
        case 'l': t = level_at(t, end); break;
        case '_':
            for (size = 0; size < MOST_BLANKS && t < end && *t == ' '; ++size) ++t;
            break;
        case 'w':
            for (size = 0; size < LONGEST_RUN && t < end && is_in_word(*t); ++size) ++t;
            if (!size) t = NULL;
            break;
        case '"':
            if (t < end && *t == '"') ++t;
            break;
        case 'B':
            if (!word_at(t, end, MONTHS)) return NULL;
            t += 3;
            for (const char *at = " _9 99:99:99"; *at; ++at, ++t)
                if (t == end || !(*at == '9' ? is_digit(*t) : *t == (byte)*at || (*at == '_' && (is_digit(*t) || *t == ' '))))
                    return NULL;
            break;
        case 'h': /* all that comes before what comes next in the shape, a character */
            for (size = 0;; ++size, ++t) {
                if (t < end && *t == (byte)shape[1] && (stop = fits(of, t, shape + 1)) != NULL) return stop;
                if (size == LONGEST_RUN || t == end || *t == '\n') return NULL;
            }
        case 'F':
            for (size = 0;; ++size) {
                if ((stop = fits(of, t, shape + 1)) != NULL) return stop;
                if (size == MOST_PAIRS || (t = behind_pair(t, end)) == NULL) return NULL;
            }
        default: return NULL;
        }
    }
    return t;
}

static byte *put_number(byte *to, uint64_t number, size_t size)
{
    for (byte *t = to + size; t > to; number /= 10) *--t = (byte)('0' + number % 10);
    return to + size;
}

/* Note what a form has found. */
static void make_time(line_time *made, stated *of, const byte *time, const byte *end)
{
    byte *to = made->minute;
    made->time = time;
    made->end = end;
    made->zone = of->zone;
    made->zone_size = of->zone_size;
    if (of->epoch) {
        to = put_number(to, of->epoch / 60, 8);
        of->second = (unsigned)(of->epoch % 60);
        of->has_second = 1;
        made->zone = (const byte *)"Z";
        made->zone_size = 1;
    } else {
        if (of->half) of->hour = of->hour && of->hour <= 12 ? of->hour % 12 + (of->half == 'P' ? 12 : 0) : NO_HOUR;
        if (of->has_year) to = put_number(to, of->year, 4);
        else *to++ = '-';
        *to++ = '-';
        to = put_number(to, of->month, 2);
        *to++ = '-';
        to = put_number(to, of->day, 2);
        *to++ = 'T';
        to = put_number(to, of->hour, 2);
        *to++ = ':';
        to = put_number(to, of->minute, 2);
    }
    made->minute_size = (size_t)(to - made->minute);
    to = put_number(made->second, of->has_second ? of->second : 0, 2);
    if (of->fraction_size) {
        *to++ = '.';
        to = put_bytes(to, of->fraction, of->fraction_size);
    }
    made->second_size = (size_t)(to - made->second);
}

/* Whether a row begins with the byte that is there. */
#define MAY_BEGIN(rows, i, t, end) ((t) == (end) || is_wide(*(t)) || ((rows)[*(t)] >> (i) & 1))

static int find_form(line_time *made, const byte *line, const byte *time, const byte *end)
{
    for (size_t i = 0; i < TIME_FORM_COUNT; ++i) {
        if (!MAY_BEGIN(TIME_FORM_STARTS, i, time, end)) continue;
        stated of = {.line = line, .end = end};
        const byte *behind = fits(&of, time, TIME_FORMS[i]);
        if (behind == NULL) continue;
        make_time(made, &of, time, behind);
        return 1;
    }
    return 0;
}

/* Whether a head that begins with any word may be there: it has another run and a bracket behind it, which is looked for
 * first, as most lines begin with a word. */
static int may_have_word(const byte *t, const byte *end)
{
    const size_t most = 2 * LONGEST_RUN + 2;
    return memchr(t, '[', (size_t)(end - t) < most ? (size_t)(end - t) : most) != NULL;
}

static int find_headed(line_time *made, const byte *line, const byte *t, const byte *end)
{
    const int has_pair = behind_name(t, end) != NULL;
    for (size_t i = 0; i < TIME_HEAD_COUNT; ++i) {
        if (!MAY_BEGIN(TIME_HEAD_STARTS, i, t, end)) continue;
        if (!has_pair && TIME_HEADS[i][0] == '%' && TIME_HEADS[i][1] == 'F') continue; /* it is pairs, or their name */
        if (strcmp(TIME_HEADS[i], "%w%h [") == 0 && !may_have_word(t, end)) continue;
        stated of = {.line = line, .end = end};
        const byte *time = fits(&of, t, TIME_HEADS[i]);
        if (time != NULL && find_form(made, line, time, end)) return 1;
    }
    return 0;
}

int find_line_time(line_time *made, const byte *line, const byte *end)
{
    stated of = {.line = line, .end = end};
    const byte *behind = fits(&of, line, TIME_SERVICE);
    return (behind != NULL && find_headed(made, line, behind, end)) || find_headed(made, line, line, end);
}

size_t put_written(byte to[TIME_SIZE], const line_time *of)
{
    size_t size = 0;
    for (const byte *t = of->time; t < of->end; ++t)
        if (!is_blank(*t) || (size && !is_blank(t[-1]))) to[size++] = is_blank(*t) ? ' ' : *t;
    return size;
}

size_t put_time(byte to[TIME_SIZE], const byte *minute, size_t size, const line_time *of)
{
    if (size + of->second_size + 2 > TIME_SIZE || *minute == '-') return 0;
    if ((of->second[0] - '0') * 10 + of->second[1] - '0' > 60) return 0;
    memcpy(to, minute, size);
    to[size++] = ':';
    size = (size_t)(put_bytes(to + size, of->second, of->second_size) - to);
    if (of->zone_size) to[size++] = 'Z';
    return size;
}

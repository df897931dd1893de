#include "warc.h"

const char *const WARC_NAMES[WARC_FIELDS] = {"content-length", "content-type", "warc-target-uri", "warc-truncated",
                                             "warc-type",      "warc-date"};
/* The longest header that is read here, and the most digits of a length. */
#define HEADER 4096u
#define DIGITS 18u
#define GAP_SIZE 4u

static int is_gap(const byte *data, size_t size, size_t at)
{
    return size - at >= GAP_SIZE && memcmp(data + at, "\r\n\r\n", GAP_SIZE) == 0;
}

static size_t behind_digits(const byte *data, size_t size, size_t at)
{
    size_t most = size - at < 2 ? size : at + 2;
    while (at < most && is_digit(data[at])) ++at;
    return at;
}

/* The offset behind the line of a version, 0 if there is none at an offset. */
static size_t behind_version(const byte *data, size_t size, size_t at)
{
    if (size - at < 5 || memcmp(data + at, "WARC/", 5) != 0) return 0;
    size_t major = at + 5, point = behind_digits(data, size, major);
    if (point == major || point == size || data[point] != '.') return 0;
    size_t end = behind_digits(data, size, point + 1);
    if (end == point + 1) return 0;
    if (end < size && data[end] == '\r') ++end;
    return end < size && data[end] == '\n' ? end + 1 : 0;
}

/* White space of ASCII, as `str.strip` has it. */
static int is_blank(byte b) { return b == ' ' || (b >= '\t' && b <= '\r') || (b >= 0x1C && b <= 0x1F); }

/* Take the field of a line if it is one of them, and the first of its name; returns 0 if it is not ASCII. */
static int take_field(const byte *data, size_t at, size_t end, warc_record *to)
{
    for (unsigned i = 0; i < WARC_FIELDS; ++i) {
        if (!begins(data + at, end - at, WARC_NAMES[i])) continue;
        size_t colon = at + strlen(WARC_NAMES[i]);
        while (colon < end && (data[colon] == ' ' || data[colon] == '\t')) ++colon;
        if (colon == end || data[colon] != ':') continue;
        if (to->values[i].end) return 1;
        warc_span value = {colon + 1, end};
        while (value.start < value.end && is_blank(data[value.start])) ++value.start;
        while (value.end > value.start && is_blank(data[value.end - 1])) --value.end;
        for (size_t k = value.start; k < value.end; ++k)
            if (is_wide(data[k])) return 0;
        to->values[i] = value;
        return 1;
    }
    return 1;
}

int warc_record_at(const byte *data, size_t size, size_t at, size_t longest, warc_record *to)
{
    memset(to, 0, sizeof *to);
    while (is_gap(data, size, at)) at += GAP_SIZE;
    to->offset = at;
    size_t line = behind_version(data, size, at), most = size - at < HEADER ? size : at + HEADER;
    if (line == 0) return 0;
    for (;;) {
        if (line >= most || data[line] == ' ' || data[line] == '\t') return 0;
        size_t blank = line;
        while (blank < most && data[blank] == '\r') ++blank;
        if (blank < most && data[blank] == '\n') {
            line = blank + 1;
            break;
        }
        const byte *feed = memchr(data + line, '\n', most - line);
        if (feed == NULL || behind_version(data, size, line)) return 0;
        if (!take_field(data, line, (size_t)(feed - data), to)) return 0;
        line = (size_t)(feed - data) + 1;
    }
    warc_span digits = to->values[0];
    if (digits.end == digits.start || digits.end - digits.start > DIGITS) return 0;
    uint64_t length = 0;
    for (size_t i = digits.start; i < digits.end; ++i) {
        if (!is_digit(data[i])) return 0;
        length = length * 10 + (uint64_t)(data[i] - '0');
    }
    if (length > longest || length > size - line) return 0;
    to->block = (warc_span){line, line + (size_t)length};
    return is_gap(data, size, to->block.end) && behind_version(data, size, to->block.end + GAP_SIZE) != 0;
}

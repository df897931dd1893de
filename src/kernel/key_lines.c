#include "key_lines.h"
#include "buffer.h"
#include "utf8.h"

/* About the length of a line: room for the shortest ones would be many times the size of the text. */
#define LIKELY_LINE 32u

lines_result harvest_lines(harvest *into, const byte *data, size_t size, uint64_t number, unsigned wanted,
                           size_t *count)
{
    memset(into, 0, sizeof *into);
    if (size > UINT32_MAX || valid_utf8(data, size) != size) return LINES_LEFT;
    into->wanted = wanted | WANT_OFFSETS; /* the numbers of lines */
    into->in_order = 1;
    if (!GROW(into->rows, into->room, size / LIKELY_LINE) || !GROW(into->forms.at, into->forms.room, size + 1))
        return LINES_NO_MEMORY;
    const byte *end = data + size;
    byte *to = into->forms.at;
    for (*count = 0; data < end; ++*count) {
        const byte *feed = memchr(data, '\n', (size_t)(end - data)), *next = feed == NULL ? end : feed + 1;
        size_t length = (size_t)((feed == NULL ? end : feed) - data);
        while (length && data[length - 1] == '\r') --length;
        if (length) {
            if (!GROW(into->rows, into->room, into->count + 1)) return LINES_NO_MEMORY;
            found_row *one = &into->rows[into->count++];
            memset(one, 0, sizeof *one);
            one->uri = one->key = one->raw = (size_t)(to - into->forms.at);
            one->uri_size = one->key_size = one->raw_size = (uint32_t)length;
            one->special = NO_SPECIAL;
            if (may_hold_password(data, length, 0)) one->has_password = 1, into->has_passwords = 1;
            one->start = number + *count;
            memcpy(to, data, length);
            to += length;
            *to++ = '\n';
        }
        data = next;
    }
    into->forms.size = (size_t)(to - into->forms.at);
    if (into->forms.size && (wanted & WANT_RAW)) {
        if (!GROW(into->raws.at, into->raws.room, into->forms.size)) return LINES_NO_MEMORY;
        memcpy(into->raws.at, into->forms.at, into->forms.size);
        into->raws.size = into->forms.size;
    }
    return LINES_TAKEN;
}

#include "components.h"

size_t split_items(item items[MOST_ITEMS], const byte *t, size_t size, byte delimiter)
{
    const byte *end = t + size;
    for (size_t count = 0; count < MOST_ITEMS; ++t) {
        const byte *stop = t == end ? NULL : memchr(t, delimiter, (size_t)(end - t));
        if (stop == NULL) stop = end;
        const byte *sign = t == stop ? NULL : memchr(t, '=', (size_t)(stop - t));
        items[count++] = (item){t, (size_t)(stop - t), (size_t)((sign == NULL ? stop : sign) - t), 0, 0};
        if (stop == end) return count;
        t = stop;
    }
    return 0;
}

int comes_before(const item *one, const item *other)
{
    if (one->is_last != other->is_last) return other->is_last;
    size_t shared = one->name_size < other->name_size ? one->name_size : other->name_size;
    int order = memcmp(one->text, other->text, shared);
    return order < 0 || (order == 0 && one->name_size < other->name_size);
}

void sort_items(item *items, size_t count, int (*comes_before)(const item *one, const item *other))
{
    for (size_t i = 1; i < count; ++i) {
        item one = items[i];
        size_t at = i;
        for (; at > 0 && comes_before(&one, &items[at - 1]); --at) items[at] = items[at - 1];
        items[at] = one;
    }
}

byte *put_items(byte *to, const item *items, size_t count, byte delimiter)
{
    for (size_t i = 0; i < count; ++i) {
        if (i) *to++ = delimiter;
        to = put_bytes(to, items[i].text, items[i].size);
    }
    return to;
}

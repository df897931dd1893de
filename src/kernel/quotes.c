#include "quotes.h"

/* The start of the next line; `size` if there is none. */
static size_t next_line(const byte *text, size_t size, size_t offset)
{
    const byte *feed = memchr(text + offset, '\n', size - offset);
    return feed == NULL ? size : (size_t)(feed - text) + 1;
}

/* The first quote from the start of a line on. */
static size_t next_quote(const byte *text, size_t size, size_t offset, int alone)
{
    const byte *mark = text + offset;
    while ((mark = memchr(mark, '>', (size_t)(text + size - mark))) != NULL) {
        size_t at = (size_t)(mark++ - text);
        if (at > 0 && text[at - 1] != '\n') continue;
        if (alone) return at;
        size_t next = next_line(text, size, at);
        if (next < size && text[next] == '>') return at;
    }
    return size;
}

size_t first_quote(const byte *text, size_t size, int alone) { return next_quote(text, size, 0, alone); }

void blank_quotes(byte *text, size_t size, size_t offset, int alone)
{
    while ((offset = next_quote(text, size, offset, alone)) < size) {
        while (offset < size && text[offset] == '>') {
            for (size_t mark = offset; mark < size && (text[mark] == '>' || text[mark] == ' '); ++mark)
                text[mark] = ' ';
            offset = next_line(text, size, offset);
        }
    }
}

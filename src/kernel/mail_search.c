#include "mail_search.h"
#include "delimited.h"
#include "utf8.h"
#include "vector.h"

/* The text of the search while it searches another one, which is not copied. */
typedef struct {
    byte *text;
    size_t room;
} own_text;

/* Begin another text; the rows stay. */
static void begin(search *in)
{
    size_t rows = in->row_count, forms = in->forms_size;
    search_restart(in);
    in->row_count = rows;
    in->forms_size = forms;
}

static own_text lend(search *in, byte *text, size_t size, int is_ascii)
{
    own_text own = {in->text, in->room};
    begin(in);
    in->text = text;
    in->size = in->room = size;
    in->is_ascii = is_ascii;
    return own;
}

static void give_back(search *in, own_text own)
{
    begin(in);
    in->text = own.text;
    in->room = own.room;
}

/* Whether something found since a row has characters that were decoded by a table: then the judge has to know that. */
static int has_legacy(const search *in, const mail_text *text, const byte *from, size_t row)
{
    if (!text->is_legacy) return 0;
    for (; row < in->row_count; ++row) {
        size_t size = in->rows[row].end - in->rows[row].start;
        if (ascii_run(from + in->rows[row].start, size) < size) return 1;
    }
    return 0;
}

static progress take_link(search *in)
{
    switch (search_whole(in)) {
    case DELIMITED: return SEARCHED;
    case NOT_DELIMITED: return AT_PLACE;
    default: return NO_MEMORY;
    }
}

size_t mail_follow(search *in, mail_stretch *texts, size_t first)
{
    size_t number = first;
    for (; number < texts->count; ++number) {
        mail_text *one = &texts->texts[number];
        size_t rows = in->row_count, forms = in->forms_size;
        own_text own = lend(in, texts->text + one->start, one->size, one->is_ascii);
        progress reached = one->is_link ? take_link(in) : search_run(in, 1);
        give_back(in, own);
        if (reached == NO_MEMORY) return SIZE_MAX;
        if (reached == AT_PLACE || has_legacy(in, one, texts->text + one->start, rows)) {
            in->row_count = rows;
            in->forms_size = forms;
            break;
        }
        one->found = (uint32_t)(in->row_count - rows);
        for (; rows < in->row_count; ++rows) {
            in->rows[rows].start += one->start;
            in->rows[rows].end += one->start;
        }
    }
    return number;
}

/* Make the position of a row relative to its text. */
static void relate(found_row *to, const mail_text *text, uint64_t base, size_t characters_before,
                   size_t lines_before, unsigned wanted)
{
    if (wanted & (WANT_OFFSETS | WANT_LINES)) {
        to->start -= characters_before;
        to->end -= characters_before;
    }
    if (wanted & WANT_LINES) to->line -= lines_before;
    if ((wanted & WANT_BYTES) && text->is_legacy) { /* a byte for each character */
        to->byte_start = base + text->offset + to->start;
        to->byte_end = base + text->offset + to->end;
    } else if (wanted & WANT_BYTES) {
        to->byte_start += base + text->offset - text->start;
        to->byte_end += base + text->offset - text->start;
    }
}

int mail_take(harvest *into, search *in, const mail_stretch *texts, size_t first, unsigned wanted)
{
    size_t count = in->row_count;
    if (wanted & WANT_BYTES) wanted |= WANT_OFFSETS;
    own_text own = lend(in, texts->text, texts->size, texts->is_ascii);
    int done = harvest_take(into, in, wanted);
    give_back(in, own);
    if (!done) return 0;
    size_t row = 0, accepted = 0, rejected = 0, counted = 0, before = 0, lines = 0;
    for (size_t number = first; row < count; ++number) {
        const mail_text *one = &texts->texts[number];
        if (one->found == 0) continue;
        size_t size = one->start - counted;
        before += texts->is_ascii ? size : characters(texts->text + counted, size);
        if (wanted & WANT_LINES) lines += line_feeds(texts->text + counted, size);
        counted = one->start;
        for (size_t end = row + one->found; row < end; ++row) {
            int is_rejected = rejected < into->rejected_count && into->rejected[rejected].source == row;
            if (is_rejected)
                relate(&into->rejected[rejected++].at, one, texts->base, before, lines, wanted | WANT_OFFSETS);
            else
                relate(&into->rows[accepted++], one, texts->base, before, lines, wanted);
        }
    }
    return 1;
}

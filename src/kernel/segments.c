#include "segments.h"
#include "delimited.h"
#include "utf8.h"
#include "vector.h"

/* Whether a row from a number on has a character beyond ASCII: in a legacy text the judge has to know that. */
static int has_wide(const search *in, size_t row)
{
    for (; row < in->row_count; ++row) {
        size_t size = in->rows[row].end - in->rows[row].start;
        if (ascii_run(in->text + in->rows[row].start, size) < size) return 1;
    }
    return 0;
}

static progress search_one(search *in, unsigned kind, size_t rows)
{
    progress reached = SEARCHED;
    if (kind & SEGMENT_LINK) {
        delimiting taken = search_whole(in, 0, in->size);
        if (taken != DELIMITED) reached = taken == NOT_DELIMITED ? AT_PLACE : NO_MEMORY;
    } else {
        reached = search_run(in, 1);
    }
    return reached == SEARCHED && (kind & SEGMENT_LEGACY) && has_wide(in, rows) ? AT_PLACE : reached;
}

/* The number of bytes of so many characters. */
static size_t bytes_of(const search *in, const byte *text, int64_t size)
{
    if (in->is_ascii) return (size_t)size;
    const byte *at = text;
    for (; size > 0; --size) at += width(*at);
    return (size_t)(at - text);
}

static int64_t begin_at(const segment_list *segments, size_t number)
{
    int64_t begin;
    memcpy(&begin, segments->begins + number * sizeof begin, sizeof begin);
    return begin;
}

size_t search_segments(search *in, const segment_list *segments, int64_t *left)
{
    const search whole = *in; /* the text and whether it is ASCII */
    size_t start = 0, count = 0;
    int64_t known = 0;
    progress reached = SEARCHED;
    for (size_t number = 0; number < segments->count && reached != NO_MEMORY; ++number) {
        int64_t begin = begin_at(segments, number), size = begin_at(segments, number + 1) - begin - TEXT_SEPARATOR_SIZE;
        start += bytes_of(&whole, whole.text + start, begin - known);
        size_t bytes = bytes_of(&whole, whole.text + start, size), rows = in->row_count, forms = in->forms_size;
        search_restart(in);
        in->row_count = rows;
        in->forms_size = forms;
        in->text = whole.text + start;
        in->size = in->room = bytes;
        in->is_ascii = whole.is_ascii || ascii_run(in->text, bytes) == bytes;
        reached = search_one(in, segments->kinds[number], rows);
        if (reached == AT_PLACE) {
            in->row_count = rows;
            in->forms_size = forms;
            left[count++] = (int64_t)number;
        }
        for (; rows < in->row_count; ++rows) {
            in->rows[rows].start += start;
            in->rows[rows].end += start;
        }
        start += bytes;
        known = begin + size;
    }
    size_t rows = in->row_count, forms = in->forms_size;
    search_restart(in);
    in->row_count = rows;
    in->forms_size = forms;
    in->text = whole.text;
    in->room = whole.room;
    in->is_ascii = whole.is_ascii;
    in->size = in->position = in->floor = in->keep = in->looked = whole.size;
    return reached == NO_MEMORY ? SIZE_MAX : count;
}

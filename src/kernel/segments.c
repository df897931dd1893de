#include "segments.h"
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

/* The schemes of programs: links may appear in their text, if it is not valid as a whole. */
static int is_script(const byte *name, size_t size)
{
    static const char *const SCRIPTS[] = {"javascript", "vbscript", "livescript"};
    for (unsigned i = 0; i < sizeof SCRIPTS / sizeof *SCRIPTS; ++i)
        if (is_word(name, size, SCRIPTS[i])) return 1;
    return 0;
}

static int is_wanted(const scheme_choice *choice, const byte *name, size_t size, int index)
{
    if (words_hold(&choice->others, name, size)) return 0;
    return index == NO_SCHEME ? choice->takes_unknown : !(choice->flags[index] & S_UNWANTED);
}

/* The size of a link without the white space at its end, if it is one candidate; 0 if Python decides. */
static size_t whole_size(const search *in, const byte *link, size_t size, candidate *found)
{
    const byte *colon = memchr(link, ':', size);
    if (colon == NULL || link[0] == '/') return 0; /* a reference without a base has no scheme */
    while (size > 0) {
        size_t last = before(link, size);
        if (!is_space_at(link + last)) break;
        size = last;
    }
    size_t name_size = (size_t)(colon - link);
    int index = scheme_index(link, name_size);
    if (size <= name_size || size > in->choice.limit || !is_wanted(&in->choice.schemes, link, name_size, index))
        return 0;
    size_t first = (size_t)(link - in->text) + name_size + 1;
    if (in->choice.nests && search_may_nest(in, first, first - name_size - 1 + size)) return 0;
    for (size_t i = name_size; i < size; ++i) { /* it may contain several identifiers, or escapes */
        if (is_wide(link[i]) ? !is_continuation(link[i]) && is_space_at(link + i) : has(link[i], SPACE)) return 0;
        if (link[i] == '\\' || link[i] == 0x1B || (link[i] == 0x9B && link[i - 1] == 0xC2)) return 0;
    }
    found->scheme = index;
    return size;
}

static delimiting take_whole(search *in, const candidate *found)
{
    const byte *link = in->text + found->start;
    size_t name_size = (size_t)((const byte *)memchr(link, ':', found->end - found->start) - link);
    if (!search_take(in, found)) return DELIMITED_NO_MEMORY;
    /* What is not valid may be defanged; in a script links may appear. */
    if ((in->choice.refangs || is_script(link, name_size)) && in->rows[in->row_count - 1].kind != PROVED) {
        --in->row_count;
        return NOT_DELIMITED;
    }
    return DELIMITED;
}

delimiting search_whole(search *in, size_t start, size_t size)
{
    candidate found = {.start = start};
    size = size ? whole_size(in, in->text + start, size, &found) : 0;
    found.end = start + size;
    return size == 0 ? NOT_DELIMITED : take_whole(in, &found);
}

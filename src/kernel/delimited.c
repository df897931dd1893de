#include "delimited.h"

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
    if (in->choice.nests && memchr(link + name_size + 1, ':', size - name_size - 1) != NULL) return 0;
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

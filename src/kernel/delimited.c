#include "delimited.h"

/* The schemes of programs: links may stand in their text, if it is not valid as a whole. */
static int is_script(const byte *name, size_t size)
{
    static const char *const SCRIPTS[] = {"javascript", "vbscript", "livescript"};
    for (unsigned i = 0; i < sizeof SCRIPTS / sizeof *SCRIPTS; ++i)
        if (is_word(name, size, SCRIPTS[i])) return 1;
    return 0;
}

static int is_wanted(const scheme_choice *choice, const byte *name, size_t size, int index)
{
    if (scheme_is_other(choice, name, size)) return 0;
    return index == NO_SCHEME ? choice->takes_unknown : !(choice->flags[index] & S_UNWANTED);
}

delimiting search_delimited(search *in, const byte *link, size_t size)
{
    const byte *colon = memchr(link, ':', size);
    if (colon == NULL || link[0] == '/') return NOT_DELIMITED; /* a reference without a base has no scheme */
    while (size > 0) { /* white space at the end */
        size_t last = before(link, size);
        if (!is_space_at(link + last)) break;
        size = last;
    }
    size_t name_size = (size_t)(colon - link);
    int index = scheme_index(link, name_size);
    if (size <= name_size || size > in->choice.limit || !is_wanted(&in->choice.schemes, link, name_size, index))
        return NOT_DELIMITED;
    if (in->choice.nests && memchr(link + name_size + 1, ':', size - name_size - 1) != NULL) return NOT_DELIMITED;
    for (size_t i = name_size; i < size; ++i) /* it may hold several identifiers */
        if (is_wide(link[i]) ? !is_continuation(link[i]) && is_space_at(link + i) : has(link[i], SPACE))
            return NOT_DELIMITED;
    candidate found = {0};
    found.start = in->size;
    found.scheme = index;
    if (!search_append(in, link, size)) return DELIMITED_NO_MEMORY;
    found.end = in->size;
    if (!search_take(in, &found)) return DELIMITED_NO_MEMORY;
    /* What is not valid may be defanged; in a script links may stand. */
    if ((in->choice.refangs || is_script(link, name_size)) && in->rows[in->row_count - 1].kind != PROVED) {
        --in->row_count;
        return NOT_DELIMITED;
    }
    return DELIMITED;
}

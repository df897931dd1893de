/* The schemes that a search looks for, the scheme before a colon (RFC 3986 3.1), and the shapes of the text
 * after one by which an identifier without "//" is found in running text. */
#ifndef URISIEVE_SCHEME_H
#define URISIEVE_SCHEME_H
#include "text.h"

#define NO_SCHEME (-1)

/* A list of words in lower case. */
typedef struct {
    char **words;
    size_t count;
} word_list;

/* Add a word; returns 0 if there is no memory. */
int words_add(word_list *to, const byte *word, size_t size);

/* Whether a text is one of the words; its own case does not count. Most lists of a search are empty. */
static inline int words_hold(const word_list *in, const byte *t, size_t size)
{
    for (size_t i = 0; i < in->count; ++i)
        if (is_word(t, size, in->words[i])) return 1;
    return 0;
}

void words_free(word_list *one);

/* Whether a text is one of some words, of which NULL ends the list; its own case does not count. */
static inline int is_one_of(const byte *t, size_t size, const char *const *words)
{
    byte first = size ? lower(*t) : 0;
    while (*words && !((byte)**words == first && is_word(t, size, *words))) ++words;
    return *words != NULL;
}

/* What one set of options says of schemes. */
typedef struct {
    uint16_t flags[SCHEME_COUNT]; /* those of the table, with S_UNWANTED and S_RULED */
    int takes_unknown;            /* whether schemes count that are not in the table */
    int takes_any_shape;          /* whether a scheme without a shape counts before other text than "//" */
    word_list others;             /* names that are not in the table and that only the finder knows about */
} scheme_choice;

/* Fill the tables; called once, before the first name is looked up. */
void scheme_prepare(void);

/* The index of a scheme in any case in the table, or NO_SCHEME. */
int scheme_listed(const byte *name, size_t size);

/* The same: nearly all links have one of two schemes. */
static inline int scheme_index(const byte *name, size_t size)
{
    if (size - 4 < 2 && memcmp(name, "http", 4) == 0 && (size == 4 || name[4] == 's'))
        return size == 4 ? HTTP_SCHEME : HTTPS_SCHEME;
    return scheme_listed(name, size);
}

/* The index of the scheme of a canonical form. */
static inline int scheme_of_form(const byte *form, size_t size)
{
    return scheme_index(form, (size_t)((const byte *)memchr(form, ':', size) - form));
}

typedef enum { NO_NAME, NAMED, NAME_DOUBTFUL } naming;

typedef struct {
    size_t start; /* offset of the scheme */
    int index;    /* in the table, or NO_SCHEME */
    int is_cut;   /* whether it is the end of a longer run of letters */
} scheme_name;

/* Find the scheme that ends at a colon and does not begin before `first`. */
naming scheme_before(const scheme_choice *choice, const byte *text, size_t first, size_t colon, int has_slashes,
                     scheme_name *found);

/* The length of a scheme of the web at the end of a name, before which letters may belong to the text; 0 if none is. */
size_t web_ending(const byte *name, size_t size);

/* Whether the text from an offset, up to `end` at most, begins with a shape of the table. */
int has_shape(unsigned shape, const byte *text, size_t offset, size_t end);

/* Whether all of a text matches a program that was made for whole texts; 0 too if that takes too many tries. */
int is_whole(unsigned program, const byte *text, size_t size);

/* The end of the escape sequence of a terminal that begins at an offset (ECMA-48 5.4), or the offset itself. */
size_t after_escape(const byte *text, size_t offset, size_t end);

#endif

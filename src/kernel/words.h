/* Lists of words in lower case. */
#ifndef URISIEVE_WORDS_H
#define URISIEVE_WORDS_H
#include "text.h"

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

#endif

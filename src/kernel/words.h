/* A list of words in lower case. */
#ifndef URISIEVE_WORDS_H
#define URISIEVE_WORDS_H
#include "text.h"

typedef struct {
    char **words;
    size_t count;
} word_list;

/* Add a word; returns 0 if there is no memory. */
int words_add(word_list *to, const byte *word, size_t size);

/* Whether a text is one of the words; its own case does not count. */
int words_hold(const word_list *in, const byte *t, size_t size);

void words_free(word_list *one);

#endif

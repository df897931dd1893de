#include "words.h"
#include <stdlib.h>

int words_add(word_list *to, const byte *word, size_t size)
{
    char **words = realloc(to->words, (to->count + 1) * sizeof *words);
    if (words != NULL) to->words = words;
    char *copy = words == NULL ? NULL : malloc(size + 1);
    if (copy == NULL) return 0;
    memcpy(copy, word, size);
    copy[size] = 0;
    words[to->count++] = copy;
    return 1;
}

void words_free(word_list *one)
{
    for (size_t i = 0; i < one->count; ++i) free(one->words[i]);
    free(one->words);
    *one = (word_list){NULL, 0};
}

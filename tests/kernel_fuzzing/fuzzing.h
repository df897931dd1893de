/* What the targets of the fuzzer of the kernel share: promises, texts decoded by the letter of RFC 3629, results. */
#ifndef URISIEVE_FUZZING_H
#define URISIEVE_FUZZING_H
#include "harvest.h"
#include "mail.h"
#include <stdio.h>
#include <stdlib.h>

/* A promise: the fuzzer keeps the input that breaks it. */
#define REQUIRE(promise)                                                                          \
    do {                                                                                          \
        if (!(promise)) {                                                                         \
            fprintf(stderr, "%s:%d: promise broken: %s\n", __FILE__, __LINE__, #promise);         \
            abort();                                                                              \
        }                                                                                         \
    } while (0)

/* A growing string of bytes. */
typedef struct {
    byte *at;
    size_t size, room;
} bytes_kept;

void keep_bytes(bytes_kept *to, const void *from, size_t size);
void keep_number(bytes_kept *to, uint64_t number);
void forget_bytes(bytes_kept *one);
int is_same(const bytes_kept *one, const bytes_kept *other);

/* Memory of just this size, with a copy of some bytes: reading one more is an error that the sanitizer sees. */
byte *exact_copy(const byte *from, size_t size);

/* A hash by which the targets decide for Python; it is the same in each run. */
uint32_t mixed(const byte *t, size_t size, uint32_t seed);

/* The size of the character of UTF-8 at the start of some bytes, 0 if none begins there (RFC 3629 4). */
size_t character_size(const byte *t, size_t size);

/* A text that was decoded one character at a time, with what is known of each character. */
typedef struct {
    byte *text; /* bytes that do not decode are surrogates (PEP 383) */
    size_t size, characters;
    uint64_t stray;
    size_t *start;  /* by character, and behind the last one: its offset in `text` */
    size_t *source; /* its offset in the data */
} decoded_text;

/* Decode; if `is_text`, the data counts as text that holds those surrogates already. */
void decode(decoded_text *to, const byte *data, size_t size, int is_text);
void forget_decoded(decoded_text *one);

/* Whether a text is characters of UTF-8, or surrogates in their three bytes. */
int is_text(const byte *t, size_t size);

/* Whether a text holds nothing but what a URI may hold (RFC 3986 2). */
int has_uri_characters(const byte *t, size_t size);

/* The options that some bytes stand for. */
void choose_search(search *in, const byte options[4]);

/* Judge in place of Python what the memo awaits. `judged` is the number of those that have been judged. */
void judge_awaited(search *in, size_t *judged);

/* A reader of HTML with all its names; there is one. */
html_reader *page_reader(void);

/* The targets. */
void fuzz_search(const byte *data, size_t size);
void fuzz_forms(const byte *data, size_t size);
void fuzz_html(const byte *data, size_t size);
void fuzz_json(const byte *data, size_t size);
void fuzz_xml(const byte *data, size_t size);
void fuzz_mail(const byte *data, size_t size);
void fuzz_sets(const byte *data, size_t size);
void fuzz_resolve(const byte *data, size_t size);
void fuzz_merge(const byte *data, size_t size);

/* Check the lines that the kernel writes for a harvest. */
void check_lines(const harvest *rows);

#endif

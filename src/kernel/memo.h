/* The memory of judgements: a candidate that the kernel does not judge itself is judged once, by the judge. */
#ifndef URISIEVE_MEMO_H
#define URISIEVE_MEMO_H
#include "text.h"

typedef enum { AWAITED, VALID, INVALID } verdict;

typedef struct {
    size_t raw, uri, key; /* offsets in `bytes` */
    uint32_t raw_size, uri_size, key_size;
    uint32_t hash;
    uint8_t verdict;
    uint8_t has_warnings;
    uint8_t has_password;
} judgement;

typedef struct {
    judgement *entries;
    size_t count, room;
    byte *bytes;
    size_t size, bytes_room;
    uint32_t *slots; /* indices of entries, from 1 */
    size_t slot_count;
} memo;

/* By this secret candidates are hashed, so that nobody can make many that collide; drawn once, before the first
 * search. */
extern uint64_t memo_secret[2];

/* The index of the judgement of a candidate, which is AWAITED if the memo did not hold it; -1 if there is no memory. */
ptrdiff_t memo_index(memo *of, const byte *raw, size_t size);

/* Enter the verdict on a candidate; returns 0 if there is no memory. */
int memo_judge(memo *of, size_t index, verdict verdict, const byte *uri, size_t uri_size, const byte *key,
               size_t key_size, int has_warnings, int has_password);

/* Whether it has grown beyond its bound: then it is to be cleared, as soon as nothing refers to its entries. */
int memo_is_full(const memo *of);

void memo_clear(memo *of);
void memo_free(memo *of);

#endif

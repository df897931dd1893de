/* The memory of judgements: a candidate that the kernel does not judge itself is judged once, by the judge. */
#ifndef URISIEVE_MEMO_H
#define URISIEVE_MEMO_H
#include "buffer.h"
#include "hash_index.h"

typedef enum { AWAITED, VALID, INVALID } verdict;

typedef struct {
    size_t raw, uri, key; /* offsets in `bytes` */
    uint32_t raw_size, uri_size, key_size;
    uint8_t verdict;
    uint8_t has_warnings;
    uint8_t has_password;
} judgement;

typedef struct {
    judgement *entries;
    size_t count, room;
    byte_list bytes;
    hash_index by_raw;
} memo;

/* What Python says of a candidate; there is neither form nor key if it is not valid. */
typedef struct {
    const byte *uri, *key;
    size_t uri_size, key_size;
    verdict verdict;
    int has_warnings, has_password;
} statement;

/* By this seed candidates are hashed, so that no one can make many that collide; drawn once, before the first
 * search. */
extern uint64_t memo_seed[2];

/* The judgement of a candidate; NULL if the memo does not contain it. */
const judgement *memo_find(const memo *of, const byte *raw, size_t size);

/* The index of the judgement of a candidate, which is AWAITED if the memo did not hold it; -1 if there is no memory. */
ptrdiff_t memo_index(memo *of, const byte *raw, size_t size);

/* Enter the verdict on a candidate; returns 0 if there is no memory. */
int memo_judge(memo *of, size_t index, const statement *what);

/* Add the verdict on a candidate whose text is not held; returns 0 if there is no memory. */
int memo_add(memo *of, const statement *what);

/* Forget the older half of the entries if there are more than its bound, as soon as nothing refers to them; the others get
 * lower indices. Returns how many are forgotten. */
size_t memo_make_room(memo *of);

/* The bytes of memory that it uses. */
size_t memo_size(const memo *of);

void memo_clear(memo *of);
void memo_free(memo *of);

#endif

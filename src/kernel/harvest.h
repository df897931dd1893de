/* The harvest: what a search has found in some text, as columns, on the way to Python or to a set of keys. */
#ifndef URISIEVE_HARVEST_H
#define URISIEVE_HARVEST_H
#include "buffer.h"
#include "components.h"
#include "search.h"

#define NO_SPECIAL UINT32_MAX
#define HAS_READING (UINT32_MAX - 1) /* all is known but another reading */

typedef struct {
    size_t uri, key, raw;       /* offsets in `forms` and in `raws` */
    uint32_t uri_size, key_size, raw_size;
    uint32_t special;           /* the index of what only Python knows of it, or NO_SPECIAL */
    uint32_t opener, closer;
    uint64_t start, end;        /* in characters */
    uint64_t byte_start, byte_end;
    uint64_t line, column;
    uint8_t warnings;           /* bits of the search and of the judgement */
    uint8_t has_password;
} found_row;

typedef struct {
    size_t row;        /* the number of rows before it */
    size_t source;     /* the row of the search that it was: where its position is computed */
    found_row at;
} rejected_row;

typedef struct {
    found_row *rows;
    size_t count, room;
    rejected_row *rejected;
    size_t rejected_count, rejected_room;
    byte_list forms; /* canonical forms and keys, each with a line feed after it */
    byte_list raws;
    int in_order;   /* whether `forms` contains just the canonical forms, in the order of the rows */
    int has_warnings, has_passwords, has_specials, has_keys;
    unsigned wanted; /* beside canonical forms and keys */
    uint32_t *hosts;  /* for each row the number of its host, once they are numbered; see hosts.h */
    component *each_host; /* the different hosts, in `forms` */
    size_t host_count, host_room;
} harvest;

/* Take the rows of a search; all candidates must have been judged. Specials are numbered as the memo numbers its
 * entries, those given after them. Returns 0 if there is no memory. */
int harvest_take(harvest *into, search *from, unsigned wanted);

/* Take some rows of another harvest, in the order of their indices, without what is rejected. Returns 0 if there is no
 * memory. */
int harvest_select(harvest *into, const harvest *from, const size_t *indices, size_t count);

/* Whether a link may contain another one with a password, which only Python knows to mask: after its authority are two
 * slashes, a colon and an "@" in this order, encoded or not. What is not judged may have a password of its own: there a
 * colon and an "@" are enough, and a connection to a database may have a password without these. */
int may_hold_password(const byte *text, size_t size, int is_judged);

/* Where a character is first written, as it is or encoded by two hexadecimal digits; `end` if it is not. */
const byte *first_mark(const byte *start, const byte *end, byte plain, byte high, byte low);

void harvest_free(harvest *one);

#endif

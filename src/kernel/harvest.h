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
    uint16_t warnings;          /* bits of the search and of the judgement */
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

/* Take some rows of another harvest and `more` that are in none, in the order of their indices: those of the others
 * follow on those of the harvest. `texts` are the canonical forms of the others, their keys, and their raw texts. Returns 0
 * if there is no memory. */
int harvest_join(harvest *into, const harvest *from, const size_t *indices, size_t count, const found_row *others,
                 const component *texts, size_t more);

/* Take all rows of another harvest with other texts, one of each for each row, without what is rejected. Returns 0 if
 * there is no memory. */
int harvest_word(harvest *into, const harvest *from, const component *uris, const component *keys, const component *raws);

/* Whether a link may contain another one with a password, which only Python knows to mask: after its authority are two
 * slashes, or "sip", a colon and an "@" in this order, encoded or not; or the colon of its user is encoded. What is not judged may have a password of its own: there a
 * colon and an "@" are enough, and a connection to a database may have a password without these. */
int may_hold_password(const byte *text, size_t size, int is_judged);

/* Where a character is first written, as it is or encoded by two hexadecimal digits; `end` if it is not. */
const byte *first_mark(const byte *start, const byte *end, byte plain, byte high, byte low);

void harvest_free(harvest *one);

/* Number the hosts of all rows, unless that was done, in the order in which they come, so that what follows from the host
 * alone is looked up once for each; rows without a host share a number. Returns 0 if there is no memory. */
int hosts_number(harvest *in);

typedef enum { LINES_TAKEN, LINES_LEFT, LINES_NO_MEMORY } lines_result;

/* Take each line of some bytes that is not empty as a key; carriage returns at its end do not belong to it. The offset
 * of a key is the number of its line, the first of which has `number`. `count` gets the number of lines, empty ones
 * included.
 *
 * LINES_LEFT if the bytes are not UTF-8, or a line is too long: then nothing is taken. */
lines_result harvest_lines(harvest *into, const byte *data, size_t size, uint64_t number, unsigned wanted,
                           size_t *count);

/* The field that a harvest has under a name, if it was asked for; F_COUNT otherwise. */
record_field field_asked(const harvest *from, const char *name);

/* Where the fields that are numbers are in a row; 0 for all others. */
static const size_t NUMBER_FIELDS[F_COUNT + 1] = {
    [F_START] = offsetof(found_row, start), [F_END] = offsetof(found_row, end),
    [F_LINE] = offsetof(found_row, line), [F_COLUMN] = offsetof(found_row, column),
    [F_BYTE_START] = offsetof(found_row, byte_start), [F_BYTE_END] = offsetof(found_row, byte_end)};

static inline int is_number(record_field which) { return NUMBER_FIELDS[which] != 0; }

static inline uint64_t number_in(const found_row *row, record_field which)
{
    return *(const uint64_t *)(const void *)((const char *)row + NUMBER_FIELDS[which]);
}

/* The raw text of a row, its key, or else its canonical form. */
static inline component text_in(const harvest *from, const found_row *row, record_field which)
{
    if (which == F_RAW) return (component){from->raws.at + row->raw, row->raw_size};
    if (which == F_KEY) return (component){from->forms.at + row->key, row->key_size};
    return (component){from->forms.at + row->uri, row->uri_size};
}

#endif

/* The records of a web archive (ISO 28500) that are as most are. */
#ifndef URISIEVE_WARC_H
#define URISIEVE_WARC_H
#include "text.h"

/* The fields that decide how a record is read. */
#define WARC_FIELDS 6u
extern const char *const WARC_NAMES[WARC_FIELDS];

typedef struct {
    size_t start, end;
} warc_span;

typedef struct {
    size_t offset; /* where it begins */
    warc_span block;
    warc_span values[WARC_FIELDS]; /* of each field, without white space around it; the end is 0 if there is none */
} warc_record;

/* Read the record at an offset, behind the blank lines of another one; returns 0 if the reader in Python has to do so: it
 * is not whole, has a folded field or one of these that is not ASCII, has more than `longest` bytes, or no record
 * follows it. */
int warc_record_at(const byte *data, size_t size, size_t at, size_t longest, warc_record *to);

#endif

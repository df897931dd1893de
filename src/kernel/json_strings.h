/* The strings of JSON (RFC 8259), joined to one text to be searched.
 *
 * What is taken here is what Python's `json` takes, and its strings are the same; what is beyond the limits below, or not
 * JSON, is left to Python. */
#ifndef URISIEVE_JSON_STRINGS_H
#define URISIEVE_JSON_STRINGS_H
#include "text.h"

/* The deepest nesting, and the most digits of a number, that are taken: Python's limits are 640 at least. */
#define JSON_DEPTH 256
#define JSON_DIGITS 512

/* Where a string or a container stands. */
typedef struct {
    int32_t owner; /* the index of the container around it; -1 for a value of the source itself */
    int32_t key;   /* in an object the index of the string that is its name, for a name its own; in a list -1 - index */
} json_link;

typedef struct {
    int is_lines;     /* whether each value stands on a line of its own */
    int is_strict;    /* whether control characters in strings are not JSON */
    int leaves_bytes; /* whether values with a list of numbers from 0 to 255 are left */
    byte *text;       /* the strings, each behind a separator */
    size_t size, room;
    int64_t *begins;  /* of each string in the text, and behind them that of one more */
    int64_t *starts;  /* and behind its quotation mark in the source, from where reading began */
    json_link *links; /* of the strings */
    size_t count, begins_room, starts_room, links_room;
    json_link *containers;
    size_t container_count, containers_room;
} json_strings;

typedef enum { JSON_DONE, JSON_LEFT, JSON_NO_MEMORY } json_result;

/* Take the strings of the values in a source of at most INT32_MAX bytes, up to its end, or to a line or a document that
 * is left; `stop` gets where that begins. All offsets are in bytes. */
json_result json_read(json_strings *into, const byte *source, size_t size, size_t *stop);

void json_free(json_strings *one);

#endif

/* The strings of JSON (RFC 8259), joined to one text to be searched: those of lines, or of a window of a document, which
 * takes over what the window before has left open. `json_tokens.py` is the same in Python. */
#ifndef URISIEVE_JSON_STRINGS_H
#define URISIEVE_JSON_STRINGS_H
#include "text.h"

/* The deepest nesting. What is strict ends where Python's `json` may, which takes 640 at least, as of the digits. */
#define JSON_DEPTH 9999
#define JSON_STRICT_DEPTH 256
#define JSON_STRICT_DIGITS 512

/* Where a string or a container stands. */
typedef struct {
    int32_t owner; /* the index of the container around it; -1 for a value of the source itself */
    int32_t key;   /* in an object the number of its name, for a name its own; in a list -1 - index */
} json_link;

/* An object or a list that is open. */
typedef struct {
    int32_t id;   /* its index among the containers */
    int32_t key;  /* in a list -1 - index of the next value */
    int32_t step; /* the offset in the field of what is wanted of it; the size of the field for all, -1 for nothing */
    byte closer, is_empty, is_bytes /* so far: numbers from 0 to 255 */, unused;
} json_container;

typedef struct {
    size_t size, strings, names, containers, depth;
    int has_field; /* whether there was something at the path of the field */
} json_counts;

typedef struct {
    int is_lines, is_strict;   /* whether each value has its line; whether control characters are not JSON */
    int goes_on, takes_bytes;  /* whether the document goes on behind the source; whether lists of bytes are strings */
    const byte *field;         /* the steps to what is wanted, a NUL behind each: `.name`, `*`, `[`, `[index` */
    size_t field_size;
    json_counts made;
    byte *text, *list;         /* the strings, each behind a separator; the bytes of the last list */
    int64_t *begins, *starts;  /* of each string in the text, and of one more; in the source, behind the sign before it */
    json_link *links;          /* of the strings */
    int64_t *names;            /* where each name starts, whether it is wanted or not */
    int32_t *owners;           /* and the index of its object */
    json_link *containers;     /* those that were open before, then the others */
    json_container *open;
    size_t list_size, room, begins_room, starts_room, links_room, names_room, owners_room, containers_room, open_room,
        list_room;
} json_strings;

typedef enum { JSON_DONE, JSON_LEFT, JSON_NO_MEMORY } json_result;

/* Take the strings of a source of at most INT32_MAX bytes; `stop` gets where that ends. That is before what the next
 * window has to hold whole if the document goes on, else before a line, or a part of the document, that is no JSON:
 * `JSON_LEFT`. */
json_result json_read(json_strings *into, const byte *source, size_t size, size_t *stop);

void json_free(json_strings *one);

#endif

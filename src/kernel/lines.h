/* Lines: the rows of a harvest, written around the pieces of a model line.
 *
 * Python alone knows the schema of a record and the notations: it writes the line of a model record and cuts it at the
 * values in which plain records differ. Here the values of each row are put between these pieces. */
#ifndef URISIEVE_LINES_H
#define URISIEVE_LINES_H
#include "harvest.h"

/* The values in which plain records differ, in the order in which the model line has them. */
typedef enum {
    V_RAW, V_URI, V_IRI, V_KEY, V_KIND,
    V_SCHEME, V_USERINFO, V_HOST, V_HOST_KIND, V_PORT, V_PATH, V_QUERY, V_FRAGMENT,
    V_START, V_END, V_LINE, V_COLUMN, V_BYTE_START, V_BYTE_END,
    VALUE_COUNT
} line_value;
#define TEXT_COUNT V_START

/* What else a notation consists of: the text around a value that is a text, the text of an absent value, and the words
 * for kinds of identifiers and of hosts. */
typedef enum { WORD_QUOTE, WORD_NULL, WORD_URI, WORD_IRI, WORD_REG_NAME, WORD_IPV4, WORD_COUNT } line_word;

typedef struct {
    const byte *text;
    size_t size;
} piece;

/* What decides the text behind the last value. */
typedef struct {
    uint32_t opener, closer;
    unsigned warnings;
} ending;

/* Rows with endings beyond these are left to Python: 22 wrappers and 16 sets of warnings make more, but no text uses
 * many of them. */
#define MOST_ENDINGS 32

typedef struct {
    piece before[VALUE_COUNT]; /* without quotes */
    piece words[WORD_COUNT];
    const byte *plain;         /* for each ASCII character 1 if it stands for itself in a text of this notation */
    ending endings[MOST_ENDINGS];
    piece tails[MOST_ENDINGS]; /* the text behind the last value, by ending */
    size_t ending_count;
    /* Made by `lines_prepare`: what stands before a value by whether the value before it is present, and by whether it
     * is; and the characters that matter. */
    piece joints[VALUE_COUNT][2][2];
    byte *joined;
    uint8_t classes[256];
} line_model;

typedef struct {
    size_t row;
    size_t size; /* of the line; 0 if it is left to Python */
    /* Ends of components, as offsets in the canonical form. */
    uint32_t scheme, userinfo, host, port, path, query;
    uint32_t shown; /* the number of triplets that are octets of characters in the form for people */
    uint8_t has_authority, has_userinfo, has_port, has_query, has_fragment, is_address, is_iri, ending;
} planned_line;

/* The different endings of the rows that are not left to Python, in the order in which they come; at most MOST_ENDINGS.
 * Returns their number. */
size_t lines_endings(const harvest *from, ending *found);

/* Complete a model; returns 0 if there is no memory. `lines_release` frees what it has made. */
int lines_prepare(line_model *model);
void lines_release(line_model *model);

/* Set `plan->size` and all that is needed to write the row `plan->row`. */
void lines_plan(const line_model *model, const harvest *from, planned_line *plan);

/* Write a line that is not left to Python; returns its end. */
byte *lines_write(byte *to, const line_model *model, const harvest *from, const planned_line *plan);

#endif

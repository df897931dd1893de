/* Cells: chosen columns of the rows of a harvest, written between pieces of text.
 *
 * Python alone knows the fields of a record and the notations: it gives the text before each value and after the last,
 * the words for kinds, and which characters stand for themselves. A row that needs more than that is left to it. */
#ifndef URISIEVE_CELLS_H
#define URISIEVE_CELLS_H
#include "hiding.h"
#include "harvest.h"

/* Cells that are written already. */
#define F_GIVEN F_COUNT
/* Numbers, written in decimal digits. */
#define F_NUMBER (F_COUNT + 1)

typedef struct {
    const byte *text;
    size_t size;
} piece;

/* The characters around a link, decoded. */
typedef struct {
    uint32_t opener, closer;
} wrapping;

#define MOST_CELLS 48
/* Rows with wrappers beyond these are left to Python: there are 22 of them. */
#define MOST_WRAPPERS 32

typedef struct {
    const harvest *from;
    size_t count; /* of columns */
    record_field columns[MOST_CELLS];
    piece before[MOST_CELLS + 1];
    const piece *given[MOST_CELLS];      /* for each column that is given, its cells */
    const uint32_t *numbers[MOST_CELLS]; /* and the index of its cell for each row of the harvest */
    const char *integers[MOST_CELLS];    /* for each column of numbers, that of each row; 64 bits at any address */
    piece quote, null;              /* around a value that is a text, and an absent one */
    piece words[WORD_COUNT], wrappers[MOST_WRAPPERS], warnings[WARNING_SETS];
    wrapping wrappings[MOST_WRAPPERS];
    size_t wrapper_count;
    int leaves_urns; /* whether URNs are left to Python, since some have components that the generic grammar has not */
    unsigned hidden, rewritten; /* the parts that are replaced, and the warnings of raw texts laid out in another way */
    int defangs;                /* whether what is a link is written as none */
    const byte *redirects;      /* for each host 1 if its links may be of redirectors, which Python writes; NULL for none */
    blake2b_start secret;       /* for what is replaced in keys */
    byte *scratch;              /* room for `cells_scratch` bytes */
    /* Made by `cells_prepare`. */
    uint8_t classes[256];
    int splits, needs_python; /* whether components are needed, and values that only Python knows of some rows */
    size_t fixed, raws, uris, keys; /* the most bytes of a row: those beside its texts, and how often each text comes */
} cell_writing;

/* The different wrappers of the rows, in the order in which they come; returns their number, at most MOST_WRAPPERS. */
size_t cells_wrappings(const harvest *from, wrapping *found);

/* Complete what a call works on. `plain` has for each ASCII character 1 if it stands for itself in a text, 2 if it does
 * in quotation marks, else 0. */
void cells_prepare(cell_writing *work, const byte *plain);

/* The most bytes that a row takes, without those of the cells that are given. */
size_t cells_most(const cell_writing *work, const found_row *row);

/* The most bytes that the texts of a row take on their way. */
size_t cells_scratch(const found_row *row);

/* Write a row; returns its end, or NULL if it is left to Python. */
byte *cells_write(byte *to, const cell_writing *work, const found_row *row);

#endif

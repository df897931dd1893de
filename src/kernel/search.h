/* The search: text in pieces in, decided candidates out, in the order of the text, however the text is cut.
 *
 * What `urisieve.find.search` does, on UTF-8: from pivot to pivot. A candidate that the kernel cannot delimit is a
 * place for the finder: the search stops there, and goes on when it has been told what the finder decided. */
#ifndef URISIEVE_SEARCH_H
#define URISIEVE_SEARCH_H
#include "assumed.h"
#include "extent.h"
#include "spoofing.h"
#include "merge.h"
#include "pivots.h"

typedef enum {
    PROVED,  /* the kernel has made the canonical form: `form` is its offset in `forms` */
    KEYED,   /* the same, and the key is another line after it */
    REMEMBERED, /* the memo has, or awaits, the judgement: `form` is its index there */
    GIVEN    /* the finder has found it: `form` is its index in `given` */
} row_kind;

typedef struct {
    size_t start, end; /* in the text of the search */
    size_t form;
    uint32_t form_size;
    uint32_t opener, closer;
    uint8_t kind;
    uint16_t warnings;
} row;

/* Where an offset of a text is in all of the text. */
typedef struct {
    uint64_t characters, bytes, line;
    int64_t newline; /* the last line feed before it, in characters; -1 if there is none */
} position;

/* Which canonical forms may be made: those of what is written so already, of RFC 3986 6.2.2, or of 6.2.3. */
typedef enum { WRITTEN_FORMS, SYNTAX_FORMS, SCHEME_FORMS } proved_forms;

typedef struct {
    find_choice choice;
    proved_forms proves; /* which canonical forms may be made here */
    const merge_choice *merge; /* the steps that follow the canonical form; NULL for none */
    byte *plain;    /* the canonical form before these steps */
    size_t plain_room;
    int maps_wide;  /* whether characters beyond ASCII are mapped as they are (RFC 3987 3.1 step 1c) */
    int filters;    /* whether `endings` tells the colons of schemes without "//" */
    uint32_t endings[32]; /* the last two letters of the schemes with a shape: a bit for each pair */
    pivot_choice others; /* the pivots other than colons */

    byte *text; /* context, and text that is not decided */
    size_t size, room;
    size_t position, floor;
    size_t keep;     /* the first byte that is needed again */
    awaited awaits;  /* what may decide an undecided candidate */
    size_t looked;   /* the end of the text in which that has been looked for */
    size_t held;     /* the size of the undecided text when the finder last looked at it */
    int passing;     /* the rest of a candidate that was too long is skipped: 1, or 2 for a URN */
    size_t place;    /* the pivot at which the finder has to look */
    size_t colon;    /* the next colon after `position`, if it is known; else 0 */

    byte cut[4]; /* the beginning of a character whose rest has not come */
    size_t cut_size;
    uint64_t stray; /* bytes that did not decode */
    int has_escapes; /* whether the text contains surrogates that stand for such bytes */
    int is_ascii;   /* whether all of the text is ASCII */

    row *rows;
    size_t row_count, row_room;
    byte *forms; /* canonical forms, each with a line feed after it */
    size_t forms_size, forms_room;
    memo judgements;
    spoof_checks spoofing; /* what a canonical form made here may have no warning about */
    memo levels; /* the top-level domains that end a name as they are */
    memo given; /* what the finder has found since the rows were taken */
    position origin; /* where the text begins */
} search;

typedef enum { SEARCHED, AT_PLACE, NO_MEMORY } progress;

/* Set what follows from the options, once they are in `choice`. */
void search_prepare(search *in);

/* Enter a top-level domain that ends a name as it is; returns 0 if there is no memory. */
int search_add_top_level(search *in, const byte *label, size_t size);

/* Append text, or bytes that are to be decoded as UTF-8; returns 0 if there is no memory. */
int search_append(search *in, const byte *text, size_t size);
int search_append_bytes(search *in, const byte *data, size_t size, int final);

/* Whether the text is worth searching: whether a character has come that may decide. */
int search_is_due(search *in);

/* Search on; AT_PLACE if the finder has to look at `place`. */
progress search_run(search *in, int final);

/* Take a candidate, whose text is that of the search: judge it here, or leave it to the memo. Returns 0 if there is no
 * memory. */
int search_take(search *in, const candidate *found);

/* Go on from a place where there is no candidate. */
void search_dismiss(search *in);
/* Go on after a candidate that the finder has found, with what it says of it; returns 0 if there is no memory. */
int search_settle(search *in, size_t start, size_t end, const statement *what);
/* Stop at a place that is undecided; the text is needed again from `keep` on. */
void search_hold(search *in, size_t keep);

/* Go on from an offset of the text and its position to another one that does not come before it. */
void search_count(const search *in, position *at, size_t offset, size_t to, unsigned wanted);

/* Whether identifiers may be in an identifier without the white space after it, after its scheme. */
int search_may_nest(const search *in, size_t from, size_t end);

/* Forget the rows and the text that is not needed any more, once the rows have been taken. */
void search_advance(search *in, int counts_lines);

/* Forget the text: begin another one. */
void search_restart(search *in);
void search_release(search *in);

#endif

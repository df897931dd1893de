/* The steps that merge more than the RFCs do, on canonical forms: `urisieve.judge.merge_steps` for what is common; and the
 * key by which archives of the web list captures: `urisieve.judge.templates` (archive_key.c). */
#ifndef URISIEVE_MERGE_H
#define URISIEVE_MERGE_H
#include "text.h"

/* Parameters of queries that a profile names. */
typedef struct {
    byte *text; /* the name, and after it the host */
    size_t name_size, host_size;
    int is_prefix;
} parameter;

typedef struct {
    parameter *items;
    size_t count, room;
} parameter_list;

/* What a profile says. */
typedef struct {
    uint32_t steps; /* bits MERGE_... */
    parameter_list kept, dropped;
} merge_choice;

/* Add the parameters that `NAME`, `NAME*`, `NAME@HOST` or `NAME*@HOST` stands for; returns 0 if there is no memory. */
int parameters_add(parameter_list *to, const byte *text, size_t size);
void merge_free(merge_choice *one);

/* Write the form that the steps make of a canonical form, which has been made by `canonical_form` and is changed;
 * `out` is another text with room for `MERGED_ROOM(size)` bytes.
 *
 * Returns its length, or 0 if the judge has to decide. `scheme` is the index of the scheme, `flags` its flags. */
size_t merged_form(byte *out, byte *form, size_t size, const merge_choice *choice, int scheme, unsigned flags);

/* The same, whatever its scheme, by the default options. */
size_t merged_identifier(byte *out, byte *form, size_t size, const merge_choice *choice);

/* A letter of the scheme and the slash of the root may be added. */
#define MERGED_ROOM(size) ((size) + 2)

/* Fill the table; called once, before the first key is made. */
void archive_prepare(void);

/* Write the key of a canonical form; `out` has room for `ARCHIVE_ROOM(size)` bytes, `decoded` for `size`.
 *
 * Returns its length, or 0 if the judge has to decide. `flags` are those of the scheme. */
size_t archive_key(byte *out, byte *decoded, const byte *form, size_t size, unsigned flags);

/* ")/" is added. */
#define ARCHIVE_ROOM(size) ((size) + 2)

#endif

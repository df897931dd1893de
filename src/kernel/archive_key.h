/* The key by which archives of the web list captures: `urisieve.judge.templates` for what is common. */
#ifndef URISIEVE_ARCHIVE_KEY_H
#define URISIEVE_ARCHIVE_KEY_H
#include "text.h"

/* Fill the table; called once, before the first key is made. */
void archive_prepare(void);

/* Write the key of a canonical form; `out` has room for `ARCHIVE_ROOM(size)` bytes, `decoded` for `size`.
 *
 * Returns its length, or 0 if the judge has to decide. `flags` are those of the scheme. */
size_t archive_key(byte *out, byte *decoded, const byte *form, size_t size, unsigned flags);

/* ")/" is added. */
#define ARCHIVE_ROOM(size) ((size) + 2)

#endif

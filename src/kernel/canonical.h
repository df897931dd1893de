/* The canonical form of what is common: RFC 3986 6.2 for identifiers whose scheme adds no rules of its own (canonical.c),
 * and the rows of schemes and namespaces for those without an authority (opaque.c). */
#ifndef URISIEVE_CANONICAL_H
#define URISIEVE_CANONICAL_H
#include "text.h"

/* Fill the tables; called once, before the first form is made. */
void canonical_prepare(void);

/* A flag beside those of the scheme: hosts that were learnt may be looked up, since no other thread learns one. */
#define KNOWS_HOSTS 0x10000u
/* Nothing but RFC 3986 6.2.2 is applied, and not what follows from the scheme. */
#define AT_SYNTAX 0x20000u

/* Remember the canonical form of an internationalized host; returns 0 if there is no memory. */
int learn_host(const byte *host, size_t size, const byte *form, size_t form_size);

/* Write the canonical form of an identifier, which is also its key; `out` has room for `CANONICAL_ROOM(size)` bytes.
 *
 * Returns the length of the form, or 0 if the judge has to decide: the identifier is not valid, has a warning that is
 * not among those above, or a rule applies that is not known here. What is decided is what `urisieve.judge` decides.
 *
 * `scheme` is the index of the scheme, `flags` its flags under the options, `warnings` gets the warnings. */
size_t canonical_form(byte *out, const byte *text, size_t size, int scheme, unsigned flags, unsigned *warnings);

/* The same for an identifier without "//" whose scheme is in no table. */
size_t unknown_form(byte *out, const byte *text, size_t size, unsigned *warnings);

/* The same for a whole text, whatever its scheme, by the default options; `more` are flags beside those of the scheme. */
size_t form_of_identifier(byte *out, const byte *text, size_t size, unsigned more, unsigned *warnings);

/* Copy a path, query and fragment from an offset on, normalized (RFC 3986 6.2.2): dot segments go from a path that begins
 * with "/". Returns the end of what was written, or NULL if the judge has to decide. */
byte *canonical_rest(byte *out, const byte *text, size_t offset, size_t size, unsigned flags);

/* Whether a slash is before what may be a dot, in a text from an offset on. */
int may_hold_dots(const byte *text, size_t offset, size_t size);

/* Copy a host of the DNS in lower case that is valid without warnings; returns its length, or 0. */
size_t plain_host(byte *out, const byte *host, size_t size);

/* Whether a text is an IPv4 address in dotted decimal form (RFC 3986 3.2.2). */
int is_ipv4(const byte *t, size_t size);

/* A character beyond ASCII becomes triplets, three times as long; a slash may be added. */
#define CANONICAL_ROOM(size) (3 * (size) + 16)

/* Write the canonical form of what follows the colon of a scheme without rules of its own; NULL if the judge has to
 * decide. */
byte *plain_opaque(byte *out, const byte *text, size_t offset, size_t size, unsigned flags);

/* Write the canonical form of what follows a scheme and its colon; `scheme` is the index of the scheme, `flags` its
 * flags under the options. The form is no longer than `canonical_form` has room for.
 *
 * Returns the end of what was written, or NULL if the judge has to decide. */
byte *opaque(byte *out, const byte *text, size_t offset, size_t size, int scheme, unsigned flags);

#endif

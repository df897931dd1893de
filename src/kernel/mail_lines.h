/* The lines of a mailbox that begin like an envelope line. */
#ifndef URISIEVE_MAIL_LINES_H
#define URISIEVE_MAIL_LINES_H
#include "text.h"

typedef enum { IS_ENVELOPE, IS_NOT_ENVELOPE, ENVELOPE_UNSURE, ENVELOPE_CUT } mail_envelope;

/* Whether the line at an offset, which begins with "From ", is an envelope line, as `_is_separator` in
 * `urisieve.sources.mail.mailboxes` decides. `start`: where the message before it begins. */
mail_envelope mail_is_envelope(const byte *data, size_t size, size_t start, size_t offset, int final);

/* Whether the "From " at an offset is after marks at the start of a line: one of the marks has to be removed. */
int mail_is_quoted_from(const byte *data, size_t start, size_t at);

/* The number of bytes at the start of a line that are the name of a field, 0 if it has none; `behind` is the offset
 * after the colon. */
size_t mail_name(const byte *line, size_t size, size_t *behind);

#endif

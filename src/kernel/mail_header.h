/* The fields of a header of mail, as `urisieve.sources.mail.header_fields` finds them. */
#ifndef URISIEVE_MAIL_HEADER_H
#define URISIEVE_MAIL_HEADER_H
#include "find.h"
#include "mail.h"

/* `SIGN`: whether a value may contain an identifier, by a colon between the end of a scheme and something after it. */
int mail_has_sign(const byte *value, size_t size);

/* How far a header is read; 0 if it begins with an envelope line. */
size_t mail_header_limit(const byte *data, size_t start, size_t end);

/* Take the next field, and go on after it; or set `body` to the offset after the empty line, or to `end` if the message
 * is a header only. MAIL_LEFT if the line is neither, or the header does not end before the limit. */
mail_result mail_next_field(const byte *data, size_t *at, size_t limit, size_t end, mail_field *field, size_t *body);

#endif

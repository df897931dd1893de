/* The templates of links (`urisieve.judge.templates`), but for dates, times, UUIDs, base64 and
 * characters that stand for others. */
#ifndef URISIEVE_TEMPLATES_H
#define URISIEVE_TEMPLATES_H
#include "text.h"

/* The most bytes of a template: of a single digit there are two. */
#define TEMPLATE_ROOM(size) (2 * (size))

/* Write the template of a link of http or https; returns its end, or NULL where Python has to decide: where there may be
 * a password, or in a segment or value with a digit what it alone knows. */
byte *plain_template(byte *to, const byte *text, size_t size);

#endif

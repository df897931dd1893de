/* The templates of links (`urisieve.judge.templates`), as far as digits alone become a placeholder in them. */
#ifndef URISIEVE_TEMPLATES_H
#define URISIEVE_TEMPLATES_H
#include "text.h"

/* The most bytes of a template: of a single digit there are two. */
#define TEMPLATE_ROOM(size) (2 * (size))

/* Write the template of a link of http or https; returns its end, or NULL where Python has to decide: where there may be
 * a password, or a segment or value with a digit has anything else. */
byte *plain_template(byte *to, const byte *text, size_t size);

#endif

/* What the files of the reader of mail share: a message or a part of one while it is read, and the fields of its header
 * (mail_header.c), as `urisieve.sources.mail.header_fields` finds them. */
#ifndef URISIEVE_MAIL_PARTS_H
#define URISIEVE_MAIL_PARTS_H
#include "find.h"
#include "mail.h"

typedef struct {
    const byte *data;  /* the bytes of the mailbox */
    size_t start, end; /* the message, without its envelope line, or the part */
    size_t body;
    mail_content content;
    mail_value id;
} mail_entity;

/* Add a label, of which `offset` gets the place; returns 0 if there is no memory. */
int mail_add_label(mail_stretch *into, const byte *t, size_t size, size_t *offset);

/* Read the header: the texts of its fields, and what they say of the body. */
mail_result mail_take_header(mail_reader *reader, mail_stretch *into, mail_entity *one);

/* Read the body: its parts, if it has any and they are read here. */
mail_result mail_take_body(mail_reader *reader, mail_stretch *into, const mail_entity *one, unsigned depth);

/* Read a body that has no parts. */
mail_result mail_take_leaf(mail_reader *reader, mail_stretch *into, const mail_entity *one);

/* Read plain text without its encoding; `flags` are those of the body. */
mail_result mail_take_text(mail_stretch *into, const byte *text, size_t size, unsigned flags, const mail_table *table);

/* Read a page in UTF-8. */
mail_result mail_take_page(mail_reader *reader, mail_stretch *into, const byte *page, size_t size, int is_legacy);

/* `SIGN`: whether a value may contain an identifier, by a colon between the end of a scheme and something after it. */
int mail_has_sign(const byte *value, size_t size);

/* How far a header is read; 0 if it begins with an envelope line. */
size_t mail_header_limit(const byte *data, size_t start, size_t end);

/* Take the next field, and go on after it; or set `body` to the offset after the empty line, or to `end` if the message
 * is a header only. MAIL_LEFT if the line is neither, or the header does not end before the limit. */
mail_result mail_next_field(const byte *data, size_t *at, size_t limit, size_t end, mail_field *field, size_t *body);

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

/* What the files of the reader of mail share: a message or a part of one while it is read. */
#ifndef URISIEVE_MAIL_PARTS_H
#define URISIEVE_MAIL_PARTS_H
#include "mail_header.h"

typedef struct {
    const byte *data;  /* the bytes of the mailbox */
    size_t start, end; /* the message, without its envelope line, or the part */
    size_t body;
    mail_content content;
    mail_value id, date;
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

#endif

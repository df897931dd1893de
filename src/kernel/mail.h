/* Plain messages of a mailbox: many at once, each as the texts that `urisieve.sources.mail` would make of it.
 *
 * A message is plain if its header is well formed, and its body is one text, in UTF-8 or in a character set of single
 * bytes, or if asked for a page of HTML, or parts that are such. Python says, once for each kind, how a body is read and
 * what an encoded word stands for. Whatever is not plain, or not beyond doubt, is left to it: the kernel stops there. */
#ifndef URISIEVE_MAIL_H
#define URISIEVE_MAIL_H
#include "html.h"
#include "scheme.h"

/* Beside what Python says is done with a body, MAIL_PLAIN and others: it may be in a character set that has a table. */
#define MAIL_TABLE 16u
#define MAIL_REASONS 16u

typedef struct {
    size_t start, size;   /* in the text of the stretch */
    size_t label;         /* the name of the field, in `labels`; its size is 0 for a body */
    uint32_t label_size;
    uint32_t message;     /* the number of the message in the stretch, from 0 */
    uint64_t offset;      /* of its first byte, from the start of the data */
    uint32_t group, branch; /* of which content it is a form, 0 if of none, and of which one (RFC 2046 5.1.4) */
    uint8_t is_ascii;
    uint8_t is_decoded;   /* whether its bytes are not those of the message */
    uint8_t is_legacy;    /* whether it has characters by a table, each of which was one byte */
    uint8_t is_link;      /* whether it is a link of a page; then `label` is its visible text, if that may be a link */
} mail_text;

typedef struct {
    size_t id; /* the value of its Message-ID, in `labels` */
    uint32_t id_size;
    size_t start, size; /* in the data, with its envelope line */
    size_t first;       /* the number of the first text of its body */
    int has_parts;      /* whether the body is a page or has parts */
} mail_message;

/* What Python counts when it reads the bodies of messages. */
typedef struct {
    uint64_t parts, pages;
    uint64_t same, relative; /* references skipped; see `html_page` */
    uint64_t skipped[MAIL_REASONS];
} mail_counts;

typedef struct {
    byte *text; /* all texts, a separator before each */
    size_t size, room;
    mail_text *texts;
    size_t count, text_room;
    mail_message *messages; /* with the one that is left */
    size_t message_count, message_room;
    byte *labels;
    size_t labels_size, labels_room;
    size_t taken; /* the number of bytes of the messages */
    size_t left;  /* that of the message behind them, if its fields are among the texts, but its body is left; or 0 */
    uint64_t base; /* the offset of the data in the mailbox */
    mail_counts counts;
    uint32_t groups; /* the number of contents with several forms */
} mail_stretch;

typedef struct {
    const byte *at; /* NULL for a field that is not there */
    size_t size;
} mail_value;

/* The fields that decide how a body is read. */
typedef struct {
    mail_value type, encoding, disposition;
    mail_value head; /* the first bytes of a page, if they may state its character set */
} mail_content;

/* The characters of the bytes from 80 to FF in UTF-8; those without a character have the size 0. */
typedef struct {
    byte size[128];
    byte text[128][3];
} mail_table;

#define MAIL_KEPT 32u      /* contents that are remembered */
#define MAIL_LONGEST 120u  /* the most bytes of a value that is remembered */

typedef struct {
    byte bytes[3 * MAIL_LONGEST];
    size_t sizes[3];
    unsigned flags;
    mail_table table;
} mail_known;

typedef struct {
    word_list opaque; /* names of fields that are never searched */
    word_list ids;    /* names of fields of message identifiers */
    /* Returns the flags of a body, 0 if Python reads it, -1 after an exception; fills the table with MAIL_TABLE. */
    int (*judge)(void *context, const mail_content *content, mail_table *table);
    /* Returns the reason for which an attachment is skipped, -2 if Python reads it, -1 after an exception. */
    int (*skip)(void *context, const mail_content *content, const byte *body, size_t size);
    /* Decode the encoded words of a value, and append the text to a stretch; returns 0 if Python reads it, -1 after an
     * exception. */
    int (*decode)(void *context, mail_stretch *into, const byte *value, size_t size);
    void *context;
    mail_known known[MAIL_KEPT];
    size_t known_count, known_next;
    mail_table table; /* of the last content that is not remembered */
    byte *decoded;    /* the body that is being read, without its encoding */
    size_t decoded_room;
    byte *wide;       /* and in UTF-8 */
    size_t wide_room;
    int reads_parts;  /* whether pages and parts are read here */
    int every_field;  /* whether fields without a sign of an identifier are texts, too */
    html_reader *html; /* NULL as long as there was no page */
    unsigned part_count; /* the multiparts and the parts of the message so far */
    uint32_t group, branch, branches; /* of the part that is being read, and the number of forms so far */
} mail_reader;

typedef enum {
    MAIL_TAKEN, /* all of the data, or as much as a stretch holds */
    MAIL_LEFT,  /* the next message is to be read in Python */
    MAIL_MORE,  /* more of the next message is needed */
    MAIL_ERROR, /* Python has raised an exception */
    MAIL_NO_MEMORY
} mail_result;

/* Read the plain messages at the start of some bytes of a mailbox, which begin with an envelope line.
 *
 * `searched`: no message after the first one begins before this offset; set for the next call after MAIL_MORE. */
mail_result mail_read(mail_reader *reader, mail_stretch *into, const byte *data, size_t size, size_t *searched,
                      int final, size_t most);

typedef struct {
    size_t name, name_size, value, end; /* offsets in the data, and the size of the name */
} mail_field;

int mail_add_text(mail_stretch *into, const byte *text, size_t size);

/* Decode quoted-printable (RFC 2045 6.7) as `binascii.a2b_qp` does; the text is not longer. Returns its size. */
size_t mail_decode_qp(byte *to, const byte *from, size_t size);
/* Decode base64 (RFC 2045 6.8) with white space in it; what it stands for is not longer. Returns its size, or SIZE_MAX if
 * anything else is in it. */
size_t mail_decode_base64(byte *to, const byte *from, size_t size);

void mail_free(mail_stretch *one);

#endif

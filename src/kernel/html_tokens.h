/* Tokens of HTML (13.2.5), as `urisieve.sources.html.html_tokens` has them: tags, attributes, comments, raw content. */
#ifndef URISIEVE_HTML_TOKENS_H
#define URISIEVE_HTML_TOKENS_H
#include "text.h"

/* A name of an element or of an attribute in lower case; longer names than this are in no table. */
#define HTML_LONGEST_NAME 15u
typedef struct {
    char name[HTML_LONGEST_NAME + 1];
    uint32_t flags;
    uint32_t number;
} html_name;

#define HTML_SLOTS 512u
typedef struct {
    html_name slots[HTML_SLOTS];
    uint32_t sizes[32]; /* by the last bits of the first byte: a bit for each size of the names that begin with it */
    unsigned count;
} html_table;

/* Add a name; returns 0 if it is too long or there are too many. */
int html_add_name(html_table *table, const byte *name, size_t size, uint32_t flags, uint32_t number);
/* The entry of a name in any case; NULL if it is not in the table. The text goes on up to `end`. */
const html_name *html_find_name(const html_table *table, const byte *name, size_t size, const byte *end);

/* The size of the white space character at `t` as `\s` matches it, 0 if it is another character. */
size_t html_space(const byte *t);
/* What follows the white space at the start of a text. */
const byte *html_after_space(const byte *t, const byte *end);

/* Whether the "<" at `t` is text here and begins no tag: before an address, such as `<http://a.example/>`, or in code. */
int html_is_text(const byte *t, const byte *end);

/* The end of the name of a tag that begins at `t`. */
const byte *html_name_end(const byte *t, const byte *end);
/* The end of a tag, after its ">"; `t` is the end of its name. NULL if it is not complete. */
const byte *html_tag_end(const byte *t, const byte *end, int *has_values);

typedef struct {
    const byte *name, *name_end;
    const byte *value, *value_end; /* NULL if it has no value */
} html_attribute;

/* Read the next attribute of a tag from `t` on; returns its end, or NULL if there is none. */
const byte *html_next_attribute(const byte *t, const byte *tag_end, html_attribute *found);

/* The end of the content of a raw element, the "<" of its end tag; NULL if there is none. */
const byte *html_content_end(const byte *t, const byte *end, const char *name);

/* A comment, a declaration or a bogus comment whose "<" is at `t`: returns its end, and where its text is; NULL if it
 * is not complete. */
const byte *html_comment_end(const byte *t, const byte *end, const byte **text, const byte **text_end);

/* The size of the character reference that begins with the "&" at `t`, 0 if none does. */
size_t html_reference(const byte *t, const byte *end);

#endif

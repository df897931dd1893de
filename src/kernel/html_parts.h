/* What the files of the reader of HTML share: its state, texts with references resolved, and the links of tags. */
#ifndef URISIEVE_HTML_PARTS_H
#define URISIEVE_HTML_PARTS_H
#include "buffer.h"
#include "html.h"

typedef struct {
    html_reader *reader;
    html_page *page;
    const byte *end; /* of the source */
    size_t lowest;   /* a cut comes behind this byte */
    int final;
    html_base base;
    int seeks_blank; /* whether the page may end at a blank */
    html_mark cut, blank;
    html_result result;
} html_state;

static inline int html_failed(html_state *at, html_result result)
{
    at->result = result;
    return 0;
}

static inline size_t html_offset(const html_state *at, const byte *t) { return (size_t)(t - at->page->source); }

static inline int html_add_bytes(html_state *at, byte **bytes, size_t *size, size_t *room, const byte *t, size_t length)
{
    return append_bytes(bytes, size, room, t, length) || html_failed(at, HTML_NO_MEMORY);
}

/* The "&" of the next character reference in a text, whose size `size` gets; NULL if there is none. */
const byte *html_next_reference(const byte *t, const byte *end, int in_attribute, size_t *size);
/* Resolve a reference (13.2.5.72): what Python has resolved is remembered. NULL if that fails. */
const html_known_reference *html_resolved(html_state *at, const byte *t, size_t size, int in_attribute);
/* Add a text of the source to a stream, its references as they stand or resolved. */
typedef enum { HTML_AS_IT_STANDS, HTML_RESOLVED_TEXT, HTML_RESOLVED_VALUE } html_resolving;
int html_put(html_state *at, html_stream *to, const byte *t, const byte *end, html_resolving how);
/* Add a run at the end of a stream; `is_plain` if the source says it as it is. */
int html_add_run(html_state *at, html_stream *to, size_t source, size_t size, int is_plain);
/* End the line, at a token. */
int html_pause(html_state *at, html_stream *to, const byte *token);
/* The byte at which a character of a text begins, counted from a byte and its number that are known. */
size_t html_byte(const byte *text, size_t size, size_t *last_byte, size_t *last_character, size_t character);

/* End the text of a link. */
void html_end_anchor(html_page *page, html_stream *stream);
/* Add a link, a value, or what Python has to read; NULL if there is no memory. */
html_item *html_add_item(html_state *at, html_kind kind, const byte *tag, const byte *tag_end);
/* Keep where the attribute of an item is. */
void html_keep_place(const html_state *at, html_item *item, const html_attribute *from);
/* Add the text of a value with its references resolved to the links. */
int html_add_resolved(html_state *at, const byte *t, const byte *end);
int html_holds_slashes(const byte *t, const byte *end);

typedef enum { NO_LINK, A_LINK, FOR_PYTHON, BROKEN } link_result;
/* Add the links that the value of an attribute holds. */
link_result html_add_value(html_state *at, const byte *tag, const byte *tag_end, const html_attribute *from,
                           const html_name *name, uint32_t element);
/* Keep the base that an attribute declares, alone; returns 0. */
int html_keep_base(html_state *at, const html_attribute *from);
/* Whether a style may hold the address of something: `url(` or `@import`. */
int html_may_hold_address(const byte *t, const byte *end);
/* Add the links of a tag; `is_anchor` gets whether the text of one begins behind it, `anchor` its item. */
int html_add_links(html_state *at, const byte *tag, const byte *name_end, const byte *tag_end, uint32_t element,
                   int *is_anchor, size_t *anchor);

#endif

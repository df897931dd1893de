/* The reading of a window of HTML: its running text, the text of its comments, and the links of its attributes.
 *
 * What `urisieve.sources.html.html_documents` does, on UTF-8. It decides less: a window that it does not decide is read
 * there, and so is a tag with anything but plain links. */
#ifndef URISIEVE_HTML_H
#define URISIEVE_HTML_H
#include "html_tokens.h"
#include "resolve.h"

/* What the value of an attribute of some flags holds, such as HTML_URL; the others are those of the elements on which it
 * counts, 0 for all. */
static inline uint32_t html_value(uint32_t flags) { return flags & (HTML_FIRST_OWN - 1); }

#define HTML_MOST_ATTRIBUTES 64u

/* A character reference is written in no more characters, and stands for no more bytes. */
#define HTML_LONGEST_REFERENCE 40u
#define HTML_REFERENCE_ROOM 64u
typedef struct {
    byte written[HTML_LONGEST_REFERENCE], text[HTML_REFERENCE_ROOM];
    uint8_t size, length, in_attribute;
} html_known_reference;
#define HTML_KNOWN_REFERENCES 256u

typedef struct {
    html_table elements, attributes;
    /* Resolve a reference that is not known yet; returns 0 on failure. */
    int (*resolve)(void *context, const byte *written, size_t size, int in_attribute, byte *text, size_t *length);
    void *context;
    int takes_every_value; /* whether values of attributes without a sign of an identifier are texts, too */
    html_known_reference known[HTML_KNOWN_REFERENCES];
} html_reader;

/* A run of a text: where it begins there and in the source. If it is not plain, a reference or a tag stands for it. */
typedef struct {
    size_t begin, source;
    uint32_t size; /* in the source */
    uint32_t is_plain;
} html_run;

#define HTML_NOWHERE SIZE_MAX
typedef struct {
    byte *text;
    size_t size, room;
    html_run *runs;
    size_t run_count, run_room;
    int broken;      /* whether a line has just ended */
    int in_anchor;   /* whether the text of a link is being added */
    size_t anchor;   /* the item of that link, HTML_NOWHERE if there is none */
    size_t anchor_begin;
    size_t last_run, last_byte, last_character; /* the offset that was looked up last */
} html_stream;

typedef enum {
    HTML_LINK,  /* a link with a scheme, or a relative reference that is resolved */
    HTML_TAG,   /* a tag to be read in Python */
    HTML_CONTENT_ITEM, /* the content of a `style` or `script` element to be read in Python */
    HTML_VALUE  /* the value of an attribute that holds no link but may hold an identifier */
} html_kind;

typedef struct {
    size_t link;        /* the offset of the link in `links`, of a value in the text of `values` */
    size_t tag, tag_end; /* the tag, from its "<", in the source; for such content up to its end */
    size_t name;        /* that of the attribute, in the source */
    size_t value;       /* the start of the link in the source, with its references; if it is plain */
    size_t shown, shown_end; /* the visible text of the link, if it may be a link itself; whole, also behind a cut */
    size_t reference;   /* the offset in `links` of the reference of which the link is the target */
    uint32_t link_size;
    uint32_t reference_size; /* 0 if it is not the target of one */
    uint32_t name_size; /* 0 if it is none of an attribute */
    uint8_t kind;
    uint8_t is_plain;
    uint8_t shown_in;   /* 0: not to be compared; 1: in the running text; 2: in that of comments */
} html_item;

/* How much of a page there was at some token. */
typedef struct {
    size_t stop; /* in the source */
    size_t running, comments, values, texts, items;
    uint64_t same, relative;
} html_mark;

/* Offsets further apart are far. */
enum { HTML_STEP = 1024 };

typedef struct {
    const byte *source;
    size_t size;
    html_stream running, comments;
    html_stream values; /* texts of attributes, joined so that no candidate crosses from one to the next */
    html_item *texts; /* of `values` */
    size_t text_count, text_room;
    html_item *items;
    size_t item_count, item_room;
    byte *links;
    size_t links_size, links_room;
    uint64_t same, relative; /* references into the document itself, and relative ones, which are skipped */
    html_mark end;
    int has_base; /* whether `links` holds nothing but the base that an element declares: the window is read again */
    int is_done; /* whether it is complete; otherwise more of the source is needed to find where it ends */
    size_t last_byte, last_character;
    size_t *steps; /* the number of characters before each `HTML_STEP` bytes; NULL until offsets far apart are asked for */
} html_page;

/* What relative references are resolved against. */
typedef struct {
    int is_known;    /* otherwise they are skipped */
    int is_declared; /* whether an element has declared it: later ones do not count */
    const resolve_base *plain; /* NULL if Python resolves them one by one */
} html_base;

typedef enum { HTML_DONE, HTML_LEFT, HTML_BASED, HTML_NO_MEMORY } html_result;

/* Read a window. HTML_LEFT: it is to be read in Python.
 *
 * `final`: whether nothing follows; otherwise the page ends at the last token in the last quarter that ends a line
 * outside of links; if there is none in `limit` characters, at the last blank. `limit` is also the length of the
 * longest token that may be left for later. HTML_DONE also if an element declares the base. */
html_result html_read(html_reader *reader, html_page *page, const byte *source, size_t size, int final, html_base base,
                      size_t limit);
void html_free(html_page *page);

/* The text of a page with a number: 0 the running text, 1 that of comments, 2 that of attributes. */
static inline html_stream *html_stream_of(html_page *page, int number)
{
    return number == 0 ? &page->running : number == 1 ? &page->comments : &page->values;
}

/* Whether a text is not only white space. */
int html_has_text(const html_stream *stream);

/* The character of the source at which a character of a text stands, or behind which its predecessor ends. */
size_t html_source(html_page *page, html_stream *stream, size_t character, int is_end);
/* The number of characters before a byte of the source. */
size_t html_character(html_page *page, size_t offset);

#endif

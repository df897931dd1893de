/* The texts of XML (XML 1.0), joined to one text to be searched.
 *
 * The source is a chunk that a parser has found to be well formed: names, nesting and characters are not looked at.
 * `urisieve.sources.xml.xml_scan` says the same in Python. */
#ifndef URISIEVE_XML_TEXTS_H
#define URISIEVE_XML_TEXTS_H
#include "text.h"

/* A run of more bytes of the source is cut after a blank, one of twice as many wherever that is. */
#define XML_LONGEST_RUN 262144u
/* Text with blanks of more characters is not one value. */
#define XML_LONGEST_VALUE 65536u
/* The deepest nesting that is read. */
#define XML_DEPTH 10000u

/* Where a chunk begins or ends: in the content or in a section of it (CDATA), in the document type outside and inside
 * of the brackets, and in a declaration there. */
enum { XML_CONTENT, XML_SECTION, XML_DOCTYPE, XML_SUBSET, XML_DECLARATION };

/* The kinds of texts: a run of text, one that may be HTML, one that is a value (without the white space around it); an
 * attribute, one that is a link, one that is a relative reference, xml:base as either of these; a comment; an
 * instruction. Relative references are empty texts. */
enum {
    XML_RUN = 'r', XML_HTML = 'h', XML_VALUE = 'v', XML_ATTRIBUTE = 'a', XML_LINK = 'l', XML_REFERENCE = 'f',
    XML_BASE = 'b', XML_RELATIVE_BASE = 'B', XML_COMMENT = 'c', XML_INSTRUCTION = 'i'
};

/* Where a text is: the number of its element, -1 outside of all; its start and end in the source, in bytes; the start
 * of the name of an attribute or an instruction; for a run, whether it begins in a section. */
typedef struct {
    int64_t element, start, end, name;
} xml_row;

/* An element that begins in the source: the number of the one around it, and the offset of its tag. */
typedef struct {
    int64_t outer, tag;
} xml_element;

typedef struct {
    int64_t number; /* those that were open before are numbered from 0, then those that begin in the source */
    int is_link;    /* whether its text is a link */
} xml_open;

typedef struct {
    /* The state before the source, then after what was read. */
    int mode;
    int is_leaf; /* whether the innermost element contains nothing but text so far */
    xml_open *open;
    size_t depth, open_room;
    /* The attributes that are links, and the elements whose text is one: each after a blank and before one. */
    const char *links, *link_elements;
    byte *text; /* the texts, each after a separator */
    size_t size, room;
    uint64_t characters; /* of the text */
    int64_t *begins;     /* of each in the text, in characters */
    byte *kinds;
    xml_row *rows;
    size_t count, begins_room, kinds_room, rows_room;
    xml_element *elements;
    size_t element_count, elements_room;
    size_t before; /* the number of elements that were open before */
} xml_texts;

typedef enum { XML_DONE, XML_TOO_DEEP, XML_NO_MEMORY } xml_result;

/* Take the texts of a source up to a run or a construct that its end cuts, whose offset `stop` gets; a run is taken all
 * the same if `is_end`. After the tag of an element that is too deep it ends. */
xml_result xml_read(xml_texts *into, const byte *source, size_t size, int is_end, size_t *stop);

void xml_free(xml_texts *one);

#endif

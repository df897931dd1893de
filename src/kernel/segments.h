/* The search in segments: texts that are joined, each of which is a text of its own, or a candidate that a carrier
 * delimits, such as the link of an attribute of HTML. */
#ifndef URISIEVE_SEGMENTS_H
#define URISIEVE_SEGMENTS_H
#include "search.h"

/* What the carrier of a segment says of it. */
#define SEGMENT_LINK 1u   /* it is one candidate */
#define SEGMENT_LEGACY 2u /* it was decoded from a character set that is not of Unicode */

typedef struct {
    const char *begins; /* the offset of each segment, in characters, and one more; 64-bit numbers at any address */
    const byte *kinds;  /* of each */
    size_t count;
} segment_list;

/* Search the segments of the text of the search; the rows have offsets in that text. Writes the numbers of the segments
 * that are left to Python to `left`, which has room for all. Returns their number, SIZE_MAX if there is no memory. */
size_t search_segments(search *in, const segment_list *segments, int64_t *left);

typedef enum { DELIMITED, NOT_DELIMITED, DELIMITED_NO_MEMORY } delimiting;

/* Take some text of the search as one candidate, as `Finder.delimited` does. NOT_DELIMITED if Python has to decide. */
delimiting search_whole(search *in, size_t start, size_t size);

#endif

/* A candidate that a carrier delimits, such as the link of an attribute of HTML. */
#ifndef URISIEVE_DELIMITED_H
#define URISIEVE_DELIMITED_H
#include "search.h"

typedef enum { DELIMITED, NOT_DELIMITED, DELIMITED_NO_MEMORY } delimiting;

/* Take a link that begins with a scheme as one candidate, as `Finder.delimited` does: it gets a row, whose text is
 * appended to that of the search. NOT_DELIMITED if Python has to decide. */
delimiting search_delimited(search *in, const byte *link, size_t size);

/* Take the text of the search as one candidate. */
delimiting search_whole(search *in);

#endif

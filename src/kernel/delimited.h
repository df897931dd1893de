/* A candidate that a carrier delimits, such as the link of an attribute of HTML. */
#ifndef URISIEVE_DELIMITED_H
#define URISIEVE_DELIMITED_H
#include "search.h"

typedef enum { DELIMITED, NOT_DELIMITED, DELIMITED_NO_MEMORY } delimiting;

/* Take some text of the search as one candidate, as `Finder.delimited` does. NOT_DELIMITED if Python has to decide. */
delimiting search_whole(search *in, size_t start, size_t size);

#endif

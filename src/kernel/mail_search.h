/* The search in the texts of a stretch of mail: each is a text of its own. */
#ifndef URISIEVE_MAIL_SEARCH_H
#define URISIEVE_MAIL_SEARCH_H
#include "harvest.h"
#include "mail.h"

/* Search texts from a number on; the rows of the search have offsets in the text of the stretch. Returns the number of
 * the first text that is not searched, since the finder has to look at it; SIZE_MAX if there is no memory. */
size_t mail_follow(search *in, mail_stretch *texts, size_t first);

/* Take the rows that `mail_follow` has found, each with its position in its own text. */
int mail_take(harvest *into, search *in, const mail_stretch *texts, size_t first, unsigned wanted);

#endif

/* The different hosts of a harvest, so that what follows from the host alone is looked up once for each. */
#ifndef URISIEVE_HOSTS_H
#define URISIEVE_HOSTS_H
#include "harvest.h"

/* Number the hosts of all rows, unless that was done, in the order in which they come; rows without a host share a
 * number. Returns 0 if there is no memory. */
int hosts_number(harvest *in);

#endif

/* The time with which a line of a log begins, as `urisieve.syntax.times.time_of_line` finds it. */
#ifndef URISIEVE_HOURS_H
#define URISIEVE_HOURS_H
#include "text.h"

typedef enum { ISO_TIME, BSD_TIME, CLF_TIME, NO_TIME } time_form;

/* The most bytes of a time as it is written, or as RFC 3339 has it. */
#define TIME_SIZE 48u

typedef struct {
    const byte *time, *second, *zone; /* to the minute; NULL if no seconds, or no zone, are stated */
    size_t time_size, second_size, zone_size;
    const byte *end; /* after all of it */
} line_time;

/* Find the time of a line in the text that goes on after it; sizes are those of texts of `latin-1`. */
time_form find_line_time(line_time *made, const byte *line, const byte *end);

/* Write a time as the source has written it, with one blank for several; returns its size. */
size_t put_written(byte to[TIME_SIZE], const line_time *of);

/* Write a whole time (RFC 3339) of its minute, in UTC if the zone is stated; returns its size, 0 if the year is not stated
 * or there is no such second. */
size_t put_time(byte to[TIME_SIZE], const byte *minute, size_t size, const line_time *of);

#endif

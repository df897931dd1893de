/* The time with which a line of a log begins, as `urisieve.syntax.time_forms.time_of_line` finds it. */
#ifndef URISIEVE_HOURS_H
#define URISIEVE_HOURS_H
#include "text.h"

/* The most bytes of a time as it is written, or as RFC 3339 has it. */
#define TIME_SIZE 64u

typedef struct {
    const byte *time, *end; /* all of it, as it is written */
    const byte *zone;
    size_t zone_size; /* 0 if no zone is stated */
    byte minute[16];  /* 2024-05-31T13:05, --05-31T13:05, or the number of minutes since 1970 */
    size_t minute_size;
    byte second[12]; /* 07, 07.250 */
    size_t second_size;
} line_time;

/* Find the time of a line in the text that goes on after it; returns whether there is one. Sizes are those of texts of
 * `latin-1`. */
int find_line_time(line_time *made, const byte *line, const byte *end);

/* Write a time as the source has written it, with one blank for several; returns its size. */
size_t put_written(byte to[TIME_SIZE], const line_time *of);

/* Write a whole time (RFC 3339) of its minute, in UTC if the zone is stated; returns its size, 0 if the year is not stated
 * or there is no such second. */
size_t put_time(byte to[TIME_SIZE], const byte *minute, size_t size, const line_time *of);

#endif

/* The time with which a line of a log begins, as `urisieve.sources.hours.hour_of_line` finds it. */
#ifndef URISIEVE_HOURS_H
#define URISIEVE_HOURS_H
#include "text.h"

typedef enum { ISO_TIME, BSD_TIME, CLF_TIME, NO_TIME } time_form;

typedef struct {
    const byte *time, *zone; /* to the minute; NULL if no zone is stated */
    size_t time_size, zone_size;
    const byte *end;         /* behind all of it */
} line_time;

/* Find the time of a line in the text that goes on behind it; sizes are those of texts of `latin-1`. */
time_form find_line_time(line_time *made, const byte *line, const byte *end);

#endif

/* The fields of a record, in the order of `RecordFields`. */
#ifndef URISIEVE_RECORD_FIELDS_H
#define URISIEVE_RECORD_FIELDS_H

typedef enum {
    RAW, URI, KEY, START, END, LINE, COLUMN, SOURCE, WRAPPER, WARNINGS, ALTERNATIVES, BYTE_START, BYTE_END, LOCATION,
    FIELD_COUNT
} record_field;

#endif

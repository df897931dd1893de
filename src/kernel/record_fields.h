/* The fields of a record, and after them what is made of these; the table FIELDS has their names. */
#ifndef URISIEVE_RECORD_FIELDS_H
#define URISIEVE_RECORD_FIELDS_H
#include "components.h"
#include "harvest.h"

/* The field that a harvest has under a name, if it was asked for; F_COUNT otherwise. */
record_field field_asked(const harvest *from, const char *name);

/* Where the fields that are numbers are in a row; 0 for all others. */
static const size_t NUMBER_FIELDS[F_COUNT + 1] = {
    [F_START] = offsetof(found_row, start), [F_END] = offsetof(found_row, end),
    [F_LINE] = offsetof(found_row, line), [F_COLUMN] = offsetof(found_row, column),
    [F_BYTE_START] = offsetof(found_row, byte_start), [F_BYTE_END] = offsetof(found_row, byte_end)};

static inline int is_number(record_field which) { return NUMBER_FIELDS[which] != 0; }

static inline uint64_t number_in(const found_row *row, record_field which)
{
    return *(const uint64_t *)(const void *)((const char *)row + NUMBER_FIELDS[which]);
}

/* The raw text of a row, its key, or else its canonical form. */
static inline component text_in(const harvest *from, const found_row *row, record_field which)
{
    if (which == F_RAW) return (component){from->raws.at + row->raw, row->raw_size};
    if (which == F_KEY) return (component){from->forms.at + row->key, row->key_size};
    return (component){from->forms.at + row->uri, row->uri_size};
}

#endif

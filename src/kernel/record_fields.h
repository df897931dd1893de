/* The fields of a record, in the order of `RecordFields`, and behind them what is made of these. */
#ifndef URISIEVE_RECORD_FIELDS_H
#define URISIEVE_RECORD_FIELDS_H
#include "components.h"
#include "harvest.h"

typedef enum {
    F_RAW, F_URI, F_KEY, F_START, F_END, F_LINE, F_COLUMN, F_SOURCE, F_WRAPPER, F_WARNINGS, F_ALTERNATIVES,
    F_BYTE_START, F_BYTE_END, F_LOCATION, FIELD_COUNT,
    F_IRI = FIELD_COUNT, F_KIND, F_SCHEME, F_USERINFO, F_HOST, F_PORT, F_PATH, F_QUERY, F_FRAGMENT, F_HOST_KIND, F_NID,
    F_NSS, F_COUNT
} record_field;

/* The field that a harvest has under a name, if it was asked for; F_COUNT otherwise. */
record_field field_asked(const harvest *from, const char *name);

static inline int is_number(record_field which)
{
    return (which >= F_START && which <= F_COLUMN) || which == F_BYTE_START || which == F_BYTE_END;
}

static inline uint64_t number_in(const found_row *row, record_field which)
{
    switch (which) {
    case F_START: return row->start;
    case F_END: return row->end;
    case F_LINE: return row->line;
    case F_COLUMN: return row->column;
    case F_BYTE_START: return row->byte_start;
    default: return row->byte_end;
    }
}

/* The raw text of a row, its key, or else its canonical form. */
static inline component text_in(const harvest *from, const found_row *row, record_field which)
{
    if (which == F_RAW) return (component){from->raws + row->raw, row->raw_size};
    if (which == F_KEY) return (component){from->forms + row->key, row->key_size};
    return (component){from->forms + row->uri, row->uri_size};
}

#endif

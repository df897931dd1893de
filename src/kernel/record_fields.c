#include "record_fields.h"

static unsigned needs(record_field which)
{
    switch (which) {
    case F_RAW: case F_KIND: return WANT_RAW;
    case F_START: case F_END: return WANT_OFFSETS;
    case F_LINE: case F_COLUMN: return WANT_LINES;
    case F_BYTE_START: case F_BYTE_END: return WANT_BYTES;
    default: return 0;
    }
}

record_field field_asked(const harvest *from, const char *name)
{
    int which = 0;
    while (which < F_COUNT && strcmp(FIELDS[which], name) != 0) ++which;
    if (which == F_SOURCE || which == F_LOCATION) return F_COUNT; /* these are not those of a harvest */
    unsigned needed = needs((record_field)which);
    return from->count && (from->wanted & needed) != needed ? F_COUNT : (record_field)which;
}

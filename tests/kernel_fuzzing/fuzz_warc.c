/* The records of a web archive: one behind the other, their fields without white space, and the same without the rest. */
#include "fuzzing.h"
#include "warc.h"

#define LONGEST 4096u

void fuzz_warc(const byte *data, size_t size)
{
    byte *source = exact_copy(data, size);
    size_t at = 0;
    warc_record one, again;
    while (warc_record_at(source, size, at, LONGEST, &one)) {
        REQUIRE(one.offset >= at && one.block.start > one.offset && one.block.end >= one.block.start);
        REQUIRE(one.block.end - one.block.start <= LONGEST && size - one.block.end >= 4);
        REQUIRE(memcmp(source + one.offset, "WARC/", 5) == 0 && memcmp(source + one.block.end, "\r\n\r\n", 4) == 0);
        uint64_t length = 0;
        for (unsigned i = 0; i < WARC_FIELDS; ++i) {
            warc_span value = one.values[i];
            if (!value.end) continue;
            REQUIRE(value.start > one.offset && value.start <= value.end && value.end < one.block.start);
            REQUIRE(memchr(source + value.start, '\n', value.end - value.start) == NULL);
            if (value.start < value.end) REQUIRE(source[value.start] != ' ' && source[value.end - 1] != ' ');
            for (size_t k = value.start; i == 0 && k < value.end; ++k) length = length * 10 + (source[k] - '0');
        }
        REQUIRE(length == one.block.end - one.block.start);
        /* What follows the next line does not count. */
        const byte *feed = memchr(source + one.block.end + 4, '\n', size - one.block.end - 4);
        REQUIRE(feed != NULL);
        size_t least = (size_t)(feed - source) + 1;
        byte *part = exact_copy(source, least);
        REQUIRE(warc_record_at(part, least, at, LONGEST, &again) && memcmp(&one, &again, sizeof one) == 0);
        REQUIRE(!warc_record_at(part, least - 1, at, LONGEST, &again));
        free(part);
        at = one.block.end;
    }
    free(source);
}

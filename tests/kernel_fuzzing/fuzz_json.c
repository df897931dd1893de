/* The strings of JSON: the same whatever was read before, none that the source does not hold, and text throughout. */
#include "fuzzing.h"
#include "json_strings.h"

/* Check what was read from an offset on; returns where reading ended. */
static size_t check(json_strings *made, const byte *source, size_t size, size_t from, bytes_kept *kept)
{
    size_t stop;
    json_counts *counts = &made->made;
    *counts = (json_counts){.depth = counts->depth};
    json_result result = json_read(made, source + from, size - from, &stop);
    REQUIRE(result != JSON_NO_MEMORY && from + stop <= size);
    REQUIRE(made->goes_on ? result == JSON_DONE : result == JSON_LEFT || from + stop == size);
    if (made->is_lines && result == JSON_LEFT) REQUIRE(stop == 0 || source[from + stop - 1] == '\n');
    REQUIRE(is_text(made->text, counts->size));
    REQUIRE(counts->strings == 0 || made->begins[counts->strings] == (int64_t)(counts->size + TEXT_SEPARATOR_SIZE));
    int64_t last = 0;
    for (size_t i = 0; i < counts->strings; ++i) {
        REQUIRE(made->begins[i] + (int64_t)TEXT_SEPARATOR_SIZE <= made->begins[i + 1]);
        REQUIRE(made->starts[i] > last && made->starts[i] <= (int64_t)stop);
        last = made->starts[i];
        json_link link = made->links[i];
        REQUIRE(link.owner >= -1 && link.owner < (int32_t)counts->containers);
        REQUIRE(link.owner < 0 || link.key < (int32_t)counts->names);
        keep_bytes(kept, made->text + made->begins[i], (size_t)(made->begins[i + 1] - made->begins[i]) - TEXT_SEPARATOR_SIZE);
        keep_number(kept, from + (size_t)last);
    }
    for (size_t i = 0; i < counts->names; ++i) REQUIRE(made->owners[i] < (int32_t)counts->containers);
    for (size_t i = 0; i < counts->containers; ++i) {
        json_link link = made->containers[i];
        REQUIRE(link.owner >= -1 && link.owner < (int32_t)i && link.key <= (int32_t)counts->names);
    }
    return from + stop;
}

void fuzz_json(const byte *data, size_t size)
{
    if (size < 2) return;
    static const char field[] = ".a\0[\0*";
    decoded_text text;
    decode(&text, data + 2, size - 2, 0);
    byte *source = exact_copy(text.text, text.size);
    json_strings whole = {
        .is_lines = data[0] & 1, .takes_bytes = data[0] >> 1 & 1, .is_strict = data[0] >> 2 & 1,
        .field = (const byte *)field, .field_size = data[0] & 8 ? 3 : data[0] & 16 ? sizeof field : 0};
    json_strings again = whole, cut = whole;
    bytes_kept first = {0}, second = {0}, third = {0};
    size_t end = check(&whole, source, text.size, 0, &first);
    if (whole.is_lines) { /* what was read is read again without the rest */
        byte *part = exact_copy(source, end);
        REQUIRE(check(&again, part, end, 0, &second) == end);
        free(part);
    } else { /* or in windows, of which each takes over what the one before has left open */
        size_t from = 0, stop = 0;
        for (size_t step = 1 + data[1] % 32; stop < text.size; stop += step) {
            again.goes_on = 1;
            from = check(&again, source, stop, from, &second);
        }
        again.goes_on = 0;
        REQUIRE(check(&again, source, text.size, from, &second) == end);
    }
    REQUIRE(is_same(&first, &second));
    if (end < text.size) check(&cut, source, text.size, end, &third);
    json_free(&whole);
    json_free(&again);
    json_free(&cut);
    free(source);
    forget_bytes(&first);
    forget_bytes(&second);
    forget_bytes(&third);
    forget_decoded(&text);
}

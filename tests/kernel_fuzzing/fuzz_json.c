/* The strings of JSON: the same whatever was read before, none that the source does not hold, and text throughout. */
#include "fuzzing.h"
#include "json_strings.h"

/* Check what was read from an offset on; returns where reading ended. */
static size_t check(const byte *source, size_t size, size_t from, const byte options[1], bytes_kept *kept)
{
    json_strings made = {
        .is_lines = options[0] & 1, .leaves_bytes = options[0] >> 1 & 1, .is_strict = options[0] >> 2 & 1};
    size_t stop;
    json_result result = json_read(&made, source + from, size - from, &stop);
    REQUIRE(result != JSON_NO_MEMORY && from + stop <= size);
    REQUIRE((result == JSON_DONE) == (from + stop == size));
    if (made.is_lines && from + stop < size) REQUIRE(stop == 0 || source[from + stop - 1] == '\n');
    REQUIRE(is_text(made.text, made.size));
    REQUIRE(made.count == 0 || made.begins[made.count] == (int64_t)made.size + (int64_t)TEXT_SEPARATOR_SIZE);
    int64_t last = 0;
    for (size_t i = 0; i < made.count; ++i) {
        REQUIRE(made.begins[i] + (int64_t)TEXT_SEPARATOR_SIZE <= made.begins[i + 1]);
        REQUIRE(made.starts[i] > last && made.starts[i] <= (int64_t)stop);
        last = made.starts[i];
        json_link link = made.links[i];
        REQUIRE(link.owner >= -1 && link.owner < (int32_t)made.container_count && link.key <= (int32_t)i);
    }
    for (size_t i = 0; i < made.container_count; ++i) {
        json_link link = made.containers[i];
        REQUIRE(link.owner >= -1 && link.owner < (int32_t)i);
        REQUIRE(link.owner == -1 || link.key < (int32_t)made.count); /* a document itself has no key */
    }
    keep_bytes(kept, made.text, made.size);
    json_free(&made);
    return from + stop;
}

void fuzz_json(const byte *data, size_t size)
{
    if (size < 1) return;
    decoded_text text;
    decode(&text, data + 1, size - 1, 0);
    byte *source = exact_copy(text.text, text.size);
    bytes_kept whole = {0}, again = {0};
    size_t end = check(source, text.size, 0, data, &whole);
    /* What was read is read again without the rest. */
    byte *part = exact_copy(source, end);
    REQUIRE(check(part, end, 0, data, &again) == end);
    REQUIRE(is_same(&whole, &again));
    if (end < text.size) check(source, text.size, end, data, &again);
    free(part);
    free(source);
    forget_bytes(&whole);
    forget_bytes(&again);
    forget_decoded(&text);
}

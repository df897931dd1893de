/* The texts of XML: text throughout whatever the source is, in order, also when the source ends where reading did. */
#include "fuzzing.h"
#include "xml_texts.h"

static size_t count_characters(const byte *t, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; ++i) count += !is_continuation(t[i]);
    return count;
}

/* Check what was read from an offset on, in a state; returns where reading ended. */
static size_t check(xml_texts *made, const byte *source, size_t size, int is_end, bytes_kept *kept)
{
    made->links = " href src xml:base ";
    made->link_elements = " link loc ";
    size_t stop, before = made->depth;
    xml_result result = xml_read(made, source, size, is_end, &stop);
    REQUIRE(result != XML_NO_MEMORY && stop <= size);
    REQUIRE(is_text(made->text, made->size) && count_characters(made->text, made->size) == made->characters);
    int64_t elements = (int64_t)(before + made->element_count);
    for (size_t i = 0; i < made->count; ++i) {
        const xml_row *row = &made->rows[i];
        REQUIRE(made->begins[i] + (int64_t)TEXT_SEPARATOR_SIZE <= made->begins[i + 1]);
        REQUIRE(row->element >= -1 && row->element < elements);
        REQUIRE(row->start >= 0 && row->start <= row->end && row->end <= (int64_t)stop);
        REQUIRE(row->name >= 0 && row->name <= (int64_t)stop);
    }
    for (size_t i = 0; i < made->element_count; ++i)
        REQUIRE(made->elements[i].outer >= -1 && made->elements[i].outer < elements);
    for (size_t i = 0; i < made->depth; ++i) REQUIRE(made->open[i].number >= 0 && made->open[i].number < elements);
    keep_bytes(kept, made->text, made->size);
    return stop;
}

void fuzz_xml(const byte *data, size_t size)
{
    if (size < 1) return;
    decoded_text text;
    decode(&text, data + 1, size - 1, 0);
    byte *source = exact_copy(text.text, text.size);
    int mode = data[0] % 5, is_leaf = data[0] >> 3 & 1, is_end = data[0] >> 4 & 1;
    bytes_kept whole = {0}, again = {0};
    xml_texts first = {.mode = mode, .is_leaf = is_leaf}, second = {.mode = mode, .is_leaf = is_leaf};
    size_t end = check(&first, source, text.size, is_end, &whole);
    byte *part = exact_copy(source, end);
    check(&second, part, end, 1, &again);
    xml_free(&first);
    xml_free(&second);
    free(part);
    free(source);
    forget_bytes(&whole);
    forget_bytes(&again);
    forget_decoded(&text);
}

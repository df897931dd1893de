/* The steps of merging on canonical forms, and keys of archives. The first four bytes choose the steps; a line stands for
 * parameters, the rest for a link. */
#include "fuzzing.h"
#include "canonical.h"
#include "merge.h"
#include "scheme.h"

/* The form that steps make of a canonical form, in memory of just the room that is promised to be enough. */
static size_t merge(byte **made, const byte *form, size_t size, const merge_choice *with)
{
    byte *from = exact_copy(form, size);
    *made = malloc(MERGED_ROOM(size));
    REQUIRE(*made != NULL);
    size_t length = merged_identifier(*made, from, size, with);
    REQUIRE(length <= MERGED_ROOM(size));
    free(from);
    return length;
}

static void check_key(const byte *form, size_t size)
{
    byte *exact = exact_copy(form, size), *decoded = malloc(size), *key = malloc(ARCHIVE_ROOM(size));
    REQUIRE(decoded != NULL && key != NULL);
    const unsigned flags = SCHEMES[scheme_of_form(exact, size)].flags;
    size_t length = archive_key(key, decoded, exact, size, flags);
    REQUIRE(length <= ARCHIVE_ROOM(size));
    REQUIRE(!(flags & S_URN) || (length == size && memcmp(key, exact, size) == 0));
    for (size_t i = 0; i < length; ++i)
        REQUIRE(key[i] > ' ' && key[i] < 0x7F && ((flags & S_URN) || !is_upper(key[i])));
    free(key);
    free(decoded);
    free(exact);
}

void fuzz_merge(const byte *data, size_t size)
{
    if (size < 4) return;
    merge_choice with = {.steps = data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16};
    int which = data[3] & 3;
    data += 4;
    size -= 4;
    const byte *feed = memchr(data, '\n', size);
    if (feed != NULL) {
        size_t length = (size_t)(feed - data);
        if (which & 1) REQUIRE(parameters_add(&with.kept, data, length));
        if (which & 2) REQUIRE(parameters_add(&with.dropped, data, length));
        data = feed + 1;
        size -= length + 1;
    }
    decoded_text whole;
    decode(&whole, data, size, 0);
    byte *text = exact_copy(whole.text, whole.size), *form = malloc(CANONICAL_ROOM(whole.size)), *made, *again;
    unsigned warnings = 0;
    REQUIRE(form != NULL);
    size_t length = form_of_identifier(form, text, whole.size, 0, &warnings);
    if (length) {
        check_key(form, length);
        size_t merged = merge(&made, form, length, &with);
        if (merged) {
            REQUIRE(has_uri_characters(made, merged));
            check_key(made, merged);
            size_t same = merge(&again, made, merged, &with);
            REQUIRE(same == merged && memcmp(again, made, merged) == 0);
            free(again);
        }
        free(made);
    }
    merge_free(&with);
    forget_decoded(&whole);
    free(form);
    free(text);
}

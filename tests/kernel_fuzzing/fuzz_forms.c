/* Single texts: canonical forms, UTF-8, quoted-printable and headers of mail, beside naive code. */
#include "fuzzing.h"
#include "bare.h"
#include "canonical.h"
#include "components.h"
#include "find.h"
#include "mail_parts.h"
#include "templates.h"
#include "utf8.h"
#include "vector.h"

static size_t form_of(byte **form, const byte *text, size_t size)
{
    unsigned warnings = 0;
    *form = malloc(CANONICAL_ROOM(size)); /* just the room that is promised to be enough */
    REQUIRE(*form != NULL);
    size_t length = form_of_identifier(*form, text, size, KNOWS_HOSTS, &warnings);
    REQUIRE(length <= CANONICAL_ROOM(size) && (warnings & ~(FOUND_USERINFO_PRESENT | FOUND_SCHEME_SYNTAX)) == 0);
    return length;
}

static void check_canonical(const byte *text, size_t size)
{
    byte *form, *again, *exact;
    size_t length = form_of(&form, text, size);
    fault found = fault_of(text, size);
    REQUIRE(found.reason == NO_FAULT || (length == 0 && found.offset <= size));
    if (length) {
        REQUIRE(has_uri_characters(form, length));
        exact = exact_copy(form, length);
        size_t same = form_of(&again, exact, length); /* 0 for a triplet behind a slash of `file:`, which may be a dot */
        REQUIRE(same == 0 ? form[0] == 'f' : same == length && memcmp(again, form, length) == 0);
        component parts[COMPONENT_COUNT];
        split_components(parts, exact, length);
        size_t sum = parts[C_SCHEME].size + 1 + parts[C_PATH].size;
        if (parts[C_USERINFO].text != NULL) sum += parts[C_USERINFO].size + 1;
        if (parts[C_HOST].text != NULL) sum += parts[C_HOST].size + 2;
        if (parts[C_PORT].text != NULL) sum += parts[C_PORT].size + 1;
        if (parts[C_QUERY].text != NULL) sum += parts[C_QUERY].size + 1;
        if (parts[C_FRAGMENT].text != NULL) sum += parts[C_FRAGMENT].size + 1;
        REQUIRE(parts[C_SCHEME].text != NULL && sum == length); /* nothing lost, nothing twice */
        free(again);
        free(exact);
    }
    free(form);
    int dots = 0, numbers = size > 0;
    for (size_t i = 0, value = 0, digits = 0; i <= size && numbers; ++i) {
        if (i < size && is_digit(text[i])) {
            value = value * 10 + text[i] - '0';
            if (++digits > 3 || value > 255 || (digits > 1 && text[i + 1 - digits] == '0')) numbers = 0;
        } else if (digits == 0 || (i < size && text[i] != '.')) {
            numbers = 0;
        } else {
            dots += i < size;
            value = digits = 0;
        }
    }
    REQUIRE(is_ipv4(text, size) == (numbers && dots == 3));
}

/* A template is its own template, if the kernel knows that; it has placeholders for letters, digits and what joins them,
 * and all else stays in its order. */
static void check_template(const byte *text, size_t size)
{
    byte *made = malloc(TEMPLATE_ROOM(size) + 1), *again = malloc(TEMPLATE_ROOM(TEMPLATE_ROOM(size)) + 1);
    const byte *end = plain_template(made, text, size);
    if (end != NULL) {
        size_t length = (size_t)(end - made), at = 0, from = 0;
        REQUIRE(length <= TEMPLATE_ROOM(size));
        const byte *last = plain_template(again, made, length);
        REQUIRE(last == NULL || ((size_t)(last - again) == length && memcmp(again, made, length) == 0));
        int has_any = 0;
        while (at < length || (from < size && text[from] != '#')) {
            if (at < length && from < size && made[at] == text[from]) {
                ++at;
                ++from;
            } else if (length - at >= 2 && memcmp(made + at, "{}", 2) == 0) {
                has_any = 1;
                at += 2;
            } else {
                REQUIRE(has_any && from < size && (is_alphanumeric(text[from]) || IS_ONE_OF(text[from], "-_.")));
                ++from;
            }
        }
    }
    free(again);
    free(made);
}

static void check_utf8(const byte *data, size_t size, const decoded_text *whole)
{
    size_t valid = 0, feeds = 0, ascii = 0, length;
    while (valid < size && (length = character_size(data + valid, size - valid)) != 0) valid += length;
    while (ascii < size && data[ascii] < 0x80) ++ascii;
    for (size_t i = 0; i < size; ++i) feeds += data[i] == '\n';
    REQUIRE(valid_utf8(data, size) == valid && ascii_run(data, size) == ascii && line_feeds(data, size) == feeds);
    byte *text = malloc(3 * size + 1);
    uint64_t stray = 0;
    size_t made = escaped_utf8(text, data, size, &stray);
    REQUIRE(made == whole->size && stray == whole->stray && memcmp(text, whole->text, made) == 0);
    REQUIRE(characters(text, made) == whole->characters && escapes(text, made) == whole->stray);
    size_t cut = cut_character(data, size); /* more bytes make a character of it, and of no longer end */
    REQUIRE(cut <= 3 && cut <= size);
    free(text);
}

static void check_mail(const byte *data, size_t size)
{
    byte *decoded = malloc(size + 1);
    size_t length = mail_decode_qp(decoded, data, size);
    REQUIRE(length <= size && (memchr(data, '=', size) != NULL || length == size));
    size_t limit = mail_header_limit(data, 0, size), at = 0, body = 0;
    mail_field one;
    for (size_t behind = 0; limit && !body && mail_next_field(data, &at, limit, size, &one, &body) == MAIL_TAKEN;) {
        REQUIRE(behind <= at && at <= size);
        if (body) break;
        REQUIRE(one.name == behind && one.name_size && one.name + one.name_size < one.value);
        REQUIRE(one.value <= one.end && data[one.end] == '\n' && at == one.end + 1);
        behind = at;
    }
    REQUIRE(body <= size);
    for (size_t needle = 2; needle < 7 && needle < size; ++needle) {
        size_t at = 0;
        while (at + needle <= size && memcmp(data + at, data + size - needle, needle) != 0) ++at;
        REQUIRE(find_bytes(data, size, data + size - needle, needle) == at);
    }
    free(decoded);
}

void fuzz_forms(const byte *data, size_t size)
{
    byte *exact = exact_copy(data, size);
    decoded_text whole;
    decode(&whole, exact, size, 0);
    byte *text = exact_copy(whole.text, whole.size);
    if (size) {
        check_utf8(exact, size, &whole);
        check_mail(exact, size);
    }
    check_canonical(text, whole.size);
    check_template(text, whole.size);
    forget_decoded(&whole);
    free(text);
    free(exact);
}

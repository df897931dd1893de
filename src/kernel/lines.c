#include "lines.h"
#include "canonical.h"
#include "decimal.h"
#include "utf8.h"
#include <stdlib.h>

/* Classes of characters in a canonical form. */
#define NOT_PLAIN 1u
#define QUESTION 2u
#define HASH 4u
#define PERCENT 8u

static int is_left(const found_row *one) { return one->special != NO_SPECIAL || one->has_password; }

static int ends_like(const ending *one, const found_row *row)
{
    return one->opener == row->opener && one->closer == row->closer && one->warnings == row->warnings;
}

size_t lines_endings(const harvest *from, ending *found)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < from->count; ++i) {
        const found_row *row = &from->rows[i];
        if (is_left(row) || (count && ends_like(&found[last], row))) continue;
        for (last = 0; last < count && !ends_like(&found[last], row);) ++last;
        if (last < count) continue;
        if (count == MOST_ENDINGS) return count;
        found[count++] = (ending){row->opener, row->closer, row->warnings};
    }
    return count;
}

static byte *put(byte *to, const void *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}

int lines_prepare(line_model *model)
{
    const piece *quote = &model->words[WORD_QUOTE], *null = &model->words[WORD_NULL];
    size_t room = 0;
    for (int i = 0; i < VALUE_COUNT; ++i) room += 4 * (model->before[i].size + 2 * quote->size + null->size);
    byte *to = model->joined = malloc(room + 1);
    if (to == NULL) return 0;
    for (int i = 0; i < VALUE_COUNT; ++i)
        for (int after = 0; after < 2; ++after)
            for (int present = 0; present < 2; ++present) {
                byte *start = to;
                if (after && i > 0 && i <= TEXT_COUNT) to = put(to, quote->text, quote->size);
                to = put(to, model->before[i].text, model->before[i].size);
                if (!present)
                    to = put(to, null->text, null->size);
                else if (i < TEXT_COUNT)
                    to = put(to, quote->text, quote->size);
                model->joints[i][after][present] = (piece){start, (size_t)(to - start)};
            }
    for (int b = 0; b < 256; ++b) model->classes[b] = b >= 0x80 || !model->plain[b] ? NOT_PLAIN : 0;
    model->classes['?'] |= QUESTION;
    model->classes['#'] |= HASH;
    model->classes['%'] |= PERCENT;
    return 1;
}

void lines_release(line_model *model) { free(model->joined); }

/* Whether all characters of a text stand for themselves in the notation and are ASCII. */
static int is_plain(const line_model *model, const byte *text, size_t size)
{
    unsigned classes = 0;
    for (size_t i = 0; i < size; ++i) classes |= model->classes[text[i]];
    return !(classes & NOT_PLAIN);
}

/* Whether all characters of a text stand for themselves in the notation; no character that is shown to people needs
 * an escape, and none is white space. */
static int is_plain_text(const line_model *model, const byte *text, size_t size, uint8_t *has_wide)
{
    for (size_t i = 0; i < size; i += width(text[i])) {
        if (!(model->classes[text[i]] & NOT_PLAIN)) continue;
        if (!is_wide(text[i]) || !(wide_flags(point_at(text + i)) & W_SHOWN)) return 0;
        *has_wide = 1;
    }
    return 1;
}

/* The octet of a triplet in upper case; -1 for anything else. */
static int octet_at(const byte *text, size_t size)
{
    if (size < 3 || text[0] != '%' || text[1] >= 'a' || text[2] >= 'a') return -1;
    int high = hex_value(text[1]), low = hex_value(text[2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Read triplets that stand for one character beyond ASCII which is shown to people (RFC 3987 3.2); returns the number
 * of its octets, or 0 for anything else. */
static size_t shown_character(byte *octets, const byte *text, size_t size)
{
    int first = octet_at(text, size);
    if (first < 0xC2 || first > 0xF4) return 0;
    size_t count = width((byte)first);
    for (size_t i = 0; i < count; ++i) {
        int octet = 3 * i < size ? octet_at(text + 3 * i, size - 3 * i) : -1;
        if (octet < 0) return 0;
        octets[i] = (byte)octet;
    }
    return valid_utf8(octets, count) == count && (wide_flags(point_at(octets)) & W_SHOWN) ? count : 0;
}

/* Split an authority that holds no IP literal (RFC 3986 3.2); returns 0 if it is not that simple. The host of an IDN
 * has another form for people (RFC 3987 3.2). */
static int split_authority(planned_line *plan, const byte *uri, uint32_t start, uint32_t end)
{
    const byte *at = memchr(uri + start, '@', end - start);
    plan->userinfo = start;
    plan->has_userinfo = at != NULL;
    if (at != NULL) {
        plan->userinfo = (uint32_t)(at - uri);
        start = plan->userinfo + 1;
    }
    const byte *colon = memchr(uri + start, ':', end - start);
    plan->host = colon == NULL ? end : (uint32_t)(colon - uri);
    plan->port = end;
    plan->has_port = colon != NULL;
    for (uint32_t i = plan->host + 1; i < end; ++i)
        if (!is_digit(uri[i])) return 0;
    for (uint32_t i = start; i < plan->host; ++i) {
        byte b = uri[i];
        if (b == '@' || b == '[' || b == ']') return 0;
        if (b == 'x' && plan->host - i >= 4 && memcmp(uri + i, "xn--", 4) == 0) return 0;
    }
    plan->is_address = is_ipv4(uri + start, plan->host - start);
    return 1;
}

/* Split a canonical form into its components (RFC 3986 Appendix B); returns 0 for one that is left to Python: it is a
 * URN, it has an IP literal, its form for people (RFC 3987 3.2) needs more than characters for triplets, or the
 * notation writes a character of it in a way of its own. */
static int split(planned_line *plan, const line_model *model, const byte *uri, uint32_t size)
{
    uint32_t i = 0;
    while (i < size && has(uri[i], SCHEME_CHARACTER) && !is_upper(uri[i])) ++i;
    if (i == 0 || i == size || uri[i] != ':' || !is_letter(uri[0])) return 0;
    if (i == 3 && memcmp(uri, "urn", 3) == 0) return 0;
    plan->scheme = i;
    if (!is_plain(model, uri, ++i)) return 0;
    plan->has_authority = size - i >= 2 && uri[i] == '/' && uri[i + 1] == '/';
    if (plan->has_authority) {
        uint32_t start = i += 2;
        while (i < size && uri[i] != '/' && uri[i] != '?' && uri[i] != '#') ++i;
        if (!is_plain(model, uri + start, i - start) || !split_authority(plan, uri, start, i)) return 0;
        if (memchr(uri + start, '%', i - start) != NULL) return 0;
    }
    plan->has_query = plan->has_fragment = 0;
    plan->shown = 0;
    for (; i < size; ++i) {
        unsigned of = model->classes[uri[i]];
        if (!of) continue;
        if (of & NOT_PLAIN) return 0;
        if (of & PERCENT) { /* only triplets of characters beyond ASCII have another form */
            if (i + 1 < size && is_digit(uri[i + 1]) && uri[i + 1] < '8') continue;
            byte octets[4];
            size_t count = shown_character(octets, uri + i, size - i);
            if (count == 0) return 0;
            plan->shown += (uint32_t)count;
            i += (uint32_t)(3 * count) - 1;
        } else if (of & HASH) {
            if (plan->has_fragment) continue;
            plan->has_fragment = 1;
            *(plan->has_query ? &plan->query : &plan->path) = i;
        } else if (!plan->has_query && !plan->has_fragment) {
            plan->has_query = 1;
            plan->path = i;
        }
    }
    if (!plan->has_fragment) *(plan->has_query ? &plan->query : &plan->path) = size;
    return 1;
}

/* The texts of a planned line, in their order; those of absent values are NULL. */
static void texts_of(piece *texts, const line_model *model, const harvest *from, const planned_line *plan)
{
    const found_row *row = &from->rows[plan->row];
    const byte *uri = from->forms + row->uri;
    uint32_t host = plan->scheme + 3, path = plan->scheme + 1;
    texts[V_RAW] = (piece){from->raws + row->raw, row->raw_size};
    texts[V_URI] = texts[V_IRI] = (piece){uri, row->uri_size};
    texts[V_KEY] = (piece){from->forms + row->key, row->key_size};
    texts[V_KIND] = model->words[plan->is_iri ? WORD_IRI : WORD_URI];
    texts[V_SCHEME] = (piece){uri, plan->scheme};
    for (int i = V_USERINFO; i <= V_FRAGMENT; ++i) texts[i] = (piece){NULL, 0};
    if (plan->has_authority) {
        if (plan->has_userinfo) {
            texts[V_USERINFO] = (piece){uri + host, plan->userinfo - host};
            host = plan->userinfo + 1;
        }
        texts[V_HOST] = (piece){uri + host, plan->host - host};
        texts[V_HOST_KIND] = model->words[plan->is_address ? WORD_IPV4 : WORD_REG_NAME];
        if (plan->has_port) texts[V_PORT] = (piece){uri + plan->host + 1, plan->port - plan->host - 1};
        path = plan->port;
    }
    texts[V_PATH] = (piece){uri + path, plan->path - path};
    uint32_t query = plan->path;
    if (plan->has_query) {
        texts[V_QUERY] = (piece){uri + query + 1, plan->query - query - 1};
        query = plan->query;
    }
    if (plan->has_fragment) texts[V_FRAGMENT] = (piece){uri + query + 1, row->uri_size - query - 1};
}

#define NUMBER_COUNT (VALUE_COUNT - TEXT_COUNT)

/* The numbers of a row, in their order; lines that are not counted are 0. Returns how many there are: offsets in bytes
 * may be absent. */
static int numbers_of(uint64_t *numbers, const harvest *from, const found_row *row)
{
    int counts = (from->wanted & WANT_LINES) != 0;
    const uint64_t all[NUMBER_COUNT] = {row->start, row->end, counts ? row->line : 0, counts ? row->column : 0,
                                        row->byte_start, row->byte_end};
    memcpy(numbers, all, sizeof all);
    return from->wanted & WANT_BYTES ? NUMBER_COUNT : NUMBER_COUNT - 2;
}

static int find_ending(const line_model *model, const found_row *row)
{
    for (size_t i = 0; i < model->ending_count; ++i)
        if (ends_like(&model->endings[i], row)) return (int)i;
    return -1;
}

void lines_plan(const line_model *model, const harvest *from, planned_line *plan)
{
    const found_row *row = &from->rows[plan->row];
    const byte *uri = from->forms + row->uri, *raw = from->raws + row->raw;
    plan->size = 0;
    if (is_left(row)) return;
    int end = find_ending(model, row);
    if (end < 0 || !split(plan, model, uri, row->uri_size)) return;
    plan->ending = (uint8_t)end;
    int is_same = row->raw_size == row->uri_size && memcmp(raw, uri, row->uri_size) == 0;
    plan->is_iri = 0;
    if (!is_same && !is_plain_text(model, raw, row->raw_size, &plan->is_iri)) return;
    if (row->key != row->uri && !is_plain(model, from->forms + row->key, row->key_size)) return;
    piece texts[TEXT_COUNT];
    uint64_t numbers[NUMBER_COUNT];
    texts_of(texts, model, from, plan);
    int count = numbers_of(numbers, from, row), after = 0;
    size_t size = model->tails[end].size - 2 * plan->shown;
    for (int i = 0; i < TEXT_COUNT; ++i) {
        int present = texts[i].text != NULL;
        size += model->joints[i][after][present].size + texts[i].size;
        after = present;
    }
    for (int i = 0; i < NUMBER_COUNT; ++i) {
        size += model->joints[TEXT_COUNT + i][after][i < count].size + (i < count ? decimal_size(numbers[i]) : 0);
        after = 1;
    }
    plan->size = size;
}

/* Write a canonical form for people, with characters for triplets. */
static byte *put_iri(byte *to, const byte *uri, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t count = uri[i] == '%' ? shown_character(to, uri + i, size - i) : 0;
        if (count == 0) *to++ = uri[i];
        i += count ? 3 * count : 1;
        to += count;
    }
    return to;
}

byte *lines_write(byte *to, const line_model *model, const harvest *from, const planned_line *plan)
{
    piece texts[TEXT_COUNT];
    uint64_t numbers[NUMBER_COUNT];
    texts_of(texts, model, from, plan);
    int count = numbers_of(numbers, from, &from->rows[plan->row]), after = 0;
    for (int i = 0; i < TEXT_COUNT; ++i) {
        int present = texts[i].text != NULL;
        const piece *joint = &model->joints[i][after][present];
        to = put(to, joint->text, joint->size);
        if (i == V_IRI && plan->shown)
            to = put_iri(to, texts[i].text, texts[i].size);
        else if (present)
            to = put(to, texts[i].text, texts[i].size);
        after = present;
    }
    for (int i = 0; i < NUMBER_COUNT; ++i) {
        const piece *joint = &model->joints[TEXT_COUNT + i][after][i < count];
        to = put(to, joint->text, joint->size);
        if (i < count) to = put_decimal(to, numbers[i]);
        after = 1;
    }
    const piece *tail = &model->tails[plan->ending];
    return put(to, tail->text, tail->size);
}

#include "cells.h"
#include "canonical.h"
#include "buffer.h"
#include "utf8.h"

/* Classes of characters in a text. */
#define NOT_PLAIN 1u
#define ENCLOSED 2u
#define PERCENT 4u

size_t cells_wrappings(const harvest *from, wrapping *found)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < from->count; ++i) {
        const found_row *row = &from->rows[i];
        if (count && found[last].opener == row->opener && found[last].closer == row->closer) continue;
        for (last = 0; last < count; ++last)
            if (found[last].opener == row->opener && found[last].closer == row->closer) break;
        if (last < count) continue;
        if (count == MOST_WRAPPERS) return count;
        found[count++] = (wrapping){row->opener, row->closer};
    }
    return count;
}

static size_t longest(const piece *some, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; ++i)
        if (some[i].size > size) size = some[i].size;
    return size;
}

void cells_prepare(cell_writing *work, const byte *plain)
{
    for (int b = 0; b < 256; ++b) {
        byte class = b < 0x80 ? plain[b] : 0;
        work->classes[b] = class == 1 ? 0 : class == 2 ? ENCLOSED : NOT_PLAIN;
    }
    work->classes['%'] |= PERCENT;
    size_t times[F_NUMBER + 1] = {0};
    size_t cell = 2 * work->quote.size + 2 + work->null.size + 1 + MOST_DIGITS + longest(work->words, WORD_COUNT) +
                  longest(work->wrappers, work->wrapper_count) + longest(work->warnings, WARNING_SETS);
    work->fixed = work->before[work->count].size;
    for (size_t i = 0; i < work->count; ++i) {
        ++times[work->columns[i]];
        work->fixed += work->before[i].size + cell;
    }
    size_t component = 0; /* each is part of the canonical form, and no two share a character of it */
    for (int i = F_SCHEME; i <= F_FRAGMENT; ++i)
        if (times[i] > component) component = times[i];
    work->raws = times[F_RAW];
    work->uris = times[F_URI] + times[F_IRI] + component + times[F_NID] + times[F_NSS] + times[F_SURT];
    work->keys = times[F_KEY];
    work->splits = component || times[F_IRI] || times[F_HOST_KIND] || times[F_NID] || times[F_NSS] || times[F_SURT] ||
                   work->defangs;
    work->needs_python =
        times[F_WRAPPER] || times[F_WARNINGS] || times[F_ALTERNATIVES] || (work->hidden && times[F_RAW]);
}

size_t cells_most(const cell_writing *work, const found_row *row)
{
    size_t texts = work->raws * row->raw_size + work->uris * row->uri_size + work->keys * row->key_size;
    if (!work->hidden && !work->defangs) return work->fixed + texts;
    return work->fixed + DEFANGED_ROOM(texts) + work->count * DEFANGED_ROOM(REDACTED_ROOM(0));
}

/* The room of one of its texts with parts replaced. */
static size_t text_room(const found_row *row)
{
    size_t size = row->uri_size > row->key_size ? row->uri_size : row->key_size;
    return REDACTED_ROOM(size > row->raw_size ? size : row->raw_size);
}

size_t cells_scratch(const found_row *row)
{
    return 2 * text_room(row) + DEFANGED_ROOM(text_room(row));
}

/* The classes of the characters of a text; one beyond ASCII that is visible stands for itself. */
static unsigned classes_of(const cell_writing *work, component text)
{
    unsigned classes = 0;
    for (size_t i = 0; i < text.size; i += width(text.text[i])) {
        if (!is_wide(text.text[i])) classes |= work->classes[text.text[i]];
        else if (!(wide_flags(point_at(text.text + i)) & W_SHOWN)) classes |= NOT_PLAIN;
    }
    return classes;
}

/* The octet of a triplet in upper case; -1 for anything else. */
static int octet_at(const byte *text, size_t size)
{
    if (size < 3 || text[0] != '%' || text[1] >= 'a' || text[2] >= 'a') return -1;
    int high = hex_value(text[1]), low = hex_value(text[2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* Read triplets that stand for one character beyond ASCII which is visible (RFC 3987 3.2); returns the number
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

/* What the cells of a row have in common. */
typedef struct {
    const found_row *row;
    component whole, uri, parts[COMPONENT_COUNT]; /* the canonical form, that as it leaves, and the parts of this one */
    unsigned classes; /* of `uri` */
    int is_urn;
} split_row;

/* Write the form for readers, with characters for triplets; returns NULL where it needs more than that. */
static byte *put_iri(byte *to, const split_row *one)
{
    const byte *uri = one->uri.text;
    size_t size = one->uri.size;
    if (one->is_urn) return NULL;
    for (size_t i = 0; i < one->parts[C_SCHEME].size; ++i)
        if (is_upper(uri[i])) return NULL;
    for (int i = C_USERINFO; i <= C_PORT; ++i)
        if (one->parts[i].size && memchr(one->parts[i].text, '%', one->parts[i].size) != NULL) return NULL;
    for (size_t i = 0; i < size;) {
        if (uri[i] != '%' || (i + 1 < size && is_digit(uri[i + 1]) && uri[i + 1] < '8')) {
            *to++ = uri[i++]; /* only triplets of characters beyond ASCII have another form */
            continue;
        }
        size_t count = shown_character(to, uri + i, size - i);
        if (count == 0) return NULL;
        to += count;
        i += 3 * count;
    }
    return to;
}

/* A text as it leaves; its `text` is NULL if that is left to Python. */
static component as_no_link(const cell_writing *work, const split_row *one, record_field which, component text)
{
    byte *to = work->scratch + 2 * text_room(one->row), *end;
    component scheme = one->parts[C_SCHEME];
    switch (which) {
    case F_RAW: /* it may have no scheme */
        if (text.size <= scheme.size || text.text[scheme.size] != ':' ||
            !is_same_but_case((component){text.text, scheme.size}, scheme))
            return (component){NULL, 0};
        /* fall through */
    case F_URI: case F_IRI: case F_KEY: end = defanged(to, text); break;
    case F_HOST: end = defanged_host(to, text); break;
    case F_PATH:
        if (one->parts[C_HOST].text == NULL && !one->is_urn) return (component){NULL, 0};
        /* fall through */
    case F_QUERY: case F_FRAGMENT: case F_NSS: end = defanged_part(to, text); break;
    default: return text;
    }
    return (component){end == NULL ? NULL : to, end == NULL ? 0 : (size_t)(end - to)};
}

/* A raw text or a key with the parts replaced that are so in the canonical form. */
static component with_parts_replaced(const cell_writing *work, const split_row *one, record_field which, component text)
{
    byte *to = work->scratch + text_room(one->row), *end;
    if (which == F_RAW && ((one->row->warnings & work->rewritten) || may_hold_password(text.text, text.size, 0) ||
                           !is_laid_out_alike(text, one->whole)))
        return (component){NULL, 0};
    end = redacted(to, text, work->hidden, which == F_KEY ? &work->secret : NULL);
    return (component){end == NULL ? NULL : to, end == NULL ? 0 : (size_t)(end - to)};
}

/* Write a text as a value; returns NULL if a character does not stand for itself. */
static byte *put_text(byte *to, const cell_writing *work, component text, unsigned classes)
{
    if (classes & NOT_PLAIN) return NULL;
    to = put_bytes(to, work->quote.text, work->quote.size);
    if (classes & ENCLOSED) *to++ = '"';
    to = put_bytes(to, text.text, text.size);
    if (classes & ENCLOSED) *to++ = '"';
    return put_bytes(to, work->quote.text, work->quote.size);
}

/* Write a text of a row, or that it is absent; returns NULL if that is left to Python. */
static byte *put_value(byte *to, const cell_writing *work, const split_row *one, record_field which, component text)
{
    if (text.text == NULL) return put_bytes(to, work->null.text, work->null.size);
    int is_clean = !(one->classes & (NOT_PLAIN | ENCLOSED)) && which != F_RAW && which != F_IRI && which != F_KEY;
    if (work->defangs) {
        text = as_no_link(work, one, which, text);
        if (text.text == NULL) return NULL;
    } else if (is_clean || (text.text == one->uri.text && text.size == one->uri.size)) {
        return put_text(to, work, text, one->classes);
    }
    return put_text(to, work, text, classes_of(work, text));
}

/* Write the raw text or the key, which may be the canonical form. */
static byte *put_other(byte *to, const cell_writing *work, const split_row *one, record_field which)
{
    component text = text_in(work->from, one->row, which);
    if (is_same_text(text, one->whole) && (which == F_RAW || !work->hidden)) text = one->uri;
    else if (work->hidden) text = with_parts_replaced(work, one, which, text);
    return text.text == NULL ? NULL : put_value(to, work, one, which, text);
}

static byte *put_iri_text(byte *to, const cell_writing *work, const split_row *one)
{
    if (has_a_label(one->parts[C_HOST])) return NULL;
    if (!(one->classes & PERCENT)) return put_value(to, work, one, F_IRI, one->uri);
    byte *iri = work->scratch + text_room(one->row), *end = put_iri(iri, one);
    return end == NULL ? NULL : put_value(to, work, one, F_IRI, (component){iri, (size_t)(end - iri)});
}

/* Copy the labels of a host from the last to the first, a comma after each. */
static byte *put_labels(byte *to, component host)
{
    for (const byte *start = host.text, *end = start + host.size; end >= start;) {
        const byte *label = end;
        while (label > start && label[-1] != '.') --label;
        to = put_bytes(to, label, (size_t)(end - label));
        *to++ = ',';
        end = label - 1;
    }
    return to;
}

/* The SURT form; see `surt` of urisieve.syntax.components. It has at most three characters more than the URI. */
static byte *put_surt(byte *to, const cell_writing *work, const split_row *one)
{
    if (work->defangs) return NULL;
    component user = one->parts[C_USERINFO], host = one->parts[C_HOST], port = one->parts[C_PORT];
    if (host.text == NULL || (host.size == 0 && user.text == NULL && port.text == NULL))
        return put_value(to, work, one, F_URI, one->uri);
    byte *start = work->scratch + text_room(one->row);
    const byte *authority = user.text == NULL ? host.text : user.text;
    const byte *rest = port.text == NULL ? host.text + host.size : port.text + port.size;
    byte *at = put_bytes(start, one->uri.text, (size_t)(authority - one->uri.text));
    *at++ = '(';
    int is_literal = host.size && host.text[0] == '[', has_comma = host.size && memchr(host.text, ',', host.size) != NULL;
    if (host.size && !is_literal && !has_comma && !is_ipv4(host.text, host.size)) {
        at = put_labels(at, host);
    } else {
        at = put_bytes(at, host.text, host.size);
        if (is_literal) *at++ = ',';
        else if (has_comma) *at++ = '.';
    }
    if (port.text != NULL) {
        *at++ = ':';
        at = put_bytes(at, port.text, port.size);
    }
    if (user.text != NULL) {
        *at++ = '@';
        at = put_bytes(at, user.text, user.size);
    }
    *at++ = ')';
    at = put_bytes(at, rest, (size_t)(one->uri.text + one->uri.size - rest));
    const component made = {start, (size_t)(at - start)};
    return put_text(to, work, made, classes_of(work, made));
}

/* The word of a kind; NULL where white space beyond ASCII in the raw text, or what is not shown of it, leaves it to
 * Python. */
static const piece *kind_of(const cell_writing *work, const split_row *one)
{
    if (one->is_urn) return &work->words[WORD_URN];
    component raw = text_in(work->from, one->row, F_RAW);
    const piece *kind = &work->words[WORD_URI];
    for (size_t i = 0; i < raw.size; i += width(raw.text[i])) {
        if (!is_wide(raw.text[i])) continue;
        if (work->hidden || !(wide_flags(point_at(raw.text + i)) & W_SHOWN)) return NULL;
        kind = &work->words[WORD_IRI];
    }
    return kind;
}

/* RFC 3986 3.2.2: the first kind that matches. */
static const piece *host_kind_of(const cell_writing *work, component host)
{
    if (host.text == NULL) return &work->null;
    if (host.size && host.text[0] == '[')
        return &work->words[host.size > 1 && (host.text[1] | 32) == 'v' ? WORD_IPVFUTURE : WORD_IPV6];
    return &work->words[is_ipv4(host.text, host.size) ? WORD_IPV4 : WORD_REG_NAME];
}

/* The NID of a URN, or its NSS (RFC 8141 2). */
static component part_of_urn(const split_row *one, int is_nss)
{
    if (!one->is_urn) return (component){NULL, 0};
    component path = one->parts[C_PATH];
    const byte *end = path.text + path.size, *colon = path.size ? memchr(path.text, ':', path.size) : NULL;
    if (colon == NULL) colon = end;
    if (!is_nss) return (component){path.text, (size_t)(colon - path.text)};
    const byte *start = colon == end ? end : colon + 1;
    return (component){start, (size_t)(end - start)};
}

static const piece *wrapper_of_row(const cell_writing *work, const found_row *row)
{
    for (size_t i = 0; i < work->wrapper_count; ++i)
        if (work->wrappings[i].opener == row->opener && work->wrappings[i].closer == row->closer)
            return &work->wrappers[i];
    return NULL;
}

static byte *put_integer(byte *to, const char *at)
{
    int64_t number;
    memcpy(&number, at, sizeof number);
    if (number >= 0) return put_decimal(to, (uint64_t)number);
    *to = '-';
    return put_decimal(to + 1, -(uint64_t)number);
}

static byte *put_cell(byte *to, const cell_writing *work, const split_row *one, size_t column)
{
    const found_row *row = one->row;
    const piece *word = NULL;
    record_field which = work->columns[column];
    switch ((int)which) {
    case F_RAW: case F_KEY: return put_other(to, work, one, which);
    case F_URI: return put_value(to, work, one, which, one->uri);
    case F_IRI: return put_iri_text(to, work, one);
    case F_SURT: return put_surt(to, work, one);
    case F_NID: case F_NSS: return put_value(to, work, one, which, part_of_urn(one, which == F_NSS));
    case F_START: case F_END: case F_LINE: case F_COLUMN: case F_BYTE_START: case F_BYTE_END:
        return put_decimal(to, number_in(row, which));
    case F_NUMBER:
        return put_integer(to, work->integers[column] + (size_t)(row - work->from->rows) * sizeof(int64_t));
    case F_KIND: word = kind_of(work, one); break;
    case F_HOST_KIND: word = host_kind_of(work, one->parts[C_HOST]); break;
    case F_WRAPPER: word = wrapper_of_row(work, row); break;
    case F_WARNINGS: word = &work->warnings[row->warnings % WARNING_SETS]; break;
    case F_ALTERNATIVES: word = &work->words[WORD_ALTERNATIVES]; break;
    case F_GIVEN: word = &work->given[column][work->numbers[column][row - work->from->rows]]; break;
    default: return put_value(to, work, one, which, one->parts[which - F_SCHEME]);
    }
    return word == NULL ? NULL : put_bytes(to, word->text, word->size);
}

byte *cells_write(byte *to, const cell_writing *work, const found_row *row)
{
    if (row->has_password || (work->needs_python && row->special < HAS_READING)) return NULL;
    split_row one = {.row = row, .whole = {work->from->forms.at + row->uri, row->uri_size}};
    one.is_urn = begins(one.whole.text, one.whole.size, "urn:");
    if (one.is_urn && work->leaves_urns) return NULL;
    one.uri = one.whole;
    if (work->hidden) {
        if (work->redirects != NULL && work->redirects[work->from->hosts[row - work->from->rows]]) return NULL;
        byte *end = redacted(work->scratch, one.whole, work->hidden, NULL);
        if (end == NULL) return NULL;
        one.uri = (component){work->scratch, (size_t)(end - work->scratch)};
    }
    one.classes = classes_of(work, one.uri);
    if (work->splits) split_components(one.parts, one.uri.text, one.uri.size);
    for (size_t i = 0; i < work->count; ++i) {
        to = put_bytes(to, work->before[i].text, work->before[i].size);
        if ((to = put_cell(to, work, &one, i)) == NULL) return NULL;
    }
    return put_bytes(to, work->before[work->count].text, work->before[work->count].size);
}

#include "buffer.h"
#include "mail_parts.h"
#include "vector.h"

/* The bytes of a Message-ID that are looked at (`identify` in message_texts.py). */
#define LONGEST_ID 1000u

int mail_add_label(mail_stretch *into, const byte *t, size_t size, size_t *offset)
{
    *offset = into->labels_size;
    return append_bytes(&into->labels, &into->labels_size, &into->labels_room, t, size);
}

int mail_add_text(mail_stretch *into, const byte *text, size_t size)
{
    if (!GROW(into->texts, into->text_room, into->count + 1) ||
        !GROW(into->text, into->room, into->size + TEXT_SEPARATOR_SIZE + size))
        return 0;
    mail_text *one = &into->texts[into->count++];
    memset(one, 0, sizeof *one);
    into->size = (size_t)(put_bytes(into->text + into->size, (const byte *)TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE) - into->text);
    one->start = into->size;
    one->size = size;
    one->message = (uint32_t)into->message_count;
    byte *to = into->text + into->size;
    size_t ascii = copied_ascii(to, text, size);
    one->is_ascii = ascii == size;
    if (!one->is_ascii) memcpy(to + ascii, text + ascii, size - ascii);
    into->size += size;
    return 1;
}

/* Whether a value is nothing but message identifiers (RFC 5322 3.6.4). */
static int are_ids(const byte *value, size_t size)
{
    const byte *t = value, *end = value + size;
    for (; t < end; ++t) {
        if (IS_ONE_OF(*t, " \t\r\n")) continue;
        const byte *close = *t == '<' ? memchr(t, '>', (size_t)(end - t)) : NULL;
        const byte *sign = close == NULL ? NULL : memchr(t, '@', (size_t)(close - t));
        if (sign == NULL || sign == t + 1 || sign + 1 == close) return 0;
        for (++t; t < close; ++t)
            if (*t <= ' ' || *t >= 0x7F || *t == '<' || (*t == ':' && t < sign) || (*t == '@' && t != sign)) return 0;
    }
    return 1;
}

static mail_result take_field(mail_reader *reader, mail_stretch *into, mail_entity *one, const byte *name,
                              size_t name_size, const byte *value, size_t size)
{
    if (begins(name, name_size, "content-")) {
        const byte *rest = name + 8;
        size_t rest_size = name_size - 8;
        mail_value *kept = NULL;
        if (is_word(rest, rest_size, "type")) kept = &one->content.type;
        else if (is_word(rest, rest_size, "transfer-encoding")) kept = &one->content.encoding;
        else if (is_word(rest, rest_size, "disposition")) kept = &one->content.disposition;
        else if (is_word(rest, rest_size, "length") || is_word(rest, rest_size, "location") ||
                 is_word(rest, rest_size, "base"))
            return MAIL_LEFT;
        if (kept != NULL) {
            if (memchr(value, '*', size) != NULL) return MAIL_LEFT; /* parameters by RFC 2231 */
            if (kept == &one->content.encoding && kept->at != NULL) return MAIL_LEFT; /* two of them */
            if (kept == &one->content.type && contains(value, size, "://") && memchr(value, '\n', size) != NULL)
                return MAIL_LEFT; /* a folded URL (RFC 2017 3.1) */
            if (kept->at == NULL) *kept = (mail_value){value, size};
        }
    } else if (is_word(name, name_size, "message-id")) {
        if (one->id.at != NULL) return MAIL_LEFT;
        one->id = (mail_value){value, size};
    }
    int has_words = contains(value, size, "=?");
    if (!has_words && !reader->every_field && !mail_has_sign(value, size)) return MAIL_TAKEN;
    if (words_hold(&reader->opaque, name, name_size)) return MAIL_TAKEN;
    if (words_hold(&reader->ids, name, name_size)) {
        if (!are_ids(value, size)) return MAIL_LEFT;
        size = 0; /* they are no addresses */
    }
    if (has_words) {
        size_t before = into->count;
        int decoded = begins(name, name_size, "content-") ? 0 : reader->decode(reader->context, into, value, size);
        if (decoded <= 0) return decoded < 0 ? MAIL_ERROR : MAIL_LEFT;
        if (into->count == before) return MAIL_NO_MEMORY;
        into->texts[into->count - 1].is_decoded = 1;
    } else {
        if (!mail_add_text(into, value, size)) return MAIL_NO_MEMORY;
        if (!into->texts[into->count - 1].is_ascii) return MAIL_LEFT;
    }
    mail_text *made = &into->texts[into->count - 1];
    made->offset = (uint64_t)(value - one->data);
    made->label_size = (uint32_t)name_size;
    return mail_add_label(into, name, name_size, &made->label) ? MAIL_TAKEN : MAIL_NO_MEMORY;
}

mail_result mail_take_header(mail_reader *reader, mail_stretch *into, mail_entity *one)
{
    size_t at = one->start, limit = mail_header_limit(one->data, one->start, one->end);
    if (limit == 0) return MAIL_LEFT;
    for (;;) {
        mail_field field;
        mail_result found = mail_next_field(one->data, &at, limit, one->end, &field, &one->body);
        if (found != MAIL_TAKEN || one->body) return found;
        found = take_field(reader, into, one, one->data + field.name, field.name_size, one->data + field.value,
                           field.end - field.value);
        if (found != MAIL_TAKEN) return found;
    }
}

/* Find the end of the message that begins at `start`. */
static mail_result find_end(const byte *data, size_t size, size_t start, size_t *searched, int final, size_t *end)
{
    const byte *stop = data + size, *at = data + (*searched > start ? *searched : start);
    while ((at = memchr(at, 'F', (size_t)(stop - at))) != NULL) {
        size_t offset = (size_t)(at - data);
        if (size - offset < 5) break;
        ++at;
        if (memcmp(at, "rom ", 4) != 0) continue;
        if (mail_is_quoted_from(data, start, offset)) return MAIL_LEFT;
        if (data[offset - 1] != '\n') continue;
        switch (mail_is_envelope(data, size, start, offset, final)) {
        case IS_ENVELOPE: *end = offset; return MAIL_TAKEN;
        case IS_NOT_ENVELOPE: break;
        case ENVELOPE_UNSURE: return MAIL_LEFT;
        case ENVELOPE_CUT: *searched = offset; return MAIL_MORE;
        }
    }
    *end = size;
    if (final) return MAIL_TAKEN;
    *searched = size - start > 5 ? size - 5 : start;
    return MAIL_MORE;
}

static mail_result take_message(mail_reader *reader, mail_stretch *into, const byte *data, size_t size, size_t at,
                                size_t *searched, int final, size_t *end)
{
    if (size - at < 5 || memcmp(data + at, "From ", 5) != 0) return size - at < 5 && !final ? MAIL_MORE : MAIL_LEFT;
    const byte *feed = memchr(data + at, '\n', size - at);
    if (feed == NULL) return final ? MAIL_LEFT : MAIL_MORE;
    mail_entity one = {.data = data, .start = (size_t)(feed - data) + 1};
    mail_result found = find_end(data, size, one.start, searched, final, end);
    if (found != MAIL_TAKEN) return found;
    one.end = *end;
    if ((found = mail_take_header(reader, into, &one)) != MAIL_TAKEN) return found;
    mail_stretch header = *into;
    reader->part_count = reader->group = reader->branch = 0;
    found = mail_take_body(reader, into, &one, 0);
    if (found == MAIL_TAKEN && into->count == header.count) found = MAIL_LEFT; /* it has to have a text */
    if (found == MAIL_LEFT) {
        into->size = header.size;
        into->count = header.count;
        into->counts = header.counts;
        into->left = *end - at;
    } else if (found != MAIL_TAKEN) {
        return found;
    }
    if (!GROW(into->messages, into->message_room, into->message_count + 1)) return MAIL_NO_MEMORY;
    mail_message *made = &into->messages[into->message_count];
    made->id_size = (uint32_t)(one.id.size < LONGEST_ID ? one.id.size : LONGEST_ID);
    if (!mail_add_label(into, one.id.at, made->id_size, &made->id)) return MAIL_NO_MEMORY;
    made->start = at;
    made->size = *end - at;
    made->first = header.count;
    made->has_parts = found == MAIL_TAKEN && (reader->part_count || into->counts.pages > header.counts.pages);
    ++into->message_count;
    return found;
}

mail_result mail_read(mail_reader *reader, mail_stretch *into, const byte *data, size_t size, size_t *searched,
                      int final, size_t most)
{
    memset(into, 0, sizeof *into);
    while (into->taken < size && into->size < most) {
        mail_stretch before = *into;
        size_t end = 0;
        mail_result found = take_message(reader, into, data, size, into->taken, searched, final, &end);
        if (found != MAIL_TAKEN && !into->left) { /* nothing of it stays */
            into->size = before.size;
            into->count = before.count;
            into->labels_size = before.labels_size;
            return found;
        }
        if (into->left) return found;
        into->taken = end;
    }
    return MAIL_TAKEN;
}

void mail_free(mail_stretch *one)
{
    free(one->text);
    free(one->texts);
    free(one->messages);
    free(one->labels);
    memset(one, 0, sizeof *one);
}

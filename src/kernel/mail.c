#include "mail.h"
#include "buffer.h"
#include "find.h"
#include "mail_header.h"
#include "mail_lines.h"
#include "quotes.h"
#include "utf8.h"
#include "vector.h"

/* The bytes of a Message-ID, and of a date, that are looked at (`identify` in message_texts.py). */
#define LONGEST_ID 1000u

typedef struct {
    const byte *data; /* the bytes of the mailbox */
    size_t start, end; /* the message, without its envelope line */
    size_t body;
    mail_content content;
    mail_value id, date;
} message;

static int is_name(const byte *name, size_t size, const char *word)
{
    return strlen(word) == size && begins(name, size, word);
}

static int is_among(const mail_names *some, const byte *name, size_t size)
{
    for (size_t i = 0; i < some->count; ++i)
        if (is_name(name, size, some->names[i])) return 1;
    return 0;
}

static int add_bytes(mail_stretch *into, const byte *t, size_t size, size_t *offset)
{
    if (!reserve((void **)&into->labels, &into->labels_room, into->labels_size + size, 1)) return 0;
    if (size) memcpy(into->labels + into->labels_size, t, size);
    *offset = into->labels_size;
    into->labels_size += size;
    return 1;
}

int mail_add_text(mail_stretch *into, const byte *text, size_t size)
{
    if (!reserve((void **)&into->texts, &into->text_room, into->count + 1, sizeof *into->texts) ||
        !reserve((void **)&into->text, &into->room, into->size + size + 1, 1))
        return 0;
    mail_text *one = &into->texts[into->count++];
    memset(one, 0, sizeof *one);
    one->start = into->size;
    one->size = size;
    one->message = (uint32_t)into->message_count;
    byte *to = into->text + into->size;
    size_t ascii = copied_ascii(to, text, size);
    one->is_ascii = ascii == size;
    if (!one->is_ascii) memcpy(to + ascii, text + ascii, size - ascii);
    to[size] = '\n';
    into->size += size + 1;
    return 1;
}

static mail_result take_field(mail_reader *reader, mail_stretch *into, message *one, const byte *name,
                              size_t name_size, const byte *value, size_t size)
{
    if (begins(name, name_size, "content-")) {
        const byte *rest = name + 8;
        size_t rest_size = name_size - 8;
        mail_value *kept = NULL;
        if (is_name(rest, rest_size, "type")) kept = &one->content.type;
        else if (is_name(rest, rest_size, "transfer-encoding")) kept = &one->content.encoding;
        else if (is_name(rest, rest_size, "disposition")) kept = &one->content.disposition;
        else if (is_name(rest, rest_size, "length") || is_name(rest, rest_size, "location") ||
                 is_name(rest, rest_size, "base"))
            return MAIL_LEFT;
        if (kept != NULL) {
            if (memchr(value, '*', size) != NULL) return MAIL_LEFT; /* parameters by RFC 2231 */
            if (kept == &one->content.encoding && kept->at != NULL) return MAIL_LEFT; /* two of them */
            if (kept == &one->content.type && mail_contains(value, size, "://") && memchr(value, '\n', size) != NULL)
                return MAIL_LEFT; /* a folded URL (RFC 2017 3.1) */
            if (kept->at == NULL) *kept = (mail_value){value, size};
        }
    } else if (is_name(name, name_size, "message-id")) {
        if (one->id.at != NULL) return MAIL_LEFT;
        one->id = (mail_value){value, size};
    } else if (is_name(name, name_size, "date") && one->date.at == NULL) {
        one->date = (mail_value){value, size};
    }
    int has_words = mail_contains(value, size, "=?");
    if ((!has_words && !mail_has_sign(value, size)) || is_among(&reader->opaque, name, name_size)) return MAIL_TAKEN;
    if (is_among(&reader->ids, name, name_size)) return MAIL_LEFT;
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
    return add_bytes(into, name, name_size, &made->label) ? MAIL_TAKEN : MAIL_NO_MEMORY;
}

static mail_result take_header(mail_reader *reader, mail_stretch *into, message *one)
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

/* Whether a line of armour may begin in a text (RFC 9580 6.2.1, RFC 7468 2): it is counted. */
static int has_armour(const byte *t, size_t size)
{
    const byte *end = t + size, *at = t;
    while ((at = memchr(at, 'B', (size_t)(end - at))) != NULL) {
        if (end - at >= 6 && at - t >= 5 && memcmp(at, "BEGIN ", 6) == 0 && memcmp(at - 5, "-----", 5) == 0) return 1;
        ++at;
    }
    return 0;
}

static mail_known *find_known(mail_reader *reader, const mail_value *values)
{
    for (size_t i = 0; i < reader->known_count; ++i) {
        mail_known *one = &reader->known[i];
        size_t j = 0;
        while (j < 3 && one->sizes[j] == (values[j].at == NULL ? SIZE_MAX : values[j].size) &&
               (values[j].at == NULL || memcmp(one->bytes + j * MAIL_LONGEST, values[j].at, values[j].size) == 0))
            ++j;
        if (j == 3) return one;
    }
    return NULL;
}

/* How a body is read by its header; what was said of the last few contents is remembered. */
static int flags_of(mail_reader *reader, const mail_content *content, const mail_table **table)
{
    const mail_value values[] = {content->type, content->encoding, content->disposition};
    mail_known *known = find_known(reader, values);
    *table = known != NULL ? &known->table : &reader->table;
    if (known != NULL) return (int)known->flags;
    int flags = reader->judge(reader->context, content, &reader->table);
    for (int i = 0; i < 3; ++i)
        if (values[i].at != NULL && values[i].size > MAIL_LONGEST) return flags;
    if (flags < 0) return flags;
    known = &reader->known[reader->known_next++ % MAIL_KEPT];
    if (reader->known_count < MAIL_KEPT) ++reader->known_count;
    known->flags = (unsigned)flags;
    known->table = reader->table;
    for (int i = 0; i < 3; ++i) {
        known->sizes[i] = values[i].at == NULL ? SIZE_MAX : values[i].size;
        if (values[i].at != NULL) memcpy(known->bytes + i * MAIL_LONGEST, values[i].at, values[i].size);
    }
    return flags;
}

/* Add a text in a character set that has a table; returns -1 if a byte of it has no character. */
static int add_by_table(mail_stretch *into, const byte *text, size_t size, const mail_table *table)
{
    if (size > SIZE_MAX / 4 || !reserve((void **)&into->text, &into->room, into->size + 3 * size + 1, 1)) return 0;
    if (!mail_add_text(into, text, 0)) return 0;
    mail_text *one = &into->texts[into->count - 1];
    byte *begin = into->text + one->start, *to = begin;
    for (size_t i = 0; i < size; ++i) {
        if (!is_wide(text[i])) {
            *to++ = text[i];
            continue;
        }
        byte number = text[i] & 0x7F;
        if (table->size[number] == 0) return -1;
        memcpy(to, table->text[number], table->size[number]);
        to += table->size[number];
    }
    *to++ = '\n';
    one->is_ascii = 0;
    one->is_legacy = 1;
    one->size = (size_t)(to - begin) - 1;
    into->size = one->start + one->size + 1;
    return 1;
}

/* Add a body whose encoding has been removed, decoded to UTF-8. */
static mail_result add_body(mail_stretch *into, const byte *body, size_t size, unsigned flags, const mail_table *table)
{
    size_t ascii = ascii_run(body, size);
    if (ascii < size && (flags & MAIL_TABLE)) {
        int added = add_by_table(into, body, size, table);
        return added > 0 ? MAIL_TAKEN : added < 0 ? MAIL_LEFT : MAIL_NO_MEMORY;
    }
    if (ascii < size) {
        int has_mark = size >= 3 && memcmp(body, "\xEF\xBB\xBF", 3) == 0;
        if (!(flags & MAIL_UTF8) || has_mark || valid_utf8(body + ascii, size - ascii) < size - ascii) return MAIL_LEFT;
    }
    return mail_add_text(into, body, size) ? MAIL_TAKEN : MAIL_NO_MEMORY;
}

/* Whether a line break stands behind an equals sign that may be a soft line break (RFC 2045 6.7). */
static int has_soft_break(const byte *t, size_t size)
{
    for (size_t at = 0; at < size; ++at) {
        at += find_bytes(t + at, size - at, (const byte *)"=\n", 2);
        if (at < size && at > 0 && t[at - 1] != '=') return 1;
    }
    for (size_t at = 0; at < size; ++at) {
        at += find_bytes(t + at, size - at, (const byte *)"=\r\n", 3);
        if (at < size && at > 0 && t[at - 1] != '=') return 1;
    }
    return 0;
}

/* Whether a body may be something else than its header says; Python decides that (`undeclared/inline_parts.py`). */
static int may_be_undeclared(const byte *t, size_t size, int is_encoded)
{
    size_t at = 0;
    while (at < size && t[at] <= ' ') ++at;
    const byte *start = t + at;
    size_t rest = size - at, digits = 0;
    if (begins(start, rest, "begin:v") || begins(start, rest, "dn:") || begins(start, rest, "version: 1")) return 1;
    if (begins(start, rest, "# extended ldif") || begins(start, rest, "# ldif") || (rest && *start == '<')) return 1;
    while (digits < rest && (is_letter(start[digits]) || is_digit(start[digits]) || start[digits] == '+' ||
                             start[digits] == '/' || start[digits] == '='))
        ++digits;
    if (digits >= 24 && (digits == rest || start[digits] <= ' ')) return 1;
    if (mail_contains(start, rest, "begin 6") || mail_contains(start, rest, "begin 7")) return 1;
    if (mail_contains(start, rest, "<html") || mail_contains(start, rest, "<HTML")) return 1;
    if (memchr(t, 0, size) != NULL) return 1;
    return !is_encoded && (mail_contains(start, rest, "=3D") || has_soft_break(start, rest));
}

static mail_result take_body(mail_reader *reader, mail_stretch *into, message *one)
{
    const byte *body = one->data + one->body;
    size_t size = one->end - one->body;
    const mail_table *table;
    int said = flags_of(reader, &one->content, &table);
    if (said <= 0) return said < 0 ? MAIL_ERROR : MAIL_LEFT;
    unsigned flags = (unsigned)said;
    if (flags & MAIL_QP) {
        if (mail_contains(body, size, "= ") || mail_contains(body, size, "=\t")) return MAIL_LEFT; /* blanks added in transport */
        if (!reserve((void **)&reader->decoded, &reader->decoded_room, size + 1, 1)) return MAIL_NO_MEMORY;
        size = mail_decode_qp(reader->decoded, body, size);
        body = reader->decoded;
    }
    if (has_armour(body, size) || may_be_undeclared(body, size, (flags & MAIL_QP) != 0)) return MAIL_LEFT;
    mail_result added = add_body(into, body, size, flags, table);
    if (added != MAIL_TAKEN) return added;
    mail_text *made = &into->texts[into->count - 1];
    made->offset = one->body;
    made->is_decoded = (flags & MAIL_QP) != 0;
    byte *text = into->text + made->start;
    int alone = (flags & MAIL_ALONE) != 0;
    size_t first = first_quote(text, made->size, alone);
    if (first < made->size) blank_quotes(text, made->size, first, alone);
    return MAIL_TAKEN;
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
    message one = {.data = data, .start = (size_t)(feed - data) + 1};
    mail_result found = find_end(data, size, one.start, searched, final, end);
    if (found != MAIL_TAKEN) return found;
    one.end = *end;
    if ((found = take_header(reader, into, &one)) != MAIL_TAKEN) return found;
    mail_stretch header = *into;
    found = take_body(reader, into, &one);
    if (found == MAIL_LEFT) {
        into->size = header.size;
        into->count = header.count;
        into->left = *end - at;
    } else if (found != MAIL_TAKEN) {
        return found;
    }
    if (one.date.at == NULL) one.date = (mail_value){data + at, (size_t)(feed - data) - at};
    if (!reserve((void **)&into->messages, &into->message_room, into->message_count + 1, sizeof *into->messages))
        return MAIL_NO_MEMORY;
    mail_message *made = &into->messages[into->message_count];
    made->id_size = (uint32_t)(one.id.size < LONGEST_ID ? one.id.size : LONGEST_ID);
    if (!add_bytes(into, one.id.at, made->id_size, &made->id)) return MAIL_NO_MEMORY;
    made->date_size = (uint32_t)(one.date.size < LONGEST_ID ? one.date.size : LONGEST_ID);
    if (!add_bytes(into, one.date.at, made->date_size, &made->date)) return MAIL_NO_MEMORY;
    ++into->message_count;
    return found;
}

mail_result mail_read(mail_reader *reader, mail_stretch *into, const byte *data, size_t size, size_t *searched,
                      int final, size_t most)
{
    memset(into, 0, sizeof *into);
    into->is_ascii = 1;
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
        for (size_t i = before.count; i < into->count; ++i) into->is_ascii &= into->texts[i].is_ascii;
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

/* The bodies of messages and of parts: how they are read, their encodings and character sets. */
#include "buffer.h"
#include "find.h"
#include "mail_parts.h"
#include "utf8.h"
#include "vector.h"

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

/* Write a text in a character set that has a table in UTF-8, in three times its size; returns the new one, or SIZE_MAX if a
 * byte of it has no character. */
static size_t decode_by_table(byte *to, const byte *text, size_t size, const mail_table *table)
{
    byte *begin = to;
    for (size_t i = 0; i < size; ++i) {
        if (!is_wide(text[i])) {
            *to++ = text[i];
            continue;
        }
        byte number = text[i] & 0x7F;
        if (table->size[number] == 0) return SIZE_MAX;
        memcpy(to, table->text[number], table->size[number]);
        to += table->size[number];
    }
    return (size_t)(to - begin);
}

/* Whether bytes that are not all ASCII are a text in UTF-8 beyond doubt. */
static int is_utf8(const byte *text, size_t size, size_t ascii, unsigned flags)
{
    int has_mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    return (flags & MAIL_UTF8) && !has_mark && valid_utf8(text + ascii, size - ascii) == size - ascii;
}

/* Whether a text whose set has a table may be in UTF-8 all the same, which is for Python to say (`decode_text`). */
static int is_utf8_all_the_same(const byte *text, size_t size, size_t ascii)
{
    return ascii < size && valid_utf8(text + ascii, size - ascii) == size - ascii;
}

/* Add a body whose encoding has been removed, decoded to UTF-8. */
static mail_result add_body(mail_stretch *into, const byte *body, size_t size, unsigned flags, const mail_table *table)
{
    size_t ascii = ascii_run(body, size);
    if (ascii == size || !(flags & MAIL_TABLE)) {
        if (ascii < size && !is_utf8(body, size, ascii, flags)) return MAIL_LEFT;
        return mail_add_text(into, body, size) ? MAIL_TAKEN : MAIL_NO_MEMORY;
    }
    if (is_utf8_all_the_same(body, size, ascii)) return MAIL_LEFT;
    if (size > SIZE_MAX / 4 || !GROW(into->text, into->room, into->size + 3 * size + TEXT_SEPARATOR_SIZE) ||
        !mail_add_text(into, body, 0))
        return MAIL_NO_MEMORY;
    mail_text *one = &into->texts[into->count - 1];
    one->size = decode_by_table(into->text + one->start, body, size, table);
    if (one->size == SIZE_MAX) return MAIL_LEFT;
    one->is_ascii = 0;
    one->is_legacy = 1;
    into->size = one->start + one->size;
    return MAIL_TAKEN;
}

/* Whether a text may be encoded as quoted-printable although its header does not say so: by an escaped equals sign, or a
 * soft line break (RFC 2045 6.7). */
static int seems_encoded(const byte *t, size_t size)
{
    const byte *end = t + size;
    for (const byte *at = t; (at = memchr(at, '=', (size_t)(end - at))) != NULL; ++at) {
        size_t rest = (size_t)(end - at);
        if (rest >= 3 && at[1] == '3' && at[2] == 'D') return 1;
        int is_soft = rest >= 2 && (at[1] == '\n' || (rest >= 3 && at[1] == '\r' && at[2] == '\n'));
        if (is_soft && at > t && at[-1] != '=') return 1;
    }
    return 0;
}

/* Whether a file in uuencode or base64, or a page, may begin in a text. */
static int has_inline_part(const byte *t, size_t size)
{
    return contains(t, size, "begin 6") || contains(t, size, "begin 7") || contains(t, size, "begin-base64 ") ||
           contains(t, size, "<html") || contains(t, size, "<HTML");
}

/* Whether a text may begin with lines of base64. */
static int begins_with_digits(const byte *t, size_t size)
{
    size_t digits = 0;
    while (digits < size && (is_alphanumeric(t[digits]) || memchr("+/=", t[digits], 3) != NULL)) ++digits;
    return digits >= 24 && (digits == size || t[digits] <= ' ');
}

static size_t blanks_before(const byte *t, size_t size)
{
    size_t at = 0;
    while (at < size && t[at] <= ' ') ++at;
    return at;
}

/* Whether a body may be something else than its header says; Python decides that (transfer.py, `shown_boundary`). */
static int may_be_undeclared(const byte *t, size_t size, int is_encoded)
{
    size_t at = blanks_before(t, size), rest = size - at;
    const byte *start = t + at;
    if (begins(start, rest, "begin:v") || begins(start, rest, "dn:") || begins(start, rest, "version: 1")) return 1;
    if (begins(start, rest, "# extended ldif") || begins(start, rest, "# ldif") || (rest && *start == '<')) return 1;
    if (begins(start, rest, "--")) return 1; /* it may have parts */
    if (begins_with_digits(start, rest) || has_inline_part(start, rest) || memchr(t, 0, size) != NULL) return 1;
    return !is_encoded && seems_encoded(start, rest);
}

mail_result mail_take_text(mail_stretch *into, const byte *text, size_t size, unsigned flags, const mail_table *table)
{
    int is_encoded = (flags & (MAIL_QP | MAIL_BASE64)) != 0;
    /* PGP armor and its like (RFC 9580 6.2.1, RFC 7468 2) are counted. */
    if (contains(text, size, "-----BEGIN ") || may_be_undeclared(text, size, is_encoded)) return MAIL_LEFT;
    mail_result added = add_body(into, text, size, flags, table);
    if (added != MAIL_TAKEN) return added;
    mail_text *made = &into->texts[into->count - 1];
    made->is_decoded = (uint8_t)is_encoded;
    ++into->counts.parts;
    return MAIL_TAKEN;
}

/* How much of a page is looked at for its character set (`html_label` in charsets.py). */
#define PRESCAN 1024u

static int names_charset(const byte *t, size_t size)
{
    for (size_t at = 0; at + 7 <= size; ++at)
        if ((t[at] | 0x20) == 'c' && begins(t + at, size - at, "charset")) return 1;
    return 0;
}

static mail_result take_html(mail_reader *reader, mail_stretch *into, const mail_entity *one, const byte *page,
                             size_t size, unsigned flags, const mail_table *table)
{
    size_t at = blanks_before(page, size), ascii = ascii_run(page, size);
    int is_encoded = (flags & (MAIL_QP | MAIL_BASE64)) != 0;
    if (!is_encoded && (begins_with_digits(page + at, size - at) || seems_encoded(page, size))) return MAIL_LEFT;
    if (memchr(page, 0, size) != NULL || begins(page + at, size - at, "--")) return MAIL_LEFT;
    mail_content content = one->content;
    content.head = (mail_value){page, size < PRESCAN ? size : PRESCAN};
    if ((flags & MAIL_META) && names_charset(page, content.head.size)) {
        int said = reader->judge(reader->context, &content, &reader->table);
        if (said <= 0) return said < 0 ? MAIL_ERROR : MAIL_LEFT;
        flags = (unsigned)said;
        table = &reader->table;
    }
    if (ascii == size || !(flags & MAIL_TABLE)) {
        if (ascii < size && !is_utf8(page, size, ascii, flags)) return MAIL_LEFT;
        return mail_take_page(reader, into, page, size, 0);
    }
    if (is_utf8_all_the_same(page, size, ascii)) return MAIL_LEFT;
    if (size > SIZE_MAX / 4 || !GROW(reader->wide, reader->wide_room, 3 * size)) return MAIL_NO_MEMORY;
    size = decode_by_table(reader->wide, page, size, table);
    return size == SIZE_MAX ? MAIL_LEFT : mail_take_page(reader, into, reader->wide, size, 1);
}

mail_result mail_take_leaf(mail_reader *reader, mail_stretch *into, const mail_entity *one)
{
    const byte *body = one->data + one->body;
    size_t size = one->end - one->body;
    const mail_table *table;
    int said = flags_of(reader, &one->content, &table);
    if (said <= 0) return said < 0 ? MAIL_ERROR : MAIL_LEFT;
    unsigned flags = (unsigned)said;
    if ((flags & (MAIL_HTML | MAIL_SKIPPED | MAIL_FILE)) && !reader->reads_parts) return MAIL_LEFT;
    if (flags & (MAIL_SKIPPED | MAIL_FILE)) {
        int reason = flags & MAIL_SKIPPED ? (int)(flags >> MAIL_REASON_SHIFT)
                                          : reader->skip(reader->context, &one->content, body, size);
        if (reason < 0) return reason == -1 ? MAIL_ERROR : MAIL_LEFT;
        ++into->counts.skipped[(unsigned)reason % MAIL_REASONS];
        return MAIL_TAKEN;
    }
    if (flags & (MAIL_QP | MAIL_BASE64)) {
        int is_qp = (flags & MAIL_QP) != 0;
        if (is_qp && (contains(body, size, "= ") || contains(body, size, "=\t")))
            return MAIL_LEFT; /* blanks added in transport */
        if (!GROW(reader->decoded, reader->decoded_room, size + 1)) return MAIL_NO_MEMORY;
        size = (is_qp ? mail_decode_qp : mail_decode_base64)(reader->decoded, body, size);
        if (size == SIZE_MAX) return MAIL_LEFT;
        body = reader->decoded;
    }
    size_t count = into->count;
    mail_result taken = flags & MAIL_HTML ? take_html(reader, into, one, body, size, flags, table)
                                          : mail_take_text(into, body, size, flags, table);
    for (; taken == MAIL_TAKEN && count < into->count; ++count) {
        into->texts[count].offset = one->body;
        into->texts[count].group = reader->group;
        into->texts[count].branch = reader->branch;
    }
    return taken;
}

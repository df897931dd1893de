#include "harvest.h"
#include "buffer.h"
#include "utf8.h"
#include "digest.h"
#include "memo.h"

/* Append a form, and a line feed. */
static int add_form(harvest *into, const byte *form, size_t size, size_t *offset)
{
    if (!add_bytes(&into->forms, form, size, offset)) return 0;
    into->forms.at[into->forms.size++] = '\n';
    return 1;
}

/* Counts forward through the text of a search, to offsets that do not fall. */
typedef struct {
    const search *in;
    size_t offset;
    position at;
    unsigned wanted;
} counter;

static void set_position(found_row *to, const row *from, counter *count)
{
    position *at = &count->at;
    to->opener = from->opener;
    to->closer = from->closer;
    if (!(count->wanted & (WANT_OFFSETS | WANT_LINES | WANT_BYTES))) return;
    search_count(count->in, at, count->offset, from->start, count->wanted);
    count->offset = from->start;
    to->start = at->characters;
    to->byte_start = at->bytes;
    to->line = at->line;
    to->column = (uint64_t)((int64_t)at->characters - at->newline);
    position end = *at;
    search_count(count->in, &end, from->start, from->end, count->wanted & ~WANT_LINES);
    to->end = end.characters;
    to->byte_end = end.bytes;
}

/* Take the canonical form and the key of a candidate that was not proved, if it has any; returns 0 if there is no
 * memory. */
static int take_known(harvest *into, const search *from, const row *one, found_row *made, int *is_rejected)
{
    const memo *memory = one->kind == GIVEN ? &from->given : &from->judgements;
    const judgement *known = &memory->entries[one->form];
    *is_rejected = known->verdict == INVALID;
    into->in_order = 0;
    if (one->kind == GIVEN)
        made->special = (uint32_t)(from->judgements.count + one->form);
    else if (known->has_warnings || *is_rejected || (from->text[one->start] | 0x20) == 'u')
        made->special = (uint32_t)one->form;
    made->uri_size = known->uri_size;
    made->key_size = known->key_size;
    made->has_password = known->has_password;
    into->has_warnings |= known->has_warnings;
    into->has_passwords |= known->has_password;
    if (*is_rejected) return 1;
    const byte *uri = memory->bytes.at + known->uri, *key = memory->bytes.at + known->key;
    if (!add_form(into, uri, known->uri_size, &made->uri)) return 0;
    made->key = made->uri;
    if (known->key == known->uri && known->key_size == known->uri_size) return 1;
    into->has_keys = 1;
    return add_form(into, key, known->key_size, &made->key);
}

/* Whether the first digit of an encoded character is at a place: after "%", "%25", "%2525", or "-". */
static int is_encoded(const byte *at, const byte *start, const byte *end, byte low)
{
    return end - at > 1 && (at[1] | 0x20) == (low | 0x20) && at > start &&
           (at[-1] == '%' || at[-1] == '5' || at[-1] == '-');
}

const byte *first_mark(const byte *start, const byte *end, byte plain, byte high, byte low)
{
    const byte *first = memchr(start, plain, (size_t)(end - start));
    if (first == NULL) first = end;
    for (const byte *at = start; at < first && (at = memchr(at, high, (size_t)(first - at))) != NULL; ++at)
        if (is_encoded(at, start, end, low)) return at;
    return first;
}

/* Where a character first follows itself; `end` if it never does. */
static const byte *first_doubled(const byte *start, const byte *end, byte b)
{
    for (const byte *at = start; at < end && (at = memchr(at, b, (size_t)(end - at))) != NULL; ++at)
        if (at + 1 < end && at[1] == b) return at;
    return end;
}

/* Where the next at-sign is in the canonical forms that a search has made, as it is and encoded. They are asked
 * about in their order, so that each byte is looked at once, and most forms need nothing more. */
typedef struct {
    size_t size, asked, plain, encoded;
} next_signs;

static size_t next_plain(const byte *forms, size_t size, size_t from)
{
    const byte *at = from < size ? memchr(forms + from, '@', size - from) : NULL;
    return at == NULL ? size : (size_t)(at - forms);
}

static size_t next_encoded(const byte *forms, size_t size, size_t from)
{
    for (size_t i = from; i < size; ++i) {
        const byte *at = memchr(forms + i, '4', size - i);
        if (at == NULL) break;
        i = (size_t)(at - forms);
        if (is_encoded(at, forms, forms + size, '0')) return i;
    }
    return size;
}

/* Whether a form may contain an at-sign; those that are not of the search, or not in their order, may. */
static int may_hold_sign(next_signs *in, const byte *forms, size_t start, size_t size)
{
    if (start < in->asked || start + size > in->size) return 1;
    in->asked = start;
    if (in->plain < start) in->plain = next_plain(forms, in->size, start);
    if (in->encoded < start) in->encoded = next_encoded(forms, in->size, start);
    return in->plain < start + size || in->encoded < start + size;
}

/* Whether a colon and then an "@" are in a text, encoded or not; with 0 for `colon` one that is encoded (no form contains
 * NUL). */
static int may_enclose(const byte *start, const byte *end, byte colon)
{
    const byte *first = start < end ? first_mark(start, end, colon, '3', 'A') : end;
    return first < end && first_mark(first, end, '@', '4', '0') < end;
}

/* Where what may be another link of SIP has its user; `end` if there is none. */
static const byte *inner_sip(const byte *start, const byte *end)
{
    for (const byte *at = start; end - at > 4; ++at) {
        if (lower(at[0]) != 's' || lower(at[1]) != 'i' || lower(at[2]) != 'p') continue;
        const byte *mark = at + 3 + (lower(at[3]) == 's');
        if (*mark == ':' || *mark == '%') return mark + 1;
    }
    return end;
}

int may_hold_password(const byte *text, size_t size, int is_judged)
{
    if (size == 0) return 0;
    const byte *end = text + size, *start = memchr(text, ':', size);
    if (start == NULL || ++start == end) return 0;
    if (!is_judged && !begins(text, size, "http") && (begins(text, size, "jdbc") || memchr(text, '=', size) != NULL))
        return 1; /* a parameter of a connection to a database, which has no "@" */
    if (first_mark(start, end, '@', '4', '0') == end) return 0;
    if (is_judged) {
        /* By RFC 3986 3.2.1 an encoded colon is of the name of a user: there is no warning of a password. */
        const byte *user = start;
        if (end - start > 1 && start[0] == '/' && start[1] == '/')
            for (start += 2; start < end && !ends_authority(*start);) ++start;
        if (may_enclose(user, user == start && begins(text, size, "sip") ? end : start, 0) ||
            may_enclose(inner_sip(start, end), end, ':'))
            return 1;
        /* The slashes of the other link, encoded or not, or as a mail filter writes them. */
        const byte *slashes = first_doubled(start, end, '/'), *other = first_doubled(start, slashes, '_');
        start = first_mark(start, other, 0, '2', 'F'); /* no form contains NUL */
    }
    return may_enclose(start, end, ':');
}

/* Take a row of a search; returns 0 if there is no memory. Offsets of what is rejected are always counted: there are
 * few of them. */
static int take_row(harvest *into, const search *from, size_t index, counter *at, counter *of_rejected,
                    next_signs *signs)
{
    const row *one = &from->rows[index];
    found_row made = {0};
    int is_rejected = 0;
    set_position(&made, one, at);
    made.special = NO_SPECIAL;
    made.warnings = one->warnings;
    made.raw_size = (uint32_t)(one->end - one->start);
    if (one->kind == PROVED || one->kind == KEYED) {
        made.uri = made.key = one->form;
        made.uri_size = made.key_size = one->form_size;
        if (one->kind == KEYED) {
            const byte *key = into->forms.at + (made.key += made.uri_size + 1);
            made.key_size = (uint32_t)((const byte *)memchr(key, '\n', into->forms.size - made.key) - key);
            into->has_keys = 1;
            into->in_order = 0;
        }
    } else if (!take_known(into, from, one, &made, &is_rejected)) {
        return 0;
    }
    if (((into->wanted & WANT_RAW) || is_rejected) &&
        !add_bytes(&into->raws, from->text + one->start, made.raw_size, &made.raw))
        return 0;
    if (is_rejected) {
        if (!(into->wanted & WANT_OFFSETS)) set_position(&made, one, of_rejected);
        if (!GROW(into->rejected, into->rejected_room, into->rejected_count + 1)) return 0;
        into->rejected[into->rejected_count++] = (rejected_row){into->count, index, made};
        return 1;
    }
    if (!made.has_password && may_hold_sign(signs, into->forms.at, made.uri, made.uri_size) &&
        may_hold_password(into->forms.at + made.uri, made.uri_size, 1))
        made.has_password = 1, into->has_passwords = 1;
    if (made.warnings) into->has_warnings = 1;
    if (made.special == NO_SPECIAL && (made.warnings & FOUND_TEXT_FOLLOWS)) made.special = HAS_READING;
    if (made.special != NO_SPECIAL) into->has_specials = 1;
    into->rows[into->count++] = made;
    return 1;
}

int harvest_take(harvest *into, search *from, unsigned wanted)
{
    memset(into, 0, sizeof *into);
    into->wanted = wanted;
    int done = GROW(into->rows, into->room, from->row_count);
    if (done) { /* the canonical forms that the search has made are not copied */
        into->forms = (byte_list){from->forms, from->forms_size, from->forms_room};
        from->forms = NULL;
        from->forms_size = from->forms_room = 0;
        into->in_order = 1;
    }
    counter at = {from, 0, from->origin, wanted};
    counter of_rejected = at;
    of_rejected.wanted |= WANT_OFFSETS;
    next_signs signs = {into->forms.size, 0, next_plain(into->forms.at, into->forms.size, 0),
                        next_encoded(into->forms.at, into->forms.size, 0)};
    for (size_t i = 0; done && i < from->row_count; ++i)
        done = take_row(into, from, i, &at, &of_rejected, &signs);
    if (!done) from->row_count = 0; /* their canonical forms are gone */
    return done;
}

/* Add a row of another harvest with some texts; `key` is that of `uri` if it is the same. Returns 0 if there is no memory. */
static int add_worded(harvest *into, const found_row *one, component uri, component key, component raw)
{
    found_row *to = &into->rows[into->count];
    *to = *one;
    to->uri_size = to->key_size = (uint32_t)uri.size;
    if (!add_form(into, uri.text, uri.size, &to->uri)) return 0;
    to->key = to->uri;
    if (key.text != uri.text) {
        into->has_keys = 1;
        into->in_order = 0;
        to->key_size = (uint32_t)key.size;
        if (!add_form(into, key.text, key.size, &to->key)) return 0;
    }
    to->raw_size = (uint32_t)raw.size;
    if ((into->wanted & WANT_RAW) && !add_bytes(&into->raws, raw.text, raw.size, &to->raw)) return 0;
    into->has_warnings |= one->warnings || one->special < HAS_READING;
    into->has_passwords |= one->has_password;
    into->has_specials |= one->special != NO_SPECIAL;
    ++into->count;
    return 1;
}

static int begin_worded(harvest *into, const harvest *from, size_t count)
{
    memset(into, 0, sizeof *into);
    into->wanted = from->wanted;
    into->in_order = 1;
    return GROW(into->rows, into->room, count);
}

int harvest_select(harvest *into, const harvest *from, const size_t *indices, size_t count)
{
    int done = begin_worded(into, from, count);
    for (size_t i = 0; done && i < count; ++i) {
        const found_row *one = &from->rows[indices[i]];
        done = add_worded(into, one, text_in(from, one, F_URI), text_in(from, one, F_KEY), text_in(from, one, F_RAW));
    }
    return done;
}

int harvest_join(harvest *into, const harvest *from, const size_t *indices, size_t count, const found_row *others,
                 const component *texts, size_t more)
{
    int done = begin_worded(into, from, count);
    for (size_t i = 0; done && i < count; ++i) {
        const size_t index = indices[i], other = index - from->count;
        if (index < from->count) {
            const found_row *one = &from->rows[index];
            done = add_worded(into, one, text_in(from, one, F_URI), text_in(from, one, F_KEY), text_in(from, one, F_RAW));
        } else {
            component uri = texts[other], key = texts[more + other];
            done = add_worded(into, &others[other], uri, is_same_text(key, uri) ? uri : key, texts[2 * more + other]);
        }
    }
    return done;
}

int harvest_word(harvest *into, const harvest *from, const component *uris, const component *keys, const component *raws)
{
    int done = begin_worded(into, from, from->count);
    for (size_t i = 0; done && i < from->count; ++i) {
        component key = is_same_text(keys[i], uris[i]) ? uris[i] : keys[i];
        done = add_worded(into, &from->rows[i], uris[i], key, raws[i]);
    }
    return done;
}

void harvest_free(harvest *one)
{
    free(one->rows);
    free(one->rejected);
    free(one->forms.at);
    free(one->raws.at);
    free(one->hosts);
    free(one->each_host);
    memset(one, 0, sizeof *one);
}

/* The number of a host, new for one that was not met; NO_ITEM if there is no memory. */
static uint32_t number_of(harvest *in, hash_index *known, component host)
{
    const byte *text = host.text == NULL ? (const byte *)"" : host.text;
    uint32_t hash = (uint32_t)digest_of(memo_seed, text, host.size).low, item;
    size_t at = hash;
    while ((item = hash_index_next(known, hash, &at)) != NO_ITEM)
        if (is_same_text(host, in->each_host[item])) return item;
    if (!GROW(in->each_host, in->host_room, in->host_count + 1)) return NO_ITEM;
    if (!hash_index_add(known, hash, (uint32_t)in->host_count)) return NO_ITEM;
    in->each_host[in->host_count] = host;
    return (uint32_t)in->host_count++;
}

int hosts_number(harvest *in)
{
    if (in->hosts != NULL) return 1;
    hash_index known = {0};
    uint32_t *hosts = malloc((in->count + 1) * sizeof *hosts);
    component before = {NULL, 0};
    int done = hosts != NULL;
    in->host_count = 0;
    for (size_t i = 0; done && i < in->count; ++i) {
        component host = host_in(in->forms.at + in->rows[i].uri, in->rows[i].uri_size);
        hosts[i] = i && is_same_text(host, before) ? hosts[i - 1] : number_of(in, &known, host);
        done = hosts[i] != NO_ITEM;
        before = host;
    }
    hash_index_free(&known);
    if (done) in->hosts = hosts;
    else free(hosts);
    return done;
}

/* About the length of a line: room for the shortest ones would be many times the size of the text. */
#define LIKELY_LINE 32u

lines_result harvest_lines(harvest *into, const byte *data, size_t size, uint64_t number, unsigned wanted,
                           size_t *count)
{
    memset(into, 0, sizeof *into);
    if (size > UINT32_MAX || valid_utf8(data, size) != size) return LINES_LEFT;
    into->wanted = wanted | WANT_OFFSETS; /* the numbers of lines */
    into->in_order = 1;
    if (!GROW(into->rows, into->room, size / LIKELY_LINE) || !GROW(into->forms.at, into->forms.room, size + 1))
        return LINES_NO_MEMORY;
    const byte *end = data + size;
    byte *to = into->forms.at;
    for (*count = 0; data < end; ++*count) {
        const byte *feed = memchr(data, '\n', (size_t)(end - data)), *next = feed == NULL ? end : feed + 1;
        size_t length = (size_t)((feed == NULL ? end : feed) - data);
        while (length && data[length - 1] == '\r') --length;
        if (length) {
            if (!GROW(into->rows, into->room, into->count + 1)) return LINES_NO_MEMORY;
            found_row *one = &into->rows[into->count++];
            memset(one, 0, sizeof *one);
            one->uri = one->key = one->raw = (size_t)(to - into->forms.at);
            one->uri_size = one->key_size = one->raw_size = (uint32_t)length;
            one->special = NO_SPECIAL;
            if (may_hold_password(data, length, 0)) one->has_password = 1, into->has_passwords = 1;
            one->start = number + *count;
            memcpy(to, data, length);
            to += length;
            *to++ = '\n';
        }
        data = next;
    }
    into->forms.size = (size_t)(to - into->forms.at);
    if (into->forms.size && (wanted & WANT_RAW)) {
        if (!GROW(into->raws.at, into->raws.room, into->forms.size)) return LINES_NO_MEMORY;
        memcpy(into->raws.at, into->forms.at, into->forms.size);
        into->raws.size = into->forms.size;
    }
    return LINES_TAKEN;
}

static unsigned needs(record_field which)
{
    switch (which) {
    case F_RAW: case F_KIND: return WANT_RAW;
    case F_START: case F_END: return WANT_OFFSETS;
    case F_LINE: case F_COLUMN: return WANT_LINES;
    case F_BYTE_START: case F_BYTE_END: return WANT_BYTES;
    default: return 0;
    }
}

record_field field_asked(const harvest *from, const char *name)
{
    int which = 0;
    while (which < F_COUNT && strcmp(FIELDS[which], name) != 0) ++which;
    if (which == F_SOURCE || which == F_LOCATION) return F_COUNT; /* these are not those of a harvest */
    unsigned needed = needs((record_field)which);
    return from->count && (from->wanted & needed) != needed ? F_COUNT : (record_field)which;
}

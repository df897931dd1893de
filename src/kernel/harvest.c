#include "harvest.h"
#include "buffer.h"
#include "utf8.h"

static int appended(byte **bytes, size_t *size, size_t *room, const byte *t, size_t length, int ended, size_t *offset)
{
    *offset = *size;
    if (!append_bytes(bytes, size, room, t, length)) return 0;
    if (ended) (*bytes)[(*size)++] = '\n';
    return 1;
}

/* Counts forward through the text of a search, to offsets that do not fall. */
typedef struct {
    const search *in;
    size_t offset;
    uint64_t characters, bytes, line;
    int64_t newline;
    unsigned wanted;
} counter;

static void count_to(counter *at, size_t offset)
{
    const search *in = at->in;
    const byte *text = in->text + at->offset;
    size_t size = offset - at->offset;
    if (size == 0) return;
    if (at->wanted & WANT_LINES) {
        size_t feeds = line_feeds(text, size);
        if (feeds) {
            size_t last = size;
            while (text[last - 1] != '\n') --last;
            at->line += feeds;
            at->newline = (int64_t)(at->characters + (in->is_ascii ? last - 1 : characters(text, last - 1)));
        }
    }
    if (at->wanted & (WANT_OFFSETS | WANT_LINES)) at->characters += in->is_ascii ? size : characters(text, size);
    if (at->wanted & WANT_BYTES) at->bytes += in->has_escapes ? size - 2 * escapes(text, size) : size;
    at->offset = offset;
}

static void position(found_row *to, const row *from, counter *at)
{
    to->opener = from->opener;
    to->closer = from->closer;
    if (!(at->wanted & (WANT_OFFSETS | WANT_LINES | WANT_BYTES))) return;
    count_to(at, from->start);
    to->start = at->characters;
    to->byte_start = at->bytes;
    to->line = at->line;
    to->column = (uint64_t)((int64_t)at->characters - at->newline);
    counter end = *at;
    end.wanted &= ~WANT_LINES;
    count_to(&end, from->end);
    to->end = end.characters;
    to->byte_end = end.bytes;
}

static int taken(harvest *into, search *from, unsigned wanted, const given *found)
{
    memset(into, 0, sizeof *into);
    into->wanted = wanted;
    if (!reserve((void **)&into->rows, &into->room, from->row_count, sizeof *into->rows)) return 0;
    /* The canonical forms that the search has made are not copied. */
    into->forms = from->forms;
    into->forms_size = from->forms_size;
    into->forms_room = from->forms_room;
    from->forms = NULL;
    from->forms_size = from->forms_room = 0;
    into->in_order = 1;
    counter at = {from, 0, from->characters, from->bytes, from->line, from->newline, wanted};
    /* The offsets of what is rejected count always: there are few. */
    counter of_rejected = at;
    of_rejected.wanted |= WANT_OFFSETS;
    for (size_t i = 0; i < from->row_count; ++i) {
        const row *one = &from->rows[i];
        found_row made = {0};
        const judgement *known = NULL;
        const given *by_finder = NULL;
        position(&made, one, &at);
        made.special = NO_SPECIAL;
        made.warnings = one->warnings;
        size_t raw_size = one->end - one->start;
        made.raw_size = (uint32_t)raw_size;
        int rejected = 0;
        if (one->kind == PROVED) {
            made.uri = made.key = one->form;
            made.uri_size = made.key_size = one->form_size;
        } else {
            into->in_order = 0;
            const byte *uri, *key;
            int warned;
            if (one->kind == REMEMBERED) {
                known = &from->judgements.entries[one->form];
                rejected = known->verdict == INVALID;
                uri = from->judgements.bytes + known->uri;
                key = from->judgements.bytes + known->key;
                made.uri_size = known->uri_size;
                made.key_size = known->key_size;
                warned = known->has_warnings;
                made.has_password = known->has_password;
                if (warned || rejected || (from->text[one->start] | 0x20) == 'u') made.special = (uint32_t)one->form;
            } else {
                by_finder = &found[one->form];
                rejected = by_finder->is_rejected;
                uri = by_finder->uri;
                key = by_finder->key;
                made.uri_size = (uint32_t)by_finder->uri_size;
                made.key_size = (uint32_t)by_finder->key_size;
                warned = by_finder->has_warnings;
                made.has_password = (uint8_t)by_finder->has_password;
                made.special = (uint32_t)(from->judgements.count + one->form);
            }
            if (!rejected) {
                if (!appended(&into->forms, &into->forms_size, &into->forms_room, uri, made.uri_size, 1, &made.uri))
                    return 0;
                made.key = made.uri;
                if (made.key_size != made.uri_size || memcmp(uri, key, made.uri_size) != 0) {
                    into->has_keys = 1;
                    if (!appended(&into->forms, &into->forms_size, &into->forms_room, key, made.key_size, 1, &made.key))
                        return 0;
                }
            }
            if (warned) into->has_warnings = 1;
            if (made.has_password) into->has_passwords = 1;
        }
        if (((wanted & WANT_RAW) || rejected) &&
            !appended(&into->raws, &into->raws_size, &into->raws_room, from->text + one->start, raw_size, 0, &made.raw))
            return 0;
        if (rejected) {
            if (!(wanted & WANT_OFFSETS)) position(&made, one, &of_rejected);
            if (!reserve((void **)&into->rejected, &into->rejected_room, into->rejected_count + 1,
                         sizeof *into->rejected))
                return 0;
            into->rejected[into->rejected_count++] = (rejected_row){into->count, i, made};
            continue;
        }
        if (made.warnings) into->has_warnings = 1;
        if (made.special != NO_SPECIAL) into->has_specials = 1;
        into->rows[into->count++] = made;
    }
    return 1;
}

int harvest_take(harvest *into, search *from, unsigned wanted, const given *found)
{
    int done = taken(into, from, wanted, found);
    if (!done) from->row_count = 0; /* their canonical forms are gone */
    return done;
}

void harvest_free(harvest *one)
{
    free(one->rows);
    free(one->rejected);
    free(one->forms);
    free(one->raws);
    memset(one, 0, sizeof *one);
}

/* The texts of a page, and the map from them to the source. */
#include "html_parts.h"
#include "utf8.h"

int html_add_run(html_state *at, html_stream *to, size_t source, size_t size, int is_plain)
{
    if (to->run_count) {
        html_run *last = &to->runs[to->run_count - 1];
        if (is_plain && last->is_plain && last->source + last->size == source &&
            last->begin + last->size == to->size && last->size + size <= UINT32_MAX) {
            last->size += (uint32_t)size;
            return 1;
        }
    }
    if (!GROW(to->runs, to->run_room, to->run_count + 1)) return html_failed(at, HTML_NO_MEMORY);
    to->runs[to->run_count++] = (html_run){to->size, source, (uint32_t)size, (uint32_t)is_plain};
    return 1;
}

const byte *html_next_reference(const byte *t, const byte *end, int in_attribute, size_t *size)
{
    for (; t < end && (t = memchr(t, '&', (size_t)(end - t))) != NULL; ++t) {
        size_t length = *size = html_reference(t, end);
        if (length == 0 || length > HTML_LONGEST_REFERENCE) continue;
        /* In an attribute `&copy=` is the name of a field (13.2.5.73). */
        int is_field = in_attribute && t[1] != '#' && t[length - 1] != ';' && t + length < end && t[length] == '=';
        if (!is_field) return t;
    }
    return NULL;
}

const html_known_reference *html_resolved(html_state *at, const byte *t, size_t size, int in_attribute)
{
    uint32_t hash = (uint32_t)in_attribute;
    for (size_t i = 1; i < size; ++i) hash = hash * 31u + t[i];
    html_known_reference *known = &at->reader->known[(hash ^ hash >> 8) % HTML_KNOWN_REFERENCES];
    if (known->size == size && known->in_attribute == in_attribute && memcmp(known->written, t, size) == 0)
        return known;
    size_t length;
    known->size = 0;
    if (!at->reader->resolve(at->reader->context, t, size, in_attribute, known->text, &length)) {
        html_failed(at, HTML_NO_MEMORY);
        return NULL;
    }
    memcpy(known->written, t, size);
    known->size = (uint8_t)size;
    known->length = (uint8_t)length;
    known->in_attribute = (uint8_t)in_attribute;
    return known;
}

int html_put(html_state *at, html_stream *to, const byte *t, const byte *end, html_resolving how)
{
    int in_attribute = how == HTML_RESOLVED_VALUE;
    if (t == end) return 1;
    to->broken = 0;
    while (t < end) {
        size_t size;
        const byte *reference = how != HTML_AS_IT_STANDS ? html_next_reference(t, end, in_attribute, &size) : NULL;
        const byte *stop = reference == NULL ? end : reference;
        if (stop > t) {
            if (!html_add_run(at, to, html_offset(at, t), (size_t)(stop - t), 1) ||
                !html_add_bytes(at, &to->text, &to->size, &to->room, t, (size_t)(stop - t)))
                return 0;
        }
        if (reference == NULL) break;
        const html_known_reference *known = html_resolved(at, reference, size, in_attribute);
        if (known == NULL) return 0;
        int is_same = known->length == size && memcmp(known->text, reference, size) == 0;
        if (known->length && !html_add_run(at, to, html_offset(at, reference), size, is_same)) return 0;
        if (!html_add_bytes(at, &to->text, &to->size, &to->room, known->text, known->length)) return 0;
        t = reference + size;
    }
    return 1;
}

int html_pause(html_state *at, html_stream *to, const byte *token)
{
    if (to->broken) return 1;
    to->broken = 1;
    return html_add_run(at, to, html_offset(at, token), 0, 0) &&
           html_add_bytes(at, &to->text, &to->size, &to->room, (const byte *)"\n", 1);
}

/* The bytes that are counted at once. */
#define BLOCK 512u

size_t html_byte(const byte *text, size_t size, size_t *last_byte, size_t *last_character, size_t character)
{
    size_t offset = *last_byte, count = *last_character;
    if (character < count / 2) offset = count = 0;
    while (count > character) { /* back to a block that begins at or before it */
        size_t back = offset < BLOCK ? offset : BLOCK;
        offset -= back;
        count -= characters(text + offset, back);
    }
    for (; size - offset >= BLOCK; offset += BLOCK) {
        size_t some = characters(text + offset, BLOCK);
        if (count + some > character) break;
        count += some;
    }
    /* The block may end inside of a character: its continuation bytes are passed over. */
    while (offset < size && is_continuation(text[offset])) ++offset;
    for (; count < character && offset < size; ++count) offset += width(text[offset]);
    *last_byte = offset;
    *last_character = count;
    return offset;
}

void html_free(html_page *page)
{
    free(page->running.text);
    free(page->running.runs);
    free(page->comments.text);
    free(page->comments.runs);
    free(page->values.text);
    free(page->values.runs);
    free(page->texts);
    free(page->items);
    free(page->links);
    free(page->steps);
    memset(page, 0, sizeof *page);
}

int html_has_text(const html_stream *stream)
{
    if (stream->size == 0) return 0; /* it may have no text at all */
    const byte *end = stream->text + stream->size;
    return html_after_space(stream->text, end) < end;
}

/* Go to a known offset near another one: the links of a long tag, its beginning and its end are asked for in turn. */
static void go_near(html_page *page, size_t offset)
{
    if (page->steps == NULL) {
        size_t count = 0;
        page->steps = malloc((page->size / HTML_STEP + 1) * sizeof *page->steps);
        if (page->steps == NULL) return; /* it is counted from the last one, which takes longer */
        for (size_t i = 0; i <= page->size / HTML_STEP; ++i) {
            page->steps[i] = count;
            if ((i + 1) * HTML_STEP <= page->size) count += characters(page->source + i * HTML_STEP, HTML_STEP);
        }
    }
    page->last_byte = offset / HTML_STEP * HTML_STEP;
    page->last_character = page->steps[offset / HTML_STEP];
}

size_t html_character(html_page *page, size_t offset)
{
    if (offset + HTML_STEP < page->last_byte || offset > page->last_byte + HTML_STEP) go_near(page, offset);
    if (offset < page->last_byte) /* the tags of two links may be the same one */
        page->last_character -= characters(page->source + offset, page->last_byte - offset);
    else
        page->last_character += characters(page->source + page->last_byte, offset - page->last_byte);
    page->last_byte = offset;
    return page->last_character;
}

size_t html_source(html_page *page, html_stream *stream, size_t character, int is_end)
{
    if (is_end && character) --character;
    size_t offset = html_byte(stream->text, stream->size, &stream->last_byte, &stream->last_character, character);
    size_t low = 0, high = stream->run_count; /* the last run that begins at or before it */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (stream->runs[middle].begin <= offset)
            low = middle;
        else
            high = middle;
    }
    if (stream->run_count == 0) return 0;
    const html_run *run = &stream->runs[low];
    size_t source = run->source + (is_end ? run->size : 0);
    if (run->is_plain) {
        source = run->source + (offset - run->begin);
        if (is_end && offset < stream->size) source += width(stream->text[offset]);
    }
    return html_character(page, source);
}

#include "html.h"
#include "buffer.h"
#include "utf8.h"
#include "vector.h"

typedef struct {
    html_reader *reader;
    html_page *page;
    const byte *end; /* of the source */
    size_t lowest;   /* a cut comes behind this byte */
    int final;
    int seeks_blank; /* whether the page may end at a blank */
    html_mark cut, blank;
    html_result result;
} html_state;

static int failed(html_state *at, html_result result)
{
    at->result = result;
    return 0;
}

static size_t offset_of(const html_state *at, const byte *t) { return (size_t)(t - at->page->source); }

static int add_run(html_state *at, html_stream *to, size_t source, size_t size, int is_plain)
{
    if (to->run_count) {
        html_run *last = &to->runs[to->run_count - 1];
        if (is_plain && last->is_plain && last->source + last->size == source &&
            last->begin + last->size == to->size && last->size + size <= UINT32_MAX) {
            last->size += (uint32_t)size;
            return 1;
        }
    }
    if (!reserve((void **)&to->runs, &to->run_room, to->run_count + 1, sizeof *to->runs))
        return failed(at, HTML_NO_MEMORY);
    to->runs[to->run_count++] = (html_run){to->size, source, (uint32_t)size, (uint32_t)is_plain};
    return 1;
}

static int add_bytes(html_state *at, byte **bytes, size_t *size, size_t *room, const byte *t, size_t length)
{
    if (!reserve((void **)bytes, room, *size + length, 1)) return failed(at, HTML_NO_MEMORY);
    if (length) memcpy(*bytes + *size, t, length);
    *size += length;
    return 1;
}

/* Resolve a reference (13.2.5.72): what Python has resolved is remembered. */
static const html_known_reference *resolved(html_state *at, const byte *t, size_t size, int in_attribute)
{
    uint32_t hash = (uint32_t)in_attribute;
    for (size_t i = 1; i < size; ++i) hash = hash * 31u + t[i];
    html_known_reference *known = &at->reader->known[(hash ^ hash >> 8) % HTML_KNOWN_REFERENCES];
    if (known->size == size && known->in_attribute == in_attribute && memcmp(known->written, t, size) == 0)
        return known;
    size_t length;
    known->size = 0;
    if (!at->reader->resolve(at->reader->context, t, size, in_attribute, known->text, &length)) {
        failed(at, HTML_NO_MEMORY);
        return NULL;
    }
    memcpy(known->written, t, size);
    known->size = (uint8_t)size;
    known->length = (uint8_t)length;
    known->in_attribute = (uint8_t)in_attribute;
    return known;
}

/* Add a text of the source to a stream; its references are resolved if `resolves`. */
static int put(html_state *at, html_stream *to, const byte *t, const byte *end, int resolves)
{
    if (t == end) return 1;
    to->broken = 0;
    while (t < end) {
        const byte *and = resolves ? memchr(t, '&', (size_t)(end - t)) : NULL;
        size_t size = 0;
        while (and != NULL && ((size = html_reference(and, end)) == 0 || size > HTML_LONGEST_REFERENCE))
            and = memchr(and + 1, '&', (size_t)(end - and) - 1);
        const byte *stop = and == NULL ? end : and;
        if (stop > t) {
            if (!add_run(at, to, offset_of(at, t), (size_t)(stop - t), 1) ||
                !add_bytes(at, &to->text, &to->size, &to->room, t, (size_t)(stop - t)))
                return 0;
        }
        t = stop;
        if (and == NULL) continue;
        const html_known_reference *known = resolved(at, and, size, 0);
        if (known == NULL) return 0;
        int is_same = known->length == size && memcmp(known->text, and, size) == 0;
        if (known->length && !add_run(at, to, offset_of(at, and), size, is_same)) return 0;
        if (!add_bytes(at, &to->text, &to->size, &to->room, known->text, known->length)) return 0;
        t = and + size;
    }
    return 1;
}

/* End the line, at a token. */
static int pause(html_state *at, html_stream *to, const byte *token)
{
    if (to->broken) return 1;
    to->broken = 1;
    return add_run(at, to, offset_of(at, token), 0, 0) &&
           add_bytes(at, &to->text, &to->size, &to->room, (const byte *)"\n", 1);
}

/* Whether a text may be nothing but a link, as `html_links.differs` knows them. */
static int may_be_link(const byte *t, const byte *end)
{
    size_t size;
    while (t < end && (size = html_space(t)) != 0) t += size;
    if (t < end && *t == '<') ++t;
    if (end - t < 4) return 0;
    for (int i = 0; i < 4; ++i)
        if (is_wide(t[i])) return 1; /* letters beyond ASCII are compared in Python */
    if (begins(t, 4, "www.") || begins(t, 4, "ftp:")) return 1;
    return begins(t, 4, "http");
}

static void end_anchor(html_page *page, html_stream *stream)
{
    stream->in_anchor = 0;
    if (stream->anchor == HTML_NOWHERE) return;
    if (!may_be_link(stream->text + stream->anchor_begin, stream->text + stream->size)) return;
    html_item *item = &page->items[stream->anchor];
    item->shown = stream->anchor_begin;
    item->shown_end = stream->size;
    item->shown_in = stream == &page->running ? 1 : 2;
}

static html_item *add_item(html_state *at, html_kind kind, const byte *tag, const byte *tag_end)
{
    html_page *page = at->page;
    if (!reserve((void **)&page->items, &page->item_room, page->item_count + 1, sizeof *page->items)) {
        failed(at, HTML_NO_MEMORY);
        return NULL;
    }
    html_item *item = &page->items[page->item_count++];
    memset(item, 0, sizeof *item);
    item->kind = (uint8_t)kind;
    item->tag = offset_of(at, tag);
    item->tag_end = offset_of(at, tag_end);
    return item;
}

/* Whether a reference holds a character that no reference contains (RFC 3986 4.1). */
static int is_unfit(const byte *t, const byte *end)
{
    for (; t < end; ++t)
        if (html_space(t) != 0 || (*t != 0 && strchr("\"<>\\^`{|}", *t) != NULL)) return 1;
    return 0;
}

static int holds_slashes(const byte *t, const byte *end)
{
    while (end - t >= 3 && (t = memchr(t, ':', (size_t)(end - t) - 2)) != NULL) {
        if (t[1] == '/' && t[2] == '/') return 1;
        ++t;
    }
    return 0;
}

static int has_scheme(const byte *t, const byte *end)
{
    if (t == end || !is_letter(*t)) return 0;
    while (t < end && has(*t, SCHEME_CHARACTER)) ++t;
    return t < end && *t == ':';
}

typedef enum { NO_LINK, A_LINK, FOR_PYTHON, BROKEN } link_result;

/* Add the link that is the value of an attribute. */
static link_result add_link(html_state *at, const byte *tag, const byte *tag_end, const html_attribute *from,
                            uint32_t attribute)
{
    html_page *page = at->page;
    const byte *t = from->value, *end = from->value_end;
    size_t begin = page->links_size;
    size_t length = (size_t)(end - t);
    int is_plain = memchr(t, '&', length) == NULL;
    if (is_plain) { /* the URL standard removes what stands at the ends (4.4) */
        while (t < end && *t <= ' ') ++t;
        while (t < end && end[-1] <= ' ') --end;
    }
    const byte *start = t;
    while (t < end) {
        const byte *and = is_plain ? NULL : memchr(t, '&', (size_t)(end - t));
        size_t size = 0;
        while (and != NULL && ((size = html_reference(and, end)) == 0 || size > HTML_LONGEST_REFERENCE ||
                               (and[1] != '#' && and[size - 1] != ';' && and + size < end && and[size] == '=')))
            and = memchr(and + 1, '&', (size_t)(end - and) - 1);
        const byte *stop = and == NULL ? end : and;
        if (!add_bytes(at, &page->links, &page->links_size, &page->links_room, t, (size_t)(stop - t))) return BROKEN;
        t = stop;
        if (and == NULL) continue;
        const html_known_reference *known = resolved(at, and, size, 1);
        if (known == NULL ||
            !add_bytes(at, &page->links, &page->links_size, &page->links_room, known->text, known->length))
            return BROKEN;
        t = and + size;
    }
    byte *first = page->links + begin, *last = page->links + page->links_size;
    if (!is_plain) {
        while (first < last && *first <= ' ') ++first;
        while (first < last && last[-1] <= ' ') --last;
    }
    int has_breaks = 0;
    for (const byte *one = first; one < last && !has_breaks; ++one)
        has_breaks = *one == '\t' || *one == '\n' || *one == '\r';
    if (has_breaks) { /* and what stands inside */
        byte *to = first;
        for (const byte *one = first; one < last; ++one)
            if (*one != '\t' && *one != '\n' && *one != '\r') *to++ = *one;
        last = to;
        is_plain = 0;
    }
    page->links_size = begin;
    if (first == last || *first == '#') {
        ++page->same;
        return NO_LINK;
    }
    if (!has_scheme(first, last)) {
        if (holds_slashes(first, last) && is_unfit(first, last)) return FOR_PYTHON; /* it is read as text */
        ++page->relative;
        return NO_LINK;
    }
    html_item *item = add_item(at, HTML_LINK, tag, tag_end);
    if (item == NULL) return BROKEN;
    item->link = (size_t)(first - page->links);
    item->link_size = (uint32_t)(last - first);
    item->value = offset_of(at, start);
    item->attribute = attribute;
    item->is_plain = (uint8_t)is_plain;
    page->links_size = (size_t)(last - page->links);
    return A_LINK;
}

/* Whether a style may hold the address of something: `url(` or `@import`. */
static int may_hold_address(const byte *t, const byte *end)
{
    if (memchr(t, '@', (size_t)(end - t)) != NULL) return 1;
    for (; (t = memchr(t, '(', (size_t)(end - t))) != NULL; ++t)
        if ((t[-1] | 0x20) == 'l') return 1; /* a tag precedes */
    return 0;
}

/* Whether Python has to read an attribute. */
static int is_complex(const html_attribute *one, const html_name *name, uint32_t element, uint64_t seen,
                      uint64_t equivalents)
{
    switch ((html_value)(name->flags & 0xFF)) {
    case HTML_LISTED: return 1;
    case HTML_STYLES:
        return may_hold_address(one->value, one->value_end) ||
               memchr(one->value, '&', (size_t)(one->value_end - one->value)) != NULL;
    case HTML_CONTENT:
        return (element & HTML_META) && ((seen & equivalents) != 0 || holds_slashes(one->value, one->value_end) ||
                                         memchr(one->value, '&', (size_t)(one->value_end - one->value)) != NULL);
    default: return 0;
    }
}

/* Add the links of a tag; `is_anchor` gets whether the text of one begins behind it, `anchor` its item. */
static int add_links(html_state *at, const byte *tag, const byte *name_end, const byte *tag_end, uint32_t element,
                     int *is_anchor, size_t *anchor)
{
    html_page *page = at->page;
    html_attribute values[HTML_MOST_ATTRIBUTES];
    const html_name *names[HTML_MOST_ATTRIBUTES];
    unsigned count = 0;
    uint64_t seen = 0, equivalents = 0;
    html_attribute one;
    *is_anchor = 0;
    for (const byte *t = name_end; (t = html_next_attribute(t, tag_end, &one)) != NULL;) {
        if (one.value == NULL) continue;
        const html_name *name = html_find_name(&at->reader->attributes, one.name, (size_t)(one.name_end - one.name), at->end);
        if (name == NULL || (seen >> name->number & 1)) continue; /* the first of each name counts */
        seen |= (uint64_t)1 << name->number;
        if ((name->flags & 0xFF) == HTML_EQUIVALENT) equivalents |= (uint64_t)1 << name->number;
        if ((name->flags & 0xFF) == HTML_HREF) *is_anchor = (element & HTML_ANCHOR) != 0;
        names[count] = name;
        values[count++] = one;
    }
    if (count == 0) return 1;
    size_t items = page->item_count, links = page->links_size;
    uint64_t same = page->same, relative = page->relative;
    *anchor = HTML_NOWHERE;
    int is_simple = 1;
    for (unsigned i = 0; i < count && is_simple; ++i) {
        uint32_t flags = names[i]->flags;
        uint32_t needs = flags & ~0xFFu;
        if ((flags & 0xFF) == HTML_HREF && (element & HTML_BASE)) return failed(at, HTML_LEFT);
        if ((flags & 0xFF) > HTML_HREF) {
            is_simple = !is_complex(&values[i], names[i], element, seen, equivalents);
            continue;
        }
        if (needs && !(needs & element)) continue;
        switch (add_link(at, tag, tag_end, &values[i], names[i]->number)) {
        case A_LINK:
            if ((flags & 0xFF) == HTML_HREF) *anchor = page->item_count - 1;
            break;
        case FOR_PYTHON: is_simple = 0; break;
        case BROKEN: return 0;
        default: break;
        }
    }
    if (is_simple) return 1;
    page->item_count = items;
    page->links_size = links;
    page->same = same;
    page->relative = relative;
    *anchor = items;
    return add_item(at, HTML_TAG, tag, tag_end) != NULL;
}

static html_mark mark_of(const html_page *page, size_t stop)
{
    return (html_mark){stop, page->running.size, page->comments.size, page->item_count, page->same, page->relative};
}

/* The last blank of a text behind its first character and behind a "<"; NULL if there is none behind `lowest`. */
static const byte *last_blank(const html_state *at, const byte *t, const byte *end, int is_raw)
{
    while (end > t && offset_of(at, end) > at->lowest) {
        const byte *first = is_raw ? t : end;
        if (!is_raw)
            while (first > t && first[-1] != '<') --first;
        const byte *blank = end;
        while (blank > first && blank[-1] != ' ' && blank[-1] != '\n') --blank;
        if (blank > first + 1) return blank - 1;
        if (first == t) return NULL;
        end = first - 1;
    }
    return NULL;
}

/* Add a text of the page; the page may be cut at its last blank. */
static int put_running(html_state *at, const byte *t, const byte *end, int resolves, int is_raw)
{
    const byte *blank = NULL;
    if (at->seeks_blank && (resolves || !is_raw)) blank = last_blank(at, t, end, is_raw);
    if (blank != NULL) {
        if (!put(at, &at->page->running, t, blank, resolves)) return 0;
        at->blank = mark_of(at->page, offset_of(at, blank));
        t = blank;
    }
    return put(at, &at->page->running, t, end, resolves);
}

/* Whether the cut may be at a token that ends a line of the running text. */
static int is_cut_here(const html_state *at, const html_stream *stream, const byte *token)
{
    return !at->final && stream == &at->page->running && !stream->in_anchor && offset_of(at, token) > at->lowest;
}

/* Read a tag whose "<" is at `token`; returns its end, NULL if it is not complete or reading has to stop. */
static const byte *read_tag(html_state *at, html_stream *stream, const byte *token, const byte *end)
{
    html_page *page = at->page;
    int is_end = token[1] == '/';
    const byte *name = token + 1 + is_end;
    const byte *name_end = html_name_end(name, end);
    int has_values;
    const byte *tag_end = html_tag_end(name_end, end, &has_values);
    if (tag_end == NULL) return NULL;
    const html_name *known = html_find_name(&at->reader->elements, name, (size_t)(name_end - name), at->end);
    uint32_t element = known == NULL ? 0 : known->flags;
    int breaks = (element & HTML_BREAKS) != 0;
    if (is_end) {
        if ((element & HTML_ANCHOR) && stream->in_anchor) {
            end_anchor(page, stream);
            breaks = 1;
        }
        if (breaks && !pause(at, stream, token)) return NULL;
        if ((element & HTML_BREAKS) && is_cut_here(at, stream, token)) at->cut = mark_of(page, offset_of(at, token));
        return tag_end;
    }
    const byte *content_end = NULL;
    if ((element & HTML_RAW) && stream == &page->running) {
        content_end = html_content_end(tag_end, end, known->name);
        if (content_end == NULL) {
            if (!at->final) return NULL; /* its end tag is missing: it is left for later */
            content_end = end;
        }
    }
    html_mark before = mark_of(page, offset_of(at, token));
    int is_anchor = 0;
    size_t anchor = HTML_NOWHERE;
    if (has_values && !add_links(at, token, name_end, tag_end, element, &is_anchor, &anchor)) return NULL;
    if (is_anchor && stream->in_anchor) end_anchor(page, stream);
    if ((breaks || is_anchor) && !pause(at, stream, token)) return NULL;
    if (breaks && is_cut_here(at, stream, token)) {
        before.running = stream->size;
        at->cut = before;
    }
    if (is_anchor) {
        stream->in_anchor = 1;
        stream->anchor = anchor;
        stream->anchor_begin = stream->size;
    }
    if (content_end == NULL) return tag_end;
    if (!put_running(at, tag_end, content_end, (element & HTML_RESOLVED) != 0, 1)) return NULL;
    if ((element & HTML_STYLE) && may_hold_address(tag_end, content_end) &&
        add_item(at, HTML_SHEET, token, content_end) == NULL)
        return NULL;
    return content_end;
}

/* Read the content of a comment: tags, but neither comments nor raw content in it. */
static int read_comment(html_state *at, const byte *token, const byte *t, const byte *end)
{
    html_stream *stream = &at->page->comments;
    if (!pause(at, stream, token)) return 0;
    const byte *text = t;
    while (t < end && (t = memchr(t, '<', (size_t)(end - t))) != NULL) {
        int is_end = end - t > 1 && t[1] == '/';
        if (end - t < 2 + is_end || !is_letter(t[1 + is_end])) {
            ++t;
            continue;
        }
        if (!put(at, stream, text, t, 1)) return 0;
        text = read_tag(at, stream, t, end);
        if (text == NULL) {
            if (at->result != HTML_DONE) return 0;
            if (!put(at, stream, t + 1, end, 1)) return 0; /* it is not complete: text */
            stream->broken = 0;
            text = end;
        }
        t = text;
    }
    if (!put(at, stream, text, end, 1)) return 0;
    stream->in_anchor = 0;
    return 1;
}

/* Read the tokens; returns the offset of a token that is not complete, or the size of the source. */
static size_t read_tokens(html_state *at)
{
    html_page *page = at->page;
    html_stream *stream = &page->running;
    const byte *end = at->end, *text = page->source, *t = text;
    while (t < end && (t = memchr(t, '<', (size_t)(end - t))) != NULL) {
        const byte *next, *inside, *inside_end;
        byte first = end - t > 1 ? t[1] : '/';
        int is_tag = is_letter(first) || (first == '/' && end - t > 2 && is_letter(t[2]));
        if (!is_tag && first != '/' && first != '!' && first != '?') {
            ++t;
            continue;
        }
        if (!put_running(at, text, t, 1, 0)) return 0;
        text = t;
        if (is_tag) {
            next = read_tag(at, stream, t, end);
        } else {
            next = end - t < 2 ? NULL : html_comment_end(t, end, &inside, &inside_end);
            if (next != NULL && !read_comment(at, t, inside, inside_end)) return 0;
        }
        if (next == NULL) return offset_of(at, t);
        text = t = next;
    }
    put_running(at, text, end, 1, 0);
    return page->size;
}

/* The byte at which a character of a text begins, counted from a byte and its number that are known. */
static size_t byte_of(const byte *text, size_t size, size_t *last_byte, size_t *last_character, size_t character)
{
    size_t offset = *last_byte, count = *last_character;
    if (character < count) offset = count = 0;
    for (; size - offset >= 512; offset += 512) {
        size_t some = characters(text + offset, 512);
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

html_result html_read(html_reader *reader, html_page *page, const byte *source, size_t size, int final, size_t limit)
{
    memset(page, 0, sizeof *page);
    page->source = source;
    page->size = size;
    page->running.broken = page->comments.broken = 1;
    html_state at = {reader, page, source + size, 0, final, !final && size >= limit, {0}, {0}, HTML_DONE};
    int is_ascii = ascii_run(source, size) == size;
    if (!final) {
        size_t count = is_ascii ? size : characters(source, size), some = 0, number = 0;
        size_t lowest = count * 3 / 4;
        at.lowest = is_ascii ? lowest : byte_of(source, size, &some, &number, lowest);
    }
    size_t stop = read_tokens(&at);
    if (at.result != HTML_DONE) return at.result;
    if (stop < size) {
        size_t left = size - stop;
        if (final || (left > limit && (is_ascii || characters(source + stop, left) > limit))) return HTML_LEFT;
    }
    page->end = mark_of(page, stop);
    int is_long = stop >= limit && (is_ascii || characters(source, stop) >= limit);
    page->is_done = final || at.cut.stop != 0 || is_long;
    if (at.cut.stop == 0 && is_long) at.cut = at.blank;
    if (at.cut.stop) {
        page->end = at.cut;
        page->running.size = at.cut.running;
        page->comments.size = at.cut.comments;
        page->item_count = at.cut.items;
        page->same = at.cut.same;
        page->relative = at.cut.relative;
    }
    return HTML_DONE;
}

void html_free(html_page *page)
{
    free(page->running.text);
    free(page->running.runs);
    free(page->comments.text);
    free(page->comments.runs);
    free(page->items);
    free(page->links);
    memset(page, 0, sizeof *page);
}

size_t html_character(html_page *page, size_t offset)
{
    if (offset < page->last_byte) page->last_byte = page->last_character = 0;
    page->last_character += characters(page->source + page->last_byte, offset - page->last_byte);
    page->last_byte = offset;
    return page->last_character;
}

size_t html_source(html_page *page, html_stream *stream, size_t character, int is_end)
{
    if (is_end && character) --character;
    size_t offset = byte_of(stream->text, stream->size, &stream->last_byte, &stream->last_character, character);
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

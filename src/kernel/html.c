#include "html_parts.h"
#include "utf8.h"
#include "vector.h"

static html_mark mark_of(const html_page *page, size_t stop)
{
    return (html_mark){stop,          page->running.size, page->comments.size, page->values.size, page->text_count,
                       page->item_count, page->same,         page->relative};
}

/* The last blank of a text after its first character and after a "<"; NULL if there is none after `lowest`. */
static const byte *last_blank(const html_state *at, const byte *t, const byte *end, int is_raw)
{
    while (end > t && html_offset(at, end) > at->lowest) {
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
static int put_running(html_state *at, const byte *t, const byte *end, html_resolving how, int is_raw)
{
    const byte *blank = NULL;
    if (at->seeks_blank && (how != HTML_AS_IT_STANDS || !is_raw)) blank = last_blank(at, t, end, is_raw);
    if (blank != NULL) {
        if (!html_put(at, &at->page->running, t, blank, how)) return 0;
        at->blank = mark_of(at->page, html_offset(at, blank));
        t = blank;
    }
    return html_put(at, &at->page->running, t, end, how);
}

/* Whether the cut may be at a token that ends a line of the running text. */
static int is_cut_here(const html_state *at, const html_stream *stream, const byte *token)
{
    return !at->final && stream == &at->page->running && !stream->in_anchor && html_offset(at, token) > at->lowest;
}

/* Whether the content of a script seems to be a document of JSON: it begins and ends so. */
static int is_json(const byte *t, const byte *end)
{
    while (t < end && is_blank(*t)) ++t;
    if (t == end || (*t != '{' && *t != '[')) return 0;
    while (end > t && is_blank(end[-1])) --end;
    if (end[-1] != '}' && end[-1] != ']') return 0;
    for (++t; t < end && is_blank(*t);) ++t;
    return t < end && (*t == '"' || *t == '{' || *t == '[');
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
            html_end_anchor(page, stream);
            breaks = 1;
        }
        if (breaks && !html_pause(at, stream, token)) return NULL;
        if ((element & HTML_BREAKS) && is_cut_here(at, stream, token)) at->cut = mark_of(page, html_offset(at, token));
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
    html_mark before = mark_of(page, html_offset(at, token));
    int is_anchor = 0;
    size_t anchor = HTML_NOWHERE;
    if (has_values && !html_add_links(at, token, name_end, tag_end, element, &is_anchor, &anchor)) return NULL;
    if (is_anchor && stream->in_anchor) html_end_anchor(page, stream);
    if ((breaks || is_anchor) && !html_pause(at, stream, token)) return NULL;
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
    if ((element & HTML_SCRIPT) && is_json(tag_end, content_end))
        return html_add_item(at, HTML_CONTENT_ITEM, token, content_end) == NULL ? NULL : content_end;
    html_resolving how = element & HTML_RESOLVED ? HTML_RESOLVED_TEXT : HTML_AS_IT_STANDS;
    if (!put_running(at, tag_end, content_end, how, 1)) return NULL;
    if ((element & HTML_STYLE) && html_may_hold_address(tag_end, content_end) &&
        html_add_item(at, HTML_CONTENT_ITEM, token, content_end) == NULL)
        return NULL;
    return content_end;
}

/* Read the content of a comment: tags, but neither comments nor raw content in it. */
static int read_comment(html_state *at, const byte *token, const byte *t, const byte *end)
{
    html_stream *stream = &at->page->comments;
    if (!html_pause(at, stream, token)) return 0;
    const byte *text = t;
    while (t < end && (t = memchr(t, '<', (size_t)(end - t))) != NULL) {
        int is_end = end - t > 1 && t[1] == '/';
        if (end - t < 2 + is_end || !is_letter(t[1 + is_end]) || html_is_text(t, end)) {
            ++t;
            continue;
        }
        if (!html_put(at, stream, text, t, HTML_RESOLVED_TEXT)) return 0;
        text = read_tag(at, stream, t, end);
        if (text == NULL) {
            if (at->result != HTML_DONE) return 0;
            if (!html_put(at, stream, t + 1, end, HTML_RESOLVED_TEXT)) return 0; /* it is not complete: text */
            stream->broken = 0;
            text = end;
        }
        t = text;
    }
    if (!html_put(at, stream, text, end, HTML_RESOLVED_TEXT)) return 0;
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
        if (is_tag ? html_is_text(t, end) : first != '/' && first != '!' && first != '?') {
            ++t;
            continue;
        }
        if (!put_running(at, text, t, HTML_RESOLVED_TEXT, 0)) return 0;
        text = t;
        if (is_tag) {
            next = read_tag(at, stream, t, end);
        } else {
            next = end - t < 2 ? NULL : html_comment_end(t, end, &inside, &inside_end);
            if (next != NULL && !read_comment(at, t, inside, inside_end)) return 0;
        }
        if (next == NULL) return html_offset(at, t);
        text = t = next;
    }
    put_running(at, text, end, HTML_RESOLVED_TEXT, 0);
    return page->size;
}

html_result html_read(html_reader *reader, html_page *page, const byte *source, size_t size, int final, html_base base,
                      size_t limit)
{
    memset(page, 0, sizeof *page);
    page->source = source;
    page->size = size;
    page->running.broken = page->comments.broken = 1;
    html_state at = {reader, page, source + size, 0, final, base, !final && size >= limit, {0}, {0}, HTML_DONE};
    int is_ascii = ascii_run(source, size) == size;
    if (!final) {
        size_t count = is_ascii ? size : characters(source, size), some = 0, number = 0;
        size_t lowest = count * 3 / 4;
        at.lowest = is_ascii ? lowest : html_byte(source, size, &some, &number, lowest);
    }
    size_t stop = read_tokens(&at);
    if (at.result == HTML_BASED) {
        page->has_base = 1;
        return HTML_DONE;
    }
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
        page->values.size = at.cut.values;
        page->text_count = at.cut.texts;
        page->item_count = at.cut.items;
        page->same = at.cut.same;
        page->relative = at.cut.relative;
    }
    return HTML_DONE;
}

/* The links of tags (`urisieve.sources.html.html_links`). */
#include "find.h"
#include "html_parts.h"

/* Whether a text may be nothing but a link, as `html_links.differs` knows them. */
static int may_be_link(const byte *t, const byte *end)
{
    t = html_after_space(t, end);
    if (t < end && *t == '<') ++t;
    if (end - t < 4) return 0;
    for (int i = 0; i < 4; ++i)
        if (is_wide(t[i])) return 1; /* letters beyond ASCII are compared in Python */
    if (begins(t, 4, "www.") || begins(t, 4, "ftp:")) return 1;
    return begins(t, 4, "http");
}

void html_end_anchor(html_page *page, html_stream *stream)
{
    stream->in_anchor = 0;
    if (stream->anchor == HTML_NOWHERE) return;
    if (stream->anchor_begin == stream->size) return;
    if (!may_be_link(stream->text + stream->anchor_begin, stream->text + stream->size)) return;
    html_item *item = &page->items[stream->anchor];
    item->shown = stream->anchor_begin;
    item->shown_end = stream->size;
    item->shown_in = stream == &page->running ? 1 : 2;
}

html_item *html_add_item(html_state *at, html_kind kind, const byte *tag, const byte *tag_end)
{
    html_page *page = at->page;
    int is_value = kind == HTML_VALUE;
    if (is_value ? !GROW(page->texts, page->text_room, page->text_count + 1)
                 : !GROW(page->items, page->item_room, page->item_count + 1)) {
        html_failed(at, HTML_NO_MEMORY);
        return NULL;
    }
    html_item *item = is_value ? &page->texts[page->text_count++] : &page->items[page->item_count++];
    memset(item, 0, sizeof *item);
    item->kind = (uint8_t)kind;
    item->tag = html_offset(at, tag);
    item->tag_end = html_offset(at, tag_end);
    return item;
}

void html_keep_place(const html_state *at, html_item *item, const html_attribute *from)
{
    item->name = html_offset(at, from->name);
    item->name_size = (uint32_t)(from->name_end - from->name);
    item->value = html_offset(at, from->value);
}

/* Whether a reference contains a character that no reference contains (RFC 3986 4.1). */
static int is_unfit(const byte *t, const byte *end)
{
    for (; t < end; ++t)
        if (html_space(t) != 0 || (*t != 0 && strchr("\"<>\\^`{|}", *t) != NULL)) return 1;
    return 0;
}

int html_holds_slashes(const byte *t, const byte *end) { return contains(t, (size_t)(end - t), "://"); }

/* Remove what the URL standard removes at the ends of a link (4.4). */
static void strip(const byte **first, const byte **last)
{
    while (*first < *last && **first <= ' ') ++*first;
    while (*first < *last && (*last)[-1] <= ' ') --*last;
}

int html_add_resolved(html_state *at, const byte *t, const byte *end)
{
    html_page *page = at->page;
    for (;;) {
        size_t size;
        const byte *reference = html_next_reference(t, end, 1, &size), *stop = reference == NULL ? end : reference;
        if (!html_add_bytes(at, &page->links, &page->links_size, &page->links_room, t, (size_t)(stop - t))) return 0;
        if (reference == NULL) return 1;
        const html_known_reference *known = html_resolved(at, reference, size, 1);
        if (known == NULL ||
            !html_add_bytes(at, &page->links, &page->links_size, &page->links_room, known->text, known->length))
            return 0;
        t = reference + size;
    }
}

static int is_break(byte b) { return b == '\t' || b == '\n' || b == '\r'; }

/* Remove the line breaks and tabs in a link (URL standard 4.4); returns its new end. */
static const byte *without_breaks(byte *first, const byte *last)
{
    byte *to = first;
    while (to < last && !is_break(*to)) ++to;
    for (const byte *one = to; one < last; ++one)
        if (!is_break(*one)) *to++ = *one;
    return to;
}

/* A link as it is found, in the links of the page but not yet one of them. */
typedef struct {
    size_t first, last;
    const byte *value; /* where it begins in the source, if it is plain */
    int is_plain;
} found_link;

/* Find the link that is the value of an attribute; returns 0 if that fails. */
static int find_link(html_state *at, const html_attribute *from, found_link *found)
{
    html_page *page = at->page;
    const byte *t = from->value, *end = from->value_end, *first, *last;
    size_t begin = page->links_size;
    int is_plain = memchr(t, '&', (size_t)(end - t)) == NULL;
    if (is_plain) strip(&t, &end);
    if (is_plain ? !html_add_bytes(at, &page->links, &page->links_size, &page->links_room, t, (size_t)(end - t))
                 : !html_add_resolved(at, t, end))
        return 0;
    first = page->links + begin;
    last = page->links + page->links_size;
    if (!is_plain) strip(&first, &last);
    const byte *joined = without_breaks(page->links + (first - page->links), last);
    found->first = (size_t)(first - page->links);
    found->last = (size_t)(joined - page->links);
    found->value = t;
    found->is_plain = is_plain && joined == last;
    page->links_size = begin;
    return 1;
}

/* More links are not resolved here: each one repeats the base. */
#define MOST_LINKS ((size_t)4 << 20)

/* Write the target of a relative reference after it. */
static link_result resolve(html_state *at, found_link *found)
{
    html_page *page = at->page;
    const resolve_base *base = at->base.plain;
    size_t size = found->last - found->first;
    if (base == NULL || found->last > MOST_LINKS) return FOR_PYTHON;
    if (!GROW(page->links, page->links_room, found->last + resolve_room(base, size)))
        return html_failed(at, HTML_NO_MEMORY), BROKEN;
    size_t length = resolve_reference(base, page->links + found->first, size, page->links + found->last);
    if (length == 0) return FOR_PYTHON;
    found->first = found->last;
    found->last += length;
    return A_LINK;
}

/* Add the link that is the value of an attribute. */
static link_result add_link(html_state *at, const byte *tag, const byte *tag_end, const html_attribute *from,
                            int is_base)
{
    html_page *page = at->page;
    found_link found;
    if (!find_link(at, from, &found)) return BROKEN;
    const byte *first = page->links + found.first, *last = page->links + found.last;
    size_t reference = found.first, reference_size = 0;
    if (first == last || *first == '#') {
        ++page->same;
        return NO_LINK;
    }
    if (!has_scheme(first, last)) {
        if (is_base) return FOR_PYTHON; /* it has a base of its own (HTML 4.2.3) */
        if (!at->base.is_known) {
            if (html_holds_slashes(first, last) && is_unfit(first, last)) return FOR_PYTHON; /* it is read as text */
            if (last - first > 2 && first[0] == '/' && first[1] == '/') return FOR_PYTHON; /* it names its host */
            ++page->relative;
            return NO_LINK;
        }
        reference_size = found.last - found.first;
        link_result resolved = resolve(at, &found);
        if (resolved != A_LINK) return resolved;
    }
    html_item *item = html_add_item(at, HTML_LINK, tag, tag_end);
    if (item == NULL) return BROKEN;
    item->link = found.first;
    item->link_size = (uint32_t)(found.last - found.first);
    item->reference = reference;
    item->reference_size = (uint32_t)reference_size;
    html_keep_place(at, item, from);
    item->value = html_offset(at, found.value);
    item->is_plain = (uint8_t)found.is_plain;
    page->links_size = found.last;
    return A_LINK;
}

/* The next link of a list without character references, from `t` on; returns where the search for the next one goes on,
 * or NULL if there is none. */
static const byte *next_listed(const byte *t, const byte *end, int is_set, html_attribute *found)
{
    while (t < end && ((is_blank(*t) || *t == '\f') || (is_set && *t == ','))) ++t;
    if (t == end) return NULL;
    found->value = t;
    while (t < end && !(is_blank(*t) || *t == '\f')) ++t;
    found->value_end = t;
    if (!is_set) return t;
    while (found->value_end[-1] == ',') --found->value_end; /* another character begins it */
    if (found->value_end < t) return t;
    while (t < end && *t != ',') { /* its descriptors */
        if (*t++ != '(') continue;
        while (t < end && *t++ != ')') {}
    }
    return t;
}

link_result html_add_value(html_state *at, const byte *tag, const byte *tag_end, const html_attribute *from,
                             const html_name *name, uint32_t element)
{
    uint32_t kind = html_value(name->flags);
    if (kind != HTML_LISTED && kind != HTML_SET)
        return add_link(at, tag, tag_end, from, kind == HTML_HREF && (element & HTML_BASE));
    html_attribute one = *from;
    for (const byte *t = from->value; (t = next_listed(t, from->value_end, kind == HTML_SET, &one)) != NULL;) {
        link_result added = add_link(at, tag, tag_end, &one, 0);
        if (added == FOR_PYTHON || added == BROKEN) return added;
    }
    return NO_LINK;
}

int html_keep_base(html_state *at, const html_attribute *from)
{
    html_page *page = at->page;
    found_link found;
    page->links_size = 0;
    if (!find_link(at, from, &found)) return 0;
    page->links_size = found.last - found.first;
    memmove(page->links, page->links + found.first, page->links_size);
    return html_failed(at, HTML_BASED);
}

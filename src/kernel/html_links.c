/* The links of tags (`urisieve.sources.html.html_links`). */
#include "html_parts.h"

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
    if (!reserve((void **)&page->items, &page->item_room, page->item_count + 1, sizeof *page->items)) {
        html_failed(at, HTML_NO_MEMORY);
        return NULL;
    }
    html_item *item = &page->items[page->item_count++];
    memset(item, 0, sizeof *item);
    item->kind = (uint8_t)kind;
    item->tag = html_offset(at, tag);
    item->tag_end = html_offset(at, tag_end);
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

/* Remove what the URL standard removes at the ends of a link (4.4). */
static void strip(const byte **first, const byte **last)
{
    while (*first < *last && **first <= ' ') ++*first;
    while (*first < *last && (*last)[-1] <= ' ') --*last;
}

/* Add the text of a value with its references resolved. */
static int add_resolved(html_state *at, const byte *t, const byte *end)
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

/* Add the link that is the value of an attribute. */
static link_result add_link(html_state *at, const byte *tag, const byte *tag_end, const html_attribute *from,
                            uint32_t attribute)
{
    html_page *page = at->page;
    const byte *t = from->value, *end = from->value_end, *first, *last;
    size_t begin = page->links_size;
    int is_plain = memchr(t, '&', (size_t)(end - t)) == NULL;
    if (is_plain) {
        strip(&t, &end);
        if (!html_add_bytes(at, &page->links, &page->links_size, &page->links_room, t, (size_t)(end - t)))
            return BROKEN;
    } else if (!add_resolved(at, t, end)) {
        return BROKEN;
    }
    first = page->links + begin;
    last = page->links + page->links_size;
    if (!is_plain) strip(&first, &last);
    const byte *joined = without_breaks(page->links + (first - page->links), last);
    if (joined < last) is_plain = 0;
    last = joined;
    page->links_size = begin;
    if (first == last || *first == '#') {
        ++page->same;
        return NO_LINK;
    }
    if (!has_scheme(first, last)) {
        if (at->has_base) return FOR_PYTHON; /* it is resolved */
        if (holds_slashes(first, last) && is_unfit(first, last)) return FOR_PYTHON; /* it is read as text */
        ++page->relative;
        return NO_LINK;
    }
    html_item *item = html_add_item(at, HTML_LINK, tag, tag_end);
    if (item == NULL) return BROKEN;
    item->link = (size_t)(first - page->links);
    item->link_size = (uint32_t)(last - first);
    item->value = html_offset(at, t);
    item->attribute = attribute;
    item->is_plain = (uint8_t)is_plain;
    page->links_size = (size_t)(last - page->links);
    return A_LINK;
}

int html_may_hold_address(const byte *t, const byte *end)
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
        return html_may_hold_address(one->value, one->value_end) ||
               memchr(one->value, '&', (size_t)(one->value_end - one->value)) != NULL;
    case HTML_CONTENT:
        return (element & HTML_META) && ((seen & equivalents) != 0 || holds_slashes(one->value, one->value_end) ||
                                         memchr(one->value, '&', (size_t)(one->value_end - one->value)) != NULL);
    default: return 0;
    }
}

int html_add_links(html_state *at, const byte *tag, const byte *name_end, const byte *tag_end, uint32_t element,
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
        size_t size = (size_t)(one.name_end - one.name);
        const html_name *name = html_find_name(&at->reader->attributes, one.name, size, at->end);
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
        if ((flags & 0xFF) == HTML_HREF && (element & HTML_BASE)) return html_failed(at, HTML_LEFT);
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
    return html_add_item(at, HTML_TAG, tag, tag_end) != NULL;
}

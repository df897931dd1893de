/* How the attributes of a tag are read: as links, as text (`urisieve.sources.html.html_tokens`), or in Python. */
#include "html_parts.h"

/* Whether a value may contain an identifier, or HTML with one: in general, whether a tag begins in it, or a colon is
 * between a character of a scheme and one that may follow it (`html_tokens.holds_sign`). */
static int may_hold(const html_state *at, const byte *t, const byte *end)
{
    if (at->reader->takes_every_value) return t < end;
    if (memchr(t, '<', (size_t)(end - t)) != NULL) return 1;
    for (const byte *colon = t; (colon = memchr(colon, ':', (size_t)(end - colon))) != NULL; ++colon) {
        if (end - colon < 2) return 0;
        if (colon > t && has(colon[-1], SCHEME_CHARACTER) && colon[1] > ' ' && colon[1] != ':' && colon[1] != 0x7F)
            return 1;
    }
    return 0;
}

/* Add the value of an attribute to the texts of attributes, if it may contain an identifier. */
static int put_value(html_state *at, const byte *tag, const byte *tag_end, const html_attribute *from)
{
    const byte *t = from->value, *end = from->value_end;
    int is_plain = memchr(t, '&', (size_t)(end - t)) == NULL;
    if (is_plain && !may_hold(at, t, end)) return 1;
    html_page *page = at->page;
    html_stream *to = &page->values;
    size_t size = to->size, runs = to->run_count;
    if (!html_add_run(at, to, html_offset(at, t), 0, 0) ||
        !html_add_bytes(at, &to->text, &to->size, &to->room, (const byte *)TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE))
        return 0;
    size_t begin = to->size;
    if (!html_put(at, to, t, end, is_plain ? HTML_AS_IT_STANDS : HTML_RESOLVED_VALUE)) return 0;
    if (!is_plain && !may_hold(at, to->text + begin, to->text + to->size)) {
        to->size = size;
        to->run_count = runs;
        return 1;
    }
    html_item *item = html_add_item(at, HTML_VALUE, tag, tag_end);
    if (item == NULL) return 0;
    item->link = begin;
    item->link_size = (uint32_t)(to->size - begin);
    html_keep_place(at, item, from);
    return 1;
}

int html_may_hold_address(const byte *t, const byte *end)
{
    if (memchr(t, '@', (size_t)(end - t)) != NULL) return 1;
    for (const byte *open = t; (open = memchr(open, '(', (size_t)(end - open))) != NULL; ++open)
        if (open > t && ((open[-1] | 0x20) == 'l' || (open - t >= 3 && begins(open - 3, 3, "set")))) return 1;
    return 0;
}

/* Whether the value of a style or of the content of `meta` may contain links; -1 if that fails. */
static int may_hold_links(html_state *at, const html_attribute *one, int is_style)
{
    const byte *t = one->value, *end = one->value_end;
    if (memchr(t, '&', (size_t)(end - t)) != NULL) {
        html_page *page = at->page;
        size_t begin = page->links_size;
        if (!html_add_resolved(at, t, end)) return -1;
        t = page->links + begin; /* it stays there until more is added */
        end = page->links + page->links_size;
        page->links_size = begin;
        if (t == end) return 0;
    }
    return is_style ? html_may_hold_address(t, end) : html_holds_slashes(t, end);
}

/* Whether the content of a `meta` with `http-equiv` may contain a link, which that of a refresh does, or be one. */
static int may_refresh(const html_attribute *equivalent, const html_attribute *content)
{
    const byte *t = equivalent->value, *end = equivalent->value_end;
    size_t size = (size_t)(content->value_end - content->value);
    if (memchr(content->value, ':', size) != NULL || memchr(content->value, '&', size) != NULL) return 1;
    for (; t < end; ++t)
        if (is_wide(*t) || *t == '&' || (*t | 0x20) == 'f') return 1;
    return 0;
}

/* Lists in a longer tag are left to Python, which looks at a tag again for each link that it places. */
#define LONGEST_TAG 4096

typedef enum { AS_LINK, AS_TEXT, BY_PYTHON, NOT_READ } attribute_use;

/* How the value of an attribute is read that may contain links. */
static attribute_use use_of(html_state *at, const html_attribute *one, const html_name *name, uint32_t element,
                          const html_attribute *equivalent, int is_long)
{
    uint32_t needs = name->flags - html_value(name->flags);
    int may_hold = 0;
    if (needs && !(needs & element)) return AS_TEXT;
    switch (html_value(name->flags)) {
    case HTML_URL:
    case HTML_HREF: return AS_LINK;
    case HTML_LISTED:
    case HTML_SET:
        return is_long || memchr(one->value, '&', (size_t)(one->value_end - one->value)) ? BY_PYTHON : AS_LINK;
    case HTML_SRCDOC: return BY_PYTHON;
    case HTML_EQUIVALENT: return AS_TEXT;
    case HTML_STYLES: may_hold = may_hold_links(at, one, 1); break;
    case HTML_CONTENT:
        if (element & HTML_META) may_hold = equivalent != NULL ? may_refresh(equivalent, one) : may_hold_links(at, one, 0);
        break;
    }
    return may_hold < 0 ? NOT_READ : may_hold ? BY_PYTHON : AS_TEXT;
}

static int is_namespace(const byte *name, size_t size)
{
    return size >= 5 && begins(name, size, "xmlns") && (size == 5 || name[5] == ':');
}

int html_add_links(html_state *at, const byte *tag, const byte *name_end, const byte *tag_end, uint32_t element,
                   int *is_anchor, size_t *anchor)
{
    html_page *page = at->page;
    html_attribute values[HTML_MOST_ATTRIBUTES];
    const html_name *names[HTML_MOST_ATTRIBUTES];
    unsigned count = 0;
    uint64_t seen = 0;
    const html_attribute *equivalent = NULL;
    html_attribute one;
    *is_anchor = 0;
    for (const byte *t = name_end; (t = html_next_attribute(t, tag_end, &one)) != NULL;) {
        if (one.value == NULL) continue;
        size_t size = (size_t)(one.name_end - one.name);
        const html_name *name = html_find_name(&at->reader->attributes, one.name, size, at->end);
        if (name == NULL) {
            if (!is_namespace(one.name, size) && !put_value(at, tag, tag_end, &one)) return 0;
            continue;
        }
        if (seen >> name->number & 1) { /* the first of each name counts; the others are text */
            if (!put_value(at, tag, tag_end, &one)) return 0;
            continue;
        }
        seen |= (uint64_t)1 << name->number;
        if (html_value(name->flags) == HTML_EQUIVALENT) equivalent = &values[count];
        if (html_value(name->flags) == HTML_HREF) *is_anchor = (element & HTML_ANCHOR) != 0;
        names[count] = name;
        values[count++] = one;
    }
    if (count == 0) return 1;
    size_t items = page->item_count, links = page->links_size;
    uint64_t same = page->same, relative = page->relative;
    *anchor = HTML_NOWHERE;
    int is_simple = 1;
    uint64_t linked = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (html_value(names[i]->flags) == HTML_HREF && (element & HTML_BASE) && !at->base.is_declared)
            return html_keep_base(at, &values[i]);
        switch (use_of(at, &values[i], names[i], element, equivalent, tag_end - tag > LONGEST_TAG)) {
        case AS_LINK: linked |= (uint64_t)1 << i; break;
        case AS_TEXT:
            if (!put_value(at, tag, tag_end, &values[i])) return 0;
            break;
        case BY_PYTHON: is_simple = 0; break;
        case NOT_READ: return 0;
        }
    }
    for (unsigned i = 0; i < count && is_simple; ++i) {
        uint32_t flags = names[i]->flags;
        if (!(linked >> i & 1)) continue;
        switch (html_add_value(at, tag, tag_end, &values[i], names[i], element)) {
        case A_LINK:
            if (html_value(flags) == HTML_HREF) *anchor = page->item_count - 1;
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

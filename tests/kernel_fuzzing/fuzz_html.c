/* Windows of HTML: the way back to the source, and the same links however the windows are cut. */
#include "fuzzing.h"
#include "html.h"
#include "html_names.h"

/* A reference in place of Python: a few names, numbers, and the others as they stand. */
static int resolve(void *context, const byte *written, size_t size, int in_attribute, byte *text, size_t *length)
{
    (void)context;
    (void)in_attribute;
    REQUIRE(size >= 2 && size <= HTML_LONGEST_REFERENCE && written[0] == '&');
    static const struct {
        const char *name;
        byte is;
    } KNOWN[] = {{"&amp", '&'}, {"&lt", '<'}, {"&gt", '>'}, {"&quot", '"'}, {"&#58", ':'}, {"&#x2f", '/'}, {"&tab", '\t'}};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; ++i)
        if (begins(written, size, KNOWN[i].name)) {
            *text = KNOWN[i].is;
            *length = 1;
            return 1;
        }
    *length = mixed(written, size, 0) % 5 ? size : 0;
    memcpy(text, written, *length);
    return 1;
}

html_reader *page_reader(void)
{
    static html_reader *made; /* the tables are filled once; what it remembers of references is the same in each run */
    if (made != NULL) return made;
    made = calloc(1, sizeof *made);
    REQUIRE(made != NULL);
    made->resolve = resolve;
    for (uint32_t i = 0; i < sizeof ELEMENTS / sizeof *ELEMENTS; ++i)
        REQUIRE(html_add_name(&made->elements, (const byte *)ELEMENTS[i].name, strlen(ELEMENTS[i].name),
                              ELEMENTS[i].flags, i));
    for (uint32_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; ++i)
        REQUIRE(html_add_name(&made->attributes, (const byte *)ATTRIBUTES[i].name, strlen(ATTRIBUTES[i].name),
                              ATTRIBUTES[i].flags, i));
    return made;
}

static size_t naive_characters(const byte *t, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; ++i) count += (t[i] & 0xC0) != 0x80;
    return count;
}

/* The source of each character of a text lies in the page, and not before that of its predecessor. */
static void check_stream(html_page *page, html_stream *stream)
{
    size_t all = naive_characters(page->source, page->size), count = naive_characters(stream->text, stream->size);
    REQUIRE(is_text(stream->text, stream->size));
    size_t last = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t at = html_source(page, stream, i, 0);
        REQUIRE(at >= last && at <= all);
        last = at;
        REQUIRE(html_source(page, stream, i + 1, 1) >= at);
    }
    for (size_t i = count; i > 0; i -= i > 7 ? 7 : i) /* backwards, too */
        REQUIRE(html_source(page, stream, i, 1) <= all);
}

/* Each text of an attribute lies in its tag, and so do all of its characters. */
static void check_values(html_page *page)
{
    html_stream *values = &page->values;
    REQUIRE(is_text(values->text, values->size));
    for (size_t i = 0, at = 0; i < page->text_count; ++i) {
        const html_item *one = &page->texts[i];
        size_t end = one->link + one->link_size;
        REQUIRE(end == (i + 1 < page->text_count ? page->texts[i + 1].link - 3 : values->size));
        REQUIRE(one->tag < one->value && one->value < one->tag_end && one->tag_end <= page->size);
        REQUIRE(page->source[one->tag] == '<');
        REQUIRE(i == 0 || one->tag >= page->texts[i - 1].tag);
        size_t first = naive_characters(page->source, one->value), last = naive_characters(page->source, one->tag_end);
        for (at = naive_characters(values->text, one->link); at < naive_characters(values->text, end); ++at) {
            size_t source = html_source(page, values, at, 0);
            REQUIRE(source >= first && source < last);
            REQUIRE(html_source(page, values, at + 1, 1) > source);
        }
    }
}

static void check_page(html_page *page)
{
    REQUIRE(page->end.stop <= page->size);
    check_stream(page, &page->running);
    check_stream(page, &page->comments);
    check_values(page);
    for (size_t i = 0; i < page->item_count; ++i) {
        const html_item *one = &page->items[i];
        REQUIRE(one->tag < one->tag_end && one->tag_end <= page->size && page->source[one->tag] == '<');
        REQUIRE(i == 0 || one->tag >= page->items[i - 1].tag);
        REQUIRE(html_character(page, one->tag) == naive_characters(page->source, one->tag));
        if (one->kind == HTML_LINK) {
            REQUIRE(one->link + one->link_size <= page->links_size);
            REQUIRE(is_text(page->links + one->link, one->link_size));
            REQUIRE(one->reference_size == 0 || one->reference + one->reference_size <= one->link);
            REQUIRE(one->name > one->tag && one->name + one->name_size <= one->tag_end);
        }
        if (one->kind == HTML_LINK && one->is_plain) {
            size_t written = one->reference_size ? one->reference : one->link;
            size_t size = one->reference_size ? one->reference_size : one->link_size;
            REQUIRE(one->value >= one->tag && one->value + size <= one->tag_end);
            REQUIRE(memcmp(page->source + one->value, page->links + written, size) == 0);
        }
        if (one->shown_in) {
            const html_stream *in = one->shown_in == 1 ? &page->running : &page->comments;
            REQUIRE(one->shown <= one->shown_end && one->shown_end <= in->room); /* also behind a cut at a blank */
            REQUIRE(is_text(in->text + one->shown, one->shown_end - one->shown));
        }
    }
}

/* What windows must not change: the links, and the running text without its line feeds. */
typedef struct {
    bytes_kept links, text, values;
    uint64_t skipped;
} gathered;

static void gather(gathered *to, const html_page *page, size_t before)
{
    for (size_t i = 0; i < page->item_count; ++i) {
        const html_item *one = &page->items[i];
        keep_number(&to->links, before + one->tag);
        keep_number(&to->links, one->kind);
        keep_bytes(&to->links, page->source + one->name, one->name_size);
        if (one->kind == HTML_LINK) keep_bytes(&to->links, page->links + one->link, one->link_size);
    }
    for (size_t i = 0; i < page->text_count; ++i) {
        const html_item *one = &page->texts[i];
        keep_number(&to->values, before + one->value);
        keep_bytes(&to->values, page->values.text + one->link, one->link_size);
    }
    for (size_t i = 0; i < page->running.size; ++i)
        if (page->running.text[i] != '\n') keep_bytes(&to->text, page->running.text + i, 1);
    to->skipped += page->same + page->relative;
}

static void release(gathered *one)
{
    forget_bytes(&one->links);
    forget_bytes(&one->text);
    forget_bytes(&one->values);
}

/* Read in windows that grow until a page ends in them; returns 0 if Python would have to read one. */
static int read_windows(html_reader *reader, gathered *into, const byte *text, size_t size, size_t step,
                        html_base base, size_t limit)
{
    for (size_t at = 0, known = 0; at < size;) {
        known = size - known < step ? size : known + step;
        while (known < size && is_continuation(text[known])) ++known;
        int final = known == size;
        byte *window = exact_copy(text + at, known - at);
        html_page page;
        html_result result = html_read(reader, &page, window, known - at, final, base, limit);
        REQUIRE(result != HTML_NO_MEMORY);
        size_t stop = page.end.stop;
        int is_done = page.is_done;
        int has_base = page.has_base; /* Python would read again with it */
        if (result == HTML_DONE && is_done) {
            REQUIRE(!has_base);
            REQUIRE(stop > 0 && (!final || stop == known - at));
            check_page(&page);
            gather(into, &page, at);
        }
        html_free(&page);
        free(window);
        if (result == HTML_LEFT || has_base) return 0;
        if (is_done) at += stop;
    }
    return 1;
}

void fuzz_html(const byte *data, size_t size)
{
    byte options[2] = {0};
    for (size_t i = 0; i < 2 && size; ++i, ++data, --size) options[i] = *data;
    decoded_text whole;
    decode(&whole, data, size, 0);
    html_reader *reader = page_reader();
    static const byte BASE[] = "https://b.example/c/d?e";
    resolve_base plain;
    REQUIRE(resolve_split(&plain, BASE, sizeof BASE - 1));
    html_base base = {options[0] & 1, options[0] >> 1 & 1, options[0] & 4 ? &plain : NULL};
    size_t step = options[1] * 4u + 1u;
    gathered at_once = {0}, in_windows = {0}, cut_often = {0};
    int is_read = read_windows(reader, &at_once, whole.text, whole.size, whole.size + 1, base, 1 << 20);
    int is_read_again = read_windows(reader, &in_windows, whole.text, whole.size, step, base, 1 << 20);
    if (is_read && is_read_again) {
        REQUIRE(is_same(&at_once.links, &in_windows.links));
        REQUIRE(is_same(&at_once.text, &in_windows.text));
        REQUIRE(is_same(&at_once.values, &in_windows.values));
        REQUIRE(at_once.skipped == in_windows.skipped);
    }
    read_windows(reader, &cut_often, whole.text, whole.size, step, base, options[0] >> 1);
    release(&at_once);
    release(&in_windows);
    release(&cut_often);
    forget_decoded(&whole);
}

/* Pages of HTML in mail: their texts and links, each as a text. */
#include "mail_parts.h"

/* A longer page is read in windows (`_WINDOW` in html_documents.py). */
#define LONGEST_PAGE 131072u

static mail_text *add_text(mail_stretch *into, const byte *t, size_t size, int is_legacy)
{
    if (!mail_add_text(into, t, size)) return NULL;
    mail_text *made = &into->texts[into->count - 1];
    made->is_decoded = 1;
    made->is_legacy = (uint8_t)is_legacy;
    return made;
}

static int add_link(mail_stretch *into, html_page *page, const html_item *item, int is_legacy)
{
    mail_text *made = add_text(into, page->links + item->link, item->link_size, is_legacy);
    if (made == NULL) return 0;
    made->is_link = 1;
    if (item->shown_in == 0) return 1;
    made->label_size = (uint32_t)(item->shown_end - item->shown);
    return mail_add_label(into, html_stream_of(page, item->shown_in == 2)->text + item->shown, made->label_size,
                          &made->label);
}

/* Add the texts in the order of `HtmlPage.documents` in html_pages.py; returns 0 if there is no memory. */
static int add_page(mail_stretch *into, html_page *page, int is_legacy)
{
    for (int number = 0; number < 2; ++number) {
        const html_stream *stream = html_stream_of(page, number);
        if (html_has_text(stream) && add_text(into, stream->text, stream->size, is_legacy) == NULL) return 0;
    }
    for (size_t i = 0; i < page->text_count; ++i) {
        const html_item *one = &page->texts[i];
        if (add_text(into, page->values.text + one->link, one->link_size, is_legacy) == NULL) return 0;
    }
    for (size_t i = 0; i < page->item_count; ++i)
        if (!add_link(into, page, &page->items[i], is_legacy)) return 0;
    ++into->counts.parts;
    ++into->counts.pages;
    into->counts.same += page->same;
    into->counts.relative += page->relative;
    return 1;
}

/* Whether nothing of a page is left to Python. */
static int is_plain(const html_page *page)
{
    for (size_t i = 0; i < page->item_count; ++i)
        if (page->items[i].kind != HTML_LINK) return 0;
    return !page->has_base;
}

mail_result mail_take_page(mail_reader *reader, mail_stretch *into, const byte *text, size_t size, int is_legacy)
{
    static const html_base NO_BASE = {0, 0, NULL};
    html_page page;
    if (reader->html == NULL || size >= LONGEST_PAGE) return MAIL_LEFT;
    html_result read = html_read(reader->html, &page, text, size, 1, NO_BASE, LONGEST_PAGE);
    mail_result taken = read == HTML_NO_MEMORY ? MAIL_NO_MEMORY : MAIL_LEFT;
    if (read == HTML_DONE && is_plain(&page)) taken = add_page(into, &page, is_legacy) ? MAIL_TAKEN : MAIL_NO_MEMORY;
    html_free(&page);
    return taken;
}

#include "xml_texts.h"
#include "buffer.h"
#include "find.h"
#include "html_tokens.h"
#include "utf8.h"

/* A xml_reader of one source. */
typedef struct {
    xml_texts *into;
    const byte *source, *end;
    int is_end;
    xml_result result;
} xml_reader;

static int fail(xml_reader *at)
{
    at->result = XML_NO_MEMORY;
    return 0;
}

static int put(xml_reader *at, const byte *t, size_t size)
{
    xml_texts *into = at->into;
    return append_bytes(&into->text, &into->size, &into->room, t, size) || fail(at);
}

/* What follows the first appearance of a word; NULL without one. */
static const byte *after_word(const byte *t, const byte *end, const char *word)
{
    size_t left = (size_t)(end - t), size = strlen(word), offset = find_bytes(t, left, (const byte *)word, size);
    return offset == left ? NULL : t + offset + size;
}

/* Whether a name is one of some words, each after a blank and before one. */
static int is_among(const char *words, const byte *name, size_t size)
{
    while (*words == ' ' && words[1] != 0) {
        const char *word = ++words;
        words = strchr(word, ' ');
        if (words == NULL) return 0;
        if ((size_t)(words - word) == size && memcmp(word, name, size) == 0) return 1;
    }
    return 0;
}

/* Begin a text; `mark` gets the size before it. */
static int begin(xml_reader *at, size_t *mark)
{
    *mark = at->into->size;
    return put(at, (const byte *)TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE);
}

/* Take what was put since a mark as a text. */
static int take(xml_reader *at, size_t mark, int kind, xml_row row)
{
    xml_texts *into = at->into;
    if (!GROW(into->begins, into->begins_room, into->count + 2) ||
        !GROW(into->kinds, into->kinds_room, into->count + 1) ||
        !GROW(into->rows, into->rows_room, into->count + 1))
        return fail(at);
    size_t first = mark + TEXT_SEPARATOR_SIZE;
    into->begins[into->count] = (int64_t)(into->characters + TEXT_SEPARATOR_SIZE);
    into->characters += TEXT_SEPARATOR_SIZE + characters(into->text + first, into->size - first);
    into->kinds[into->count] = (byte)kind;
    into->rows[into->count++] = row;
    return 1;
}

static int64_t offset(const xml_reader *at, const byte *t) { return (int64_t)(t - at->source); }

static int64_t innermost(const xml_reader *at)
{
    return at->into->depth ? at->into->open[at->into->depth - 1].number : -1;
}

/* Put what a reference stands for (XML 1.0, 4.1); returns what follows it, NULL without memory. */
static const byte *reference(xml_reader *at, const byte *t, const byte *end)
{
    static const struct {
        const char *name;
        byte character;
    } NAMES[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
        if (starts(t, end, NAMES[i].name)) return put(at, &NAMES[i].character, 1) ? t + strlen(NAMES[i].name) : NULL;
    if (starts(t, end, "&#")) {
        const byte *digit = t + 2;
        int is_hexadecimal = digit < end && *digit == 'x';
        uint32_t point = 0;
        const byte *first = digit += is_hexadecimal;
        for (; digit < end && digit - first < 7; ++digit) {
            int value = is_hexadecimal || is_digit(*digit) ? hex_value(*digit) : -1;
            if (value < 0) break;
            point = point * (is_hexadecimal ? 16u : 10u) + (uint32_t)value;
        }
        if (digit > first && digit < end && *digit == ';' && point > 0 && point <= 0x10FFFF && point >> 11 != 0x1B) {
            byte made[4];
            return put(at, made, encode_point(made, point)) ? digit + 1 : NULL;
        }
    }
    return put(at, t, 1) ? t + 1 : NULL;
}

/* Put a value with its references resolved; a line end of two characters becomes a blank. */
static int resolve(xml_reader *at, const byte *t, const byte *end)
{
    while (t < end) {
        const byte *stop = t;
        while (stop < end && *stop != '&' && *stop != '\r') ++stop;
        if (!put(at, t, (size_t)(stop - t))) return 0;
        if (stop == end) return 1;
        if (*stop == '&') {
            if ((t = reference(at, stop, end)) == NULL) return 0;
            continue;
        }
        int is_line_end = starts(stop, end, "\r\n");
        if (!put(at, is_line_end ? (const byte *)" " : stop, 1)) return 0;
        t = stop + 1 + is_line_end;
    }
    return 1;
}

/* The chunk of a text without the white space around it. */
static void strip(const byte **first, const byte **end)
{
    *first = html_after_space(*first, *end);
    while (*first < *end) {
        const byte *last = *first + before(*first, (size_t)(*end - *first));
        if (html_space(last) == 0) return;
        *end = last;
    }
}

static int has_blank(const byte *t, const byte *end)
{
    for (; t < end; t += width(*t))
        if (html_space(t) != 0) return 1;
    return 0;
}

/* Take a run of text that was put since a mark; without its white space if it is a value. */
static int take_run(xml_reader *at, size_t mark, int is_whole, int has_mark, xml_row row)
{
    xml_texts *into = at->into;
    byte *text = into->text + mark + TEXT_SEPARATOR_SIZE;
    const byte *first = text, *end = into->text + into->size;
    strip(&first, &end);
    if (first == end) {
        into->size = mark;
        return 1;
    }
    size_t size = (size_t)(end - first);
    int is_value = has_scheme(first, end) &&
                   ((into->depth && into->open[into->depth - 1].is_link) || !has_blank(first, end) ||
                    (is_whole && characters(first, size) <= XML_LONGEST_VALUE));
    if (is_value) {
        memmove(text, first, size);
        into->size = mark + TEXT_SEPARATOR_SIZE + size;
    }
    return take(at, mark, is_value ? XML_VALUE : has_mark ? XML_HTML : XML_RUN, row);
}

/* Where a long run that begins at `start` is cut in a plain chunk, or NULL: after the last blank up to the limit, or
 * after the first one beyond, or at twice the limit. */
static const byte *cut_of(const byte *start, const byte *t, const byte *end)
{
    if ((size_t)(end - start) < XML_LONGEST_RUN) return NULL;
    const byte *limit = start + XML_LONGEST_RUN, *last = limit + XML_LONGEST_RUN;
    for (const byte *back = limit; back > t; --back)
        if (back[-1] == ' ' || back[-1] == '\n' || back[-1] == '\t') return back;
    for (const byte *on = limit > t ? limit : t; on < end; ++on) {
        if (on >= last && !is_continuation(*on)) return on;
        if (*on == ' ' || *on == '\n' || *on == '\t') return on + 1;
    }
    return end >= last ? end : NULL;
}

static const byte *tag_end(const byte *t, const byte *end)
{
    while (t < end) {
        if (*t == '>') return t + 1;
        if (*t == '"' || *t == '\'') {
            t = memchr(t + 1, *t, (size_t)(end - t) - 1);
            if (t == NULL) return NULL;
        }
        ++t;
    }
    return NULL;
}

/* Take a run of text from an offset on; returns what follows it, NULL if it goes on after the source. */
static const byte *run(xml_reader *at, const byte *t)
{
    xml_texts *into = at->into;
    const byte *start = t;
    int first_mode = into->mode, has_mark = 0, is_cut = 0, is_whole = 0, is_leaf = into->is_leaf;
    size_t mark;
    if (!begin(at, &mark)) return NULL;
    for (;;) {
        int in_section = into->mode == XML_SECTION;
        /* A chunk that goes on after this is cut before. */
        size_t most = 2 * (size_t)XML_LONGEST_RUN + 8;
        const byte *stop = t, *last = (size_t)(at->end - start) > most ? start + most : at->end;
        if (in_section)
            while (stop < last && *stop != ']' && *stop != '\r') ++stop;
        else
            while (stop < last && *stop != '<' && *stop != '&' && *stop != '\r') ++stop;
        const byte *cut = cut_of(start, t, stop);
        is_cut = cut != NULL;
        if (is_cut) stop = cut;
        if (in_section && !has_mark) has_mark = memchr(t, '<', (size_t)(stop - t)) != NULL;
        if (!put(at, t, (size_t)(stop - t))) return NULL;
        t = stop;
        if (is_cut) break;
        if (t == at->end) {
            if (at->is_end) break;
            goto goes_on;
        }
        if (*t == '\r') {
            if (at->end - t < 2 && !at->is_end) goto goes_on;
            if (!put(at, (const byte *)"\n", 1)) return NULL;
            t += 1 + starts(t, at->end, "\r\n");
        } else if (*t == '&') {
            if ((t = reference(at, t, at->end)) == NULL) return NULL;
            has_mark |= into->text[into->size - 1] == '<';
        } else if (in_section) {
            if (starts(t, at->end, "]]>")) {
                into->mode = XML_CONTENT;
                t += 3;
            } else if (at->end - t < 3 && !at->is_end) {
                goto goes_on;
            } else {
                if (!put(at, t, 1)) return NULL;
                ++t;
            }
        } else if (starts(t, at->end, "<![CDATA[")) {
            into->mode = XML_SECTION;
            t += strlen("<![CDATA[");
        } else {
            size_t left = (size_t)(at->end - t);
            if (left < 3 && !at->is_end && memcmp(t, "<![", left) == 0) goto goes_on;
            if (starts(t, at->end, "<![") && !at->is_end) goto goes_on;
            if (starts(t, at->end, "</")) {
                is_whole = is_leaf && tag_end(t, at->end) != NULL;
                if (!is_whole && is_leaf && !at->is_end) goto goes_on;
            }
            break;
        }
    }
    if (t > start) {
        xml_row row = {innermost(at), offset(at, start), offset(at, t), first_mode == XML_SECTION};
        if (!take_run(at, mark, is_whole, has_mark, row)) return NULL;
        if (is_cut) into->is_leaf = 0;
    } else {
        into->size = mark;
    }
    return t;
goes_on:
    into->mode = first_mode;
    into->size = mark;
    return NULL;
}

/* Take the attributes of a tag. */
static int attributes(xml_reader *at, const byte *t, const byte *end)
{
    xml_texts *into = at->into;
    for (;;) {
        while (t < end && is_blank(*t)) ++t;
        const byte *name = t;
        while (t < end && *t != '=' && *t != '>' && *t != '/' && !is_blank(*t)) ++t;
        const byte *name_end = t;
        while (t < end && is_blank(*t)) ++t;
        if (t == end || *t != '=' || name_end == name) return 1;
        for (++t; t < end && is_blank(*t);) ++t;
        if (t == end || (*t != '"' && *t != '\'')) return 1;
        const byte *value = t + 1, *close = memchr(value, *t, (size_t)(end - value));
        if (close == NULL) return 1;
        t = close + 1;
        size_t size = (size_t)(name_end - name);
        if (starts(name, name_end, "xmlns") && (size == 5 || name[5] == ':')) continue;
        size_t mark;
        if (!begin(at, &mark)) return 0;
        int kind = XML_ATTRIBUTE;
        const byte *first = value, *last = close;
        int is_link = is_among(into->links, name, size);
        if (is_link) strip(&first, &last);
        if (!resolve(at, first, last)) return 0;
        if (is_link) {
            int is_base = size == 8 && memcmp(name, "xml:base", 8) == 0;
            const byte *text = into->text + mark + TEXT_SEPARATOR_SIZE, *text_end = into->text + into->size;
            strip(&text, &text_end);
            int is_absolute = has_scheme(text, text_end);
            if (!is_absolute) into->size = mark + TEXT_SEPARATOR_SIZE;
            kind = is_absolute ? (is_base ? XML_BASE : XML_LINK) : is_base ? XML_RELATIVE_BASE : XML_REFERENCE;
        }
        xml_row row = {innermost(at), offset(at, value), offset(at, close), offset(at, name)};
        if (!take(at, mark, kind, row)) return 0;
    }
}

/* Take the start tag, or the tag of an empty element, from an offset to its end. */
static int open_element(xml_reader *at, const byte *t, const byte *end)
{
    xml_texts *into = at->into;
    const byte *name = t + 1, *name_end = name;
    while (name_end < end && !is_blank(*name_end) && *name_end != '>' && *name_end != '/') ++name_end;
    if (!GROW(into->elements, into->elements_room, into->element_count + 1) ||
        !GROW(into->open, into->open_room, into->depth + 1))
        return fail(at);
    int64_t outer = innermost(at);
    into->elements[into->element_count] = (xml_element){outer, offset(at, t)};
    into->open[into->depth++] = (xml_open){(int64_t)(into->before + into->element_count++),
                                           is_among(into->link_elements, name, (size_t)(name_end - name))};
    into->is_leaf = 1;
    if (!attributes(at, name_end, end)) return 0;
    if (into->depth > XML_DEPTH) {
        at->result = XML_TOO_DEEP;
        return 0;
    }
    if (end[-2] == '/') {
        --into->depth;
        into->is_leaf = 0;
    }
    return 1;
}

/* Take a comment or an instruction; returns what follows it, NULL if the source ends before it does. */
static const byte *aside(xml_reader *at, const byte *t)
{
    int is_comment = t[1] == '!';
    const byte *text = t + (is_comment ? 4 : 2), *name = text;
    const byte *next = text > at->end ? NULL : after_word(text, at->end, is_comment ? "-->" : "?>");
    if (next == NULL) return NULL;
    const byte *end = next - (is_comment ? 3 : 2);
    if (!is_comment) {
        while (text < end && !is_blank(*text)) ++text;
        if (text - name == 3 && memcmp(name, "xml", 3) == 0) return next; /* the declaration */
    }
    at->into->is_leaf = 0;
    size_t mark;
    xml_row row = {innermost(at), offset(at, text), offset(at, end), is_comment ? 0 : offset(at, name)};
    if (!begin(at, &mark) || !put(at, text, (size_t)(end - text))) return NULL;
    return take(at, mark, is_comment ? XML_COMMENT : XML_INSTRUCTION, row) ? next : NULL;
}

/* Read on in the document type, up to its end; NULL if the source ends before the next construct does. */
static const byte *doctype(xml_reader *at, const byte *t)
{
    int *mode = &at->into->mode;
    if (*mode == XML_SUBSET) {
        while (t < at->end && *t != '<' && *t != ']') ++t;
        if (t == at->end) return t;
        if (*t == ']') {
            *mode = XML_DOCTYPE;
            return t + 1;
        }
        if (starts(t, at->end, "<!--") || starts(t, at->end, "<?")) return aside(at, t);
        if (at->end - t < 4) return NULL;
        *mode = XML_DECLARATION;
        return t + 2;
    }
    while (t < at->end && *t != '"' && *t != '\'' && *t != '>' && (*t != '[' || *mode == XML_DECLARATION)) ++t;
    if (t == at->end) return t;
    if (*t == '>' || *t == '[') {
        *mode = *t == '[' || *mode == XML_DECLARATION ? XML_SUBSET : XML_CONTENT;
        return t + 1;
    }
    t = memchr(t + 1, *t, (size_t)(at->end - t) - 1);
    return t == NULL ? NULL : t + 1;
}

/* Take a tag, a comment, an instruction, or the beginning of the document type; NULL if it is cut. */
static const byte *construct(xml_reader *at, const byte *t)
{
    if (at->end - t < 2) return NULL;
    if (t[1] == '?' || starts(t, at->end, "<!--")) return aside(at, t);
    if (t[1] == '!') {
        if (at->end - t < 4) return NULL;
        at->into->mode = XML_DOCTYPE;
        return t + 2;
    }
    const byte *end = tag_end(t, at->end);
    if (end == NULL) return NULL;
    if (t[1] == '/') {
        if (at->into->depth) --at->into->depth;
        at->into->is_leaf = 0;
        return end;
    }
    return open_element(at, t, end) || at->result == XML_TOO_DEEP ? end : NULL;
}

xml_result xml_read(xml_texts *into, const byte *source, size_t size, int is_end, size_t *stop)
{
    xml_reader at = {into, source, source + size, is_end, XML_DONE};
    const byte *t = source;
    into->before = into->depth;
    while (t < at.end && at.result == XML_DONE) {
        const byte *next;
        if (into->mode == XML_SECTION || (into->mode == XML_CONTENT && (*t != '<' || starts(t, at.end, "<![")))) {
            next = run(&at, t);
            if (next == t && into->mode == XML_CONTENT) break; /* what only begins like a section */
        } else {
            next = into->mode == XML_CONTENT ? construct(&at, t) : doctype(&at, t);
        }
        if (next == NULL) break;
        t = next;
    }
    if (into->count) into->begins[into->count] = (int64_t)(into->characters + TEXT_SEPARATOR_SIZE);
    *stop = (size_t)(t - source);
    return at.result;
}

void xml_free(xml_texts *one)
{
    free(one->open);
    free(one->text);
    free(one->begins);
    free(one->kinds);
    free(one->rows);
    free(one->elements);
}

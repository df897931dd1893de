/* The parts of a multipart (RFC 2046 5.1), as `split_parts` in mime.py finds them. */
#include "mail_parts.h"
#include "find.h"

/* Deeper multiparts are read in Python, and so are messages with more parts. */
#define DEEPEST 4u
#define MOST_PARTS 1000u
/* The longest boundary (`boundary_of` in mime.py). */
#define LONGEST_BOUNDARY 1000u

typedef struct {
    const byte *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && is_blank(*c->at)) ++c->at;
}

static mail_value take_token(cursor *c)
{
    const byte *start = c->at;
    while (c->at < c->end && *c->at > ' ' && *c->at < 0x7F && strchr("()<>@,;:\\\"/[]?=", *c->at) == NULL) ++c->at;
    return (mail_value){start, (size_t)(c->at - start)};
}

/* The value of a parameter: in quotes without a backslash or a fold, or up to white space or the next one. */
static int take_value(cursor *c, mail_value *value)
{
    int is_quoted = c->at < c->end && *c->at == '"';
    const byte *start = c->at += is_quoted;
    while (c->at < c->end && *c->at >= ' ' && *c->at < 0x7F && strchr("\"\\", *c->at) == NULL &&
           (is_quoted || strchr(" ;()", *c->at) == NULL))
        ++c->at;
    *value = (mail_value){start, (size_t)(c->at - start)};
    if (!is_quoted) return c->at > start;
    return c->at < c->end && *c->at++ == '"';
}

static int is_multipart(const mail_value *type)
{
    if (type->at == NULL) return 0;
    cursor c = {type->at, type->at + type->size};
    skip_blanks(&c);
    return begins(c.at, (size_t)(c.end - c.at), "multipart/");
}

/* Read the boundary in the type of a multipart, and whether its parts are forms of one content; returns 0 if Python reads it. */
static int boundary_of(const mail_value *type, mail_value *boundary, int *has_forms)
{
    cursor c = {type->at, type->at + type->size};
    boundary->at = NULL;
    skip_blanks(&c);
    c.at += strlen("multipart/");
    mail_value subtype = take_token(&c), name, value;
    if (subtype.size == 0 || is_word(subtype.at, subtype.size, "encrypted") ||
        is_word(subtype.at, subtype.size, "digest"))
        return 0;
    *has_forms = is_word(subtype.at, subtype.size, "alternative");
    for (;;) {
        skip_blanks(&c);
        if (c.at == c.end) break;
        if (*c.at++ != ';') return 0;
        skip_blanks(&c);
        if (c.at == c.end) break;
        name = take_token(&c);
        skip_blanks(&c);
        if (name.size == 0 || c.at == c.end || *c.at++ != '=') return 0;
        skip_blanks(&c);
        if (!take_value(&c, &value)) return 0;
        if (boundary->at == NULL && is_word(name.at, name.size, "boundary")) *boundary = value;
    }
    if (boundary->at == NULL) return 0;
    while (boundary->size && boundary->at[boundary->size - 1] == ' ') --boundary->size;
    return boundary->size && boundary->size <= LONGEST_BOUNDARY;
}

/* A line that separates parts. */
typedef struct {
    size_t before, behind; /* without the line end before it; the offset of the next line */
    int closes;
} delimiter;

/* Find the next one from an offset on; returns 0 if there is none. */
static int next_delimiter(const byte *data, size_t start, size_t at, size_t end, mail_value boundary, delimiter *found)
{
    for (;;) {
        at += find_bytes(data + at, end - at, boundary.at, boundary.size);
        if (at == end) return 0;
        size_t line = at;
        at += boundary.size;
        if (line < start + 2 || memcmp(data + line - 2, "--", 2) != 0) continue;
        line -= 2;
        if (line > start && data[line - 1] != '\n' && data[line - 1] != '\r') continue;
        size_t behind = at;
        found->closes = end - behind >= 2 && memcmp(data + behind, "--", 2) == 0;
        behind += found->closes ? 2 : 0;
        while (behind < end && (data[behind] == ' ' || data[behind] == '\t')) ++behind;
        if (behind < end && data[behind] != '\n' && data[behind] != '\r') continue;
        if (behind < end && data[behind++] == '\r' && behind < end && data[behind] == '\n') ++behind;
        found->behind = behind;
        if (line > start && data[line - 1] == '\n') --line;
        if (line > start && data[line - 1] == '\r') --line;
        found->before = line;
        return 1;
    }
}

/* Read the text around the parts, which is meant for readers without MIME. */
static mail_result take_around(const mail_reader *reader, mail_stretch *into, const byte *data, size_t start, size_t end)
{
    size_t blank = start;
    while (blank < end && IS_ONE_OF(data[blank], " \t\r\n")) ++blank;
    if (blank == end || (!reader->every_field && !mail_has_sign(data + start, end - start))) return MAIL_TAKEN;
    if (reader->group) return MAIL_LEFT; /* it is between two forms */
    mail_result taken = mail_take_text(into, data + start, end - start, MAIL_PLAIN | MAIL_UTF8, NULL);
    if (taken == MAIL_TAKEN) into->texts[into->count - 1].offset = start;
    return taken;
}

static mail_result take_part(mail_reader *reader, mail_stretch *into, const byte *data, size_t start, size_t end,
                             unsigned depth)
{
    mail_entity one = {.data = data, .start = start, .end = end > start ? end : start};
    size_t before = into->count;
    if (++reader->part_count > MOST_PARTS) return MAIL_LEFT;
    mail_result found = mail_take_header(reader, into, &one);
    if (found == MAIL_TAKEN && into->count > before && !reader->every_field)
        found = MAIL_LEFT; /* its fields have a location of their own */
    return found == MAIL_TAKEN ? mail_take_body(reader, into, &one, depth) : found;
}

/* Read the parts of a multipart, which begin after a delimiter. */
static mail_result take_parts(mail_reader *reader, mail_stretch *into, const mail_entity *one, mail_value boundary,
                              delimiter last, int has_forms, unsigned depth)
{
    mail_result found = take_around(reader, into, one->data, one->body, last.before);
    uint32_t branch = reader->branch;
    delimiter next;
    for (int is_first = 1; found == MAIL_TAKEN && !last.closes; last = next, is_first = 0) {
        if (!next_delimiter(one->data, one->body, last.behind, one->end, boundary, &next)) return MAIL_LEFT;
        reader->branch = has_forms && !is_first ? ++reader->branches : branch;
        found = take_part(reader, into, one->data, last.behind, next.before, depth + 1);
    }
    return found == MAIL_TAKEN ? take_around(reader, into, one->data, last.behind, one->end) : found;
}

mail_result mail_take_body(mail_reader *reader, mail_stretch *into, const mail_entity *one, unsigned depth)
{
    mail_value boundary;
    delimiter first;
    int has_forms;
    if (!is_multipart(&one->content.type)) return mail_take_leaf(reader, into, one);
    if (!reader->reads_parts || depth == DEEPEST || !boundary_of(&one->content.type, &boundary, &has_forms) ||
        !next_delimiter(one->data, one->body, one->body, one->end, boundary, &first))
        return MAIL_LEFT;
    ++reader->part_count;
    uint32_t group = reader->group, branch = reader->branch;
    if (has_forms && !group) {
        reader->group = ++into->groups;
        reader->branches = 0;
    }
    mail_result found = take_parts(reader, into, one, boundary, first, has_forms, depth);
    reader->group = group;
    reader->branch = branch;
    return found;
}

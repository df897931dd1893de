#include "password_end.h"
#include "harvest.h"
#include "vector.h"

/* How many bytes after a candidate may contain the "@" that ends a password: those of the finder's window, at least. */
#define PASSWORD_WINDOW 1024u

/* Whether the authority of a candidate goes over into another link: `http://a.example:80,http://b.example`. */
static int may_be_list(const examined *at, size_t end)
{
    const byte *text = at->in->text, *authority = text + at->body;
    size_t stop = authority_end(text, at->body, end), size = stop - at->body;
    if (size == 0 || stop == end || text[stop] != '/' || text[stop - 1] != ':') return 0;
    return memchr(authority, ',', size) != NULL || memchr(authority, ';', size) != NULL;
}

/* Whether an at-sign, or what may stand for it, begins at an offset; some more are counted. */
static int begins_sign(const byte *text, size_t i, size_t end)
{
    byte b = text[i], next = i + 1 < end ? text[i + 1] : 0;
    if (b == '@') return 1;
    if (b == '4') return next == '0' && (text[i - 1] == '%' || text[i - 1] == '5');                     /* `%40` */
    if (b == '&') return next == '#' || next == 'c';                                                   /* `&#64;` */
    if (b == '[' || b == '(' || b == '{') return (next | 0x20) == 'a' || next <= ' ' || is_wide(next); /* `[at]` */
    return b == 0xEF && next == 0xBC;                                                                  /* U+FF20 */
}

/* Whether an at-sign follows a candidate in its line, or in the next one in angle brackets: as far as a password may go on;
 * also if more text is needed to tell. */
static int sign_follows(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t i, size = at->in->size, most = size - end < PASSWORD_WINDOW ? size : end + PASSWORD_WINDOW;
    int lines = at->opener == '<';
    for (i = end; i < most && (text[i] != '\n' || lines-- > 0); ++i)
        if (begins_sign(text, i, most)) return 1;
    return i == size && !at->in->final;
}

int may_cut_password(const examined *at, size_t end)
{
    const byte *text = at->in->text;
    size_t start = at->found->start;
    /* `www.a.example:80|x@h`: what looks like a host with a port, where any scheme counts. */
    if (at->choice->ignores_shapes && begins(text + start, end - start, "www.")) return 1;
    size_t size = end - at->body + (end < at->in->size);
    const byte *body = text + at->body;
    /* A password follows a colon, which may be encoded; most candidates contain neither. */
    if (!holds_any(body, size, ':', '%', '%') || first_mark(body, body + size, ':', '3', 'A') == body + size) return 0;
    return (at->body > at->after && may_be_list(at, end)) || sign_follows(at, end);
}

#include "extent.h"
#include "utf8.h"

/* The most backslashes before a slash. */
#define BACKSLASHES 15u
/* The longest name of a scheme that is looked at here. */
#define LONG_NAME 256u

static size_t backslashes_at(const byte *text, size_t offset, size_t size)
{
    size_t end = offset;
    while (end < size && text[end] == '\\') ++end;
    return end - offset;
}

size_t escaped_slashes(const byte *text, size_t size, size_t colon, int *is_cut)
{
    size_t most = size - colon > 2 * BACKSLASHES + 3 ? colon + 2 * BACKSLASHES + 3 : size;
    size_t count = backslashes_at(text, colon + 1, most), slash = colon + 1 + count;
    *is_cut = 0;
    if (count == 0 || count > BACKSLASHES) return 0;
    if (slash < size && text[slash] != '/') return 0;
    size_t again = slash < size ? backslashes_at(text, slash + 1, most) : 0;
    *is_cut = slash == size || (slash + 1 + again == size && again <= count);
    return !*is_cut && again == count && text[slash + 1 + again] == '/' ? count : 0;
}

int has_numbered_slash(const byte *text, size_t size, size_t colon)
{
    size_t count = backslashes_at(text, colon + 1, size), at = colon + 1 + count;
    if (count == 0 || count > BACKSLASHES || at == size || (text[at] != 'u' && text[at] != 'x')) return 0;
    return text[at] == 'u' ? begins(text + at + 1, size - at - 1, "002f") : begins(text + at + 1, size - at - 1, "2f");
}

size_t cut_slashes(const byte *text, size_t least, size_t size)
{
    if (size - least > CUT_SLASHES) least = size - CUT_SLASHES;
    size_t offset = size;
    int is_numbered = 0;
    while (offset > least && text[offset - 1] && strchr("\\/u02xfF", text[offset - 1]) != NULL) {
        --offset;
        is_numbered |= text[offset] != '\\' && text[offset] != '/';
    }
    if (offset == least || text[offset - 1] != ':') return size;
    if (is_numbered) return text[offset] == '\\' ? offset - 1 : size;
    size_t left = size - offset;
    int is_cut = left == 0 || (left == 1 && text[offset] == '/');
    if (!is_cut) escaped_slashes(text, size, offset - 1, &is_cut);
    return is_cut ? offset - 1 : size;
}

/* Whether no string and no candidate goes on after a character. */
static int ends_string(byte b) { return b <= ' ' || b == '"' || b == '<' || b == '>' || b == 0x7F; }

/* Write the character that an escape means, whose backslashes end at an offset; returns the end of the escape,
 * or 0 if only the finder knows it. */
static size_t resolve(const byte *text, size_t offset, size_t size, size_t backslashes, size_t count, byte **out)
{
    static const char CONTROLS[] = "bfnrt", MEANT[] = "\b\f\n\r\t";
    if (offset == size) return 0;
    byte b = text[offset];
    if (b == '/' ? backslashes != count : backslashes > (b == '"' || b == '\'' ? BACKSLASHES : count)) return 0;
    const char *control = b ? strchr(CONTROLS, b) : NULL;
    int32_t code = control != NULL ? (byte)MEANT[control - CONTROLS] : b;
    if (b == 'u') {
        code = unit_at(text + offset + 1, text + size);
        if (code >= 0xD800 && code <= 0xDFFF) return 0; /* a half of a character */
        offset += 4;
    } else if (control == NULL && (is_wide(b) || b <= ' ' || b == 0x7F || has(b, LETTER_OR_DIGIT))) {
        code = 0;
    }
    if (code <= 0) return 0;
    *out += encode_point(*out, (uint32_t)code);
    return offset + 1;
}

/* Write the text from an offset on without its escapes, up to a character that ends the string, or `most` bytes.
 *
 * Returns the offset that has been reached, or 0 if only the finder knows how the text goes on. */
static size_t unescape(const byte *text, size_t offset, size_t size, size_t count, byte **to, const byte *most)
{
    while (offset < size && *to < most) {
        byte b = text[offset];
        if (b == '/') return 0; /* it has no backslashes */
        if (b != '\\') {
            *(*to)++ = b;
            ++offset;
        } else {
            size_t backslashes = backslashes_at(text, offset, size);
            offset = resolve(text, offset + backslashes, size, backslashes, count, to);
            if (offset == 0) return 0;
            b = (*to)[-1];
        }
        if (b == 0x1B) return 0; /* of a terminal: what follows may be escaped, too */
        if (ends_string(b)) break;
    }
    return offset;
}

/* Whether a candidate that may end in a password ends at an escape, which the password may contain. */
static int is_before_escape(const byte *text, size_t end, size_t size)
{
    while (end < size && text[end] && strchr(".,;:!?'*_~", text[end]) != NULL) ++end;
    return end < size && text[end] == '\\';
}

finding find_escaped(const find_choice *choice, const stretch *in, size_t colon, size_t backslashes, candidate *found,
                     plain_text *plain)
{
    const byte *text = in->text;
    scheme_name name;
    size_t least = colon - in->floor > choice->limit ? colon - choice->limit : in->floor, run = colon;
    switch (scheme_before(&choice->schemes, text, least, colon, 1, &name)) {
    case NO_NAME: return NOTHING;
    case NAME_DOUBTFUL: return DOUBTFUL;
    default: break;
    }
    while (run > least && colon - run < LONG_NAME && has(text[run - 1], SCHEME_CHARACTER)) --run;
    if (colon - run == LONG_NAME) return DOUBTFUL;
    size_t first = colon > PLAIN_BEFORE ? colon - PLAIN_BEFORE : 0;
    while (is_continuation(text[first])) ++first;
    size_t before = colon + 1 - first;
    byte *start = plain->text + before, *to = start;
    memcpy(plain->text, text + first, before);
    /* Three bytes are the most that an escape becomes. */
    size_t stop = unescape(text, colon + 1, in->size, backslashes, &to, start + PLAIN_RUN - 4);
    if (stop == 0 || (stop < in->size && !ends_string(to[-1]))) return DOUBTFUL;
    size_t behind = in->size - stop;
    if (behind > PLAIN_BEHIND) {
        behind = PLAIN_BEHIND;
        while (is_continuation(text[stop + behind])) --behind;
    }
    memcpy(to, text + stop, behind);
    to += behind;
    stretch inner = {plain->text, (size_t)(to - plain->text), in->floor > first ? in->floor - first : 0,
                     in->final && stop + behind == in->size};
    finding looked = find_candidate(choice, &inner, before - 1, found);
    if (looked == NOTHING) return NOTHING;
    /* The other reading of what prose may follow is made of the text without escapes. */
    if (looked != FOUND || found->end < before || (found->warnings & FOUND_TEXT_FOLLOWS)) return DOUBTFUL;
    plain->start = found->start;
    plain->end = found->end;
    found->start += first;
    byte again[PLAIN_RUN];
    to = again;
    found->end = unescape(text, colon + 1, in->size, backslashes, &to, again + (plain->end - before));
    if (plain->end != before + (size_t)(to - again) || found->end - found->start > choice->limit) return DOUBTFUL;
    if (plain->end > before && memchr(start, ':', plain->end - before) != NULL &&
        is_before_escape(text, found->end, in->size))
        return DOUBTFUL;
    found->warnings |= FOUND_UNESCAPED;
    return FOUND;
}

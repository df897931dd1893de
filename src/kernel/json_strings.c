#include "json_strings.h"
#include "utf8.h"
#include "buffer.h"
#include <stdlib.h>

/* A reading of one source. */
typedef struct {
    json_strings *into;
    const byte *source, *end;
    const byte *behind; /* what follows the last string */
    const byte *list;   /* what follows the bracket of the last list */
    int no_memory;
} reading;

/* Go past white space, in a document past any control characters, and around lines past the record separators of a
 * sequence (RFC 7464). */
static const byte *skip(const reading *at, const byte *t)
{
    int is_lines = at->into->is_lines, is_around = at->into->made.depth == 0;
    while (t < at->end && (*t == ' ' || *t == '\t' || *t == '\r' || (is_lines ? *t == 0x1e && is_around : *t < ' ')))
        ++t;
    return t;
}

static int fail(reading *at)
{
    at->no_memory = 1;
    return 0;
}

static int put(reading *at, const byte *t, size_t size)
{
    json_strings *into = at->into;
    return append_bytes(&into->text, &into->made.size, &into->room, t, size) || fail(at);
}

/* Resolve the escape behind a backslash; returns what follows it, or NULL. */
static const byte *escape(reading *at, const byte *t)
{
    if (t == at->end) return NULL;
    byte made[4];
    switch (*t) {
    case '"': case '\\': case '/': made[0] = *t; break;
    case 'b': made[0] = '\b'; break;
    case 'f': made[0] = '\f'; break;
    case 'n': made[0] = '\n'; break;
    case 'r': made[0] = '\r'; break;
    case 't': made[0] = '\t'; break;
    case 'u': {
        int32_t unit = unit_at(t + 1, at->end);
        if (unit < 0) return NULL;
        t += 5;
        if (unit >= 0xD800 && unit < 0xDC00 && at->end - t >= 6 && t[0] == '\\' && t[1] == 'u') {
            int32_t second = unit_at(t + 2, at->end);
            if (second >= 0xDC00 && second < 0xE000) {
                unit = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
                t += 6;
            }
        }
        return put(at, made, encode_point(made, (uint32_t)unit)) ? t : NULL;
    }
    default: return NULL;
    }
    return put(at, made, 1) ? t + 1 : NULL;
}

/* Begin a string, which the source has from `t` on. */
static int begin(reading *at, const byte *t, json_link link)
{
    json_strings *into = at->into;
    size_t count = into->made.strings;
    if (!GROW(into->begins, into->begins_room, count + 2) || !GROW(into->starts, into->starts_room, count + 1) ||
        !GROW(into->links, into->links_room, count + 1))
        return fail(at);
    if (!put(at, (const byte *)TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE)) return 0;
    into->begins[count] = (int64_t)into->made.size;
    into->links[count] = link;
    into->starts[count] = t - at->source;
    ++into->made.strings;
    return 1;
}

/* Leave the last string out. */
static void drop(json_strings *into)
{
    into->made.size = (size_t)into->begins[--into->made.strings] - TEXT_SEPARATOR_SIZE;
}

/* Take the string behind a quotation mark; returns what follows it, or NULL. */
static const byte *string(reading *at, const byte *t, json_link link)
{
    const json_strings *into = at->into;
    for (int is_begun = begin(at, t, link); is_begun;) {
        const byte *stop = t;
        while (stop < at->end && *stop != '"' && *stop != '\\' &&
               (*stop >= ' ' || !(into->is_strict || (*stop == '\n' && into->is_lines))))
            ++stop;
        if (stop == at->end || *stop < ' ' || !put(at, t, (size_t)(stop - t))) break;
        t = stop + 1;
        if (*stop == '"') return at->behind = t;
        if ((t = escape(at, t)) == NULL) break;
    }
    if (!at->no_memory) drop(at->into);
    return NULL;
}

/* Go past a string that is not wanted, which is JSON by the same rules; returns what follows it, or NULL. */
static const byte *past_string(reading *at, const byte *t)
{
    const json_strings *into = at->into;
    for (;;) {
        while (t < at->end && *t != '"' && *t != '\\' &&
               (*t >= ' ' || !(into->is_strict || (*t == '\n' && into->is_lines))))
            ++t;
        if (t == at->end || *t < ' ') return NULL;
        if (*t++ == '"') return at->behind = t;
        if (t == at->end) return NULL;
        if (*t == 'u') {
            if (unit_at(t + 1, at->end) < 0) return NULL;
            t += 5;
        } else if (IS_ONE_OF(*t, "\"\\/bfnrt")) {
            ++t;
        } else {
            return NULL;
        }
    }
}

/* Go past digits; returns NULL if there are none. */
static const byte *digits(const byte *t, const byte *end)
{
    const byte *first = t;
    while (t < end && is_digit(*t)) ++t;
    return t == first ? NULL : t;
}

/* Take a number; `small` gets the one that it is from 0 to 255, or -1. */
static const byte *number(const reading *at, const byte *t, int *small)
{
    const byte *end = at->end, *first = t + (*t == '-'), *stop = digits(first, end);
    if (stop == NULL || (*first == '0' && stop > first + 1)) return NULL;
    if (stop > first + JSON_STRICT_DIGITS && at->into->is_strict) return NULL;
    int value = 0;
    for (const byte *digit = first; digit < stop && value < 256; ++digit) value = value * 10 + (*digit - '0');
    *small = value < 256 && (first == t || value == 0) ? value : -1;
    if (stop < end && *stop == '.') {
        *small = -1;
        if ((stop = digits(stop + 1, end)) == NULL) return NULL;
    }
    if (stop < end && (*stop == 'e' || *stop == 'E')) {
        *small = -1;
        ++stop;
        stop = digits(stop + (stop < end && (*stop == '+' || *stop == '-')), end);
    }
    return stop == end && at->into->goes_on ? NULL : stop;
}

/* Take a value that is neither an object nor a list. */
static const byte *scalar(reading *at, const byte *t, json_link link, int is_wanted, int *small)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    if (*t == '"') return is_wanted ? string(at, t + 1, link) : past_string(at, t + 1);
    for (size_t i = is_digit(*t) ? 6 : 0; i < 6; ++i)
        if (starts(t, at->end, words[i])) return t + strlen(words[i]);
    return number(at, t, small);
}

/* The offset in the field of what is wanted of a value, by its name in an object, or its key in a list. */
static int32_t next_step(const json_strings *into, int32_t step, const byte *name, size_t size, int32_t key)
{
    if (step < 0 || (size_t)step >= into->field_size) return step;
    const char *field = (const char *)into->field + step;
    size_t length = strlen(field);
    int fits;
    if (name == NULL) fits = *field == '[' && (length == 1 || strtol(field + 1, NULL, 10) == -1L - key);
    else if (*field == '.') fits = length == size + 1 && memcmp(field + 1, name, size) == 0;
    else for (fits = *field == '*' && size > 0; fits && size > 0; --size) fits = !IS_ONE_OF(name[size - 1], ".[]@");
    return fits ? step + (int32_t)length + 1 : -1;
}

/* Open an object or a list; in ASCII its end is the second sign behind its beginning. */
static int enter(reading *at, const byte *t, json_link link, int32_t step)
{
    json_strings *into = at->into;
    size_t depth = into->made.depth, count = into->made.containers;
    if (depth == (into->is_strict ? JSON_STRICT_DEPTH : JSON_DEPTH)) return 0;
    if (!GROW(into->containers, into->containers_room, count + 1) || !GROW(into->open, into->open_room, depth + 1))
        return fail(at);
    into->containers[into->made.containers++] = link;
    int is_bytes = *t == '[' && into->takes_bytes && (size_t)step == into->field_size;
    into->open[into->made.depth++] = (json_container){(int32_t)count, -1, step, (byte)(*t + 2), 1, (byte)is_bytes, 0};
    into->list_size = 0;
    at->list = t + 1;
    return 1;
}

/* End the innermost object or list; one of small numbers is a string. */
static int leave(reading *at)
{
    json_strings *into = at->into;
    uint64_t stray = 0;
    json_container *in = &into->open[--into->made.depth];
    if (!in->is_bytes || in->is_empty) return 1;
    if (!begin(at, at->list, into->containers[in->id])) return 0;
    if (!GROW(into->text, into->room, into->made.size + 3 * into->list_size + 1)) return fail(at);
    into->made.size += escaped_utf8(into->text + into->made.size, into->list, into->list_size, &stray);
    return 1;
}

/* Take the name of a member, up to its value; returns where that begins, or NULL. */
static const byte *member(reading *at, const byte *t, const json_container *in, int32_t *step)
{
    json_strings *into = at->into;
    json_link link = {in->id, (int32_t)into->made.names};
    if (!GROW(into->names, into->names_room, into->made.names + 1) ||
        !GROW(into->owners, into->owners_room, into->made.names + 1))
        return fail(at), NULL;
    into->names[link.key] = t + 1 - at->source;
    into->owners[link.key] = in->id;
    if (*t != '"' || (t = string(at, t + 1, link)) == NULL) return NULL;
    ++into->made.names;
    const byte *name = into->text + into->begins[into->made.strings - 1];
    *step = next_step(into, in->step, name, (size_t)(into->text + into->made.size - name), 0);
    if ((size_t)in->step != into->field_size) drop(into);
    t = skip(at, t);
    return t < at->end && *t == ':' ? skip(at, t + 1) : NULL;
}

/* Take what comes next: the end of the innermost container, a value in it or in the source, or only the beginning of an
 * object or a list. Returns what follows it, or NULL if it is left. */
static const byte *item(reading *at, const byte *t)
{
    json_strings *into = at->into;
    json_container *in = into->made.depth ? &into->open[into->made.depth - 1] : NULL;
    json_link link = {-1, 0};
    int32_t step = 0;
    int small = -1;
    if (in != NULL && *t == in->closer) {
        if (!leave(at)) return NULL;
        ++t;
    } else {
        if (in != NULL) {
            if (!in->is_empty && *t++ != ',') return NULL;
            if ((t = skip(at, t)) == at->end) return NULL;
            link = (json_link){in->id, in->closer == '}' ? (int32_t)into->made.names : in->key};
            if (in->closer == ']') step = next_step(into, in->step, NULL, 0, in->key);
            else if ((t = member(at, t, in, &step)) == NULL || t == at->end) return NULL;
            into->made.has_field |= step != in->step && (size_t)step == into->field_size;
        }
        if (*t == '{' || *t == '[') return enter(at, t, link, step) ? t + 1 : NULL;
        if ((t = scalar(at, t, link, (size_t)step == into->field_size, &small)) == NULL) return NULL;
    }
    if (into->made.depth) { /* behind a value in a container */
        in = &into->open[into->made.depth - 1];
        in->is_empty = 0;
        in->is_bytes &= small >= 0;
        if (in->key > INT32_MIN) --in->key;
        byte one = (byte)small;
        if (in->is_bytes && !append_bytes(&into->list, &into->list_size, &into->list_room, &one, 1)) return fail(at), NULL;
    }
    return t;
}

json_result json_read(json_strings *into, const byte *source, size_t size, size_t *stop)
{
    reading at = {.into = into, .source = source, .end = source + size, .behind = source, .list = source};
    json_counts *made = &into->made, done;
    if (!GROW(into->containers, into->containers_room, made->depth)) return JSON_NO_MEMORY;
    for (; made->containers < made->depth; ++made->containers) {
        into->open[made->containers].id = (int32_t)made->containers;
        into->containers[made->containers] = (json_link){(int32_t)made->containers - 1, 0};
    }
    done = *made;
    const byte *t = source, *first = t, *next = t; /* `done` and `first` are where reading can end */
    int is_behind = 0;
    while (next != NULL) {
        t = skip(&at, next);
        int is_around = made->depth == 0;
        if (!into->is_lines && (is_around || !into->open[made->depth - 1].is_bytes)) done = *made, first = t;
        if (t == at.end && is_around) break;
        if (into->is_lines && is_around && *t == '\n') {
            done = *made;
            first = next = t + 1;
            is_behind = 0;
            continue;
        }
        next = t == at.end || (into->is_lines && is_around && is_behind) ? NULL : item(&at, t);
        is_behind = 1;
    }
    if (at.no_memory) return JSON_NO_MEMORY;
    if (next != NULL && !into->goes_on) first = at.end;
    else if (into->is_lines || into->goes_on) *made = done;
    else first = at.behind > t ? at.behind : t; /* a document keeps its strings before the fault */
    if (made->strings) into->begins[made->strings] = (int64_t)(made->size + TEXT_SEPARATOR_SIZE);
    *stop = (size_t)(first - source);
    return next == NULL && !into->goes_on ? JSON_LEFT : JSON_DONE;
}

void json_free(json_strings *one)
{
    free(one->text);
    free(one->begins);
    free(one->starts);
    free(one->links);
    free(one->names);
    free(one->owners);
    free(one->containers);
    free(one->open);
    free(one->list);
}

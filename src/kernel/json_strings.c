#include "json_strings.h"
#include "utf8.h"
#include "buffer.h"
#include <stdlib.h>

/* A reading of one source. */
typedef struct {
    json_strings *into;
    const byte *source, *end;
    int no_memory;
} reading;

static const byte *skip(const reading *at, const byte *t)
{
    while (t < at->end && (*t == ' ' || *t == '\t' || *t == '\r' || (*t == '\n' && !at->into->is_lines))) ++t;
    return t;
}

/* White space around a line, or around a document of a sequence (RFC 7464). */
static const byte *skip_around(const reading *at, const byte *t)
{
    for (;;) {
        t = skip(at, t);
        if (t == at->end || (*t != 0x1e && (*t != 0 || at->into->is_lines))) return t;
        ++t;
    }
}

static int fail(reading *at)
{
    at->no_memory = 1;
    return 0;
}

static int put(reading *at, const byte *t, size_t size)
{
    json_strings *into = at->into;
    return append_bytes(&into->text, &into->size, &into->room, t, size) || fail(at);
}

/* Put a code point, or a lone surrogate. */
static int put_point(reading *at, uint32_t point)
{
    byte made[4];
    return put(at, made, encode_point(made, point));
}

/* Resolve the escape behind a backslash; returns what follows it, or NULL. */
static const byte *escape(reading *at, const byte *t)
{
    if (t == at->end) return NULL;
    byte made;
    switch (*t) {
    case '"': case '\\': case '/': made = *t; break;
    case 'b': made = '\b'; break;
    case 'f': made = '\f'; break;
    case 'n': made = '\n'; break;
    case 'r': made = '\r'; break;
    case 't': made = '\t'; break;
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
        return put_point(at, (uint32_t)unit) ? t : NULL;
    }
    default: return NULL;
    }
    return put(at, &made, 1) ? t + 1 : NULL;
}

/* Take the string behind a quotation mark; returns what follows it, or NULL. */
static const byte *string(reading *at, const byte *t, json_link link)
{
    json_strings *into = at->into;
    if (!GROW(into->begins, into->begins_room, into->count + 2) ||
        !GROW(into->starts, into->starts_room, into->count + 1) ||
        !GROW(into->links, into->links_room, into->count + 1))
        return fail(at), NULL;
    if (!put(at, (const byte *)TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE)) return NULL;
    into->begins[into->count] = (int64_t)into->size;
    into->links[into->count] = link;
    into->starts[into->count++] = t - at->source;
    for (;;) {
        const byte *stop = t;
        for (; stop < at->end && *stop != '"' && *stop != '\\'; ++stop)
            if (*stop < ' ' && (into->is_strict || (*stop == '\n' && into->is_lines))) return NULL;
        if (stop == at->end || !put(at, t, (size_t)(stop - t))) return NULL;
        t = stop + 1;
        if (*stop == '"') return t;
        if ((t = escape(at, t)) == NULL) return NULL;
    }
}

static const byte *digits(const byte *t, const byte *end)
{
    while (t < end && is_digit(*t)) ++t;
    return t;
}

/* Take a number; `is_byte` gets whether it is one from 0 to 255. */
static const byte *number(const reading *at, const byte *t, int *is_byte)
{
    const byte *end = at->end;
    int is_negative = t < end && *t == '-';
    t += is_negative;
    const byte *first = t;
    t = digits(t, end);
    size_t size = (size_t)(t - first);
    if (size == 0 || (*first == '0' && size > 1) || size > JSON_DIGITS) return NULL;
    unsigned value = 0;
    for (size_t i = 0; i < size && i < 4; ++i) value = value * 10 + (unsigned)(first[i] - '0');
    *is_byte = size < 4 && value < 256 && (!is_negative || value == 0);
    if (t < end && *t == '.') {
        const byte *fraction = digits(t + 1, end);
        if (fraction == t + 1) return NULL;
        t = fraction;
        *is_byte = 0;
    }
    if (t < end && (*t == 'e' || *t == 'E')) {
        ++t;
        if (t < end && (*t == '+' || *t == '-')) ++t;
        const byte *power = digits(t, end);
        if (power == t) return NULL;
        t = power;
        *is_byte = 0;
    }
    return t;
}

static const byte *word(const reading *at, const byte *t, const char *text)
{
    return starts(t, at->end, text) ? t + strlen(text) : NULL;
}

/* Take a value that is neither an object nor a list. */
static const byte *scalar(reading *at, const byte *t, json_link link, int *is_byte)
{
    *is_byte = 0;
    switch (*t) {
    case '"': return string(at, t + 1, link);
    case 't': return word(at, t, "true");
    case 'f': return word(at, t, "false");
    case 'n': return word(at, t, "null");
    case 'N': return word(at, t, "NaN");
    case 'I': return word(at, t, "Infinity");
    default: break;
    }
    const byte *infinite = *t == '-' ? word(at, t, "-Infinity") : NULL;
    return infinite != NULL ? infinite : number(at, t, is_byte);
}

/* An object or a list that is open. */
typedef struct {
    int32_t id;  /* its index among the containers */
    int32_t key; /* of the next value in it */
    byte closer;
    byte is_bytes; /* whether it is a list of numbers from 0 to 255 so far */
    byte is_empty;
} container;

/* Take one value; returns what follows it, or NULL if it is left. */
static const byte *value(reading *at, const byte *t)
{
    json_strings *into = at->into;
    container open[JSON_DEPTH];
    unsigned depth = 0;
    for (;;) {
        json_link link = {-1, 0};
        container *in = depth ? &open[depth - 1] : NULL;
        t = skip(at, t);
        if (t == at->end) return NULL;
        if (in != NULL && in->closer == '}') { /* a member */
            in->key = (int32_t)into->count;
            if (*t != '"' || (t = string(at, t + 1, (json_link){in->id, in->key})) == NULL) return NULL;
            t = skip(at, t);
            if (t == at->end || *t != ':') return NULL;
            t = skip(at, t + 1);
            if (t == at->end) return NULL;
        }
        if (in != NULL) {
            in->is_empty = 0;
            link = (json_link){in->id, in->key};
            if (in->closer == ']') --in->key;
        }
        if (*t == '{' || *t == '[') {
            if (in != NULL) in->is_bytes = 0;
            if (depth == JSON_DEPTH) return NULL;
            if (!GROW(into->containers, into->containers_room, into->container_count + 1)) return fail(at), NULL;
            into->containers[into->container_count] = link;
            open[depth++] = (container){(int32_t)into->container_count++, -1, *t == '{' ? '}' : ']', *t == '[', 1};
            t = skip(at, t + 1);
            if (t == at->end) return NULL;
            if (*t != open[depth - 1].closer) continue;
        } else {
            int is_byte;
            if ((t = scalar(at, t, link, &is_byte)) == NULL) return NULL;
            if (in != NULL && !is_byte) in->is_bytes = 0;
        }
        for (;;) { /* behind a value, or at the end of an empty container */
            if (depth == 0) return t;
            in = &open[depth - 1];
            t = skip(at, t);
            if (t == at->end) return NULL;
            if (*t == ',' && !in->is_empty) {
                ++t;
                break;
            }
            if (*t != in->closer || (in->is_bytes && !in->is_empty && at->into->leaves_bytes)) return NULL;
            ++t;
            --depth;
        }
    }
}

json_result json_read(json_strings *into, const byte *source, size_t size, size_t *stop)
{
    reading at = {into, source, source + size, 0};
    const byte *t = source;
    json_result result = JSON_DONE;
    while (t < at.end) {
        const byte *first = t;
        size_t before = into->size, count = into->count, container_count = into->container_count;
        t = skip_around(&at, t);
        if (t == at.end) break;
        if (!(into->is_lines && *t == '\n')) {
            t = value(&at, t);
            if (t != NULL && into->is_lines) {
                t = skip_around(&at, t);
                if (t < at.end && *t != '\n') t = NULL;
            }
            if (t == NULL) {
                if (at.no_memory) return JSON_NO_MEMORY;
                into->size = before;
                into->count = count;
                into->container_count = container_count;
                result = JSON_LEFT;
                t = first;
                break;
            }
        }
        if (into->is_lines && t < at.end) ++t; /* the line feed */
    }
    if (into->count) into->begins[into->count] = (int64_t)(into->size + TEXT_SEPARATOR_SIZE);
    *stop = (size_t)(t - source);
    return result;
}

void json_free(json_strings *one)
{
    free(one->text);
    free(one->begins);
    free(one->starts);
    free(one->links);
    free(one->containers);
}

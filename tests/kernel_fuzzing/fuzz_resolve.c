/* Relative references: what the kernel resolves is what the pseudo-code of RFC 3986 5.2 gives, done by the letter. */
#include "fuzzing.h"
#include "resolve.h"

/* A reference by the expression of Appendix B; what is absent is NULL. */
typedef struct {
    const byte *authority, *path, *query, *fragment;
    size_t authority_size, path_size, query_size, fragment_size;
} parts;

static size_t until(const byte *t, size_t size, const char *stops)
{
    size_t i = 0;
    while (i < size && (t[i] == 0 || strchr(stops, t[i]) == NULL)) ++i;
    return i;
}

static parts split_parts(const byte *t, size_t size)
{
    parts made = {0};
    if (size >= 2 && t[0] == '/' && t[1] == '/') {
        made.authority = t + 2;
        made.authority_size = until(t + 2, size - 2, "/?#");
        t += 2 + made.authority_size;
        size -= 2 + made.authority_size;
    }
    made.path = t;
    made.path_size = until(t, size, "?#");
    t += made.path_size;
    size -= made.path_size;
    if (size && *t == '?') {
        made.query = t + 1;
        made.query_size = until(t + 1, size - 1, "#");
        t += 1 + made.query_size;
        size -= 1 + made.query_size;
    }
    if (size) {
        made.fragment = t + 1;
        made.fragment_size = size - 1;
    }
    return made;
}

static int begins_with(const bytes_kept *in, const char *with)
{
    return in->size >= strlen(with) && memcmp(in->at, with, strlen(with)) == 0;
}

/* Replace the first bytes. */
static void cut(bytes_kept *in, size_t size, const char *with)
{
    bytes_kept made = {0};
    keep_bytes(&made, with, strlen(with));
    keep_bytes(&made, in->at + size, in->size - size);
    forget_bytes(in);
    *in = made;
}

/* 5.2.4, step by step. */
static void remove_dots(bytes_kept *to, const byte *path, size_t size)
{
    bytes_kept in = {0}, out = {0};
    keep_bytes(&in, path, size);
    while (in.size) {
        int is_up = in.size == 3 && begins_with(&in, "/..");
        if (begins_with(&in, "../")) {
            cut(&in, 3, "");
        } else if (begins_with(&in, "./")) {
            cut(&in, 2, "");
        } else if (begins_with(&in, "/./")) {
            cut(&in, 3, "/");
        } else if (in.size == 2 && begins_with(&in, "/.")) {
            cut(&in, 2, "/");
        } else if (begins_with(&in, "/../") || is_up) {
            cut(&in, is_up ? 3 : 4, "/");
            while (out.size && out.at[--out.size] != '/') {}
        } else if ((in.size == 1 && begins_with(&in, ".")) || (in.size == 2 && begins_with(&in, ".."))) {
            in.size = 0;
        } else {
            size_t length = 1 + until(in.at + 1, in.size - 1, "/");
            keep_bytes(&out, in.at, length);
            cut(&in, length, "");
        }
    }
    if (out.size) keep_bytes(to, out.at, out.size);
    forget_bytes(&in);
    forget_bytes(&out);
}

/* 5.2.2, 5.2.3 and 5.3, for a base with an authority. */
static void naive_target(bytes_kept *to, const byte *base, size_t size, const byte *reference, size_t reference_size)
{
    size_t scheme = 1 + until(base, size, ":");
    parts of_base = split_parts(base + scheme, size - scheme), of = split_parts(reference, reference_size), *owner = &of;
    bytes_kept path = {0};
    int takes_query = 1;
    if (of.authority == NULL) {
        owner = &of_base;
        if (of.path_size == 0) {
            if (of_base.path_size) keep_bytes(&path, of_base.path, of_base.path_size);
            takes_query = of.query != NULL;
        } else if (of.path[0] == '/') {
            remove_dots(&path, of.path, of.path_size);
        } else {
            bytes_kept merged = {0};
            size_t directory = of_base.path_size;
            while (directory && of_base.path[directory - 1] != '/') --directory;
            if (of_base.path_size == 0)
                keep_bytes(&merged, "/", 1);
            else if (directory)
                keep_bytes(&merged, of_base.path, directory);
            keep_bytes(&merged, of.path, of.path_size);
            remove_dots(&path, merged.at, merged.size);
            forget_bytes(&merged);
        }
    } else if (of.path_size) {
        remove_dots(&path, of.path, of.path_size);
    }
    parts *asked = takes_query ? &of : &of_base;
    keep_bytes(to, base, scheme);
    keep_bytes(to, "//", 2);
    keep_bytes(to, owner->authority, owner->authority_size);
    if (path.size) keep_bytes(to, path.at, path.size);
    if (asked->query != NULL) {
        keep_bytes(to, "?", 1);
        if (asked->query_size) keep_bytes(to, asked->query, asked->query_size);
    }
    if (of.fragment != NULL) {
        keep_bytes(to, "#", 1);
        if (of.fragment_size) keep_bytes(to, of.fragment, of.fragment_size);
    }
    forget_bytes(&path);
}

void fuzz_resolve(const byte *data, size_t size)
{
    const byte *line = size ? memchr(data, '\n', size) : NULL;
    if (line == NULL) return;
    size_t base_size = (size_t)(line - data), reference_size = size - base_size - 1;
    byte *text = exact_copy(data, base_size), *reference = exact_copy(line + 1, reference_size);
    resolve_base base;
    if (resolve_split(&base, text, base_size)) {
        REQUIRE(base.scheme_end < base.authority_end && base.authority_end <= base.directory_end);
        REQUIRE(base.directory_end <= base.path_end && base.path_end <= base.size && base.size <= base_size);
        byte *target = malloc(resolve_room(&base, reference_size)); /* one byte more is an error that is seen */
        REQUIRE(target != NULL);
        size_t length = resolve_reference(&base, reference, reference_size, target);
        bytes_kept expected = {0};
        if (length) {
            REQUIRE(length <= resolve_room(&base, reference_size) && has_uri_characters(target, length));
            naive_target(&expected, text, base_size, reference, reference_size);
            REQUIRE(expected.size == length && memcmp(expected.at, target, length) == 0);
        }
        forget_bytes(&expected);
        free(target);
    }
    free(text);
    free(reference);
}

#include "names.h"

static uint32_t hash_of(const names *in, component name)
{
    return (uint32_t)digest_of(in->seed, name.text, name.size).low;
}

static uint32_t find_hashed(const names *in, component name, uint32_t hash)
{
    size_t at = hash;
    uint32_t index;
    while ((index = hash_index_next(&in->by_name, hash, &at)) != NO_ITEM)
        if (is_same_text(name_at(in, index), name)) break;
    return index;
}

uint32_t names_find(const names *in, component name) { return find_hashed(in, name, hash_of(in, name)); }

uint32_t names_add(names *in, component name, uint64_t count, uint64_t fresh)
{
    const uint32_t hash = hash_of(in, name), found = find_hashed(in, name, hash);
    if (found != NO_ITEM) {
        in->each[found].count += count;
        in->each[found].fresh += fresh;
        return found;
    }
    counted_name made = {0, count, fresh, (uint32_t)name.size, hash};
    if (name.size > UINT32_MAX || in->count >= NO_ITEM || !GROW(in->each, in->room, in->count + 1) ||
        !add_bytes(&in->texts, name.text, name.size, &made.text) ||
        !hash_index_add(&in->by_name, hash, (uint32_t)in->count))
        return NO_ITEM;
    in->each[in->count] = made;
    return (uint32_t)in->count++;
}

/* The offset of the public suffix of a name: of its longest end that is listed, or of its last label. */
static size_t suffix_start(const names *rules, component name)
{
    for (size_t before = 0, start = 0;;) {
        const component end = {name.text + start, name.size - start};
        const uint32_t found = names_find(rules, end);
        const uint64_t rule = found == NO_ITEM ? 0 : rules->each[found].count;
        const byte *dot = memchr(end.text, '.', end.size);
        const size_t next = dot == NULL ? 0 : (size_t)(dot - name.text) + 1;
        if (rule == SUFFIX_EXCEPTED) return next;
        if (rule == SUFFIX_BELOW) return before;
        if (rule == SUFFIX_LISTED || dot == NULL) return start;
        before = start;
        start = next;
    }
}

int domain_of_host(component *made, byte to[LONGEST_HOST], const names *rules, component host)
{
    *made = (component){NULL, 0};
    if (host.size == 0) return 1;
    if (host.size > LONGEST_HOST || host.text[0] == '.') return 0;
    size_t last = 0; /* the offset of the last label */
    for (size_t i = 0; i < host.size; ++i) {
        if (is_wide(host.text[i])) return 0;
        to[i] = lower(host.text[i]);
        if (to[i] != '.') continue;
        if (i + 1 == host.size || host.text[i + 1] == '.') return 0;
        last = i + 1;
    }
    if (!is_letter(to[last]) || to[host.size - 1] == ']') return 0;
    const size_t suffix = suffix_start(rules, (component){to, host.size});
    if (suffix == 0) return 1;
    size_t start = suffix - 1; /* its dot belongs to the suffix */
    while (start > 0 && to[start - 1] != '.') --start;
    *made = (component){to + start, host.size - start};
    return 1;
}

size_t names_size(const names *in)
{
    /* An index that grows has both its old slots and twice as many new ones. */
    return in->texts.size + in->count * sizeof *in->each + in->by_name.capacity * sizeof(uint64_t) * 3 / 2;
}

void names_free(names *in)
{
    free(in->each);
    free(in->texts.at);
    hash_index_free(&in->by_name);
    memset(in, 0, sizeof *in);
}

/* Counts of names, such as hosts: how often each came, and how many keys came with it first; in the order of first
 * appearance. */
#ifndef URISIEVE_NAMES_H
#define URISIEVE_NAMES_H
#include "buffer.h"
#include "components.h"
#include "digest.h"
#include "hash_index.h"

typedef struct {
    size_t text; /* its offset in `texts` */
    uint64_t count, fresh;
    uint32_t size, hash;
} counted_name;

typedef struct {
    uint64_t seed[2];
    counted_name *each;
    size_t count, room;
    byte_list texts;
    hash_index by_name;
} names;

/* Add appearances of a name; returns its index, or NO_ITEM if there is no memory. A new one has the index that `count`
 * was. */
uint32_t names_add(names *in, component name, uint64_t count, uint64_t fresh);

/* The index of a name; NO_ITEM if it did not come. */
uint32_t names_find(const names *in, component name);

static inline component name_at(const names *in, size_t index)
{
    return (component){in->texts.at + in->each[index].text, in->each[index].size};
}

/* What is listed of a name among the rules of the public suffix list (`urisieve.rules.registry`): the name, those right
 * below it, or that it is no suffix although it is right below one. */
enum { SUFFIX_LISTED = 1, SUFFIX_BELOW = 2, SUFFIX_EXCEPTED = 3 };

#define LONGEST_HOST 255u

/* The registrable domain of a host, written to `to`, by rules whose counts are such numbers; its text is NULL if there is
 * none. Returns 0 where Python has to decide: a host that may be an address, is not ASCII, or has an empty label. */
int domain_of_host(component *made, byte to[LONGEST_HOST], const names *rules, component host);

/* The bytes that the names take. */
size_t names_size(const names *in);

void names_free(names *in);

#endif

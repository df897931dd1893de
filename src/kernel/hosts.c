#include "hosts.h"
#include "buffer.h"
#include "digest.h"
#include "memo.h"

/* The number of a host, new for one that was not met; NO_ITEM if there is no memory. */
static uint32_t number_of(harvest *in, hash_index *known, component host)
{
    const byte *text = host.text == NULL ? (const byte *)"" : host.text;
    uint32_t hash = (uint32_t)digest_of(memo_seed, text, host.size).low, item;
    size_t at = hash;
    while ((item = hash_index_next(known, hash, &at)) != NO_ITEM)
        if (is_same_text(host, in->each_host[item])) return item;
    if (!GROW(in->each_host, in->host_room, in->host_count + 1)) return NO_ITEM;
    if (!hash_index_add(known, hash, (uint32_t)in->host_count)) return NO_ITEM;
    in->each_host[in->host_count] = host;
    return (uint32_t)in->host_count++;
}

int hosts_number(harvest *in)
{
    if (in->hosts != NULL) return 1;
    hash_index known = {0};
    uint32_t *hosts = malloc((in->count + 1) * sizeof *hosts);
    component before = {NULL, 0};
    int done = hosts != NULL;
    in->host_count = 0;
    for (size_t i = 0; done && i < in->count; ++i) {
        component host = host_in(in->forms.at + in->rows[i].uri, in->rows[i].uri_size);
        hosts[i] = i && is_same_text(host, before) ? hosts[i - 1] : number_of(in, &known, host);
        done = hosts[i] != NO_ITEM;
        before = host;
    }
    hash_index_free(&known);
    if (done) in->hosts = hosts;
    else free(hosts);
    return done;
}

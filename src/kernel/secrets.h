/* Whether an identifier contains a secret (`urisieve.rules.secret_check`).
 *
 * Names of parameters are decided here where name and value are plain; shapes, webhooks and all that is encoded are a
 * doubt, which Python decides. */
#ifndef URISIEVE_SECRETS_H
#define URISIEVE_SECRETS_H
#include "text.h"

/* What is known of a text: that it has no secret, has one, or may have one. */
typedef enum { NO_SECRET, HAS_SECRET, MAY_HAVE_SECRET } secret_result;

/* Fill the tables; called once, before the first text is looked at. */
void secrets_prepare(void);

/* Look at an identifier, as it is written or in its canonical form. */
secret_result find_secret(const byte *text, size_t size);

/* The same for what is behind an offset, which is not in a host; the text is neither a URN nor of the scheme `data`. */
secret_result secret_behind(const byte *text, size_t offset, size_t size);

/* The first two letters of hosts of webhooks, as bits. */
extern uint32_t hook_letters[32];
static inline int may_be_hook(const byte *host) { return hook_letters[host[0] & 31] >> (host[1] & 31) & 1; }

/* Whether a host is that of a webhook, or begins like one, which is a doubt, too. */
int is_listed_hook(const byte *host, size_t size);
static inline int is_hook(const byte *host, size_t size)
{
    return size > 1 && may_be_hook(host) && is_listed_hook(host, size);
}

#endif

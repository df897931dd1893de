#include "spoofing.h"
#include "components.h"

/* Whether a host is a name of ASCII whose last label is not a number, and which is not the computer itself. */
static int is_plain_name(component host)
{
    size_t last = host.size;
    while (last > 0 && host.text[last - 1] != '.') --last;
    size_t size = host.size - last;
    return size && host.text[0] != '[' && is_letter(host.text[last]) && !is_word(host.text + last, size, "localhost") &&
           memchr(host.text, '%', host.size) == NULL && !has_a_label(host);
}

/* Whether an authority and the first segment after it are plain ASCII. */
static int is_plain_start(const byte *t, size_t size)
{
    size_t slashes = 0, i = 0;
    for (; i < size && slashes < 2 && t[i] != '?' && t[i] != '#'; slashes += t[i++] == '/')
        if (is_wide(t[i]) || t[i] == '%') return 0;
    return !has_a_label((component){t, i});
}

int is_unsuspicious(const byte *form, size_t form_size, const byte *raw, size_t raw_size, spoof_check check,
                    const memo *hosts)
{
    component parts[COMPONENT_COUNT];
    split_components(parts, form, form_size);
    const byte *colon = memchr(raw, ':', raw_size), *end = raw + raw_size;
    if (parts[C_HOST].size == 0 || parts[C_USERINFO].size || colon == NULL || !starts(colon, end, "://")) return 0;
    if (!is_plain_start(colon + 3, (size_t)(end - colon) - 3)) return 0;
    return (check == CHECKED && is_plain_name(parts[C_HOST])) || memo_find(hosts, parts[C_HOST].text, parts[C_HOST].size);
}

int trust_host(memo *hosts, const byte *host, size_t size)
{
    memo_make_room(hosts);
    return memo_index(hosts, host, size) >= 0;
}

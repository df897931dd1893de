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

/* The longest host that is compared here; no name of the DNS is longer. */
#define LONGEST_NAME 253u

/* Whether a name of ASCII may resemble a protected one: the skeleton of what is from its start, or from what a name may
 * begin after, to the next dot is that of a label of one. */
static int may_resemble(const spoof_checks *in, component host)
{
    byte like[2 * LONGEST_NAME];
    size_t size = 0;
    if (in->labels.count == 0) return 0;
    if (host.size > LONGEST_NAME) return 1;
    for (size_t i = 0; i < host.size; ++i) {
        byte b = host.text[i];
        if (!is_alphanumeric(b) && b != '.' && b != '-' && b != '_') return 1;
        const char *look = in->looks[b];
        like[size++] = *look ? (byte)*look : b;
        if (*look && look[1]) like[size++] = (byte)look[1];
    }
    for (size_t start = 0; start < size; ++start) {
        const byte *dot = memchr(like + start, '.', size - start);
        if (memo_find(&in->labels, like + start, dot ? (size_t)(dot - like) - start : size - start) != NULL) return 1;
        while (start < size && like[start] != '.' && like[start] != '-' && like[start] != '_') ++start;
    }
    return 0;
}

int is_unsuspicious(const spoof_checks *in, const byte *form, size_t form_size, const byte *raw, size_t raw_size)
{
    component parts[COMPONENT_COUNT];
    split_components(parts, form, form_size);
    const byte *colon = memchr(raw, ':', raw_size), *end = raw + raw_size;
    if (parts[C_HOST].size == 0 || parts[C_USERINFO].size || colon == NULL || !starts(colon, end, "://")) return 0;
    if (!is_plain_start(colon + 3, (size_t)(end - colon) - 3)) return 0;
    component host = parts[C_HOST];
    return (is_plain_name(host) && !may_resemble(in, host)) || memo_find(&in->trusted, host.text, host.size);
}

int trust_host(spoof_checks *in, const byte *host, size_t size)
{
    memo_make_room(&in->trusted);
    return memo_index(&in->trusted, host, size) >= 0;
}

int protect_label(spoof_checks *in, const byte *label, size_t size) { return memo_index(&in->labels, label, size) >= 0; }

void add_look(spoof_checks *in, const byte *pair, size_t size)
{
    if (size > 1 && size <= 3 && !is_wide(pair[0])) memcpy(in->looks[pair[0]], pair + 1, size - 1);
}

#include "canonical.h"
#include "find.h"
#include "components.h"
#include "scheme.h"

/* Longer texts are left to the judge, and longer lists of parameters or recipients. */
#define MOST_BYTES 512u
#define MOST_PARAMETERS 32u

/* Write a text in lower case, but for the digits of its triplets, which are in upper case. */
static byte *put_lower(byte *to, const byte *t, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        if (t[i] == '%' && size - i >= 3) {
            to = put_bytes(to, t + i, 3);
            i += 2;
        } else {
            *to++ = lower(t[i]);
        }
    }
    return to;
}

/* Write a telephone number without visual separators (RFC 3966 5.1.1). */
static byte *put_number(byte *to, const byte *t, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if (t[i] == 0 || strchr("-.()", t[i]) == NULL) *to++ = t[i];
    return to;
}

/* Write a parameter as its rule has it, and let the item be what was written; returns its end. */
static byte *put_parameter(byte *to, item *one, const item_rule *by)
{
    const byte *value = one->text + one->name_size, *end = one->text + one->size;
    byte *start = to;
    to = put_lower(to, one->text, one->name_size);
    one->text = start;
    one->is_last = !is_one_of(start, one->name_size, by->first);
    if (value < end) {
        int keeps = !by->lowers || is_one_of(start, one->name_size, by->cased);
        *to++ = *value++;
        byte *made = to;
        to = (keeps ? put_bytes : put_lower)(made, value, (size_t)(end - value));
        if (is_one_of(start, one->name_size, by->numbers) &&
            ((to > made && *made == '+') || !is_word(start, one->name_size, "phone-context"))) {
            byte *number = put_number(made, made, (size_t)(to - made));
            if (number > made) to = number; /* an extension of separators alone stays one */
        }
    }
    one->size = (size_t)(to - start);
    return to;
}

/* Write a list as its rule has it; NULL if a name appears in it twice, which has a warning, or it is long. */
static byte *put_list(byte *to, const byte *t, size_t size, const item_rule *by)
{
    item items[MOST_ITEMS];
    byte few[MOST_BYTES], *made = few;
    size_t count = size > sizeof few ? 0 : split_items(items, t, size, by->delimiter);
    if (count == 0 || count > MOST_PARAMETERS) return NULL;
    for (size_t i = 0; i < count; ++i) {
        made = put_parameter(made, &items[i], by);
        for (size_t k = 0; k < i; ++k)
            if (items[k].name_size == items[i].name_size &&
                memcmp(items[k].text, items[i].text, items[i].name_size) == 0)
                return NULL;
    }
    if (by->is_sorted) sort_items(items, count, comes_before);
    return put_items(to, items, count, by->delimiter);
}

/* ---------------------------------------------------------------- telephony */

/* Write a telephone-subscriber (RFC 3966 3); NULL too for a number without a context, which has a warning. */
static byte *put_subscriber(byte *to, const byte *t, size_t size)
{
    const byte *semicolon = size ? memchr(t, ';', size) : NULL;
    size_t number = semicolon == NULL ? size : (size_t)(semicolon - t);
    if (number == 0) return NULL;
    byte lowered[MOST_BYTES], *start = to;
    to = put_number(to, lowered, (size_t)(put_lower(lowered, t, number) - lowered));
    if (semicolon != NULL) {
        *to++ = ';';
        to = put_list(to, semicolon + 1, size - number - 1, &ITEM_RULES[ITEMS_OF_TEL]);
        if (to == NULL) return NULL;
    }
    return *start == '+' || contains(start, (size_t)(to - start), ";phone-context=") ? to : NULL;
}

/* Recipients, a set, and fields that do not change (RFC 5724 2.4). */
static byte *put_sms(byte *to, const byte *t, size_t size, size_t path)
{
    item items[MOST_ITEMS];
    byte few[MOST_BYTES], *made = few;
    if (path < size && memchr(t + path, '&', size - path) != NULL) return NULL; /* a field may appear there twice */
    size_t count = split_items(items, t, path, ',');
    if (count == 0 || count > MOST_PARAMETERS) return NULL;
    for (size_t i = 0; i < count; ++i) {
        byte *start = made;
        if ((made = put_subscriber(start, items[i].text, items[i].size)) == NULL) return NULL;
        items[i] = (item){.text = start, .size = (size_t)(made - start), .name_size = (size_t)(made - start)};
    }
    sort_items(items, count, comes_before);
    return put_bytes(put_items(to, items, count, ','), t + path, size - path);
}

/* User, host, port, parameters and headers (RFC 3261 19.1.4). */
static byte *put_sip(byte *to, const byte *t, size_t size)
{
    const byte *end = t + size, *at = memchr(t, '@', size);
    if (at != NULL) {
        size_t user = (size_t)(at + 1 - t);
        if (memchr(t, ':', user) != NULL || memchr(at + 1, '@', (size_t)(end - at - 1)) != NULL) return NULL;
        to = put_bytes(to, t, user); /* it has no password, which has a warning */
        t += user;
    }
    const byte *stop = t;
    while (stop < end && *stop != ';' && *stop != '?') ++stop;
    const byte *host = t, *behind = stop; /* the host, without a port */
    while (behind > t && is_digit(behind[-1])) --behind;
    if (behind == t || behind == stop || *--behind != ':') behind = stop;
    while (host < behind && has(*host, REGCHAR)) ++host;
    if (host < behind || behind == t) return NULL; /* the "@" is after the host */
    to = put_lower(to, t, (size_t)(stop - t));
    const byte *mark = memchr(stop, '?', (size_t)(end - stop));
    if (mark == NULL) mark = end;
    if (stop < mark) {
        *to++ = ';';
        to = put_list(to, stop + 1, (size_t)(mark - stop - 1), &ITEM_RULES[ITEMS_OF_SIP]);
        if (to == NULL) return NULL;
    }
    if (mark == end) return to;
    *to++ = '?';
    return put_list(to, mark + 1, (size_t)(end - mark - 1), &ITEM_RULES[ITEMS_OF_HEADERS]);
}

/* ---------------------------------------------------------------- mail */

/* Addresses, whose domains are in lower case, and fields (RFC 6068 2); a field that contains addresses, too, is left to the
 * judge. */
static byte *put_mail(byte *to, const byte *t, size_t size, size_t path)
{
    int in_domain = 0;
    if (path == 0) return NULL;
    for (size_t i = 0; i < path; ++i) {
        if (in_domain && t[i] == '%') return NULL; /* there may be an A-label for it */
        in_domain = t[i] == '@' || (in_domain && t[i] != ',');
        *to++ = in_domain ? lower(t[i]) : t[i];
    }
    if (path == size) return to;
    *to++ = '?';
    for (size_t i = path + 1; i < size; ++i)
        if ((t[i - 1] == '?' || t[i - 1] == '&') && begins(t + i, size - i, "to")) return NULL;
    return put_list(to, t + path + 1, size - path - 1, &ITEM_RULES[ITEMS_OF_MAILTO]);
}

/* ---------------------------------------------------------------- namespaces */

static const namespace_entry *namespace_named(const byte *nid, size_t size)
{
    for (size_t low = 0, high = NAMESPACE_COUNT; low < high;) {
        size_t middle = (low + high) / 2, i = 0;
        const char *name = NAMESPACES[middle].nid;
        while (i < size && name[i] && lower(nid[i]) == (byte)name[i]) ++i;
        if (i == size && name[i] == 0) return &NAMESPACES[middle];
        if (i < size && lower(nid[i]) > (byte)name[i]) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* Whether the last digit is the check digit of those before it, as `urisieve.rules.forms` computes it, or there is none:
 * those of the names of Germany are left to the judge. */
static int has_check_digit(const byte *t, size_t size, int check)
{
    if (check == CHECK_NBN) return !begins(t, size, "de:") || begins(t, size, "de:101:");
    unsigned total = 0;
    int is_ean = size == 13;
    for (size_t i = 0; i < size; ++i) {
        unsigned value = t[i] == 'X' ? 10 : (unsigned)(t[i] - '0');
        total += value * (is_ean ? (i % 2 ? 3 : 1) : (unsigned)(size - i));
    }
    return total % (is_ean ? 10 : 11) == 0;
}

/* Write a URN that is valid by RFC 2141 and by RFC 8141, without warnings; nothing in it is decoded (RFC 2141 5). */
static byte *put_urn(byte *to, const byte *t, size_t size)
{
    const byte *colon = memchr(t, ':', size);
    const namespace_entry *row = colon == NULL ? NULL : namespace_named(t, (size_t)(colon - t));
    if (row == NULL || colon + 1 == t + size) return NULL;
    to = put_lower(to, t, (size_t)(colon + 1 - t));
    size -= (size_t)(colon + 1 - t);
    t = colon + 1;
    byte *start = to;
    for (size_t i = 0; i < size; ++i) {
        if (has(t[i], URNCHAR)) {
            *to++ = t[i];
            continue;
        }
        int high = t[i] == '%' && size - i >= 3 ? hex_value(t[i + 1]) : -1, low = high < 0 ? -1 : hex_value(t[i + 2]);
        if (low < 0) return NULL;
        byte octet = (byte)(high << 4 | low);
        if (octet == 0 || has(octet, URNCHAR)) return NULL; /* a needless triplet has a warning */
        *to++ = '%';
        to = put_octet(to, octet, UPPER_HEX);
        i += 2;
    }
    if (row->syntax != NO_SHAPE && !is_whole(row->syntax, t, size)) return NULL;
    int is_lower = row->form == NSS_LOWER;
    if (row->form == NSS_IETF)
        is_lower = !(begins(start, size, "params") && (size == 6 || start[6] == ':')); /* RFC 3553 */
    if (is_lower) {
        put_lower(start, start, size);
    } else if (row->form == NSS_LOWER_BEFORE) {
        const byte *stop = memchr(start, row->delimiter, size);
        if (stop != NULL) put_lower(start, start, (size_t)(stop - start));
    } else if (row->form == NSS_COMPACT) {
        to = start;
        for (size_t i = 0; i < size; ++i)
            if (t[i] != '-') *to++ = t[i] == 'x' ? 'X' : t[i];
    }
    return row->check == CHECK_NOTHING || has_check_digit(start, (size_t)(to - start), row->check) ? to : NULL;
}

/* ---------------------------------------------------------------- the whole */

/* Whether a text contains a triplet of a character that RFC 2396 2.3 calls unreserved, and RFC 3986 does not. */
static int holds_marks(const byte *t, size_t size)
{
    for (size_t i = 0; i + 2 < size; ++i)
        if (t[i] == '%' && t[i + 1] == '2' && strchr("1789A", t[i + 2]) != NULL) return 1;
    return 0;
}

/* Write what is compared of a scheme whose parameters are checked, too: that looks at the text before its triplets are
 * decoded, and so is left to the judge where this makes a difference. */
static byte *put_checked(byte *to, const byte *t, size_t size, unsigned form)
{
    const byte *mark = memchr(t, '?', size);
    size_t path = mark == NULL ? size : (size_t)(mark - t);
    if (form == OPAQUE_MAILTO) return put_mail(to, t, size, path);
    if (holds_marks(t, size)) return NULL;
    switch (form) {
    case OPAQUE_TEL: return path == size ? put_subscriber(to, t, size) : NULL;
    case OPAQUE_SMS: return put_sms(to, t, size, path);
    default: return put_sip(to, t, size);
    }
}

byte *plain_opaque(byte *out, const byte *text, size_t offset, size_t size, unsigned flags)
{
    if (offset == size) return NULL;
    if (text[offset] == '/' && ((size - offset > 1 && text[offset + 1] == '/') || may_hold_dots(text, offset, size)))
        return NULL;
    byte *end = canonical_rest(out, text, offset, size, flags & S_NO_FRAGMENT);
    return end == out ? NULL : end;
}

byte *opaque(byte *out, const byte *text, size_t offset, size_t size, int scheme, unsigned flags)
{
    const scheme_entry *row = &SCHEMES[scheme];
    if (row->form == OPAQUE_URN) return offset == size ? NULL : put_urn(out, text + offset, size - offset);
    byte *end = plain_opaque(out, text, offset, size, flags);
    if (end == NULL) return NULL;
    byte *hash = memchr(out, '#', (size_t)(end - out)), *stop = hash == NULL ? end : hash;
    size_t made = (size_t)(stop - out), rest = (size_t)(end - stop);
    size_t all = made + rest;
    if (memchr(out, '@', all) != NULL && contains(out, all, "//"))
        return NULL; /* the user of another identifier may have a password */
    if (row->syntax != NO_SHAPE && !is_whole(row->syntax, out, made)) return NULL;
    if (row->expected != NO_SHAPE && !is_whole(row->expected, out, made)) return NULL;
    switch (row->form) {
    case OPAQUE_PLAIN: return end;
    case OPAQUE_ARK: return *out == '/' || memchr(out, '-', made) != NULL ? NULL : end; /* the key is another text */
    case OPAQUE_PROVEN: return is_whole(row->proof, out, all) ? end : NULL;
    case OPAQUE_LOWER: {
        const byte *mark = memchr(out, '?', made);
        put_lower(out, out, mark == NULL ? made : (size_t)(mark - out));
        return end;
    }
    default: break;
    }
    byte few[MOST_BYTES];
    if (made > sizeof few || all != size - offset || (rest && memchr(stop, '@', rest) != NULL)) return NULL;
    for (size_t i = offset; i < size; ++i)
        if (is_wide(text[i])) return NULL;
    memcpy(few, out, made);
    byte *to = put_checked(out, few, made, row->form);
    if (to == NULL || rest == 0) return to;
    memmove(to, stop, rest);
    return to + rest;
}

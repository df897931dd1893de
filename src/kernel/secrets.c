#include "secrets.h"
#include "vector.h"

/* The characters of a run, and those between the words of a name. */
static byte in_run[256], is_mark[256];

/* The last three letters of names that count, as bits. */
static uint32_t endings[32][32];

/* By the first byte of runs that may be of a shape the second one, as bits; likewise the last two of what is before. */
static uint32_t begins_shape[256], ends_lead[256];

uint32_t hook_letters[32];

static void add_ending(const char *name)
{
    size_t size = strlen(name);
    endings[(byte)name[size - 3] & 31][(byte)name[size - 2] & 31] |= 1u << ((byte)name[size - 1] & 31);
}

void secrets_prepare(void)
{
    for (unsigned b = 0; b < 0x80; ++b) in_run[b] = is_alphanumeric((byte)b) || b == '-' || b == '_';
    for (const char *b = "_.+-"; *b; ++b) is_mark[(byte)*b] = 1;
    for (const char *const *name = SECRET_NAMES; *name; ++name) add_ending(*name);
    for (const char *const *name = SECRET_WORDS; *name; ++name) add_ending(*name);
    for (const char *const *host = SECRET_HOSTS; *host; ++host)
        hook_letters[(byte)(*host)[0] & 31] |= 1u << ((byte)(*host)[1] & 31);
    for (size_t i = 0; i < SECRET_START_COUNT; ++i) {
        const char *lead = SECRET_STARTS[i][0], *start = SECRET_STARTS[i][1];
        size_t size = strlen(lead);
        if (size == 0) {
            begins_shape[(byte)start[0]] |= 1u << ((byte)start[1] & 31);
            continue;
        }
        byte last = (byte)lead[size - 1];
        uint32_t before = size > 1 ? 1u << ((byte)lead[size - 2] & 31) : UINT32_MAX;
        ends_lead[last] |= before;
        if (is_letter(last)) ends_lead[last ^ 0x20] |= before;
    }
}

/* Whether a text ends with a word in lower case; its own case does not count. */
static int ends(const byte *start, const byte *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - start) >= size && begins(end - size, size, word);
}

/* Whether a shape may begin at a place in a run. */
static int may_begin_shape(const byte *text, const byte *run, const byte *end)
{
    if (end - run < SECRET_RUN) return 0;
    int has_lead = run - text > 1 && ends_lead[run[-1]] >> (run[-2] & 31) & 1;
    if (!has_lead && !(begins_shape[run[0]] >> (run[1] & 31) & 1)) return 0;
    for (size_t i = 0; i < SECRET_START_COUNT; ++i) {
        const char *lead = SECRET_STARTS[i][0];
        if (*lead ? has_lead && ends(text, run, lead) && starts(run, end, SECRET_STARTS[i][1])
                  : *run == (byte)*SECRET_STARTS[i][1] && starts(run, end, SECRET_STARTS[i][1]))
            return 1;
    }
    return 0;
}

/* Whether a long run may be of a shape, at its start or after the digits of what is encoded before it. */
static int may_be_shape(const byte *text, const byte *run, const byte *end)
{
    if (run == text || run[-1] != '%') return may_begin_shape(text, run, end);
    for (; end - run > SECRET_RUN; run += 2) {
        if (may_begin_shape(text, run + 2, end)) return 1;
        if (run[0] != '2' || run[1] != '5') return 0;
    }
    return 0;
}

/* Whether a run is in a text that is as long as one in each shape, and may be of one. Few of its bytes are looked at. */
static int may_hold_shape(const byte *text, size_t from, size_t size)
{
    for (size_t at = from + SECRET_RUN - 1; at < size;) {
        size_t run = at;
        while (run > from && at - run < SECRET_RUN && in_run[text[run]]) --run;
        if (!in_run[text[run]]) ++run;
        if (run > at || at - run < SECRET_RUN - 1) {
            at = run + SECRET_RUN - 1; /* no long one begins before it */
            continue;
        }
        while (at < size && in_run[text[at]]) ++at;
        if (may_be_shape(text, text + run, text + at)) return 1;
        at += SECRET_RUN;
    }
    return 0;
}

/* Whether the host of a webhook is there. */
static int begins_hook(const byte *t, const byte *end)
{
    if (end - t < 2 || !may_be_hook(t)) return 0;
    for (const char *const *host = SECRET_HOSTS; *host; ++host)
        if (lower(*t) == (byte)**host && begins(t, (size_t)(end - t), *host)) return 1;
    return 0;
}

/* Whether credentials of HTTP are there. */
static int begins_credentials(const byte *t, const byte *end)
{
    return t < end && (*t == 'B' || *t == 'b') &&
           (begins(t, (size_t)(end - t), "basic") || begins(t, (size_t)(end - t), "bearer"));
}

/* What a name means: nothing, something that may be secret, or a secret for sure. */
typedef enum { OTHER_NAME, MAY_MEAN, SURELY_MEANS } meaning;

#define MOST_COMPACT 64u

/* What the name before a sign means, and whether it begins after an encoded character. */
static meaning meaning_of(const byte *text, const byte *end, int *is_encoded)
{
    while (end > text) { /* "]", also encoded */
        if (end[-1] == ']') {
            --end;
        } else if (end - text > 2 && lower(end[-1]) == 'd' && end[-2] == '5') {
            const byte *at = end - 2;
            while (at - text > 2 && at[-1] == '5' && at[-2] == '2') at -= 2;
            if (at[-1] != '%') break;
            end = at - 1;
        } else {
            break;
        }
    }
    const byte *last = end;
    while (last > text && is_mark[last[-1]]) --last; /* the marks of a sure name do not count */
    if (last - text < 3) return OTHER_NAME;
    if (!(endings[last[-3] & 31][last[-2] & 31] >> (last[-1] & 31) & 1) && !is_mark[last[-2]] && !is_mark[last[-3]])
        return OTHER_NAME;
    byte compact[MOST_COMPACT], *to = compact + MOST_COMPACT;
    const byte *start = end;
    while (start > text && (is_alphanumeric(start[-1]) || is_mark[start[-1]])) --start;
    *is_encoded = start > text && start[-1] == '%';
    if (*is_encoded) {
        const byte *at = start;
        while (end - at > 3 && at[0] == '2' && at[1] == '5') at += 2;
        if (end - at >= 2 && hex_value(at[0]) >= 0 && hex_value(at[1]) >= 0) start = at + 2;
    }
    if (end - start > (ptrdiff_t)MOST_COMPACT) start = end - MOST_COMPACT;
    for (const byte *at = end; at > start && to > compact; --at)
        if (!is_mark[at[-1]]) *--to = lower(at[-1]);
    for (const char *const *name = SECRET_NAMES; *name; ++name)
        if (ends(to, compact + MOST_COMPACT, *name)) return SURELY_MEANS;
    const byte *word = end, *hump = end;
    while (word > start && !is_mark[word[-1]]) --word;
    while (hump > word && !is_upper(hump[-1])) --hump;
    while (hump > word && is_upper(hump[-1])) --hump;
    for (const char *const *name = SECRET_WORDS; *name; ++name)
        if (is_word(word, (size_t)(end - word), *name) || is_word(hump, (size_t)(end - hump), *name)) return MAY_MEAN;
    return OTHER_NAME;
}

/* Small letters, capitals, digits, and the other characters of a value that looks random; 0 for any other one. */
static int class_of(byte b)
{
    if (is_digit(b)) return 3;
    if (is_letter(b)) return is_upper(b) ? 2 : 1;
    return b && strchr("_-.~+/=:|", b) != NULL ? 4 : 0;
}

/* Whether a value without triplets looks random. */
static int looks_random(const byte *t, size_t size)
{
    size_t changes = 0, digits = 0;
    int before = 0;
    if (size < SECRET_LEAST_RANDOM) return 0;
    for (size_t i = 0; i < size; ++i) {
        int now = class_of(t[i]);
        if (now == 0 || (t[i] == '/' && i && t[i - 1] == '/')) return 0;
        changes += before && before < 4 && now < 4 && now != before && !(before == 2 && now == 1);
        digits += now == 3;
        before = now;
    }
    return digits >= SECRET_LEAST_DIGITS && changes >= SECRET_LEAST_CHANGES && changes * SECRET_MOST_BETWEEN >= size;
}

/* Whether a value with triplets holds what no value that looks random has. */
static int is_surely_prose(const byte *t, size_t size)
{
    for (size_t i = 0; i + 2 < size; ++i) {
        if (t[i] != '%' || hex_value(t[i + 1]) < 0 || hex_value(t[i + 2]) < 0) continue;
        byte octet = (byte)(hex_value(t[i + 1]) << 4 | hex_value(t[i + 2]));
        if (octet > ' ' && octet < 0x7F && octet != '%' && class_of(octet) == 0) return 1;
    }
    return 0;
}

/* Whether a value is of letters and digits, and one is a digit: it is no word and no placeholder. */
static int is_no_word(const byte *t, size_t size)
{
    int has_digit = 0;
    for (size_t i = 0; i < size; ++i) {
        if (!in_run[t[i]]) return 0;
        has_digit |= is_digit(t[i]);
    }
    return has_digit;
}

/* Look at the value of a parameter, by the meaning of its name. */
static secret_result value_of(const byte *text, const byte *value, const byte *end, meaning name, int is_encoded)
{
    size_t most = (size_t)(end - value) < SECRET_LONGEST ? (size_t)(end - value) : SECRET_LONGEST;
    size_t size = 0, plain = most;
    for (; size < most && value[size] != '&' && value[size] != '#'; ++size)
        if ((value[size] == '%' || value[size] == ';') && plain == most) plain = size;
    if (size < (name == SURELY_MEANS ? SECRET_LEAST_SURE : SECRET_LEAST_RANDOM)) return NO_SECRET;
    size_t before = (size_t)(value - text);
    if (memchr(text, '?', before) == NULL && memchr(text, '#', before) == NULL) { /* in the path */
        size_t whole = size;
        for (size = 0; size < whole && value[size] != '/' && value[size] != '?';) ++size;
    }
    if (plain < size) {
        int is_prose = name == MAY_MEAN && memchr(value, ';', size) == NULL && is_surely_prose(value, size);
        return is_prose ? NO_SECRET : MAY_HAVE_SECRET;
    }
    if (looks_random(value, size)) return is_encoded ? MAY_HAVE_SECRET : HAS_SECRET;
    if (name == MAY_MEAN || size < SECRET_LEAST_SURE) return NO_SECRET;
    return is_no_word(value, size) && !is_encoded ? HAS_SECRET : MAY_HAVE_SECRET;
}

/* Look at what is encoded: a sign after a name, or slashes before a host. */
static int may_be_encoded_secret(const byte *text, const byte *percent, const byte *end)
{
    const byte *at = percent + 1;
    while (end - at > 2 && at[0] == '2' && at[1] == '5') at += 2;
    if (end - at < 3) return 0;
    int is_encoded = 0;
    if (at[0] == '3' && lower(at[1]) == 'd')
        return meaning_of(text, percent, &is_encoded) != OTHER_NAME || begins_credentials(at + 2, end);
    return at[0] == '2' && lower(at[1]) == 'f' && begins_hook(at + 2, end);
}

/* What a text may contain: a sign of a parameter, of something encoded or of another link, and a long run. */
typedef struct {
    int has_sign, has_run;
} likely_parts;

/* The bytes of a run, and some others that are rare beside a sign. */
static vector run_bytes(vector v) { return in_any(bytes_from(v, '0'), equal_bytes(v, '-')); }
static vector sign_bytes(vector v)
{
    return in_any(equal_bytes(v, '='), in_any(equal_bytes(v, '%'), equal_bytes(v, ':')));
}

/* Whether as many bits of a number are set one after the other as a run has characters. */
static int has_long_run(uint64_t bits)
{
    for (unsigned done = 1; done * 2 <= SECRET_RUN; done *= 2) bits &= bits >> done;
    return (bits & bits >> (SECRET_RUN - 16)) != 0;
}

/* Look for what few identifiers have, in one pass from an address on; what is before it is read, too. */
static likely_parts likely(const byte *text, const byte *at, const byte *end)
{
    if (end - text < STEP) return (likely_parts){1, 0};
    vector signs = no_bytes();
    uint64_t runs = 0;
    unsigned count = 0; /* the bits of `runs` that are known */
    int has_run = 0;
    for (; end - at >= STEP; at += STEP) {
        vector v = load(at);
        signs = in_any(signs, sign_bytes(v));
        runs |= (uint64_t)bits_of(run_bytes(v)) << count;
        if ((count += STEP) <= 64 - STEP) continue;
        has_run |= has_long_run(runs);
        runs >>= count - SECRET_RUN;
        count = SECRET_RUN;
    }
    uint32_t last = 0;
    if (at < end) {
        vector v = load(end - STEP);
        last = bits_of(sign_bytes(v)) >> (STEP - (end - at));
        runs |= (uint64_t)(bits_of(run_bytes(v)) >> (STEP - (end - at))) << count;
    }
    return (likely_parts){last || has_match(signs), has_run | has_long_run(runs)};
}

/* Look at the parameters of a text. */
static secret_result of_parameters(const byte *text, const byte *from, const byte *end)
{
    secret_result found = NO_SECRET;
    for (const byte *sign = from; (sign = memchr(sign, '=', (size_t)(end - sign))) != NULL;) {
        int is_encoded = 0;
        meaning name = meaning_of(text, sign++, &is_encoded);
        if (begins_credentials(sign, end)) found = MAY_HAVE_SECRET;
        if (name == OTHER_NAME) continue;
        secret_result one = value_of(text, sign, end, name, is_encoded);
        if (one == HAS_SECRET) return one;
        if (one == MAY_HAVE_SECRET) found = one;
    }
    return found;
}

/* No parameter with a secret is shorter, as `?pwd=1234`. */
#define SHORTEST 8u

secret_result secret_behind(const byte *text, size_t offset, size_t size)
{
    const byte *at = text + offset, *end = text + size;
    if (size - offset < SHORTEST) return NO_SECRET;
    likely_parts parts = likely(text, at, end);
    if (parts.has_sign) {
        secret_result found = of_parameters(text, at, end);
        if (found != NO_SECRET) return found;
        for (const byte *sign = at; (sign = memchr(sign, ':', (size_t)(end - sign))) != NULL;)
            if (starts(++sign, end, "//") && begins_hook(sign + 2, end)) return MAY_HAVE_SECRET;
        for (const byte *sign = at; (sign = memchr(sign, '%', (size_t)(end - sign))) != NULL; ++sign)
            if (may_be_encoded_secret(text, sign, end)) return MAY_HAVE_SECRET;
    }
    return parts.has_run && may_hold_shape(text, offset, size) ? MAY_HAVE_SECRET : NO_SECRET;
}

int is_listed_hook(const byte *host, size_t size) { return begins_hook(host, host + size); }

secret_result find_secret(const byte *text, size_t size)
{
    const byte *end = text + size, *colon = size ? memchr(text, ':', size) : NULL;
    if (colon == NULL) return NO_SECRET;
    const byte *at = colon + 1;
    if (starts(at, end, "//")) {
        const byte *host = at += 2;
        if (begins_hook(host, end)) return MAY_HAVE_SECRET;
        while (at < end && !ends_authority(*at) && *at != '@') ++at;
        if (at < end && *at == '@') at = host;
    } else if (is_word(text, (size_t)(colon - text), "urn") || is_word(text, (size_t)(colon - text), "data")) {
        return NO_SECRET;
    }
    for (const byte *mark = at; (mark = memchr(mark, '%', (size_t)(end - mark))) != NULL; ++mark) {
        if (end - mark < 3 || hex_value(mark[1]) < 2 || hex_value(mark[1]) > 7 || hex_value(mark[2]) < 0) continue;
        byte octet = (byte)(hex_value(mark[1]) << 4 | hex_value(mark[2]));
        if (is_alphanumeric(octet) || strchr("-._~", octet) != NULL) return MAY_HAVE_SECRET; /* in no canonical form */
    }
    return secret_behind(text, (size_t)(at - text), size);
}

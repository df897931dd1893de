#include "merge.h"
#include "buffer.h"
#include "canonical.h"
#include "scheme.h"

/* Queries of more parts are left to the judge. */
#define MOST_PAIRS 64
#define ABOUT_QUERIES (MERGE_SESSION_IDS | MERGE_KEEP_PARAMS | MERGE_DROP_PARAMS | MERGE_DROP_TRACKING | \
                       MERGE_SORT_QUERY | MERGE_EMPTY_QUERY)

typedef struct {
    const byte *text;
    size_t size, name_size;
    int is_tracking; /* whether a row covers its name */
} pair;

/* The parts of a query between its `&`. */
typedef struct {
    pair items[MOST_PAIRS];
    size_t count;
    int is_absent;
} pairs;

/* The parts of a form (RFC 3986 3); what is absent is NULL. */
typedef struct {
    byte *user, *host, *port, *path, *fragment;
    size_t user_size, host_size, port_size, path_size, fragment_size;
} places;

static int is_one_of(const byte *t, size_t size, const char *const *words)
{
    byte first = size ? lower(*t) : 0;
    while (*words && !((byte)**words == first && is_word(t, size, *words))) ++words;
    return *words != NULL;
}

/* ---------------------------------------------------------------- the host */

/* The size of the first label and its dot, if what is left is the name of a host of its own; else 0. */
static size_t first_label(const byte *host, size_t size)
{
    const byte *dot = memchr(host, '.', size);
    if (dot == NULL) return 0;
    const byte *rest = dot + 1, *end = host + size;
    const byte *second = memchr(rest, '.', (size_t)(end - rest));
    if (second == NULL || is_ipv4(rest, (size_t)(end - rest))) return 0;
    int is_country = end - second == 3;
    return is_country && is_one_of(rest, (size_t)(second - rest), SECOND_LEVELS) ? 0 : (size_t)(rest - host);
}

/* Leave the numbers out of `www2.`, `www.www13.` and the like. */
static void without_numbers(places *in)
{
    size_t behind = 0, made = 0;
    int has_numbers = 0;
    for (;;) {
        size_t at = behind + 3;
        if (at > in->host_size || memcmp(in->host + behind, "www", 3) != 0) break;
        while (at < in->host_size && is_digit(in->host[at])) ++at;
        if (at == in->host_size || in->host[at] != '.') break;
        has_numbers |= at > behind + 3;
        behind = at + 1;
    }
    if (!has_numbers || !first_label(in->host + behind - 1, in->host_size - behind + 1)) return;
    for (size_t i = 0; i < in->host_size; ++i)
        if (i >= behind || !is_digit(in->host[i])) in->host[made++] = in->host[i];
    in->host_size = made;
}

static void strip_labels(places *in, const char *const *labels, int stops_at_www)
{
    for (;;) {
        const byte *dot = memchr(in->host, '.', in->host_size);
        if (dot == NULL || !is_one_of(in->host, (size_t)(dot - in->host), labels)) return;
        size_t label = first_label(in->host, in->host_size);
        if (!label) return;
        if (stops_at_www && in->host_size - label >= 3 && memcmp(in->host + label, "www", 3) == 0) return;
        in->host += label;
        in->host_size -= label;
    }
}

/* ---------------------------------------------------------------- the path */

static void lower_path(byte *path, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        if (path[i] == '%') i += 2;
        else path[i] = lower(path[i]);
    }
}

static size_t merged_slashes(byte *path, size_t size)
{
    size_t first = 1;
    while (first < size && !(path[first] == '/' && path[first - 1] == '/')) ++first;
    if (first >= size) return size;
    size_t made = 0;
    for (size_t i = 0; i < size;) {
        byte b = path[made++] = path[i++];
        if (b != '/') continue;
        int is_kept = made >= 2 && path[made - 2] == ':';
        for (; i < size && path[i] == '/'; ++i)
            if (is_kept) path[made++] = '/';
    }
    return made;
}

/* The offset behind the last slash of a path, if an index page stands there; else 0. */
static size_t before_index(const byte *path, size_t size)
{
    size_t at = size;
    while (at && path[at - 1] != '/') --at;
    if (at == size || (lower(path[at]) != 'i' && lower(path[at]) != 'd')) return 0;
    return at && is_one_of(path + at, size - at, INDEX_PAGES) ? at : 0;
}

static size_t without_slashes(const byte *path, size_t size)
{
    size_t end = size;
    while (end && path[end - 1] == '/') --end;
    if (end == size || size == 1) return size;
    if (end == 0) return 1;
    return path[end - 1] == ':' || before_index(path, end) ? size : end;
}

/* Whether a path may hold the identifier of a session: behind a semicolon, or in brackets. */
static int may_hold_session(const byte *path, size_t size)
{
    const byte *end = path + size;
    for (const byte *at = path; at < end && (at = memchr(at, '(', (size_t)(end - at))) != NULL; ++at)
        if (at > path && at[-1] == '/') return 1;
    for (const byte *at = path; at < end && (at = memchr(at, ';', (size_t)(end - at))) != NULL; ++at) {
        size_t left = (size_t)(end - at - 1);
        if (begins(at + 1, left, "jsessionid=") || begins(at + 1, left, "phpsessid=")) return 1;
    }
    return 0;
}

/* Apply the steps about the paths of the web; returns 0 if the judge has to decide. */
static int merge_path(places *in, uint32_t steps)
{
    byte *path = in->path;
    size_t size = in->path_size;
    if (steps & MERGE_LOWER_PATH) lower_path(path, size);
    if (steps & MERGE_ARK)
        for (byte *at = path; (at = memchr(at, ':', (size_t)(path + size - at))) != NULL; ++at)
            if (at - path >= 4 && begins(at - 4, 4, "/ark")) return 0;
    if ((steps & MERGE_SESSION_IDS) && may_hold_session(path, size)) return 0;
    if (steps & MERGE_MERGE_SLASHES) size = merged_slashes(path, size);
    if (steps & MERGE_INDEX_PAGE) {
        size_t at = before_index(path, size);
        if (at) size = at;
    }
    if (steps & MERGE_TRAILING_SLASH) size = without_slashes(path, size);
    in->path_size = size;
    return 1;
}

/* Whether a link may be one of a resolver of persistent identifiers, by its host, or by an ARK in the path. */
static int may_be_resolver(const places *in)
{
    if (is_one_of(in->host, in->host_size, RESOLVER_HOSTS)) return 1;
    for (size_t i = 0; i + 4 < in->path_size; ++i)
        if (begins(in->path + i, 4, "/ark") && (in->path[i + 4] == ':' || in->path[i + 4] == '%')) return 1;
    return 0;
}

/* ---------------------------------------------------------------- the query */

static int is_on(const byte *host, size_t size, const byte *of, size_t of_size)
{
    return of_size == 0 || (size >= of_size && memcmp(host + size - of_size, of, of_size) == 0 &&
                            (size == of_size || host[size - of_size - 1] == '.'));
}

int parameters_add(parameter_list *to, const byte *text, size_t size)
{
    const byte *at = memchr(text, '@', size);
    size_t name = at == NULL ? size : (size_t)(at - text), host = at == NULL ? 0 : size - name - 1;
    if (!GROW(to->items, to->room, to->count + 1)) return 0;
    parameter *one = &to->items[to->count];
    one->text = malloc(size + 1);
    if (one->text == NULL) return 0;
    one->is_prefix = name && text[name - 1] == '*';
    one->name_size = name - (size_t)one->is_prefix;
    one->host_size = host;
    put_bytes(put_bytes(one->text, text, one->name_size), text + size - host, host);
    ++to->count;
    return 1;
}

static void parameters_free(parameter_list *one)
{
    for (size_t i = 0; i < one->count; ++i) free(one->items[i].text);
    free(one->items);
}

void merge_free(merge_choice *one)
{
    parameters_free(&one->kept);
    parameters_free(&one->dropped);
}

/* Whether a list names a parameter on the links of a host; `names_any` gets whether it names any on that host. */
static int lists(const parameter_list *in, const pair *one, const places *of, int *names_any)
{
    int found = 0;
    for (size_t i = 0; i < in->count; ++i) {
        const parameter *row = &in->items[i];
        if (!is_on(of->host, of->host_size, row->text + row->name_size, row->host_size)) continue;
        *names_any = 1;
        found |= (row->is_prefix ? one->name_size >= row->name_size : one->name_size == row->name_size) &&
                 memcmp(one->text, row->text, row->name_size) == 0;
    }
    return found;
}

/* Keep some of the parts; a query of which nothing is left is none. */
static void keep_pairs(pairs *in, const byte *is_dropped)
{
    size_t count = 0, size = 0;
    for (size_t i = 0; i < in->count; ++i)
        if (!is_dropped[i]) {
            size += in->items[i].size + (count > 0);
            in->items[count++] = in->items[i];
        }
    if (count < in->count && size == 0) in->is_absent = 1;
    in->count = count;
}

/* Whether the value of a parameter looks drawn at random: 16 letters and digits or more that change often. */
static int is_random(const byte *t, size_t size)
{
    size_t i = 0, changes = 0;
    for (; i < size && is_alphanumeric(t[i]); ++i) changes += i > 0 && is_digit(t[i]) != is_digit(t[i - 1]);
    return i == size && size >= 16 && changes >= 4;
}

static int is_session(const pair *one)
{
    static const char ASP[] = "aspsessionid";
    if (is_one_of(one->text, one->name_size, SESSION_NAMES)) return 1;
    if (begins(one->text, one->name_size, ASP)) {
        size_t i = sizeof ASP - 1;
        while (i < one->name_size && is_letter(one->text[i])) ++i;
        return i == one->name_size;
    }
    size_t value = one->name_size + (one->size > one->name_size);
    return is_one_of(one->text, one->name_size, RANDOM_NAMES) && is_random(one->text + value, one->size - value);
}

static void drop_sessions(pairs *in)
{
    byte is_dropped[MOST_PAIRS] = {0}, is_cold_fusion[MOST_PAIRS] = {0};
    int has_id = 0, has_token = 0;
    for (size_t i = 0; i < in->count; ++i) {
        const pair *one = &in->items[i];
        int is_id = is_word(one->text, one->name_size, "cfid"), is_token = is_word(one->text, one->name_size, "cftoken");
        has_id |= is_id;
        has_token |= is_token;
        is_cold_fusion[i] = (byte)(is_id || is_token);
        is_dropped[i] = (byte)is_session(one);
    }
    for (size_t i = 0; has_id && has_token && i < in->count; ++i) is_dropped[i] |= is_cold_fusion[i];
    keep_pairs(in, is_dropped);
}

static void drop_listed(pairs *in, const parameter_list *named, const places *of, int keeps)
{
    byte is_dropped[MOST_PAIRS] = {0};
    int names_any = 0;
    for (size_t i = 0; i < in->count; ++i) {
        int is_named = lists(named, &in->items[i], of, &names_any);
        is_dropped[i] = (byte)(keeps ? names_any && !is_named : is_named);
    }
    keep_pairs(in, is_dropped);
}

/* Whether a row covers a parameter on the links of a host. */
static int tracks(const tracking_row *row, const pair *one, const places *of)
{
    if (row->is_prefix ? one->name_size < row->size : one->name_size != row->size) return 0;
    return begins(one->text, one->name_size, row->name) &&
           is_on(of->host, of->host_size, (const byte *)row->host, strlen(row->host));
}

/* The rows that may cover a parameter, by the first letter of its name: they are sorted. */
static const tracking_row *tracking_rows(const pair *one, const tracking_row **end)
{
    byte first = one->name_size ? lower(one->text[0]) : 0;
    *end = &TRACKING[TRACKING_FROM[first < 0x80 ? first + 1 : 0]];
    return &TRACKING[TRACKING_FROM[first < 0x80 ? first : 0]];
}

/* Whether a text holds a word in lower case, whose size is given; the case of the text does not count. */
static int holds(const byte *t, size_t size, const char *word, size_t length)
{
    for (size_t at = 0; at + length <= size; ++at) {
        size_t i = 0;
        while (i < length && lower(t[at + i]) == (byte)word[i]) ++i;
        if (i == length) return 1;
    }
    return 0;
}

/* Whether a row says that its parameters stay where the words between its commas stand: in a text, or behind "@" in the
 * host. */
static int stays_by(const tracking_row *row, const byte *t, size_t size, const places *of)
{
    for (const char *word = row->unless; *word;) {
        size_t length = strcspn(word, ",");
        if (*word == '@' && is_on(of->host, of->host_size, (const byte *)word + 1, length - 1)) return 1;
        if (holds(t, size, word, length)) return 1;
        word += length + (word[length] == ',');
    }
    return 0;
}

/* Whether it says so of the path, or of a parameter that does not track. What may track does not count: leaving it out
 * must not decide about anything else. */
static int stays_on(const tracking_row *row, const pairs *in, const places *of)
{
    int stays = stays_by(row, of->path, of->path_size, of);
    for (size_t i = 0; !stays && i < in->count; ++i)
        stays = !in->items[i].is_tracking && stays_by(row, in->items[i].text, in->items[i].size, of);
    return stays;
}

static void drop_tracking(pairs *in, const places *of)
{
    byte is_dropped[MOST_PAIRS] = {0};
    const tracking_row *end, *last = NULL; /* the row that was asked about the link */
    int last_stays = 0;
    for (size_t i = 0; i < in->count; ++i) {
        pair *one = &in->items[i];
        for (const tracking_row *row = tracking_rows(one, &end); row < end && !one->is_tracking; ++row)
            one->is_tracking = tracks(row, one, of);
    }
    for (size_t i = 0; i < in->count; ++i) {
        const pair *one = &in->items[i];
        if (!one->is_tracking) continue;
        for (const tracking_row *row = tracking_rows(one, &end); row < end && !is_dropped[i]; ++row) {
            if (!tracks(row, one, of) || stays_by(row, one->text, one->size, of)) continue;
            if (row != last) last = row, last_stays = stays_on(row, in, of);
            is_dropped[i] = (byte)!last_stays;
        }
    }
    keep_pairs(in, is_dropped);
}

/* Whether the name of a part comes before that of another one. */
static int comes_before(const pair *one, const pair *other)
{
    size_t shared = one->name_size < other->name_size ? one->name_size : other->name_size;
    int order = memcmp(one->text, other->text, shared);
    return order < 0 || (order == 0 && one->name_size < other->name_size);
}

static void sort_pairs(pairs *in)
{
    for (size_t i = 1; i < in->count; ++i) {
        pair one = in->items[i];
        size_t at = i;
        for (; at > 0 && comes_before(&one, &in->items[at - 1]); --at) in->items[at] = in->items[at - 1];
        in->items[at] = one;
    }
}

/* Split a query, and apply the steps about it; returns 0 if the judge has to decide. */
static int merge_query(pairs *in, const byte *query, size_t size, const merge_choice *with, const places *of)
{
    in->count = 0;
    in->is_absent = size == 0 && (with->steps & MERGE_EMPTY_QUERY);
    if (in->is_absent) return 1;
    for (const byte *end = query + size;; ++query) {
        const byte *stop = memchr(query, '&', (size_t)(end - query));
        if (stop == NULL) stop = end;
        if (in->count == MOST_PAIRS) return 0;
        const byte *sign = memchr(query, '=', (size_t)(stop - query));
        in->items[in->count++] =
            (pair){query, (size_t)(stop - query), (size_t)((sign == NULL ? stop : sign) - query), 0};
        query = stop;
        if (stop == end) break;
    }
    if (size == 0) return 1;
    if (with->steps & MERGE_SESSION_IDS) drop_sessions(in);
    if ((with->steps & MERGE_KEEP_PARAMS) && !in->is_absent) drop_listed(in, &with->kept, of, 1);
    if ((with->steps & MERGE_DROP_PARAMS) && !in->is_absent) drop_listed(in, &with->dropped, of, 0);
    if ((with->steps & MERGE_DROP_TRACKING) && !in->is_absent) drop_tracking(in, of);
    if (with->steps & MERGE_SORT_QUERY) sort_pairs(in);
    return 1;
}

/* ---------------------------------------------------------------- the whole */

/* Whether a fragment names a place in a page. */
static int is_anchor(const byte *t, size_t size)
{
    size_t at = 0;
    if (size && is_letter(*t))
        while (at < size && (is_alphanumeric(t[at]) || t[at] == '_' || t[at] == '.' || t[at] == '-' ||
                             (t[at] == ':' && !starts(t + at, t + size, ":~:"))))
            ++at;
    return at == size || starts(t + at, t + size, ":~:");
}

/* Split a form with an authority; `has_path` says that a path follows it. */
static void split_form(places *in, byte **query, size_t *query_size, byte *at, byte *end, int has_path)
{
    memset(in, 0, sizeof *in);
    in->host = at;
    if (has_path) at = memchr(at, '/', (size_t)(end - at));
    while (at < end && *at != '/' && *at != '?' && *at != '#') ++at;
    byte *sign = at == in->host ? NULL : memchr(in->host, '@', (size_t)(at - in->host));
    if (sign != NULL) {
        in->user = in->host;
        in->user_size = (size_t)(sign - in->user);
        in->host = sign + 1;
    }
    byte *colon = at == in->host ? NULL : memchr(in->host, ':', (size_t)(at - in->host));
    if (colon != NULL) in->port = colon + 1;
    in->port_size = in->port == NULL ? 0 : (size_t)(at - in->port);
    in->host_size = (size_t)((in->port == NULL ? at : in->port - 1) - in->host);
    byte *hash = at == end ? NULL : memchr(at, '#', (size_t)(end - at));
    if (hash != NULL) {
        in->fragment = hash + 1;
        in->fragment_size = (size_t)(end - hash - 1);
        end = hash;
    }
    byte *mark = at == end ? NULL : memchr(at, '?', (size_t)(end - at));
    *query = mark == NULL ? NULL : mark + 1;
    *query_size = mark == NULL ? 0 : (size_t)(end - mark - 1);
    in->path = at;
    in->path_size = (size_t)((mark == NULL ? end : mark) - at);
}

/* Leave out zeros before a port, and the port if it is the default one then. */
static void merge_port(places *in, int scheme)
{
    if (in->port == NULL || in->port_size == 0 || *in->port != '0') return;
    for (; in->port_size > 1 && *in->port == '0'; --in->port_size) ++in->port;
    const char *known = SCHEMES[scheme].port;
    if (strlen(known) == in->port_size && memcmp(known, in->port, in->port_size) == 0) in->port = NULL;
}

size_t merged_form(byte *out, byte *form, size_t size, const merge_choice *with, int scheme, unsigned flags)
{
    static const char *const WWW[] = {"www", NULL};
    uint32_t steps = with->steps;
    size_t name = strlen(SCHEMES[scheme].name);
    if (flags & S_OPAQUE) {
        if ((flags & S_URN) && (steps & MERGE_ISBN_13) && begins(form, size, "urn:isbn:")) return 0;
        const byte *hash = steps & MERGE_DROP_FRAGMENT ? memchr(form, '#', size) : NULL;
        if (hash != NULL) size = (size_t)(hash - form);
        memcpy(out, form, size);
        return size;
    }
    int is_web = scheme == HTTP_SCHEME || scheme == HTTPS_SCHEME;
    places in;
    pairs query;
    byte *text;
    size_t text_size;
    if (flags & S_FILE) return 0;
    split_form(&in, &text, &text_size, form + name + 3, form + size, (flags & S_ROOT) != 0);
    if ((!is_web && text != NULL) || *in.host == '[') return 0;
    if (in.user != NULL && ((steps & MERGE_HOST_ONLY) || ((steps & MERGE_DROP_USERINFO) && is_web))) {
        if (memchr(in.user, ':', in.user_size) != NULL) return 0; /* of the password there is a warning */
        in.user = NULL;
    }
    if (steps & MERGE_NUMERIC_PORT) merge_port(&in, scheme);
    if (steps & MERGE_HOST_ONLY) in.port = NULL;
    byte *to = put_bytes(out, form, name);
    int is_socket = name == 2 && memcmp(form, "ws", name) == 0;
    if ((steps & MERGE_HTTPS) && in.port == NULL && (scheme == HTTP_SCHEME || is_socket)) *to++ = 's';
    to = put_bytes(to, (const byte *)"://", 3);
    if ((steps & MERGE_WWW_NUMBERED) && is_web) without_numbers(&in);
    if (steps & MERGE_STRIP_WWW) strip_labels(&in, WWW, 0);
    if ((steps & MERGE_MOBILE_HOST) && is_web) strip_labels(&in, MOBILE_LABELS, 1);
    if (in.user != NULL) {
        to = put_bytes(to, in.user, in.user_size);
        *to++ = '@';
    }
    to = put_bytes(to, in.host, in.host_size);
    if (steps & MERGE_HOST_ONLY) {
        if ((flags & S_ROOT) || (steps & MERGE_ROOT_PATH)) *to++ = '/';
        return (size_t)(to - out);
    }
    if (in.port != NULL) {
        *to++ = ':';
        to = put_bytes(to, in.port, in.port_size);
    }
    if (is_web && !merge_path(&in, steps)) return 0;
    if (is_web && (steps & MERGE_RESOLVER_LINKS) && in.user == NULL && may_be_resolver(&in)) return 0;
    if (in.path_size == 0 && (steps & MERGE_ROOT_PATH)) *to++ = '/';
    to = put_bytes(to, in.path, in.path_size);
    if (text != NULL && (steps & ABOUT_QUERIES)) {
        if (!merge_query(&query, text, text_size, with, &in)) return 0;
        for (size_t i = 0; !query.is_absent && i < query.count; ++i) {
            *to++ = i ? '&' : '?';
            to = put_bytes(to, query.items[i].text, query.items[i].size);
        }
    } else if (text != NULL) {
        *to++ = '?';
        to = put_bytes(to, text, text_size);
    }
    int drops = (steps & MERGE_DROP_FRAGMENT) != 0;
    if (in.fragment != NULL && !drops && (steps & MERGE_DROP_ANCHOR) && is_web)
        drops = is_anchor(in.fragment, in.fragment_size);
    if (in.fragment != NULL && !drops) {
        *to++ = '#';
        to = put_bytes(to, in.fragment, in.fragment_size);
    }
    return (size_t)(to - out);
}

size_t merged_identifier(byte *out, byte *form, size_t size, const merge_choice *with)
{
    int scheme = scheme_of_form(form, size);
    return merged_form(out, form, size, with, scheme, SCHEMES[scheme].flags);
}

#include "merge.h"
#include "buffer.h"
#include "canonical.h"
#include "components.h"
#include "find.h"
#include "scheme.h"

#define ABOUT_QUERIES (MERGE_SESSION_IDS | MERGE_KEEP_PARAMS | MERGE_DROP_PARAMS | MERGE_DROP_TRACKING | \
                       MERGE_SORT_QUERY | MERGE_EMPTY_QUERY)

/* The parts of a query between its `&`. */
typedef struct {
    item items[MOST_ITEMS];
    size_t count;
    int is_absent;
} query_parts;

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
static void remove_numbers(component *host)
{
    byte *text = (byte *)host->text;
    size_t after = 0, made = 0; /* the offset after the labels that begin with `www` */
    int has_numbers = 0;
    for (;;) {
        size_t at = after + 3;
        if (at > host->size || memcmp(text + after, "www", 3) != 0) break;
        while (at < host->size && is_digit(text[at])) ++at;
        if (at == host->size || text[at] != '.') break;
        has_numbers |= at > after + 3;
        after = at + 1;
    }
    if (!has_numbers || !first_label(text + after - 1, host->size - after + 1)) return;
    for (size_t i = 0; i < host->size; ++i)
        if (i >= after || !is_digit(text[i])) text[made++] = text[i];
    host->size = made;
}

static void strip_labels(component *host, const char *const *labels, int stops_at_www)
{
    for (;;) {
        const byte *dot = memchr(host->text, '.', host->size);
        if (dot == NULL || !is_one_of(host->text, (size_t)(dot - host->text), labels)) return;
        size_t label = first_label(host->text, host->size);
        if (!label) return;
        if (stops_at_www && host->size - label >= 3 && memcmp(host->text + label, "www", 3) == 0) return;
        host->text += label;
        host->size -= label;
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

/* The offset after the last slash of a path, if an index page is there; else 0. */
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

/* Whether a path may contain the identifier of a session: after a semicolon, or in brackets. */
static int may_hold_session(const byte *path, size_t size)
{
    const byte *end = path + size;
    if (contains(path, size, "/(")) return 1;
    for (const byte *at = path; at < end && (at = memchr(at, ';', (size_t)(end - at))) != NULL; ++at) {
        size_t left = (size_t)(end - at - 1);
        if (begins(at + 1, left, "jsessionid=") || begins(at + 1, left, "phpsessid=")) return 1;
    }
    return 0;
}

/* Apply the steps about the paths of the web; returns 0 if the judge has to decide. */
static int merge_path(component *merged, uint32_t steps)
{
    byte *path = (byte *)merged->text;
    size_t size = merged->size;
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
    merged->size = size;
    return 1;
}

/* Whether a link may be one of a resolver of persistent identifiers, by its host, or by an ARK in the path. */
static int may_be_resolver(component host, component path)
{
    if (is_one_of(host.text, host.size, RESOLVER_HOSTS)) return 1;
    for (size_t i = 0; i + 4 < path.size; ++i)
        if (begins(path.text + i, 4, "/ark") && (path.text[i + 4] == ':' || path.text[i + 4] == '%')) return 1;
    return 0;
}

/* ---------------------------------------------------------------- the query */

/* Whether a host is a domain, or one of its subdomains; any host is one of an empty domain. */
static int is_of_domain(component host, const byte *domain, size_t size)
{
    return size == 0 || (host.size >= size && memcmp(host.text + host.size - size, domain, size) == 0 &&
                         (host.size == size || host.text[host.size - size - 1] == '.'));
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
static int lists(const parameter_list *in, const item *one, component host, int *names_any)
{
    int found = 0;
    for (size_t i = 0; i < in->count; ++i) {
        const parameter *row = &in->items[i];
        if (!is_of_domain(host, row->text + row->name_size, row->host_size)) continue;
        *names_any = 1;
        found |= (row->is_prefix ? one->name_size >= row->name_size : one->name_size == row->name_size) &&
                 memcmp(one->text, row->text, row->name_size) == 0;
    }
    return found;
}

/* Keep some of the parts; a query of which nothing is left is none. */
static void keep_pairs(query_parts *in, const byte *is_dropped)
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

static int is_session(const item *one)
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

static void drop_sessions(query_parts *in)
{
    byte is_dropped[MOST_ITEMS] = {0}, is_cold_fusion[MOST_ITEMS] = {0};
    int has_id = 0, has_token = 0;
    for (size_t i = 0; i < in->count; ++i) {
        const item *one = &in->items[i];
        int is_id = is_word(one->text, one->name_size, "cfid"), is_token = is_word(one->text, one->name_size, "cftoken");
        has_id |= is_id;
        has_token |= is_token;
        is_cold_fusion[i] = (byte)(is_id || is_token);
        is_dropped[i] = (byte)is_session(one);
    }
    for (size_t i = 0; has_id && has_token && i < in->count; ++i) is_dropped[i] |= is_cold_fusion[i];
    keep_pairs(in, is_dropped);
}

static void drop_listed(query_parts *in, const parameter_list *named, component host, int keeps)
{
    byte is_dropped[MOST_ITEMS] = {0};
    int names_any = 0;
    for (size_t i = 0; i < in->count; ++i) {
        int is_named = lists(named, &in->items[i], host, &names_any);
        is_dropped[i] = (byte)(keeps ? names_any && !is_named : is_named);
    }
    keep_pairs(in, is_dropped);
}

/* Whether a row covers a parameter on the links of a host. */
static int tracks(const tracking_row *row, const item *one, component host)
{
    if (row->is_prefix ? one->name_size < row->size : one->name_size != row->size) return 0;
    return begins(one->text, one->name_size, row->name) &&
           is_of_domain(host, (const byte *)row->host, strlen(row->host));
}

/* The rows that may cover a parameter, by the first letter of its name: they are sorted. */
static const tracking_row *tracking_rows(const item *one, const tracking_row **end)
{
    byte first = one->name_size ? lower(one->text[0]) : 0;
    *end = &TRACKING[TRACKING_FROM[first < 0x80 ? first + 1 : 0]];
    return &TRACKING[TRACKING_FROM[first < 0x80 ? first : 0]];
}

/* Whether a row says that its parameters stay where the words between its commas are: in a text, or after "@" in the
 * host. */
static int stays_by(const tracking_row *row, const byte *t, size_t size, component host)
{
    for (const char *word = row->unless; *word;) {
        size_t length = strcspn(word, ",");
        if (*word == '@' && is_of_domain(host, (const byte *)word + 1, length - 1)) return 1;
        if (length == 0 || contains_lower(t, size, word, length)) return 1;
        word += length + (word[length] == ',');
    }
    return 0;
}

/* Whether it says so of the path, or of a parameter that does not track. What may track does not count: leaving it out
 * must not decide about anything else. */
static int stays_on(const tracking_row *row, const query_parts *in, const component *parts)
{
    component host = parts[C_HOST];
    int stays = stays_by(row, parts[C_PATH].text, parts[C_PATH].size, host);
    for (size_t i = 0; !stays && i < in->count; ++i)
        stays = !in->items[i].is_tracking && stays_by(row, in->items[i].text, in->items[i].size, host);
    return stays;
}

static void drop_tracking(query_parts *in, const component *parts)
{
    byte is_dropped[MOST_ITEMS] = {0};
    const tracking_row *end, *last = NULL; /* the row that was asked about the link */
    int last_stays = 0;
    for (size_t i = 0; i < in->count; ++i) {
        item *one = &in->items[i];
        for (const tracking_row *row = tracking_rows(one, &end); row < end && !one->is_tracking; ++row)
            one->is_tracking = tracks(row, one, parts[C_HOST]);
    }
    for (size_t i = 0; i < in->count; ++i) {
        const item *one = &in->items[i];
        if (!one->is_tracking) continue;
        for (const tracking_row *row = tracking_rows(one, &end); row < end && !is_dropped[i]; ++row) {
            if (!tracks(row, one, parts[C_HOST]) || stays_by(row, one->text, one->size, parts[C_HOST])) continue;
            if (row != last) last = row, last_stays = stays_on(row, in, parts);
            is_dropped[i] = (byte)!last_stays;
        }
    }
    keep_pairs(in, is_dropped);
}

/* Split a query, and apply the steps about it; returns 0 if the judge has to decide. */
static int merge_query(query_parts *in, const component *parts, const merge_choice *choice)
{
    component query = parts[C_QUERY], host = parts[C_HOST];
    uint32_t steps = choice->steps;
    in->is_absent = query.size == 0 && (steps & MERGE_EMPTY_QUERY);
    in->count = split_items(in->items, query.text, query.size, '&');
    if (in->count == 0) return 0;
    if (query.size == 0) return 1;
    if (steps & MERGE_SESSION_IDS) drop_sessions(in);
    if ((steps & MERGE_KEEP_PARAMS) && !in->is_absent) drop_listed(in, &choice->kept, host, 1);
    if ((steps & MERGE_DROP_PARAMS) && !in->is_absent) drop_listed(in, &choice->dropped, host, 0);
    if ((steps & MERGE_DROP_TRACKING) && !in->is_absent) drop_tracking(in, parts);
    if (steps & MERGE_SORT_QUERY) sort_items(in->items, in->count, comes_before);
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

/* Leave out zeros before a port, and the port if it is the default one then. */
static void merge_port(component *port, int scheme)
{
    if (port->size == 0 || *port->text != '0') return;
    for (; port->size > 1 && *port->text == '0'; --port->size) ++port->text;
    const char *known = SCHEMES[scheme].port;
    if (strlen(known) == port->size && memcmp(known, port->text, port->size) == 0) port->text = NULL;
}

/* Write a component that is not absent, with its delimiter before it. */
static byte *put_component(byte *to, byte delimiter, component one)
{
    if (one.text == NULL) return to;
    *to++ = delimiter;
    return put_bytes(to, one.text, one.size);
}

size_t merged_form(byte *out, byte *form, size_t size, const merge_choice *choice, int scheme, unsigned flags)
{
    static const char *const WWW[] = {"www", NULL};
    uint32_t steps = choice->steps;
    size_t name = strlen(SCHEMES[scheme].name);
    if (flags & S_OPAQUE) {
        if ((flags & S_URN) && (steps & MERGE_ISBN_13) && begins(form, size, "urn:isbn:")) return 0;
        if ((steps & MERGE_RESOLVER_LINKS) && (begins(form, size, "info:") || begins(form, size, "doi:10.48550/"))) return 0;
        const byte *hash = steps & MERGE_DROP_FRAGMENT ? memchr(form, '#', size) : NULL;
        if (hash != NULL) size = (size_t)(hash - form);
        memcpy(out, form, size);
        return size;
    }
    int is_web = scheme == HTTP_SCHEME || scheme == HTTPS_SCHEME;
    component parts[COMPONENT_COUNT], *user = &parts[C_USERINFO], *host = &parts[C_HOST], *port = &parts[C_PORT];
    component *path = &parts[C_PATH], *fragment = &parts[C_FRAGMENT];
    if (flags & S_FILE) return 0;
    split_components(parts, form, size);
    if ((!is_web && parts[C_QUERY].text != NULL) || *host->text == '[') return 0;
    if (user->text != NULL && ((steps & MERGE_HOST_ONLY) || ((steps & MERGE_DROP_USERINFO) && is_web))) {
        if (memchr(user->text, ':', user->size) != NULL) return 0; /* of the password there is a warning */
        user->text = NULL;
    }
    if (steps & MERGE_NUMERIC_PORT) merge_port(port, scheme);
    if (steps & MERGE_HOST_ONLY) port->text = NULL;
    byte *to = put_bytes(out, form, name);
    int is_socket = name == 2 && memcmp(form, "ws", name) == 0;
    if ((steps & MERGE_HTTPS) && port->text == NULL && (scheme == HTTP_SCHEME || is_socket)) *to++ = 's';
    to = put_bytes(to, (const byte *)"://", 3);
    if ((steps & MERGE_WWW_NUMBERED) && is_web) remove_numbers(host);
    if (steps & MERGE_STRIP_WWW) strip_labels(host, WWW, 0);
    if ((steps & MERGE_MOBILE_HOST) && is_web) strip_labels(host, MOBILE_LABELS, 1);
    if (user->text != NULL) {
        to = put_bytes(to, user->text, user->size);
        *to++ = '@';
    }
    to = put_bytes(to, host->text, host->size);
    if (steps & MERGE_HOST_ONLY) {
        if ((flags & S_ROOT) || (steps & MERGE_ROOT_PATH)) *to++ = '/';
        return (size_t)(to - out);
    }
    to = put_component(to, ':', *port);
    if (is_web && !merge_path(path, steps)) return 0;
    if (is_web && (steps & MERGE_RESOLVER_LINKS) && user->text == NULL && may_be_resolver(*host, *path)) return 0;
    if (path->size == 0 && (steps & MERGE_ROOT_PATH)) *to++ = '/';
    to = put_bytes(to, path->text, path->size);
    if (parts[C_QUERY].text != NULL && (steps & ABOUT_QUERIES)) {
        query_parts query;
        if (!merge_query(&query, parts, choice)) return 0;
        if (!query.is_absent) {
            *to++ = '?';
            to = put_items(to, query.items, query.count, '&');
        }
    } else {
        to = put_component(to, '?', parts[C_QUERY]);
    }
    int drops = (steps & MERGE_DROP_FRAGMENT) ||
                ((steps & MERGE_DROP_ANCHOR) && is_web && is_anchor(fragment->text, fragment->size));
    if (!drops) to = put_component(to, '#', *fragment);
    return (size_t)(to - out);
}

size_t merged_identifier(byte *out, byte *form, size_t size, const merge_choice *choice)
{
    int scheme = scheme_of_form(form, size);
    return merged_form(out, form, size, choice, scheme, SCHEMES[scheme].flags);
}

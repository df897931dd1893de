/* Lines that are keys, sets of keys, and counts, beside counts by comparing each with each. */
#include "fuzzing.h"
#include "counts.h"
#include "names.h"
#include "hours.h"
#include "harvest.h"
#include "keyset.h"

typedef struct {
    const byte *at;
    size_t size;
    uint64_t count, first, last;
    uint32_t sources;
} naive_key;

static naive_key *find_naive(naive_key *keys, size_t count, const byte *t, size_t size)
{
    for (size_t i = 0; i < count; ++i)
        if (keys[i].size == size && memcmp(keys[i].at, t, size) == 0) return &keys[i];
    return NULL;
}

static int is_valid(const byte *data, size_t size)
{
    for (size_t i = 0, length; i < size; i += length)
        if ((length = character_size(data + i, size - i)) == 0) return 0;
    return 1;
}

/* Enter each key of some lines, the sources of which are taken from their numbers; every third comes spelled. */
/* A registrable domain is the end of its host, by whole labels; whatever the rules, of which these are some. */
static void check_domain(const names *rules, component host)
{
    byte text[LONGEST_HOST];
    component domain;
    if (!domain_of_host(&domain, text, rules, host) || domain.text == NULL) return;
    REQUIRE(domain.size > 0 && domain.size <= host.size);
    const byte *from = host.text + host.size - domain.size;
    for (size_t i = 0; i < domain.size; ++i) REQUIRE(domain.text[i] == lower(from[i]));
    REQUIRE(domain.size == host.size || from[-1] == '.');
    REQUIRE(memchr(domain.text, '.', domain.size) != NULL);
}

static void enter(const harvest *rows, unsigned sources)
{
    naive_key *keys = calloc(rows->count + 1, sizeof *keys);
    size_t known = 0;
    key_set set = {0};
    counts in = {.seed = {3, 5}};
    names named = {.seed = {7, 9}};
    const uint64_t seed[2] = {1, 2};
    for (size_t i = 0; i < rows->count; ++i) {
        const found_row *row = &rows->rows[i];
        const byte *key = rows->forms.at + row->key;
        size_t size = row->key_size - (i % 3 == 2 && row->key_size > 1); /* shorter ones are keys of others */
        uint32_t source = (uint32_t)(row->start % sources);
        naive_key *old = find_naive(keys, known, key, size);
        digest one = digest_of(seed, key, size);
        REQUIRE(key_set_holds(&set, one) == (old != NULL));
        REQUIRE(key_set_add(&set, one) == (old == NULL));
        appearance seen = {.key = key, .uri = key, .key_size = size, .uri_size = row->key_size,
                           .count = 1 + i % 2, .first = i, .last = i, .source = source};
        uint32_t number = counts_add(&in, &seen, counts_hash(&in, key, size));
        REQUIRE(number == (old == NULL ? known : (size_t)(old - keys)));
        REQUIRE(counts_spell(&in, number, key, row->key_size, old == NULL));
        if (old == NULL) {
            old = &keys[known++];
            *old = (naive_key){key, size, 0, i, i, 0};
        }
        old->count += 1 + i % 2;
        old->last = i;
        REQUIRE(names_add(&named, (component){key, size}, 1 + i % 2, i) == (uint32_t)(old - keys));
    }
    REQUIRE(set.count == known && in.count == known && named.count == known);
    for (size_t i = 0; i < known; ++i) {
        REQUIRE(names_find(&named, (component){keys[i].at, keys[i].size}) == i && named.each[i].count == keys[i].count);
        REQUIRE(is_same_text(name_at(&named, i), (component){keys[i].at, keys[i].size}));
        check_domain(&named, (component){keys[i].at, keys[i].size});
    }
    names_free(&named);
    byte *digests = malloc(known * sizeof(digest) + 1);
    key_set again = {0};
    key_set_digests(&set, digests);
    for (size_t i = 0; i < known; ++i) {
        digest one;
        memcpy(&one, digests + i * sizeof one, sizeof one);
        REQUIRE(key_set_holds(&set, one) && key_set_add(&again, one) == 1);
    }
    free(digests);
    key_set_free(&again);
    for (size_t i = 0; i < known; ++i) {
        const counted_key of = counts_key(&in, i);
        REQUIRE(of.key_size == keys[i].size && memcmp(in.texts.at + of.key, keys[i].at, of.key_size) == 0);
        REQUIRE(of.count == keys[i].count && of.first == keys[i].first && of.last == keys[i].last);
        uint64_t seen = 0; /* a bit for each source */
        for (size_t j = 0; j < rows->count; ++j) {
            size_t size = rows->rows[j].key_size - (j % 3 == 2 && rows->rows[j].key_size > 1);
            if (size == keys[i].size && memcmp(rows->forms.at + rows->rows[j].key, keys[i].at, size) == 0)
                seen |= (uint64_t)1 << rows->rows[j].start % sources;
        }
        REQUIRE(of.sources == (uint32_t)__builtin_popcountll(seen));
        size_t spellings = counts_spellings(&in, &of);
        REQUIRE(spellings >= 1 && spellings <= rows->count);
    }
    free(keys);
    key_set_free(&set);
    counts_free(&in);
}

/* What is made of a time, beside sizes that are counted. */
static void check_written(const line_time *of)
{
    byte *written = malloc(TIME_SIZE), *time = calloc(TIME_SIZE, 1);
    const size_t size = put_written(written, of);
    size_t blanks = 0;
    for (const byte *t = of->time; t < of->end; ++t) blanks += is_blank(*t) && (t == of->time || is_blank(t[-1]));
    REQUIRE(size + blanks == (size_t)(of->end - of->time));
    static const byte MINUTE[] = "2024-05-31T13:05", YEARLESS[] = "--05-31T13:05";
    const size_t made = put_time(time, MINUTE, 16, of);
    const int seconds = (of->second[0] - '0') * 10 + of->second[1] - '0';
    REQUIRE(put_time(time, YEARLESS, 13, of) == 0 && put_time(time, MINUTE, TIME_SIZE, of) == 0);
    REQUIRE(made == (seconds > 60 ? 0 : 17 + of->second_size + (of->zone_size != 0)));
    for (size_t i = 16; i < made; ++i) REQUIRE(is_digit(time[i]) || memchr(":.Z", time[i], 3) != NULL);
    free(written);
    free(time);
}

/* The time of a line is in it. */
static void check_time(const byte *line, size_t size)
{
    byte *exact = exact_copy(line, size);
    line_time made;
    if (find_line_time(&made, exact, exact + size)) {
        REQUIRE(made.time >= exact && made.time < made.end && made.end <= exact + size);
        REQUIRE(memchr(exact, '\n', (size_t)(made.end - exact)) == NULL);
        REQUIRE(made.minute_size <= sizeof made.minute && made.second_size <= sizeof made.second);
        REQUIRE(made.end - made.time <= TIME_SIZE && made.minute_size + made.zone_size <= TIME_SIZE);
        check_written(&made);
    }
    free(exact);
}

void fuzz_sets(const byte *data, size_t size)
{
    unsigned sources = size ? 1u + *data % 7 : 1u;
    if (size) ++data, --size;
    byte *exact = exact_copy(data, size);
    harvest rows;
    size_t count = 0;
    lines_result taken = harvest_lines(&rows, exact, size, 1, WANT_RAW, &count);
    REQUIRE(taken == (is_valid(exact, size) ? LINES_TAKEN : LINES_LEFT));
    if (taken == LINES_TAKEN) {
        size_t feeds = 0, row = 0;
        for (size_t i = 0, start = 0; i <= size; ++i) {
            if (i < size && exact[i] != '\n') continue;
            size_t end = i;
            while (end > start && exact[end - 1] == '\r') --end;
            if (end > start) {
                REQUIRE(row < rows.count);
                check_time(exact + start, size - start);
                const found_row *one = &rows.rows[row++];
                REQUIRE(one->key_size == end - start && one->start == 1 + feeds);
                REQUIRE(memcmp(rows.forms.at + one->key, exact + start, end - start) == 0);
            }
            feeds += i < size;
            start = i + 1;
        }
        REQUIRE(row == rows.count && count == feeds + (size && exact[size - 1] != '\n'));
        if (rows.count < 2000) enter(&rows, sources);
    }
    harvest_free(&rows);
    free(exact);
}

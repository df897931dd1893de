/* The entry of libFuzzer, and what its targets share. The variable URISIEVE_FUZZ names the target. */
#include "fuzzing.h"
#include "merge.h"
#include "bare.h"
#include "canonical.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void (*target)(const byte *, size_t);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct {
        const char *name;
        void (*run)(const byte *, size_t);
    } TARGETS[] = {
        {"search", fuzz_search}, {"forms", fuzz_forms}, {"html", fuzz_html},
        {"json", fuzz_json},     {"mail", fuzz_mail},   {"sets", fuzz_sets},
        {"resolve", fuzz_resolve}, {"xml", fuzz_xml},   {"merge", fuzz_merge},
    };
    (void)argc;
    (void)argv;
    const char *name = getenv("URISIEVE_FUZZ");
    for (size_t i = 0; name != NULL && i < sizeof TARGETS / sizeof *TARGETS; ++i)
        if (strcmp(name, TARGETS[i].name) == 0) target = TARGETS[i].run;
    if (target == NULL) {
        fprintf(stderr, "URISIEVE_FUZZ names no target\n");
        exit(2);
    }
    scheme_prepare();
    run_prepare();
    canonical_prepare();
    archive_prepare();
    memo_seed[0] = 7; /* findings are the same in each run */
    memo_seed[1] = 11;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target(data, size);
    return 0;
}

void keep_bytes(bytes_kept *to, const void *from, size_t size)
{
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size);
        to->at = realloc(to->at, to->room);
        REQUIRE(to->at != NULL);
    }
    if (size) memcpy(to->at + to->size, from, size);
    to->size += size;
}

void keep_number(bytes_kept *to, uint64_t number) { keep_bytes(to, &number, sizeof number); }

void forget_bytes(bytes_kept *one)
{
    free(one->at);
    memset(one, 0, sizeof *one);
}

int is_same(const bytes_kept *one, const bytes_kept *other)
{
    return one->size == other->size && (one->size == 0 || memcmp(one->at, other->at, one->size) == 0);
}

byte *exact_copy(const byte *from, size_t size)
{
    byte *made = malloc(size ? size : 1);
    REQUIRE(made != NULL);
    if (size) memcpy(made, from, size);
    return made;
}

uint32_t mixed(const byte *t, size_t size, uint32_t seed)
{
    uint32_t hash = 2166136261u ^ seed;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ t[i]) * 16777619u;
    return hash ^ hash >> 15;
}

size_t character_size(const byte *t, size_t size)
{
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    if (t[0] < 0x80) return 1;
    size_t length = t[0] >= 0xF8 ? 0 : t[0] >= 0xF0 ? 4 : t[0] >= 0xE0 ? 3 : t[0] >= 0xC0 ? 2 : 0;
    if (length == 0 || length > size) return 0;
    uint32_t point = t[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((t[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (t[i] & 0x3F);
    }
    return point < LEAST[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF) ? 0 : length;
}

static int is_surrogate(const byte *t, size_t size)
{
    return size >= 3 && t[0] == 0xED && t[1] >= 0xA0 && t[1] <= 0xBF && (t[2] & 0xC0) == 0x80;
}

void decode(decoded_text *to, const byte *data, size_t size, int is_text)
{
    memset(to, 0, sizeof *to);
    to->text = malloc(3 * size + 1);
    to->start = malloc((size + 1) * sizeof *to->start);
    to->source = malloc((size + 1) * sizeof *to->source);
    REQUIRE(to->text != NULL && to->start != NULL && to->source != NULL);
    for (size_t i = 0; i < size; ++to->characters) {
        to->start[to->characters] = to->size;
        to->source[to->characters] = i;
        size_t length = character_size(data + i, size - i);
        if (length == 0 && is_text && is_surrogate(data + i, size - i)) length = 3;
        if (length) {
            memcpy(to->text + to->size, data + i, length);
            to->size += length;
            i += length;
        } else {
            byte made[3] = {0xED, (byte)(0xB0 | data[i] >> 6), (byte)(0x80 | (data[i] & 0x3F))};
            memcpy(to->text + to->size, made, 3);
            to->size += 3;
            ++to->stray;
            ++i;
        }
    }
    to->start[to->characters] = to->size;
    to->source[to->characters] = size;
}

void forget_decoded(decoded_text *one)
{
    free(one->text);
    free(one->start);
    free(one->source);
}

int is_text(const byte *t, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t length = is_surrogate(t + i, size - i) ? 3 : character_size(t + i, size - i);
        if (length == 0) return 0;
        i += length;
    }
    return 1;
}

int has_uri_characters(const byte *t, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        if (t[i] == '%' && (size - i < 3 || hex_value(t[i + 1]) < 0 || hex_value(t[i + 2]) < 0)) return 0;
        if (t[i] <= ' ' || t[i] >= 0x7F || strchr("\"<>\\^`{|}", t[i]) != NULL) return 0;
    }
    return 1;
}

/* The flags of the schemes: the table's, and what some bytes say of them. */
static void choose_schemes(scheme_choice *to, byte policy, byte seed)
{
    static const char *const OTHERS[] = {"foo", "x-y", "shelf", "s", "a.b+c"};
    to->takes_unknown = policy & 1;
    to->takes_any_shape = policy >> 1 & 1;
    for (unsigned i = 0; i < SCHEME_COUNT; ++i) {
        to->flags[i] = (uint16_t)(SCHEMES[i].flags | (to->takes_unknown ? 0 : S_UNWANTED));
        uint32_t said = mixed(&seed, 1, i);
        if (to->takes_any_shape || (SCHEMES[i].flags & S_REGISTERED)) to->flags[i] &= (uint16_t)~S_UNWANTED;
        if ((policy & 4) && said % 5 == 0) to->flags[i] |= S_UNWANTED;
        if ((policy & 8) && said % 7 == 1) to->flags[i] |= S_RULED;
        if ((policy & 16) && said % 3 == 2) to->flags[i] |= S_REGISTERED;
    }
    to->others = (word_list){NULL, 0};
    for (size_t i = 0; policy & 32 && i < seed % 5 + 1u; ++i)
        REQUIRE(words_add(&to->others, (const byte *)OTHERS[i], strlen(OTHERS[i])));
}

void choose_search(search *in, const byte options[4])
{
    static const size_t LIMITS[] = {8192, 64, 100, 300};
    memset(in, 0, sizeof *in);
    in->choice.limit = LIMITS[options[0] & 3];
    in->proves = options[0] >> 3 & 1 ? WRITTEN_FORMS : options[1] >> 7 ? SYNTAX_FORMS : SCHEME_FORMS;
    in->maps_wide = !(options[0] >> 4 & 1);
    choose_schemes(&in->choice.schemes, options[1] ^ 1, options[2]);
    if (options[0] >> 6 == 3) { /* what is found besides schemes */
        static const char *const LEVELS[] = {"com", "org", "example"};
        for (size_t i = 0; i < 3; ++i)
            REQUIRE(search_add_top_level(in, (const byte *)LEVELS[i], strlen(LEVELS[i])));
        in->others.kinds = (unsigned)options[2] << 3 | (options[1] & 7u) | (options[1] & 0x38u) << 8;
        if (in->others.kinds & PIVOT_NAMES) in->others.kinds |= PIVOT_WWW;
        in->choice.ignores_shapes = options[1] >> 3 & 1;
        in->choice.leaves_urns = options[1] >> 4 & 1;
        in->choice.nests = options[1] >> 5 & 1;
        in->choice.repairs = options[1] >> 6 & 1;
        in->choice.refangs = (in->others.kinds & PIVOT_MARKS) != 0;
    }
    in->spoofing.checks = options[0] >> 5 & 1;
    if (in->spoofing.checks && options[0] >> 4 & 1) {
        REQUIRE(protect_label(&in->spoofing, (const byte *)"example", 7));
        add_look(&in->spoofing, (const byte *)"1l", 2);
    }
    search_prepare(in);
}

/* A form in place of the judge's: not one of the kernel, and the same for the same text. */
void judge_awaited(search *in, size_t *judged)
{
    static const char DIGITS[] = "0123456789ABCDEF";
    for (; *judged < in->judgements.count; ++*judged) {
        const judgement *one = &in->judgements.entries[*judged];
        const byte *raw = in->judgements.bytes.at + one->raw;
        uint32_t said = mixed(raw, one->raw_size, 3);
        bytes_kept uri = {0};
        keep_bytes(&uri, "~:", 2);
        for (size_t i = 0; i < one->raw_size; ++i) {
            keep_bytes(&uri, &DIGITS[raw[i] >> 4], 1);
            keep_bytes(&uri, &DIGITS[raw[i] & 15], 1);
        }
        size_t key = said & 4 ? uri.size : uri.size / 2;
        const statement made = {uri.at, uri.at, uri.size, key, said & 3 ? VALID : INVALID, said >> 3 & 1, said >> 4 & 1};
        int done = memo_judge(&in->judgements, *judged, &made);
        REQUIRE(done);
        forget_bytes(&uri);
    }
}

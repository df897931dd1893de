/* Plain messages of mailboxes: the same texts whatever the blocks, and in them what a search of each text finds. */
#include "fuzzing.h"
#include "mail_names.h"
#include "segments.h"
#include "utf8.h"

static int holds(const mail_value *value, const char *word)
{
    for (size_t i = 0; i < value->size; ++i)
        if (begins(value->at + i, value->size - i, word)) return 1;
    return 0;
}

static int judge(void *context, const mail_content *content, mail_table *table)
{
    static const byte NONE[] = "-";
    (void)context;
    const mail_value values[] = {content->type, content->encoding, content->disposition, content->head};
    uint32_t said = 1;
    for (int i = 0; i < 4; ++i)
        said = values[i].at == NULL ? mixed(NONE, 1, said) : mixed(values[i].at, values[i].size, said);
    for (int i = 0; i < 128; ++i) { /* ISO 8859-1, without C1 controls, and a character of three bytes */
        table->size[i] = i < 32 ? 0 : 2;
        table->text[i][0] = (byte)(0xC2 | i >> 6);
        table->text[i][1] = (byte)(0x80 | (i & 0x3F));
    }
    table->size[0] = 3;
    memcpy(table->text[0], "\xE2\x82\xAC", 3);
    if (said % 11 == 0) return 0;
    if (said % 13 == 0) return (int)(MAIL_SKIPPED | (said & 15) << MAIL_REASON_SHIFT);
    if (said % 17 == 0) return (int)MAIL_FILE;
    unsigned flags = MAIL_PLAIN | ((said & 16) ? MAIL_UTF8 : MAIL_TABLE);
    if (content->type.at != NULL && holds(&content->type, "html")) flags |= MAIL_HTML | ((said & 64) ? MAIL_META : 0);
    if (content->encoding.at == NULL) return (int)flags;
    if (holds(&content->encoding, "base64")) return (int)(flags | MAIL_BASE64);
    return (int)(flags | ((said & 128) ? MAIL_QP : 0));
}

static int skip(void *context, const mail_content *content, const byte *body, size_t size)
{
    (void)context;
    (void)content;
    uint32_t said = mixed(body, size, 5);
    return said % 7 == 0 ? -2 : (int)(said % MAIL_REASONS);
}

static int decode_words(void *context, mail_stretch *into, const byte *value, size_t size)
{
    (void)context;
    uint32_t said = mixed(value, size, 9);
    if (said % 7 == 0) return 0;
    bytes_kept text = {0};
    keep_bytes(&text, "\xC3\xA9 http://\xC3\xA9.example/", 20);
    for (size_t i = 0; i < size; ++i) keep_bytes(&text, is_wide(value[i]) ? (const byte *)"?" : value + i, 1);
    int done = mail_add_text(into, text.at, text.size);
    forget_bytes(&text);
    return done ? 1 : -1;
}

/* What the same mailbox must give, however it is cut. */
typedef struct {
    bytes_kept texts, messages;
    bytes_kept left; /* where messages are left to Python */
    mail_counts counts;
} mailbox_found;

static void add_counts(mail_counts *to, const mail_counts *from)
{
    to->parts += from->parts;
    to->pages += from->pages;
    to->same += from->same;
    to->relative += from->relative;
    for (size_t i = 0; i < MAIL_REASONS; ++i) to->skipped[i] += from->skipped[i];
}

static void keep_texts(mailbox_found *into, const mail_stretch *texts, size_t at)
{
    bytes_kept *to = &into->texts;
    size_t end = 0;
    for (size_t i = 0; i < texts->count; ++i) {
        const mail_text *one = &texts->texts[i];
        REQUIRE(one->start == end + TEXT_SEPARATOR_SIZE && one->start + one->size <= texts->size);
        REQUIRE(memcmp(texts->text + end, TEXT_SEPARATOR, TEXT_SEPARATOR_SIZE) == 0);
        REQUIRE(one->message <= texts->message_count);
        REQUIRE(one->label + one->label_size <= texts->labels_size);
        REQUIRE(is_text(texts->text + one->start, one->size));
        end = one->start + one->size;
        keep_number(to, at + one->offset);
        keep_number(to, one->is_ascii | one->is_decoded << 1 | one->is_legacy << 2 | one->is_link << 3 | (uint64_t)one->branch << 8);
        keep_bytes(to, texts->text + one->start, one->size);
        if (one->label_size) keep_bytes(to, texts->labels + one->label, one->label_size);
    }
    REQUIRE(end == texts->size);
    add_counts(&into->counts, &texts->counts);
    for (size_t i = 0; i < texts->message_count; ++i) {
        const mail_message *one = &texts->messages[i];
        REQUIRE(one->id + one->id_size <= texts->labels_size);
        keep_bytes(&into->messages, texts->labels + one->id, one->id_size);
        REQUIRE(one->first <= texts->count && one->start + one->size <= texts->taken + texts->left);
        keep_number(&into->messages, (uint64_t)one->has_parts);
    }
}

static harvest found_in(search *in, const byte *text, size_t size, int is_link, size_t *judged)
{
    harvest rows;
    search_restart(in);
    REQUIRE(search_append(in, text, size));
    if (is_link) {
        REQUIRE(search_whole(in, 0, size) == DELIMITED);
    } else {
        REQUIRE(search_run(in, 1) == SEARCHED); /* the texts of mail that the finder looks at are not counted */
    }
    judge_awaited(in, judged);
    REQUIRE(harvest_take(&rows, in, WANT_RAW | WANT_OFFSETS | WANT_LINES));
    search_advance(in, 1);
    return rows;
}

/* What is found in the texts of a stretch is what is found in each of them, and stands there. */
static void check_found(mail_stretch *texts, const byte options[4])
{
    search in, single;
    size_t judged = 0, judged_singly = 0;
    choose_search(&in, options);
    choose_search(&single, options);
    int64_t *begins = calloc(texts->count + 1, sizeof *begins), *left = calloc(texts->count + 1, sizeof *left);
    byte *kinds = calloc(texts->count + 1, 1);
    REQUIRE(begins != NULL && left != NULL && kinds != NULL);
    for (size_t i = 0, end = 0; i <= texts->count; ++i) {
        const mail_text *before = i ? &texts->texts[i - 1] : NULL;
        begins[i] = (before == NULL ? 0 : begins[i - 1] + (int64_t)characters(texts->text + end, before->size)) +
                    (int64_t)TEXT_SEPARATOR_SIZE;
        if (i == texts->count) break;
        end = texts->texts[i].start;
        kinds[i] = (byte)((texts->texts[i].is_link ? SEGMENT_LINK : 0) | (texts->texts[i].is_legacy ? SEGMENT_LEGACY : 0));
    }
    segment_list list = {(const char *)begins, kinds, texts->count};
    REQUIRE(search_append(&in, texts->text, texts->size));
    size_t left_count = search_segments(&in, &list, left), next = 0;
    REQUIRE(left_count <= texts->count);
    judge_awaited(&in, &judged);
    harvest all;
    REQUIRE(harvest_take(&all, &in, WANT_RAW | WANT_OFFSETS | WANT_LINES | WANT_BYTES));
    size_t row = 0, rejected = 0;
    for (size_t number = 0; number < texts->count; ++number) {
        const mail_text *one = &texts->texts[number];
        if (next < left_count && left[next] == (int64_t)number) {
            ++next;
            continue;
        }
        harvest rows = found_in(&single, texts->text + one->start, one->size, one->is_link, &judged_singly);
        uint64_t begin = (uint64_t)begins[number], lines = line_feeds(texts->text, one->start);
        for (size_t i = 0; i < rows.count + rows.rejected_count; ++i) {
            int is_rejected = i >= rows.count;
            const found_row *expected = is_rejected ? &rows.rejected[i - rows.count].at : &rows.rows[i];
            REQUIRE(is_rejected ? rejected < all.rejected_count : row < all.count);
            const found_row *found = is_rejected ? &all.rejected[rejected++].at : &all.rows[row++];
            REQUIRE(found->start == expected->start + begin && found->end == expected->end + begin);
            REQUIRE(is_rejected || (found->line == expected->line + lines && found->column == expected->column));
            REQUIRE(found->byte_start >= one->start && found->byte_end <= one->start + one->size);
            REQUIRE(found->raw_size == expected->raw_size && found->warnings == expected->warnings);
            REQUIRE(memcmp(all.raws.at + found->raw, rows.raws.at + expected->raw, found->raw_size) == 0);
        }
        harvest_free(&rows);
    }
    REQUIRE(next == left_count);
    free(begins);
    free(left);
    free(kinds);
    REQUIRE(row == all.count && rejected == all.rejected_count);
    harvest_free(&all);
    search_release(&in);
    search_release(&single);
}

/* The next envelope line behind a message that is left to Python, by the simplest rule. */
static size_t next_message(const byte *data, size_t size, size_t at)
{
    for (++at; at + 5 <= size; ++at)
        if (data[at - 1] == '\n' && memcmp(data + at, "From ", 5) == 0) return at;
    return size;
}

static void read_mailbox(mailbox_found *found, const byte *data, size_t size, size_t step, const byte options[4])
{
    mail_reader reader = {.opaque = {OPAQUE, sizeof OPAQUE / sizeof *OPAQUE}, .ids = {IDS, sizeof IDS / sizeof *IDS},
                          .judge = judge, .skip = skip, .decode = decode_words, .reads_parts = !(options[3] & 2),
                          .html = page_reader()};
    size_t searched = 0;
    for (size_t at = 0, known = size < step ? size : step; at < size;) {
        int final = known == size;
        byte *block = exact_copy(data + at, known - at);
        mail_stretch texts;
        mail_result result =
            mail_read(&reader, &texts, block, known - at, &searched, final, options[0] & 64 ? 40 : 1 << 20);
        REQUIRE(result == MAIL_TAKEN || result == MAIL_LEFT || (result == MAIL_MORE && !final));
        REQUIRE(texts.taken + texts.left <= known - at && (result != MAIL_TAKEN || texts.taken));
        keep_texts(found, &texts, at);
        if (step > size) check_found(&texts, options);
        at += texts.taken;
        if (result == MAIL_LEFT) {
            keep_number(&found->left, at);
            at = texts.left ? at + texts.left : next_message(data, size, at);
            if (known <= at) known = size - at < step ? size : at + step;
        } else if (result == MAIL_MORE) {
            known = size - known < step ? size : known + step;
        }
        searched = result == MAIL_MORE && searched > texts.taken ? searched - texts.taken : 0;
        mail_free(&texts);
        free(block);
    }
    free(reader.decoded);
    free(reader.wide);
}

static void release(mailbox_found *one)
{
    forget_bytes(&one->texts);
    forget_bytes(&one->messages);
    forget_bytes(&one->left);
}

void fuzz_mail(const byte *data, size_t size)
{
    static const char ENVELOPE[] = "From a@b.example Thu Jan  1 00:00:00 2026\n";
    byte options[4] = {0};
    for (size_t i = 0; i < 4 && size; ++i, ++data, --size) options[i] = *data;
    bytes_kept mailbox = {0};
    mailbox_found at_once = {0}, in_blocks = {0};
    if (options[3] & 1) keep_bytes(&mailbox, ENVELOPE, sizeof ENVELOPE - 1);
    keep_bytes(&mailbox, data, size);
    read_mailbox(&at_once, mailbox.at, mailbox.size, mailbox.size + 1, options);
    read_mailbox(&in_blocks, mailbox.at, mailbox.size, options[3] * 8u + 1u, options);
    /* A block may end where it takes more to be sure: then the message is left to Python, which is no difference. */
    if (is_same(&at_once.left, &in_blocks.left)) {
        REQUIRE(is_same(&at_once.texts, &in_blocks.texts));
        REQUIRE(is_same(&at_once.messages, &in_blocks.messages));
        REQUIRE(memcmp(&at_once.counts, &in_blocks.counts, sizeof at_once.counts) == 0);
    }
    forget_bytes(&mailbox);
    release(&at_once);
    release(&in_blocks);
}

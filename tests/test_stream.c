/* Bytes in any pieces to records and counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "stream.h"

#define KEPT 4096

/* What a stream made of some bytes. */
struct outcome {
    struct stream_totals totals;
    int count;
    struct record records[KEPT]; /* the first ones, without slices */
    char hosts[KEPT][NAME_BYTES];
};

static void keep(struct outcome *outcome, const struct record *record)
{
    assert_true(outcome->count < KEPT);
    struct record *kept = &outcome->records[outcome->count];
    char *host = outcome->hosts[outcome->count++];
    *kept = *record;
    host[0] = '\0';
    if (record->has & RECORD_HOST)
        str_copy(host, NAME_BYTES, record->host);
    kept->host = str_from(host);
    kept->has &= ~(uint32_t)RECORD_GROUP;
}

static void feed(struct stream *stream, struct outcome *outcome, const char *bytes, size_t size)
{
    struct record record;
    while (size > 0) {
        size_t room;
        char *space = stream_space(stream, size, &room);
        size_t piece = size < room ? size : room;
        memcpy(space, bytes, piece);
        stream_filled(stream, piece);
        bytes += piece;
        size -= piece;
        while (stream_next(stream, &record))
            keep(outcome, &record);
    }
}

static void finish(struct stream *stream, struct outcome *outcome)
{
    struct record record;
    stream_end(stream);
    while (stream_next(stream, &record))
        keep(outcome, &record);
    assert_false(stream_pending(stream));
}

/* In pieces of `piece` bytes, or, for 0, of random sizes. */
static struct outcome *run(const char *name, const char *bytes, size_t size, size_t piece)
{
    struct outcome *outcome = calloc(1, sizeof(*outcome));
    struct stream *stream = stream_new(name, &outcome->totals);
    struct lines random = {.state = size};
    for (size_t at = 0; at < size;) {
        size_t n = piece ? piece : 1 + lines_below(&random, lines_below(&random, 2) ? 20 : 3000);
        n = n < size - at ? n : size - at;
        feed(stream, outcome, bytes + at, n);
        at += n;
    }
    finish(stream, outcome);
    stream_free(stream);
    return outcome;
}

static struct outcome *run_text(const char *name, const char *text)
{
    return run(name, text, strlen(text), SIZE_MAX);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++)
        assert_true(lines_same_record(&a->records[i], &b->records[i]));
    assert_memory_equal(&a->totals.counts, &b->totals.counts, sizeof(a->totals.counts));
    assert_int_equal(a->totals.complaint_count, b->totals.complaint_count);
    for (int i = 0; i < a->totals.complaint_count; i++)
        assert_string_equal(a->totals.complaints[i], b->totals.complaints[i]);
}

static void pieces_make_no_difference(const char *bytes, size_t size)
{
    struct outcome *whole = run("rank3.log", bytes, size, SIZE_MAX);
    static const size_t pieces[] = {1, 2, 7, 4096, 0};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct outcome *cut = run("rank3.log", bytes, size, pieces[i]);
        assert_same(whole, cut);
        free(cut);
    }
    free(whole);
}

static void assert_counts(const struct outcome *outcome, int records, int other, int damaged)
{
    assert_int_equal(outcome->count, records);
    assert_int_equal(outcome->totals.counts.records, records);
    assert_int_equal(outcome->totals.counts.other, other);
    assert_int_equal(outcome->totals.counts.damaged, damaged);
}

/* Both are freed; by 1-byte reads too. */
static void expect(const char *text, size_t size, int records, int other, int damaged)
{
    struct outcome *outcome = run("trainer.log", text, size, SIZE_MAX);
    assert_counts(outcome, records, other, damaged);
    free(outcome);
    outcome = run("trainer.log", text, size, 1);
    assert_counts(outcome, records, other, damaged);
    free(outcome);
}

#define R(rank, step) "{\"rank\":" #rank ",\"step\":" #step ",\"forward\":0.25}"
#define EXPECT(text, records, other, damaged)                                                      \
    expect(text, sizeof(text) - 1, records, other, damaged)

static void every_line_end_ends_a_line(void **state)
{
    (void)state;
    EXPECT(R(1, 1) "\n" R(2, 1) "\n", 2, 0, 0);
    EXPECT(R(1, 1) "\r\n" R(2, 1) "\r\n" R(3, 1) "\r\n", 3, 0, 0);
    EXPECT(R(1, 1) "\r" R(2, 1) "\r" R(3, 1) "\r", 3, 0, 0);
    EXPECT("10%\r20%\r" R(1, 1) "\r\n30%\n\r\n\n" R(2, 1), 2, 3, 0);
    EXPECT("\xEF\xBB\xBF" R(1, 1) "\n" R(2, 1) "\n", 2, 0, 0);
    EXPECT(R(1, 1) "\n" R(2, 1), 2, 0, 0); /* no newline at the end */
    EXPECT("", 0, 0, 0);
    EXPECT("\n\r\n \t \n\r\r", 0, 0, 0);
}

static void a_carriage_return_at_the_end_does_not_keep_its_line(void **state)
{
    (void)state;
    struct outcome outcome = {.count = 0};
    struct stream *stream = stream_new("x", &outcome.totals);
    feed(stream, &outcome, R(1, 1) "\r", sizeof(R(1, 1)));
    assert_int_equal(outcome.count, 1);
    assert_false(stream_pending(stream));
    feed(stream, &outcome, "\nx\n", 3);
    assert_string_equal(outcome.totals.complaints[0], "x:2: not a record: x");
    stream_free(stream);
}

static void records_that_share_a_line_are_all_kept(void **state)
{
    (void)state;
    EXPECT(R(1, 1) R(2, 1) "\n", 2, 0, 0);
    EXPECT(R(1, 1) " " R(2, 1) "\t" R(3, 1) "\n", 3, 0, 0);
    EXPECT(R(1, 1) "\n{\"rank\":2,\"step\":1,\"forw" R(3, 1) "\n" R(4, 1) "\n", 3, 0, 1);
    EXPECT(R(1, 1) "\n{\"rank\":2,\"step\":1,\"forward\":0.2\n" R(3, 1) "\n", 2, 0, 1);
    EXPECT(R(1, 1) "]\n" R(2, 1) "\n", 2, 1, 0);
}

static void a_hole_of_nuls_costs_no_record(void **state)
{
    (void)state;
    EXPECT("\0\0\0\0" R(1, 1) "\n" R(2, 1) "\n", 2, 0, 0);
    EXPECT(R(1, 1) "\n\0\0\0" R(2, 1) "\0\0\n" R(3, 1) "\n", 3, 0, 0);
    EXPECT(R(1, 1) "\n{\"rank\":2,\"st\0\0\0\0" R(3, 1) "\n", 2, 0, 1);
    size_t hole = 3000000, line = sizeof(R(1, 1)) - 1;
    char *bytes = calloc(1, hole + 2 * line + 1);
    memcpy(bytes, "{\"rank\":1,\"st", 13);
    memcpy(bytes + hole, R(1, 1) "\n", line + 1);
    struct outcome *outcome = run("x", bytes, hole + line + 1, 65536);
    assert_counts(outcome, 1, 0, 1);
    assert_int_equal(outcome->totals.counts.nul_bytes, hole - 13);
    assert_int_equal(outcome->totals.counts.too_long, 0);
    free(outcome);
    free(bytes);
}

static void four_megabytes_without_a_newline_cost_one_line(void **state)
{
    (void)state;
    size_t size = 4 << 20, line = sizeof(R(1, 1)); /* its newline included */
    char *bytes = malloc(size + 2 * line);
    memcpy(bytes, R(1, 1) "\n", line);
    for (size_t i = 0; i < size; i++)
        bytes[line + i] = "{\"rank\":1,"[i % 10];
    memcpy(bytes + line + size - 1, "\n" R(2, 2) "\n", line + 1);
    static const size_t pieces[] = {SIZE_MAX, 4096, 100001};
    for (int i = 0; i < 3; i++) {
        struct outcome *outcome = run("x", bytes, size + 2 * line, pieces[i]);
        assert_counts(outcome, 2, 0, 1);
        assert_int_equal(outcome->totals.counts.too_long, 1);
        assert_int_equal(outcome->records[1].rank, 2);
        assert_string_equal(
            outcome->totals.complaints[0],
            "x:2: the line is longer than 65536 bytes, it was dropped: "
            "{\"rank\":1,{\"rank\":1,{\"rank\":1,{\"rank\":1,{\"rank\":1,{\"rank\":1");
        free(outcome);
    }
    free(bytes);
}

/* A line of a known layout too: its host may be of any length. */
static void the_longest_line_is_the_same_for_every_path(void **state)
{
    (void)state;
    static const char front[] = "{\"rank\":1,\"step\":1,\"forward\":0.25,\"host\":\"";
    for (int over = 0; over < 2; over++) {
        size_t longest = STREAM_LINE_MAX + (size_t)over, size = 0;
        char *bytes = malloc(2 * longest + 1000);
        for (int i = 0; i < 4; i++) {
            size_t length = i == 2 ? longest : sizeof(front) + 8;
            memset(bytes + size, 'h', length);
            memcpy(bytes + size, front, sizeof(front) - 1);
            memcpy(bytes + size + length - 2, "\"}\n", 3);
            size += length + 1;
        }
        for (size_t piece = 1000; piece <= 1000000; piece *= 10) {
            struct outcome *outcome = run("x", bytes, size, piece);
            assert_counts(outcome, 4 - over, 0, over);
            assert_int_equal(outcome->totals.counts.too_long, over);
            free(outcome);
        }
        free(bytes);
    }
}

static void invalid_utf8_and_escapes_pass_through(void **state)
{
    (void)state;
    struct outcome *outcome =
        run_text("x", "\xFF\xFE{\"rank\":1,\"step\":1,\"sync\":0.5,\"host\":\"\xC3(\xFF\"}\n"
                      "{\"rank\":2,\"step\":1,\"sync\":0.5,\"host\":\"\\u001b[2J\"}\n");
    assert_counts(outcome, 2, 0, 0);
    assert_string_equal(outcome->hosts[0], "\xC3(\xFF");
    assert_string_equal(outcome->hosts[1], "\x1b[2J");
    free(outcome);
}

#define NO_RANK "{\"step\":1,\"forward\":0.25}\n"

static void ranks_come_from_record_prefix_and_name(void **state)
{
    (void)state;
    struct outcome *outcome =
        run_text("logs/rank7.jsonl",
                 "[rank5]: " NO_RANK NO_RANK NO_RANK NO_RANK R(1, 1) "\n[default3]: " NO_RANK);
    assert_counts(outcome, 6, 0, 0);
    static const uint32_t ranks[] = {5, 7, 7, 7, 1, 7};
    for (int i = 0; i < 6; i++)
        assert_int_equal(outcome->records[i].rank, ranks[i]);
    free(outcome);
    EXPECT("[default3]: " NO_RANK NO_RANK NO_RANK NO_RANK "3: " NO_RANK, 1, 0, 4);
}

static void complaints_name_the_line(void **state)
{
    (void)state;
    struct outcome *outcome =
        run_text("a.log", R(1, 1) "\n" R(1, 2) "\n" R(1, 3) "\n" R(
                              1, 4) "\r\nhello\n\n"
                                    "{\"rank\":1,\"step\":5,\"forward\":-1}\n" NO_RANK);
    assert_int_equal(outcome->totals.complaint_count, 3);
    assert_string_equal(outcome->totals.complaints[0], "a.log:5: not a record: hello");
    assert_string_equal(outcome->totals.complaints[1],
                        "a.log:7: forward is out of range (0 to 1000000 seconds): "
                        "{\"rank\":1,\"step\":5,\"forward\":-1}");
    assert_memory_equal(outcome->totals.complaints[2], "a.log:8: no rank:", 17);
    free(outcome);
}

static void complaints_are_bounded(void **state)
{
    (void)state;
    size_t size = 0;
    char *bytes = malloc(200000);
    for (int i = 0; i < 1000; i++)
        size +=
            (size_t)sprintf(bytes + size, "text %d\n{\"rank\":%d,\"step\":-1,\"sync\":1}\n", i, i);
    struct outcome *outcome = run("x", bytes, size, SIZE_MAX);
    assert_counts(outcome, 0, 1000, 1000);
    assert_int_equal(outcome->totals.complaint_count, COMPLAINTS_MAX);
    assert_int_equal(outcome->totals.other_kept, 5);
    free(outcome);
    free(bytes);
}

static void after_a_reset_nothing_of_before_is_left(void **state)
{
    (void)state;
    struct outcome outcome = {.count = 0};
    struct stream *stream = stream_new("x", &outcome.totals);
    feed(stream, &outcome, "{\"rank\":1,\"st", 13);
    assert_true(stream_pending(stream));
    stream_reset(stream);
    assert_false(stream_pending(stream));
    feed(stream, &outcome, R(2, 1) "\nx\n", sizeof(R(2, 1)) + 2);
    assert_counts(&outcome, 1, 1, 1);
    assert_string_equal(outcome.totals.complaints[0],
                        "x:1: the file was cut while this line was being written: "
                        "{\"rank\":1,\"st");
    assert_string_equal(outcome.totals.complaints[1], "x:2: not a record: x");
    stream_reset(stream); /* nothing waits: no complaint */
    assert_int_equal(outcome.totals.counts.damaged, 1);
    stream_free(stream);
}

static void a_stream_goes_on_after_its_end(void **state)
{
    (void)state;
    struct outcome outcome = {.count = 0};
    struct stream *stream = stream_new("x", &outcome.totals);
    feed(stream, &outcome, R(1, 1), sizeof(R(1, 1)) - 1);
    assert_int_equal(outcome.count, 0);
    finish(stream, &outcome);
    assert_int_equal(outcome.count, 1);
    feed(stream, &outcome, "x\n" R(1, 2) "\n", sizeof(R(1, 2)) + 2);
    assert_counts(&outcome, 2, 1, 0);
    assert_string_equal(outcome.totals.complaints[0], "x:1: not a record: x");
    stream_free(stream);
}

static size_t random_input(struct lines *random, char *to, size_t room)
{
    static const char *const line_ends[] = {"\n", "\n", "\n", "\n", "\r\n", "\r", "\0", "", "\n\n"};
    static const char *const fronts[] = {
        "", "", "", "[rank5]: ", "12: ", "loss {x} ", "\xEF\xBB\xBF"};
    size_t size = 0;
    const char *line_end = "\n";
    while (room - size > LINES_BYTES + 64) {
        size_t length;
        if (lines_below(random, 40) == 0)
            line_end = line_ends[lines_below(random, 9)];
        if (lines_below(random, 10) == 0)
            size += (size_t)sprintf(to + size, "%s", fronts[lines_below(random, 7)]);
        length = lines_write(random, to + size);
        if (lines_below(random, 20) == 0)
            length = lines_damage(random, to + size, length);
        size += length;
        memcpy(to + size, line_end, strlen(line_end) + 1);
        size += strlen(line_end) + (line_end[0] == '\0' && lines_below(random, 2));
    }
    return size;
}

static void any_bytes_give_the_same_in_any_pieces(void **state)
{
    (void)state;
    struct lines random = {.state = 11};
    static char bytes[30000];
    for (int i = 0; i < 60; i++)
        pieces_make_no_difference(bytes, random_input(&random, bytes, sizeof(bytes)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_end_ends_a_line),
        cmocka_unit_test(a_carriage_return_at_the_end_does_not_keep_its_line),
        cmocka_unit_test(records_that_share_a_line_are_all_kept),
        cmocka_unit_test(a_hole_of_nuls_costs_no_record),
        cmocka_unit_test(four_megabytes_without_a_newline_cost_one_line),
        cmocka_unit_test(the_longest_line_is_the_same_for_every_path),
        cmocka_unit_test(invalid_utf8_and_escapes_pass_through),
        cmocka_unit_test(ranks_come_from_record_prefix_and_name),
        cmocka_unit_test(complaints_name_the_line),
        cmocka_unit_test(complaints_are_bounded),
        cmocka_unit_test(after_a_reset_nothing_of_before_is_left),
        cmocka_unit_test(a_stream_goes_on_after_its_end),
        cmocka_unit_test(any_bytes_give_the_same_in_any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

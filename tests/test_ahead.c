/* Several threads on one file give what one gives: the same records in the same order,
 * and none of a piece that holds anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode_ahead.h"
#include "source_files.h"
#include "stream.h"

struct seen {
    uint64_t records, sum;
};

static uint64_t mixed(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001B3);
}

static void see(struct seen *seen, const struct record *record)
{
    seen->records++;
    uint64_t sum = mixed(seen->sum, record->has);
    sum = mixed(sum, record->rank);
    sum = mixed(sum, (uint64_t)record->step);
    sum = mixed(sum, (uint64_t)record->begin_ns);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        sum = record->has & (1u << phase) ? mixed(sum, (uint64_t)record->phase_ns[phase]) : sum;
    for (size_t i = 0; (record->has & RECORD_HOST) && i < record->host.len; i++)
        sum = mixed(sum, (unsigned char)record->host.p[i]);
    seen->sum = sum;
}

static FILE *make_file(int lines, int odd_every, const char *odd)
{
    FILE *file = tmpfile();
    for (int i = 0; i < lines; i++) {
        if (odd_every && i % odd_every == odd_every - 1)
            fputs(odd, file);
        fprintf(file,
                "{\"rank\":%d,\"step\":%d,\"t\":%d.25,\"forward\":0.%04d,\"backward\":0.6,"
                "\"sync\":0.05,\"host\":\"node%d\"}\n",
                i % 8, i / 8, 1700000000 + i / 8, i * 7 % 10000, i % 8 / 4);
    }
    fflush(file);
    return file;
}

/* By one stream, from `from` to `to`. */
static void read_by_stream(struct stream *stream, int fd, int64_t from, int64_t to,
                           struct seen *seen)
{
    struct record record;
    while (from < to) {
        size_t room;
        char *space = stream_space(stream, (size_t)(to - from), &room);
        size_t want = to - from < (int64_t)room ? (size_t)(to - from) : room;
        ssize_t got = pread(fd, space, want, from);
        assert_true(got > 0);
        stream_filled(stream, (size_t)got);
        from += got;
        while (stream_next(stream, &record))
            see(seen, &record);
    }
}

static void check(int lines, int odd_every, const char *odd, int threads, bool all_plain)
{
    FILE *file = make_file(lines, odd_every, odd);
    int fd = fileno(file);
    int64_t size = lseek(fd, 0, SEEK_END), at = 0;
    struct stream_totals totals = {0}, expected_totals = {0};
    struct seen seen = {0}, expected = {0};
    struct stream *stream = stream_new("rank.log", &totals);
    struct stream *whole = stream_new("rank.log", &expected_totals);
    struct ahead *ahead = ahead_new(dup(fd), 0, size, threads, "rank.log");
    struct ahead_piece piece;
    int64_t plain = 0;
    read_by_stream(whole, fd, 0, size, &expected);
    assert_non_null(ahead);
    while (ahead_next(ahead, &piece)) {
        assert_int_equal(piece.from, at);
        assert_true(piece.to > piece.from);
        at = piece.to;
        for (size_t i = 0; piece.plain && i < piece.count; i++)
            see(&seen, &piece.records[i]);
        if (piece.plain)
            assert_int_equal(piece.lines, (int64_t)piece.count);
        else
            read_by_stream(stream, fd, piece.from, piece.to, &seen);
        plain += piece.plain ? piece.to - piece.from : 0;
    }
    read_by_stream(stream, fd, at, size, &seen);
    assert_int_equal(seen.records, expected.records);
    assert_int_equal(seen.sum, expected.sum);
    assert_int_equal(totals.counts.other, expected_totals.counts.other);
    assert_int_equal(totals.counts.damaged, expected_totals.counts.damaged);
    assert_true(all_plain ? plain == size : plain < size);
    ahead_free(ahead);
    stream_free(stream);
    stream_free(whole);
    fclose(file);
}

static void test_records_alone(void **state)
{
    check(50000, 0, NULL, 2, true);
    check(50000, 0, NULL, 5, true);
    check(3, 0, NULL, 2, true);
}

static void test_other_lines(void **state)
{
    check(50000, 20000, "loss 3.2\n", 2, false);
    check(20000, 10, "a line of another kind\n", 3, false);
    check(20000, 5000, "{\"rank\":1,\"step\":\n", 2, false);
    check(20000, 5000, "{\"rank\":1,\"step\":7,\"forward\":1,\"host\":\"n\\u006fde\"}\n", 2, false);
}

/* A line that fits into no piece is left to the caller. */
static void test_long_line(void **state)
{
    char *line = malloc(400001);
    memset(line, 'x', 400000);
    line[399999] = '\n';
    line[400000] = '\0';
    check(2000, 1500, line, 2, false);
    free(line);
}

static void test_given_up_in_the_middle(void **state)
{
    FILE *file = make_file(50000, 0, NULL);
    struct ahead *ahead = ahead_new(dup(fileno(file)), 0, lseek(fileno(file), 0, SEEK_END), 4, "x");
    struct ahead_piece piece;
    assert_true(ahead_next(ahead, &piece));
    assert_true(piece.count > 100);
    ahead_free(ahead);
    fclose(file);
}

static void see_record(void *to, const struct record *record, int64_t now_ns)
{
    (void)now_ns;
    see(to, record);
}

static struct seen read_set(const char *path, int threads, size_t budget,
                            struct stream_totals *totals)
{
    struct files_options options = {.threads = threads};
    struct files *files = files_new(&options, totals);
    struct seen seen = {0};
    struct sink sink = {&seen, see_record};
    char message[256];
    assert_int_equal(files_add(files, path, message, sizeof(message)), 0);
    while (files_pump(files, &sink, 0, budget) == FILES_MORE)
        continue;
    files_free(files);
    return seen;
}

/* The whole way: with marks of other lines, their numbers, a torn end. */
static void test_set_of_files(void **state)
{
    char path[] = "/tmp/lockstep-ahead-XXXXXX";
    FILE *made = make_file(90000, 30011, "# epoch 3\n");
    int fd = mkstemp(path);
    char bytes[65536];
    size_t got;
    rewind(made);
    while ((got = fread(bytes, 1, sizeof(bytes), made)) > 0)
        assert_int_equal(write(fd, bytes, got), (ssize_t)got);
    assert_int_equal(write(fd, "{\"rank\":3,\"st", 14), 14);
    close(fd);
    fclose(made);
    struct stream_totals one = {0}, several = {0};
    struct seen expected = read_set(path, 1, 65536, &one);
    assert_int_equal(one.counts.records, 90000);
    for (int threads = 2; threads < 5; threads++) {
        several = (struct stream_totals){0};
        struct seen seen = read_set(path, threads, 1 + 30000 * (size_t)(threads % 2), &several);
        assert_int_equal(seen.records, expected.records);
        assert_int_equal(seen.sum, expected.sum);
        assert_memory_equal(&several.counts, &one.counts, sizeof(one.counts));
        assert_int_equal(several.complaint_count, one.complaint_count);
        for (int i = 0; i < one.complaint_count; i++)
            assert_string_equal(several.complaints[i], one.complaints[i]);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_alone), cmocka_unit_test(test_other_lines),
        cmocka_unit_test(test_long_line),     cmocka_unit_test(test_given_up_in_the_middle),
        cmocka_unit_test(test_set_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Records into a file, whatever the disk does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "recorder.h"
#include "recorder_file.h"
#include "stream.h"

#define TEXT_MAX (4u << 20)

static char folder[64];

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/lockstep-recorder-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* A name that no test has used before. */
static const char *fresh(const char *ending)
{
    static char path[128];
    static int number;
    snprintf(path, sizeof path, "%s/%d%s", folder, number++, ending);
    return path;
}

static void put(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Unpacks as far as it goes, as zstd -dc does. */
static size_t unpack(char *to, const char *bytes, size_t size)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {bytes, size, 0};
    ZSTD_outBuffer out = {to, TEXT_MAX - 1, 0};
    while (in.pos < in.size && !ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)))
        ;
    ZSTD_freeDStream(stream);
    return out.pos;
}

/* The text of a file, unpacked. */
static char *text_of(const char *path)
{
    static char text[TEXT_MAX], packed[TEXT_MAX];
    bool zst = strstr(path, ".zst") != NULL;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(zst ? packed : text, 1, TEXT_MAX - 1, file);
    fclose(file);
    if (zst)
        size = unpack(text, packed, size);
    text[size] = '\0';
    return text;
}

static struct record record_at(int64_t step)
{
    return (struct record){.has = RECORD_RANK | RECORD_STEP | RECORD_COMPUTE,
                           .rank = 3,
                           .step = step,
                           .compute_ns = INT64_C(500000000)};
}

static void add_steps(struct recorder *recorder, int64_t from, int64_t to)
{
    for (int64_t step = from; step < to; step++) {
        struct record record = record_at(step);
        recorder_add(recorder, &record);
    }
}

static struct recorder *open_recorder(const char *path)
{
    char error[512] = "";
    struct recorder *recorder = recorder_new(path, error, sizeof error);
    if (!recorder)
        print_error("%s\n", error);
    assert_non_null(recorder);
    return recorder;
}

/* Exactly these steps, one a line, in this order; empty lines are nothing. */
static void assert_steps(const char *text, int64_t from, int64_t to)
{
    for (int64_t step = from; step < to; step++) {
        char line[128];
        int length = snprintf(line, sizeof line,
                              "{\"rank\":3,\"step\":%lld,\"compute\":0.500000}\n", (long long)step);
        text += *text == '\n';
        assert_memory_equal(text, line, (size_t)length);
        text += length;
    }
    assert_string_equal(text, "");
}

static void refuses(const char *path, const char *says)
{
    char error[512] = "";
    assert_null(recorder_new(path, error, sizeof error));
    if (!strstr(error, says))
        print_error("expected %s in: %s\n", says, error);
    assert_non_null(strstr(error, says));
    assert_non_null(strstr(error, path));
}

/* ---- what is written ---- */

static void what_is_read_back_is_what_was_recorded(void **state)
{
    static const int64_t times[] = {
        0, 1, 10, 999, 1000, 999999999, INT64_C(1000000001), INT64_C(123456789012345)};
    const char *path = fresh(".jsonl");
    struct recorder *recorder = open_recorder(path);
    size_t count = sizeof times / sizeof *times;
    for (size_t i = 0; i < count; i++) {
        struct record record = {
            .has = RECORD_ANY_TIME | RECORD_BEGIN | RECORD_TOKENS | RECORD_RANK | RECORD_STEP |
                   RECORD_SEQ | RECORD_HOST | RECORD_GROUP | RECORD_SIMULATED | RECORD_VALIDATION,
            .rank = 7,
            .step = (int64_t)i,
            .begin_ns = INT64_C(1795961553352638001) + times[i],
            .phase_ns = {times[i], times[i] + 1, times[i] + 2, times[i] + 3, times[i] + 4},
            .compute_ns = times[i] + 5,
            .step_time_ns = times[i] + 6,
            .tokens = 65536,
            .seq = 9,
            .host = str_from("node \"17\"\n"),
            .group = str_from("管線0"),
        };
        recorder_add(recorder, &record);
    }
    assert_true(recorder_free(recorder));
    struct stream_totals totals = {0};
    struct stream *stream = stream_new("-", &totals);
    const char *text = text_of(path);
    size_t room, size = strlen(text);
    char *space = stream_space(stream, size, &room);
    assert_true(room >= size);
    memcpy(space, text, size);
    stream_filled(stream, size);
    struct record record;
    for (size_t i = 0; i < count; i++) {
        assert_true(stream_next(stream, &record));
        assert_int_equal(record.has, RECORD_ANY_TIME | RECORD_BEGIN | RECORD_TOKENS | RECORD_RANK |
                                         RECORD_STEP | RECORD_SEQ | RECORD_HOST | RECORD_GROUP |
                                         RECORD_SIMULATED | RECORD_VALIDATION);
        assert_int_equal(record.step, i);
        assert_int_equal(record.begin_ns, INT64_C(1795961553352638001) + times[i]);
        for (int phase = 0; phase < PHASE_COUNT; phase++)
            assert_int_equal(record.phase_ns[phase], times[i] + phase);
        assert_int_equal(record.compute_ns, times[i] + 5);
        assert_int_equal(record.step_time_ns, times[i] + 6);
        assert_int_equal(record.tokens, 65536);
        assert_int_equal(record.seq, 9);
        assert_true(str_is(record.host, "node \"17\"\n"));
        assert_true(str_is(record.group, "管線0"));
    }
    assert_false(stream_next(stream, &record));
    stream_free(stream);
}

static void many_chunks_come_in_order(void **state)
{
    static const char *const endings[] = {".jsonl", ".jsonl.zst"};
    for (int i = 0; i < 2; i++) {
        const char *path = fresh(endings[i]);
        struct recorder *recorder = open_recorder(path);
        add_steps(recorder, 0, 60000); /* ten chunks */
        struct recorder_state now = recorder_state(recorder);
        assert_int_equal(now.records, 60000);
        assert_int_equal(now.dropped, 0);
        assert_true(recorder_free(recorder));
        assert_steps(text_of(path), 0, 60000);
    }
}

static void it_goes_on_behind_what_is_there(void **state)
{
    static const char *const endings[] = {".jsonl", ".jsonl.zst"};
    for (int i = 0; i < 2; i++) {
        const char *path = fresh(endings[i]);
        for (int64_t part = 0; part < 3; part++) {
            struct recorder *recorder = open_recorder(path);
            add_steps(recorder, 100 * part, 100 * part + 100);
            assert_true(recorder_free(recorder));
        }
        assert_steps(text_of(path), 0, 300);
    }
}

static void a_torn_last_line_is_closed_off(void **state)
{
    const char *path = fresh(".jsonl");
    put(path, "{\"rank\":3,\"st", 13);
    struct recorder *recorder = open_recorder(path);
    add_steps(recorder, 0, 2);
    assert_true(recorder_free(recorder));
    const char *text = text_of(path);
    assert_memory_equal(text, "{\"rank\":3,\"st\n", 14);
    assert_steps(text + 14, 0, 2);
}

/* Cut at every byte of the second frame: the first stays whole, of the second what can be
 * unpacked, and what is recorded behind it is read. */
static void a_torn_last_frame_is_mended(void **state)
{
    const char *path = fresh(".zst");
    struct recorder *recorder = open_recorder(path);
    add_steps(recorder, 0, 5);
    assert_true(recorder_free(recorder));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    size_t first = (size_t)status.st_size;
    recorder = open_recorder(path);
    add_steps(recorder, 5, 9);
    assert_true(recorder_free(recorder));
    static char bytes[65536];
    FILE *file = fopen(path, "r");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(first, 20, size - 20);
    for (size_t cut = first; cut <= size; cut++) {
        put(path, bytes, cut);
        recorder = open_recorder(path);
        add_steps(recorder, 20, 22);
        assert_true(recorder_free(recorder));
        char *text = text_of(path), *rest = strstr(text, "{\"rank\":3,\"step\":20");
        assert_non_null(rest);
        assert_steps(rest, 20, 22);
        rest[-1] = '\0';
        assert_non_null(strstr(text, "\"step\":4,\"compute\":0.500000}"));
    }
}

static void a_frame_of_another_writer_is_mended_too(void **state)
{
    static char lines[TEXT_MAX], packed[TEXT_MAX];
    const char *path = fresh(".zst");
    size_t length = 0;
    for (int64_t step = 0; step < 40000; step++)
        length +=
            (size_t)snprintf(lines + length, sizeof lines - length,
                             "{\"rank\":3,\"step\":%lld,\"compute\":0.500000}\n", (long long)step);
    size_t size = ZSTD_compress(packed, sizeof packed, lines, length, 3);
    assert_false(ZSTD_isError(size));
    put(path, packed, size - 3); /* several blocks; the last one is torn */
    struct recorder *recorder = open_recorder(path);
    add_steps(recorder, 50000, 50001);
    assert_true(recorder_free(recorder));
    char *text = text_of(path);
    assert_memory_equal(text, lines, 128 * 1024); /* at least the first block */
    assert_non_null(strstr(text, "\n{\"rank\":3,\"step\":50000"));
}

/* ---- what it does not write to ---- */

static void what_cannot_be_written_is_said(void **state)
{
    char path[128];
    refuses(folder, "name a file in it");
    snprintf(path, sizeof path, "%s/no/such.jsonl", folder);
    refuses(path, "make the folder first");
    snprintf(path, sizeof path, "%s/x.jsonl.gz", folder);
    refuses(path, "gzip is not written");
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuses(path, "is a pipe");
    snprintf(path, sizeof path, "%s/loop", folder);
    assert_int_equal(symlink(path, path), 0);
    refuses(path, "symbolic links");
    snprintf(path, sizeof path, "%s/text.zst", folder);
    put(path, "{\"rank\":0}\n", 11);
    refuses(path, "not what its name says");
    assert_string_equal(strstr(path, "text.zst"), "text.zst");
}

static void two_recorders_do_not_share_a_file(void **state)
{
    const char *path = fresh(".jsonl");
    struct recorder *recorder = open_recorder(path);
    refuses(path, "another lockstep records to it");
    assert_true(recorder_free(recorder));
    assert_true(recorder_free(open_recorder(path)));
}

static void a_symbolic_link_is_followed(void **state)
{
    char link[128];
    snprintf(link, sizeof link, "%s/link.jsonl", folder);
    const char *path = fresh(".jsonl");
    assert_int_equal(symlink(path, link), 0);
    struct recorder *recorder = open_recorder(link);
    add_steps(recorder, 0, 3);
    assert_true(recorder_free(recorder));
    assert_steps(text_of(path), 0, 3);
}

/* ---- when the disk is full ---- */

/* Until the thread has come to something; false after five seconds. */
static bool comes(struct recorder *recorder, bool (*wanted)(const struct recorder_state *))
{
    for (int i = 0; i < 500; i++) {
        struct recorder_state now = recorder_state(recorder);
        if (wanted(&now))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

static bool fails(const struct recorder_state *now)
{
    return now->error != 0;
}

static bool is_written(const struct recorder_state *now)
{
    return now->waiting == 0 && now->error == 0;
}

static void allow_file_size(size_t size)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size ? size : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The limit lies within a line: the file is whole lines all the time, nothing is lost. */
static void a_full_disk_is_waited_for(void **state)
{
    static const char *const endings[] = {".jsonl", ".jsonl.zst"};
    for (int i = 0; i < 2; i++) {
        const char *path = fresh(endings[i]);
        struct recorder *recorder = open_recorder(path);
        allow_file_size(i == 0 ? 20001 : 50);
        add_steps(recorder, 0, 1000);
        assert_true(comes(recorder, fails));
        struct recorder_state now = recorder_state(recorder);
        assert_int_equal(now.error, EFBIG);
        assert_int_equal(now.records, 1000);
        assert_int_equal(now.dropped, 0);
        assert_true(now.late_s > 0);
        assert_steps(text_of(path), 0, 1000 - (int64_t)now.waiting);
        add_steps(recorder, 1000, 2000);
        allow_file_size(0);
        assert_true(comes(recorder, is_written));
        assert_true(recorder_free(recorder));
        assert_steps(text_of(path), 0, 2000);
    }
}

static void what_finds_no_room_is_dropped_and_counted(void **state)
{
    struct recorder *recorder = open_recorder("/dev/full");
    struct recorder_state now;
    int64_t added = 0;
    do {
        add_steps(recorder, added, added + 10000);
        added += 10000;
        now = recorder_state(recorder);
        assert_int_equal(now.records + now.dropped, added);
    } while (now.dropped == 0);
    assert_int_equal(now.written_bytes, 0);
    assert_true(comes(recorder, fails));
    assert_int_equal(recorder_state(recorder).error, ENOSPC);
    assert_in_range(now.records, RECORDER_WAITING_MAX / 60, RECORDER_WAITING_MAX / 40);
    assert_false(recorder_close(recorder, &now));
    assert_int_equal(now.waiting + now.dropped, added);
}

static void a_file_that_was_moved_away_is_begun_anew(void **state)
{
    char moved[160];
    const char *path = fresh(".jsonl");
    struct recorder *recorder = open_recorder(path);
    add_steps(recorder, 0, 10);
    assert_true(comes(recorder, is_written));
    snprintf(moved, sizeof moved, "%s.1", path);
    assert_int_equal(rename(path, moved), 0);
    add_steps(recorder, 10, 20);
    assert_true(recorder_free(recorder));
    assert_steps(text_of(moved), 0, 10);
    assert_steps(text_of(path), 10, 20);
}

/* A process that records without an end, and what it had said to be written when it was
 * killed. */
static void a_killed_program_leaves_what_it_flushed(void **state)
{
    static const char *const endings[] = {".jsonl", ".jsonl.zst"};
    for (int i = 0; i < 2; i++) {
        const char *path = fresh(endings[i]);
        int ready[2];
        char byte;
        assert_int_equal(pipe(ready), 0);
        pid_t child = fork();
        if (child == 0) {
            struct recorder *recorder = recorder_new(path, (char[512]){0}, 512);
            for (int64_t step = 0;; step += 10) {
                add_steps(recorder, step, step + 10);
                if (step == 1000 && comes(recorder, is_written))
                    (void)!write(ready[1], "!", 1);
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            }
        }
        close(ready[1]);
        assert_int_equal(read(ready[0], &byte, 1), 1);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        close(ready[0]);
        char *text = text_of(path), *last = strrchr(text, '\n');
        assert_non_null(last);
        last[1] = '\0';
        while (last > text && last[-1] != '\n')
            last--;
        long long step;
        assert_int_equal(sscanf(last, "{\"rank\":3,\"step\":%lld,", &step), 1);
        assert_true(step >= 1009);
        assert_steps(text, 0, step + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_back_is_what_was_recorded),
        cmocka_unit_test(many_chunks_come_in_order),
        cmocka_unit_test(it_goes_on_behind_what_is_there),
        cmocka_unit_test(a_torn_last_line_is_closed_off),
        cmocka_unit_test(a_torn_last_frame_is_mended),
        cmocka_unit_test(a_frame_of_another_writer_is_mended_too),
        cmocka_unit_test(what_cannot_be_written_is_said),
        cmocka_unit_test(two_recorders_do_not_share_a_file),
        cmocka_unit_test(a_symbolic_link_is_followed),
        cmocka_unit_test(a_full_disk_is_waited_for),
        cmocka_unit_test(what_finds_no_room_is_dropped_and_counted),
        cmocka_unit_test(a_file_that_was_moved_away_is_begun_anew),
        cmocka_unit_test(a_killed_program_leaves_what_it_flushed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

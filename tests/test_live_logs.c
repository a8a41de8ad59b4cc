/* Logs of other formats that are followed while they grow in torn pieces, and while they are
 * rotated: the same records as when they are read at once. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats.h"
#include "source_files.h"

#define TEXT_BYTES (1 << 16)
#define RECORDS_MAX 20000

struct seen {
    struct record records[RECORDS_MAX];
    size_t count;
};

static char folder[64];
static struct formats *formats;
static struct seen at_once, live;
static uint64_t chance;

static size_t below(size_t limit)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((chance >> 33) % limit);
}

static void see(void *to, const struct record *record, int64_t now_ns)
{
    struct seen *seen = to;
    assert_true(seen->count < RECORDS_MAX);
    struct record *kept = &seen->records[seen->count++];
    memset(kept, 0, sizeof *kept);
    kept->has = record->has;
    kept->rank = record->rank;
    kept->step = record->step;
    kept->begin_ns = record->has & RECORD_BEGIN ? record->begin_ns : 0;
    kept->step_time_ns = record->has & RECORD_STEP_TIME ? record->step_time_ns : 0;
    kept->compute_ns = record->has & RECORD_COMPUTE ? record->compute_ns : 0;
    kept->span = record->has & RECORD_SPAN ? record->span : 0;
}

static void path_of(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
}

static void append(const char *name, const char *bytes, size_t size)
{
    char path[128];
    path_of(path, name);
    FILE *out = fopen(path, "a");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void pump(struct files *files, struct seen *seen, int64_t now_ns)
{
    struct sink sink = {seen, see};
    while (files_pump(files, &sink, now_ns, 1 + below(500)) == FILES_MORE)
        continue;
}

static struct files *open_log(bool follow, struct stream_totals *totals, struct log_book *book)
{
    char path[128], message[256];
    struct files_options options = {.follow = follow};
    path_of(path, "train.log");
    *totals = (struct stream_totals){.formats = formats, .book = book};
    struct files *files = files_new(&options, totals);
    assert_int_equal(files_add(files, path, message, sizeof message), 0);
    return files;
}

static void read_at_once(const char *text, size_t size)
{
    struct log_book book = {0};
    struct stream_totals totals;
    char path[128];
    append("train.log", text, size);
    struct files *files = open_log(false, &totals, &book);
    at_once.count = 0;
    pump(files, &at_once, 0);
    files_free(files);
    log_book_done(&book);
    path_of(path, "train.log");
    unlink(path);
}

/* At the end the file is deleted: what was held back comes then. */
static void read_live(const char *text, size_t size, bool rotate)
{
    struct log_book book = {0};
    struct stream_totals totals;
    char path[128], old[128];
    int64_t now_ns = INT64_C(1000000000000), tick_ns = INT64_C(250000000);
    struct files *files = open_log(true, &totals, &book);
    live.count = 0;
    path_of(path, "train.log");
    path_of(old, "train.log.1");
    for (size_t at = 0; at < size;) {
        size_t piece = 1 + below(below(3) ? 40 : 900);
        piece = piece < size - at ? piece : size - at;
        append("train.log", text + at, piece);
        at += piece;
        files_poll(files, now_ns += tick_ns);
        pump(files, &live, now_ns);
        if (rotate && text[at - 1] == '\n' && at < size && below(2))
            rename(path, old);
    }
    for (int i = 0; i < 4; i++) {
        files_poll(files, now_ns += tick_ns);
        pump(files, &live, now_ns);
    }
    unlink(path);
    for (int i = 0; i < 60; i++) {
        files_poll(files, now_ns += tick_ns);
        pump(files, &live, now_ns);
    }
    files_free(files);
    log_book_done(&book);
    unlink(old);
}

static void check(const char *name, const char *text, size_t size, bool rotate)
{
    read_live(text, size, rotate);
    bool same = live.count == at_once.count &&
                memcmp(live.records, at_once.records, live.count * sizeof live.records[0]) == 0;
    if (!same)
        print_error("%s%s: %zu records, at once %zu\n", name, rotate ? ", rotated" : "", live.count,
                    at_once.count);
    assert_true(same);
}

static void check_sample(const char *path)
{
    static char text[TEXT_BYTES];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    read_at_once(text, size);
    for (int i = 0; i < 3; i++)
        check(path, text, size, false);
    const char *ending = strrchr(path, '.');
    if (ending && strcmp(ending, ".json") == 0)
        return; /* a document is not rotated */
    for (int i = 0; i < 3; i++)
        check(path, text, size, true);
}

static int is_sample(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && ending && strcmp(ending, ".records") != 0 &&
           strcmp(ending, ".md") != 0 && strcmp(ending, ".gz") != 0;
}

static void each_sample_grows_in_torn_pieces(void **state)
{
    char root[512], path[1600];
    struct dirent **kinds, **samples;
    const char *tests = getenv("LOCKSTEP_TESTS");
    snprintf(root, sizeof root, "%s/../samples/formats", tests ? tests : "tests");
    int kind_count = scandir(root, &kinds, NULL, alphasort), seen = 0;
    assert_true(kind_count > 0);
    for (int i = 0; i < kind_count; i++) {
        snprintf(path, sizeof path, "%s/%s", root, kinds[i]->d_name);
        bool named = kinds[i]->d_name[0] != '.'; /* a file among them is no folder: -1 */
        int count = named ? scandir(path, &samples, is_sample, alphasort) : -1;
        for (int k = 0; k < count; k++) {
            snprintf(path, sizeof path, "%s/%s/%s", root, kinds[i]->d_name, samples[k]->d_name);
            chance = (uint64_t)(++seen);
            check_sample(path);
            free(samples[k]);
        }
        if (count >= 0)
            free(samples);
        free(kinds[i]);
    }
    free(kinds);
    assert_true(seen > 0);
}

/* A call of NCCL Inspector: at and over are in us. */
static void append_call(int group, int number, int64_t at, int64_t over, int64_t dump)
{
    char line[1024];
    int length = snprintf(
        line, sizeof line,
        "{\"header\":{\"id\":\"0x%d\",\"comm_name\":\"%s\",\"rank\":1,\"n_ranks\":%d,\"nnodes\":1},"
        "\"metadata\":{\"dump_timestamp_us\":%lld,\"hostname\":\"n\",\"pid\":7},"
        "\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_sn\":%d,\"coll_exec_time_us\":%lld,"
        "\"event_trace_ts\":{\"kernel_events\":[{\"channel_id\":0,\"kernel_start_ts\":%lld,"
        "\"kernel_stop_ts\":%lld}]}}}\n",
        group, group ? "world" : "tp", group ? 8 : 2, (long long)dump, number,
        (long long)(over - at), (long long)at, (long long)over);
    append("train.log", line, (size_t)length);
}

/* Communicator after communicator, each dump: where the one that is followed is the last of them,
 * its calls do not wait for the next dump, which may never come. */
static void what_a_dump_holds_comes_before_the_next(void **state)
{
    enum { STEPS = 400, A_DUMP = 4, STEP_US = 100000 };
    struct log_book book = {0};
    struct stream_totals totals;
    char path[128];
    struct files *files = open_log(true, &totals, &book);
    int64_t begin = INT64_C(1752867229000000), now_ns = INT64_C(1000000000000);
    for (int first = 0; first < STEPS; first += A_DUMP) {
        int64_t dump = begin + (int64_t)(first + A_DUMP) * STEP_US;
        for (int group = 0; group < 2; group++)
            for (int step = first; step < first + A_DUMP; step++) {
                int64_t at = begin + (int64_t)step * STEP_US + group * 50000;
                append_call(group, step, at, at + 1000, dump);
            }
    }
    live.count = 0;
    for (int i = 0; i < 4; i++) {
        files_poll(files, now_ns += INT64_C(250000000));
        pump(files, &live, now_ns);
    }
    /* Whether a call is missing before the last one only the next of the other would tell. */
    assert_int_equal(live.count, STEPS - 1);
    assert_int_equal(live.records[live.count - 1].step, STEPS - 2);
    assert_int_equal(live.records[live.count - 1].compute_ns, 98000000);
    files_free(files);
    log_book_done(&book);
    path_of(path, "train.log");
    unlink(path);
}

static int setup(void **state)
{
    strcpy(folder, "/tmp/lockstep_live_XXXXXX");
    formats = formats_new();
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    formats_free(formats);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sample_grows_in_torn_pieces),
        cmocka_unit_test(what_a_dump_holds_comes_before_the_next),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

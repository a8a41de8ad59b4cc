/* Following inside the loop, with the kernel's notices and without. */
#include <fcntl.h>
#include <ftw.h>
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

#include "source_watch.h"

struct fixture {
    char dir[64];
    struct loop *loop;
    struct files *files;
    struct watch *watch;
    struct stream_totals totals;
    int64_t records, wanted, timeouts;
};

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct fixture *f = to;
    if (++f->records == f->wanted)
        loop_stop(f->loop);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *at)
{
    return remove(path);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->dir, "/tmp/lockstep_watch_XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->loop = loop_new();
    f->files = files_new(&(struct files_options){.follow = true}, &f->totals);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    watch_free(f->watch);
    files_free(f->files);
    int result = loop_free(f->loop);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(f);
    return result;
}

static void put(struct fixture *f, const char *name, int step)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    FILE *out = fopen(path, "a");
    assert_non_null(out);
    fprintf(out, "{\"rank\":0,\"step\":%d,\"compute\":1}\n", step);
    fclose(out);
}

static void start(struct fixture *f, const char *sub, bool poll_only)
{
    char path[160], message[512];
    snprintf(path, sizeof path, "%s%s", f->dir, sub);
    assert_int_equal(files_add(f->files, path, message, sizeof message), 0);
    f->watch =
        watch_new(f->loop, f->files, &(struct watch_options){poll_only}, &(struct sink){f, take});
}

static void on_deadline(void *to, int64_t now_ns)
{
    struct fixture *f = to;
    f->timeouts++;
    loop_stop(f->loop);
}

/* Turns the loop until that many records came; how long it took. */
static int64_t wait_for(struct fixture *f, int64_t records)
{
    int64_t begin_ns = loop_now_ns(f->loop);
    f->wanted = records;
    struct loop_timer *timer = loop_timer_new(f->loop, INT64_C(10000000000), 0, on_deadline, f);
    if (f->records < records)
        loop_run(f->loop);
    loop_timer_free(timer);
    assert_int_equal(f->timeouts, 0);
    assert_true(f->records >= records); /* a slice may bring more */
    return loop_now_ns(f->loop) - begin_ns;
}

static void follow(struct fixture *f, bool poll_only)
{
    put(f, "a.jsonl", 1);
    start(f, "", poll_only);
    wait_for(f, 1);
    put(f, "a.jsonl", 2);
    wait_for(f, 2);
    put(f, "b.jsonl", 3);
    wait_for(f, 3);
    char from[160], to[160];
    snprintf(from, sizeof from, "%s/a.jsonl", f->dir);
    snprintf(to, sizeof to, "%s/a.jsonl.1", f->dir);
    put(f, "a.jsonl", 4);
    rename(from, to);
    put(f, "a.jsonl", 5);
    wait_for(f, 5);
    assert_int_equal(truncate(from, 0), 0);
    put(f, "a.jsonl", 6);
    wait_for(f, 6);
    assert_int_equal(f->records, 6);
    assert_int_equal(f->totals.counts.damaged, 0);
}

static void notices_follow_a_folder(void **state)
{
    struct fixture *f = *state;
    follow(f, false);
}

static void polling_alone_comes_to_the_same(void **state)
{
    struct fixture *f = *state;
    follow(f, true);
    assert_int_equal(watch_folders(f->watch), 0);
}

static void a_notice_is_prompt(void **state)
{
    struct fixture *f = *state;
    put(f, "a.jsonl", 1);
    start(f, "/a.jsonl", false);
    wait_for(f, 1);
    if (watch_folders(f->watch) != 1)
        skip(); /* a file system or a kernel that sends none */
    int64_t best_ns = INT64_MAX;
    for (int i = 2; i < 8; i++) {
        put(f, "a.jsonl", i);
        int64_t took_ns = wait_for(f, i);
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    assert_true(best_ns < INT64_C(50000000)); /* by polling: 250 ms */
}

static void a_folder_made_anew_is_watched_again(void **state)
{
    struct fixture *f = *state;
    char sub[160];
    snprintf(sub, sizeof sub, "%s/logs", f->dir);
    start(f, "/logs/", false);
    assert_int_equal(mkdir(sub, 0700), 0);
    put(f, "logs/a.jsonl", 1);
    wait_for(f, 1);
    nftw(sub, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(mkdir(sub, 0700), 0);
    put(f, "logs/b.jsonl", 2);
    wait_for(f, 2);
}

static void stop_when_read(void *to, int64_t now_ns)
{
    struct fixture *f = to;
    if (watch_has_caught_up(f->watch))
        loop_stop(f->loop);
}

static void the_newest_file_says_when_it_was_written(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"a.jsonl", "b.jsonl", "c.jsonl"};
    for (int i = 0; i < 3; i++) {
        char path[160];
        put(f, names[i], i);
        snprintf(path, sizeof path, "%s/%s", f->dir, names[i]);
        const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                          {.tv_sec = 1700000000 + 100 * (i % 2), .tv_nsec = 5}};
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    assert_int_equal(files_written_ns(f->files), 0);
    start(f, "", true);
    wait_for(f, 3);
    assert_true(files_written_ns(f->files) == INT64_C(1700000100000000005));
}

static void a_big_file_is_read_in_slices(void **state)
{
    struct fixture *f = *state;
    char path[160];
    snprintf(path, sizeof path, "%s/a.jsonl", f->dir);
    FILE *out = fopen(path, "w");
    for (int step = 1; step <= 300000; step++)
        fprintf(out, "{\"rank\":0,\"step\":%d,\"compute\":1}\n", step);
    fclose(out);
    start(f, "", false);
    int64_t read, all;
    wait_for(f, 1000); /* stopped on the way: the loop is not held up */
    assert_true(f->records < 300000);
    assert_false(watch_has_caught_up(f->watch));
    files_progress(f->files, &read, &all);
    assert_in_range(read, 1000, all - 1);
    wait_for(f, 300000);
    assert_int_equal(f->records, 300000);
    struct loop_timer *timer = loop_timer_new(f->loop, 1000000, 1000000, stop_when_read, f);
    if (!watch_has_caught_up(f->watch))
        loop_run(f->loop);
    loop_timer_free(timer);
    files_progress(f->files, &read, &all);
    assert_int_equal(read, all);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(notices_follow_a_folder),      T(polling_alone_comes_to_the_same),
        T(a_notice_is_prompt),           T(a_folder_made_anew_is_watched_again),
        T(a_big_file_is_read_in_slices), T(the_newest_file_says_when_it_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

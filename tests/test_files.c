/* Following files by name: each way of rotating a log, with a clock of its own. */
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
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "source_files.h"

struct fixture {
    char dir[64];
    char *got; /* "rank:step rank:step ", in order of delivery */
    size_t got_size, got_len;
    int64_t now_ns;
    struct stream_totals totals;
    struct files *files;
    struct sink sink;
    char message[512];
};

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct fixture *f = to;
    if (f->got_size - f->got_len < 64) {
        f->got_size = f->got_size * 2 + 4096;
        f->got = realloc(f->got, f->got_size);
        assert_non_null(f->got);
    }
    f->got_len +=
        (size_t)sprintf(f->got + f->got_len, "%u:%lld ", record->rank, (long long)record->step);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *at)
{
    return remove(path);
}

static void start(struct fixture *f, struct files_options options)
{
    files_free(f->files);
    f->files = files_new(&options, &f->totals);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->dir, "/tmp/lockstep_files_XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->now_ns = INT64_C(1000000000000);
    f->sink = (struct sink){f, take};
    start(f, (struct files_options){.follow = true});
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    files_free(f->files);
    chmod(f->dir, 0700);
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(f->got);
    free(f);
    return 0;
}

static const char *path_of(struct fixture *f, const char *name)
{
    static _Thread_local char paths[4][160];
    static _Thread_local int turn;
    char *path = paths[turn = (turn + 1) % 4];
    snprintf(path, sizeof paths[0], "%s/%s", f->dir, name);
    return path;
}

static void put_text(struct fixture *f, const char *name, const char *mode, const char *text)
{
    FILE *out = fopen(path_of(f, name), mode);
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static const char *line_of(unsigned rank, long long step)
{
    static _Thread_local char line[256];
    snprintf(line, sizeof line,
             "{\"rank\":%u,\"step\":%lld,\"t\":1795961553.352638,\"data\":0.0004,"
             "\"forward\":0.3312,\"backward\":0.6621,\"sync\":0.1034,\"host\":\"node17\"}\n",
             rank, step);
    return line;
}

static void put(struct fixture *f, const char *name, unsigned rank, long long step)
{
    put_text(f, name, "a", line_of(rank, step));
}

static void put_steps(struct fixture *f, const char *name, unsigned rank, long long from,
                      long long to)
{
    for (long long step = from; step <= to; step++)
        put(f, name, rank, step);
}

static int add(struct fixture *f, const char *name)
{
    return files_add(f->files, path_of(f, name), f->message, sizeof f->message);
}

static void pump(struct fixture *f, size_t max_records)
{
    int turns = 0;
    while (files_pump(f->files, &f->sink, f->now_ns, max_records) == FILES_MORE)
        assert_true(turns++ < 1000000);
}

/* Time passes in steps of 250 ms, with a look and a read at each. */
static void tick(struct fixture *f, int milliseconds)
{
    do {
        f->now_ns += INT64_C(250000000);
        files_poll(f->files, f->now_ns);
        pump(f, 1000);
    } while ((milliseconds -= 250) > 0);
}

#define assert_got(f, expected)                                                                    \
    do {                                                                                           \
        assert_string_equal((f)->got_len ? (f)->got : "", expected);                               \
        (f)->got_len = 0;                                                                          \
    } while (0)

static void assert_clean(const struct fixture *f)
{
    assert_int_equal(f->totals.counts.damaged, 0);
    assert_int_equal(f->totals.counts.other, 0);
}

/* ---- growth ---- */

static void a_file_that_grows_is_read_on(void **state)
{
    struct fixture *f = *state;
    put(f, "a.jsonl", 0, 1);
    assert_int_equal(add(f, "a.jsonl"), 0);
    pump(f, 100);
    assert_got(f, "0:1 ");
    put_steps(f, "a.jsonl", 0, 2, 3);
    tick(f, 250);
    assert_got(f, "0:2 0:3 ");
    tick(f, 3000);
    assert_got(f, "");
    assert_int_equal(files_state(f->files)->followed, 1);
}

static void a_torn_line_waits_for_its_rest(void **state)
{
    struct fixture *f = *state;
    put_text(f, "a.jsonl", "a", "{\"rank\":3,\"st");
    add(f, "a.jsonl");
    tick(f, 1000);
    assert_got(f, "");
    put_text(f, "a.jsonl", "a", "ep\":1,\"compute\":0.5");
    tick(f, 250);
    put_text(f, "a.jsonl", "a", "}\n");
    tick(f, 250);
    assert_got(f, "3:1 ");
    assert_clean(f);
}

static void bytes_that_come_singly_make_the_same_records(void **state)
{
    struct fixture *f = *state;
    add(f, "a.jsonl");
    char text[512];
    snprintf(text, sizeof text, "%s", line_of(1, 7));
    strcat(text, line_of(2, 7));
    for (size_t i = 0; text[i]; i++) {
        put_text(f, "a.jsonl", "a", (char[]){text[i], 0});
        tick(f, 250);
    }
    assert_got(f, "1:7 2:7 ");
    assert_clean(f);
}

static void a_file_that_does_not_exist_yet_is_waited_for(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(add(f, "late.jsonl"), 0);
    tick(f, 1000);
    assert_int_equal(files_state(f->files)->waiting, 1);
    put(f, "late.jsonl", 4, 1);
    tick(f, 250);
    assert_got(f, "4:1 ");
    assert_int_equal(files_state(f->files)->waiting, 0);
    assert_int_equal(files_state(f->files)->followed, 1);
}

static void a_million_bytes_without_newline_do_not_hide_what_follows(void **state)
{
    struct fixture *f = *state;
    add(f, "a.jsonl");
    put(f, "a.jsonl", 0, 1);
    FILE *out = fopen(path_of(f, "a.jsonl"), "a");
    for (int i = 0; i < 4 << 20; i++)
        putc('x', out);
    putc('\n', out);
    fclose(out);
    put(f, "a.jsonl", 0, 2);
    tick(f, 250);
    assert_got(f, "0:1 0:2 ");
    assert_int_equal(f->totals.counts.too_long, 1);
}

/* ---- rotation by rename ---- */

static void a_renamed_file_gives_way_to_the_new_one(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 2);
    add(f, "a.jsonl");
    tick(f, 250);
    put(f, "a.jsonl", 0, 3); /* not seen before the rotation */
    rename(path_of(f, "a.jsonl"), path_of(f, "a.jsonl.1"));
    put(f, "a.jsonl", 0, 4);
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 0:4 ");
}

static void late_writes_to_a_renamed_file_are_read(void **state)
{
    struct fixture *f = *state;
    put(f, "a.jsonl", 0, 1);
    add(f, "a.jsonl");
    tick(f, 250);
    rename(path_of(f, "a.jsonl"), path_of(f, "a.jsonl.1"));
    put(f, "a.jsonl", 0, 3);
    tick(f, 1000);
    assert_got(f, "0:1 0:3 ");
    put(f, "a.jsonl.1", 0, 2);
    tick(f, 250);
    assert_got(f, "0:2 ");
    put(f, "a.jsonl", 0, 4);
    tick(f, 250);
    assert_got(f, "0:4 ");
    tick(f, 11000);
    put(f, "a.jsonl.1", 0, 9); /* too late: the old one was let go */
    tick(f, 1000);
    assert_got(f, "");
}

static void a_torn_line_of_a_renamed_file_gets_its_rest(void **state)
{
    struct fixture *f = *state;
    put_text(f, "a.jsonl", "a", "{\"rank\":0,\"step\":1,\"comp");
    add(f, "a.jsonl");
    tick(f, 250);
    rename(path_of(f, "a.jsonl"), path_of(f, "old"));
    put(f, "a.jsonl", 0, 2);
    tick(f, 500);
    assert_got(f, "0:2 ");
    put_text(f, "old", "a", "ute\":1}"); /* and no newline ever */
    tick(f, 12000);
    assert_got(f, "0:1 ");
    assert_clean(f);
}

static void between_rename_and_creation_a_file_is_waited_for(void **state)
{
    struct fixture *f = *state;
    put(f, "a.jsonl", 0, 1);
    add(f, "a.jsonl");
    tick(f, 250);
    rename(path_of(f, "a.jsonl"), path_of(f, "a.jsonl.1"));
    tick(f, 2000);
    put(f, "a.jsonl.1", 0, 2);
    tick(f, 250);
    put(f, "a.jsonl", 0, 3);
    tick(f, 500);
    assert_got(f, "0:1 0:2 0:3 ");
    assert_clean(f);
}

static void a_rename_within_the_folder_doubles_nothing(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "rank0.log", 0, 1, 3);
    assert_int_equal(add(f, ""), 0);
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 ");
    put(f, "rank0.log", 0, 4);
    rename(path_of(f, "rank0.log"), path_of(f, "rank0-monday.log")); /* matches too */
    put(f, "rank0.log", 0, 5);
    tick(f, 2000);
    assert_got(f, "0:4 0:5 ");
    put(f, "rank0-monday.log", 0, 6);
    put(f, "rank0.log", 0, 7);
    tick(f, 20000);
    put(f, "rank0-monday.log", 0, 8);
    tick(f, 1000);
    assert_got(f, "0:6 0:7 0:8 ");
    assert_int_equal(files_state(f->files)->followed, 2);
}

static void a_chain_of_renames_doubles_nothing(void **state)
{
    struct fixture *f = *state;
    put(f, "a.1.log", 0, 1);
    put(f, "a.log", 0, 2);
    add(f, "");
    tick(f, 250);
    rename(path_of(f, "a.1.log"), path_of(f, "a.2.log"));
    rename(path_of(f, "a.log"), path_of(f, "a.1.log"));
    put(f, "a.log", 0, 3);
    tick(f, 2000);
    rename(path_of(f, "a.2.log"), path_of(f, "a.3.log"));
    rename(path_of(f, "a.1.log"), path_of(f, "a.2.log"));
    rename(path_of(f, "a.log"), path_of(f, "a.1.log"));
    put(f, "a.log", 0, 4);
    tick(f, 20000);
    assert_got(f, "0:1 0:2 0:3 0:4 ");
    assert_int_equal(files_state(f->files)->followed, 4);
}

static void two_files_that_swap_names_are_read_once(void **state)
{
    struct fixture *f = *state;
    put(f, "a.log", 0, 1);
    put(f, "b.log", 1, 1);
    add(f, "a.log");
    add(f, "b.log");
    tick(f, 250);
    rename(path_of(f, "a.log"), path_of(f, "c"));
    rename(path_of(f, "b.log"), path_of(f, "a.log"));
    rename(path_of(f, "c"), path_of(f, "b.log"));
    tick(f, 1000);
    put(f, "a.log", 1, 2);
    put(f, "b.log", 0, 3);
    tick(f, 12000);
    assert_got(f, "0:1 1:1 1:2 0:3 ");
    assert_int_equal(files_state(f->files)->followed, 2);
}

static void rotation_in_quick_succession_loses_nothing(void **state)
{
    struct fixture *f = *state;
    char expected[4096] = "";
    add(f, "a.log");
    for (int i = 0; i < 40; i++) {
        char old[32], one[32];
        put(f, "a.log", 0, 2 * i);
        tick(f, 250);
        put(f, "a.log", 0, 2 * i + 1);
        snprintf(old, sizeof old, "old%d", i);
        rename(path_of(f, "a.log"), path_of(f, old));
        snprintf(one, sizeof one, "0:%d 0:%d ", 2 * i, 2 * i + 1);
        strcat(expected, one);
    }
    tick(f, 250);
    assert_got(f, expected);
}

/* ---- truncation and overwriting ---- */

static void copy_and_truncate_reads_the_new_beginning(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 5);
    add(f, "a.jsonl");
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 0:4 0:5 ");
    truncate(path_of(f, "a.jsonl"), 0);
    put(f, "a.jsonl", 0, 6);
    tick(f, 250);
    assert_got(f, "0:6 ");
    truncate(path_of(f, "a.jsonl"), 0);
    tick(f, 250);
    put(f, "a.jsonl", 0, 7);
    tick(f, 250);
    assert_got(f, "0:7 ");
    assert_clean(f);
}

static void a_rewrite_to_the_same_size_is_noticed(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 3);
    add(f, "a.jsonl");
    tick(f, 250);
    truncate(path_of(f, "a.jsonl"), 0);
    put_steps(f, "a.jsonl", 0, 4, 6); /* as long, and the last 32 bytes are the same */
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 0:4 0:5 0:6 ");
}

static void a_rewrite_to_a_larger_size_is_noticed(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 3);
    add(f, "a.jsonl");
    tick(f, 250);
    truncate(path_of(f, "a.jsonl"), 0);
    put_steps(f, "a.jsonl", 0, 4, 9);
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 0:4 0:5 0:6 0:7 0:8 0:9 ");
}

static void a_rewrite_in_place_without_truncation_is_noticed(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 3);
    add(f, "a.jsonl");
    tick(f, 250);
    FILE *out = fopen(path_of(f, "a.jsonl"), "r+");
    for (int step = 4; step <= 6; step++)
        fputs(line_of(0, step), out);
    fclose(out);
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 0:4 0:5 0:6 ");
}

static void what_was_read_before_a_truncation_is_delivered(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 200);
    add(f, "a.jsonl");
    files_pump(f->files, &f->sink, f->now_ns, 100); /* the rest waits in the buffer */
    truncate(path_of(f, "a.jsonl"), 0);
    put(f, "a.jsonl", 0, 201);
    tick(f, 500);
    char expected[4096] = "", one[16];
    for (int step = 1; step <= 201; step++) {
        snprintf(one, sizeof one, "0:%d ", step);
        strcat(expected, one);
    }
    assert_got(f, expected);
}

static void a_line_without_newline_before_a_truncation_is_a_record(void **state)
{
    struct fixture *f = *state;
    put_text(f, "a.jsonl", "w", "{\"rank\":0,\"step\":1,\"compute\":1}");
    add(f, "a.jsonl");
    tick(f, 250);
    assert_got(f, "");
    truncate(path_of(f, "a.jsonl"), 0);
    put(f, "a.jsonl", 0, 2);
    tick(f, 250);
    assert_got(f, "0:1 0:2 ");
}

static void the_hole_that_a_truncation_leaves_is_skipped(void **state)
{
    struct fixture *f = *state;
    int out = open(path_of(f, "a.jsonl"), O_WRONLY | O_CREAT, 0600); /* not O_APPEND */
    dprintf(out, "%s", line_of(0, 1));
    add(f, "a.jsonl");
    tick(f, 250);
    ftruncate(out, 0);
    dprintf(out, "%s", line_of(0, 2)); /* at its old offset, behind a hole */
    tick(f, 500);
    dprintf(out, "%s", line_of(0, 3));
    tick(f, 250);
    close(out);
    assert_got(f, "0:1 0:2 0:3 ");
    assert_clean(f);
    assert_int_equal(f->totals.counts.nul_bytes, strlen(line_of(0, 1)));
}

static void a_terabyte_of_hole_takes_no_time(void **state)
{
    struct fixture *f = *state;
    int out = open(path_of(f, "a.jsonl"), O_WRONLY | O_CREAT, 0600);
    off_t hole = (off_t)1 << 40;
    if (lseek(out, hole, SEEK_SET) != hole || write(out, line_of(0, 1), 10) != 10) {
        close(out);
        skip(); /* this file system has no files of that size */
    }
    dprintf(out, "%s", line_of(0, 1) + 10);
    add(f, "a.jsonl");
    files_pump(f->files, &f->sink, f->now_ns, 10000);
    pump(f, 10000);
    assert_got(f, "0:1 ");
    assert_int_equal(f->totals.counts.nul_bytes, hole);
    assert_true(f->totals.counts.bytes < 1 << 20);
    dprintf(out, "%s", line_of(0, 2));
    close(out);
    tick(f, 250);
    assert_got(f, "0:2 ");
    assert_clean(f);
}

/* ---- deletion, replacement, links ---- */

static void a_deleted_file_may_return(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 2);
    add(f, "a.jsonl");
    tick(f, 250);
    unlink(path_of(f, "a.jsonl"));
    tick(f, 12000);
    assert_int_equal(files_state(f->files)->waiting, 1);
    put(f, "a.jsonl", 0, 3);
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 ");
    assert_int_equal(files_state(f->files)->followed, 1);
}

static void assert_gone(struct fixture *f, int count, int64_t since_ns, const char *name)
{
    const struct files_state *state = files_state(f->files);
    assert_int_equal(state->gone, count);
    if (count == 0)
        return;
    assert_int_equal(state->gone_ns, since_ns);
    assert_string_equal(state->gone_name, path_of(f, name));
}

static void what_is_gone_is_said_until_it_is_back(void **state)
{
    struct fixture *f = *state;
    put(f, "a.jsonl", 0, 1);
    put(f, "b.jsonl", 1, 1);
    add(f, "a.jsonl");
    add(f, "b.jsonl");
    add(f, "never.jsonl"); /* is waited for: it is not gone */
    tick(f, 1000);
    assert_gone(f, 0, 0, "");
    unlink(path_of(f, "b.jsonl"));
    tick(f, 250);
    int64_t b_ns = f->now_ns;
    tick(f, 4500); /* it may only be rotated */
    assert_gone(f, 0, 0, "");
    tick(f, 1000);
    assert_gone(f, 1, b_ns, "b.jsonl");
    char away[512];
    snprintf(away, sizeof(away), "%s", path_of(f, "away.jsonl"));
    rename(path_of(f, "a.jsonl"), away);
    tick(f, 250);
    int64_t a_ns = f->now_ns;
    tick(f, 3600000);
    assert_gone(f, 2, b_ns, "b.jsonl");
    put(f, "b.jsonl", 1, 2);
    tick(f, 250);
    assert_gone(f, 1, a_ns, "a.jsonl");
    rename(away, path_of(f, "a.jsonl"));
    tick(f, 250);
    assert_gone(f, 0, 0, "");
}

/* Single files of a folder come and go: it is said when none is left. */
static void a_folder_without_any_file_left_is_said(void **state)
{
    struct fixture *f = *state;
    put(f, "r0.jsonl", 0, 1);
    put(f, "r1.jsonl", 1, 1);
    add(f, "");
    tick(f, 1000);
    unlink(path_of(f, "r0.jsonl"));
    tick(f, 120000);
    assert_gone(f, 0, 0, "");
    unlink(path_of(f, "r1.jsonl"));
    tick(f, 250);
    int64_t last_ns = f->now_ns;
    tick(f, 3600000);
    assert_gone(f, 1, last_ns, "r1.jsonl");
    put(f, "r2.jsonl", 0, 2);
    put(f, "r3.jsonl", 1, 2);
    tick(f, 4000);
    assert_int_equal(files_state(f->files)->followed, 2);
    assert_gone(f, 0, 0, "");
    unlink(path_of(f, "r2.jsonl"));
    unlink(path_of(f, "r3.jsonl"));
    tick(f, 60000);
    assert_int_equal(files_state(f->files)->gone, 2);
}

static void a_file_made_anew_at_once_is_read_from_its_beginning(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 2);
    add(f, "a.jsonl");
    tick(f, 250);
    unlink(path_of(f, "a.jsonl"));
    put_steps(f, "a.jsonl", 0, 3, 6);
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 0:4 0:5 0:6 ");
}

static void an_inode_that_is_used_again_is_a_new_file(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = true, .descriptors_max = 1});
    put_steps(f, "a.jsonl", 0, 1, 2);
    put(f, "b.jsonl", 1, 1);
    add(f, "a.jsonl");
    add(f, "b.jsonl");
    tick(f, 250); /* only one of them is held open: the other inode may be used again */
    f->got_len = 0;
    unlink(path_of(f, "a.jsonl"));
    unlink(path_of(f, "b.jsonl"));
    put_steps(f, "a.jsonl", 0, 3, 4);
    put(f, "b.jsonl", 1, 5);
    tick(f, 1000);
    assert_got(f, "0:3 0:4 1:5 ");
}

static void an_atomic_replacement_is_read_from_its_beginning(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.jsonl", 0, 1, 2);
    add(f, "a.jsonl");
    tick(f, 250);
    put_steps(f, "new", 0, 3, 5);
    rename(path_of(f, "new"), path_of(f, "a.jsonl"));
    tick(f, 250);
    assert_got(f, "0:1 0:2 0:3 0:4 0:5 ");
}

static void a_symlink_that_is_turned_is_followed(void **state)
{
    struct fixture *f = *state;
    put(f, "one", 0, 1);
    put(f, "two", 0, 2);
    symlink("one", path_of(f, "now.jsonl"));
    add(f, "now.jsonl");
    tick(f, 250);
    unlink(path_of(f, "now.jsonl"));
    symlink("two", path_of(f, "now.jsonl"));
    tick(f, 250);
    assert_got(f, "0:1 0:2 ");
}

static void a_file_with_two_names_is_read_once(void **state)
{
    struct fixture *f = *state;
    put(f, "a.log", 0, 1);
    link(path_of(f, "a.log"), path_of(f, "b.log"));
    symlink("a.log", path_of(f, "c.log"));
    add(f, "a.log");
    add(f, "");
    tick(f, 1000);
    put(f, "a.log", 0, 2);
    tick(f, 1000);
    assert_got(f, "0:1 0:2 ");
    assert_int_equal(files_state(f->files)->followed, 1);
    assert_int_equal(files_state(f->files)->waiting, 0);
    unlink(path_of(f, "a.log")); /* the other name leads to it still */
    put(f, "b.log", 0, 3);
    tick(f, 12000);
    put(f, "b.log", 0, 4);
    tick(f, 250);
    assert_got(f, "0:3 0:4 ");
}

/* ---- folders and globs ---- */

static void new_files_in_a_folder_are_found(void **state)
{
    struct fixture *f = *state;
    put(f, "rank0.jsonl", 0, 1);
    put_text(f, "run.json", "w", "{}");
    put_text(f, ".hidden.log", "w", line_of(9, 9));
    put_text(f, "old.jsonl.gz", "w", "x");
    assert_int_equal(add(f, ""), 0);
    tick(f, 250);
    assert_got(f, "0:1 ");
    put(f, "rank7.jsonl", 7, 1);
    tick(f, 5250);
    assert_got(f, "7:1 ");
    assert_int_equal(files_state(f->files)->notice_count, 1);
    assert_non_null(strstr(files_state(f->files)->notices[0], "are not followed (old.jsonl.gz)"));
    assert_clean(f);
}

static void new_files_that_match_a_glob_are_found(void **state)
{
    struct fixture *f = *state;
    mkdir(path_of(f, "d1"), 0700);
    put(f, "d1/rank0.x", 0, 1);
    put(f, "d1/other.y", 5, 1);
    assert_int_equal(add(f, "d*/rank*.x"), 0);
    assert_int_equal(add(f, "w[0-9].x"), 0);
    tick(f, 250);
    assert_got(f, "0:1 ");
    mkdir(path_of(f, "d2"), 0700);
    put(f, "d2/rank1.x", 1, 1);
    put(f, "w3.x", 2, 1);
    tick(f, 5250);
    assert_int_equal(files_state(f->files)->followed, 3);
    assert_got(f, "1:1 2:1 ");
}

static void a_notice_makes_reading_prompt(void **state)
{
    struct fixture *f = *state;
    put(f, "rank0.jsonl", 0, 1);
    add(f, "");
    tick(f, 250);
    assert_int_equal(files_dir_count(f->files), 1);
    assert_string_equal(files_dir(f->files, 0), f->dir);
    put(f, "rank0.jsonl", 0, 2);
    files_hint(f->files, 0, "rank0.jsonl", false, f->now_ns);
    pump(f, 100);
    put(f, "rank1.jsonl", 1, 2);
    files_hint(f->files, 0, "rank1.jsonl", true, f->now_ns);
    files_hint(f->files, 0, "nothing", true, f->now_ns);
    pump(f, 100);
    assert_got(f, "0:1 0:2 1:2 ");
    rename(path_of(f, "rank0.jsonl"), path_of(f, "x"));
    put(f, "rank0.jsonl", 0, 3);
    files_hint(f->files, 0, "rank0.jsonl", true, f->now_ns);
    pump(f, 100);
    assert_got(f, "0:3 ");
}

static void names_that_come_and_go_are_forgotten(void **state)
{
    struct fixture *f = *state;
    add(f, "");
    for (int i = 0; i < 30; i++) {
        char name[32];
        snprintf(name, sizeof name, "log%d.log", i);
        put(f, name, 0, i);
        tick(f, 1500);
        unlink(path_of(f, name));
    }
    tick(f, 20000);
    assert_int_equal(files_state(f->files)->followed, 0);
    assert_int_equal(files_state(f->files)->waiting, 0);
    assert_non_null(strstr(f->got, "0:0 0:1 0:2 "));
    assert_non_null(strstr(f->got, "0:28 0:29 "));
}

static void a_folder_that_comes_later_is_waited_for(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(add(f, "logs"), 0);
    assert_int_equal(add(f, "more/"), 0);
    tick(f, 500);
    mkdir(path_of(f, "logs"), 0700);
    mkdir(path_of(f, "more"), 0700);
    put(f, "logs/rank1.jsonl", 1, 1);
    put(f, "more/rank2.jsonl", 2, 1);
    tick(f, 5250);
    assert_int_equal(f->got_len, 8);
    assert_non_null(strstr(f->got, "1:1 "));
    assert_non_null(strstr(f->got, "2:1 "));
}

/* ---- limits ---- */

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void more_files_than_descriptors_are_read_in_turn(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = true, .descriptors_max = 8});
    for (int rank = 0; rank < 100; rank++) {
        char name[32];
        snprintf(name, sizeof name, "rank%02d.log", rank);
        put_steps(f, name, (unsigned)rank, 0, 2);
    }
    int before = open_descriptors();
    add(f, "");
    tick(f, 250);
    assert_int_equal(open_descriptors(), before + 8);
    assert_int_equal(files_state(f->files)->followed, 100);
    assert_int_equal(files_state(f->files)->notice_count, 1);
    for (int rank = 0; rank < 100; rank++) {
        char name[32];
        snprintf(name, sizeof name, "rank%02d.log", rank);
        put(f, name, (unsigned)rank, 3);
    }
    tick(f, 500);
    int records = 0, rank = 0, step = 0;
    for (const char *at = f->got; at && *at; at = strchr(at, ' ') + 1) {
        unsigned got_rank;
        long long got_step;
        assert_int_equal(sscanf(at, "%u:%lld", &got_rank, &got_step), 2);
        assert_int_equal(got_step, step);
        assert_int_equal(got_rank, rank);
        records++;
        if (++rank == 100) {
            rank = 0;
            step++;
        }
    }
    assert_int_equal(records, 400);
    assert_int_equal(files_state(f->files)->notice_count, 1);
}

static void what_can_not_be_read_does_not_stop_the_others(void **state)
{
    struct fixture *f = *state;
    put(f, "good.log", 0, 1);
    mkfifo(path_of(f, "fifo.log"), 0600);
    symlink("loop.log", path_of(f, "loop.log"));
    symlink("/nowhere/at/all", path_of(f, "dangling.log"));
    symlink("fifo.log", path_of(f, "pipe.log"));
    add(f, "");
    tick(f, 3000);
    assert_got(f, "0:1 ");
    const struct files_state *now = files_state(f->files);
    assert_int_equal(now->followed, 1);
    assert_int_equal(now->unreadable, 2);
    assert_int_equal(now->notice_count, 2); /* once each, not at every look */
    assert_non_null(strstr(now->notices[0], "loop.log"));
    assert_non_null(strstr(now->notices[1], "pipe.log: is not a regular file"));
}

static void a_folder_without_permission_is_said_once(void **state)
{
    struct fixture *f = *state;
    if (geteuid() == 0 && seteuid(65534) != 0)
        skip();
    seteuid(0);
    mkdir(path_of(f, "closed"), 0000);
    chmod(f->dir, 0755);
    int changed = geteuid() == 0 ? seteuid(65534) : 0;
    assert_int_equal(changed, 0);
    int result = add(f, "closed");
    tick(f, 12000);
    int notices = files_state(f->files)->notice_count;
    start(f, (struct files_options){.follow = false});
    int once = add(f, "closed");
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(result, 0);
    assert_int_equal(notices, 1);
    assert_int_equal(once, -13);
    assert_non_null(strstr(f->message, "Permission denied; allow reading"));
}

/* ---- reading once ---- */

static void a_report_says_what_is_not_there(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = false});
    assert_int_equal(add(f, "no.jsonl"), -2);
    assert_non_null(strstr(f->message, "no.jsonl: No such file; check the path"));
    assert_int_equal(add(f, "no*.jsonl"), -2);
    assert_non_null(strstr(f->message, "no*.jsonl: no file matches"));
    assert_int_equal(add(f, ""), -2);
    assert_non_null(strstr(f->message, "no file in it ends in .jsonl"));
    assert_true(files_add(f->files, "/dev/null", f->message, sizeof f->message) < 0);
    assert_non_null(strstr(f->message, "neither a file nor a folder"));
    start(f, (struct files_options){.follow = true});
    assert_true(add(f, "a.jsonl.gz") < 0);
    assert_non_null(strstr(f->message, "is compressed and can't be followed"));
}

static void a_report_reads_the_last_line_without_newline(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = false});
    put_text(f, "a.jsonl", "w", "{\"rank\":0,\"step\":1,\"compute\":1}\n");
    put_text(f, "a.jsonl", "a", "{\"rank\":0,\"step\":2,\"compute\":1}");
    put_text(f, "b.jsonl", "w", "{\"rank\":1,\"step\":2,\"compute\":1}");
    assert_int_equal(add(f, "a.jsonl"), 0);
    assert_int_equal(add(f, "b.jsonl"), 0);
    assert_int_equal(add(f, "a.jsonl"), 0); /* named twice, read once */
    pump(f, 100);
    assert_got(f, "0:1 0:2 1:2 ");
    assert_int_equal(files_state(f->files)->followed, 0);
}

/* ---- the merge ---- */

static void files_are_read_side_by_side(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = false});
    put_steps(f, "a.log", 0, 1, 4);
    put_steps(f, "b.log", 1, 3, 5);
    put_steps(f, "c.log", 2, 1, 2);
    add(f, "");
    pump(f, 7);
    assert_got(f, "0:1 2:1 0:2 2:2 0:3 1:3 0:4 1:4 1:5 ");
}

static void any_budget_gives_the_same_order(void **state)
{
    struct fixture *f = *state;
    for (unsigned rank = 0; rank < 5; rank++) {
        char name[32];
        snprintf(name, sizeof name, "r%u.log", rank);
        put_steps(f, name, rank, rank, 40);
    }
    char *first = NULL;
    for (size_t budget = 1; budget < 300; budget += 7) {
        f->got_len = 0;
        start(f, (struct files_options){.follow = false});
        add(f, "");
        pump(f, budget);
        if (!first)
            first = strdup(f->got);
        assert_string_equal(f->got, first);
    }
    assert_int_equal(strlen(first) > 0, 1);
    free(first);
}

static void a_restart_waits_for_the_other_ranks(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = false});
    put_steps(f, "a.log", 0, 5, 7);
    put_steps(f, "a.log", 0, 5, 6); /* the run went back to step 5 */
    put_steps(f, "b.log", 1, 5, 8);
    put_steps(f, "b.log", 1, 5, 6);
    add(f, "");
    pump(f, 100);
    /* the first record after a restart might be a late one: it goes at once */
    assert_got(f, "0:5 1:5 0:6 1:6 0:7 1:7 0:5 1:8 1:5 0:6 1:6 ");
}

static void one_late_record_is_no_restart(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = false});
    put_steps(f, "a.log", 0, 5, 6);
    put(f, "a.log", 0, 4);
    put_steps(f, "a.log", 0, 7, 8);
    put_steps(f, "b.log", 1, 5, 8);
    add(f, "");
    pump(f, 100);
    assert_got(f, "0:5 1:5 0:6 1:6 0:4 0:7 1:7 0:8 1:8 ");
}

static void a_rank_that_ended_holds_up_nobody(void **state)
{
    struct fixture *f = *state;
    put_steps(f, "a.log", 0, 1, 2);
    put_steps(f, "b.log", 1, 1, 4);
    add(f, "");
    tick(f, 250);
    assert_got(f, "0:1 1:1 0:2 1:2 1:3 1:4 ");
    put(f, "b.log", 1, 5);
    tick(f, 250);
    assert_got(f, "1:5 ");
}

static void many_ranks_in_one_file_restart_together(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = false});
    for (int attempt = 0; attempt < 2; attempt++)
        for (long long step = 1; step <= 3; step++)
            for (unsigned rank = 0; rank < 3; rank++)
                put(f, "all.log", rank, step);
    put_steps(f, "other.log", 9, 1, 3);
    put_steps(f, "other.log", 9, 1, 3);
    add(f, "");
    pump(f, 100);
    assert_got(f, "0:1 9:1 1:1 2:1 0:2 9:2 1:2 2:2 0:3 9:3 9:1 1:3 2:3 0:1 1:1 2:1 "
                  "0:2 9:2 1:2 2:2 0:3 9:3 1:3 2:3 ");
}

/* A step a second from `begin_s` on. */
static void put_timed(struct fixture *f, const char *name, unsigned rank, long long from,
                      long long to, long long begin_s)
{
    char line[128];
    for (long long step = from; step <= to; step++) {
        snprintf(line, sizeof line, "{\"rank\":%u,\"step\":%lld,\"t\":%lld,\"step_time\":1}\n", rank,
                 step, 1700000000 + begin_s + step);
        put_text(f, name, "a", line);
    }
}

static void the_log_of_a_later_attempt_is_read_behind(void **state)
{
    static const char *const names[][3] = {{"a.log", "b.log", "c.log"},
                                           {"c.log", "a.log", "b.log"},
                                           {"b.log", "c.log", "a.log"}};
    struct fixture *f = *state;
    put_timed(f, "a.log", 0, 1, 5, 0);
    put_timed(f, "b.log", 0, 3, 8, 300); /* goes on from step 2 */
    put_timed(f, "c.log", 0, 6, 7, 400); /* the first attempt never came so far */
    put_timed(f, "d.log", 1, 1, 5, 0);
    for (size_t i = 0; i < 3; i++)
        for (size_t budget = 1; budget < 40; budget += 3) {
            f->got_len = 0;
            start(f, (struct files_options){.follow = false});
            for (int k = 0; k < 3; k++)
                assert_int_equal(add(f, names[i][k]), 0);
            assert_int_equal(add(f, "d.log"), 0);
            pump(f, budget);
            if (i == 0)
                assert_string_equal(f->got, "0:1 1:1 0:2 1:2 0:3 1:3 0:4 1:4 0:5 1:5 "
                                            "0:3 0:4 0:5 0:6 0:7 0:8 0:6 0:7 ");
            assert_non_null(strstr(f->got, "0:5 1:5 0:3 0:4 0:5 0:6 0:7 0:8 0:6 0:7 "));
        }
}

static void attempts_that_begin_at_the_same_step_are_read_one_behind_another(void **state)
{
    static const char *const names[][3] = {{"a.log", "b.log", "c.log"},
                                           {"c.log", "a.log", "b.log"},
                                           {"c.log", "b.log", "a.log"}};
    struct fixture *f = *state;
    put_timed(f, "a.log", 0, 0, 3, 0);
    put_timed(f, "b.log", 0, 0, 1, 300);
    put_timed(f, "c.log", 0, 0, 2, 600);
    put_timed(f, "d.log", 1, 0, 3, 0);
    put_timed(f, "e.log", 1, 0, 1, 300);
    for (size_t i = 0; i < 3; i++) {
        f->got_len = 0;
        start(f, (struct files_options){.follow = false});
        for (int k = 0; k < 3; k++)
            assert_int_equal(add(f, names[i][k]), 0);
        assert_int_equal(add(f, "d.log"), 0);
        assert_int_equal(add(f, "e.log"), 0);
        pump(f, 100);
        assert_string_equal(f->got, "0:0 1:0 0:1 1:1 0:2 1:2 0:3 1:3 "
                                    "0:0 1:0 0:1 1:1 0:0 0:1 0:2 ");
    }
}

static void a_log_that_begins_later_is_read_beside(void **state)
{
    struct fixture *f = *state;
    start(f, (struct files_options){.follow = false});
    put_timed(f, "a.log", 0, 1, 6, 0);
    put_timed(f, "b.log", 0, 3, 6, 9);    /* the clock of another node is ahead */
    put_timed(f, "c.log", 1, 4, 6, 3600); /* another rank's by an hour: who knows */
    add(f, "");
    pump(f, 100);
    assert_got(f, "0:1 0:2 0:3 0:3 0:4 0:4 1:4 0:5 0:5 1:5 0:6 0:6 1:6 ");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_file_that_grows_is_read_on),
        T(a_torn_line_waits_for_its_rest),
        T(bytes_that_come_singly_make_the_same_records),
        T(a_file_that_does_not_exist_yet_is_waited_for),
        T(a_million_bytes_without_newline_do_not_hide_what_follows),
        T(a_renamed_file_gives_way_to_the_new_one),
        T(late_writes_to_a_renamed_file_are_read),
        T(a_torn_line_of_a_renamed_file_gets_its_rest),
        T(between_rename_and_creation_a_file_is_waited_for),
        T(a_rename_within_the_folder_doubles_nothing),
        T(a_chain_of_renames_doubles_nothing),
        T(two_files_that_swap_names_are_read_once),
        T(rotation_in_quick_succession_loses_nothing),
        T(copy_and_truncate_reads_the_new_beginning),
        T(a_rewrite_to_the_same_size_is_noticed),
        T(a_rewrite_to_a_larger_size_is_noticed),
        T(a_rewrite_in_place_without_truncation_is_noticed),
        T(what_was_read_before_a_truncation_is_delivered),
        T(a_line_without_newline_before_a_truncation_is_a_record),
        T(the_hole_that_a_truncation_leaves_is_skipped),
        T(a_terabyte_of_hole_takes_no_time),
        T(a_deleted_file_may_return),
        T(what_is_gone_is_said_until_it_is_back),
        T(a_folder_without_any_file_left_is_said),
        T(a_file_made_anew_at_once_is_read_from_its_beginning),
        T(an_inode_that_is_used_again_is_a_new_file),
        T(an_atomic_replacement_is_read_from_its_beginning),
        T(a_symlink_that_is_turned_is_followed),
        T(a_file_with_two_names_is_read_once),
        T(new_files_in_a_folder_are_found),
        T(new_files_that_match_a_glob_are_found),
        T(a_notice_makes_reading_prompt),
        T(names_that_come_and_go_are_forgotten),
        T(a_folder_that_comes_later_is_waited_for),
        T(more_files_than_descriptors_are_read_in_turn),
        T(what_can_not_be_read_does_not_stop_the_others),
        T(a_folder_without_permission_is_said_once),
        T(a_report_says_what_is_not_there),
        T(a_report_reads_the_last_line_without_newline),
        T(files_are_read_side_by_side),
        T(any_budget_gives_the_same_order),
        T(a_restart_waits_for_the_other_ranks),
        T(one_late_record_is_no_restart),
        T(a_rank_that_ended_holds_up_nobody),
        T(many_ranks_in_one_file_restart_together),
        T(the_log_of_a_later_attempt_is_read_behind),
        T(attempts_that_begin_at_the_same_step_are_read_one_behind_another),
        T(a_log_that_begins_later_is_read_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

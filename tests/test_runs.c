/* Folders with one run, or with several that must not be read as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "formats.h"
#include "source_runs.h"

static char root[64], folder[96];

static int make_root(void **state)
{
    snprintf(root, sizeof root, "/tmp/lockstep-runs-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* An empty folder of its own for each test. */
static int make_folder(void **state)
{
    static int number;
    snprintf(folder, sizeof folder, "%s/%d", root, number++);
    return mkdir(folder, 0700);
}

/* What one file holds: steps from to last of each of these ranks, `step_s` apart, from
 * `begin_s` on. */
struct log {
    int first_rank, last_rank;
    int64_t from, last;
    double begin_s, step_s;
    bool untimed; /* no "t" */
    bool rankless;
};

static void write_log(const char *name, struct log log)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int64_t step = log.from; step <= log.last; step++) {
        for (int rank = log.first_rank; rank <= log.last_rank; rank++) {
            fputs("{", file);
            if (!log.rankless)
                fprintf(file, "\"rank\":%d,", rank);
            if (!log.untimed)
                fprintf(file, "\"t\":%.6f,", log.begin_s + (double)(step - log.from) * log.step_s);
            fprintf(file, "\"step\":%lld,\"compute\":%.6f}\n", (long long)step,
                    log.step_s * 0.9 + 1e-4 * rank + 1e-5 * (double)(step % 7));
        }
    }
    assert_int_equal(fclose(file), 0);
}

/* rank0 to rank7, one file each. */
static void write_ranks(const char *pattern, struct log log)
{
    for (int rank = 0; rank < 8; rank++) {
        char name[128];
        snprintf(name, sizeof name, "%s%d.jsonl", pattern, rank);
        log.first_rank = log.last_rank = rank;
        write_log(name, log);
    }
}

static struct folder_runs looked(const char *which)
{
    struct folder_runs runs;
    assert_int_equal(runs_look(folder, which, NULL, &runs), 0);
    return runs;
}

static void expect_runs(int count)
{
    struct folder_runs runs = looked(NULL);
    if (runs.count != count) {
        char text[RUNS_TEXT_BYTES];
        runs_say(folder, &runs, text);
        print_error("expected %d: %s\n", count, text);
    }
    assert_int_equal(runs.count, count);
}

/* ---- several runs ---- */

static void two_runs_with_a_file_a_rank_are_two(void **state)
{
    char text[RUNS_TEXT_BYTES], expected[512];
    write_ranks("a-rank", (struct log){.from = 1, .last = 500, .begin_s = 1000, .step_s = 1});
    write_ranks("b-rank", (struct log){.from = 1, .last = 480, .begin_s = 9000, .step_s = 1});
    struct folder_runs runs = looked(NULL);
    assert_int_equal(runs.count, 2);
    assert_int_equal(runs.matches, 16);
    runs_say(folder, &runs, text);
    snprintf(expected, sizeof expected,
             "%s: holds two runs: a-rank*.jsonl (8 files, steps 1 to 500), b-rank*.jsonl (8 files, "
             "steps 1 to 480)",
             folder);
    assert_string_equal(text, expected);
}

static void a_run_can_be_chosen(void **state)
{
    write_ranks("a-rank", (struct log){.from = 1, .last = 50, .begin_s = 1000, .step_s = 1});
    write_ranks("b-rank", (struct log){.from = 1, .last = 60, .begin_s = 9000, .step_s = 1});
    static const char *const choices[] = {"b", "b-rank", "b-rank*", "b-rank*.jsonl", "b*"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct folder_runs runs = looked(choices[i]);
        assert_int_equal(runs.count, 1);
        assert_int_equal(runs.matches, 8);
        assert_int_equal(runs.runs[0].last_step, 60);
        assert_string_equal(runs.runs[0].pattern, "b-rank*.jsonl");
    }
    assert_int_equal(looked("c").matches, 0);
    assert_int_equal(looked("rank").matches, 0);
    assert_int_equal(looked("*rank*").count, 2);
}

/* Names that begin alike, with something else than ranks in them. */
static void write_processes(int first_process, double begin_s)
{
    for (int rank = 0; rank < 4; rank++) {
        char name[64];
        snprintf(name, sizeof name, "node%d-pid%d.jsonl", rank / 2, first_process + rank);
        write_log(name, (struct log){rank, rank, 1, 50, begin_s, 1, false, false});
    }
}

static void each_pattern_names_one_run_alone(void **state)
{
    write_processes(4000, 1000);
    write_processes(5000, 9000);
    struct folder_runs runs = looked(NULL);
    assert_int_equal(runs.count, 2);
    assert_string_equal(runs.runs[0].pattern, "node?-pid400?.jsonl");
    assert_string_equal(runs.runs[1].pattern, "node?-pid500?.jsonl");
    assert_false(runs.runs[0].unclear);
    assert_int_equal(looked("node?-pid500?.jsonl").count, 1);
    assert_int_equal(looked("node?-pid500?.jsonl").matches, 4);
}

static void names_that_tell_nothing_are_called_so(void **state)
{
    write_processes(4998, 1000);
    write_processes(5002, 9000);
    struct folder_runs runs = looked(NULL);
    assert_int_equal(runs.count, 2);
    assert_true(runs.runs[0].unclear);
}

static void runs_in_one_file_each_are_told_apart(void **state)
{
    struct log log = {.last_rank = 7, .from = 0, .last = 200, .begin_s = 1000, .step_s = 1};
    write_log("run1.jsonl", log); /* the number is no rank */
    log.begin_s = 5000;
    write_log("run2.jsonl", log);
    log.begin_s = 9000;
    write_log("run3.jsonl", log);
    expect_runs(3);
    assert_int_equal(looked("run2.jsonl").count, 1);
    assert_int_equal(looked("run2.jsonl").matches, 1);
}

/* What begins in the middle of the other is found there: 100,000 steps are not read. */
static void steps_that_overlap_in_the_middle_are_enough(void **state)
{
    struct log log = {.from = 0, .last = 50000, .begin_s = 1000, .step_s = 1};
    write_log("a-rank0.jsonl", log);
    log = (struct log){.from = 20000, .last = 90000, .begin_s = 3000, .step_s = 1};
    write_log("b-rank0.jsonl", log);
    expect_runs(2);
}

static void without_times_the_values_tell(void **state)
{
    struct log log = {.from = 0, .last = 100, .step_s = 1, .untimed = true};
    write_ranks("a-rank", log);
    log.step_s = 1.1;
    write_ranks("b-rank", log);
    expect_runs(2);
}

static void ranks_from_the_names_count_too(void **state)
{
    struct log log = {.from = 0, .last = 100, .begin_s = 50, .step_s = 1, .rankless = true};
    write_ranks("a-rank", log);
    log.begin_s = 7000;
    write_ranks("b-rank", log);
    expect_runs(2);
}

static void pack(const char *name)
{
    static char plain[1 << 20], packed[1 << 20];
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    size_t size = fread(plain, 1, sizeof plain, file);
    fclose(file);
    assert_int_equal(remove(path), 0);
    size = ZSTD_compress(packed, sizeof packed, plain, size, 3);
    assert_false(ZSTD_isError(size));
    strcat(path, ".zst");
    file = fopen(path, "w");
    assert_int_equal(fwrite(packed, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void compressed_logs_are_looked_into(void **state)
{
    struct log log = {.last_rank = 7, .from = 0, .last = 300, .begin_s = 1000, .step_s = 1};
    write_log("monday.jsonl", log);
    pack("monday.jsonl");
    log.begin_s = 90000;
    write_log("tuesday.jsonl", log);
    expect_runs(2);
    pack("tuesday.jsonl");
    expect_runs(2);
    assert_string_equal(looked("m").runs[0].pattern, "monday.jsonl.zst");
}

/* ---- one run ---- */

static void files_of_ranks_are_one_run(void **state)
{
    write_ranks("rank", (struct log){.from = 0, .last = 100, .begin_s = 1000, .step_s = 1});
    expect_runs(1);
    assert_string_equal(looked(NULL).runs[0].pattern, "rank*.jsonl");
    assert_int_equal(looked(NULL).runs[0].files, 8);
}

static void hosts_with_other_ranks_are_one_run(void **state)
{
    struct log log = {.last_rank = 7, .from = 0, .last = 100, .begin_s = 1000, .step_s = 1};
    write_log("host0.jsonl", log);
    log.first_rank = 8, log.last_rank = 15;
    write_log("host1.jsonl", log);
    log.first_rank = 16, log.last_rank = 23;
    write_log("nodeC.jsonl", log);
    expect_runs(1);
}

static void parts_that_follow_each_other_are_one_run(void **state)
{
    struct log log = {.from = 0, .last = 99, .begin_s = 1000, .step_s = 1};
    write_ranks("rank", log);
    log = (struct log){.from = 100, .last = 199, .begin_s = 1100, .step_s = 1};
    write_ranks("part2-rank", log);
    expect_runs(1);
    assert_int_equal(looked(NULL).runs[0].files, 16);
    assert_int_equal(looked(NULL).runs[0].last_step, 199);
}

/* It went back to the checkpoint at 80, later, and in new files. */
static void what_went_on_after_a_restart_is_the_same_run(void **state)
{
    struct log log = {.from = 0, .last = 99, .begin_s = 1000, .step_s = 1};
    write_ranks("a-rank", log);
    log = (struct log){.from = 80, .last = 300, .begin_s = 2000, .step_s = 1};
    write_ranks("b-rank", log);
    expect_runs(1);
    log.untimed = true;
    write_ranks("b-rank", log);
    expect_runs(1);
}

static void a_copy_is_the_same_run(void **state)
{
    struct log log = {.from = 0, .last = 99, .begin_s = 1000, .step_s = 1};
    write_ranks("rank", log);
    write_ranks("copy-rank", log);
    expect_runs(1);
    log.last_rank = 7;
    write_log("all.jsonl", log);
    expect_runs(1);
}

/* The records that both have are the same, though one began to log later. */
static void a_later_copy_is_the_same_run(void **state)
{
    struct log log = {.from = 0, .last = 40000, .begin_s = 1000, .step_s = 1};
    write_log("rank0.jsonl", log);
    log = (struct log){.from = 21000, .last = 40000, .begin_s = 22000, .step_s = 1};
    write_log("recorded-rank0.jsonl", log);
    expect_runs(1);
}

static void what_is_no_record_is_no_run(void **state)
{
    char path[256];
    struct log log = {.from = 0, .last = 99, .begin_s = 1000, .step_s = 1};
    expect_runs(0);
    write_ranks("rank", log);
    snprintf(path, sizeof path, "%s/rank0.out", folder);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 100000; i++)
        fprintf(file, "step %d loss 2.31\n", i);
    fclose(file);
    snprintf(path, sizeof path, "%s/empty.log", folder);
    fclose(fopen(path, "w"));
    expect_runs(1);
    struct folder_runs runs;
    assert_int_equal(runs_look("/no/such/folder", NULL, NULL, &runs), -ENOENT);
}

/* ---- logs of a whole job ---- */

#define DUMP_LINES 2000 /* of settings, in front of the steps: more than is read at once */

/* `spread` and `seed`: how much a step differs from the next, and in which way. `apart`: what this
 * node's clock adds to each value. */
static void write_job(const char *name, bool stamped, unsigned begin_minute, double step_ms,
                      double spread, unsigned seed, double apart)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < DUMP_LINES; i++)
        fprintf(file, "  setting_%d ................................... %d\n", i, i);
    for (int step = 1; step <= 40; step++) {
        seed = seed * 1103515245 + 12345;
        double ms = step_ms * (1 + spread * ((seed >> 16) % 1000 / 500.0 - 1)) + apart;
        if (step == 1)
            ms = 9 * step_ms;
        if (stamped)
            fprintf(file, "[2026-05-11 02:%02u:%02d.145289] ", begin_minute, step);
        fprintf(file,
                "iteration %8d/     100 | consumed samples: %12d | elapsed time per iteration "
                "(ms): %.1f | learning rate: 1.0E-04 | global batch size:   256 | lm loss: "
                "1.0E+01 | loss scale: 1.0 |\n",
                step, 256 * step, ms);
    }
    assert_int_equal(fclose(file), 0);
}

static int job_runs(void)
{
    struct formats *formats = formats_new();
    struct folder_runs runs;
    assert_int_equal(runs_look(folder, NULL, formats, &runs), 0);
    formats_free(formats);
    return runs.count;
}

static void what_each_node_writes_of_a_job_is_one_run(void **state)
{
    write_job("node-a.log", true, 10, 900, 0.02, 1, 0);
    write_job("node-b.log", true, 10, 900, 0.02, 1, 1.3);
    assert_int_equal(job_runs(), 1);
}

static void without_stamps_the_ups_and_downs_tell(void **state)
{
    write_job("node-a.log", false, 0, 900, 0.05, 1, 0);
    write_job("node-b.log", false, 0, 900, 0.05, 1, 2.5);
    assert_int_equal(job_runs(), 1);
    write_job("other.log", false, 0, 900, 0.05, 77, 0);
    assert_int_equal(job_runs(), 2);
}

static void logs_of_two_jobs_are_two_runs(void **state)
{
    write_job("monday.log", true, 10, 900, 0.01, 1, 0);
    write_job("tuesday.log", true, 40, 900, 0.01, 1, 0);
    assert_int_equal(job_runs(), 2);
    assert_int_equal(looked(NULL).count, 0); /* without formats there is no record */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(two_runs_with_a_file_a_rank_are_two, make_folder),
        cmocka_unit_test_setup(a_run_can_be_chosen, make_folder),
        cmocka_unit_test_setup(each_pattern_names_one_run_alone, make_folder),
        cmocka_unit_test_setup(names_that_tell_nothing_are_called_so, make_folder),
        cmocka_unit_test_setup(runs_in_one_file_each_are_told_apart, make_folder),
        cmocka_unit_test_setup(steps_that_overlap_in_the_middle_are_enough, make_folder),
        cmocka_unit_test_setup(without_times_the_values_tell, make_folder),
        cmocka_unit_test_setup(ranks_from_the_names_count_too, make_folder),
        cmocka_unit_test_setup(compressed_logs_are_looked_into, make_folder),
        cmocka_unit_test_setup(files_of_ranks_are_one_run, make_folder),
        cmocka_unit_test_setup(hosts_with_other_ranks_are_one_run, make_folder),
        cmocka_unit_test_setup(parts_that_follow_each_other_are_one_run, make_folder),
        cmocka_unit_test_setup(what_went_on_after_a_restart_is_the_same_run, make_folder),
        cmocka_unit_test_setup(a_copy_is_the_same_run, make_folder),
        cmocka_unit_test_setup(a_later_copy_is_the_same_run, make_folder),
        cmocka_unit_test_setup(what_is_no_record_is_no_run, make_folder),
        cmocka_unit_test_setup(what_each_node_writes_of_a_job_is_one_run, make_folder),
        cmocka_unit_test_setup(without_stamps_the_ups_and_downs_tell, make_folder),
        cmocka_unit_test_setup(logs_of_two_jobs_are_two_runs, make_folder),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}

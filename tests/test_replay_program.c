/* `lockstep replay` as a user meets it, and the same keys in `watch`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static char scratch[64];  /* a folder of our own */
static char logs[96];     /* 8 ranks, 200 steps, rank 5 slow by a fifth; a file a rank */
static char one_file[96]; /* the same, in one file */

static int make_scratch(void **state)
{
    snprintf(scratch, sizeof scratch, "/tmp/lockstep-replay-XXXXXX");
    if (!mkdtemp(scratch))
        return -1;
    snprintf(logs, sizeof logs, "%s/logs", scratch);
    snprintf(one_file, sizeof one_file, "%s/all.jsonl", scratch);
    return program_run(NULL, LIST("feed", "--to", logs, "--steps", "200", "--speed", "max",
                                  "--slow", "5:1.2")) ||
           program_run(one_file,
                       LIST("feed", "--steps", "200", "--speed", "max", "--slow", "5:1.2"));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    return remove(path);
}

static int remove_scratch(void **state)
{
    return nftw(scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void start(struct program *program, const char *const *arguments)
{
    program_start(program, &(struct program_options){0}, arguments);
}

static void leave(struct program *program)
{
    program_keys(program, "q");
    int status = program_wait(program, 5000, true);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(terminal_is_restored(&program->terminal));
    program_finish(program);
}

static void steps_are_gone_to_by_number_share_and_one_by_one(void **state)
{
    struct program program;
    start(&program, LIST("replay", "--paused", logs));
    assert_true(program_shows(&program, "step 0"));
    program_keys(&program, ":120\r");
    assert_true(program_shows(&program, "step 120 "));
    assert_true(program_shows(&program, "straggler: rank 5"));
    program_keys(&program, ",,");
    assert_true(program_shows(&program, "step 118 "));
    program_keys(&program, "\x1b[6~");
    assert_true(program_shows(&program, "step 128 "));
    program_keys(&program, ":50%\r");
    assert_true(program_shows(&program, "step 100 "));
    program_keys(&program, ":+7\r");
    assert_true(program_shows(&program, "step 107 "));
    program_keys(&program, "G");
    assert_true(program_shows(&program, "step 199 "));
    program_keys(&program, ".");
    assert_true(program_shows(&program, "step 199 is the last of the run"));
    program_keys(&program, ":777\r");
    assert_true(program_shows(&program, "there is no such step: this is the nearest"));
    program_keys(&program, ":gestern\r");
    assert_true(program_shows(&program, "that is no place"));
    program_keys(&program, "g");
    assert_true(program_shows(&program, "step 0 "));
    program_keys(&program, ",");
    assert_true(program_shows(&program, "the first step of the run"));
    leave(&program);
}

static void it_plays_to_the_end_and_again(void **state)
{
    struct program program;
    start(&program, LIST("replay", "--speed", "400", one_file));
    assert_true(program_shows(&program, "the end of the run"));
    assert_true(program_shows(&program, "step 199 "));
    program_keys(&program, " ");
    assert_true(program_hides(&program, "step 199 "));
    program_keys(&program, " ");
    assert_true(program_shows(&program, "PAUSED"));
    program_keys(&program, "]");
    assert_true(program_shows(&program, "800 x the pace of the run"));
    program_keys(&program, "\\");
    assert_true(program_shows(&program, "1 x the pace of the run"));
    program_keys(&program, "i");
    assert_true(program_shows(&program, "pauses of the run are cut to 5 s"));
    program_keys(&program, "i");
    assert_true(program_shows(&program, "pauses of the run are as long as they were"));
    leave(&program);
}

static void it_begins_where_it_is_told_to(void **state)
{
    struct program program;
    start(&program, LIST("replay", "--paused", "--at", "75", one_file));
    assert_true(program_shows(&program, "step 75 "));
    leave(&program);
    start(&program, LIST("replay", "--paused", "--at", "100%", logs));
    assert_true(program_shows(&program, "step 199 "));
    leave(&program);
    start(&program, LIST("replay", "--paused", "--at", "nowhere", logs));
    assert_true(program_shows(&program, "that is no place"));
    assert_true(program_shows(&program, "step 0"));
    leave(&program);
}

static void events_and_bookmarks_are_gone_to(void **state)
{
    struct program program;
    start(&program, LIST("replay", "--paused", "--at", "150", one_file));
    assert_true(program_shows(&program, "step 150 "));
    program_keys(&program, "m");
    assert_true(program_shows(&program, "a bookmark on step 150"));
    program_keys(&program, "{");
    assert_true(program_shows(&program, "straggler, rank 5 begins"));
    program_keys(&program, "'");
    assert_true(program_shows(&program, "step 150 "));
    program_keys(&program, "'");
    assert_true(program_shows(&program, "no bookmark after this step"));
    program_keys(&program, "m");
    assert_true(program_shows(&program, "is taken away"));
    program_keys(&program, "\"");
    assert_true(program_shows(&program, "no bookmark yet"));
    leave(&program);
}

/* A step that is gone to is looked at: the run does not play on from there. */
static void who_goes_to_a_step_stands_there(void **state)
{
    static const struct {
        const char *keys, *seen;
    } ways[] = {
        {":60\r", "step 60 "}, {"{", "straggler, rank 5 begins"},
        {"g", "step 0 "},      {"MHg\r", "step 0 "},
        {"E\r", "straggler, rank 5 begins; it was named at step"},
    };
    struct program program;
    start(&program, LIST("replay", "--paused", "--at", "150", one_file));
    assert_true(program_shows(&program, "step 150 "));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        program_keys(&program, " ");
        assert_true(program_hides(&program, "PAUSED"));
        program_keys(&program, ways[i].keys);
        assert_true(program_shows(&program, "PAUSED"));
        assert_true(program_shows(&program, ways[i].seen));
    }
    leave(&program);
}

static void a_log_that_is_deleted_meanwhile_is_told(void **state)
{
    struct program program;
    char path[128];
    snprintf(path, sizeof path, "%s/gone.jsonl", scratch);
    assert_int_equal(program_run(path, LIST("feed", "--steps", "200", "--speed", "max")), 0);
    start(&program, LIST("replay", "--paused", path));
    assert_true(program_shows(&program, "step 0"));
    program_keys(&program, ":100\r");
    assert_true(program_shows(&program, "step 100 "));
    assert_int_equal(truncate(path, 3000), 0);
    program_keys(&program, ":10\r");
    assert_true(program_shows(&program, "a log was changed, cut short or deleted"));
    program_keys(&program, "\t\t?");
    assert_true(program_shows(&program, "show or leave this page"));
    leave(&program);
}

static void the_same_keys_look_back_in_watch(void **state)
{
    struct program program;
    start(&program, LIST("watch", logs));
    assert_true(program_shows(&program, "step 199"));
    program_keys(&program, ":120\r");
    assert_true(program_shows(&program, "step 120 (79 back)"));
    program_keys(&program, "m");
    assert_true(program_shows(&program, "a bookmark on step 120"));
    program_keys(&program, ":-20\r");
    assert_true(program_shows(&program, "step 100 (99 back)"));
    program_keys(&program, "'");
    assert_true(program_shows(&program, "step 120 (79 back)"));
    program_keys(&program, "{");
    assert_true(program_shows(&program, "straggler, rank 5 begins"));
    program_keys(&program, ":9999\r");
    assert_true(program_shows(&program, "there is no step 9999"));
    program_keys(&program, "]");
    assert_true(program_shows(&program, "only in a replay"));
    program_keys(&program, "G");
    assert_true(program_shows(&program, "LIVE"));
    leave(&program);
}

/* Of the whole run: what the last steps say nothing about any more is found too. */
static void a_straggler_of_long_ago_is_found_in_watch(void **state)
{
    struct program program;
    char past[128];
    snprintf(past, sizeof past, "%s/past", scratch);
    assert_int_equal(program_run(NULL, LIST("feed", "--to", past, "--steps", "600", "--speed",
                                            "max", "--jitter", "0.2", "--slow", "5:1.3@40-80")),
                     0);
    start(&program, LIST("watch", past));
    assert_true(program_shows(&program, "step 599"));
    program_keys(&program, "N");
    assert_true(program_shows(&program, "step 40 (559 back)"));
    program_keys(&program, "N");
    assert_true(program_shows(&program, "no straggler begins before this step"));
    leave(&program);
}

/* ---- without a terminal ---- */

static char *contents(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static void without_a_terminal_there_is_a_line_a_step(void **state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/lines.txt", scratch);
    assert_int_equal(program_run(path, LIST("replay", logs)), 0);
    const char *text = contents(path);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 200);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "step 0  "));
    assert_non_null(strstr(text, "step 199  "));
    assert_int_equal(program_run(path, LIST("replay", "--at", "190", logs)), 0);
    assert_true(strncmp(contents(path), "simulated  step 190", 19) == 0);
}

/* Simulated runs begin at 2027-01-15 08:00:00 UTC; step 51 is the first after 08:01. */
static void times_are_those_that_are_shown_whatever_the_zone(void **state)
{
    char path[128], *zone = strdup(getenv("TZ") ? getenv("TZ") : "UTC");
    snprintf(path, sizeof path, "%s/lines.txt", scratch);
    setenv("TZ", "Elsewhere-9", 1);
    assert_int_equal(program_run(path, LIST("replay", "--at", "08:01", logs)), 0);
    setenv("TZ", zone, 1);
    free(zone);
    assert_true(strncmp(contents(path), "simulated  step 51  ", 20) == 0);
}

static void what_cannot_be_replayed_is_refused(void **state)
{
    assert_int_equal(program_run(NULL, LIST("replay")), 2);
    assert_int_equal(program_run(NULL, LIST("replay", "-")), 2);
    assert_int_equal(program_run(NULL, LIST("replay", "udp://:9999")), 2);
    assert_int_equal(program_run(NULL, LIST("replay", "/nonexistent")), 1);
    assert_int_equal(program_run(NULL, LIST("replay", "--at", "soon", logs)), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_gone_to_by_number_share_and_one_by_one),
        cmocka_unit_test(it_plays_to_the_end_and_again),
        cmocka_unit_test(it_begins_where_it_is_told_to),
        cmocka_unit_test(events_and_bookmarks_are_gone_to),
        cmocka_unit_test(who_goes_to_a_step_stands_there),
        cmocka_unit_test(a_log_that_is_deleted_meanwhile_is_told),
        cmocka_unit_test(the_same_keys_look_back_in_watch),
        cmocka_unit_test(a_straggler_of_long_ago_is_found_in_watch),
        cmocka_unit_test(without_a_terminal_there_is_a_line_a_step),
        cmocka_unit_test(times_are_those_that_are_shown_whatever_the_zone),
        cmocka_unit_test(what_cannot_be_replayed_is_refused),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}

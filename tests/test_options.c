/* The command line: what is taken, and what is said of what isn't. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "options.h"

#define ARGUMENTS_MAX 16

/* Words separated by blanks, "" for an empty one. */
static int parse(struct options *options, unsigned command, const char *line, char *error)
{
    static char words[1024];
    static char *argv[ARGUMENTS_MAX + 1];
    int argc = 0;
    strcpy(words, line);
    for (char *word = strtok(words, " "); word && argc < ARGUMENTS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    error[0] = '\0';
    return options_parse(options, command, argc, argv, error, 256);
}

static void options_and_sources_mix(void **state)
{
    struct options options;
    char error[256];
    assert_int_equal(parse(&options, COMMAND_REPORT,
                           "report a --json b --from 5 --to=99 -- --c - --gpus", error),
                     0);
    assert_true(options.json);
    assert_int_equal(options.from_step, 5);
    assert_int_equal(options.to_step, 99);
    assert_int_equal(options.source_count, 5);
    assert_string_equal(options.sources[0], "a");
    assert_string_equal(options.sources[1], "b");
    assert_string_equal(options.sources[2], "--c");
    assert_string_equal(options.sources[3], "-");
    assert_string_equal(options.sources[4], "--gpus");
    assert_int_equal(parse(&options, COMMAND_REPORT, "report -", error), 0);
    assert_string_equal(options.sources[0], "-");
    assert_int_equal(options.from_step, INT64_MIN);
    assert_int_equal(options.to_step, INT64_MAX);
}

static void numbers_have_units_and_bounds(void **state)
{
    struct options options;
    char error[256];
    assert_int_equal(parse(&options, COMMAND_WATCH,
                           "watch --params 405B --gpus 16k --tokens 16M --peak 989 --threshold 3 "
                           "--window 100 --memory 64 x",
                           error),
                     0);
    assert_true(options.run.params == 405e9);
    assert_true(options.run.gpus == 16000);
    assert_true(options.run.tokens_per_step == 16e6);
    assert_true(options.run.peak_flops == 989e12);
    assert_true(options.run.threshold == 0.03);
    assert_int_equal(options.run.window, 100);
    assert_int_equal(options.memory_bytes, 64 << 20);
}

static void what_is_wrong_is_said(void **state)
{
    static const struct {
        unsigned command;
        const char *line, *part;
    } rows[] = {
        {COMMAND_REPORT, "report --nonsense", "unknown option --nonsense"},
        {COMMAND_REPORT, "report -x", "unknown option -x"},
        {COMMAND_REPORT, "report -hx", "unknown option -hx"},
        {COMMAND_REPORT, "report --fps 5", "unknown option --fps"},
        {COMMAND_WATCH, "watch --json", "unknown option --json"},
        {COMMAND_REPORT, "report --json=1", "takes no argument"},
        {COMMAND_REPORT, "report --from", "needs an argument: STEP"},
        {COMMAND_REPORT, "report --from 10 --to 5", "--from is after --to"},
        {COMMAND_REPORT, "report --from -1", "whole number from 0"},
        {COMMAND_REPORT, "report --gpus 0", "--gpus takes a number from 1"},
        {COMMAND_REPORT, "report --gpus nan", "not 'nan'"},
        {COMMAND_REPORT, "report --gpus=", "not ''"},
        {COMMAND_REPORT, "report --window 1", "--window takes a whole number from 2 to 1000"},
        {COMMAND_REPORT, "report --window 1001", "--window"},
        {COMMAND_REPORT, "report --window 5.5", "not '5.5'"},
        {COMMAND_REPORT, "report --attention half", "full, causal or none"},
        {COMMAND_REPORT, "report --barrier before", "auto, after or overlapped"},
        {COMMAND_REPORT, "report --params 1e19", "--params"},
        {COMMAND_REPORT, "report --memory 0", "--memory"},
        {COMMAND_DEMO, "demo --slow 5", "RANK:FACTOR"},
        {COMMAND_DEMO, "demo --slow 5:0", "RANK:FACTOR"},
        {COMMAND_DEMO, "demo --slow :2", "RANK:FACTOR"},
        {COMMAND_DEMO, "demo --jitter 51", "--jitter"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct options options;
        char error[256];
        int result = parse(&options, rows[i].command, rows[i].line, error);
        if (result != -1 || !strstr(error, rows[i].part))
            print_error("row %zu: '%s': %d '%s'\n", i, rows[i].line, result, error);
        assert_int_equal(result, -1);
        assert_non_null(strstr(error, rows[i].part));
    }
}

static void the_command_line_overrides_the_file(void **state)
{
    struct options options;
    char error[256];
    struct run run;
    run_init(&run);
    run.params = 7e9;
    run.layers = 32;
    run.peak_flops = 312e12;
    strcpy(run.chip, "A100");
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --params 8B --chip H100 x", error), 0);
    options_apply_run(&options, &run);
    assert_true(run.params == 8e9);
    assert_true(run.layers == 32);
    assert_string_equal(run.chip, "H100");
    assert_true(run.peak_flops == 0); /* another chip: not the file's peak */
    assert_int_equal(run.window, 50);
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --chip X --peak 5 x", error), 0);
    options_apply_run(&options, &run);
    assert_true(run.peak_flops == 5e12);
}

static void the_slow_rank_of_the_demo(void **state)
{
    struct options options;
    char error[256];
    assert_int_equal(parse(&options, COMMAND_DEMO, "demo", error), 0);
    assert_int_equal(options.slow_rank, 5);
    assert_int_equal(parse(&options, COMMAND_DEMO, "demo --slow none", error), 0);
    assert_int_equal(options.slow_rank, -1);
    assert_int_equal(parse(&options, COMMAND_DEMO, "demo --slow 3:1.25 -U -h", error), 0);
    assert_int_equal(options.slow_rank, 3);
    assert_true(options.slow_factor == 1.25);
    assert_true(options.ascii && options.help);
}

static void count_line(void *to, const char *line)
{
    int *lines = to;
    (*lines)++;
    assert_true(strlen(line) > 10 && strlen(line) < 120);
}

static void help_has_a_line_for_each_option(void **state)
{
    int lines[3] = {0};
    options_help(COMMAND_REPORT, count_line, &lines[0]);
    options_help(COMMAND_WATCH, count_line, &lines[1]);
    options_help(COMMAND_ANY, count_line, &lines[2]);
    assert_true(lines[0] > 15 && lines[1] > 15);
    assert_int_equal(lines[2], OPTION_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_sources_mix),
        cmocka_unit_test(numbers_have_units_and_bounds),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(the_command_line_overrides_the_file),
        cmocka_unit_test(the_slow_rank_of_the_demo),
        cmocka_unit_test(help_has_a_line_for_each_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

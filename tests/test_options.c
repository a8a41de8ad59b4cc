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

static void a_share_is_a_number_or_a_percentage(void **state)
{
    struct options options;
    char error[256];
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --recompute 50% --lora 2% x", error),
                     0);
    assert_int_equal(options.run.recompute, RECOMPUTE_SHARE);
    assert_true(options.run.recompute_share == 0.5 && options.run.lora_share == 0.02);
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --recompute 0.25 --lora 1", error), 0);
    assert_true(options.run.recompute_share == 0.25 && options.run.lora_share == 1);
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --recompute 100%", error), 0);
    assert_int_equal(options.run.recompute, RECOMPUTE_FULL);
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --recompute 0", error), 0);
    assert_int_equal(options.run.recompute, RECOMPUTE_NONE);
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --recompute selective", error), 0);
    assert_int_equal(options.run.recompute, RECOMPUTE_SELECTIVE);
}

static void a_job_is_described_by_options_alone(void **state)
{
    struct options options;
    char error[256];
    struct run run;
    run_init(&run);
    assert_int_equal(parse(&options, COMMAND_WATCH,
                           "watch --format fp8 --total-tokens 15.6T --price 2 --watts 700 --tp 8 "
                           "--pp 16 --dp=128 --order dp-tp-pp x",
                           error),
                     0);
    options_apply_run(&options, &run);
    assert_int_equal(run.format, NUMBER_FP8);
    assert_true(run.total_tokens == 15.6e12 && run.gpu_hour_price == 2 && run.gpu_watts == 700);
    assert_true(run.tp == 8 && run.pp == 16 && run.dp == 128);
    assert_string_equal(run.order, "dp-tp-pp");
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
        {COMMAND_REPORT, "report --gpus -8", "--gpus takes a number from 1 to 1e+07, not '-8'"},
        {COMMAND_REPORT, "report --gpus 7.5", "--gpus takes a whole number, not '7.5'"},
        {COMMAND_REPORT, "report --params 0", "--params takes a number from 1 to 1e+18, not '0'"},
        {COMMAND_REPORT, "report --params -7B", "--params takes a number from 1 to 1e+18"},
        {COMMAND_REPORT, "report --params inf", "--params takes a number"},
        {COMMAND_REPORT, "report --active-params 0", "--active-params takes a number from 1"},
        {COMMAND_REPORT, "report --params 7B --active-params 17B",
         "--active-params: active parameters (1.7e+10) are more than all parameters (7e+09)"},
        {COMMAND_REPORT, "report --layers 0", "--layers takes a number from 1"},
        {COMMAND_REPORT, "report --layers 1.5", "--layers takes a whole number, not '1.5'"},
        {COMMAND_REPORT, "report --peak 0", "--peak takes a number from 1e-06 to 1e+08, not '0'"},
        {COMMAND_REPORT, "report --tokens 0", "--tokens takes a number from 1 to 1e+15, not '0'"},
        {COMMAND_REPORT, "report --total-tokens -1",
         "--total-tokens takes a number from 1 to 1e+18"},
        {COMMAND_REPORT, "report --price -2", "--price takes a number from 0 to 1e+06, not '-2'"},
        {COMMAND_REPORT, "report --price nan", "--price takes a number from 0 to 1e+06, not 'nan'"},
        {COMMAND_REPORT, "report --watts -1", "--watts takes a number from 0 to 1e+06, not '-1'"},
        {COMMAND_REPORT, "report --recompute some",
         "--recompute takes none, selective, full, or a share of the layers such as 0.5 or 50%, "
         "not 'some'"},
        {COMMAND_REPORT, "report --recompute 50", "a share of the layers such as 0.5 or 50%"},
        {COMMAND_REPORT, "report --recompute -1%", "not '-1%'"},
        {COMMAND_REPORT, "report --recompute %", "not '%'"},
        {COMMAND_REPORT, "report --lora 0",
         "--lora takes the share of the parameters that is "
         "trained, over 0, such as 0.02 or 2%, not '0'"},
        {COMMAND_REPORT, "report --lora 101%", "not '101%'"},
        {COMMAND_REPORT, "report --number-format int8",
         "--number-format takes bf16, tf32, fp8 or fp16"},
        {COMMAND_CALC, "calc --format int8", "--format takes bf16, tf32, fp8 or fp16"},
        {COMMAND_DEMO, "demo --format megatron", "--format takes bf16, tf32, fp8 or fp16"},
        {COMMAND_REPORT, "report --tp 0", "--tp takes a whole number from 1 to 1048576, not '0'"},
        {COMMAND_REPORT, "report --pp x", "--pp takes a whole number"},
        {COMMAND_REPORT, "report --dp 1e3", "--dp takes a whole number"},
        {COMMAND_REPORT, "report --order tp-dp", "--order takes tp, dp and pp, each once"},
        {COMMAND_REPORT, "report --order tp-dp-dp", "not 'tp-dp-dp'"},
        {COMMAND_REPORT, "report --order tp-dp-pp-", "not 'tp-dp-pp-'"},
        {COMMAND_REPORT, "report --gpus=", "not ''"},
        {COMMAND_REPORT, "report --window 1", "--window takes a whole number from 2 to 1000"},
        {COMMAND_REPORT, "report --window 1001", "--window"},
        {COMMAND_REPORT, "report --window 5.5", "not '5.5'"},
        {COMMAND_REPORT, "report --attention half", "full, causal or none"},
        {COMMAND_REPORT, "report --barrier before", "auto, after or overlapped"},
        {COMMAND_REPORT, "report --params 1e19", "--params"},
        {COMMAND_REPORT, "report --memory 0", "--memory"},
        {COMMAND_REPORT, "report --memory 1e999", "--memory"},
        {COMMAND_REPORT, "report --close-lag 0", "--close-lag takes"},
        {COMMAND_REPORT, "report --max-ranks -1", "--max-ranks takes"},
        {COMMAND_REPORT, "report --hidden nan", "--hidden takes a number"},
        {COMMAND_REPORT, "report --sequence 1e999", "--sequence takes a number"},
        {COMMAND_REPORT, "report --threshold 0", "--threshold takes a number from 0.1 to 1000"},
        {COMMAND_REPORT, "report --threshold inf", "--threshold takes a number"},
        {COMMAND_REPORT, "report --to 9e99", "--to takes a whole number"},
        {COMMAND_REPORT, "report --idle nan", "--idle takes"},
        {COMMAND_REPORT, "report --rcvbuf -1", "--rcvbuf takes"},
        {COMMAND_WATCH, "watch --fps 0", "--fps takes"},
        {COMMAND_WATCH, "watch --color maybe", "--color takes"},
        {COMMAND_DEMO, "demo --ranks 0", "--ranks takes"},
        {COMMAND_DEMO, "demo --seed -1", "--seed takes"},
        {COMMAND_DEMO, "demo --step-time 0", "--step-time takes"},
        {COMMAND_DEMO, "demo --speed inf", "--speed takes"},
        {COMMAND_DEMO, "demo --slow 5:nan", "RANK:FACTOR"},
        {COMMAND_DEMO, "demo --slow 99999999999999999999:2", "RANK:FACTOR"},
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

static void what_file_and_options_say_together_is_checked(void **state)
{
    struct options options;
    char error[256];
    struct run run;
    run_init(&run);
    run.params = 7e9;
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --active-params 17B x", error), 0);
    assert_true(run_check(&run, error, sizeof(error)));
    options_apply_run(&options, &run);
    assert_false(run_check(&run, error, sizeof(error)));
    assert_string_equal(error, "active parameters (1.7e+10) are more than all parameters (7e+09)");
}

static void another_format_has_another_peak(void **state)
{
    struct options options;
    char error[256];
    struct run run;
    run_init(&run);
    run.peak_flops = 900e12; /* of the file, in BF16 */
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --format bf16 x", error), 0);
    options_apply_run(&options, &run);
    assert_true(run.peak_flops == 900e12);
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --format fp8 x", error), 0);
    options_apply_run(&options, &run);
    assert_true(run.peak_flops == 0);
    assert_int_equal(parse(&options, COMMAND_REPORT, "report --format fp8 --peak 5 x", error), 0);
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
    options_help(COMMAND_ANY | COMMAND_CALC, count_line, &lines[2]);
    assert_true(lines[0] > 15 && lines[1] > 15);
    assert_int_equal(lines[2], OPTION_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_sources_mix),
        cmocka_unit_test(numbers_have_units_and_bounds),
        cmocka_unit_test(a_share_is_a_number_or_a_percentage),
        cmocka_unit_test(a_job_is_described_by_options_alone),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(the_command_line_overrides_the_file),
        cmocka_unit_test(what_file_and_options_say_together_is_checked),
        cmocka_unit_test(another_format_has_another_peak),
        cmocka_unit_test(the_slow_rank_of_the_demo),
        cmocka_unit_test(help_has_a_line_for_each_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

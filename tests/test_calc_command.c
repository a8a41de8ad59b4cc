/* `lockstep calc` as the program that it is: the chapter's values through its own
 * interface, options, exit status, and the form in a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define ARGUMENTS_MAX 24
#define OUTPUT_BYTES 65536

static char output[OUTPUT_BYTES];

static void read_output(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    output[fread(output, 1, sizeof(output) - 1, file)] = '\0';
    fclose(file);
}

/* `lockstep LINE`, words separated by blanks, to its end; what it writes to either
 * is in `output`. The exit status. */
static int run(const char *line)
{
    char words[1024], path[] = "/tmp/lockstep-calc-XXXXXX";
    char *arguments[ARGUMENTS_MAX + 1] = {NULL};
    size_t count = 0;
    int fd = mkstemp(path);
    assert_true(fd >= 0 && strlen(line) < sizeof(words));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const char *program = getenv("LOCKSTEP_PROGRAM");
        strcpy(words, line);
        arguments[count++] = (char *)"lockstep";
        for (char *word = strtok(words, " "); word && count < ARGUMENTS_MAX;
             word = strtok(NULL, " "))
            arguments[count++] = word;
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        execv(program ? program : "build/lockstep", arguments);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    close(fd);
    read_output(path);
    unlink(path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void assert_says(const char *text)
{
    if (!strstr(output, text)) {
        print_error("'%s' is not in:\n%s\n", text, output);
        fail();
    }
}

static void assert_is_plain(void)
{
    for (const char *p = output; *p; p++)
        assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7F));
}

/* The first number behind this key of a JSON object. */
static double json_number(const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
    const char *at = strstr(output, quoted);
    assert_non_null(at);
    return strtod(at + strlen(quoted), NULL);
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-7 * fabs(expected))) {
        print_error("%.12g is not %.12g\n", value, expected);
        fail();
    }
}

static void without_a_terminal_it_prints_the_chapters_tables(void **state)
{
    static const char *const rows[] = {
        "3.79e25 FLOP c",
        "3.8e10 s, about 1,200 years c",
        "9.5e10 s, about 3,000 years c",
        "6.55e18 FLOP/s c",
        "5.8e6 s, about 67 days c",
        "3.4e14 FLOP/s, about 340 TFLOP/s, 34% of peak c",
        "1.2e22 FLOP c",
        "1.064e7 GPU-h, about 10.6 million c",
        "2.60e7 GPU-h, about 26.0 million c",
        "2.53e7 GPU-h, about 25.3 million c",
        "6.2e5 GPU-h, about 620,000 c",
        "38 h c",
        "1.2e6 USD, about 1.2 million USD c",
        "4.3e5 kWh, about 430 MWh c",
        "0.41 x 0.9",
        "37% of the peak of every GPU-hour c",
        "Reported runs",
        "about 60.0% of peak",
        "57.8% HFU",
    };
    assert_int_equal(run("calc"), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_says(rows[i]);
    assert_is_plain();
}

static void every_argument_can_be_given(void **state)
{
    assert_int_equal(
        run("calc --params 8B --tokens 15T --gpus 512 --chip A100 --achieved 150 "
            "--gpu-hours 1.5M --mfu 50 --price 1.5 --watts 400 --effective 95% --json"),
        0);
    double flop = 6 * 8e9 * 15e12, hours = 7.2e23 / 312e12 / 3600;
    assert_near(json_number("flop"), flop);
    assert_near(json_number("one_at_peak_s"), flop / 312e12);
    assert_near(json_number("one_at_achieved_s"), flop / 150e12);
    assert_near(json_number("rate_flops"), 512 * 150e12);
    assert_near(json_number("stepping_s"), flop / (512 * 150e12));
    assert_near(json_number("run_average_flops"), flop / (1.5e6 * 3600));
    assert_near(json_number("gpu_hours_at_peak"), hours);
    double saved = hours / 0.50 - hours / 0.51;
    assert_near(json_number("saved_gpu_hours"), saved);
    assert_near(json_number("saved_hours"), saved / 512);
    assert_near(json_number("saved_money"), saved * 1.5);
    assert_near(json_number("saved_kwh"), saved * 0.4);
    assert_near(json_number("became_model"), 0.475);
    assert_says("\"chip\": \"A100\"");
}

static void active_parameters_and_a_number_format_count(void **state)
{
    assert_int_equal(run("calc --params 671B --active-params 37B --total-tokens 14.8T --json"), 0);
    assert_near(json_number("flop"), 6 * 37e9 * 14.8e12);
    assert_int_equal(run("calc --format fp8 --json"), 0);
    assert_says("\"peak_flops\": {\"value\": 1.979e+15");
    assert_int_equal(run("calc --price 0 --watts 0 --json"), 0);
    assert_near(json_number("saved_money"), 0);
}

static void nonsense_names_its_option(void **state)
{
    static const char *const cases[][2] = {
        {"calc --params 0", "--params"},
        {"calc --params -5", "--params"},
        {"calc --gpus 0", "--gpus"},
        {"calc --gpus nan", "--gpus"},
        {"calc --peak inf", "--peak"},
        {"calc --chip Z9000", "--chip: no peak is known of 'Z9000'"},
        {"calc --tokens 0", "--tokens"},
        {"calc --achieved 0", "--achieved"},
        {"calc --gpu-hours 0", "--gpu-hours"},
        {"calc --mfu 0", "--mfu"},
        {"calc --mfu 400", "--mfu"},
        {"calc --mfu 0.41", "--mfu takes percent"},
        {"calc --price -1", "--price"},
        {"calc --watts x", "--watts"},
        {"calc --effective 0", "--effective"},
        {"calc --effective 1.5", "--effective"},
        {"calc --ranks 8", "--ranks"},
        {"calc a b", "one run.json"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int status = run(cases[i][0]);
        if (status != 2)
            print_error("%s\n", cases[i][0]);
        assert_int_equal(status, 2);
        assert_says(cases[i][1]);
    }
    assert_int_equal(run("calc /nowhere/run.json"), 1);
    assert_says("/nowhere/run.json");
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_run_json_fills_what_it_says_and_options_come_over_it(void **state)
{
    char folder[] = "/tmp/lockstep-calc-XXXXXX", path[64], line[160];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/run.json", folder);
    write_file(path, "{\"run\": \"seven\", \"model\": {\"params\": 7e9}, \"gpus\": 64,\n"
                     " \"chip\": \"A100\", \"price_per_gpu_hour\": 1.25, \"watts_per_gpu\": 400}");
    snprintf(line, sizeof(line), "calc %s --gpus 128", folder);
    assert_int_equal(run(line), 0);
    assert_says("7e9 e   run ");
    assert_says("128 e   yours");
    assert_says("312 TFLOP/s e   run         --peak (A100)");
    assert_says("127.9 TFLOP/s c   MFU x peak");
    assert_says("1.25 USD/h e   run");
    assert_says("GPU-hours in all               -   not known");
    snprintf(line, sizeof(line), "calc --json --run %s", path);
    assert_int_equal(run(line), 0);
    assert_near(json_number("saved_money"), json_number("saved_gpu_hours") * 1.25);
    write_file(path, "{\"gpus\": 0}");
    snprintf(line, sizeof(line), "calc %s", path);
    assert_int_equal(run(line), 1);
    assert_says("gpus");
    unlink(path);
    rmdir(folder);
}

static void the_help_names_every_option(void **state)
{
    static const char *const names[] = {
        "--params",    "--tokens", "--gpus",  "--achieved", "--peak",      "--chip", "--mfu",
        "--gpu-hours", "--price",  "--watts", "--json",     "--effective", "--text", "--run"};
    assert_int_equal(run("calc -h"), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_says(names[i]);
    assert_is_plain();
}

static void in_a_terminal_keys_change_the_arguments(void **state)
{
    static const char *const arguments[] = {"calc", NULL};
    struct program_options options = {0};
    struct program program;
    program_start(&program, &options, arguments);
    assert_true(program_shows(&program, "Panel 1.2"));
    assert_true(program_shows(&program, "3.79e25 FLOP"));
    program_keys(&program, "70B\r");
    assert_true(program_shows(&program, "6.55e24 FLOP"));
    program_keys(&program, "0\r");
    assert_true(program_shows(&program, "takes a number from 1"));
    program_keys(&program, "\x15\r"); /* ^U: nothing typed */
    program_keys(&program, "r");
    assert_true(program_shows(&program, "3.79e25 FLOP"));
    program_keys(&program, "q");
    int status = program_wait(&program, 10000, true);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    program_finish(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_terminal_it_prints_the_chapters_tables),
        cmocka_unit_test(every_argument_can_be_given),
        cmocka_unit_test(active_parameters_and_a_number_format_count),
        cmocka_unit_test(nonsense_names_its_option),
        cmocka_unit_test(a_run_json_fills_what_it_says_and_options_come_over_it),
        cmocka_unit_test(the_help_names_every_option),
        cmocka_unit_test(in_a_terminal_keys_change_the_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

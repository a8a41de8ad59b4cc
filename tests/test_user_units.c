/* Units of maps and patterns: which words behind a value are its unit. */
#include "user_read.h"

static void a_unit_that_is_glued_to_other_text_is_no_second(void **state)
{
    /* The pattern says the unit, and a record may begin where one ends. */
    assert_begins(read_log(true, "step {step} rank {rank} took {step_time} ms",
                           "step 4 rank 0 took 480.5 ms\n"
                           "step 5 rank 0 took 481.5 msstep 6 rank 0 took 482.5 ms\n"
                           "step 7 rank 0 took 483.5 msec\n"),
                  "rank 0 step 4 step_time=0.480500000\nrank 0 step 5 step_time=0.481500000\n"
                  "rank 0 step 6 step_time=0.482500000\nrank 0 step 7 step_time=0.483500000\n# ");
    /* Only the log says it. */
    const char *got = read_log(true, "step {step} rank {rank} took {step_time}",
                               "step 4 rank 0 took 480.5 ms\n"
                               "step 5 rank 0 took 481.5 msstep 6 rank 0 took 482.5 ms\n"
                               "step 7 rank 0 took 483.5 msec\nstep 8 rank 0 took 2 \xCE\xBCs\n");
    assert_begins(got, "rank 0 step 4 step_time=0.480500000\nrank 0 step 7 step_time=0.483500000\n"
                       "rank 0 step 8 step_time=0.000002000\n# ");
    assert_has(got, "records 3, of the job 0, damaged 1\n");
}

static void a_unit_in_the_text_of_a_pattern_is_that_of_the_value(void **state)
{
    static const char log[] = "step 5 took 3250 ms\n";
    assert_begins(read_log(true, "step {step} took {step_time} ms", log),
                  "job step 5 step_time=3.250000000\n#");
    assert_begins(read_log(true, "step {step} took {step_time:ms} ms", log),
                  "job step 5 step_time=3.250000000\n#");
    assert_begins(read_log(true, "step {step} took {step_time}ms, {tokens}M t",
                           "step 5 took 250ms, 1.5M t\n"),
                  "job step 5 step_time=0.250000000 tokens=1500000\n#");
}

/* In the pattern: known with its factor, or another word; what is unclear is refused. */
static void a_word_behind_a_value_is_its_unit_or_another_word(void **state)
{
    static const struct {
        const char *pattern, *line, *record;
    } cases[] = {
        {"{step} time {step_time} min_lr {}", "1 time 0.5 min_lr 0.4", "0.500000000"},
        {"{step} {step_time} min {} max {}", "1 0.5 min 0.4 max 0.6", "0.500000000"},
        {"{step} {step_time} Min {}, MAX {}", "1 0.5 Min 0.4, MAX 0.6", "0.500000000"},
        {"{step} {step_time:s} min {}", "1 0.5 min 0.4", "0.500000000"},
        {"{step} {step_time:min} min {}", "1 0.5 min 0.4", "30.000000000"},
        {"{step} {step_time} min={}", "1 0.5 min=0.4", "0.500000000"},
        {"{step} {step_time} min = {}", "1 0.5 min = 0.4", "0.500000000"},
        {"{step} {step_time} min: {}", "1 0.5 min: 0.4", "0.500000000"},
        {"{step} {step_time} h={}", "1 0.5 h=4", "0.500000000"},
        {"{step} {step_time} ms2 {}", "1 0.5 ms2 4", "0.500000000"},
        {"{step} took {step_time} min", "1 took 0.5 min", "30.000000000"},
        {"{step} took {step_time} minutes", "1 took 0.5 minutes", "30.000000000"},
        {"{step} took {step_time:min} m", "1 took 0.5 m", "30.000000000"},
        {"{step} took {step_time:s} m", "1 took 0.5 m", "0.500000000"},
        {"{step} took {step_time:ms} m {}", "1 took 0.5 m 3", "0.000500000"},
        {"{step} took {step_time} hours", "1 took 2 hours", "7200.000000000"},
        {"{step} took {step_time} hrs", "1 took 2 hrs", "7200.000000000"},
        {"{step} took {step_time} h", "1 took 2 h", "7200.000000000"},
        {"{step} took {step_time} days", "1 took 2 days", "172800.000000000"},
        {"{step} took {step_time} Sec", "1 took 2 Sec", "2.000000000"},
        {"{step} took {step_time} MSEC", "1 took 2 MSEC", "0.002000000"},
        {"{step} took {step_time} \xC2\xB5s", "1 took 2 \xC2\xB5s", "0.000002000"},
        {"{step} took {step_time}  ms", "1 took 2    ms", "0.002000000"},
        {"{step} took {step_time} s/it", "1 took 2 s/it", "2.000000000"},
        {"{step} took {step_time:s} s{}", "1 took 2 s5", "2.000000000"},
        {"{step} {step_time} s {flops} PFLOP/s", "1 1 s 4 PFLOP/s",
         "1.000000000 flops=4000000000000000"},
        {"{step} {step_time} s {flops} GFLOPS", "1 1 s 400000 GFLOPS",
         "1.000000000 flops=400000000000000"},
        {"{step} {step_time} s {flops:FLOP/s}", "1 1 s 4e14", "1.000000000 flops=400000000000000"},
        {"{step} {step_time} s {flops} TFLOP/s/GPU", "1 1 s 400 TFLOP/s/GPU",
         "1.000000000 flops=400000000000000"},
        {"{step} {step_time} s {tokens:1} M {}", "1 1 s 4 M 3", "1.000000000 tokens=4"},
        {"{step} {step_time} s {tokens:M} M {}", "1 1 s 4 M 3", "1.000000000 tokens=4000000"},
        {"{step} T {step_time}", "1 T 0.5", "0.500000000"},
        {"{step} {step_time} s mfu {mfu} percent", "1 1 s mfu 40 percent",
         "1.000000000 mfu=0.400000000"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[128], record[160];
        snprintf(line, sizeof(line), "%s\n", cases[i].line);
        snprintf(record, sizeof(record), "job step 1 step_time=%s\n#", cases[i].record);
        assert_begins(read_log(true, cases[i].pattern, line), record);
    }
}

/* In the log alone: the same words. What is unclear is damage, until the unit is said. */
static void a_unit_that_only_the_log_has_is_clear_or_damage(void **state)
{
    const char *got =
        read_log(true, "{step} took {step_time}",
                 "1 took 2 min\n2 took 2 h\n3 took 3 it/s\n4 took 2   ms\n5 took 2 m\n"
                 "6 took 2 days\n7 took 2 min 3\n8 took 2 h 30 min\n9 took 2 min, max 3\n");
    assert_begins(got,
                  "job step 1 step_time=120.000000000\njob step 2 step_time=7200.000000000\n"
                  "job step 4 step_time=0.002000000\njob step 6 step_time=172800.000000000\n#");
    assert_has(got, "damaged 5\n");
    assert_has(got, "may be its unit, or can't be: say which, as in step_time:s: 3 took 3 it/s");
    assert_begins(
        read_log(true, "{step} took {step_time}",
                 "7 took 2 min_lr 3\n8 took 3 min=3\n9 took 4 min 1 max 3\n10 took 5 M=3\n"),
        "job step 7 step_time=2.000000000\njob step 8 step_time=3.000000000\n"
        "job step 9 step_time=4.000000000\njob step 10 step_time=5.000000000\n#");
    got = read_log(true, "{step} took {step_time:s} {}",
                   "8 took 2 min 3\n5 took 2 m\n9 took 2 min=3\n"
                   "3 took 3 it/s\n11 took 2 ms\n");
    assert_begins(got, "job step 8 step_time=2.000000000\njob step 5 step_time=2.000000000\n"
                       "job step 9 step_time=2.000000000\n#");
    /* what the log says is more than what the pattern does */
    got = read_log(true, "{step} took {step_time:min} m", "1 took 480 ms\n");
    assert_has(got, "records 0, of the job 0, damaged 1\n");
    got = read_log(false, "job,step=s,step_time=t,tokens=k,flops=f",
                   "{\"s\":1,\"t\":\"2 hours\",\"k\":\"4M\",\"f\":\"4 PFLOP/s\"}\n"
                   "{\"s\":2,\"t\":\"2 m\"}\n{\"s\":3,\"t\":\"2 it/s\"}\n"
                   "{\"s\":4,\"t\":\"2 weeks\"}\n{\"s\":5,\"t\":\"2 min\"}\n");
    assert_begins(got, "job step 1 step_time=7200.000000000 tokens=4000000 flops=4000000000000000\n"
                       "job step 5 step_time=120.000000000\n#");
    assert_has(got, "damaged 3\n");
    assert_begins(read_log(false, "job,step=s,step_time=t:h", "s,t\n1,0.5\n2,0.25 h\n"),
                  "job step 1 step_time=1800.000000000\njob step 2 step_time=900.000000000\n#");
}

static void what_is_unclear_is_refused(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"step {step} took {step_time:us} ms", "at character 18: {step_time:us} has another"},
        {"{step} {step_time} min {}", "write {step_time:min} if it is, or {step_time:s}"},
        {"{step} {step_time} min, max {}", "write {step_time:min} if it is, or {step_time:s}"},
        {"{step} {step_time} m", "write {step_time:min} if it is, or {step_time:s}"},
        {"{step} {step_time}m {} s", "write {step_time:min} if it is, or {step_time:s}"},
        {"{step} {step_time} h {} m", "write {step_time:h} if it is, or {step_time:s}"},
        {"{step} {step_time} d", "write {step_time:days} if it is, or {step_time:s}"},
        {"{step} {step_time} it/s", "'it' behind a value is no unit of step_time"},
        {"{step} {step_time:s} steps/sec", "'steps' behind a value is no unit of step_time"},
        {"{step} {step_time} weeks", "'weeks' behind a value is no unit of step_time"},
        {"{step} {step_time} s {flops} TFLOP", "'TFLOP' behind a value is no unit of flops"},
        {"{step} {step_time} s {tokens} M {}", "write {tokens:M} if it is, or {tokens:1}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char error[512];
        assert_null(user_format_pattern("mine", cases[i].text, error, sizeof(error)));
        assert_has(error, cases[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_that_is_glued_to_other_text_is_no_second),
        cmocka_unit_test(a_unit_in_the_text_of_a_pattern_is_that_of_the_value),
        cmocka_unit_test(a_word_behind_a_value_is_its_unit_or_another_word),
        cmocka_unit_test(a_unit_that_only_the_log_has_is_clear_or_damage),
        cmocka_unit_test(what_is_unclear_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Conditions: what is taken, what is not, and what they come to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "checks.h"

static struct checks checks;
static char error[512];

static bool parse(const char *text, bool compared)
{
    checks.count = 0;
    error[0] = '\0';
    return checks_parse(&checks, text, compared, error, sizeof(error));
}

/* A run of which these are known. */
static void fill(struct summary *summary)
{
    struct quantity none = quantity_none();
    summary_init(summary);
    summary->first_step = 0;
    summary->last_step = 99;
    summary->incomplete = 2;
    summary->peak_flops = 989e12;
    summary->mfu = (struct quantity){0.385, EVIDENCE_COMPUTED};
    summary->hfu = (struct quantity){0.5, EVIDENCE_COMPUTED};
    summary->wait_share = (struct quantity){0.125, EVIDENCE_MEASURED};
    summary->step_time_median_s = (struct quantity){0.93, EVIDENCE_MEASURED};
    summary->step_time_mean_s = (struct quantity){0.95, EVIDENCE_MEASURED};
    summary->step_time_max_s = (struct quantity){12, EVIDENCE_MEASURED};
    summary->window_step_time_s = (struct quantity){2, EVIDENCE_MEASURED};
    summary->tokens_per_step = 1e6;
    summary->exchange_mean_s = none;
    summary->effective.share = (struct quantity){0.9, EVIDENCE_COMPUTED};
    for (int i = 0; i < LEDGER_COUNT; i++)
        summary->ledger.share[i] = none;
    summary->ledger.share[LEDGER_LOST_WORK] = (struct quantity){0.01, EVIDENCE_COMPUTED};
}

/* The only condition, judged. */
static const struct check *judged(const char *text)
{
    static struct check_values values;
    struct summary summary;
    fill(&summary);
    assert_true(parse(text, false));
    check_values_of(&values, &summary);
    bool all = checks_judge(&checks, &values, NULL);
    assert_int_equal(all, checks.items[0].holds);
    return &checks.items[0];
}

static void conditions_hold_or_do_not(void **state)
{
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        {"mfu>=0.385", true},          {"mfu>=0.40", false},      {"mfu>=38%", true},
        {"mfu>=38.5%", true},          {"mfu>38.5%", false},      {"mfu<=38.5%", true},
        {"mfu<0.385", false},          {"mfu=0.385", true},       {"mfu==0.385", true},
        {"mfu!=0.385", false},         {"mfu!=0.4", true},        {"wait<=0.10", false},
        {"wait<=0.125", true},         {"step_time<=0.93", true}, {"step_time<=930ms", true},
        {"step_time<=929ms", false},   {"step_time<1s", true},    {"step_time_max<=0.2min", true},
        {"step_time_mean>0.94", true}, {"incomplete=0", false},   {"incomplete=2", true},
        {"damaged=0", true},           {"stragglers=0", true},    {"tokens_per_s>=500k", true},
        {"tokens_per_s>0.5M", false},  {"effective>=90%", true},  {"lost<=1%", true},
        {" mfu >= 0.3 ", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (judged(cases[i].text)->holds != cases[i].holds)
            fail_msg("case %zu: %s: %s", i, cases[i].text, checks.items[0].sentence);
}

static void a_failure_says_what_it_is(void **state)
{
    assert_string_equal(judged("mfu>=0.40")->sentence, "it is 0.385 c");
    assert_string_equal(judged("mfu>=40%")->sentence, "it is 38.5% c");
    assert_string_equal(judged("wait<=10%")->sentence, "it is 12.5% m");
    assert_string_equal(judged("step_time<=900ms")->sentence, "it is 930 ms m");
    assert_string_equal(judged("step_time_max<=2")->sentence, "it is 12 s m");
    assert_string_equal(judged("incomplete=0")->sentence, "it is 2 m");
    assert_string_equal(judged("mfu >= 40%")->text, "mfu>=40%");
}

static void what_is_not_known_does_not_hold(void **state)
{
    struct summary summary;
    struct check_values values;
    const struct check *check = judged("exchange<=1");
    assert_false(check->holds);
    assert_string_equal(check->sentence, "exchange is not known: the log has no sync times, which "
                                         "alone tell the exchange");
    fill(&summary);
    summary.mfu = quantity_none();
    summary.peak_flops = 0;
    assert_true(parse("mfu>=0,mfu<=1,mfu!=0.5", false));
    check_values_of(&values, &summary);
    assert_false(checks_judge(&checks, &values, NULL));
    for (int i = 0; i < 3; i++) {
        assert_false(checks.items[i].holds);
        assert_string_equal(checks.items[i].sentence,
                            "mfu is not known: the peak of the chip is not known; give --chip or "
                            "--peak");
    }
}

static void who_is_slow_is_counted_where_the_log_can_tell(void **state)
{
    struct verdict verdicts[] = {
        {.kind = VERDICT_STRAGGLER, .rank = 5},    {.kind = VERDICT_STRAGGLER, .rank = 7},
        {.kind = VERDICT_GROUP, .rank = -1},       {.kind = VERDICT_SPIKE, .rank = -1},
        {.kind = VERDICT_CANNOT_TELL, .rank = -1},
    };
    struct summary summary;
    struct check_values values;
    fill(&summary);
    summary.verdicts = verdicts;
    summary.verdict_count = 4;
    check_values_of(&values, &summary);
    assert_true(values.value[CHECK_STRAGGLERS].value == 2);
    assert_true(values.value[CHECK_GROUPS].value == 1);
    assert_true(values.value[CHECK_SPIKES].value == 1);
    assert_true(values.value[CHECK_RESTARTS].value == 0);
    summary.verdict_count = 5;
    check_values_of(&values, &summary);
    assert_false(quantity_known(values.value[CHECK_STRAGGLERS]));
    assert_string_equal(values.why[CHECK_STRAGGLERS], "this log cannot tell who is slow");
    assert_true(values.value[CHECK_SPIKES].value == 1);
    summary.verdict_count = 4;
    summary.verdicts_dropped = 1; /* nobody knows of what kind */
    check_values_of(&values, &summary);
    assert_false(quantity_known(values.value[CHECK_SPIKES]));
    summary.verdicts_dropped = 0;
    summary.figures_only = true;
    check_values_of(&values, &summary);
    assert_false(quantity_known(values.value[CHECK_STRAGGLERS]));
    assert_false(quantity_known(values.value[CHECK_EFFECTIVE]));
    assert_true(quantity_known(values.value[CHECK_MFU]));
}

static void several_conditions_are_taken_in_order(void **state)
{
    assert_true(parse("mfu>=0.40,wait<=0.10,stragglers=0", false));
    assert_int_equal(checks.count, 3);
    assert_int_equal(checks.items[0].figure, CHECK_MFU);
    assert_int_equal(checks.items[1].figure, CHECK_WAIT);
    assert_int_equal(checks.items[2].figure, CHECK_STRAGGLERS);
    assert_true(checks_parse(&checks, "hfu>0", false, error, sizeof(error)));
    assert_int_equal(checks.count, 4);
}

static void what_is_malformed_is_named(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "mfu"},
        {"mfu", "followed by"},
        {"mfu>=", "a share"},
        {"mfu>=40", "0.40 or 40%"}, /* forty times the peak is meant by nobody */
        {"mfu>=-0.1", "a share"},
        {"mfu>=nan", "a share"},
        {"mfu>=0.4,", "figures are"},
        {",mfu>=0.4", "figures are"},
        {"mfu=>0.4", "a share"},
        {"mfu>>0.4", "a share"},
        {"MFU>=0.4", "figures are"},
        {"nosuch>=0.4", "step_time"},
        {"step_time<=5lightyears", "930ms"},
        {"step_time<=-1", "a time"},
        {"stragglers=none", "a number"},
        {"step_time<=+5%", "--compare"},
        {"mfu>=0.4;wait<=0.1", "a share"},
        {"mfu>=0.4\x1b[2J", "figures are"},
        {"mfu>=0.400000000000000000000000000000000000000000000000000000000000000", "figures are"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (parse(cases[i].text, false) || !strstr(error, cases[i].says))
            fail_msg("case %zu: '%s': %s", i, cases[i].text, error);
}

static void more_than_can_be_kept_are_refused(void **state)
{
    checks.count = 0;
    for (int i = 0; i < CHECKS_MAX; i++)
        assert_true(checks_parse(&checks, "mfu>0", false, error, sizeof(error)));
    assert_false(checks_parse(&checks, "mfu>0", false, error, sizeof(error)));
    assert_int_equal(checks.count, CHECKS_MAX);
}

static void bounds_can_be_relative_to_the_other_run(void **state)
{
    struct summary a, b;
    struct check_values of_a, of_b;
    fill(&a);
    fill(&b);
    b.step_time_median_s.value = 0.93 * 1.06;
    b.mfu.value = 0.385 * 0.97;
    a.wait_share.value = 0;
    check_values_of(&of_a, &a);
    check_values_of(&of_b, &b);
    assert_true(
        parse("step_time<=+5%,step_time<=+7%,mfu>=-2%,mfu>=-4%,wait<=+5%,exchange<=+1%", true));
    assert_false(checks_judge(&checks, &of_b, &of_a));
    assert_false(checks.items[0].holds);
    assert_string_equal(checks.items[0].sentence, "it is +6.00%: 985.8 ms m against 930 ms m");
    assert_true(checks.items[1].holds);
    assert_false(checks.items[2].holds);
    assert_true(checks.items[3].holds);
    assert_false(checks.items[4].holds);
    assert_string_equal(checks.items[4].sentence,
                        "wait of A is not known: it is 0, of which there is no percentage");
    assert_false(checks.items[5].holds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_hold_or_do_not),
        cmocka_unit_test(a_failure_says_what_it_is),
        cmocka_unit_test(what_is_not_known_does_not_hold),
        cmocka_unit_test(who_is_slow_is_counted_where_the_log_can_tell),
        cmocka_unit_test(several_conditions_are_taken_in_order),
        cmocka_unit_test(what_is_malformed_is_named),
        cmocka_unit_test(more_than_can_be_kept_are_refused),
        cmocka_unit_test(bounds_can_be_relative_to_the_other_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

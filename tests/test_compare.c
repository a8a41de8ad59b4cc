/* Two runs side by side: what is compared, what is left out, and the words for it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "report_compare.h"

#define STEPS 100

/* A side by hand: step times about 1 s that alternate, so that their mean is known. */
struct fixture {
    struct summary summary;
    struct overview overview;
    struct overview_column columns[STEPS];
    struct verdict verdicts[4];
    struct compare_side side;
};

static void fill_columns(struct fixture *fixture, double step_s, double wait, double mfu)
{
    for (int i = 0; i < STEPS; i++)
        fixture->columns[i] = (struct overview_column){
            .first_position = i,
            .positions = 1,
            .first_step = i,
            .last_step = i,
            .step_time_s = step_s * (i % 2 ? 1.01 : 0.99),
            .wait_share = wait + (i % 2 ? 0.01 : -0.01),
            .mfu = mfu,
            .hfu = NAN,
        };
    fixture->columns[0].step_time_s = 60; /* it compiles */
    fixture->columns[1].step_time_s = 30;
    fixture->columns[2].step_time_s = 20;
}

static void fixture_init(struct fixture *fixture, const char *name, double step_s, double wait)
{
    struct summary *summary = &fixture->summary;
    *fixture = (struct fixture){.side = {.name = name}};
    summary_init(summary);
    overview_init(&fixture->overview);
    summary->run.gpus = 8;
    strcpy(summary->run.chip, "H100");
    summary->peak_flops = 989e12;
    summary->rank_count = 8;
    summary->last_step = STEPS - 1;
    summary->tokens_per_step = 65536;
    summary->attempts = 1;
    summary->rule = WAIT_SYNC;
    summary->exchange_mean_s = (struct quantity){0.05, EVIDENCE_MEASURED};
    summary->effective.share = quantity_none();
    summary->jitter.floor = summary->jitter.spread = quantity_none();
    for (int i = 0; i < LEDGER_COUNT; i++)
        summary->ledger.share[i] = quantity_none();
    summary->ledger.wall_s = 100;
    summary->ledger.share[LEDGER_INPUT] = (struct quantity){0.02, EVIDENCE_MEASURED};
    summary->verdicts = fixture->verdicts;
    fill_columns(fixture, step_s, wait, 0.4);
    fixture->overview.columns = fixture->columns;
    fixture->overview.column_count = fixture->overview.positions = STEPS;
    fixture->overview.time_evidence = fixture->overview.wait_evidence = EVIDENCE_MEASURED;
    fixture->overview.mfu_evidence = EVIDENCE_COMPUTED;
    fixture->side.summary = summary;
    fixture->side.overview = &fixture->overview;
    fixture->side.from_step = INT64_MIN;
    fixture->side.to_step = INT64_MAX;
}

static void pair(struct fixture *a, struct fixture *b)
{
    fixture_init(a, "a.jsonl", 1.0, 0.10);
    fixture_init(b, "b.jsonl", 1.03, 0.15);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* The text report; the caller frees. */
static char *text_of(const struct comparison *comparison, const struct checks *checks)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report_compare_text(to, comparison, checks, false);
    fclose(to);
    return text;
}

static void expect(const struct comparison *comparison, const char *words)
{
    struct checks checks = {.count = 0};
    char *text = text_of(comparison, &checks);
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
    free(text);
}

/* ---- the figures ---- */

/* 48 steps of 0.99 and 49 of 1.01 x T are behind the warm-up of 3. */
static void the_first_steps_of_an_attempt_are_left_out(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    compare_make(&comparison, &a.side, &b.side);
    const struct compare_figure *mean = &comparison.figures[COMPARE_STEP_TIME_MEAN];
    assert_int_equal(comparison.steps[COMPARE_A], 97);
    assert_int_equal(comparison.warm_up[COMPARE_A], 3);
    assert_true(near(mean->value[COMPARE_A].value, (48 * 0.99 + 49 * 1.01) / 97));
    assert_true(near(mean->change, 0.03));
    assert_true(
        near(comparison.figures[COMPARE_STEP_TIME_MEDIAN].value[COMPARE_B].value, 1.03 * 1.01));
    assert_int_equal(mean->value[COMPARE_A].evidence, EVIDENCE_MEASURED);
    compare_done(&comparison);
}

static void a_restart_warms_up_again(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    for (int i = 50; i < STEPS; i++) {
        a.columns[i].first_attempt = a.columns[i].last_attempt = 1;
        a.columns[i].first_step = a.columns[i].last_step = i - 10;
    }
    a.columns[51].step_time_s = 60;
    compare_make(&comparison, &a.side, &b.side);
    assert_int_equal(comparison.warm_up[COMPARE_A], 6);
    assert_int_equal(comparison.steps[COMPARE_A], 94);
    assert_true(comparison.figures[COMPARE_STEP_TIME_MEAN].value[COMPARE_A].value < 1.01);
    compare_done(&comparison);
}

static void columns_of_several_steps_weigh_as_many(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    a.overview.column_count = 3;
    a.columns[0].positions = 4; /* 60 s: with the warm-up in it */
    a.columns[1] = (struct overview_column){.positions = 3,
                                            .first_step = 4,
                                            .last_step = 6,
                                            .step_time_s = 1,
                                            .wait_share = 0.1,
                                            .mfu = 0.2,
                                            .hfu = NAN};
    a.columns[2] = (struct overview_column){.positions = 1,
                                            .first_step = 7,
                                            .last_step = 7,
                                            .step_time_s = 5,
                                            .wait_share = 0.5,
                                            .mfu = 0.4,
                                            .hfu = NAN};
    compare_make(&comparison, &a.side, &b.side);
    assert_int_equal(comparison.warm_up[COMPARE_A], 4);
    assert_int_equal(comparison.steps[COMPARE_A], 4);
    assert_true(near(comparison.figures[COMPARE_STEP_TIME_MEAN].value[COMPARE_A].value, 2));
    /* Shares are of the time: (3 x 0.1 + 5 x 0.5) / 8. */
    assert_true(near(comparison.figures[COMPARE_WAIT].value[COMPARE_A].value, 2.8 / 8));
    assert_true(near(comparison.figures[COMPARE_MFU].value[COMPARE_A].value, 2.6 / 8));
    assert_true(comparison.notes & COMPARE_NOTE_MERGED);
    compare_done(&comparison);
}

static void only_the_span_counts(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    a.side.from_step = 20;
    a.side.to_step = 59;
    compare_make(&comparison, &a.side, &b.side);
    assert_int_equal(comparison.steps[COMPARE_A], 37);
    compare_done(&comparison);
}

static void what_one_side_does_not_know_is_not_compared(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    b.summary.exchange_mean_s = quantity_none();
    for (int i = 0; i < STEPS; i++)
        a.columns[i].mfu = NAN;
    compare_make(&comparison, &a.side, &b.side);
    const struct compare_figure *figures = comparison.figures;
    assert_true(isnan(figures[COMPARE_EXCHANGE].difference));
    assert_true(isnan(figures[COMPARE_MFU].difference));
    assert_false(figures[COMPARE_MFU].tested);
    assert_false(figures[COMPARE_HFU].tested);
    assert_true(near(figures[COMPARE_LEDGER + LEDGER_INPUT].difference, 0));
    assert_true(isnan(figures[COMPARE_LEDGER + LEDGER_GAPS].difference));
    compare_done(&comparison);
}

/* ---- more than noise ---- */

static void a_slower_run_is_told_in_words(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    compare_make(&comparison, &a.side, &b.side);
    assert_true(compare_is_more(&comparison.figures[COMPARE_STEP_TIME_MEAN]));
    expect(&comparison, "B is 3.0% slower a step, more than noise (p 0.0001 c)\n");
    expect(&comparison, "B waits 5.00 points more of the GPU time, more than noise (p 0.0001 c)");
    expect(&comparison, "the MFU of B is that of A, no more than noise (p 1.0000 c)");
    compare_done(&comparison);
}

static void the_same_run_is_no_slower(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    fixture_init(&a, "a", 1, 0.1);
    fixture_init(&b, "b", 1, 0.1);
    compare_make(&comparison, &a.side, &b.side);
    assert_false(compare_is_more(&comparison.figures[COMPARE_STEP_TIME_MEAN]));
    expect(&comparison, "B is as fast as A, no more than noise (p 1.0000 c)\n");
    compare_done(&comparison);
}

static void too_few_steps_are_not_judged(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    b.overview.column_count = 32; /* 29 behind the warm-up */
    compare_make(&comparison, &a.side, &b.side);
    expect(&comparison, "B is 3.0% slower a step: too few steps to tell it from noise (97 and 29; "
                        "it takes 30 each)\n");
    compare_done(&comparison);
}

/* ---- who, and like with like ---- */

static void who_is_named_in_which(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    a.verdicts[0] =
        (struct verdict){.kind = VERDICT_STRAGGLER, .rank = 5, .slowdown = 1.10, .to_step = -1};
    a.verdicts[1] = (struct verdict){.kind = VERDICT_STRAGGLER, .rank = 2, .slowdown = 1.2};
    a.verdicts[2] = (struct verdict){.kind = VERDICT_SPIKE, .rank = 1, .slowdown = 3};
    a.summary.verdict_count = 3;
    b.verdicts[0] = (struct verdict){.kind = VERDICT_GROUP,
                                     .rank = -1,
                                     .slowdown = 1.3,
                                     .is_host = true,
                                     .group = "node\x1b[31m1"};
    b.verdicts[1] =
        (struct verdict){.kind = VERDICT_STRAGGLER, .rank = 5, .slowdown = 1.08, .to_step = -1};
    b.verdicts[2] = (struct verdict){.kind = VERDICT_STRAGGLER, .rank = 5, .slowdown = 1.5};
    b.summary.verdict_count = 3;
    compare_make(&comparison, &a.side, &b.side);
    assert_int_equal(comparison.named_count, 3);
    expect(&comparison, "named in both:\n  rank 5 +10.0% c in A, +8.0% c in B\n");
    expect(&comparison, "named in A alone:\n  rank 2 +20.0% c in A\n");
    expect(&comparison, "named in B alone:\n  host node\xef\xbf\xbd[31m1 +30.0% c in B\n");
    compare_done(&comparison);
}

static void unlike_runs_are_said(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    pair(&a, &b);
    compare_make(&comparison, &a.side, &b.side);
    assert_int_equal(comparison.notes, 0);
    compare_done(&comparison);
    b.summary.run.gpus = 16;
    strcpy(b.summary.run.chip, "A100");
    b.summary.tokens_per_step *= 2;
    b.summary.simulated = true;
    compare_make(&comparison, &a.side, &b.side);
    assert_int_equal(comparison.notes, COMPARE_NOTE_GPUS | COMPARE_NOTE_CHIP | COMPARE_NOTE_TOKENS |
                                           COMPARE_NOTE_SIMULATED);
    expect(&comparison, "different numbers of GPUs");
    expect(&comparison, "different chips");
    expect(&comparison, "compare tokens a second");
    compare_done(&comparison);
}

/* ---- conditions ---- */

static void conditions_are_about_b_and_its_compared_figures(void **state)
{
    static struct fixture a, b;
    struct comparison comparison;
    struct check_values of_a, of_b;
    struct checks checks = {.count = 0};
    char error[256];
    pair(&a, &b);
    b.summary.step_time_mean_s = (struct quantity){5, EVIDENCE_MEASURED}; /* with the warm-up */
    compare_make(&comparison, &a.side, &b.side);
    compare_check_values(&comparison, COMPARE_A, &of_a);
    compare_check_values(&comparison, COMPARE_B, &of_b);
    assert_true(checks_parse(&checks, "step_time<=+2%,step_time_mean<=+4%,step_time_mean<1.1", true,
                             error, sizeof(error)));
    assert_false(checks_judge(&checks, &of_b, &of_a));
    assert_false(checks.items[0].holds);
    assert_true(near(checks.items[0].change, 0.03));
    assert_true(checks.items[1].holds);
    assert_true(checks.items[2].holds);
    char *text = text_of(&comparison, &checks);
    assert_non_null(strstr(text, "check   FAILED  step_time<=+2%: it is +3.00%: "));
    assert_non_null(strstr(text, "        holds   step_time_mean<=+4%: it is +3.00%: "));
    free(text);
    compare_done(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_steps_of_an_attempt_are_left_out),
        cmocka_unit_test(a_restart_warms_up_again),
        cmocka_unit_test(columns_of_several_steps_weigh_as_many),
        cmocka_unit_test(only_the_span_counts),
        cmocka_unit_test(what_one_side_does_not_know_is_not_compared),
        cmocka_unit_test(a_slower_run_is_told_in_words),
        cmocka_unit_test(the_same_run_is_no_slower),
        cmocka_unit_test(too_few_steps_are_not_judged),
        cmocka_unit_test(who_is_named_in_which),
        cmocka_unit_test(unlike_runs_are_said),
        cmocka_unit_test(conditions_are_about_b_and_its_compared_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

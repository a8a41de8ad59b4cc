/* Which long steps are spikes, and which are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "verdict_fixture.h"

/* Four ranks, all alike; `times` as long as usual. */
static void add_step(struct analysis *analysis, int64_t step, int64_t forward_ms, int64_t times)
{
    for (uint32_t rank = 0; rank < 4; rank++)
        add(analysis, record_of(rank, step, forward_ms * times, 200 * times, 20));
}

static void a_long_step_is_a_spike_once_ten_are_known(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        add_step(analysis, step, 100, step == 5 || step == 7 || step == 40 ? 3 : 1);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 1);
    const struct verdict *spike = verdict_of(&summary, VERDICT_SPIKE);
    assert_int_equal(spike->from_step, 40);
    assert_int_equal(spike->rank, -1); /* all ranks alike */
    assert_true(near(spike->slowdown, 920.0 / 320, 1e-6));
    summary_done(&summary);
    analysis_free(analysis);
}

/* The first three steps after a restart compile. */
static void the_first_steps_after_a_restart_are_no_spikes(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 40; step++)
        add_step(analysis, step, 100, 1);
    for (int64_t step = 30; step < 60; step++)
        add_step(analysis, step, 101, step < 33 || step == 45 ? 3 : 1);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_RESTART), 1);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 1);
    assert_int_equal(verdict_of(&summary, VERDICT_SPIKE)->from_step, 45);
    summary_done(&summary);
    analysis_free(analysis);
}

/* The exchange of 20 ms stays: 460 of 320 ms is 1.44 x, 500 is 1.56 x. */
static void one_and_a_half_times_the_median_is_the_bound(void **state)
{
    for (int over = 0; over < 2; over++) {
        struct analysis *analysis = new_analysis();
        struct summary summary;
        for (int64_t step = 0; step < 60; step++)
            for (uint32_t rank = 0; rank < 4; rank++)
                add(analysis, record_of(rank, step, step != 40 ? 100 : over ? 280 : 240, 200, 20));
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), over);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

/* Collectives, of which every fourth is three times as long; one is six times as long. */
static void a_part_of_a_step_is_a_spike_over_all_before(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 200; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            int64_t times = step == 150 ? 6 : step % 4 == 0 ? 3 : 1;
            struct record record = record_of(rank, step, 100 * times, 200 * times, 20);
            record.has |= RECORD_PART;
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 1);
    assert_int_equal(verdict_of(&summary, VERDICT_SPIKE)->from_step, 150);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Of 4,096 verdicts at most the spikes go first: there may be any number of them. */
/* 20 steps, then from step 1,000 on 20 that are three times as long, one of them six times: only
 * that one is a spike, and in a log without the gap all that are over the old median are. */
static void steps_of_long_ago_are_no_measure(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 20; step++)
        add_step(analysis, step, 100, 1);
    for (int64_t step = 1000; step < 1020; step++)
        add_step(analysis, step, 100, step == 1015 ? 6 : 3);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 1);
    assert_int_equal(verdict_of(&summary, VERDICT_SPIKE)->from_step, 1015);
    assert_true(near(verdict_of(&summary, VERDICT_SPIKE)->slowdown, 1820.0 / 920, 1e-6));
    summary_done(&summary);
    analysis_free(analysis);
}

/* Twice the tokens take twice as long from step 30 on: no spike. At step 40 they take four times
 * as long: over 1.5 x of what they may. */
static void a_larger_batch_is_no_spike(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            struct record record = record_of(rank, step,
                                             step == 40  ? 400
                                             : step < 30 ? 100
                                                         : 200,
                                             0, 20);
            record.has |= RECORD_TOKENS;
            record.tokens = step < 30 ? 1024 : 2048;
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 1);
    assert_int_equal(verdict_of(&summary, VERDICT_SPIKE)->from_step, 40);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_straggler_of_long_ago_outlives_any_number_of_spikes(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    int64_t step = 0;
    for (; step < 200; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            bool slow = rank == 2 && step >= 40 && step < 100;
            add(analysis, record_of(rank, step, 100, slow ? 240 : 200, 60 - (slow ? 40 : 0)));
        }
    for (int spikes = 0; spikes < 4200; step++) {
        add_step(analysis, step, 100, step % 5 == 0 ? 3 : 1);
        spikes += step % 5 == 0;
    }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 1);
    assert_true(verdicts_of(&summary, VERDICT_SPIKE) > 4000);
    assert_true(summary.verdicts_dropped > 0);
    summary_done(&summary);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_step_is_a_spike_once_ten_are_known),
        cmocka_unit_test(the_first_steps_after_a_restart_are_no_spikes),
        cmocka_unit_test(one_and_a_half_times_the_median_is_the_bound),
        cmocka_unit_test(steps_of_long_ago_are_no_measure),
        cmocka_unit_test(a_larger_batch_is_no_spike),
        cmocka_unit_test(a_part_of_a_step_is_a_spike_over_all_before),
        cmocka_unit_test(a_straggler_of_long_ago_outlives_any_number_of_spikes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

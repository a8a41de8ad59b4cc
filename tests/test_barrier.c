/* One step's barrier by each of the four rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis_fixture.h"

static struct record bare(uint32_t rank, int64_t step, uint32_t has, int64_t forward_ms,
                          int64_t backward_ms)
{
    struct record record = record_of(rank, step, forward_ms, backward_ms, 0);
    record.has = RECORD_RANK | RECORD_STEP | has;
    return record;
}

static void summary_with(enum barrier_choice barrier, const struct record *records, size_t count,
                         struct summary *summary)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.run.barrier = barrier;
    struct analysis *analysis = analysis_new(&options);
    add_all(analysis, records, count);
    analysis_finish(analysis);
    sum_up(analysis, summary);
    analysis_free(analysis);
}

static void the_least_sync_is_the_exchange(void **state)
{
    struct record records[] = {record_of(0, 0, 100, 200, 70), record_of(1, 0, 150, 200, 20),
                               record_of(2, 0, 100, 210, 60)};
    struct summary summary;
    summary_with(BARRIER_AUTO, records, 3, &summary);
    assert_int_equal(summary.shown.rule, WAIT_SYNC);
    assert_true(near(summary.ranks[0].wait_s, 0.050, 1e-12));
    assert_true(near(summary.ranks[1].wait_s, 0.000, 1e-12));
    assert_true(near(summary.ranks[2].wait_s, 0.040, 1e-12));
    assert_true(near(summary.exchange_mean_s.value, 0.020, 1e-12));
    summary_done(&summary);
}

static void without_sync_or_clocks_own_times_tell(void **state)
{
    struct record records[] = {bare(0, 0, RECORD_FORWARD | RECORD_BACKWARD, 100, 200),
                               bare(1, 0, RECORD_FORWARD | RECORD_BACKWARD, 150, 200),
                               bare(2, 0, RECORD_FORWARD | RECORD_BACKWARD, 100, 210)};
    struct summary summary;
    summary_with(BARRIER_AUTO, records, 3, &summary);
    assert_int_equal(summary.shown.rule, WAIT_OWN);
    assert_true(near(summary.ranks[0].wait_s, 0.050, 1e-12));
    assert_true(near(summary.ranks[2].wait_s, 0.040, 1e-12));
    assert_false(quantity_known(summary.exchange_mean_s));
    assert_true(near(summary.shown.step_time_s.value, 0.350, 1e-12));
    assert_int_equal(summary.shown.last_rank, 1);
    summary_done(&summary);
}

#define STAMPED_STEPS 8

/* Three ranks whose forward passes are 1 ms apart, and so their optimizers; the log gives 0.9 s
 * for each step, which begin 1 s apart. `same`: in so many steps, from the fifth on and round, all
 * have one begin; else their clocks are 0.1 ms apart. */
static void stamped(int64_t same, struct summary *summary)
{
    struct record records[3 * STAMPED_STEPS];
    for (uint32_t i = 0; i < 3 * STAMPED_STEPS; i++) {
        int64_t step = i / 3, rank = i % 3;
        int64_t apart = (step + STAMPED_STEPS - 4) % STAMPED_STEPS < same ? 0 : rank * MS / 10;
        records[i] = bare((uint32_t)rank, step,
                          RECORD_FORWARD | RECORD_OPTIMIZER | RECORD_STEP_TIME, 700 + rank, 0);
        records[i].phase_ns[PHASE_OPTIMIZER] = (100 + rank) * MS;
        records[i].step_time_ns = 900 * MS;
        records[i] = record_at(records[i], (100 + step) * SECOND + apart);
    }
    summary_with(BARRIER_AUTO, records, 3 * STAMPED_STEPS, summary);
}

/* By hand: own times are the forward pass and, but for the first step, the optimizer before:
 * rank 0 is 2 ms before rank 2 once, and 4 ms in 7 steps. */
static void one_stamp_for_all_ranks_is_no_clock_of_each(void **state)
{
    for (int64_t same = STAMPED_STEPS; same > STAMPED_STEPS / 2; same--) {
        struct summary summary;
        stamped(same, &summary);
        assert_int_equal(summary.rule, WAIT_OWN);
        assert_false(summary.rules_mixed);
        assert_int_equal(summary.wait_mean_s.evidence, EVIDENCE_COMPUTED);
        assert_true(near(summary.ranks[0].wait_mean_s, 0.00375, 1e-9));
        assert_true(near(summary.wait_mean_s.value, 0.001875, 1e-9));
        for (size_t i = 0; i < summary.point_count; i++) /* a stamp that differs, too */
            assert_true(near(summary.points[i].step_time_s, 0.9, 1e-12));
        summary_done(&summary);
    }
}

/* By hand: arrivals are the begin and the forward pass. In the one step, the fifth, rank 0 waits
 * 2 ms for rank 2, in the others 2.2 ms. How long the steps were the log says, not when it was that
 * own parts had ended. */
static void clocks_of_each_that_meet_in_a_step_are_clocks(void **state)
{
    struct summary summary;
    stamped(1, &summary);
    assert_int_equal(summary.rule, WAIT_CLOCKS);
    assert_false(summary.rules_mixed);
    assert_int_equal(summary.wait_mean_s.evidence, EVIDENCE_MEASURED);
    assert_true(near(summary.ranks[0].wait_mean_s, (7 * 2.2e-3 + 2e-3) / 8, 1e-9));
    for (size_t i = 0; i < summary.point_count; i++)
        assert_true(near(summary.points[i].step_time_s, 0.9, 1e-12));
    summary_done(&summary);
}

static void an_overlapped_exchange_hides_the_waiting_in_backward(void **state)
{
    struct record records[] = {bare(0, 0, RECORD_FORWARD | RECORD_BACKWARD, 100, 250),
                               bare(1, 0, RECORD_FORWARD | RECORD_BACKWARD, 150, 200),
                               bare(2, 0, RECORD_FORWARD | RECORD_BACKWARD, 110, 240)};
    struct summary summary;
    summary_with(BARRIER_OVERLAPPED, records, 3, &summary);
    assert_int_equal(summary.shown.rule, WAIT_OVERLAPPED);
    assert_true(near(summary.ranks[0].wait_s, 0.050, 1e-12));
    assert_true(near(summary.ranks[1].wait_s, 0.000, 1e-12));
    assert_true(near(summary.ranks[1].own_s, 0.350, 1e-12));
    assert_true(near(summary.ranks[0].own_s, 0.300, 1e-12));
    assert_true(near(summary.ranks[1].slowdown, 350.0 / 310, 1e-12));
    assert_int_equal(summary.shown.last_rank, 1);
    summary_done(&summary);
}

static void the_chosen_barrier_is_used(void **state)
{
    struct record records[2 * 40];
    for (int64_t step = 0; step < 40; step++) {
        int64_t more = step % 7 * 10;
        records[2 * step] = bare(0, step, RECORD_FORWARD | RECORD_BACKWARD, 100 + more, 300 - more);
        records[2 * step + 1] = bare(1, step, RECORD_FORWARD | RECORD_BACKWARD, 130, 270);
    }
    struct summary summary;
    summary_with(BARRIER_AUTO, records, 80, &summary);
    assert_int_equal(summary.rule, WAIT_OVERLAPPED);
    summary_done(&summary);
    summary_with(BARRIER_AFTER, records, 80, &summary);
    assert_int_equal(summary.rule, WAIT_OWN);
    assert_false(summary.rules_mixed);
    summary_done(&summary);
}

static void a_step_in_which_one_rank_lacks_sync_uses_another_rule(void **state)
{
    struct record records[] = {
        record_of(0, 0, 100, 200, 70), bare(1, 0, RECORD_FORWARD | RECORD_BACKWARD, 150, 200),
        record_of(0, 1, 100, 200, 70), record_of(1, 1, 150, 200, 20),
        record_of(0, 2, 100, 200, 70), record_of(1, 2, 150, 200, 20),
    };
    struct summary summary;
    summary_with(BARRIER_AUTO, records, 6, &summary);
    assert_int_equal(summary.rule, WAIT_SYNC);
    assert_true(summary.rules_mixed);
    assert_true(near(summary.wait_mean_s.value, 0.025, 1e-12));
    summary_done(&summary);
}

/* Equal ranks: the first is last, always the same, and nobody waits. */
static void equal_ranks_do_not_wait(void **state)
{
    struct record records[] = {record_of(4, 0, 100, 200, 20), record_of(2, 0, 100, 200, 20)};
    struct summary summary;
    summary_with(BARRIER_AUTO, records, 2, &summary);
    assert_true(summary.wait_mean_s.value == 0);
    assert_int_equal(summary.shown.last_rank, 4);
    assert_int_equal(summary.ranks[0].rank, 2);
    summary_done(&summary);
}

/* `compute` less than the backward pass in it: a contradiction, but not a time below 0. */
static void own_time_is_never_less_than_the_least_backward_pass(void **state)
{
    struct record records[] = {bare(0, 0, RECORD_COMPUTE | RECORD_BACKWARD, 0, 250),
                               bare(1, 0, RECORD_COMPUTE | RECORD_BACKWARD, 0, 200),
                               bare(2, 0, RECORD_COMPUTE | RECORD_BACKWARD, 0, 240)};
    records[0].compute_ns = 1 * MS;
    records[1].compute_ns = records[2].compute_ns = 300 * MS;
    struct summary summary;
    summary_with(BARRIER_OVERLAPPED, records, 3, &summary);
    assert_int_equal(summary.shown.rule, WAIT_OVERLAPPED);
    assert_true(near(summary.ranks[0].own_s, 0.200, 1e-12));
    assert_true(near(summary.ranks[1].own_s, 0.300, 1e-12));
    assert_true(near(summary.ranks[2].own_s, 0.260, 1e-12));
    summary_done(&summary);
}

/* The clocks say that steps take 0.1 s, and the records that 2.9 s of it were waited. */
static void no_more_is_waited_than_there_is_time(void **state)
{
    struct record records[6];
    for (uint32_t i = 0; i < 6; i++)
        records[i] = record_at(record_of(i % 2, i / 2, 10, 10, i % 2 ? 3000 : 100),
                               SECOND + i / 2 * 100 * MS);
    struct summary summary;
    summary_with(BARRIER_AUTO, records, 6, &summary);
    assert_true(near(summary.shown.step_time_s.value, 0.1, 1e-12));
    assert_true(near(summary.shown.wait_mean_s.value, 1.45, 1e-12));
    assert_true(summary.shown.wait_share.value == 1);
    assert_true(near(summary.wait_share.value, 1, 0.5));
    assert_true(summary.wait_share.value <= 1 && summary.window_wait_share.value <= 1);
    assert_true(summary.points[2].wait_share == 1);
    summary_done(&summary);
}

/* 17 ranks x 11.6 days are more nanoseconds than a double can count one by one. */
static void a_step_of_days_leaves_nothing_behind_in_the_window(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.run.window = 2;
    struct analysis *analysis = analysis_new(&options);
    for (uint32_t i = 0; i < 17 * 6; i++) {
        struct record record = bare(i % 17, i / 17, RECORD_COMPUTE, 0, 0);
        record.compute_ns = i < 17 ? RECORD_DURATION_MAX_NS : i % 17 ? 5 : 7;
        add(analysis, record);
    }
    analysis_finish(analysis);
    struct summary summary;
    sum_up(analysis, &summary);
    assert_true(near(summary.window_wait_share.value, 32.0 / 119, 1e-12));
    assert_true(near(summary.window_step_time_s.value, 7e-9, 1e-21));
    summary_done(&summary);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_sync_is_the_exchange),
        cmocka_unit_test(without_sync_or_clocks_own_times_tell),
        cmocka_unit_test(one_stamp_for_all_ranks_is_no_clock_of_each),
        cmocka_unit_test(clocks_of_each_that_meet_in_a_step_are_clocks),
        cmocka_unit_test(an_overlapped_exchange_hides_the_waiting_in_backward),
        cmocka_unit_test(the_chosen_barrier_is_used),
        cmocka_unit_test(a_step_in_which_one_rank_lacks_sync_uses_another_rule),
        cmocka_unit_test(equal_ranks_do_not_wait),
        cmocka_unit_test(own_time_is_never_less_than_the_least_backward_pass),
        cmocka_unit_test(no_more_is_waited_than_there_is_time),
        cmocka_unit_test(a_step_of_days_leaves_nothing_behind_in_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

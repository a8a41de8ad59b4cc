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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_sync_is_the_exchange),
        cmocka_unit_test(without_sync_or_clocks_own_times_tell),
        cmocka_unit_test(an_overlapped_exchange_hides_the_waiting_in_backward),
        cmocka_unit_test(the_chosen_barrier_is_used),
        cmocka_unit_test(a_step_in_which_one_rank_lacks_sync_uses_another_rule),
        cmocka_unit_test(equal_ranks_do_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What the waiting costs: ledgers, the jitter floor, what would be won, lost work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "verdict_fixture.h"

/* ---- what it costs ---- */

/* Figure 1.5 has no jitter: a step lasts 1.10 + 0.05 and would last 1.02 + 0.05. */
static void the_figures_straggler_costs_what_can_be_counted(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_figure_1_5(&options);
    summary_of(&options, 100, &summary);
    assert_int_equal(named(&summary), 1);
    const struct verdict *verdict = &summary.verdicts[0];
    assert_int_equal(verdict->rank, 5);
    assert_true(near(verdict->slowdown, 1.10, 1e-6));
    assert_int_equal(verdict->from_step, 0);
    const struct what_if *what_if = what_if_of(&summary, COST_OF_RANK, 5);
    assert_non_null(what_if);
    assert_true(what_if->named && !what_if->lower_bound);
    assert_true(near(what_if->step_time_s.value, 1.15, 1e-4));
    assert_true(near(what_if->step_time_without_s.value, 1.07, 1e-4));
    assert_true(near(what_if->gain_share.value, 0.08 / 1.15, 1e-4));
    assert_int_equal(what_if->gain_share.evidence, EVIDENCE_SIMULATED);
    /* The ledger: 1.00 own, 0.05 exchange, 0.10 late, of which 0.08 is rank 5. */
    const struct ledger *ledger = &summary.ledger_window;
    assert_true(near(ledger->share[LEDGER_STRAGGLERS].value, 0.08 / 1.15, 1e-3));
    assert_true(near(ledger->share[LEDGER_JITTER].value, 0.02 / 1.15, 1e-3));
    assert_true(near(ledger->share[LEDGER_EXCHANGE].value, 0.05 / 1.15, 1e-3));
    assert_true(near(ledger->share[LEDGER_INPUT].value, 0.0004 / 1.15, 1e-4));
    /* And over the span, from the verdict's first step, though it was named later. */
    assert_true(near(summary.ledger.share[LEDGER_STRAGGLERS].value, 0.08 / 1.15, 2e-3));
    assert_true(near(verdict->lost_share, 0.08 / 1.15, 2e-3));
    assert_true(near(verdict->lost_gpu_s, 100 * 0.08 * 8, 1.5));
    summary_done(&summary);
}

static void two_slow_ranks_win_nothing_one_by_one(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.jitter = 0;
    slow(&options, 2, 1.5);
    slow(&options, 6, 1.5);
    summary_of(&options, 100, &summary);
    assert_int_equal(named(&summary), 2);
    const struct what_if *all = &summary.what_ifs[0];
    assert_int_equal(all->of, COST_OF_ALL);
    assert_int_equal(all->ranks, 2);
    assert_true(near(all->gain_share.value, 0.455 / 1.4554, 0.005));
    assert_true(near(what_if_of(&summary, COST_OF_RANK, 2)->gain_share.value, 0, 1e-6));
    assert_true(near(what_if_of(&summary, COST_OF_RANK, 6)->gain_share.value, 0, 1e-6));
    summary_done(&summary);
}

static double shares_of(const struct ledger *ledger)
{
    double sum = 0;
    for (int part = 0; part < LEDGER_COUNT; part++)
        if (quantity_known(ledger->share[part]))
            sum += ledger->share[part].value;
    return sum;
}

/* 100 steps, dies at 100, down for 30 s, goes on from 80, to 150. */
static void a_restart_is_downtime_and_lost_work(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.jitter = 0;
    options.restart_at = 100;
    options.restart_to = 80;
    summary_of(&options, 170, &summary);
    const struct verdict *restart = verdict_of(&summary, VERDICT_RESTART);
    assert_non_null(restart);
    assert_int_equal(restart->from_step, 80);
    assert_int_equal(restart->repeated_steps, 20);
    assert_true(near(restart->step_time_s, 30, 1.1));
    assert_int_equal(summary.effective.restarts, 1);
    assert_int_equal(summary.effective.repeated_steps, 20);
    assert_true(near(summary.effective.lost_s.value, 20, 0.5));
    assert_true(near(summary.effective.down_s.value, 30, 1.1));
    assert_true(near(summary.effective.kept_s.value, 150, 2));
    assert_true(near(summary.effective.share.value, 150.0 / 200, 0.01));
    assert_true(near(summary.ledger.share[LEDGER_LOST_WORK].value, 0.1, 0.005));
    assert_true(near(summary.ledger.share[LEDGER_DOWNTIME].value, 0.15, 0.005));
    assert_true(near(shares_of(&summary.ledger), 1, 1e-9));
    assert_true(near(summary.ledger.wall_s, summary.effective.wall_s.value, 1e-6));
    assert_int_equal(named(&summary), 0);
    summary_done(&summary);
}

static void ledgers_add_up_in_any_run(void **state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct simulate_options options;
        struct summary summary;
        simulate_options_init(&options);
        options.seed = seed;
        options.ranks = 1 + (uint32_t)seed % 9;
        options.jitter = (double)(seed % 5) * 0.05;
        options.overlapped = seed % 3 == 0;
        options.restart_at = seed % 4 ? -1 : 60;
        options.tokens = 1000;
        slow(&options, 0, 1 + (double)(seed % 7) * 0.1);
        summary_of(&options, 20 + seed * 3, &summary);
        assert_true(near(shares_of(&summary.ledger), 1, 1e-9));
        assert_true(near(shares_of(&summary.ledger_window), 1, 1e-9));
        summary_done(&summary);
    }
}

/* 2.8, 4.7 and 6.5% for 2%; the simulated own time spreads by 1.92%, since the
 * optimizer, which is a part of it, has no jitter of its own. */
static void the_floor_is_what_equal_ranks_lose(void **state)
{
    static const struct {
        uint32_t ranks;
        double longer;
    } cases[] = {{8, 0.028}, {64, 0.047}, {1024, 0.065}};
    for (size_t i = 0; i < 3; i++) {
        struct simulate_options options;
        struct summary summary;
        simulate_options_init(&options);
        options.ranks = cases[i].ranks;
        summary_of(&options, 60, &summary);
        assert_true(near(summary.jitter.longer.value, 0.96 * cases[i].longer, 0.0025));
        assert_true(near(summary.jitter.loss.value,
                         summary.jitter.floor.value + summary.jitter.chronic.value, 1e-9));
        assert_true(summary.jitter.chronic.value < 0.006);
        assert_true(near(summary.jitter.longer_at[0].value, 0.96 * 0.028, 0.0025));
        assert_true(near(summary.jitter.longer_at[2].value, 0.96 * 0.065, 0.004));
        summary_done(&summary);
    }
}

/* ---- little to go by ---- */

static void one_rank_one_step_or_none_have_no_cost(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        struct analysis *analysis = new_analysis();
        struct summary summary;
        if (kind > 0)
            for (int64_t step = 0; step < (kind == 1 ? 1 : 60); step++)
                for (uint32_t rank = 0; rank < (kind == 1 ? 4 : 1); rank++)
                    add(analysis, record_of(rank, step, 100, 200, 20));
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        assert_int_equal(named(&summary), 0);
        assert_int_equal(verdicts_of(&summary, VERDICT_WANDERING), 0);
        assert_false(quantity_known(summary.jitter.floor));
        if (kind == 0)
            assert_true(summary.ledger.wall_s == 0);
        else
            assert_true(near(shares_of(&summary.ledger), 1, 1e-9));
        if (kind == 2)
            assert_int_equal(summary.what_if_count, 0);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

/* Waits, but not what each rank did before them. */
static void sync_alone_tells_who_was_last_but_not_who_is_slow(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 40; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            struct record record = record_of(rank, step, 0, 0, rank == 2 ? 100 : 150);
            record.has &= ~(uint32_t)(RECORD_FORWARD | RECORD_BACKWARD);
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(named(&summary), 0);
    assert_int_equal(verdicts_of(&summary, VERDICT_CANNOT_TELL), 1);
    assert_int_equal(summary.rotation.most_rank, 2);
    assert_int_equal(summary.rotation.most_count, 40);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Half of the ranks leave the forward pass out: they are not fast, nor are the others
 * slow. */
static void own_times_of_other_parts_are_not_compared(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 5; rank++) {
            struct record record = record_of(rank, step, 100, 200 + (rank + step) % 3, 20);
            if (rank % 2 == 1)
                record.has &= ~(uint32_t)RECORD_FORWARD;
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(named(&summary), 0);
    assert_true(near(summary.ranks[0].slowdown_median, 1, 0.01));
    assert_true(isnan(summary.ranks[1].slowdown_median));
    assert_true(near(summary.shown.own_median_s, 0.301, 0.0011));
    summary_done(&summary);
    analysis_free(analysis);
}

/* Rank 5 has the longest own time, rank 1 the next; one in between is not known. */
static void a_rank_without_own_time_is_not_the_next_one(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 7; rank++) {
            int64_t own_ms = rank == 5 ? 400 : rank == 1 ? 310 : 300;
            struct record record = record_of(rank, step, own_ms - 200, 200, 20 + 400 - own_ms);
            if (rank == 6)
                record.has &= ~(uint32_t)(RECORD_FORWARD | RECORD_BACKWARD);
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    const struct verdict *verdict = verdict_of(&summary, VERDICT_STRAGGLER);
    assert_non_null(verdict);
    assert_int_equal(verdict->rank, 5);
    assert_true(near(verdict->lost_share, 90.0 / 420, 1e-6));
    summary_done(&summary);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_figures_straggler_costs_what_can_be_counted),
        cmocka_unit_test(two_slow_ranks_win_nothing_one_by_one),
        cmocka_unit_test(a_restart_is_downtime_and_lost_work),
        cmocka_unit_test(ledgers_add_up_in_any_run),
        cmocka_unit_test(the_floor_is_what_equal_ranks_lose),
        cmocka_unit_test(one_rank_one_step_or_none_have_no_cost),
        cmocka_unit_test(sync_alone_tells_who_was_last_but_not_who_is_slow),
        cmocka_unit_test(a_rank_without_own_time_is_not_the_next_one),
        cmocka_unit_test(own_times_of_other_parts_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What fixing somebody would bring, in whole runs: its order, its bound, its end;
 * and when nobody is told to be fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "verdict_fixture.h"

static void where_there_are_stages_every_gain_is_a_lower_bound(void **state)
{
    for (uint32_t groups = 0; groups <= 4; groups += groups ? groups : 1) { /* 0, 1, 2, 4 */
        struct simulate_options options;
        struct summary summary;
        simulate_options_init(&options);
        options.groups = groups;
        slow(&options, 5, 1.3);
        summary_of(&options, 60, &summary);
        assert_int_equal(summary.what_if_count, 1); /* "all" would say the same again */
        assert_int_equal(summary.what_ifs[0].of, COST_OF_RANK);
        assert_int_equal(summary.has_groups, groups >= 2);
        for (size_t i = 0; i < summary.what_if_count; i++)
            assert_int_equal(summary.what_ifs[i].lower_bound, groups >= 2);
        summary_done(&summary);
    }
}

static void all_of_them_come_first_and_then_who_brings_most(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.jitter = 0.002;
    slow(&options, 2, 1.2);
    slow(&options, 6, 1.5);
    summary_of(&options, 60, &summary);
    assert_int_equal(summary.what_if_count, 3);
    assert_int_equal(summary.what_ifs[0].of, COST_OF_ALL);
    assert_int_equal(summary.what_ifs[1].rank, 6);
    assert_int_equal(summary.what_ifs[2].rank, 2);
    assert_true(summary.what_ifs[1].gain_share.value > 0.1);
    assert_true(summary.what_ifs[2].gain_share.value < 0.01);
    /* And so it was in each step: behind rank 6 rank 2 has cost nothing. */
    assert_int_equal(summary.verdicts[0].rank, 6);
    assert_true(summary.verdicts[0].lost_share > 0.1);
    assert_int_equal(summary.verdicts[1].rank, 2);
    assert_true(near(summary.verdicts[1].lost_share, 0, 1e-6));
    summary_done(&summary);
}

static void beside_a_slow_group_stands_the_slowest_of_its_ranks(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.ranks = 16;
    options.groups = 8; /* of two */
    slow(&options, 6, 1.2);
    slow(&options, 7, 1.4);
    summary_of(&options, 100, &summary);
    const struct what_if *group = what_if_of(&summary, COST_OF_GROUP, -1);
    assert_non_null(group);
    assert_true(group->named);
    assert_int_equal(group->ranks, 2);
    const struct what_if *alone = what_if_of(&summary, COST_OF_RANK, 7);
    assert_non_null(alone);
    assert_false(alone->named);
    assert_null(what_if_of(&summary, COST_OF_RANK, 6));
    assert_true(alone->gain_share.value < group->gain_share.value);
    summary_done(&summary);
}

static void what_one_explains_is_never_more_than_all(void **state)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct simulate_options options;
        struct summary summary;
        simulate_options_init(&options);
        options.seed = seed;
        slow(&options, 3, 1.5);
        summary_of(&options, 60, &summary);
        const struct what_if *what_if = what_if_of(&summary, COST_OF_RANK, 3);
        assert_true(what_if->explains.value > 0.95 && what_if->explains.value <= 1);
        assert_true(summary.jitter.chronic.value >= 0);
        assert_true(summary.jitter.floor.value <= summary.jitter.loss.value);
        summary_done(&summary);
    }
}

/* 100 steps of 8,000 tokens are done: steps 0 to 99. */
static void the_end_of_the_run_is_counted_from_the_steps_that_are_done(void **state)
{
    static const double left[] = {0, 3600};
    for (int i = 0; i < 2; i++) {
        struct analysis_options options;
        struct simulate_options simulation;
        struct summary summary;
        analysis_options_init(&options);
        options.run.tokens_per_step = 8000;
        options.run.total_tokens = 8000 * (100 + left[i]);
        struct analysis *analysis = analysis_new(&options);
        simulate_options_figure_1_5(&simulation);
        run_steps(analysis, &simulation, 100);
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        const struct what_if *what_if = what_if_of(&summary, COST_OF_RANK, 5);
        assert_true(quantity_known(what_if->hours_end));
        /* 3,600 steps, each 0.08 s shorter */
        assert_true(near(what_if->hours_end.value, left[i] > 0 ? 0.08 : 0, 1e-5));
        summary_done(&summary);
        analysis_free(analysis);
    }
}

/* Tokens in some records only: how much arithmetic was done is not known. */
static void without_all_tokens_the_arithmetic_is_not_known(void **state)
{
    for (int some = 0; some < 2; some++) {
        struct analysis_options options;
        struct summary summary;
        analysis_options_init(&options);
        options.run.params = 1e9;
        options.run.gpus = 4;
        options.run.peak_flops = 1e15;
        struct analysis *analysis = analysis_new(&options);
        for (int64_t step = 0; step < 60; step++)
            for (uint32_t rank = 0; rank < 4; rank++) {
                struct record record = record_of(rank, step, 100, 200, 20);
                if (!some || step % 2 == 0) {
                    record.has |= RECORD_TOKENS;
                    record.tokens = 1000;
                }
                add(analysis, record);
            }
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        assert_int_equal(quantity_known(summary.ledger.share[LEDGER_ARITHMETIC]), !some);
        assert_int_equal(quantity_known(summary.ledger_window.share[LEDGER_ARITHMETIC]), !some);
        if (!some) /* 4,000 tokens x 6e9 in 0.32 s of 4e15 */
            assert_true(near(summary.ledger.share[LEDGER_ARITHMETIC].value, 0.01875, 1e-6));
        summary_done(&summary);
        analysis_free(analysis);
    }
}

/* ---- nobody ---- */

/* Rank 0 is a little late in every step; now and then another one is very late. */
static void who_is_last_in_most_steps_does_not_wander(void **state)
{
    for (int mostly = 0; mostly < 2; mostly++) {
        struct analysis *analysis = new_analysis();
        struct summary summary;
        for (int64_t step = 0; step < 60; step++) {
            int64_t work_ms[8] = {mostly ? 202 : 200, 200, 200, 200, 200, 200, 200, 200};
            if (step % 10 < (mostly ? 3 : 10))
                work_ms[1 + step * 5 % 7] = 300;
            int64_t last = 202;
            for (int rank = 0; rank < 8; rank++)
                last = work_ms[rank] > last ? work_ms[rank] : last;
            for (uint32_t rank = 0; rank < 8; rank++)
                add(analysis, record_of(rank, step, 100, work_ms[rank], 20 + last - work_ms[rank]));
        }
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        assert_int_equal(named(&summary), 0);
        assert_true(summary.jitter.loss.value > 0.05);
        assert_int_equal(verdicts_of(&summary, VERDICT_WANDERING), !mostly);
        assert_int_equal(summary.rotation.most_rank == 0, mostly);
        if (mostly) { /* steps 53 to 59 */
            assert_int_equal(summary.rotation.streak_rank, 0);
            assert_int_equal(summary.rotation.streak, 7);
            assert_int_equal(summary.rotation.most_count, 35); /* of 50, 15 were another's */
        }
        summary_done(&summary);
        analysis_free(analysis);
    }
}

static void before_twenty_steps_nothing_is_said_to_wander(void **state)
{
    for (size_t steps = 10; steps <= 40; steps += 30) {
        struct simulate_options options;
        struct summary summary;
        simulate_options_init(&options);
        options.jitter = 0.1;
        summary_of(&options, steps, &summary);
        assert_true(summary.jitter.loss.value > 0.05);
        assert_int_equal(verdicts_of(&summary, VERDICT_WANDERING), steps >= 20);
        summary_done(&summary);
    }
}

static void a_little_waiting_does_not_wander(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    summary_of(&options, 100, &summary);
    assert_true(summary.jitter.loss.value > 0.01 && summary.jitter.loss.value < 0.05);
    assert_int_equal(verdicts_of(&summary, VERDICT_WANDERING), 0);
    assert_int_equal(summary.what_if_count, 1); /* nobody is named: who would bring most */
    for (size_t i = 0; i < summary.rank_count; i++)
        assert_true(summary.ranks[i].gain_s <= summary.ranks[summary.what_ifs[0].rank].gain_s);
    summary_done(&summary);
}

/* A checkpoint's time is in no phase: 0.5 s after step 40 and 0.2 s of validation. */
static void what_the_log_calls_a_gap_stands_under_its_name(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    int64_t begin_ns = SECOND;
    for (int64_t step = 0; step < 60; step++) {
        bool checkpoint = step == 40, validation = step == 50;
        for (uint32_t rank = 0; rank < 4; rank++) {
            struct record record = record_at(record_of(rank, step, 100, 200, 20), begin_ns);
            record.has |= checkpoint ? RECORD_CHECKPOINT : validation ? RECORD_VALIDATION : 0;
            add(analysis, record);
        }
        begin_ns += 320 * MS + (step == 39 ? 500 * MS : step == 49 ? 200 * MS : 0);
    }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    const struct quantity *share = summary.ledger_window.share;
    double wall_s = 50 * 0.32 + 0.7;
    assert_true(near(summary.ledger_window.wall_s, wall_s, 1e-6));
    assert_true(near(share[LEDGER_CHECKPOINT].value, 0.5 / wall_s, 1e-6));
    assert_true(near(share[LEDGER_VALIDATION].value, 0.2 / wall_s, 1e-6));
    assert_true(near(share[LEDGER_GAPS].value, 0, 1e-6));
    summary_done(&summary);
    analysis_free(analysis);
}

/* Both ranks of a group are slow, then all is well, then one of them is slow again. */
static void a_group_that_was_slow_does_not_explain_a_rank_that_is(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.ranks = 16;
    options.groups = 8; /* of two */
    options.slow_count = 3;
    options.slow[0] = (struct simulate_slow){6, 1.2, 0, 0, 149};
    options.slow[1] = (struct simulate_slow){7, 1.2, 0, 0, 149};
    options.slow[2] = (struct simulate_slow){7, 1.2, 0, 300, INT64_MAX};
    summary_of(&options, 400, &summary);
    assert_int_equal(summary.verdicts_in_force, 1);
    assert_int_equal(summary.verdicts[0].kind, VERDICT_STRAGGLER);
    assert_int_equal(summary.verdicts[0].rank, 7);
    const struct verdict *group = verdict_of(&summary, VERDICT_GROUP);
    assert_non_null(group);
    assert_true(group->to_step >= 145 && group->to_step <= 155);
    summary_done(&summary);
}

/* ---- stages from sizes ---- */

static void a_rank_beyond_the_sizes_has_no_stage(void **state)
{
    struct run run;
    run_init(&run);
    assert_int_equal(run_stage_of(&run, 0), -1);
    run.tp = 2;
    run.dp = 2;
    run.pp = 3;
    assert_int_equal(run_stage_of(&run, 3), 0);
    assert_int_equal(run_stage_of(&run, 4), 1);
    assert_int_equal(run_stage_of(&run, 11), 2);
    assert_int_equal(run_stage_of(&run, 12), -1);
    assert_true(run_set_order(&run, "tp-pp-dp"));
    assert_int_equal(run_stage_of(&run, 1), 0);
    assert_int_equal(run_stage_of(&run, 2), 1);
    assert_int_equal(run_stage_of(&run, 6), 0);
    assert_false(run_set_order(&run, "tp-tp-pp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_there_are_stages_every_gain_is_a_lower_bound),
        cmocka_unit_test(all_of_them_come_first_and_then_who_brings_most),
        cmocka_unit_test(beside_a_slow_group_stands_the_slowest_of_its_ranks),
        cmocka_unit_test(what_one_explains_is_never_more_than_all),
        cmocka_unit_test(the_end_of_the_run_is_counted_from_the_steps_that_are_done),
        cmocka_unit_test(without_all_tokens_the_arithmetic_is_not_known),
        cmocka_unit_test(who_is_last_in_most_steps_does_not_wander),
        cmocka_unit_test(before_twenty_steps_nothing_is_said_to_wander),
        cmocka_unit_test(a_little_waiting_does_not_wander),
        cmocka_unit_test(what_the_log_calls_a_gap_stands_under_its_name),
        cmocka_unit_test(a_group_that_was_slow_does_not_explain_a_rank_that_is),
        cmocka_unit_test(a_rank_beyond_the_sizes_has_no_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

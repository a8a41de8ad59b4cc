/* Who is named, since when, until when; and that jitter names nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis_fixture.h"
#include "straggler.h"

static void summary_of(const struct simulate_options *simulation, size_t steps,
                       struct summary *summary)
{
    struct record records[64];
    struct analysis *analysis = new_analysis();
    struct simulate *simulate = simulate_new(simulation);
    for (size_t i = 0; i < steps; i++)
        add_all(analysis, records, simulate_step(simulate, records));
    analysis_finish(analysis);
    sum_up(analysis, summary);
    simulate_free(simulate);
    analysis_free(analysis);
}

static void jitter_names_nobody(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (int kind = 0; kind < 4; kind++) {
            struct simulate_options simulation;
            struct summary summary;
            simulate_options_init(&simulation);
            simulation.seed = seed;
            simulation.jitter = kind % 2 ? 0.1 : 0.02;
            simulation.overlapped = kind / 2;
            summary_of(&simulation, 1000, &summary);
            assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 0);
            assert_int_equal(verdicts_of(&summary, VERDICT_GROUP), 0);
            assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 0);
            /* At 10% jitter the waiting costs more than a straggler of 5% would; where
             * the exchange overlaps, only a third of the time before it is seen. */
            assert_int_equal(verdicts_of(&summary, VERDICT_WANDERING), kind == 1);
            assert_int_equal(summary.complete, 1000);
            summary_done(&summary);
        }
}

static void a_different_slow_rank_each_step_names_nobody(void **state)
{
    struct simulate_options simulation;
    struct summary summary;
    simulate_options_init(&simulation);
    simulation.rotate = true;
    simulation.slow_count = 1;
    simulation.slow[0] = (struct simulate_slow){0, 1.5, 0, 0, INT64_MAX};
    summary_of(&simulation, 1000, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 0);
    summary_done(&summary);
}

static void a_slow_rank_is_named_since_its_step_and_until_its_step(void **state)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct simulate_options simulation;
        struct summary summary;
        simulate_options_init(&simulation);
        simulation.seed = seed;
        simulation.slow_count = 1;
        simulation.slow[0] =
            (struct simulate_slow){5, 1.1, RECORD_FORWARD | RECORD_BACKWARD, 300, 699};
        summary_of(&simulation, 600, &summary);
        assert_int_equal(summary.verdict_count, 1);
        const struct verdict *verdict = &summary.verdicts[0];
        assert_int_equal(verdict->kind, VERDICT_STRAGGLER);
        assert_int_equal(verdict->rank, 5);
        assert_int_equal(summary.verdicts_in_force, 1);
        assert_true(llabs((long long)verdict->from_step - 300) <= 3);
        assert_true(verdict->named_step > 300 && verdict->named_step <= 350);
        assert_int_equal(verdict->to_step, -1);
        assert_true(near(verdict->slowdown, 1.095, 0.01));
        assert_int_equal(verdict->phase, PHASE_BACKWARD); /* twice as long as forward */
        assert_true(summary.ranks[5].straggler && !summary.ranks[4].straggler);
        assert_true(near(summary.ranks[5].window_slowdown, 1.095, 0.015));
        summary_done(&summary);
        summary_of(&simulation, 1000, &summary);
        assert_int_equal(summary.verdict_count, 1);
        assert_int_equal(summary.verdicts_in_force, 0);
        verdict = &summary.verdicts[0];
        assert_true(llabs((long long)verdict->from_step - 300) <= 3);
        assert_true(llabs((long long)verdict->to_step - 699) <= 3);
        assert_true(near(verdict->slowdown, 1.095, 0.01));
        assert_false(summary.ranks[5].straggler);
        summary_done(&summary);
    }
}

/* Runs of usual and slow steps, of any length, each slow in its own way. */
static void however_it_goes_up_and_down_no_verdict_ends_before_it_begins(void **state)
{
    static const double levels[] = {0.5, 1, 1.03, 1.2, 1.2, 1.2};
    struct straggler_test test = {20, 0.05, straggler_z(8)};
    uint64_t random = 1;
    int cleared = 0;
    for (int series = 0; series < 300; series++) {
        float row[20];
        struct straggler straggler = {0};
        double level = 1;
        for (int i = 0; i < 20; i++)
            row[i] = NAN;
        for (uint32_t ordinal = 0; ordinal < 400; ordinal++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            if (random >> 60 < 7)
                level = levels[(random >> 32) % 6];
            bool due = straggler_add(&straggler, &row[ordinal % 20], 1.025f, level);
            if (due && straggler_judge(&straggler, row, &test, ordinal, 0) == STRAGGLER_CLEARED) {
                cleared++;
                assert_true(straggler.from <= straggler.to && straggler.to <= ordinal);
                quantile_done(&straggler.since);
            }
        }
        quantile_done(&straggler.since);
    }
    assert_true(cleared > 100);
}

static void the_phase_that_is_slow_is_blamed(void **state)
{
    static const enum phase phases[] = {PHASE_FORWARD, PHASE_BACKWARD, PHASE_OPTIMIZER};
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        struct simulate_options simulation;
        struct summary summary;
        simulate_options_init(&simulation);
        simulation.slow_count = 1;
        simulation.slow[0] = (struct simulate_slow){1, phases[i] == PHASE_OPTIMIZER ? 4 : 1.4,
                                                    1u << phases[i], 50, INT64_MAX};
        summary_of(&simulation, 200, &summary);
        assert_int_equal(summary.verdict_count, 1);
        assert_int_equal(summary.verdicts[0].rank, 1);
        assert_int_equal(summary.verdicts[0].phase, phases[i]);
        summary_done(&summary);
    }
}

static void under_twenty_steps_name_nobody(void **state)
{
    struct simulate_options simulation;
    struct summary summary;
    simulate_options_init(&simulation);
    simulation.slow_count = 1;
    simulation.slow[0] = (struct simulate_slow){1, 1.5, 0, 0, INT64_MAX};
    summary_of(&simulation, 19, &summary);
    assert_int_equal(summary.verdict_count, 0);
    summary_done(&summary);
    summary_of(&simulation, 21, &summary);
    assert_int_equal(summary.verdict_count, 1);
    assert_int_equal(summary.verdicts[0].from_step, 0);
    summary_done(&summary);
}

/* Blocks of four ranks are a group; one is slow as a whole. */
static void a_group_that_is_slow_as_a_whole_is_named_in_place_of_its_ranks(void **state)
{
    struct simulate_options simulation;
    struct summary summary;
    simulate_options_init(&simulation);
    simulation.ranks = 16;
    simulation.groups = 4;
    simulation.slow_count = 4;
    for (uint32_t i = 0; i < 4; i++)
        simulation.slow[i] = (struct simulate_slow){8 + i, 1.2, 0, 0, INT64_MAX};
    summary_of(&simulation, 200, &summary);
    assert_int_equal(summary.verdict_count, 1);
    assert_int_equal(summary.verdicts[0].kind, VERDICT_GROUP);
    assert_string_equal(summary.verdicts[0].group, "pp2");
    assert_int_equal(summary.verdicts[0].rank, -1);
    assert_true(summary.ranks[8].straggler && summary.ranks[11].straggler);
    assert_false(summary.ranks[7].straggler);
    summary_done(&summary);
}

static void an_overlapped_exchange_is_found_out(void **state)
{
    struct simulate_options simulation;
    struct summary summary;
    simulate_options_init(&simulation);
    simulation.overlapped = true;
    simulation.slow_count = 1;
    simulation.slow[0] = (struct simulate_slow){5, 1.2, 0, 0, INT64_MAX};
    summary_of(&simulation, 300, &summary);
    assert_int_equal(summary.rule, WAIT_OVERLAPPED);
    assert_int_equal(summary.wait_mean_s.evidence, EVIDENCE_SIMULATED);
    assert_int_equal(summary.verdict_count, 1);
    assert_int_equal(summary.verdicts[0].rank, 5);
    assert_int_equal(summary.verdicts[0].phase, PHASE_FORWARD);
    summary_done(&summary);
}

/* The same job with and without sync: without it the waits come from the clocks
 * when they agree, from own times when they don't. */
static void without_sync_the_clocks_tell_when_they_agree(void **state)
{
    for (int off = 0; off < 2; off++) {
        struct simulate_options simulation;
        struct summary with, without;
        simulate_options_init(&simulation);
        simulation.ranks_per_host = 2;
        simulation.clock_spread_ns = off ? 5 * SECOND : 0;
        size_t count;
        struct record *records = simulated(&simulation, 300, &count);
        struct analysis *analysis = new_analysis();
        add_all(analysis, records, count);
        analysis_finish(analysis);
        sum_up(analysis, &with);
        analysis_free(analysis);
        analysis = new_analysis();
        for (size_t i = 0; i < count; i++)
            records[i].has &= ~(uint32_t)RECORD_SYNC;
        for (size_t i = 0; i < count; i++)
            records[i].phase_ns[PHASE_SYNC] = 0;
        add_all(analysis, records, count);
        analysis_finish(analysis);
        sum_up(analysis, &without);
        analysis_free(analysis);
        assert_int_equal(with.rule, WAIT_SYNC);
        assert_int_equal(without.rule, off ? WAIT_OWN : WAIT_CLOCKS);
        assert_true(
            near(with.wait_mean_s.value, without.wait_mean_s.value, with.wait_mean_s.value * 0.01));
        assert_int_equal(without.wait_mean_s.evidence, EVIDENCE_SIMULATED);
        assert_int_equal(with.verdict_count + without.verdict_count, 0);
        summary_done(&with);
        summary_done(&without);
        free(records);
    }
}

static void figure_1_5_names_rank_5(void **state)
{
    struct simulate_options simulation;
    struct summary summary;
    simulate_options_figure_1_5(&simulation);
    summary_of(&simulation, 100, &summary);
    assert_true(summary.simulated);
    assert_int_equal(summary.verdict_count, 1);
    assert_int_equal(summary.verdicts[0].rank, 5);
    assert_true(near(summary.verdicts[0].slowdown, 1.10, 0.015));
    assert_int_equal(summary.ranks[5].arrived_last_count, 100);
    assert_true(near(summary.ranks[5].wait_mean_s, 0, 1e-9));
    assert_int_equal(summary.step_time_mean_s.evidence, EVIDENCE_SIMULATED);
    summary_done(&summary);
}

/* A rank that is slow on and off for a very long time, and a window under 20. */
static void verdicts_are_bounded_and_the_dropped_are_counted(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.keep_history = false;
    options.run.window = 5;
    struct analysis *analysis = analysis_new(&options);
    struct summary summary;
    enum { TIMES = 4200, BLOCK = 30 };
    for (int64_t step = 0; step < TIMES * 2 * BLOCK; step++)
        for (uint32_t rank = 0; rank < 3; rank++)
            add(analysis,
                record_of(rank, step, rank == 1 && step / BLOCK % 2 ? 200 : 100, 200, 20));
    sum_up(analysis, &summary);
    assert_int_equal(summary.window_steps, 5);
    assert_int_equal(summary.verdict_count + summary.verdicts_dropped, TIMES);
    assert_int_equal(summary.verdicts_dropped, TIMES - 4096);
    for (size_t i = 0; i < summary.verdict_count; i++) {
        assert_int_equal(summary.verdicts[i].rank, 1);
        assert_int_equal(summary.verdicts[i].from_step / BLOCK % 2, 1);
        assert_int_equal(summary.verdicts[i].from_step % BLOCK, 0);
        assert_int_equal(summary.verdicts[i].phase, PHASE_FORWARD);
    }
    summary_done(&summary);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jitter_names_nobody),
        cmocka_unit_test(a_different_slow_rank_each_step_names_nobody),
        cmocka_unit_test(a_slow_rank_is_named_since_its_step_and_until_its_step),
        cmocka_unit_test(however_it_goes_up_and_down_no_verdict_ends_before_it_begins),
        cmocka_unit_test(the_phase_that_is_slow_is_blamed),
        cmocka_unit_test(under_twenty_steps_name_nobody),
        cmocka_unit_test(a_group_that_is_slow_as_a_whole_is_named_in_place_of_its_ranks),
        cmocka_unit_test(an_overlapped_exchange_is_found_out),
        cmocka_unit_test(without_sync_the_clocks_tell_when_they_agree),
        cmocka_unit_test(figure_1_5_names_rank_5),
        cmocka_unit_test(verdicts_are_bounded_and_the_dropped_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Figures of a span, of a job that went back, and of a table that is too small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis_fixture.h"

#define RANKS 4

static struct analysis *analysis_of_span(int64_t from_step, int64_t to_step)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.from_step = from_step;
    options.to_step = to_step;
    return analysis_new(&options);
}

/* Steps of 400 ms: 300 ms of own time, 20 ms of exchange, 80 ms of optimizer; rank 3 is
 * slow by `late_ms` from step `slow_from` on. */
static void add_steps(struct analysis *analysis, int64_t first, int64_t last, int64_t begin_ns,
                      int64_t slow_from, int64_t late_ms)
{
    for (int64_t step = first; step <= last; step++) {
        int64_t late = step >= slow_from ? late_ms : 0;
        for (uint32_t rank = 0; rank < RANKS; rank++) {
            int64_t own = rank == 3 ? late : 0;
            struct record record = record_of(rank, step, 100 + own, 200, 20 + late - own);
            record.has |= RECORD_OPTIMIZER;
            record.phase_ns[PHASE_OPTIMIZER] = 80 * MS;
            add(analysis, record_at(record, begin_ns));
        }
        begin_ns += (400 + late) * MS;
    }
}

static void a_span_that_the_job_did_not_come_back_to_shows_its_last_step(void **state)
{
    struct analysis *analysis = analysis_of_span(100, 120);
    struct summary summary;
    add_steps(analysis, 0, 150, 1000 * SECOND, INT64_MAX, 0);
    add_steps(analysis, 50, 80, 2000 * SECOND, INT64_MAX, 0);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.first_step, 100);
    assert_int_equal(summary.last_step, 120);
    assert_true(summary.shown.known);
    assert_int_equal(summary.shown.step, 120);
    assert_int_equal(summary.shown.attempt, 0);
    assert_int_equal(summary.window_steps, 21);
    assert_true(near(summary.window_step_time_s.value, 0.4, 1e-9));
    assert_int_equal(summary.jitter.steps, 21);
    summary_done(&summary);
    analysis_free(analysis);
}

static void of_a_span_that_has_left_the_table_no_step_is_shown(void **state)
{
    struct analysis_options options;
    struct summary summary;
    analysis_options_init(&options);
    options.to_step = 20;
    options.memory_bytes = 1;
    struct analysis *analysis = analysis_new(&options);
    add_steps(analysis, 0, 200, 1000 * SECOND, 0, 60);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.last_step, 20);
    assert_false(summary.shown.known);
    for (size_t i = 0; i < summary.rank_count; i++) {
        assert_true(isnan(summary.ranks[i].own_s));
        assert_true(isnan(summary.ranks[i].wait_s));
        assert_int_equal(summary.ranks[i].has, 0);
        assert_int_equal(summary.ranks[i].steps, 21);
    }
    summary_done(&summary);
    analysis_free(analysis);
}

/* 80 ms are the optimizer of the step that was done last. */
static void down_time_is_counted_though_the_span_begins_after_the_restart(void **state)
{
    struct analysis *analysis = analysis_of_span(100, INT64_MAX);
    struct summary summary;
    add_steps(analysis, 0, 149, 1000 * SECOND, INT64_MAX, 0); /* 1000 s to 1060 s */
    add_steps(analysis, 90, 160, 1120 * SECOND, INT64_MAX, 0);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.effective.restarts, 1);
    assert_true(near(summary.effective.down_s.value, 60.08, 1e-9));
    assert_int_equal(summary.effective.repeated_steps, 50);
    assert_true(near(summary.effective.lost_s.value, 50 * 0.4, 1e-9));
    assert_true(near(verdict_of(&summary, VERDICT_RESTART)->step_time_s, 60.08, 1e-9));
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_straggler_has_cost_what_it_did_before_the_restart_too(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    add_steps(analysis, 0, 109, 1000 * SECOND, 100, 60);
    add_steps(analysis, 105, 170, 2000 * SECOND, 100, 60);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    const struct verdict *verdict = verdict_of(&summary, VERDICT_STRAGGLER);
    assert_non_null(verdict);
    assert_int_equal(verdict->rank, 3);
    assert_int_equal(verdict->from_step, 100);
    assert_int_equal(verdict->attempt, 0);
    /* 10 steps before, 66 after: each of them 60 ms of 4 GPUs. */
    assert_true(near(verdict->lost_gpu_s, 76 * 0.060 * 4, 1e-6));
    /* Of what is kept: 5 before, 66 after. */
    assert_true(near(summary.ledger.share[LEDGER_STRAGGLERS].value * summary.ledger.wall_s,
                     71 * 0.060, 1e-3));
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_table_that_is_too_small_changes_no_figure(void **state)
{
    struct summary summaries[2];
    for (int i = 0; i < 2; i++) {
        struct analysis_options options;
        analysis_options_init(&options);
        options.memory_bytes = i == 0 ? (size_t)256 << 20 : 150000; /* some 150 steps */
        struct analysis *analysis = analysis_new(&options);
        add_steps(analysis, 0, 999, 1000 * SECOND, 300, 60);
        analysis_finish(analysis);
        sum_up(analysis, &summaries[i]);
        analysis_free(analysis);
    }
    const struct summary *large = &summaries[0], *small = &summaries[1];
    assert_true(small->first_in_memory > 800);
    assert_int_equal(large->step_time_mean_s.evidence, EVIDENCE_MEASURED);
    assert_int_equal(small->step_time_mean_s.evidence, EVIDENCE_MEASURED);
    assert_true(small->step_time_mean_s.value == large->step_time_mean_s.value);
    assert_true(small->step_time_median_s.value == large->step_time_median_s.value);
    assert_true(small->wait_share.value == large->wait_share.value);
    assert_int_equal(verdict_of(small, VERDICT_STRAGGLER)->from_step, 300);
    assert_true(verdict_of(small, VERDICT_STRAGGLER)->lost_gpu_s ==
                verdict_of(large, VERDICT_STRAGGLER)->lost_gpu_s);
    for (int part = 0; part < LEDGER_COUNT; part++)
        if (quantity_known(large->ledger.share[part]))
            assert_true(small->ledger.share[part].value == large->ledger.share[part].value);
    summary_done(&summaries[0]);
    summary_done(&summaries[1]);
}

static void add_in_groups(struct analysis *analysis, int64_t first, int64_t last, bool grouped)
{
    for (int64_t step = first; step <= last; step++)
        for (uint32_t rank = 0; rank < 8; rank++) {
            struct record record = record_of(rank, step, grouped && rank >= 6 ? 150 : 100, 200, 20);
            record.has |= RECORD_GROUP;
            record.group = str_from(!grouped ? "all" : rank >= 6 ? "b" : "a");
            add(analysis, record);
        }
}

static void a_verdict_on_a_group_ends_when_there_are_no_groups_any_more(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    add_in_groups(analysis, 0, 399, true);
    add_in_groups(analysis, 400, 1100, false);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    const struct verdict *verdict = verdict_of(&summary, VERDICT_GROUP);
    assert_non_null(verdict);
    assert_string_equal(verdict->group, "b");
    assert_true(verdict->to_step > 0);
    assert_int_equal(summary.verdicts_in_force, 0);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Hosts and groups of two ranks each, but not of the same two. */
static void a_slow_host_is_no_slow_group_of_other_ranks(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 100; step++)
        for (uint32_t rank = 0; rank < 16; rank++) {
            struct record record = record_of(rank, step, rank < 3 ? 150 : 100, 200, 20);
            const char *hosts[] = {"h0", "h1", "h0", "h2"};
            record.has |= RECORD_GROUP | RECORD_HOST;
            record.group = str_from(rank < 2 ? "g0" : "rest");
            record.host = str_from(rank < 4 ? hosts[rank] : "others");
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    bool host = false, group = false;
    for (size_t i = 0; i < summary.verdicts_in_force; i++) {
        host |= strcmp(summary.verdicts[i].group, "h0") == 0 && summary.verdicts[i].is_host;
        group |= strcmp(summary.verdicts[i].group, "g0") == 0 && !summary.verdicts[i].is_host;
    }
    assert_true(group);
    assert_true(host);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Half of all ranks are slow: the median of all, against which each is 4.9% slower, is
 * half way. */
static void of_two_hosts_the_slow_one_is_named(void **state)
{
    for (int groups = 1; groups <= 2; groups++) {
        struct analysis *analysis = new_analysis();
        struct summary summary;
        for (int64_t step = 0; step < 100; step++)
            for (uint32_t rank = 0; rank < 8; rank++) {
                bool slow = rank >= 4;
                struct record record = record_of(rank, step, slow ? 131 : 100, 200, 20);
                record.has |= RECORD_HOST | RECORD_GROUP;
                record.host = str_from(slow ? "node1" : "node0");
                record.group = str_from(groups == 1 || rank % 2 == 0 ? "even" : "odd");
                add(analysis, record);
            }
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        assert_int_equal(summary.verdicts_in_force, 1);
        assert_int_equal(summary.verdicts[0].kind, VERDICT_GROUP);
        assert_true(summary.verdicts[0].is_host);
        assert_string_equal(summary.verdicts[0].group, "node1");
        assert_true(near(summary.verdicts[0].slowdown, 331.0 / 300, 1e-6));
        summary_done(&summary);
        analysis_free(analysis);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_that_the_job_did_not_come_back_to_shows_its_last_step),
        cmocka_unit_test(of_a_span_that_has_left_the_table_no_step_is_shown),
        cmocka_unit_test(down_time_is_counted_though_the_span_begins_after_the_restart),
        cmocka_unit_test(a_straggler_has_cost_what_it_did_before_the_restart_too),
        cmocka_unit_test(a_table_that_is_too_small_changes_no_figure),
        cmocka_unit_test(a_verdict_on_a_group_ends_when_there_are_no_groups_any_more),
        cmocka_unit_test(of_two_hosts_the_slow_one_is_named),
        cmocka_unit_test(a_slow_host_is_no_slow_group_of_other_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The model as a whole: figures of small jobs worked out by hand, and the same
 * figures whatever the order of the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis_fixture.h"

/* ---- by hand ---- */

/* Each rank's file grows by 40 steps at once, rank after rank. */
static void ranks_that_write_in_bursts_are_awaited_when_it_is_said(void **state)
{
    (void)state;
    for (int wait = 0; wait < 2; wait++) {
        struct analysis_options options;
        analysis_options_init(&options);
        options.keep_history = true;
        struct analysis *analysis = analysis_new(&options);
        struct summary summary;
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_of(rank, 0, 200, 100, 90));
        if (wait)
            analysis_wait_longer(analysis, 128, 3);
        for (int64_t first = 1; first < 400; first += 40)
            for (uint32_t rank = 0; rank < 4; rank++)
                for (int64_t step = first; step < first + 40; step++)
                    add(analysis, record_of(rank, step, 200, 100, 90));
        for (int64_t step = 401; step < 441; step++)
            add(analysis, record_of(0, step, 200, 100, 90));
        sum_up(analysis, &summary);
        assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), wait ? 0 : 3);
        assert_int_equal(summary.shown.step, wait ? 400 : 439);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

static int64_t missing_since(struct analysis *analysis, uint32_t rank)
{
    struct summary summary;
    int64_t since = -1;
    sum_up(analysis, &summary);
    for (size_t i = 0; i < summary.verdict_count; i++)
        if (summary.verdicts[i].kind == VERDICT_MISSING && summary.verdicts[i].rank == rank)
            since = summary.verdicts[i].from_step;
    summary_done(&summary);
    return since;
}

/* It is known only behind what was read first that the ranks write in bursts. */
static void what_closed_too_early_for_bursts_is_awaited_again(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (uint32_t rank = 0; rank < 4; rank++)
        for (int64_t step = 0; step < (rank == 0 ? 440 : 400); step++)
            add(analysis, record_of(rank, step, 200, 100, 90));
    assert_int_equal(missing_since(analysis, 3), 400);
    analysis_wait_longer(analysis, 128, 3);
    sum_up(analysis, &summary);
    assert_int_equal(summary.shown.step, 399);
    assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 0);
    summary_done(&summary);
    for (uint32_t rank = 1; rank < 3; rank++) /* the next bursts */
        for (int64_t step = 400; step < 440; step++)
            add(analysis, record_of(rank, step, 200, 100, 90));
    assert_int_equal(missing_since(analysis, 3), -1);
    for (uint32_t rank = 0; rank < 3; rank++) /* 400 closes behind 527, 401 behind 528 */
        for (int64_t step = 440; step < 528; step++)
            add(analysis, record_of(rank, step, 200, 100, 90));
    assert_int_equal(missing_since(analysis, 3), -1);
    for (uint32_t rank = 0; rank < 3; rank++)
        add(analysis, record_of(rank, 528, 200, 100, 90));
    assert_int_equal(missing_since(analysis, 3), 400);
    for (int64_t step = 400; step < 529; step++) /* and it is back */
        add(analysis, record_of(3, step, 200, 100, 90));
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 0);
    assert_int_equal(summary.complete, 529);
    summary_done(&summary);
    analysis_free(analysis);
}

/* However long a rank is waited for while records come, at their end it is two steps that say
 * that it has left. */
static void at_the_end_a_rank_is_missing_however_long_it_was_awaited(void **state)
{
    static const int lags[] = {1, 2, 49, 50, 100, 201, 300, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof lags / sizeof *lags; i++)
        for (int64_t away = 0; away < 3; away++) {
            struct analysis_options options;
            analysis_options_init(&options);
            options.close_lag = lags[i];
            options.keep_history = true;
            struct analysis *analysis = analysis_new(&options);
            for (int64_t step = 0; step < 600; step++)
                for (uint32_t rank = 0; rank < 4; rank++)
                    if (rank != 2 || step < (away == 2 ? 550 : 600 - away))
                        add(analysis, record_of(rank, step, 200, 100, 90));
            analysis_finish(analysis);
            assert_int_equal(missing_since(analysis, 2), away == 2 ? 550 : -1);
            assert_int_equal(missing_since(analysis, 3), -1);
            analysis_free(analysis);
        }
}

static void a_step_of_three_ranks_is_worked_out_by_hand(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 2; step++) {
        add(analysis, record_of(0, step, 300, 600, 150));
        add(analysis, record_of(1, step, 310, 610, 130));
        add(analysis, record_of(2, step, 350, 650, 50));
    }
    sum_up(analysis, &summary);
    assert_true(summary.shown.known && summary.is_latest);
    assert_int_equal(summary.shown.step, 1);
    assert_int_equal(summary.shown.reported, 3);
    assert_int_equal(summary.shown.expected, 3);
    assert_int_equal(summary.shown.rule, WAIT_SYNC);
    assert_int_equal(summary.shown.last_rank, 2);
    assert_true(near(summary.shown.exchange_s.value, 0.050, 1e-9));
    assert_int_equal(summary.shown.exchange_s.evidence, EVIDENCE_MEASURED);
    assert_true(near(summary.shown.wait_mean_s.value, 0.060, 1e-9));
    assert_true(near(summary.shown.own_median_s, 0.920, 1e-9));
    assert_true(near(summary.shown.own_max_s, 1.000, 1e-9));
    /* No clocks: the longest own time and the exchange. */
    assert_true(near(summary.shown.step_time_s.value, 1.050, 1e-9));
    assert_int_equal(summary.shown.step_time_s.evidence, EVIDENCE_COMPUTED);
    assert_true(near(summary.shown.wait_share.value, 0.180 / (3 * 1.050), 1e-9));
    assert_int_equal(summary.rank_count, 3);
    assert_true(near(summary.ranks[0].wait_s, 0.100, 1e-9));
    assert_true(near(summary.ranks[1].wait_s, 0.080, 1e-9));
    assert_true(near(summary.ranks[2].wait_s, 0, 1e-9));
    assert_true(near(summary.ranks[2].slowdown, 1000.0 / 920, 1e-9));
    assert_true(summary.ranks[2].arrived_last && !summary.ranks[0].arrived_last);
    assert_int_equal(summary.ranks[2].arrived_last_count, 2);
    assert_int_equal(summary.complete, 2);
    assert_int_equal(summary.verdict_count, 0);
    summary_done(&summary);
    analysis_free(analysis);
}

static void the_optimizer_of_the_step_before_is_own_time(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 2; step++) {
        for (uint32_t rank = 0; rank < 2; rank++) {
            struct record record = record_of(rank, step, 100, 200, 10);
            record.has |= RECORD_OPTIMIZER;
            record.phase_ns[PHASE_OPTIMIZER] = (rank + 1) * 7 * MS;
            add(analysis, record);
        }
    }
    sum_up(analysis, &summary);
    assert_true(near(summary.ranks[0].own_s, 0.307, 1e-9));
    assert_true(near(summary.ranks[1].own_s, 0.314, 1e-9));
    summary_done(&summary);
    analysis_free(analysis);
}

static void release_to_release_is_the_step_time_when_there_are_clocks(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 4; step++)
        for (uint32_t rank = 0; rank < 2; rank++) /* rank 1's clock is 100 s ahead */
            add(analysis, record_at(record_of(rank, step, 100, 200, 10),
                                    step * 400 * MS + rank * 100 * SECOND));
    sum_up(analysis, &summary);
    assert_true(near(summary.shown.step_time_s.value, 0.400, 1e-9));
    assert_int_equal(summary.shown.step_time_s.evidence, EVIDENCE_MEASURED);
    assert_true(near(summary.step_time_mean_s.value, 0.400, 1e-9));
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_second_record_replaces_nothing_and_is_counted(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 3; step++)
        for (uint32_t rank = 0; rank < 2; rank++)
            assert_int_equal(add(analysis, record_of(rank, step, 100, 200, 10)), ANALYSIS_TAKEN);
    assert_int_equal(add(analysis, record_of(1, 2, 100, 200, 10)), ANALYSIS_DUPLICATE);
    assert_int_equal(add(analysis, record_of(1, 2, 900, 900, 0)), ANALYSIS_DUPLICATE);
    assert_int_equal(add(analysis, record_of(0, 1, 900, 900, 0)), ANALYSIS_DUPLICATE);
    sum_up(analysis, &summary);
    assert_int_equal(summary.source.duplicate, 3);
    assert_int_equal(summary.source.records, 9);
    assert_true(near(summary.ranks[1].own_s, 0.300, 1e-9));
    assert_true(near(summary.step_time_max_s.value, 0.310, 1e-9));
    assert_int_equal(summary.attempts, 1);
    summary_done(&summary);
    analysis_free(analysis);
}

static void one_step_alone_is_shown_when_the_records_end(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    add(analysis, record_of(0, 7, 100, 200, 20));
    add(analysis, record_of(1, 7, 110, 200, 10));
    sum_up(analysis, &summary);
    assert_false(summary.shown.known); /* nobody knows how many ranks there are */
    summary_done(&summary);
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_true(summary.shown.known);
    assert_int_equal(summary.shown.step, 7);
    assert_true(near(summary.wait_mean_s.value, 0.005, 1e-9));
    summary_done(&summary);
    analysis_free(analysis);
}

static void no_records_make_an_empty_summary(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int round = 0; round < 2; round++) {
        sum_up(analysis, &summary);
        assert_false(summary.shown.known);
        assert_int_equal(summary.rank_count, 0);
        assert_int_equal(summary.verdict_count, 0);
        assert_int_equal(summary.attempts, 0);
        assert_int_equal(summary.first_step, -1);
        assert_false(quantity_known(summary.mfu));
        assert_true(analysis_move(analysis, newest(), -5).latest);
        assert_true(analysis_find(analysis, 5).latest);
        summary_done(&summary);
        analysis_finish(analysis);
    }
    analysis_free(analysis);
}

static void one_rank_alone_cannot_tell(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 100; step++)
        add(analysis, record_of(0, step, 100, 200, 10));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.rule, WAIT_UNKNOWN);
    assert_false(quantity_known(summary.wait_mean_s));
    assert_true(near(summary.step_time_median_s.value, 0.310, 1e-7));
    assert_int_equal(verdicts_of(&summary, VERDICT_CANNOT_TELL), 1);
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 0);
    summary_done(&summary);
    analysis_free(analysis);
}

static void step_times_alone_cannot_tell(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, (struct record){.has = RECORD_RANK | RECORD_STEP | RECORD_STEP_TIME,
                                          .rank = rank,
                                          .step = step,
                                          .step_time_ns = 500 * MS});
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.rule, WAIT_UNKNOWN);
    assert_true(near(summary.step_time_median_s.value, 0.5, 1e-7));
    assert_int_equal(summary.step_time_median_s.evidence, EVIDENCE_MEASURED);
    assert_int_equal(verdicts_of(&summary, VERDICT_CANNOT_TELL), 1);
    assert_true(isnan(summary.ranks[0].slowdown_median));
    summary_done(&summary);
    analysis_free(analysis);
}

static void own_times_in_one_number_are_enough(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, (struct record){.has = RECORD_RANK | RECORD_STEP | RECORD_COMPUTE,
                                          .rank = rank,
                                          .step = step,
                                          .compute_ns = (rank == 2 ? 600 : 500) * MS});
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.rule, WAIT_OWN);
    assert_true(near(summary.wait_mean_s.value, 0.075, 1e-9));
    assert_int_equal(summary.wait_mean_s.evidence, EVIDENCE_COMPUTED);
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 1);
    assert_int_equal(summary.verdicts[0].rank, 2);
    assert_int_equal(summary.verdicts[0].phase, -1);
    assert_true(near(summary.verdicts[0].slowdown, 1.2, 1e-6));
    summary_done(&summary);
    analysis_free(analysis);
}

static void times_of_zero_divide_nothing(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            add(analysis, record_at(record_of(rank, step, 0, 0, 0), 5 * SECOND));
            sum_up(analysis, &summary);
            assert_true(!quantity_known(summary.wait_share) || isfinite(summary.wait_share.value));
            assert_true(!quantity_known(summary.mfu));
            summary_done(&summary);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 0);
    assert_true(isnan(summary.ranks[0].slowdown));
    summary_done(&summary);
    analysis_free(analysis);
}

static void tokens_over_time_give_mfu(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.run.params = 1e9;
    strcpy(options.run.chip, "NVIDIA H100 80GB HBM3");
    struct analysis *analysis = analysis_new(&options);
    struct summary summary;
    for (int64_t step = 0; step < 80; step++)
        for (uint32_t rank = 0; rank < 2; rank++) {
            struct record record = record_at(record_of(rank, step, 100, 200, 100), step * 500 * MS);
            record.has |= RECORD_TOKENS;
            record.tokens = 32768;
            add(analysis, record);
        }
    sum_up(analysis, &summary);
    assert_true(summary.gpus_assumed);
    assert_int_equal(summary.window_steps, 50);
    assert_true(near(summary.tokens_per_step, 65536, 0.5));
    /* 131,072 tokens/s x 6e9 / (2 x 989e12) */
    assert_true(near(summary.mfu.value, 131072 * 6e9 / (2 * 989e12), 1e-9));
    assert_int_equal(summary.mfu.evidence, EVIDENCE_COMPUTED);
    assert_int_equal(summary.attention, ATTENTION_NONE);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_description_that_comes_later_counts_for_what_is_there(void **state)
{
    struct simulate_options simulation;
    simulate_options_init(&simulation);
    simulation.slow_count = 1;
    simulation.slow[0] = (struct simulate_slow){3, 1.08, 0, 0, 1000};
    size_t count;
    struct record *records = simulated(&simulation, 400, &count);
    struct analysis *analysis = new_analysis();
    struct summary summary;
    struct run run;
    run_init(&run);
    add_all(analysis, records, count);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 1);
    summary_done(&summary);
    run.threshold = 0.2;
    run.window = 30;
    analysis_set_run(analysis, &run);
    assert_true(analysis_changed(analysis));
    sum_up(analysis, &summary);
    assert_false(analysis_changed(analysis));
    assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 0);
    assert_int_equal(summary.complete, 400);
    assert_int_equal(summary.window_steps, 30);
    summary_done(&summary);
    add_all(analysis, records, 8); /* of step 0 again */
    sum_up(analysis, &summary);
    assert_int_equal(summary.source.duplicate, 8);
    summary_done(&summary);
    free(records);
    analysis_free(analysis);
}

/* ---- the span ---- */

static void only_the_span_counts(void **state)
{
    for (int keep = 0; keep < 2; keep++) {
        struct analysis_options options;
        analysis_options_init(&options);
        options.keep_history = keep;
        options.from_step = 100;
        options.to_step = 199;
        struct analysis *analysis = analysis_new(&options);
        struct summary summary;
        for (int64_t step = 0; step < 1000; step++)
            for (uint32_t rank = 0; rank < 4; rank++) {
                int64_t inside = step >= 100 && step < 200;
                add(analysis,
                    record_of(rank, step, inside ? 200 + rank * 20 : 999, 100, 90 - rank * 20));
            }
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        assert_int_equal(summary.first_step, 100);
        assert_int_equal(summary.last_step, 199);
        assert_int_equal(summary.complete, 100);
        assert_int_equal(summary.window_steps, 50);
        assert_true(near(summary.step_time_mean_s.value, 0.390, 1e-9));
        assert_true(near(summary.window_step_time_s.value, 0.390, 1e-9));
        assert_int_equal(verdicts_of(&summary, VERDICT_STRAGGLER), 1);
        assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 0);
        assert_int_equal(summary.verdicts[0].from_step, 100);
        if (summary.shown.known)
            assert_int_equal(summary.shown.step, 199);
        else
            assert_false(keep);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

static void a_span_without_steps_is_empty(void **state)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.from_step = 5000;
    struct analysis *analysis = analysis_new(&options);
    struct summary summary;
    for (int64_t step = 0; step < 30; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_of(rank, step, 100, 100, 10));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.complete, 0);
    assert_int_equal(summary.first_step, -1);
    assert_false(quantity_known(summary.step_time_mean_s));
    assert_false(quantity_known(summary.mfu));
    assert_false(summary.shown.known);
    summary_done(&summary);
    analysis_free(analysis);
}

/* ---- the order of the records ---- */

static void assert_same_span(const struct summary *a, const struct summary *b)
{
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->incomplete, b->incomplete);
    assert_int_equal(a->attempts, b->attempts);
    assert_int_equal(a->first_step, b->first_step);
    assert_int_equal(a->last_step, b->last_step);
    assert_int_equal(a->rule, b->rule);
    assert_true(a->step_time_mean_s.value == b->step_time_mean_s.value);
    assert_true(a->step_time_median_s.value == b->step_time_median_s.value);
    assert_true(a->wait_mean_s.value == b->wait_mean_s.value);
    assert_true(a->wait_share.value == b->wait_share.value);
    assert_int_equal(a->rank_count, b->rank_count);
    for (size_t i = 0; i < a->rank_count; i++) {
        assert_int_equal(a->ranks[i].rank, b->ranks[i].rank);
        assert_int_equal(a->ranks[i].steps, b->ranks[i].steps);
        assert_int_equal(a->ranks[i].arrived_last_count, b->ranks[i].arrived_last_count);
        assert_true(a->ranks[i].slowdown_median == b->ranks[i].slowdown_median);
        assert_true(a->ranks[i].wait_mean_s == b->ranks[i].wait_mean_s);
    }
    assert_int_equal(a->verdict_count, b->verdict_count);
    for (size_t i = 0; i < a->verdict_count; i++) {
        assert_int_equal(a->verdicts[i].kind, b->verdicts[i].kind);
        assert_int_equal(a->verdicts[i].rank, b->verdicts[i].rank);
        assert_int_equal(a->verdicts[i].phase, b->verdicts[i].phase);
        assert_int_equal(a->verdicts[i].from_step, b->verdicts[i].from_step);
        assert_int_equal(a->verdicts[i].named_step, b->verdicts[i].named_step);
        assert_int_equal(a->verdicts[i].to_step, b->verdicts[i].to_step);
    }
}

static int by_rank_only(const void *a, const void *b)
{
    const struct record *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->begin_ns < other->begin_ns ? -1 : one->begin_ns > other->begin_ns;
}

static void swap_near(struct record *records, size_t count)
{
    uint64_t random = 12345;
    for (size_t i = 0; i + 20 < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t j = i + (random >> 33) % 20;
        struct record swap = records[i];
        records[i] = records[j];
        records[j] = swap;
    }
}

static void summary_of(const struct record *records, size_t count, bool keep, struct summary *to)
{
    struct analysis_options options;
    analysis_options_init(&options);
    options.keep_history = keep;
    struct analysis *analysis = analysis_new(&options);
    add_all(analysis, records, count);
    analysis_finish(analysis);
    sum_up(analysis, to);
    analysis_free(analysis);
}

static void the_order_of_records_changes_no_figure(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        struct simulate_options simulation;
        simulate_options_init(&simulation);
        simulation.slow_count = 1;
        simulation.slow[0] = (struct simulate_slow){3, 1.15, 0, 100, 1000};
        if (kind == 1) {
            simulation.restart_at = 300;
            simulation.restart_to = 260;
            simulation.restart_down_ns = 60 * SECOND;
        }
        if (kind == 2) {
            simulation.missing_rank = 6;
            simulation.missing_from = 400;
        }
        size_t count;
        struct record *records = simulated(&simulation, 600, &count);
        struct summary in_order, by_rank, swapped, without_history;
        summary_of(records, count, true, &in_order);
        summary_of(records, count, false, &without_history);
        assert_int_equal(in_order.attempts, kind == 1 ? 2 : 1);
        assert_int_equal(verdicts_of(&in_order, VERDICT_STRAGGLER), 1);
        assert_int_equal(in_order.source.late, 0);
        swap_near(records, count);
        summary_of(records, count, false, &swapped);
        qsort(records, count, sizeof(*records), by_rank_only);
        summary_of(records, count, false, &by_rank);
        assert_int_equal(by_rank.source.duplicate, 0);
        assert_int_equal(by_rank.source.too_late, 0);
        assert_same_span(&in_order, &by_rank);
        if (kind == 0)
            assert_same_span(&in_order, &swapped);
        assert_int_equal(swapped.source.too_late, 0);
        assert_int_equal(in_order.complete, without_history.complete);
        assert_true(in_order.step_time_median_s.value == without_history.step_time_median_s.value);
        assert_true(in_order.wait_mean_s.value == without_history.wait_mean_s.value);
        summary_done(&in_order);
        summary_done(&by_rank);
        summary_done(&swapped);
        summary_done(&without_history);
        free(records);
    }
}

/* ---- live, step by step, and looking back ---- */

static void assert_same_step(const struct summary *a, const struct summary *b)
{
    assert_int_equal(a->shown.step, b->shown.step);
    assert_int_equal(a->shown.attempt, b->shown.attempt);
    assert_int_equal(a->shown.reported, b->shown.reported);
    assert_int_equal(a->shown.expected, b->shown.expected);
    assert_int_equal(a->shown.rule, b->shown.rule);
    assert_int_equal(a->shown.last_rank, b->shown.last_rank);
    assert_true(a->shown.step_time_s.value == b->shown.step_time_s.value ||
                !quantity_known(a->shown.step_time_s));
    assert_true(a->shown.wait_mean_s.value == b->shown.wait_mean_s.value);
    assert_true(a->window_step_time_s.value == b->window_step_time_s.value);
    assert_true(a->mfu.value == b->mfu.value);
    assert_int_equal(a->rank_count, b->rank_count);
    for (size_t i = 0; i < a->rank_count; i++) {
        double one = a->ranks[i].window_slowdown, other = b->ranks[i].window_slowdown;
        assert_true(one == other || (isnan(one) && isnan(other)));
        assert_int_equal(a->ranks[i].state, b->ranks[i].state);
        assert_int_equal(a->ranks[i].straggler, b->ranks[i].straggler);
        assert_true(a->ranks[i].has == b->ranks[i].has);
    }
    assert_int_equal(a->verdicts_in_force, b->verdicts_in_force);
    for (size_t i = 0; i < a->verdicts_in_force; i++) {
        assert_int_equal(a->verdicts[i].kind, b->verdicts[i].kind);
        assert_int_equal(a->verdicts[i].rank, b->verdicts[i].rank);
        assert_int_equal(a->verdicts[i].phase, b->verdicts[i].phase);
        assert_int_equal(a->verdicts[i].from_step, b->verdicts[i].from_step);
        assert_int_equal(a->verdicts[i].named_step, b->verdicts[i].named_step);
    }
}

/* A summary at every step as it closed is the one that is found on looking back. */
static void looking_back_shows_what_was_shown_then(void **state)
{
    for (int kind = 0; kind < 4; kind++) {
        struct simulate_options simulation;
        simulate_options_init(&simulation);
        simulation.tokens = 4096;
        simulation.slow_count = 1;
        simulation.slow[0] = (struct simulate_slow){2, 1.2, 0, 60, 200};
        if (kind == 1) {
            simulation.restart_at = 150;
            simulation.restart_to = 130;
            simulation.restart_down_ns = 60 * SECOND;
        }
        if (kind == 2) {
            simulation.missing_rank = 2;
            simulation.missing_from = 120;
        }
        simulation.overlapped = kind == 3;
        struct analysis_options options;
        analysis_options_init(&options);
        options.run.params = 1e9;
        options.run.peak_flops = 1e12;
        struct analysis *live = analysis_new(&options);
        struct simulate *simulate = simulate_new(&simulation);
        enum { STEPS = 300 };
        struct summary *then = calloc(STEPS, sizeof(*then));
        int known = 0;
        int64_t last = -1;
        for (int i = 0; i < STEPS; i++) {
            struct record records[8];
            size_t count = simulate_step(simulate, records);
            add_all(live, records, count);
            sum_up(live, &then[known]);
            if (i > 20 && then[known].shown.known && then[known].shown.step != last) {
                last = then[known].shown.step;
                known++;
            } else {
                summary_done(&then[known]);
            }
        }
        assert_true(known > 250);
        struct summary back;
        summary_init(&back);
        struct step_key key;
        for (int i = known - 1; i >= 0; i--) {
            key = (struct step_key){false, then[i].shown.attempt, then[i].shown.step};
            analysis_summary(live, key, INT64_MIN, &back);
            assert_same_step(&back, &then[i]);
        }
        key = analysis_find(live, 140);
        assert_int_equal(key.step, 140);
        assert_int_equal(key.attempt, kind == 1);
        assert_false(key.latest);
        assert_true(analysis_move(live, key, INT64_MAX).latest);
        assert_int_equal(analysis_move(live, key, INT64_MIN).step, 0);
        assert_int_equal(analysis_move(live, key, 3).step, 143);
        summary_done(&back);
        for (int i = 0; i < known; i++)
            summary_done(&then[i]);
        free(then);
        simulate_free(simulate);
        analysis_free(live);
    }
}

/* Rank 2 says nothing for 300 steps, comes back after a jump of the step number, and has more
 * to say of the steps before it came. Returns how many steps it was missed in. */
static int64_t steps_without_rank_2(bool look)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    summary_init(&summary);
    for (int64_t step = 20; step <= 330; step++) {
        for (uint32_t rank = 0; rank < 2; rank++)
            add(analysis, record_of(rank, step < 330 ? step : 333, 100, 200, 20));
        if (step == 22 || step == 330)
            add(analysis, record_of(2, step < 330 ? step : 333, 100, 200, 20));
        if (look)
            analysis_summary(analysis, newest(), INT64_MIN, &summary);
        if (step == 23)
            add(analysis, record_of(2, 20, 100, 200, 20));
    }
    analysis_finish(analysis);
    analysis_summary(analysis, newest(), INT64_MIN, &summary);
    int64_t incomplete = summary.incomplete;
    assert_int_equal(summary.complete + incomplete, 311);
    summary_done(&summary);
    analysis_free(analysis);
    return incomplete;
}

static void who_was_expected_does_not_depend_on_looking(void **state)
{
    assert_int_equal(steps_without_rank_2(false), steps_without_rank_2(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_write_in_bursts_are_awaited_when_it_is_said),
        cmocka_unit_test(what_closed_too_early_for_bursts_is_awaited_again),
        cmocka_unit_test(at_the_end_a_rank_is_missing_however_long_it_was_awaited),
        cmocka_unit_test(a_step_of_three_ranks_is_worked_out_by_hand),
        cmocka_unit_test(the_optimizer_of_the_step_before_is_own_time),
        cmocka_unit_test(release_to_release_is_the_step_time_when_there_are_clocks),
        cmocka_unit_test(a_second_record_replaces_nothing_and_is_counted),
        cmocka_unit_test(one_step_alone_is_shown_when_the_records_end),
        cmocka_unit_test(no_records_make_an_empty_summary),
        cmocka_unit_test(one_rank_alone_cannot_tell),
        cmocka_unit_test(step_times_alone_cannot_tell),
        cmocka_unit_test(own_times_in_one_number_are_enough),
        cmocka_unit_test(times_of_zero_divide_nothing),
        cmocka_unit_test(tokens_over_time_give_mfu),
        cmocka_unit_test(a_description_that_comes_later_counts_for_what_is_there),
        cmocka_unit_test(only_the_span_counts),
        cmocka_unit_test(a_span_without_steps_is_empty),
        cmocka_unit_test(the_order_of_records_changes_no_figure),
        cmocka_unit_test(looking_back_shows_what_was_shown_then),
        cmocka_unit_test(who_was_expected_does_not_depend_on_looking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Ranks against their peers, groups and hosts as a whole, spikes, imbalance that
 * wanders; and that a look back says what was said then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "verdict_fixture.h"

/* ---- who ---- */

static void five_percent_is_named_within_fifty_steps_in_every_run(void **state)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct simulate_options options;
        struct summary summary;
        simulate_options_init(&options);
        options.seed = seed;
        slow(&options, (uint32_t)seed % 8, 1.05);
        summary_of(&options, 50, &summary);
        const struct verdict *verdict = verdict_of(&summary, VERDICT_STRAGGLER);
        assert_non_null(verdict);
        assert_int_equal(verdict->rank, seed % 8);
        assert_int_equal(named(&summary), 1);
        summary_done(&summary);
    }
}

static void a_host_that_is_slow_as_a_whole_is_named_in_place_of_its_ranks(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.ranks = 32;
    options.ranks_per_host = 4;
    for (uint32_t i = 0; i < 4; i++)
        slow(&options, 12 + i, 1.08);
    summary_of(&options, 200, &summary);
    assert_int_equal(named(&summary), 1);
    assert_int_equal(summary.verdicts[0].kind, VERDICT_GROUP);
    assert_true(summary.verdicts[0].is_host);
    assert_string_equal(summary.verdicts[0].group, "node3");
    assert_true(summary.ranks[12].straggler && !summary.ranks[11].straggler);
    const struct what_if *host = what_if_of(&summary, COST_OF_HOST, -1);
    assert_non_null(host);
    assert_string_equal(host->name, "node3");
    assert_int_equal(host->ranks, 4);
    summary_done(&summary);
}

static void one_slow_rank_of_a_host_or_a_group_is_named_alone(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        struct simulate_options options;
        struct summary summary;
        simulate_options_init(&options);
        options.ranks = 16;
        if (kind)
            options.groups = 8; /* of two */
        else
            options.ranks_per_host = 2;
        slow(&options, 6, 1.6);
        summary_of(&options, 200, &summary);
        assert_int_equal(named(&summary), 1);
        assert_int_equal(summary.verdicts[0].kind, VERDICT_STRAGGLER);
        assert_int_equal(summary.verdicts[0].rank, 6);
        summary_done(&summary);
    }
}

/* Numbers that were made up: no spread, so no error that it could be a multiple of. */
static void what_never_varies_is_named_without_standard_errors(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_of(rank, step, 100, rank == 2 ? 140 : 100, rank == 2 ? 10 : 50));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(named(&summary), 1);
    assert_int_equal(summary.verdicts[0].rank, 2);
    assert_true(near(summary.verdicts[0].slowdown, 1.2, 1e-6));
    assert_true(isnan(summary.verdicts[0].sure));
    summary_done(&summary);
    analysis_free(analysis);
}

/* Of collectives single ones are not written, of rank 1; rank 2 has stopped. */
static void a_part_that_was_not_written_misses_no_rank(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 200; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            struct record record = record_of(rank, step, 100, 100, 50);
            record.has |= RECORD_PART;
            if ((rank != 1 || step % 50 > 3) && (rank != 2 || step < 150))
                add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(verdicts_of(&summary, VERDICT_MISSING), 1);
    const struct verdict *missing = verdict_of(&summary, VERDICT_MISSING);
    assert_int_equal(missing->rank, 2);
    assert_int_equal(missing->from_step, 150);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Own time in one number is longer; the optimizer, the only phase that is told, is not the reason.
 */
static void what_is_in_no_phase_blames_none(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            struct record record = record_of(rank, step, 100, 100, rank == 2 ? 10 : 50);
            record.has &= ~(uint32_t)(RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD);
            record.has |= RECORD_COMPUTE | RECORD_OPTIMIZER;
            record.compute_ns = (rank == 2 ? 240 : 200) * MS;
            record.phase_ns[PHASE_OPTIMIZER] = (rank == 2 ? 21 : 20) * MS;
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(named(&summary), 1);
    assert_int_equal(summary.verdicts[0].rank, 2);
    assert_int_equal(summary.verdicts[0].phase, -1);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Steps of 50 ms by the clocks, in which rank 2 says that it worked for 1 s. */
static void a_straggler_costs_no_more_than_there_is_time(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 60; step++)
        for (uint32_t rank = 0; rank < 4; rank++)
            add(analysis, record_at(record_of(rank, step, 100, rank == 2 ? 900 : 100, 10),
                                    SECOND + step * 50 * MS));
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    const struct verdict *verdict = verdict_of(&summary, VERDICT_STRAGGLER);
    assert_non_null(verdict);
    assert_int_equal(verdict->rank, 2);
    assert_true(near(summary.step_time_median_s.value, 0.05, 1e-3));
    assert_true(verdict->lost_share > 0.9 && verdict->lost_share <= 1);
    assert_true(verdict->lost_gpu_s <= 4 * (59 * 0.05 + 1.01) + 1e-9);
    summary_done(&summary);
    analysis_free(analysis);
}

/* The last stage has more work by design, 4%: each rank of it is over the median of
 * all by nearly the threshold, but not over its peers. */
static void a_stage_with_a_little_more_work_names_no_rank(void **state)
{
    double own[16];
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.ranks = 16;
    options.groups = 4;
    options.jitter = 0.005;
    for (int i = 0; i < 16; i++)
        own[i] = i < 12 ? 1 : 1.04;
    options.own_share = own;
    slow(&options, 1, 2.3);
    summary_of(&options, 200, &summary);
    assert_int_equal(named(&summary), 1);
    assert_int_equal(summary.verdicts[0].rank, 1);
    summary_done(&summary);
}

/* Stages of unequal work: a slow rank of a short stage is under the median of all. */
static void a_rank_is_compared_with_its_own_stage(void **state)
{
    double own[16];
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.ranks = 16;
    options.groups = 2;
    for (int i = 0; i < 16; i++)
        own[i] = i < 8 ? 1 : 1.04;
    options.own_share = own;
    slow(&options, 3, 1.03 * 1.1);
    summary_of(&options, 200, &summary);
    const struct verdict *verdict = verdict_of(&summary, VERDICT_STRAGGLER);
    assert_non_null(verdict);
    assert_int_equal(verdict->rank, 3);
    assert_true(near(verdict->slowdown, 1 + 0.133 * 0.957, 0.01));
    summary_done(&summary);
}

/* Records without groups: the stages come from the sizes, tensor parallel fastest. */
static void sizes_and_their_order_make_stages(void **state)
{
    for (int order = 0; order < 2; order++) {
        struct analysis_options analysis_options;
        struct simulate_options options;
        struct summary summary;
        analysis_options_init(&analysis_options);
        analysis_options.run.tp = 2;
        analysis_options.run.pp = 4;
        analysis_options.run.dp = 2;
        str_copy(analysis_options.run.order, sizeof(analysis_options.run.order),
                 str_from(order ? "pp-tp-dp" : "tp-dp-pp"));
        simulate_options_init(&options);
        options.ranks = 16;
        for (uint32_t i = 0; i < 4; i++)
            slow(&options, order ? 2 + 4 * i : 8 + i, 1.2);
        struct analysis *analysis = analysis_new(&analysis_options);
        run_steps(analysis, &options, 100);
        sum_up(analysis, &summary);
        assert_int_equal(named(&summary), 1);
        assert_string_equal(summary.verdicts[0].group, "pp2");
        assert_true(near(summary.verdicts[0].slowdown, 1.19, 0.01));
        assert_false(summary.sizes_disagree);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

static void a_step_with_a_checkpoint_says_nothing_of_who_is_slow(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 100; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            bool saves = step % 2 == 0; /* rank 0 writes it, in more than half of the steps */
            struct record record =
                record_of(rank, step, saves && rank == 0 ? 900 : 100, 200, saves ? 0 : 20);
            record.has |= saves ? RECORD_CHECKPOINT : 0;
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(named(&summary), 0);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 0);
    summary_done(&summary);
    analysis_free(analysis);
}

/* ---- spikes, wandering ---- */

static void a_spike_says_who_was_last_and_in_which_phase(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    for (int64_t step = 0; step < 100; step++)
        for (uint32_t rank = 0; rank < 4; rank++) {
            bool one = step == 50 && rank == 2, all = step == 70, first = step < 2;
            struct record record =
                record_of(rank, step, one ? 500 : 100, all || first ? 900 : 200, 20);
            if (step == 50 && !one)
                record.phase_ns[PHASE_SYNC] = 420 * MS;
            add(analysis, record);
        }
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(named(&summary), 0);
    assert_int_equal(verdicts_of(&summary, VERDICT_SPIKE), 2); /* the first steps are none */
    for (size_t i = 0; i < summary.verdict_count; i++) {
        const struct verdict *verdict = &summary.verdicts[i];
        if (verdict->kind != VERDICT_SPIKE)
            continue;
        bool one = verdict->from_step == 50;
        assert_true(one || verdict->from_step == 70);
        assert_int_equal(verdict->rank, one ? 2 : -1);
        assert_int_equal(verdict->phase, one ? PHASE_FORWARD : PHASE_BACKWARD);
        assert_true(near(verdict->slowdown, (one ? 720.0 : 1020.0) / 320, 1e-9));
        assert_true(near(verdict->step_time_s, one ? 0.72 : 1.02, 1e-9));
        assert_int_equal(verdict->to_step, verdict->from_step);
    }
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_rotating_culprit_is_nobody_and_is_said_to_rotate(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    options.rotate = true;
    slow(&options, 0, 1.3);
    summary_of(&options, 300, &summary);
    assert_int_equal(named(&summary), 0);
    assert_int_equal(verdicts_of(&summary, VERDICT_WANDERING), 1);
    assert_int_equal(summary.verdicts[0].kind, VERDICT_WANDERING);
    assert_int_equal(summary.verdicts_in_force, 1);
    assert_int_equal(summary.rotation.steps, 50);
    assert_int_equal(summary.rotation.distinct, 8);
    assert_true(summary.rotation.most_count < 25);
    summary_done(&summary);
}

static void a_straggler_is_last_again_and_again(void **state)
{
    struct simulate_options options;
    struct summary summary;
    simulate_options_init(&options);
    slow(&options, 5, 1.3);
    summary_of(&options, 300, &summary);
    assert_int_equal(summary.rotation.distinct, 1);
    assert_int_equal(summary.rotation.most_rank, 5);
    assert_int_equal(summary.rotation.most_count, 50);
    assert_int_equal(summary.rotation.streak_rank, 5);
    assert_int_equal(summary.rotation.streak, 50);
    summary_done(&summary);
}

/* Rank 2 does as much as the others, but begins 60 ms late: the others' sync says so. */
static void a_rank_that_begins_late_is_named_though_its_phases_are_short(void **state)
{
    for (int kind = 0; kind < 3; kind++) { /* always; in three steps of five; never */
        struct analysis *analysis = new_analysis();
        struct summary summary;
        for (int64_t step = 0; step < 100; step++)
            for (uint32_t rank = 0; rank < 4; rank++) {
                bool late = kind == 0 || (kind == 1 && step % 5 < 3);
                int64_t own_ms = 300 + (int64_t)(rank + (uint64_t)step) % 4;
                int64_t sync_ms = 20 + (late && rank != 2 ? 63 : 3) - (own_ms - 300);
                struct record record = record_of(rank, step, own_ms - 200, 200, sync_ms);
                if (late && rank == 2)
                    record.phase_ns[PHASE_SYNC] = 20 * MS;
                add(analysis, record_at(record, SECOND + step * 400 * MS +
                                                    (late && rank == 2 ? 60 * MS : 0)));
            }
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        const struct verdict *verdict = verdict_of(&summary, VERDICT_STRAGGLER);
        assert_int_equal(named(&summary), kind == 0);
        if (verdict) {
            assert_int_equal(verdict->rank, 2);
            assert_true(verdict->begins_late);
            assert_int_equal(verdict->phase, -1);
            assert_true(near(verdict->slowdown, 1.21, 0.01));
            assert_true(summary.ranks[2].straggler && !summary.ranks[1].straggler);
            const struct what_if *what_if = what_if_of(&summary, COST_OF_RANK, 2);
            assert_true(what_if->named && near(what_if->gain_share.value, 0.06 / 0.4, 0.01));
            /* What the others wait for it; its own 15 ms of 60 are time in no phase. */
            assert_true(near(summary.ledger_window.share[LEDGER_STRAGGLERS].value, 0.115, 0.005));
            assert_true(near(summary.ledger_window.share[LEDGER_GAPS].value, 0.08, 0.05));
        }
        summary_done(&summary);
        analysis_free(analysis);
    }
}

/* ---- a look back ---- */

static void a_look_back_says_what_was_said_then(void **state)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.ranks = 12;
    options.groups = 3;
    options.ranks_per_host = 2;
    options.tokens = 100;
    options.slow_count = 1;
    options.slow[0] = (struct simulate_slow){4, 1.3, 0, 60, 139};
    struct record records[12];
    struct analysis *analysis = new_analysis();
    struct simulate *simulate = simulate_new(&options);
    struct summary then[8], now;
    for (int i = 0; i < 8; i++)
        summary_init(&then[i]);
    for (int64_t step = 0; step < 200; step++) {
        add_all(analysis, records, simulate_step(simulate, records));
        if (step % 25 == 24)
            analysis_summary(analysis, newest(), INT64_MIN, &then[step / 25]);
    }
    for (int i = 0; i < 8; i++) {
        summary_init(&now);
        analysis_summary(analysis, analysis_find(analysis, then[i].shown.step), INT64_MIN, &now);
        assert_int_equal(now.shown.step, then[i].shown.step);
        assert_int_equal(now.verdicts_in_force, then[i].verdicts_in_force);
        for (size_t k = 0; k < now.verdicts_in_force; k++) {
            assert_int_equal(now.verdicts[k].kind, then[i].verdicts[k].kind);
            assert_int_equal(now.verdicts[k].rank, then[i].verdicts[k].rank);
            assert_int_equal(now.verdicts[k].from_step, then[i].verdicts[k].from_step);
        }
        for (uint32_t r = 0; r < 12; r++) {
            assert_true(now.ranks[r].window_slowdown == then[i].ranks[r].window_slowdown);
            assert_true(now.ranks[r].window_spread == then[i].ranks[r].window_spread);
            assert_true(now.ranks[r].gain_s == then[i].ranks[r].gain_s);
        }
        assert_true(now.jitter.floor.value == then[i].jitter.floor.value);
        assert_true(now.jitter.loss.value == then[i].jitter.loss.value);
        for (int part = 0; part < LEDGER_COUNT; part++)
            assert_true(now.ledger_window.share[part].evidence == EVIDENCE_NONE ||
                        now.ledger_window.share[part].value ==
                            then[i].ledger_window.share[part].value);
        assert_memory_equal(&now.rotation, &then[i].rotation, sizeof(now.rotation));
        assert_int_equal(now.what_if_count, then[i].what_if_count);
        summary_done(&now);
        summary_done(&then[i]);
    }
    simulate_free(simulate);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_percent_is_named_within_fifty_steps_in_every_run),
        cmocka_unit_test(a_host_that_is_slow_as_a_whole_is_named_in_place_of_its_ranks),
        cmocka_unit_test(one_slow_rank_of_a_host_or_a_group_is_named_alone),
        cmocka_unit_test(a_part_that_was_not_written_misses_no_rank),
        cmocka_unit_test(what_is_in_no_phase_blames_none),
        cmocka_unit_test(what_never_varies_is_named_without_standard_errors),
        cmocka_unit_test(a_straggler_costs_no_more_than_there_is_time),
        cmocka_unit_test(a_stage_with_a_little_more_work_names_no_rank),
        cmocka_unit_test(a_rank_is_compared_with_its_own_stage),
        cmocka_unit_test(sizes_and_their_order_make_stages),
        cmocka_unit_test(a_step_with_a_checkpoint_says_nothing_of_who_is_slow),
        cmocka_unit_test(a_spike_says_who_was_last_and_in_which_phase),
        cmocka_unit_test(a_rotating_culprit_is_nobody_and_is_said_to_rotate),
        cmocka_unit_test(a_straggler_is_last_again_and_again),
        cmocka_unit_test(a_rank_that_begins_late_is_named_though_its_phases_are_short),
        cmocka_unit_test(a_look_back_says_what_was_said_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

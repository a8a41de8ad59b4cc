/* Logs that give one value for the whole job: means over several steps, GPUs that nobody
 * knows, rates by the log. What is expected is worked out here, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analysis.h"

#define START_NS INT64_C(1795961553000000000)
#define SECOND INT64_C(1000000000)

static struct analysis *model(const struct run *run)
{
    struct analysis_options options;
    analysis_options_init(&options);
    if (run)
        options.run = *run;
    options.overview = true;
    return analysis_new(&options);
}

/* A mean over `span` steps up to `step`, seconds. */
static struct record value_of(int64_t step, int64_t span, double seconds)
{
    return (struct record){.has = RECORD_RANK | RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME |
                                  (span > 1 ? RECORD_SPAN : 0),
                           .step = step,
                           .span = span,
                           .step_time_ns = llround(seconds * 1e9)};
}

static struct record begun(struct record record, double second)
{
    record.has |= RECORD_BEGIN;
    record.begin_ns = START_NS + llround(second * 1e9);
    return record;
}

static void add(struct analysis *analysis, struct record record)
{
    assert_int_equal(analysis_add(analysis, &record, 0), ANALYSIS_TAKEN);
}

static void newest(struct analysis *analysis, struct summary *summary)
{
    analysis_summary(analysis, (struct step_key){.latest = true}, INT64_MIN, summary);
}

static void near(struct quantity quantity, double want)
{
    assert_int_equal(quantity.evidence != EVIDENCE_NONE, 1);
    if (!(fabs(quantity.value - want) <= 1e-9 * fabs(want)))
        fail_msg("%.12g, not %.12g", quantity.value, want);
}

static int count_of(const struct summary *summary, enum verdict_kind kind)
{
    int count = 0;
    for (size_t i = 0; i < summary->verdict_count; i++)
        count += summary->verdicts[i].kind == kind;
    return count;
}

static const struct verdict *the(const struct summary *summary, enum verdict_kind kind)
{
    assert_int_equal(count_of(summary, kind), 1);
    for (size_t i = 0; i < summary->verdict_count; i++)
        if (summary->verdicts[i].kind == kind)
            return &summary->verdicts[i];
    return NULL;
}

static void a_mean_is_one_value_for_so_many_steps(void **state)
{
    (void)state;
    struct summary summary;
    struct overview overview = {0};
    struct analysis *analysis = model(NULL);
    summary_init(&summary);
    add(analysis, value_of(10, 10, 0.2));
    add(analysis, value_of(20, 10, 0.4));
    add(analysis, value_of(25, 5, 1.0));
    analysis_finish(analysis);
    newest(analysis, &summary);
    assert_int_equal(summary.scope, SCOPE_JOB);
    near(summary.step_time_median_s, 0.4);
    near(summary.step_time_max_s, 1.0);
    near(summary.step_time_mean_s, (10 * 0.2 + 10 * 0.4 + 5 * 1.0) / 25);
    near(summary.window_step_time_s, (10 * 0.2 + 10 * 0.4 + 5 * 1.0) / 25);
    assert_int_equal(summary.step_time_mean_s.evidence, EVIDENCE_MEASURED);
    assert_int_equal(summary.complete, 3);
    assert_int_equal(summary.steps_covered, 25);
    assert_int_equal(summary.window_steps, 3);
    assert_int_equal(summary.shown.span, 5);
    near(summary.shown.step_time_s, 1.0);
    near(summary.effective.wall_s, 11);
    assert_int_equal(summary.ledger.steps, 25);
    analysis_overview(analysis, (struct overview_request){.to = 3, .columns = 1}, &overview);
    assert_int_equal(overview.column_count, 1);
    assert_int_equal(overview.columns[0].positions, 3);
    assert_int_equal(overview.columns[0].steps, 25);
    assert_int_equal(overview.columns[0].first_covered, 1);
    assert_int_equal(overview.columns[0].first_step, 10);
    assert_true(fabs(overview.columns[0].step_time_s - 0.44) < 1e-12);
    overview_done(&overview);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Ten values of 10 steps at 0.5 s; then steps 101 to 120 are not there; then 40 s pass. */
static void what_a_value_covers_is_no_gap(void **state)
{
    (void)state;
    struct summary summary;
    struct analysis *analysis = model(NULL);
    summary_init(&summary);
    double second = 0;
    for (int i = 1; i <= 10; i++, second += 5)
        add(analysis, begun(value_of(10 * i, 10, 0.5), second));
    newest(analysis, &summary);
    assert_int_equal(count_of(&summary, VERDICT_GAP), 0);
    second += 10; /* the two values that are not there */
    for (int i = 13; i <= 16; i++, second += 5)
        add(analysis, begun(value_of(10 * i, 10, 0.5), second));
    newest(analysis, &summary);
    assert_int_equal(the(&summary, VERDICT_GAP)->repeated_steps, 20);
    assert_int_equal(the(&summary, VERDICT_GAP)->from_step, 130);
    second += 40;
    add(analysis, begun(value_of(170, 10, 0.5), second));
    analysis_finish(analysis);
    newest(analysis, &summary);
    assert_int_equal(count_of(&summary, VERDICT_GAP), 2);
    for (size_t i = 0; i < summary.verdict_count; i++)
        if (summary.verdicts[i].kind == VERDICT_GAP && summary.verdicts[i].from_step == 170) {
            assert_int_equal(summary.verdicts[i].repeated_steps, 0);
            assert_true(fabs(summary.verdicts[i].step_time_s - 40) < 1e-6);
        }
    assert_true(fabs(summary.shown.begin_s - (START_NS / 1e9 + second)) < 1e-3);
    assert_int_equal(count_of(&summary, VERDICT_SPIKE), 0);
    assert_int_equal(count_of(&summary, VERDICT_RESTART), 0);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Stamps of whole seconds beside steps of 50 ms: no pause can be told from them. */
static void coarse_stamps_are_no_pauses(void **state)
{
    (void)state;
    struct summary summary;
    struct analysis *analysis = model(NULL);
    summary_init(&summary);
    for (int i = 1; i <= 200; i++)
        add(analysis, begun(value_of(i, 1, 0.05), floor(0.05 * i) - 0.05));
    analysis_finish(analysis);
    newest(analysis, &summary);
    near(summary.step_time_median_s, 0.05);
    near(summary.step_time_mean_s, 0.05);
    assert_int_equal(count_of(&summary, VERDICT_GAP), 0);
    summary_done(&summary);
    analysis_free(analysis);
}

/* From a checkpoint at step 15: of the value for 11 to 20 one half was lost. */
static void a_restart_counts_the_steps_that_were_lost(void **state)
{
    (void)state;
    struct summary summary;
    struct analysis *analysis = model(NULL);
    summary_init(&summary);
    add(analysis, begun(value_of(10, 10, 1), 0));
    add(analysis, begun(value_of(20, 10, 2), 10));
    add(analysis, begun(value_of(30, 10, 3), 30));
    add(analysis, begun(value_of(20, 5, 4), 100)); /* down since second 60 */
    add(analysis, begun(value_of(30, 10, 4), 120));
    analysis_finish(analysis);
    newest(analysis, &summary);
    const struct verdict *restart = the(&summary, VERDICT_RESTART);
    assert_int_equal(restart->repeated_steps, 15);
    assert_true(fabs(restart->step_time_s - 40) < 1e-6);
    assert_int_equal(summary.attempts, 2);
    assert_int_equal(summary.effective.repeated_steps, 15);
    near(summary.effective.lost_s, 5 * 2 + 10 * 3);
    near(summary.effective.down_s, 40);
    near(summary.effective.kept_s, 10 * 1 + 5 * 2 + 5 * 4 + 10 * 4);
    near(summary.effective.share, 80.0 / 160.0);
    assert_int_equal(count_of(&summary, VERDICT_GAP), 0);
    summary_done(&summary);
    analysis_free(analysis);
}

/* What stamps leave between two values is in none of them, but in the wall-clock time; one that is
 * stamped late makes up for one that is stamped early; steps that are not in the log are no pause.
 */
static void time_between_values_is_counted_apart(void **state)
{
    (void)state;
    struct summary summary;
    struct run run;
    run_init(&run);
    run.window = 3;
    struct analysis *analysis = model(&run);
    summary_init(&summary);
    add(analysis, begun(value_of(10, 10, 1), 0));
    add(analysis, begun(value_of(20, 10, 1), 18)); /* 8 s later than the end of the one before */
    add(analysis, begun(value_of(30, 10, 1), 25)); /* 3 s before it */
    add(analysis, begun(value_of(50, 10, 1), 500));
    struct record called = begun(value_of(60, 10, 1), 512); /* 2 s, and the log says why */
    called.has |= RECORD_VALIDATION;
    add(analysis, called);
    analysis_finish(analysis);
    newest(analysis, &summary);
    near(summary.effective.between_s, 7);
    assert_int_equal(summary.called[CALLED_VALIDATION].count, 1);
    near(summary.called[CALLED_VALIDATION].pause_s, 2);
    near(summary.effective.kept_s, 50);
    near(summary.effective.wall_s, 57);
    near(summary.effective.share, 50.0 / 57);
    near(summary.ledger.share[LEDGER_GAPS], 5.0 / 57);
    near(summary.ledger.share[LEDGER_VALIDATION], 2.0 / 57);
    near(summary.ledger.share[LEDGER_KERNELS], 50.0 / 57);
    assert_true(fabs(summary.ledger_window.wall_s - 30) < 1e-9); /* W values: -3 + 2 s is none */
    assert_int_equal(summary.ledger_window.steps, 30);
    summary_done(&summary);
    analysis_free(analysis);
}

static void a_spike_is_a_value(void **state)
{
    (void)state;
    struct summary summary;
    struct analysis *analysis = model(NULL);
    summary_init(&summary);
    for (int i = 1; i <= 20; i++)
        add(analysis, value_of(10 * i, 10, i == 15 ? 2.5 : 1.0));
    analysis_finish(analysis);
    newest(analysis, &summary);
    const struct verdict *spike = the(&summary, VERDICT_SPIKE);
    assert_int_equal(spike->from_step, 150);
    assert_int_equal(spike->rank, -1);
    assert_true(fabs(spike->slowdown - 2.5) < 1e-9);
    assert_int_equal(count_of(&summary, VERDICT_CANNOT_TELL), 1);
    summary_done(&summary);
    analysis_free(analysis);
}

static void the_number_of_ranks_is_not_that_of_gpus(void **state)
{
    (void)state;
    struct run run;
    struct summary summary;
    run_init(&run);
    run.params = 1e9;
    run.peak_flops = 1e15;
    run.gpu_hour_price = 2;
    struct analysis *analysis = model(&run);
    summary_init(&summary);
    for (int i = 1; i <= 3; i++) {
        struct record record = value_of(10 * i, 10, 0.5);
        record.has |= RECORD_TOKENS;
        record.tokens = 1000000;
        add(analysis, record);
    }
    newest(analysis, &summary);
    assert_true(summary.run.gpus == 0);
    assert_false(summary.gpus_assumed);
    assert_false(summary.gpus_logged);
    assert_false(quantity_known(summary.mfu));
    assert_true(summary.tokens_per_step == 1000000);
    assert_true(summary.ledger.gpus == 0);
    near(summary.ledger.share[LEDGER_KERNELS], 1);
    assert_false(quantity_known(summary.ledger.share[LEDGER_JITTER]));
    assert_false(quantity_known(summary.jitter.loss));
    assert_int_equal(summary.rotation.steps, 0);
    assert_int_equal(summary.what_if_count, 0);
    struct record record = value_of(40, 10, 0.5); /* the log says it after all */
    record.has |= RECORD_GPUS | RECORD_TOKENS;
    record.gpus = 64;
    record.tokens = 1000000;
    add(analysis, record);
    analysis_finish(analysis);
    newest(analysis, &summary);
    assert_true(summary.run.gpus == 64);
    assert_true(summary.gpus_logged);
    assert_int_equal(summary.mfu_origin, MFU_OF_MODEL);
    near(summary.mfu, 1e6 / 0.5 * 6e9 / (64 * 1e15));
    run.gpus = 8;
    analysis_set_run(analysis, &run);
    newest(analysis, &summary);
    assert_true(summary.run.gpus == 8);
    assert_false(summary.gpus_logged);
    summary_done(&summary);
    analysis_free(analysis);
}

/* One second at 400 TFLOP/s and an MFU of 0.4, three at 300 and 0.2. */
static struct analysis *two_rates(const struct run *run, uint32_t has)
{
    struct analysis *analysis = model(run);
    struct record first = value_of(1, 1, 1), second = value_of(3, 2, 1.5);
    first.has |= has;
    second.has |= has;
    first.flops = INT64_C(400000000000000);
    second.flops = INT64_C(300000000000000);
    first.mfu = 400000000;
    second.mfu = 200000000;
    add(analysis, first);
    add(analysis, second);
    analysis_finish(analysis);
    return analysis;
}

static void mfu_is_of_the_best_that_is_known(void **state)
{
    (void)state;
    struct run run;
    struct summary summary;
    run_init(&run);
    summary_init(&summary);
    struct analysis *analysis = two_rates(&run, RECORD_FLOPS | RECORD_MFU);
    newest(analysis, &summary);
    assert_int_equal(summary.mfu_origin, MFU_LOGGED); /* no peak is known */
    near(summary.mfu, (0.4 * 1 + 0.2 * 3) / 4);
    near(summary.flops, 3.25e14);
    assert_int_equal(summary.mfu.evidence, EVIDENCE_COMPUTED);
    assert_false(quantity_known(summary.hfu));
    near(summary.ledger.share[LEDGER_ARITHMETIC], 0.25);
    analysis_free(analysis);
    run.peak_flops = 1e15;
    analysis = two_rates(&run, RECORD_FLOPS | RECORD_MFU);
    newest(analysis, &summary);
    assert_int_equal(summary.mfu_origin, MFU_LOGGED_RATE);
    near(summary.mfu, 0.325);
    near(summary.ledger.share[LEDGER_ARITHMETIC], 0.325);
    near(summary.ledger.share[LEDGER_KERNELS], 0.675);
    near(summary.ledger_window.share[LEDGER_ARITHMETIC], 0.325);
    assert_false(quantity_known(summary.hfu));
    assert_true(fabs(summary.points[1].mfu - 0.325) < 1e-12);
    assert_true(fabs(summary.points[1].mfu_alone - 0.3) < 1e-12);
    analysis_free(analysis);
    analysis = two_rates(&run, 0);
    newest(analysis, &summary);
    assert_int_equal(summary.mfu_origin, MFU_UNKNOWN);
    assert_false(quantity_known(summary.mfu));
    assert_false(quantity_known(summary.flops));
    analysis_free(analysis);
    summary_done(&summary);
}

static void more_than_the_peak_is_not_used(void **state)
{
    (void)state;
    struct run run;
    struct summary summary;
    run_init(&run);
    strcpy(run.chip, "H100"); /* 989 TFLOP/s */
    struct analysis *analysis = model(&run);
    struct record record = value_of(1, 1, 0.001);
    record.has |= RECORD_FLOPS;
    record.flops = INT64_C(990000000000000);
    assert_int_equal(analysis_add(analysis, &record, 0), ANALYSIS_IMPOSSIBLE);
    for (int i = 2; i <= 5; i++) {
        record = value_of(i, 1, 1);
        record.has |= RECORD_FLOPS;
        record.flops = INT64_C(400000000000000);
        add(analysis, record);
    }
    analysis_finish(analysis);
    summary_init(&summary);
    newest(analysis, &summary);
    assert_int_equal(summary.source.impossible, 1);
    assert_int_equal(summary.source.records, 4);
    near(summary.step_time_mean_s, 1);
    assert_int_equal(summary.first_step, 2);
    record = value_of(6, 1, 1); /* an MFU alone is kept, whatever it says */
    record.has |= RECORD_MFU;
    record.mfu = 1200000000;
    add(analysis, record);
    newest(analysis, &summary);
    assert_int_equal(summary.source.impossible, 1);
    summary_done(&summary);
    analysis_free(analysis);
}

/* One rank's view of its phases: shown, but nobody is known to have waited. */
static void phases_of_a_job_make_no_waits(void **state)
{
    (void)state;
    struct summary summary;
    struct analysis *analysis = model(NULL);
    summary_init(&summary);
    for (int i = 1; i <= 4; i++) {
        struct record record = value_of(i, 1, 1);
        record.has |= RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD | RECORD_SYNC;
        record.phase_ns[PHASE_DATA] = SECOND / 10;
        record.phase_ns[PHASE_FORWARD] = SECOND * 3 / 10;
        record.phase_ns[PHASE_BACKWARD] = SECOND * 4 / 10;
        record.phase_ns[PHASE_SYNC] = SECOND * 2 / 10;
        add(analysis, record);
    }
    analysis_finish(analysis);
    newest(analysis, &summary);
    assert_int_equal(summary.rule, WAIT_UNKNOWN);
    assert_false(quantity_known(summary.wait_share));
    assert_true(fabs(summary.ranks[0].phase_s[PHASE_FORWARD] - 0.3) < 1e-12);
    assert_true(isnan(summary.ranks[0].wait_s));
    near(summary.step_time_mean_s, 1);
    near(summary.ledger.share[LEDGER_INPUT], 0.1);
    near(summary.ledger.share[LEDGER_KERNELS], 0.9);
    assert_false(quantity_known(summary.ledger.share[LEDGER_JITTER]));
    assert_false(quantity_known(summary.ledger.share[LEDGER_STRAGGLERS]));
    assert_int_equal(count_of(&summary, VERDICT_CANNOT_TELL), 1);
    summary_done(&summary);
    analysis_free(analysis);
}

static struct record of_rank(uint32_t rank, int64_t step, double forward)
{
    return (struct record){
        .has = RECORD_RANK | RECORD_STEP | RECORD_FORWARD | RECORD_SYNC,
        .rank = rank,
        .step = step,
        .phase_ns = {
            [PHASE_FORWARD] = llround(forward * 1e9), [PHASE_SYNC] = llround((1 - forward) * 1e9)}};
}

/* The line of the job stands before or behind those of its ranks. */
static void a_job_and_its_ranks_in_one_log(void **state)
{
    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        struct summary summary;
        struct analysis *analysis = model(NULL);
        summary_init(&summary);
        for (int step = 1; step <= 20; step++) {
            struct record job = value_of(step, 1, 1.25);
            job.has |= RECORD_TOKENS;
            job.tokens = 4096;
            if (!behind)
                add(analysis, job);
            for (uint32_t rank = 0; rank < 4; rank++)
                add(analysis, of_rank(rank, step, rank == 2 ? 0.9 : 0.6));
            if (behind)
                add(analysis, job);
        }
        analysis_finish(analysis);
        newest(analysis, &summary);
        assert_int_equal(summary.scope, SCOPE_RANKS);
        assert_int_equal(summary.rank_count, 4);
        assert_int_equal(summary.attempts, 1);
        assert_int_equal(summary.complete, 20);
        assert_int_equal(summary.incomplete, 0);
        assert_int_equal(summary.source.duplicate, 0);
        assert_int_equal(summary.rule, WAIT_SYNC);
        near(summary.step_time_median_s, 1.25); /* as the job says */
        near(summary.wait_mean_s, 0.3 * 3 / 4);
        assert_int_equal(summary.shown.last_rank, 2);
        assert_true(summary.tokens_per_step == 4096);
        assert_int_equal(the(&summary, VERDICT_STRAGGLER)->rank, 2);
        assert_int_equal(count_of(&summary, VERDICT_MISSING), 0);
        assert_int_equal(count_of(&summary, VERDICT_CANNOT_TELL), 0);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

/* From some step on the log has one value for the whole job: no rank is missing from that. */
static void ranks_and_then_the_job(void **state)
{
    for (int restarts = 0; restarts < 2; restarts++) {
        struct analysis *analysis = model(NULL);
        struct summary summary;
        for (int64_t step = 1; step <= 40; step++)
            for (uint32_t rank = 0; rank < 4; rank++) {
                struct record record = begun(value_of(step, 1, 0.5), 0.5 * (double)step);
                record.has = (record.has & ~(uint32_t)RECORD_JOB) | RECORD_FORWARD | RECORD_SYNC;
                record.rank = rank;
                record.phase_ns[PHASE_FORWARD] = SECOND / 5 * 2;
                record.phase_ns[PHASE_SYNC] = SECOND / 10;
                add(analysis, record);
            }
        int64_t from = restarts ? 31 : 41;
        for (int64_t step = from; step <= 90; step++) {
            add(analysis, begun(value_of(step, 1, 0.5), 100 + 0.5 * (double)step));
            summary_init(&summary);
            newest(analysis, &summary);
            for (size_t i = 0; i < summary.verdict_count; i++)
                assert_int_not_equal(summary.verdicts[i].kind, VERDICT_MISSING);
            for (size_t i = 0; i < summary.rank_count; i++)
                assert_int_not_equal(summary.ranks[i].state, RANK_MISSING);
            summary_done(&summary);
        }
        analysis_finish(analysis);
        summary_init(&summary);
        newest(analysis, &summary);
        assert_int_equal(summary.attempts, 1 + restarts);
        assert_int_equal(summary.complete, 90 + 10 * restarts);
        assert_int_equal(summary.incomplete, 0);
        assert_int_equal(summary.shown.expected, 1);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

static void same(struct quantity a, struct quantity b)
{
    assert_int_equal(a.evidence, b.evidence);
    if (quantity_known(a))
        assert_memory_equal(&a.value, &b.value, sizeof(double));
}

static void same_figures(const struct summary *a, const struct summary *b)
{
    same(a->step_time_mean_s, b->step_time_mean_s);
    same(a->step_time_median_s, b->step_time_median_s);
    same(a->window_step_time_s, b->window_step_time_s);
    same(a->mfu, b->mfu);
    same(a->flops, b->flops);
    same(a->effective.lost_s, b->effective.lost_s);
    for (int part = 0; part < LEDGER_COUNT; part++)
        same(a->ledger.share[part], b->ledger.share[part]);
    assert_int_equal(a->scope, b->scope);
    assert_int_equal(a->mfu_origin, b->mfu_origin);
    assert_int_equal(a->steps_covered, b->steps_covered);
    assert_int_equal(a->shown.span, b->shown.span);
    assert_int_equal(a->shown.step, b->shown.step);
    assert_int_equal(a->verdict_count, b->verdict_count);
    assert_true(a->run.gpus == b->run.gpus);
}

static struct record varied(int i)
{
    struct record record = value_of(10 * i, i % 3 ? 10 : 7, 0.5 + 0.01 * (i * 37 % 11));
    record = begun(record, 6.0 * i);
    record.has |= RECORD_FLOPS | RECORD_MFU | (i > 300 ? RECORD_GPUS : 0);
    record.flops = INT64_C(300000000000007) + i * INT64_C(10000000007);
    record.mfu = 310000000 + i;
    record.gpus = 16;
    return record;
}

/* A copy goes on as the model itself, and a look back says what was said then. */
static void copies_and_looks_back_are_equal_to_the_bit(void **state)
{
    (void)state;
    struct run run;
    struct summary then, later;
    run_init(&run);
    run.peak_flops = 1e15;
    struct analysis *analysis = model(&run), *copy = NULL;
    summary_init(&then);
    summary_init(&later);
    for (int i = 1; i <= 250; i++)
        add(analysis, varied(i));
    newest(analysis, &then);
    struct step_key key = {.attempt = 0, .step = then.shown.step};
    copy = analysis_copy(analysis, true, (size_t)256 << 20);
    for (int i = 251; i <= 600; i++) {
        add(analysis, varied(i));
        add(copy, varied(i));
    }
    analysis_summary(analysis, key, INT64_MIN, &later);
    same_figures(&then, &later);
    newest(analysis, &then);
    newest(copy, &later);
    same_figures(&then, &later);
    assert_true(then.run.gpus == 16);
    summary_done(&then);
    summary_done(&later);
    analysis_free(copy);
    analysis_free(analysis);
}

/* Means of 10 steps: 1 s, but for three values that hold a validation, or a checkpoint. */
static void what_a_validation_takes_is_told_against_the_others(void **state)
{
    struct summary summary;
    struct analysis *analysis = model(NULL);
    (void)state;
    summary_init(&summary);
    for (int64_t step = 10; step <= 300; step += 10) {
        bool validation = step == 110 || step == 210, checkpoint = step == 150;
        struct record record = value_of(step, 10, step == 110 ? 3 : step == 210 ? 5 : 1);
        record.has |= validation ? RECORD_VALIDATION : checkpoint ? RECORD_CHECKPOINT : 0;
        add(analysis, record);
    }
    newest(analysis, &summary);
    const struct summary_called *called = &summary.called[CALLED_VALIDATION];
    assert_int_equal(summary.first_step, 10);
    assert_int_equal(summary.first_covered, 1);
    assert_int_equal(called->count, 2);
    assert_int_equal(called->first[0], 110);
    assert_int_equal(called->first[1], 210);
    near(called->beyond_s, (20 + 40) / 2.0);
    assert_int_equal(called->beyond_s.evidence, EVIDENCE_COMPUTED);
    assert_int_equal(summary.called[CALLED_CHECKPOINT].count, 1);
    assert_int_equal(summary.called[CALLED_CHECKPOINT].first[0], 150);
    assert_true(summary.called[CALLED_CHECKPOINT].beyond_s.value == 0);
    assert_int_equal(count_of(&summary, VERDICT_SPIKE), 0); /* they are said to be slow */
    for (int i = 0; i < 2; i++) { /* the span is within the window: 60 of 360 s */
        const struct ledger *ledger = i ? &summary.ledger_window : &summary.ledger;
        near(ledger->share[LEDGER_VALIDATION], 60.0 / 360);
        assert_int_equal(ledger->share[LEDGER_VALIDATION].evidence, EVIDENCE_COMPUTED);
        assert_int_equal(ledger->share[LEDGER_CHECKPOINT].evidence, EVIDENCE_NONE);
    }
    for (int64_t step = 310; step <= 900; step += 10) /* the last window holds none of them */
        add(analysis, value_of(step, 10, 1));
    newest(analysis, &summary);
    near(summary.ledger.share[LEDGER_VALIDATION], 60.0 / 960);
    near(summary.ledger_window.share[LEDGER_VALIDATION], 0);
    assert_int_equal(summary.ledger_window.share[LEDGER_CHECKPOINT].evidence, EVIDENCE_NONE);
    summary_done(&summary);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mean_is_one_value_for_so_many_steps),
        cmocka_unit_test(what_a_validation_takes_is_told_against_the_others),
        cmocka_unit_test(what_a_value_covers_is_no_gap),
        cmocka_unit_test(coarse_stamps_are_no_pauses),
        cmocka_unit_test(a_restart_counts_the_steps_that_were_lost),
        cmocka_unit_test(time_between_values_is_counted_apart),
        cmocka_unit_test(a_spike_is_a_value),
        cmocka_unit_test(the_number_of_ranks_is_not_that_of_gpus),
        cmocka_unit_test(mfu_is_of_the_best_that_is_known),
        cmocka_unit_test(more_than_the_peak_is_not_used),
        cmocka_unit_test(phases_of_a_job_make_no_waits),
        cmocka_unit_test(a_job_and_its_ranks_in_one_log),
        cmocka_unit_test(ranks_and_then_the_job),
        cmocka_unit_test(copies_and_looks_back_are_equal_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

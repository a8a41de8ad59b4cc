/* Steps folded into spans and windows. */
#include "fold.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "overview.h"
#include "quantile.h"

void fold_init(struct fold *fold, const struct run *run, int64_t from_step, int64_t to_step)
{
    assert(run->window >= 1 && run->window <= STRAGGLER_WINDOW_MAX);
    *fold = (struct fold){
        .window = run->window,
        .test = {.window = run->window > STRAGGLER_STEPS_MIN ? (uint32_t)run->window
                                                             : STRAGGLER_STEPS_MIN,
                 .threshold = run->threshold},
        .spread = NAN,
        .spread_ordinal = UINT32_MAX,
        .from_step = from_step,
        .to_step = to_step,
        .first_step = -1,
        .first_covered = -1,
        .last_step = -1,
        .down_ns = NAN,
        .attempt = -1,
        .job = {.attempt = -1},
    };
    fold->ring = memory_zeroed((size_t)fold->window, sizeof(*fold->ring));
    fold->ring_older = memory_zeroed((size_t)fold->window, sizeof(*fold->ring_older));
    fold->ordinal_steps = memory_zeroed(STRAGGLER_WINDOW_MAX, sizeof(*fold->ordinal_steps));
    rolling_init(&fold->times, fold->window > FOLD_SPIKE_STEPS_MIN ? (uint32_t)fold->window
                                                                   : FOLD_SPIKE_STEPS_MIN);
    barrier_init(&fold->lookback);
}

void fold_done(struct fold *fold)
{
    for (uint32_t i = 0; i < fold->rank_count; i++) {
        quantile_done(&fold->ranks[i].slowdown);
        quantile_done(&fold->ranks[i].straggler.since);
    }
    for (uint32_t u = 0; u < fold->unit_count; u++)
        quantile_done(&fold->units[u].straggler.since);
    quantile_done(&fold->measured.quantile);
    quantile_done(&fold->computed.quantile);
    clocks_done(&fold->clocks);
    rolling_done(&fold->times);
    history_done(&fold->history);
    peers_done(&fold->peers);
    barrier_done(&fold->lookback);
    free(fold->ranks);
    free(fold->samples);
    free(fold->peer_samples);
    free(fold->units);
    free(fold->unit_samples);
    free(fold->slowdowns);
    free(fold->ring);
    free(fold->ring_older);
    free(fold->ordinal_steps);
    free(fold->absences);
    free(fold->events);
    free(fold->active);
    *fold = (struct fold){0};
}

static void copy_quantile(struct quantile *quantile)
{
    struct quantile from = *quantile;
    *quantile = (struct quantile){0};
    quantile_copy(quantile, &from);
}

/* What other modules hold: copied whole, not by pointer. */
static void copy_parts(struct fold *to, const struct fold *from)
{
    to->times = (struct rolling){0};
    rolling_copy(&to->times, &from->times);
    to->history = (struct history){0};
    history_copy(&to->history, &from->history);
    to->peers = (struct peers){0};
    peers_copy(&to->peers, &from->peers);
    barrier_init(&to->lookback);
    copy_quantile(&to->measured.quantile);
    copy_quantile(&to->computed.quantile);
    clocks_copy(&to->clocks, &from->clocks);
    for (uint32_t i = 0; i < to->rank_count; i++) {
        copy_quantile(&to->ranks[i].slowdown);
        copy_quantile(&to->ranks[i].straggler.since);
    }
    for (uint32_t u = 0; u < to->unit_count; u++)
        copy_quantile(&to->units[u].straggler.since);
}

void fold_copy(struct fold *to, const struct fold *from)
{
    size_t samples = (size_t)from->rank_capacity * from->test.window;
    fold_done(to);
    *to = *from;
    to->ring = memory_copied(from->ring, (size_t)from->window, sizeof(*from->ring));
    to->ring_older =
        memory_copied(from->ring_older, (size_t)from->window, sizeof(*from->ring_older));
    to->ordinal_steps =
        memory_copied(from->ordinal_steps, STRAGGLER_WINDOW_MAX, sizeof(*from->ordinal_steps));
    to->ranks = memory_copied(from->ranks, from->rank_capacity, sizeof(*from->ranks));
    to->absences = memory_copied(from->absences, from->rank_capacity, sizeof(*from->absences));
    to->samples = memory_copied(from->samples, samples, sizeof(*from->samples));
    to->peer_samples = memory_copied(from->peer_samples, samples, sizeof(*from->peer_samples));
    to->slowdowns = memory_zeroed(from->rank_capacity, sizeof(*to->slowdowns));
    to->units = memory_copied(from->units, from->unit_capacity, sizeof(*from->units));
    to->unit_samples =
        memory_copied(from->unit_samples, (size_t)from->unit_capacity * from->test.window,
                      sizeof(*from->unit_samples));
    to->events = memory_copied(from->events, from->event_capacity, sizeof(*from->events));
    to->active = memory_resized(NULL, from->event_capacity, sizeof(*to->active));
    if (from->in_force > 0)
        memcpy(to->active, from->active, from->in_force * sizeof(*to->active));
    copy_parts(to, from);
}

size_t fold_bytes(const struct fold *fold)
{
    size_t samples = (size_t)fold->rank_capacity * fold->test.window * sizeof(float);
    size_t bytes =
        sizeof(*fold) +
        fold->rank_capacity * (sizeof(*fold->ranks) + sizeof(*fold->absences) + 2 * sizeof(double));
    bytes += samples * (fold->peer_samples ? 2 : 1);
    bytes += fold->unit_capacity * (sizeof(*fold->units) + fold->test.window * sizeof(float));
    bytes += history_bytes(&fold->history);
    bytes += fold->event_capacity * (sizeof(*fold->events) + sizeof(*fold->active));
    bytes += STRAGGLER_WINDOW_MAX * sizeof(*fold->ordinal_steps);
    for (uint32_t i = 0; i < fold->rank_count; i++)
        bytes += quantile_bytes(&fold->ranks[i].slowdown) +
                 quantile_bytes(&fold->ranks[i].straggler.since);
    return bytes + quantile_bytes(&fold->measured.quantile) +
           quantile_bytes(&fold->computed.quantile);
}

/* With so many ranks, 4,096 values of each would be more than the table. */
#define MANY_RANKS 1024
#define MANY_RANKS_EXACT 64
#define MANY_RANKS_STRIDE 4 /* steps: their counters are far apart in memory */
#define AHEAD 12            /* ranks whose counters are on their way from memory meanwhile */

/* More rows of samples, none in them yet. */
static float *more_samples(float *samples, uint32_t had, uint32_t rows, uint32_t window)
{
    samples = memory_resized(samples, (size_t)rows * window, sizeof(*samples));
    for (size_t i = (size_t)had * window; i < (size_t)rows * window; i++)
        samples[i] = NAN;
    return samples;
}

static void reach_capacity(struct fold *fold, uint32_t count)
{
    uint32_t had = fold->rank_capacity, capacity = had ? had : 8;
    while (capacity < count)
        capacity *= 2;
    fold->ranks = memory_resized(fold->ranks, capacity, sizeof(*fold->ranks));
    memset(fold->ranks + had, 0, (capacity - had) * sizeof(*fold->ranks));
    fold->samples = more_samples(fold->samples, had, capacity, fold->test.window);
    if (fold->peer_samples)
        fold->peer_samples = more_samples(fold->peer_samples, had, capacity, fold->test.window);
    fold->absences = memory_resized(fold->absences, capacity, sizeof(*fold->absences));
    for (uint32_t i = had; i < capacity; i++)
        fold->absences[i] = (struct fold_absence){.event = -1};
    fold->slowdowns = memory_resized(fold->slowdowns, capacity, sizeof(*fold->slowdowns));
    fold->rank_capacity = capacity;
}

static void reach_ranks(struct fold *fold, uint32_t count)
{
    if (count > fold->rank_capacity)
        reach_capacity(fold, count);
    if (fold->rank_count == count)
        return;
    for (; fold->rank_count < count; fold->rank_count++)
        fold->ranks[fold->rank_count].event = -1;
    for (uint32_t i = 0; count > MANY_RANKS && i < count; i++)
        fold->ranks[i].slowdown.exact_max = MANY_RANKS_EXACT;
}

static void reach_units(struct fold *fold)
{
    uint32_t count = fold->peers.unit_count;
    if (count > fold->unit_capacity) {
        uint32_t capacity = fold->unit_capacity ? fold->unit_capacity : 8;
        while (capacity < count)
            capacity *= 2;
        fold->units = memory_resized(fold->units, capacity, sizeof(*fold->units));
        fold->unit_samples =
            more_samples(fold->unit_samples, fold->unit_capacity, capacity, fold->test.window);
        fold->unit_capacity = capacity;
    }
    for (; fold->unit_count < count; fold->unit_count++)
        fold->units[fold->unit_count] = (struct fold_unit){.event = -1};
    if (!fold->peers.by_group || fold->peer_samples)
        return;
    fold->peer_samples = more_samples(NULL, 0, fold->rank_capacity, fold->test.window);
    memcpy(fold->peer_samples, fold->samples,
           (size_t)fold->rank_capacity * fold->test.window * sizeof(*fold->samples));
}

const struct step_row *fold_row_before(const struct steps *steps, size_t index)
{
    if (index == 0)
        return NULL;
    const struct step_row *row = steps_at(steps, index), *before = steps_at(steps, index - 1);
    return before->attempt == row->attempt && before->step == row->step - row->job.span ? before
                                                                                        : NULL;
}

static void fold_time(struct fold *fold, const struct step_digest *digest, uint32_t reported)
{
    struct fold_times *times =
        digest->time_evidence == EVIDENCE_MEASURED ? &fold->measured : &fold->computed;
    double time_ns = (double)digest->step_time_ns;
    double covered = (double)digest->span;
    times->count++;
    times->covered += digest->span;
    times->sum_ns += time_ns * covered;
    if (time_ns > times->max_ns)
        times->max_ns = time_ns;
    if (times->count == 1 || time_ns < times->min_ns)
        times->min_ns = time_ns;
    quantile_add(&times->quantile, time_ns);
    if (digest->wait_count > 0) {
        times->wait_ns += digest_wait_ns(digest, reported) * covered;
        times->rank_time_ns += time_ns * reported * covered;
    }
}

static void fold_span(struct fold *fold, const struct step_row *row,
                      const struct step_digest *digest)
{
    if (fold->first_step < 0 || row->step < fold->first_step)
        fold->first_step = row->step;
    int64_t first = row->step < row->job.span ? row->step > 0 : row->step - row->job.span + 1;
    if (fold->first_covered < 0 || first < fold->first_covered)
        fold->first_covered = first;
    if (row->step > fold->last_step)
        fold->last_step = row->step;
    if (row->reported >= digest->expected)
        fold->complete++;
    else
        fold->incomplete++;
    fold->covered += digest->span;
    fold->rule_steps[digest->rule]++;
    if (digest->wait_count > 0) {
        fold->wait_sum_ns += (double)digest->wait_sum_ns * (double)digest->span;
        fold->wait_count += digest->wait_count * digest->span;
    }
    if (digest->exchange_ns >= 0) {
        fold->exchange_sum_ns += (double)digest->exchange_ns * (double)digest->span;
        fold->exchange_count += digest->span;
    }
    if (digest->time_evidence == EVIDENCE_NONE)
        return;
    fold_time(fold, digest, row->reported);
    fold_window(fold, row, digest);
}

/* What each rank has waited, how often it was last, and its slowdown against all
 * ranks, which is kept in fold->slowdowns. */
static void fold_ranks(struct fold *fold, struct step_row *row, const struct barrier *barrier)
{
    double median = barrier->digest.own_median_ns, scale = median > 0 ? 1 / median : 0;
    bool waits = barrier->digest.wait_count > 0, compared = row->reported >= 2 && scale > 0;
    uint32_t count = fold->rank_count < row->capacity ? fold->rank_count : row->capacity;
    bool many = count > MANY_RANKS, counted = !many || fold->ordinal % MANY_RANKS_STRIDE == 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fold_rank *rank = &fold->ranks[i];
        fold->slowdowns[i] = NAN;
        row->slowdown[i] = HEAT_NONE;
        if (!row->has[i])
            continue;
        rank->steps++;
        if (waits) {
            rank->wait_sum_ns += barrier->wait_ns[i];
            rank->wait_steps++;
        }
        if (!compared || !(barrier->own_ns[i] > 0))
            continue;
        double slowdown = barrier->own_ns[i] * scale;
        fold->slowdowns[i] = slowdown;
        row->slowdown[i] = heat_of(slowdown);
        if (!counted)
            continue;
        if (many && i + AHEAD < count)
            quantile_prefetch(&rank[AHEAD].slowdown, barrier->own_ns[i + AHEAD] * scale);
        quantile_add(&rank->slowdown, slowdown);
    }
    for (uint32_t i = count; i < fold->rank_count; i++)
        fold->slowdowns[i] = NAN;
    if (barrier->digest.last_slot < fold->rank_count)
        fold->ranks[barrier->digest.last_slot].last_count++;
}

/* What the ledger is made from. */
static void fold_history(struct fold *fold, const struct step_row *row,
                         const struct step_digest *digest, double loss_ns)
{
    double time_ns = (double)digest->step_time_ns, covered = (double)digest->span;
    double exchange_ns = digest->exchange_ns >= 0 ? (double)digest->exchange_ns : NAN;
    double late_ns = digest_late_ns(digest);
    bool checkpoint = row->has_any & RECORD_CHECKPOINT,
         validation = row->has_any & RECORD_VALIDATION;
    struct history_step step = {
        .step = row->step,
        .covered = (uint32_t)digest->span,
        .own_ns = (float)(digest->own_median_ns * covered),
        .input_ns = (float)(digest->input_median_ns * covered),
        .late_ns = (float)(late_ns * covered),
        .straggler_ns = isnan(late_ns) ? 0 : (float)(loss_ns * covered),
        .exchange_ns = (float)(exchange_ns * covered),
        .checkpoint_ns = checkpoint ? (float)digest->unnamed_ns : 0,
        .validation_ns = validation && !checkpoint ? (float)digest->unnamed_ns : 0,
        .flops = (double)row->job.flops,
        .mfu = step_job_mfu(&row->job),
        .time_ns = time_ns * covered,
        .tokens = (double)digest->tokens * covered,
    };
    history_add(&fold->history, &step);
    ledger_sums_between(&fold->history.sums, digest->between_ns, checkpoint, validation);
}

/* Who is not there, and what is not there. True when the job stood still. */
static bool fold_presence(struct fold *fold, const struct fold_step *step)
{
    const struct step_row *row = step->row;
    if (fold_is_stray(fold, row)) {
        fold->job.strays++;
        return false;
    }
    bool idle = fold_gap(fold, step);
    fold_missing(fold, step);
    fold->job.attempt = row->attempt;
    fold->job.step = row->step;
    fold->job.ordinal = fold->ordinal;
    fold->job.reported = row->reported;
    fold->job.strays = 0;
    return idle;
}

/* The parts that say who, why and what it costs. */
static void fold_findings(struct fold *fold, const struct fold_step *step,
                          const struct ranks *ranks)
{
    const struct step_row *row = step->row;
    const struct step_digest *digest = &step->barrier->digest;
    if (peers_update(&fold->peers, ranks)) {
        reach_units(fold);
        fold_recover(fold);
    }
    if (row->attempt != fold->attempt) {
        if (fold->attempt >= 0)
            fold_restart(fold, step);
        fold->attempt = row->attempt;
        fold->attempt_steps = 0;
        fold->longest_part_ns = 0;
    }
    fold_judge(fold, step);
    double loss_ns = fold_loss(fold, step);
    fold->attempt_steps++;
    bool far = fold_is_far(fold, row), idle = fold_presence(fold, step);
    if (digest->time_evidence == EVIDENCE_NONE)
        return;
    fold_history(fold, row, digest, loss_ns);
    if (far)
        rolling_clear(&fold->times);
    if (fold->attempt_steps > FOLD_WARM_UP && !idle)
        fold_spike(fold, step);
    rolling_add(&fold->times, (double)digest->step_time_ns);
    if (fold->attempt_steps > FOLD_WARM_UP && !idle && digest->step_time_ns > fold->longest_part_ns)
        fold->longest_part_ns = digest->step_time_ns;
}

void fold_row(struct fold *fold, const struct steps *steps, size_t index, const struct ranks *ranks,
              struct wait_choice choice, struct barrier *barrier)
{
    struct step_row *row = steps_at(steps, index);
    bool of_job = step_row_of_job(row);
    fold->of_job |= of_job;
    fold->of_ranks |= !of_job;
    if (row->job.gpus > 0)
        fold->gpus = row->job.gpus;
    barrier_compute(barrier, row, fold_row_before(steps, index), ranks->count, choice);
    struct step_digest *digest = &barrier->digest;
    if (index > 0 && steps_at(steps, index - 1)->attempt != row->attempt)
        fold->down_ns = fold_down_ns(row, steps_at(steps, index - 1));
    digest->expected =
        row->reported == ranks->count || step_row_of_job(row)
            ? row->reported
            : ranks_expected(ranks, row->attempt, row->step, steps_stride(steps, index));
    if (digest->expected < row->expected &&
        !step_row_of_job(row)) /* ranks know only their last two attempts */
        digest->expected = row->expected;
    if (digest->expected < row->reported)
        digest->expected = row->reported;
    if (row->step >= fold->from_step && row->step <= fold->to_step) {
        reach_ranks(fold, ranks->count);
        fold->ordinal_steps[fold->ordinal % STRAGGLER_WINDOW_MAX] = row->step;
        fold_span(fold, row, digest);
        if (!fold->figures_only && !choice.one_stamp)
            clocks_fold(&fold->clocks, row, fold_row_before(steps, index), ranks->count,
                        digest->rule);
        fold_ranks(fold, row, barrier);
        struct fold_step step = {steps, index, row, choice, barrier};
        digest->unnamed_ns = fold_unnamed_ns(fold, row, digest);
        digest->between_ns = fold_between_ns(fold, steps, index, choice.one_stamp);
        fold_called(fold, row, digest);
        if (!fold->figures_only)
            fold_findings(fold, &step, ranks);
        fold->ordinal++;
    }
    digest->ordinal = fold->ordinal > 0 ? fold->ordinal - 1 : 0;
    fold_window_put(fold, digest);
    row->digest = *digest;
}

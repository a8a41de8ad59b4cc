/* The matrix of the last W steps. */
#include "analysis_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void analysis_window_done(struct analysis_window *window)
{
    free(window->rows);
    free(window->samples);
    free(window->medians);
    free(window->spreads);
    free(window->own_median_ns);
    free(window->time_ns);
    free(window->exchange_ns);
    free(window->groups);
    free(window->hosts);
    free(window->named);
    free(window->gains_s);
    free(window->unit_gains_s);
    *window = (struct analysis_window){0};
}

static void reach(struct analysis_window *window, uint32_t ranks, uint32_t steps, uint32_t units)
{
    if (ranks > window->rank_capacity) {
        window->medians = memory_resized(window->medians, ranks, sizeof(float));
        window->spreads = memory_resized(window->spreads, ranks, sizeof(float));
        window->groups = memory_resized(window->groups, ranks, sizeof(uint32_t));
        window->hosts = memory_resized(window->hosts, ranks, sizeof(uint32_t));
        window->named = memory_resized(window->named, ranks, sizeof(uint8_t));
        window->gains_s = memory_resized(window->gains_s, ranks, sizeof(double));
        for (uint32_t i = window->rank_capacity; i < ranks; i++)
            window->medians[i] = window->spreads[i] = NAN;
        window->rank_capacity = ranks;
    }
    if (steps > window->step_capacity) {
        window->own_median_ns = memory_resized(window->own_median_ns, steps, sizeof(double));
        window->time_ns = memory_resized(window->time_ns, steps, sizeof(double));
        window->exchange_ns = memory_resized(window->exchange_ns, steps, sizeof(double));
        window->rows = memory_resized(window->rows, steps, sizeof(*window->rows));
        window->step_capacity = steps;
    }
    window->unit_gains_s =
        memory_resized(window->unit_gains_s, 2 * ((size_t)units + 1), sizeof(double));
}

/* The rows of the span up to the one at `index`, W at most. Between them may stand
 * steps that are not of the span, when the run went back. */
static void find_rows(struct analysis_window *window, const struct analysis *analysis, size_t index,
                      uint32_t steps)
{
    uint32_t newest = steps_at(&analysis->steps, index)->digest.ordinal;
    window->row_count = 0;
    for (size_t at = index + 1; at-- > 0 && window->row_count < steps;) {
        const struct step_row *row = steps_at(&analysis->steps, at);
        if (newest - row->digest.ordinal >= steps)
            break;
        if (row->step >= analysis->options.from_step && row->step <= analysis->options.to_step)
            window->rows[window->row_count++] = at;
    }
    for (size_t i = 0, j = window->row_count; i + 1 < j; i++) { /* oldest first */
        size_t swap = window->rows[i];
        window->rows[i] = window->rows[--j];
        window->rows[j] = swap;
    }
}

static void fill_columns(struct analysis_window *window, const struct analysis *analysis,
                         uint32_t steps)
{
    for (uint32_t k = 0; k < steps; k++)
        window->own_median_ns[k] = window->time_ns[k] = window->exchange_ns[k] = NAN;
    for (size_t i = 0; i < window->row_count; i++) {
        const struct step_digest *digest = &steps_at(&analysis->steps, window->rows[i])->digest;
        uint32_t column = digest->ordinal % steps;
        window->own_median_ns[column] = digest->own_median_ns;
        if (digest->time_evidence != EVIDENCE_NONE)
            window->time_ns[column] = (double)digest->step_time_ns;
        if (digest->exchange_ns >= 0)
            window->exchange_ns[column] = (double)digest->exchange_ns;
    }
}

/* As fold_judge() has filled its samples when that step was the newest. */
static void work_out_samples(struct analysis_window *window, struct analysis *analysis,
                             uint32_t steps)
{
    uint32_t ranks = analysis->ranks.count;
    size_t size = (size_t)ranks * steps;
    if (size > window->samples_size) {
        window->samples = memory_resized(window->samples, size, sizeof(float));
        window->samples_size = size;
    }
    for (size_t i = 0; i < size; i++)
        window->samples[i] = NAN;
    struct barrier *barrier = &analysis->current.lookback;
    for (size_t i = 0; i < window->row_count; i++) {
        size_t index = window->rows[i];
        const struct step_row *row = steps_at(&analysis->steps, index);
        barrier_compute(barrier, row, fold_row_before(&analysis->steps, index), ranks,
                        analysis->choice);
        double median = barrier->digest.own_median_ns;
        if (row->reported < 2 || !(median > 0) || (row->has_any & RECORD_ANY_EVENT))
            continue;
        float *column = window->samples + row->digest.ordinal % steps;
        for (uint32_t r = 0; r < ranks; r++)
            if (barrier->own_ns[r] > 0)
                column[(size_t)r * steps] = (float)(barrier->own_ns[r] / median);
    }
}

#define MANY_RANKS 1024

/* With very many ranks from the mean deviation, 1.2533 times which is the standard
 * deviation of what is normal: a median of each takes too long for a screen. */
static float spread_of(const float *row, uint32_t steps, float median, bool quickly)
{
    if (!quickly)
        return (float)straggler_measure(row, steps).spread;
    float sum = 0, count = 0;
    for (uint32_t i = 0; i < steps; i++) {
        float deviation = fabsf(row[i] - median);
        bool known = deviation == deviation;
        sum += known ? deviation : 0;
        count += known ? 1 : 0;
    }
    return count > 1 ? 1.2533f * sum / count : NAN;
}

static void fill_ranks(struct analysis_window *window, const struct analysis *analysis, bool brief)
{
    const struct fold *fold = &analysis->current;
    uint32_t ranks = window->view.ranks, steps = window->view.steps;
    for (uint32_t i = 0; i < ranks; i++) {
        const float *row = window->view.slowdown + (size_t)i * window->view.stride;
        window->medians[i] = (float)median_near(row, steps, window->medians[i]);
        window->spreads[i] =
            brief ? NAN : spread_of(row, steps, window->medians[i], ranks > MANY_RANKS);
        window->named[i] = 0;
        window->groups[i] = window->hosts[i] = 0;
        if (i >= fold->peers.rank_count)
            continue;
        if (fold->peers.group_unit[i] != PEERS_NONE)
            window->groups[i] = fold->peers.group_unit[i] + 1;
        if (fold->peers.host_unit[i] != PEERS_NONE)
            window->hosts[i] = fold->peers.host_unit[i] + 1;
    }
    for (uint32_t k = 0; k < fold->event_count; k++) {
        uint32_t one, count;
        if (!fold_event_in_force(&fold->events[k], window->ordinal))
            continue;
        const uint32_t *slots = fold_event_slots(fold, &fold->events[k], &one, &count);
        for (uint32_t j = 0; j < count; j++)
            window->named[slots[j]] = 1;
    }
}

void analysis_window_make(struct analysis *analysis, size_t index, bool brief)
{
    struct analysis_window *window = analysis->window;
    const struct fold *fold = &analysis->current;
    uint32_t steps = fold->test.window, ranks = analysis->ranks.count;
    reach(window, ranks, steps, fold->peers.unit_count);
    window->view = (struct window){.ranks = ranks};
    window->row_count = 0;
    window->late_slot = RANK_SLOT_NONE;
    if (index == SIZE_MAX || fold->ordinal == 0 || fold->rank_count < ranks) {
        for (uint32_t i = 0; i < ranks; i++)
            window->medians[i] = window->spreads[i] = NAN;
        return;
    }
    window->ordinal = steps_at(&analysis->steps, index)->digest.ordinal;
    find_rows(window, analysis, index, steps);
    fill_columns(window, analysis, steps);
    bool newest = window->ordinal + 1 == fold->ordinal && !fold->figures_only;
    if (!newest)
        work_out_samples(window, analysis, steps);
    window->view = (struct window){
        .ranks = ranks,
        .steps = steps,
        .stride = steps,
        .slowdown = newest ? fold->samples : window->samples,
        .own_median_ns = window->own_median_ns,
        .time_ns = window->time_ns,
        .exchange_ns = window->exchange_ns,
        .median = window->medians,
        .group = window->groups,
        .host = window->hosts,
        .group_count = fold->peers.unit_count + 1,
        .host_count = fold->peers.unit_count + 1,
        .named = window->named,
        .simulated = analysis->simulated,
    };
    fill_ranks(window, analysis, brief);
}

/* Late, but not by its own time. */
#include "analysis_late.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

static bool is_measured(const struct step_digest *digest)
{
    return digest->rule == WAIT_SYNC || digest->rule == WAIT_CLOCKS;
}

/* The rank that was last in most of the steps whose waits were measured. */
static uint32_t usually_last(const struct analysis *analysis)
{
    const struct analysis_window *window = analysis->window;
    uint32_t *counts = memory_zeroed(analysis->ranks.count, sizeof(*counts));
    uint32_t steps = 0, most = RANK_SLOT_NONE;
    for (size_t i = 0; i < window->row_count; i++) {
        const struct step_digest *digest = &steps_at(&analysis->steps, window->rows[i])->digest;
        if (!is_measured(digest) || digest->last_slot >= analysis->ranks.count)
            continue;
        steps++;
        counts[digest->last_slot]++;
        if (most == RANK_SLOT_NONE || counts[digest->last_slot] > counts[most])
            most = digest->last_slot;
    }
    bool usual = steps >= STRAGGLER_STEPS_MIN && counts[most] >= LATE_SHARE * steps;
    free(counts);
    return usual ? most : RANK_SLOT_NONE;
}

/* One step: what the rank's arrival would be as an own time, and what would be won.
 * All ranks are released together, so own time and wait of one add up to the same
 * as those of another, but for what is in no phase. */
struct arrival {
    double slowdown, gain_ns;
};

static struct arrival arrival_of(const struct barrier *barrier, uint32_t ranks, uint32_t slot,
                                 double *room)
{
    double next_ns = INFINITY;
    uint32_t n = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        double whole = barrier->own_ns[i] + barrier->wait_ns[i];
        if (i != slot && barrier->wait_ns[i] < next_ns)
            next_ns = barrier->wait_ns[i];
        if (i != slot && whole == whole)
            room[n++] = whole;
    }
    double usual = median_of(room, n), median = barrier->digest.own_median_ns;
    struct arrival arrival = {NAN, 0};
    if (n > 0 && median > 0)
        arrival.slowdown = (usual - barrier->wait_ns[slot]) / median;
    if (barrier->digest.last_slot == slot && isfinite(next_ns))
        arrival.gain_ns = next_ns;
    return arrival;
}

struct late analysis_find_late(struct analysis *analysis)
{
    const struct analysis_window *window = analysis->window;
    struct late late = {.slot = RANK_SLOT_NONE, .slowdown = NAN, .sure = NAN, .from_step = -1};
    uint32_t slot = window->view.steps > 0 ? usually_last(analysis) : RANK_SLOT_NONE;
    if (slot == RANK_SLOT_NONE || window->row_count > STRAGGLER_WINDOW_MAX)
        return late;
    double threshold = analysis->options.run.threshold, gain_ns = 0, time_ns = 0;
    float slowdowns[STRAGGLER_WINDOW_MAX];
    uint32_t count = 0;
    double *room = memory_resized(NULL, analysis->ranks.count, sizeof(*room));
    struct barrier *barrier = &analysis->current.lookback;
    for (size_t i = 0; i < window->row_count; i++) {
        size_t index = window->rows[i];
        const struct step_row *row = steps_at(&analysis->steps, index);
        if (!is_measured(&row->digest) || (row->has_any & RECORD_ANY_EVENT))
            continue;
        barrier_compute(barrier, row, fold_row_before(&analysis->steps, index),
                        analysis->ranks.count, analysis->choice);
        struct arrival arrival = arrival_of(barrier, analysis->ranks.count, slot, room);
        gain_ns += arrival.gain_ns;
        time_ns += row->digest.time_evidence ? (double)row->digest.step_time_ns : 0;
        if (!isfinite(arrival.slowdown))
            continue;
        slowdowns[count++] = (float)arrival.slowdown;
        if (late.from_step < 0 && arrival.slowdown > 1 + threshold / 2) {
            late.from_step = row->step;
            late.attempt = row->attempt;
        }
    }
    free(room);
    struct straggler_measure measure = straggler_measure(slowdowns, count);
    double error = straggler_error(measure.count, measure.spread);
    late.slowdown = measure.median;
    late.sure = error > 0 ? (measure.median - 1) / error : NAN; /* no spread, no error */
    late.gain_s = count > 0 ? gain_ns * 1e-9 / count : 0;
    if (count >= STRAGGLER_STEPS_MIN && late.slowdown > 1 + threshold &&
        late.slowdown > 1 + straggler_z(analysis->ranks.count) * error &&
        gain_ns > threshold / 2 * time_ns)
        late.slot = slot;
    return late;
}

/* Clocks of a summary, and what aligned clocks say of the shown step. */
#include <math.h>
#include <stdlib.h>

#include "analysis_table.h"
#include "memory.h"
#include "quantile.h"

#define ERRORS_NEEDED 2      /* a late begin is told when it is so many errors long */
#define SPREADS_ALLOWED 5    /* by which one release may be off the others */
#define ERROR_SHARE_MAX 0.01 /* of a step: a clock that is worse tells nothing about it */
#define SECONDS 1e-9

static void fill_offsets(const struct clock_table *table, struct summary *summary)
{
    summary->clock_count = table->count;
    summary->clock_worst_s = NAN;
    if (table->count == 0)
        return;
    summary->clocks = memory_resized(summary->clocks, table->count, sizeof(*summary->clocks));
    for (size_t i = 0; i < table->count; i++) {
        summary->clocks[i] = table->clocks[i].offset;
        summary->clock_worst_s =
            fmax(summary->clock_worst_s, fabs(table->clocks[i].offset.offset_s));
    }
}

/* ---- late begins ---- */

/* The shown step, and the release before it, by slot: times in seconds from base_ns
 * on, on the median rank's clock. */
struct begins {
    const struct clock_table *table;
    const struct step_row *row, *before;
    uint32_t slots;
    int64_t base_ns;
    double *release_s; /* before this step; NAN: not known */
    double *after_s;   /* of this step */
    double release_median_s, after_median_s;
};

static double aligned(const struct begins *begins, uint32_t slot, int64_t time_ns)
{
    const struct clock_state *clock = &begins->table->clocks[begins->table->of_slot[slot]];
    return (double)(time_ns - begins->base_ns) * SECONDS -
           clock_state_at(clock, (double)time_ns * SECONDS);
}

static bool has_clock(const struct begins *begins, uint32_t slot)
{
    return begins->table->of_slot[slot] != UINT32_MAX;
}

/* When each rank left the barrier of `row`, and the median of that. */
static double median_release(double *to, const struct begins *begins, const struct step_row *row)
{
    double *known = memory_resized(NULL, begins->slots, sizeof(*known));
    uint32_t n = 0;
    for (uint32_t i = 0; i < begins->slots; i++) {
        int64_t release_ns;
        to[i] = NAN;
        if (!has_clock(begins, i) || !clocks_release(row, NULL, i, WAIT_SYNC, &release_ns))
            continue;
        to[i] = aligned(begins, i, release_ns);
        known[n++] = to[i];
    }
    double median = median_of(known, n);
    free(known);
    return median;
}

/* Whether a clock is good enough for this step, and keeps to what is known of it
 * where its rank leaves the barriers: it does not when it was just set. */
static bool is_trusted(const struct begins *begins, uint32_t slot, double step_s)
{
    const struct clock_state *clock = &begins->table->clocks[begins->table->of_slot[slot]];
    double allowed = fmax(CLOCK_SHOWN_S, SPREADS_ALLOWED * clock->spread_s);
    double worst = fmax(CLOCK_SHOWN_S, ERROR_SHARE_MAX * step_s);
    double before = fabs(begins->release_s[slot] - begins->release_median_s);
    double after = fabs(begins->after_s[slot] - begins->after_median_s);
    return clock->offset.error_s <= worst && !(before > allowed) && !(after > allowed);
}

/* Time from the release before to the begin, less the optimizer in between; NAN. */
static double idle_s(const struct begins *begins, uint32_t slot, double step_s)
{
    const struct step_row *row = begins->row, *before = begins->before;
    if (slot >= row->capacity || slot >= before->capacity || !before->has[slot] ||
        !(row->has[slot] & RECORD_BEGIN) || !has_clock(begins, slot) ||
        !is_trusted(begins, slot, step_s))
        return NAN;
    return aligned(begins, slot, row->cells[slot].begin_ns) - begins->release_median_s -
           (double)before->cells[slot].phase_ns[PHASE_OPTIMIZER] * SECONDS;
}

static double error_of(const struct begins *begins, uint32_t slot)
{
    return begins->table->clocks[begins->table->of_slot[slot]].offset.error_s;
}

static void fill_late(const struct begins *begins, const struct ranks *ranks,
                      struct summary *summary)
{
    double step_s =
        quantity_known(summary->shown.step_time_s) ? summary->shown.step_time_s.value : 0;
    double *idle = memory_resized(NULL, begins->slots, sizeof(*idle));
    double least = INFINITY, least_error = 0;
    for (uint32_t i = 0; i < begins->slots; i++) {
        idle[i] = idle_s(begins, i, step_s);
        if (!(idle[i] < least))
            continue;
        least = idle[i];
        least_error = error_of(begins, i);
    }
    for (size_t r = 0; r < summary->rank_count; r++) {
        uint32_t slot = ranks_slot(ranks, summary->ranks[r].rank);
        if (slot >= begins->slots || isnan(idle[slot]))
            continue;
        double late = idle[slot] - least, error = hypot(error_of(begins, slot), least_error);
        summary->ranks[r].late_begin_s = late > ERRORS_NEEDED * error ? late : 0;
    }
    free(idle);
}

static bool find_base(struct begins *begins)
{
    for (uint32_t i = 0; i < begins->slots; i++) {
        if (i >= begins->row->capacity || !(begins->row->has[i] & RECORD_BEGIN))
            continue;
        begins->base_ns = begins->row->cells[i].begin_ns;
        return true;
    }
    return false;
}

static void late_begins(struct analysis *analysis, size_t index, struct summary *summary)
{
    struct begins begins = {
        .table = &analysis->clocks,
        .row = steps_at(&analysis->steps, index),
        .before = fold_row_before(&analysis->steps, index),
        .slots = analysis->clocks.slots,
    };
    if (!begins.before || !find_base(&begins))
        return;
    /* Without `sync` a late begin and a late release look alike. */
    if (begins.row->digest.rule != WAIT_SYNC || begins.before->digest.rule != WAIT_SYNC)
        return;
    begins.release_s = memory_resized(NULL, begins.slots, sizeof(double));
    begins.after_s = memory_resized(NULL, begins.slots, sizeof(double));
    begins.release_median_s = median_release(begins.release_s, &begins, begins.before);
    begins.after_median_s = median_release(begins.after_s, &begins, begins.row);
    fill_late(&begins, &analysis->ranks, summary);
    free(begins.release_s);
    free(begins.after_s);
}

void analysis_clocks(struct analysis *analysis, size_t index, struct summary *summary)
{
    clock_table_make(&analysis->clocks, &analysis->current.clocks, &analysis->ranks,
                     &analysis->names);
    fill_offsets(&analysis->clocks, summary);
    for (size_t i = 0; i < summary->rank_count; i++)
        summary->ranks[i].late_begin_s = NAN;
    if (index != SIZE_MAX && summary->shown.known && analysis->clocks.count > 0)
        late_begins(analysis, index, summary);
}

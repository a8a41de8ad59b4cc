/* The closed steps one after the other, as they come to be the newest: for whoever
 * keeps a list of them. */
#include "analysis_table.h"
#include "quantile.h"

#define SECONDS 1e-9
#define LOOKED_AT 64 /* ranks, evenly spaced: this is done at every step */

static int64_t length_of(const struct step_row *row, uint32_t slot)
{
    const struct step_cell *cell = &row->cells[slot];
    int64_t length_ns = 0;
    if (row->has[slot] & RECORD_STEP_TIME)
        return cell->step_time_ns;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        length_ns += cell->phase_ns[phase];
    return length_ns > 0 ? length_ns : cell->work_ns;
}

static void fill_times(const struct step_row *row, struct front_step *step)
{
    int64_t begins[LOOKED_AT];
    uint32_t stride = row->capacity / LOOKED_AT + 1, begin_count = 0;
    int64_t longest_ns = 0;
    for (uint32_t slot = 0; slot < row->capacity; slot += stride) {
        if (row->has[slot] & RECORD_BEGIN)
            begins[begin_count++] = row->cells[slot].begin_ns;
        if (row->has[slot] && length_of(row, slot) > longest_ns)
            longest_ns = length_of(row, slot);
    }
    step->begin_s = begin_count > 0 ? median_of_ns(begins, begin_count) * SECONDS : NAN;
    step->length_s = (double)longest_ns * SECONDS * (double)row->job.span;
}

bool analysis_front_next(const struct analysis *analysis, const struct step_key *after,
                         struct front_step *ret_step)
{
    const struct steps *steps = &analysis->steps;
    size_t index = after ? steps_lower(steps, after->attempt, after->step + 1) : 0;
    if (index >= steps->count || !steps_at(steps, index)->closed)
        return false;
    const struct step_row *row = steps_at(steps, index);
    ret_step->key = (struct step_key){.attempt = row->attempt, .step = row->step};
    fill_times(row, ret_step);
    return true;
}

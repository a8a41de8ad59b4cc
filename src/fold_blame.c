/* Which phase is to blame. */
#include <stdlib.h>

#include "fold.h"
#include "memory.h"
#include "quantile.h"

/* Whether the phase of a record says something of its rank. */
static bool tells(uint32_t has, int phase, struct wait_choice choice)
{
    if (phase == PHASE_SYNC || !(has & (1u << phase)))
        return false;
    return phase != PHASE_BACKWARD || !choice.overlapped || (has & RECORD_SYNC);
}

/* The median over ranks of a phase; NAN when none has it. */
static double median_of_phase(const struct step_row *row, int phase, uint32_t ranks, double *values)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ranks && i < row->capacity; i++)
        if (row->has[i] & (1u << phase))
            values[n++] = (double)row->cells[i].phase_ns[phase];
    return median_of(values, n);
}

int fold_blame(const struct steps *steps, size_t first, size_t last, const uint32_t *slots,
               uint32_t count, uint32_t ranks, struct wait_choice choice)
{
    double *values = memory_resized(NULL, ranks, sizeof(*values));
    double excess[PHASE_COUNT] = {0};
    bool known[PHASE_COUNT] = {false};
    for (size_t k = first; k <= last; k++) {
        const struct step_row *row = steps_at(steps, k);
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            double median = 0;
            bool have_median = false;
            for (uint32_t j = 0; j < count; j++) {
                uint32_t slot = slots[j];
                if (slot >= row->capacity || !tells(row->has[slot], phase, choice))
                    continue;
                if (!have_median)
                    median = median_of_phase(row, phase, ranks, values);
                have_median = known[phase] = true;
                excess[phase] += (double)row->cells[slot].phase_ns[phase] - median;
            }
        }
    }
    free(values);
    int worst = -1;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (known[phase] && (worst < 0 || excess[phase] > excess[worst]))
            worst = phase;
    return worst >= 0 && excess[worst] > 0 ? worst : -1;
}

int fold_blame_all(const struct step_row *row, const struct step_row *before, uint32_t ranks)
{
    double *values = memory_resized(NULL, ranks, sizeof(*values)), most = 0;
    int worst = -1;
    for (int phase = 0; before && phase < PHASE_COUNT; phase++) {
        double growth = median_of_phase(row, phase, ranks, values);
        growth -= median_of_phase(before, phase, ranks, values);
        if (growth > most) { /* false for NAN */
            most = growth;
            worst = phase;
        }
    }
    free(values);
    return worst;
}

/* Which phase is to blame. */
#include <stdlib.h>

#include "fold.h"
#include "memory.h"
#include "quantile.h"

/* Behind the phases: own time in one number, of which only some phases may be known. */
enum { WORK = PHASE_COUNT, PARTS };

static uint32_t bit_of(int part)
{
    return part == WORK ? (uint32_t)RECORD_COMPUTE : 1u << part;
}

static double part_ns(const struct step_cell *cell, int part)
{
    return (double)(part == WORK ? cell->work_ns : cell->phase_ns[part]);
}

/* Whether the part of a record says something of its rank. */
static bool tells(uint32_t has, int part, struct wait_choice choice)
{
    if (part == PHASE_SYNC || !(has & bit_of(part)))
        return false;
    return part != PHASE_BACKWARD || !choice.overlapped || (has & RECORD_SYNC);
}

/* The median over ranks of a part; NAN when none has it. */
static double median_of_part(const struct step_row *row, int part, uint32_t ranks, double *values)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ranks && i < row->capacity; i++)
        if (row->has[i] & bit_of(part))
            values[n++] = part_ns(&row->cells[i], part);
    return median_of(values, n);
}

/* The phase of which most is more; -1: none is, or what is in own time but in no phase is. */
static int worst_of(const double more[PARTS])
{
    static const int within[] = {PHASE_DATA, PHASE_FORWARD, PHASE_BACKWARD};
    double rest = more[WORK];
    int worst = 0;
    for (int phase = 1; phase < PHASE_COUNT; phase++)
        if (more[phase] > more[worst])
            worst = phase;
    for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++)
        rest -= more[within[i]] > 0 ? more[within[i]] : 0;
    return more[worst] > 0 && more[worst] >= rest ? worst : -1;
}

int fold_blame(const struct steps *steps, size_t first, size_t last, const uint32_t *slots,
               uint32_t count, uint32_t ranks, struct wait_choice choice)
{
    double *values = memory_resized(NULL, ranks, sizeof(*values));
    double excess[PARTS] = {0};
    for (size_t k = first; k <= last; k++) {
        const struct step_row *row = steps_at(steps, k);
        for (int part = 0; part < PARTS; part++) {
            double median = 0;
            bool have_median = false;
            for (uint32_t j = 0; j < count; j++) {
                uint32_t slot = slots[j];
                if (slot >= row->capacity || !tells(row->has[slot], part, choice))
                    continue;
                if (!have_median)
                    median = median_of_part(row, part, ranks, values);
                have_median = true;
                excess[part] += part_ns(&row->cells[slot], part) - median;
            }
        }
    }
    free(values);
    return worst_of(excess);
}

int fold_blame_all(const struct step_row *row, const struct step_row *before, uint32_t ranks)
{
    double *values = memory_resized(NULL, ranks, sizeof(*values));
    double growth[PARTS] = {0};
    for (int part = 0; before && part < PARTS; part++) {
        growth[part] = median_of_part(row, part, ranks, values);
        growth[part] -= median_of_part(before, part, ranks, values);
        if (!(growth[part] > 0)) /* NAN, too */
            growth[part] = 0;
    }
    free(values);
    return worst_of(growth);
}

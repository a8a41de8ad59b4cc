/* Missing ranks, found in the rows of the table: so that a look back at a step
 * says what was said then. */
#include "analysis_missing.h"

#define STRAY_ROWS_MAX 16

size_t analysis_front(const struct analysis *analysis, size_t index)
{
    size_t at = index;
    for (; at > 0 && index - at < STRAY_ROWS_MAX; at--) {
        const struct step_row *row = steps_at(&analysis->steps, at);
        if (row->reported >= steps_at(&analysis->steps, at - 1)->reported / 2)
            return at;
    }
    return at == 0 || index - at < STRAY_ROWS_MAX ? at : index;
}

static bool has_record(const struct step_row *row, uint32_t slot)
{
    return slot < row->capacity && row->has[slot] != 0;
}

int64_t analysis_missing_since(const struct analysis *analysis, size_t index, uint32_t slot)
{
    const struct steps *steps = &analysis->steps;
    size_t front = analysis_front(analysis, index), rows = 0; /* behind, that tell of ranks */
    int64_t since = -1;
    if (step_row_of_job(steps_at(steps, front)))
        return -1;
    for (size_t at = front + 1; at-- > 0 && front - at <= RANK_LEFT_AFTER;) {
        const struct step_row *row = steps_at(steps, at);
        if (has_record(row, slot) && !(row->has[slot] & RECORD_JOB))
            return rows < fold_missing_rows(steps_at(steps, front)) ? -1 : since;
        rows += !step_row_of_job(row);
        since = row->step;
    }
    return -1;
}

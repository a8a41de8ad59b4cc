/* The moment at which a step was the newest. */
#include "analysis_reach.h"

#include "analysis_table.h"

/* The row of the key's attempt at its step or the last before it; SIZE_MAX. */
static size_t row_at_or_before(const struct steps *steps, struct step_key key)
{
    size_t index = steps_lower(steps, key.attempt, key.step);
    if (index < steps->count && row_compare(steps_at(steps, index), key.attempt, key.step) == 0)
        return index;
    if (index == 0 || steps_at(steps, index - 1)->attempt != key.attempt)
        return SIZE_MAX;
    return index - 1;
}

bool analysis_reached(const struct analysis *analysis, int64_t step, struct step_key *ret_key,
                      size_t *ret_behind)
{
    struct step_key front, key;
    if (!analysis_front_key(analysis, &front) || front.step < step)
        return false;
    key = (struct step_key){.attempt = front.attempt, .step = step};
    size_t at = row_at_or_before(&analysis->steps, key);
    size_t last = row_at_or_before(&analysis->steps, front);
    if (at == SIZE_MAX || last == SIZE_MAX)
        return false;
    key.step = steps_at(&analysis->steps, at)->step;
    *ret_key = key;
    *ret_behind = last - at;
    return true;
}

void analysis_hold(struct analysis *analysis, struct step_key key)
{
    struct steps *steps = &analysis->steps;
    size_t at = row_at_or_before(steps, key);
    if (at == SIZE_MAX)
        return;
    for (size_t i = at + 1 > analysis->settled_rows ? at + 1 : analysis->settled_rows;
         i < steps->count; i++) {
        analysis->closed_rows -= steps_at(steps, i)->closed;
        steps_at(steps, i)->closed = false;
    }
    analysis->current_valid = false;
    analysis->choice_rows = SIZE_MAX;
    analysis->changed = true;
}

/* The value that views and reports get. */
#include "overview.h"

#include <math.h>
#include <stdlib.h>

void overview_init(struct overview *overview)
{
    *overview = (struct overview){.finest = 1};
}

void overview_done(struct overview *overview)
{
    free(overview->columns);
    free(overview->ranks);
    free(overview->slowdown);
    overview_init(overview);
}

double overview_slowdown(const struct overview *overview, size_t rank_index, size_t column)
{
    if (!overview->slowdown || rank_index >= overview->rank_count ||
        column >= overview->column_count)
        return NAN;
    uint16_t value = overview->slowdown[rank_index * overview->column_count + column];
    return value == HEAT_NONE ? NAN : value * HEAT_UNIT;
}

/* Whether (attempt, step) stands before another place. */
static bool is_before(int attempt, int64_t step, int other_attempt, int64_t other_step)
{
    return attempt != other_attempt ? attempt < other_attempt : step < other_step;
}

size_t overview_column_of(const struct overview *overview, int attempt, int64_t step)
{
    size_t low = 0, high = overview->column_count;
    while (low < high) { /* the first column that ends at or after it */
        size_t middle = low + (high - low) / 2;
        const struct overview_column *column = &overview->columns[middle];
        if (is_before(column->last_attempt, column->last_step, attempt, step))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == overview->column_count)
        return SIZE_MAX;
    const struct overview_column *column = &overview->columns[low];
    return is_before(attempt, step, column->first_attempt, column->first_step) ? SIZE_MAX : low;
}

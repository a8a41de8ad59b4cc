/* The steps of one side of a comparison. */
#include "compare_series.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "quantile.h"

struct sums {
    double value[SERIES_COUNT], weight[SERIES_COUNT];
};

static void take(struct compare_series *series, struct sums *sums,
                 const struct overview_column *column)
{
    double time_s = column->step_time_s;
    double steps = (double)(column->steps > 0 ? column->steps : column->positions);
    const double values[SERIES_COUNT] = {time_s, column->wait_share, column->mfu, column->hfu};
    if (!isfinite(time_s))
        return;
    series->steps += column->positions;
    series->merged |= column->positions > 1;
    for (int i = 0; i < SERIES_COUNT; i++) {
        if (!isfinite(values[i]))
            continue;
        double weight = i == SERIES_TIME ? steps : steps * time_s;
        series->values[i][series->count[i]++] = values[i];
        sums->value[i] += values[i] * weight;
        sums->weight[i] += weight;
    }
}

static bool in_span(const struct compare_side *side, const struct overview_column *column)
{
    return column->first_step >= side->from_step && column->last_step <= side->to_step;
}

void compare_series_make(struct compare_series *series, const struct compare_side *side)
{
    const struct overview *overview = side->overview;
    struct sums sums = {{0}, {0}};
    int attempt = -1;
    int64_t left_out = 0;
    *series = (struct compare_series){.median_s = NAN};
    for (int i = 0; i < SERIES_COUNT; i++)
        series->values[i] = memory_zeroed(overview->column_count + 1, sizeof(double));
    for (size_t i = 0; i < overview->column_count; i++) {
        const struct overview_column *column = &overview->columns[i];
        if (!in_span(side, column))
            continue;
        bool begins = column->first_attempt != attempt || column->last_attempt != attempt;
        attempt = column->last_attempt;
        if (begins)
            left_out = COMPARE_WARM_UP;
        if (left_out > 0) {
            left_out -= column->positions;
            series->warm_up += column->positions;
        } else {
            take(series, &sums, column);
        }
    }
    for (int i = 0; i < SERIES_COUNT; i++)
        series->mean[i] = sums.weight[i] > 0 ? sums.value[i] / sums.weight[i] : NAN;
    size_t count = series->count[SERIES_TIME];
    if (series->merged || count == 0)
        return;
    double *sorted = memory_copied(series->values[SERIES_TIME], count, sizeof(double));
    series->median_s = median_of(sorted, (uint32_t)count);
    free(sorted);
}

void compare_series_done(struct compare_series *series)
{
    for (int i = 0; i < SERIES_COUNT; i++)
        free(series->values[i]);
}

/* Chronic stragglers. */
#include "straggler.h"

static uint32_t copy_samples(const float *row, uint32_t window, float *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < window; i++) {
        to[count] = row[i];
        count += row[i] == row[i];
    }
    return count;
}

double straggler_median(const float *row, uint32_t window)
{
    float values[STRAGGLER_WINDOW_MAX + 1];
    return median_of_floats(values, copy_samples(row, window, values));
}

struct straggler_measure straggler_measure(const float *row, uint32_t window)
{
    float values[STRAGGLER_WINDOW_MAX + 1];
    uint32_t count = copy_samples(row, window, values);
    double median = median_of_floats(values, count);
    copy_samples(row, window, values); /* a median may overwrite them */
    for (uint32_t i = 0; i < count; i++)
        values[i] = (float)fabs(values[i] - median);
    double spread = count > 1 ? 1.4826 * median_of_floats(values, count) : NAN;
    return (struct straggler_measure){count, median, spread};
}

double straggler_error(uint32_t count, double spread)
{
    return 1.2533 * spread / sqrt(count) * (1 + STRAGGLER_FEW / count);
}

static bool is_chronic(const float *row, const struct straggler_test *test, double spread)
{
    struct straggler_measure measure = straggler_measure(row, test->window);
    double error = straggler_error(measure.count, fmax(measure.spread, spread));
    return measure.median > 1 + test->z * error &&
           measure.median > 1 + test->threshold - STRAGGLER_ALLOWANCE * error;
}

/* Where the newest run of samples on one side of `level` begins: the place from
 * which the sum of their distances to it is largest. sign 1: above, -1: below. */
static uint32_t change_ordinal(const float *row, uint32_t window, uint32_t ordinal, double level,
                               int sign, uint32_t *ret_before)
{
    double sum = 0, best = -1;
    uint32_t at = ordinal;
    bool wanted = false;
    *ret_before = ordinal;
    for (uint32_t age = 0; age < window && age <= ordinal; age++) {
        float sample = row[(ordinal - age) % window];
        if (sample != sample)
            continue;
        if (wanted)
            *ret_before = ordinal - age;
        wanted = false;
        sum += sign * (sample - level);
        if (sum > best) {
            best = sum;
            at = *ret_before = ordinal - age;
            wanted = true;
        }
    }
    return at;
}

#define NEWEST_MAX 11

/* Half way between a usual rank and what this one has come to. */
static double level_of_change(const float *row, const struct straggler_test *test, uint32_t ordinal)
{
    float newest[NEWEST_MAX];
    uint32_t n = 0;
    for (uint32_t age = 0; age < test->window && age <= ordinal && n < NEWEST_MAX; age++) {
        float sample = row[(ordinal - age) % test->window];
        if (sample == sample)
            newest[n++] = sample;
    }
    double excess = median_of_floats(newest, n) - 1;
    return 1 + (excess > test->threshold ? excess : test->threshold) / 2;
}

static void begin_verdict(struct straggler *straggler, const float *row,
                          const struct straggler_test *test, uint32_t ordinal)
{
    uint32_t before;
    straggler->named = true;
    straggler->from =
        change_ordinal(row, test->window, ordinal, level_of_change(row, test, ordinal), 1, &before);
    for (uint32_t at = straggler->from; at <= ordinal; at++) {
        float sample = row[at % test->window];
        if (sample == sample)
            quantile_add(&straggler->since, sample);
    }
}

enum straggler_change straggler_judge(struct straggler *straggler, const float *row,
                                      const struct straggler_test *test, uint32_t ordinal,
                                      double spread)
{
    if (straggler->named) {
        float newest = row[ordinal % test->window];
        if (newest == newest)
            quantile_add(&straggler->since, newest);
        if (straggler->above_half * 2 > straggler->count)
            return STRAGGLER_SAME;
        straggler->named = false;
        if (straggler->count == 0) /* it has gone: its last sample has just left the window */
            straggler->to = ordinal - test->window;
        else
            change_ordinal(row, test->window, ordinal, 1 + test->threshold / 2, -1, &straggler->to);
        if (straggler->to < straggler->from) /* of steps that go up and down */
            straggler->to = straggler->from;
        return STRAGGLER_CLEARED;
    }
    if (!straggler_is_due(straggler, test, ordinal) || !is_chronic(row, test, spread))
        return STRAGGLER_SAME;
    begin_verdict(straggler, row, test, ordinal);
    return STRAGGLER_NAMED;
}

void straggler_withdraw(struct straggler *straggler)
{
    straggler->named = false;
    quantile_done(&straggler->since);
}

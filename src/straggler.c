/* Chronic stragglers. */
#include "straggler.h"

#include <math.h>

static uint32_t copy_window(const struct straggler *straggler, const struct slow_sample *samples,
                            float *to)
{
    for (uint32_t i = 0; i < straggler->count; i++)
        to[i] = samples[i].slowdown;
    return straggler->count;
}

double straggler_window_median(const struct straggler *straggler, const struct slow_sample *samples)
{
    float values[STRAGGLER_WINDOW_MAX];
    return median_of_floats(values, copy_window(straggler, samples, values));
}

static bool is_chronic(const struct straggler *straggler, const struct slow_sample *samples,
                       double threshold)
{
    float values[STRAGGLER_WINDOW_MAX];
    uint32_t n = copy_window(straggler, samples, values);
    double median = median_of_floats(values, n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = (float)fabs(values[i] - median);
    double deviation = 1.4826 * median_of_floats(values, n);
    double error = 1.2533 * deviation / sqrt(n);
    return median > 1 + threshold && median > 1 + STRAGGLER_Z * error;
}

/* The sample at age 0 (newest) to count - 1. */
static const struct slow_sample *by_age(const struct straggler *straggler,
                                        const struct slow_sample *samples, uint32_t window,
                                        uint32_t age)
{
    return &samples[(straggler->next + window - 1 - age) % window];
}

/* Where the newest run of samples on one side of `level` begins: the place from
 * which the sum of their distances to it is largest. sign 1: above, -1: below. */
static uint32_t change_ordinal(const struct straggler *straggler, const struct slow_sample *samples,
                               uint32_t window, double level, int sign, uint32_t *ret_before)
{
    double sum = 0, best = -1;
    uint32_t at = by_age(straggler, samples, window, 0)->ordinal;
    *ret_before = at;
    for (uint32_t age = 0; age < straggler->count; age++) {
        const struct slow_sample *sample = by_age(straggler, samples, window, age);
        sum += sign * (sample->slowdown - level);
        if (sum > best) {
            best = sum;
            at = sample->ordinal;
            *ret_before = age + 1 < straggler->count
                              ? by_age(straggler, samples, window, age + 1)->ordinal
                              : at;
        }
    }
    return at;
}

#define NEWEST_MAX 11

/* Half way between a usual rank and what this one has come to. */
static double level_of_change(const struct straggler *straggler, const struct slow_sample *samples,
                              uint32_t window, double threshold)
{
    float newest[NEWEST_MAX];
    uint32_t n = straggler->count < NEWEST_MAX ? straggler->count : NEWEST_MAX;
    for (uint32_t age = 0; age < n; age++)
        newest[age] = by_age(straggler, samples, window, age)->slowdown;
    double excess = median_of_floats(newest, n) - 1;
    return 1 + (excess > threshold ? excess : threshold) / 2;
}

static void begin_verdict(struct straggler *straggler, const struct slow_sample *samples,
                          uint32_t window, double threshold)
{
    uint32_t before;
    straggler->named = true;
    double level = level_of_change(straggler, samples, window, threshold);
    straggler->from = change_ordinal(straggler, samples, window, level, 1, &before);
    for (uint32_t age = straggler->count; age-- > 0;) {
        const struct slow_sample *sample = by_age(straggler, samples, window, age);
        if (sample->ordinal >= straggler->from)
            quantile_add(&straggler->since, sample->slowdown);
    }
}

enum straggler_change straggler_judge(struct straggler *straggler,
                                      const struct slow_sample *samples, uint32_t window,
                                      double threshold, double slowdown)
{
    if (straggler->named) {
        quantile_add(&straggler->since, slowdown);
        if (straggler->above_half * 2 > straggler->count)
            return STRAGGLER_SAME;
        straggler->named = false;
        change_ordinal(straggler, samples, window, 1 + threshold / 2, -1, &straggler->to);
        return STRAGGLER_CLEARED; /* the caller empties `since` when it has its median */
    }
    if (straggler->count < STRAGGLER_STEPS_MIN || !is_chronic(straggler, samples, threshold))
        return STRAGGLER_SAME;
    begin_verdict(straggler, samples, window, threshold);
    return STRAGGLER_NAMED;
}

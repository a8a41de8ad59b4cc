/* Units of MLPerf's step numbers. */
#include "decode_mllog_unit.h"

#include <math.h>

#include "log_steps.h"
#include "record.h"

#define STAMP_NS INT64_C(2000000) /* two stamps of a millisecond */

#define STEPS_MOST 1e12
#define LEAST_SHARE 0.4    /* of the time between two lines that the steps between account for */
#define LEAST_OF_BLOCK 0.8 /* a rate is of the whole block: only a pause before its line is not */
#define MOST_SHARE 1.5

bool mllog_stat_step(const struct mllog_stat *stat, enum mllog_unit unit,
                     const struct mllog_scale *scale, int64_t *ret)
{
    bool by_samples = unit == MLLOG_UNIT_SAMPLES || unit == MLLOG_UNIT_SINCE;
    double number = by_samples ? stat->samples : stat->step, divisor = 1;
    if (unit == MLLOG_UNIT_OPEN || unit == MLLOG_UNIT_NONE ||
        !(by_samples ? stat->has_samples : stat->has_step))
        return false;
    if (unit != MLLOG_UNIT_STEPS)
        divisor = scale->batch;
    if (unit == MLLOG_UNIT_STEP_TOKENS)
        divisor *= scale->sequence;
    double steps = divisor > 0 ? number / divisor : -1;
    if (!(steps >= 0) || steps > STEPS_MOST || steps != floor(steps))
        return false;
    *ret = (int64_t)steps;
    return true;
}

/* Whether the step of a rate may count tokens: it is a whole number of steps by that. The rate is
 * then of tokens or of samples, and the stamps do not tell which. */
static bool may_be_tokens(const struct mllog_stat *stat, const struct mllog_scale *scale)
{
    int64_t steps;
    return stat->rate && scale->sequence > 1 && !stat->has_samples &&
           mllog_stat_step(stat, MLLOG_UNIT_STEP_TOKENS, scale, &steps) && steps > 0;
}

const char *mllog_rate_unit(const struct mllog_entry *entry, const struct mllog_scale *scale,
                            enum mllog_unit unit)
{
    struct mllog_stat stat = {.has_step = entry->step.given,
                              .has_samples = entry->samples.given,
                              .step = entry->step.value,
                              .rate = true};
    bool open = unit == MLLOG_UNIT_OPEN || unit == MLLOG_UNIT_NONE;
    return open && may_be_tokens(&stat, scale) ? "a second" : "samples/s";
}

/* The share of the time that `steps` account for. */
static double share_of(const struct mllog_stat *stat, int64_t steps, int64_t from_ns)
{
    double took = (double)(stat->time_ns - from_ns) / 1e9;
    return took > 0 ? (double)steps * stat->seconds / took : INFINITY;
}

enum mllog_unit mllog_unit_of(const struct mllog_stat *before, const struct mllog_stat *stat,
                              const struct mllog_scale *scale)
{
    enum mllog_unit best = MLLOG_UNIT_OPEN;
    double least = INFINITY;
    bool whole = stat->since_ns > before->time_ns; /* the line is of all of its block so far */
    int64_t from_ns = whole ? stat->since_ns : before->time_ns;
    if (may_be_tokens(before, scale) && may_be_tokens(stat, scale))
        return MLLOG_UNIT_OPEN;
    for (int unit = MLLOG_UNIT_SAMPLES; unit <= MLLOG_UNIT_SINCE; unit++) {
        int64_t first, last;
        if (!mllog_stat_step(before, (enum mllog_unit)unit, scale, &first) ||
            !mllog_stat_step(stat, (enum mllog_unit)unit, scale, &last))
            continue;
        int64_t steps = unit == MLLOG_UNIT_SINCE ? last : last - first;
        double share = share_of(stat, steps, from_ns);
        if (steps < 1 || share < (whole && stat->rate ? LEAST_OF_BLOCK : LEAST_SHARE) ||
            share > MOST_SHARE)
            continue;
        double off = fabs(log(share));
        if (off < least)
            best = (enum mllog_unit)unit;
        least = off < least ? off : least;
    }
    return best;
}

enum mllog_unit mllog_unit_alone(const struct mllog_stat *stat, const struct mllog_scale *scale,
                                 int64_t *ret_span)
{
    int64_t steps;
    *ret_span = 0;
    if (may_be_tokens(stat, scale))
        return MLLOG_UNIT_NONE;
    for (int unit = MLLOG_UNIT_SAMPLES; unit < MLLOG_UNIT_SINCE; unit++) {
        if (!mllog_stat_step(stat, (enum mllog_unit)unit, scale, &steps) || stat->since_ns == 0)
            continue;
        double share = share_of(stat, steps, stat->since_ns);
        if (share >= LEAST_SHARE && share <= MOST_SHARE) {
            *ret_span = steps;
            return (enum mllog_unit)unit;
        }
    }
    bool both = stat->has_step && stat->has_samples; /* samples_count is then of the run */
    return both && mllog_stat_step(stat, MLLOG_UNIT_SAMPLES, scale, &steps) ? MLLOG_UNIT_SAMPLES
                                                                            : MLLOG_UNIT_NONE;
}

bool mllog_is_mean(const struct mllog_stat *stat, enum mllog_unit unit, int64_t number,
                   int64_t previous, int64_t previous_ns)
{
    bool on = unit != MLLOG_UNIT_SINCE && number > previous;
    double apart = fabs((double)(stat->time_ns - previous_ns)) / 1e9;
    return !stat->rate && !on && apart < stat->seconds / 2;
}

int64_t mllog_steps_between(const struct mllog_scale *scale, double before, double after)
{
    double steps = (after - before) / scale->batch;
    return steps >= 0.5 && steps < (double)RECORD_SPAN_MAX ? (int64_t)(steps + 0.5) : 0;
}

bool mllog_is_same(const struct mllog_stat *a, const struct mllog_stat *b)
{
    return a->step == b->step && a->samples == b->samples && a->seconds == b->seconds &&
           (double)(b->time_ns - a->time_ns) / 1e9 < b->seconds / 2;
}

void mllog_check_stamp(const struct mllog_stat *stat, int64_t step, int64_t span,
                       int64_t previous_ns, struct log_out *out)
{
    bool paused = stat->since_ns > previous_ns;
    int64_t from_ns = paused ? stat->since_ns : previous_ns;
    double said_ns = stat->seconds * 1e9 * (double)span;
    if (stat->validation && !paused) /* it lies between the two stamps */
        return;
    if (paused && span > 1 && said_ns > (double)(stat->time_ns - from_ns) &&
        said_ns < (double)(stat->time_ns - previous_ns))
        return; /* some of its steps are of the block before */
    if (log_stamps_disagree((int64_t)(stat->seconds * 1e9), span, from_ns, stat->time_ns, STAMP_NS))
        log_out_count(out, LOG_DISAGREE,
                      "step %lld says %.3f s a step, the stamps are %.3f s apart", (long long)step,
                      stat->seconds, (double)(stat->time_ns - from_ns) / 1e9);
}

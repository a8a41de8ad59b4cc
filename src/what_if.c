/* What a shorter step is worth. */
#include "what_if.h"

#include <math.h>

#define HOUR_S 3600.0
#define DAY_HOURS 24.0

static bool positive(double value)
{
    return isfinite(value) && value > 0;
}

/* The value where it could be worked out. */
static struct quantity worked_out(double value, enum evidence evidence)
{
    return isfinite(value) ? (struct quantity){value, evidence} : quantity_none();
}

/* `of` times a factor that may be unknown. */
static struct quantity times(struct quantity of, double factor)
{
    return positive(factor) ? worked_out(of.value * factor, of.evidence) : quantity_none();
}

static void clear(struct what_if *what_if)
{
    what_if->step_time_s = what_if->step_time_without_s = quantity_none();
    what_if->gain_share = what_if->mfu_points = what_if->gpu_hours_day = quantity_none();
    what_if->money_day = what_if->kwh_day = what_if->hours_end = quantity_none();
    what_if->gpu_hours_end = what_if->money_end = what_if->kwh_end = quantity_none();
}

/* Hours that the rest of the run would be shorter by; NAN: its end is not known. */
static double hours_to_end(double gain_s, const struct run *run, double tokens_per_step,
                           double tokens_done)
{
    if (!positive(run->total_tokens) || !positive(tokens_per_step) || !isfinite(tokens_done))
        return NAN;
    double tokens = fmax(run->total_tokens - fmax(tokens_done, 0), 0);
    return tokens / tokens_per_step * gain_s / HOUR_S;
}

void what_if_fill(struct what_if *what_if, double step_time_s, double gain_s, const struct run *run,
                  double gpus, double mfu, double tokens_per_step, double tokens_done)
{
    clear(what_if);
    if (!positive(step_time_s) || isnan(gain_s))
        return;
    enum evidence evidence = run->simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED;
    double gain = fmin(fmax(gain_s, 0), step_time_s), without = step_time_s - gain;
    double kilowatts = run->gpu_watts / 1000;

    what_if->step_time_s = worked_out(step_time_s, evidence);
    what_if->step_time_without_s = worked_out(without, evidence);
    what_if->gain_share = worked_out(gain / step_time_s, evidence);
    if (positive(mfu) && without > 0)
        what_if->mfu_points = worked_out(100 * mfu * gain / without, evidence);

    what_if->gpu_hours_day = times(what_if->gain_share, gpus * DAY_HOURS);
    what_if->money_day = times(what_if->gpu_hours_day, run->gpu_hour_price);
    what_if->kwh_day = times(what_if->gpu_hours_day, kilowatts);

    what_if->hours_end =
        worked_out(hours_to_end(gain, run, tokens_per_step, tokens_done), evidence);
    what_if->gpu_hours_end = times(what_if->hours_end, gpus);
    what_if->money_end = times(what_if->gpu_hours_end, run->gpu_hour_price);
    what_if->kwh_end = times(what_if->gpu_hours_end, kilowatts);
}

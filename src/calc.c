/* Panels 1.1 and 1.2 of the chapter. */
#include "calc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HOUR_S 3600.
#define POINT 0.01

void calc_training_defaults(struct calc_training *training)
{
    *training = (struct calc_training){.params = 405e9,
                                       .tokens = 15.6e12,
                                       .gpus = 16384,
                                       .achieved = 400e12,
                                       .peak = 989e12,
                                       .gpu_hours = 31e6};
}

void calc_point_defaults(struct calc_point *point)
{
    *point = (struct calc_point){
        .flop = 3.79e25, .peak = 989e12, .mfu = 0.41, .gpus = 16384, .price = 2, .watts = 700};
}

/* What is not a positive number is not known. */
static double known(double value)
{
    return isfinite(value) && value > 0 ? value : NAN;
}

/* Money and power may be 0. */
static double known_or_zero(double value)
{
    return value == 0 ? 0 : known(value);
}

static double or_unknown(double value)
{
    return isfinite(value) ? value : NAN;
}

static double product(double a, double b)
{
    return or_unknown(a * b);
}

/* NAN for NAN; a divisor is known, and so is not 0, unless it has become so by
 * being too small. */
static double quotient(double a, double b)
{
    return b > 0 ? or_unknown(a / b) : NAN;
}

struct calc_training_result calc_training(const struct calc_training *training)
{
    struct calc_training_result result;
    double achieved = known(training->achieved), peak = known(training->peak);
    result.flop = product(6 * known(training->params), known(training->tokens));
    result.one_at_peak_s = quotient(result.flop, peak);
    result.one_at_achieved_s = quotient(result.flop, achieved);
    result.rate = product(known(training->gpus), achieved);
    result.stepping_s = quotient(result.flop, result.rate);
    result.gpu_hours = quotient(result.one_at_achieved_s, HOUR_S);
    result.gpu_year_flop = product(0.4 * peak, CALC_YEAR_S);
    result.gpu_years_at_40 = quotient(result.flop, result.gpu_year_flop);
    result.run_average = quotient(result.flop, known(training->gpu_hours) * HOUR_S);
    result.run_share = quotient(result.run_average, peak);
    return result;
}

double calc_rounded(double value, int digits)
{
    char text[40];
    if (!isfinite(value))
        return NAN;
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

double calc_gpu_hours(double flop, double peak, double mfu)
{
    return quotient(quotient(known(flop), known(peak) * known(mfu)), HOUR_S);
}

double calc_saved_gpu_hours(double flop, double peak, double mfu_from, double mfu_to)
{
    return or_unknown(calc_gpu_hours(flop, peak, mfu_from) - calc_gpu_hours(flop, peak, mfu_to));
}

struct calc_point_result calc_point(const struct calc_point *point)
{
    struct calc_point_result result;
    /* Over 100% there is no point to be won. */
    double more = point->mfu + POINT <= 1 + 1e-12 ? point->mfu + POINT : NAN;
    result.gpu_hours_at_peak = calc_gpu_hours(point->flop, point->peak, 1);
    result.gpu_hours = calc_gpu_hours(point->flop, point->peak, point->mfu);
    result.gpu_hours_one_more = calc_gpu_hours(point->flop, point->peak, more);
    result.saved_gpu_hours = or_unknown(result.gpu_hours - result.gpu_hours_one_more);
    result.saved_hours = quotient(result.saved_gpu_hours, known(point->gpus));
    result.saved_money = product(result.saved_gpu_hours, known_or_zero(point->price));
    result.saved_kwh = product(result.saved_gpu_hours, known_or_zero(point->watts) / 1000);
    return result;
}

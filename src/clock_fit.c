/* One clock, fitted: a jump is looked for first, then a line, then the median. */
#include "clock_fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "quantile.h"

#define ROBUST 1.4826       /* standard deviations in a median of absolute deviations */
#define MEDIAN_ERROR 1.2533 /* standard error of a median, against that of a mean */
#define RESOLUTION_S 1e-6   /* records carry microseconds: no error is less */
#define JUMP_NOISE 8        /* a jump is so many standard deviations of the samples */
#define JUMP_LEAST_S 100e-6 /* and as much as this */
#define JUMP_SIDE 3         /* samples that must show it, */
#define JUMP_LOOK 5         /* of so many behind it */
#define DRIFT_SAMPLES_MIN 8
#define TRIM 3 /* standard deviations from the line beyond which a sample is left out */

static double median(const double *values, int n)
{
    double copy[CLOCK_FIT_MAX];
    memcpy(copy, values, (size_t)n * sizeof(*copy));
    return median_of(copy, (uint32_t)n);
}

static double deviation(const double *values, int n, double middle)
{
    double copy[CLOCK_FIT_MAX];
    for (int i = 0; i < n; i++)
        copy[i] = fabs(values[i] - middle);
    return ROBUST * median_of(copy, (uint32_t)n);
}

/* ---- jumps ---- */

/* Noise and slope from the differences between neighbours: neither a jump nor a
 * drift is in them. */
struct roughness {
    double slope, noise;
};

static struct roughness roughness_of(const double *t, const double *x, int n)
{
    double value[CLOCK_FIT_MAX];
    struct roughness rough = {0, 0};
    int used = 0;
    for (int i = 0; i + 1 < n; i++)
        if (t[i + 1] > t[i])
            value[used++] = (x[i + 1] - x[i]) / (t[i + 1] - t[i]);
    if (used > 0)
        rough.slope = median(value, used);
    for (int i = 0; i + 1 < n; i++)
        value[i] = x[i + 1] - x[i] - rough.slope * (t[i + 1] - t[i]);
    rough.noise = fmax(deviation(value, n - 1, 0) / sqrt(2), RESOLUTION_S);
    return rough;
}

static double middle_of(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Whether sample `at` and most of those behind it lie on one side of the samples
 * before it, far off: one slow step, or two, are no jump. */
static bool jumps_at(const double *t, const double *x, int n, int at, const struct roughness *rough)
{
    double left = middle_of(x[at - 3], x[at - 2], x[at - 1]);
    double least = fmax(JUMP_NOISE * rough->noise, JUMP_LEAST_S);
    int above = 0, below = 0;
    for (int i = at; i < n && i < at + JUMP_LOOK; i++) {
        double off = x[i] - left - rough->slope * (t[i] - t[at - 2]);
        above += off > least;
        below += off < -least;
        if (i == at && above + below == 0)
            return false;
    }
    return above >= JUMP_SIDE || below >= JUMP_SIDE;
}

/* The first sample since the last jump. */
static int last_jump(const double *t, const double *x, int n, const struct roughness *rough)
{
    int at = n - JUMP_SIDE;
    while (at >= JUMP_SIDE && !jumps_at(t, x, n, at, rough))
        at--;
    while (at > JUMP_SIDE && jumps_at(t, x, n, at - 1, rough))
        at--;
    return at >= JUMP_SIDE ? at : 0;
}

/* ---- the line ---- */

struct line {
    double slope, error;
};

/* Least squares over the samples that keep to the line through the medians of the
 * first and the last third. */
static struct line line_of(const double *t, const double *x, int n)
{
    int third = n / 3;
    double t_low = median(t, third), t_high = median(t + n - third, third);
    double slope =
        t_high > t_low ? (median(x + n - third, third) - median(x, third)) / (t_high - t_low) : 0;
    double rest[CLOCK_FIT_MAX];
    for (int i = 0; i < n; i++)
        rest[i] = x[i] - slope * (t[i] - t[0]);
    double middle = median(rest, n);
    double limit = TRIM * deviation(rest, n, middle) + RESOLUTION_S;
    double sum_t = 0, sum_r = 0, tt = 0, tr = 0, rr = 0;
    int used = 0;
    for (int i = 0; i < n; i++) {
        if (fabs(rest[i] - middle) > limit)
            continue;
        sum_t += t[i] - t[0];
        sum_r += rest[i];
        used++;
    }
    for (int i = 0; i < n; i++) {
        double dt = t[i] - t[0] - sum_t / used, dr = rest[i] - sum_r / used;
        if (fabs(rest[i] - middle) > limit)
            continue;
        tt += dt * dt;
        tr += dt * dr;
        rr += dr * dr;
    }
    if (used < DRIFT_SAMPLES_MIN || !(tt > 0))
        return (struct line){NAN, NAN};
    double more = tr / tt, left = fmax(rr - more * tr, 0);
    double noise = fmax(sqrt(left / (used - 2)), RESOLUTION_S);
    return (struct line){slope + more, noise / sqrt(tt)};
}

/* By how much the middle third lies off the line through the others: a clock that
 * was slewed, or wandered. Chance alone makes it about as large as a standard error. */
static double bend_of(const double *rest, int n)
{
    int third = n / 3;
    double ends = (median(rest, third) + median(rest + n - third, third)) / 2;
    return fabs(median(rest + third, n - 2 * third) - ends);
}

/* ---- all of it ---- */

/* The last two samples both far from the others, on the same side: a jump that is
 * too new to be known for one. */
static double doubt_at_end(const double *rest, int n, double middle, double noise)
{
    double least = fmax(JUMP_NOISE * noise, JUMP_LEAST_S);
    double a = rest[n - 1] - middle, b = rest[n - 2] - middle;
    bool same = (a > 0) == (b > 0);
    return same && fabs(a) > least && fabs(b) > least ? fmin(fabs(a), fabs(b)) : 0;
}

struct clock_fit clock_fit(const double *t, const double *x, int n)
{
    struct roughness rough = roughness_of(t, x, n);
    int from = last_jump(t, x, n, &rough);
    t += from;
    x += from;
    n -= from;
    struct line line = {NAN, NAN};
    struct clock_fit fit = {.centre = t[0] + (t[n - 1] - t[0]) / 2, .used = n};
    if (n >= DRIFT_SAMPLES_MIN && t[n - 1] > t[0])
        line = line_of(t, x, n);
    double rest[CLOCK_FIT_MAX];
    for (int i = 0; i < n; i++)
        rest[i] = x[i] - (isnan(line.slope) ? 0 : line.slope * (t[i] - fit.centre));
    if (!isnan(line.slope)) {
        double bend = 2 * bend_of(rest, n) / (t[n - 1] - t[0]);
        line.error = fmax(line.error, bend);
        if (fabs(line.slope) <=
            CLOCK_DRIFT_SURE * line.error) /* not beyond doubt: the plain median */
            memcpy(rest, x, (size_t)n * sizeof(*rest));
    }
    fit.offset = median(rest, n);
    fit.spread = fmax(deviation(rest, n, fit.offset), RESOLUTION_S);
    fit.error = MEDIAN_ERROR * fit.spread / sqrt(n);
    fit.error = fmax(fit.error, doubt_at_end(rest, n, fit.offset, rough.noise));
    if (n >= DRIFT_SAMPLES_MIN)
        fit.error = fmax(fit.error, bend_of(rest, n) / 2);
    fit.drift = line.slope;
    fit.drift_error = line.error;
    return fit;
}

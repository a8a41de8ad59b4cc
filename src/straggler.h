/* Whether one series of slowdowns, of a rank or of a group, is persistently over
 * 1 (DESIGN section 7).
 *
 * Chronic: over the last W steps, at least 20 of them, the median m is
 *
 *     over 1 + sqrt(z^2 + 2 ln R) x e    so that among R series none is named by chance; z = 5
 *     over 1 + threshold - 4 x e         so that the error of the measurement hides nobody
 *
 * with e the standard error of the median of n samples, 1.2533 s / sqrt(n), and a
 * share 4 / n more, since a spread from few samples is often too small; s, the
 * spread, is 1.4826 x the median absolute deviation, of this series or of all series together,
 * whichever is more: twenty values alone would sometimes look too steady. It clears
 * when m is under 1 + threshold / 2. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "quantile.h"

#define STRAGGLER_STEPS_MIN 20
#define STRAGGLER_Z 5.0
#define STRAGGLER_ALLOWANCE 4.0 /* standard errors */
#define STRAGGLER_FEW 4.0
#define STRAGGLER_WINDOW_MAX 1000

/* What is the same for all series of a kind. */
struct straggler_test {
    uint32_t window; /* W: floats in a row of samples, STRAGGLER_STEPS_MIN to _WINDOW_MAX */
    double threshold;
    double z; /* straggler_z() of their number */
};

static inline double straggler_z(uint32_t series)
{
    return sqrt(STRAGGLER_Z * STRAGGLER_Z + 2 * log(series > 1 ? series : 1));
}

/* A row of samples belongs to it: row[ordinal % W] in the order of the steps, NAN
 * where there is none; they are not negative. Zero-
 * initialised is empty. */
struct straggler {
    uint32_t count;      /* samples in the window */
    uint32_t above_half; /* of them over 1 + threshold / 2 */
    bool named;
    uint32_t from, to;     /* ordinals of the first and last slow step, when named / cleared */
    struct quantile since; /* slowdowns since `from`, while named */
};

/* Puts the slowdown of a step (NAN: none) in place of that of W steps before: at
 * `place`, row + ordinal % W. True when it is worth judging: named, or slow in most
 * steps, over 1 + threshold / 2. */
static inline bool straggler_add(struct straggler *straggler, float *place, float over,
                                 double slowdown)
{
    float old = *place, value = (float)slowdown;
    straggler->count += (value == value) - (uint32_t)(old == old); /* NAN equals nothing */
    straggler->above_half += (value > over) - (uint32_t)(old > over);
    *place = value;
    return straggler->named || straggler->above_half * 2 > straggler->count;
}

enum straggler_change { STRAGGLER_SAME, STRAGGLER_NAMED, STRAGGLER_CLEARED };

/* Whether it may be named at all at this step: steps are enough, and a series that
 * is slow but not named is looked at every fourth step only. */
static inline bool straggler_is_due(const struct straggler *straggler,
                                    const struct straggler_test *test, uint32_t ordinal)
{
    return straggler->count >= STRAGGLER_STEPS_MIN &&
           (straggler->count < test->window || ordinal % 4 == 0);
}

/* Judges it when it is due, after straggler_add() of the same step said so. `spread`
 * is that of all series, which counts for one that is not named. When it is NAMED,
 * `from` is the step since when it has been slow: the beginning of the run of
 * samples that speak most for a change. When it is CLEARED, `to` is the last slow
 * step, and `since` is the caller's to read and to empty. */
enum straggler_change straggler_judge(struct straggler *straggler, const float *row,
                                      const struct straggler_test *test, uint32_t ordinal,
                                      double spread);

/* Takes back that it is named. */
void straggler_withdraw(struct straggler *straggler);

/* Median and spread of a row of samples, 1.4826 x MAD; NAN without samples, the
 * spread of one too. */
struct straggler_measure {
    uint32_t count;
    double median, spread;
};
struct straggler_measure straggler_measure(const float *row, uint32_t window);
double straggler_median(const float *row, uint32_t window);

/* Standard error of the median of `count` values of that spread. */
double straggler_error(uint32_t count, double spread);

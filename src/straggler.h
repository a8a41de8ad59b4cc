/* Whether one rank is persistently slower than its peers (DESIGN section 7).
 *
 * Chronic: the median of its slowdown over the last W steps is over
 * 1 + threshold, and over 1 + z x the standard error of that median (z = 5), on
 * at least 20 steps. It clears when the median is under 1 + threshold / 2. The
 * standard error of a median of n values is 1.2533 s / sqrt(n); s is taken from
 * the median absolute deviation, so that spikes do not hide a straggler. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "quantile.h"

#define STRAGGLER_STEPS_MIN 20
#define STRAGGLER_Z 5.0
#define STRAGGLER_WINDOW_MAX 1000

/* One step of a rank's window. */
struct slow_sample {
    float slowdown;
    uint32_t ordinal; /* of the step, counted as it was folded */
};

struct straggler {
    uint32_t count, next;       /* samples in the window, and where the next one goes */
    uint32_t above, above_half; /* samples over 1 + threshold, and over half of it */
    bool named;
    uint32_t from, to;     /* ordinals of the first and last slow step, when named / cleared */
    struct quantile since; /* slowdowns since `from`, while named */
};

enum straggler_change { STRAGGLER_SAME, STRAGGLER_NAMED, STRAGGLER_CLEARED };

/* The part of straggler_add() for a rank that is named, or is slow in most steps. */
enum straggler_change straggler_judge(struct straggler *straggler,
                                      const struct slow_sample *samples, uint32_t window,
                                      double threshold, double slowdown);

/* Adds one slowdown (finite, positive) to a window of `window` samples. When it
 * is NAMED, straggler->from is the step since when it has been slow: the
 * beginning of the run of samples that speak most for a change. When it is
 * CLEARED, straggler->to is the last slow step. */
static inline enum straggler_change straggler_add(struct straggler *straggler,
                                                  struct slow_sample *samples, uint32_t window,
                                                  double threshold, double slowdown,
                                                  uint32_t ordinal)
{
    struct slow_sample *place = &samples[straggler->next];
    float value = (float)slowdown;
    float over = (float)(1 + threshold), over_half = (float)(1 + threshold / 2);
    if (straggler->count == window) {
        straggler->above -= place->slowdown > over;
        straggler->above_half -= place->slowdown > over_half;
    } else {
        straggler->count++;
    }
    *place = (struct slow_sample){value, ordinal};
    straggler->above += value > over;
    straggler->above_half += value > over_half;
    straggler->next = straggler->next + 1 == window ? 0 : straggler->next + 1;
    if (!straggler->named && straggler->above * 2 <= straggler->count)
        return STRAGGLER_SAME;
    return straggler_judge(straggler, samples, window, threshold, slowdown);
}

/* Median of the window; NAN when it is empty. */
double straggler_window_median(const struct straggler *straggler,
                               const struct slow_sample *samples);

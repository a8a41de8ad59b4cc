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

/* Adds one slowdown (finite, positive) to a window of `window` samples. When it
 * is NAMED, straggler->from is the step since when it has been slow: the
 * beginning of the run of samples that speak most for a change. When it is
 * CLEARED, straggler->to is the last slow step. */
enum straggler_change straggler_add(struct straggler *straggler, struct slow_sample *samples,
                                    uint32_t window, double threshold, double slowdown,
                                    uint32_t ordinal);

/* Median of the window; NAN when it is empty. */
double straggler_window_median(const struct straggler *straggler,
                               const struct slow_sample *samples);

/* The scale of the bars: from seconds of own time to cells. */
#pragma once

#include <stdbool.h>

#include "choice.h"
#include "summary.h"

struct axis {
    bool known;    /* false: no rank of the step has an own time */
    bool cut;      /* it begins at `low`, and a break mark must say so */
    bool relative; /* labels are multiples of the median, not seconds */
    double low;    /* seconds at the left end: 0 unless cut */
    double high;   /* seconds at the right end: the last arrival, late begins included */
    double median; /* own time, seconds; NAN when not known */
};

/* The right end is the last arrival among all ranks of the step. With `cut` the
 * left end is the multiple of 0.05 of the median that leaves the shortest bar
 * of the chosen ranks still visible (0.90 for bars of 0.97 to 1.10); there is
 * no cut when that would be 0. `relative` without a known median gives seconds. */
struct axis axis_make(const struct summary *summary, const struct choice *choice, bool relative,
                      bool cut);

/* Where the bar of a rank begins: at its late begin, if there is one that is known;
 * 0 is where the first rank began. And where it ends: at its arrival; NAN when its
 * own time is not known. Seconds. */
double axis_begin_s(const struct summary_rank *rank);
double axis_arrival_s(const struct summary_rank *rank);

/* Length of a bar in eighths of a cell when the axis is `cells` wide; within
 * 0 and 8 x cells. */
int axis_eighths(const struct axis *axis, double seconds, int cells);

/* A round distance between ticks, in the label's unit (seconds or multiples),
 * such that at most `count` of them stand on the axis. */
double axis_tick(const struct axis *axis, int count);

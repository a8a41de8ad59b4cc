/* The last W steps as a matrix of ranks x steps, and what is worked out from it:
 * the jitter floor, and what each rank, group or host costs. A view: it owns
 * nothing. Columns are in any order; only rows and columns matter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost.h"

struct window {
    uint32_t ranks, steps; /* of the matrix; both may be 0 */
    uint32_t stride;       /* floats from one rank's row to the next */
    const float *slowdown; /* ranks x steps, row-major: own time / median of all ranks of that step;
                              NAN: no record */
    const double *own_median_ns; /* [steps] */
    const double *time_ns;       /* [steps] T; NAN: not known */
    const double *exchange_ns;   /* [steps]; NAN: not known */
    const float *median;         /* [ranks] of each row, NAN when it is empty */
    const uint32_t *group, *host; /* [ranks] ids, 0: none, below group_count, host_count; may be
                                     NULL */
    uint32_t group_count, host_count;
    const uint8_t *named;        /* [ranks] 1: a verdict on it or on its group is in force; may
                                    be NULL: nobody */
    bool simulated;
};

/* The floor: the expectation, over all ways to permute each rank's residuals (its
 * slowdowns less its own median) among its steps, of the largest of a step. It is
 * worked out exactly, from the product of the ranks' distributions, so there is
 * no seed and the same input gives the same figure. Steps that all ranks slow
 * down together are no jitter: slowdowns are taken against the step's median.
 *
 * - Residuals are scaled by what the two medians (the rank's, the step's) take of a
 *   normal spread: +4% at 8 ranks, +0.5% at 50 steps. The floor of normal jitter is then
 *   right within 2.5% (7% too low at 3 ranks), whatever the number of ranks.
 * - Named ranks are not looked at, for a rank that is slow since the middle of the
 *   window is not jitter: the product of the others is raised to the power that makes
 *   it one of all ranks that are there. Nor are ranks with one record.
 * - longer: that expectation. A residual of 0 is the median rank, so it is what a step
 *   lasts beyond that rank's own time, as a share of it. spread: from the residual
 *   that four fifths of all (8,192 of them, evenly spaced) do not exceed.
 * - loss: sum of (largest - median own time) / sum of T, over the steps with both;
 *   floor: longer x sum of the median own time / sum of T, but never more than the loss;
 *   chronic: what is left, so that floor + chronic = loss. NONE without T. (A summary
 *   has the ledger's loss in its place, which goes by the waits.)
 *
 * Needs two ranks with records and two steps; else all NONE. O(ranks x steps). */
void window_jitter(const struct window *window, struct jitter *ret);

/* Sum of the median own times / sum of T, over the steps with both; NAN without T. */
double window_own_share(const struct window *window);

/* Mean over the steps with records of max - (max over the others, at least the
 * median), in seconds: what a step would be shorter by if this rank alone were at the
 * median. Of ranks that are slow together each gains nothing. ret_gain_s: [ranks].
 * O(ranks x steps). */
void window_gains(const struct window *window, double *ret_gain_s);

/* The same for sets of ranks: each group (group_count of them, index 0 unused),
 * each host, and all that are named. NULL: not asked for. A rank in no group is one of
 * the others. */
struct window_sets {
    double *group_gain_s; /* [group_count] */
    double *host_gain_s;  /* [host_count] */
    double named_gain_s;
};
void window_set_gains(const struct window *window, struct window_sets *sets);

/* Expected largest of n independent standard normal values, n >= 1: within 0.03% up
 * to a million, 0.1% up to 1e9. NAN for n < 1. */
double window_normal_maximum(double n);

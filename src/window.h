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
 * slowdown less its own median) among the steps, of the largest of a step. It is
 * worked out exactly, from the product of the ranks' distributions, so there is
 * no seed and the same input gives the same figure. Steps that all ranks slow
 * down together are no jitter: slowdowns are taken against the step's median.
 * Needs two ranks and two steps; else all NONE. O(ranks x steps). */
void window_jitter(const struct window *window, struct jitter *ret);

/* Mean over the steps of max - (max over the others, at least the median), in
 * seconds: what a step would be shorter by if this rank alone were at the median.
 * gains: [ranks]. O(ranks x steps). */
void window_gains(const struct window *window, double *ret_gain_s);

/* The same for sets of ranks: each group (group_count of them, index 0 unused),
 * each host, and all that are named. NULL: not asked for. */
struct window_sets {
    double *group_gain_s; /* [group_count] */
    double *host_gain_s;  /* [host_count] */
    double named_gain_s;
};
void window_set_gains(const struct window *window, struct window_sets *sets);

/* Expected largest of n independent standard normal values, n >= 1. */
double window_normal_maximum(double n);

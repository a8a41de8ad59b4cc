/* Whether two series of steps differ by more than noise: a permutation test on the
 * difference of their means.
 *
 * Steps that follow each other are alike (a slow switch, a long batch), so single
 * steps must not be shuffled: the test would take one bad minute for sixty proofs.
 * Means of blocks of neighbours are shuffled instead (non-overlapping blocks, Carlstein
 * 1986, Annals of Statistics 14). With the lag-1 autocorrelation r of both series about
 * their own means, corrected for its bias (Kendall 1954: -(1 + 3r)/n), blocks are
 * 20 r / (1 - r^2) steps long: then means of blocks vary at most 10% less than they
 * would if nothing hung together across their edges, and by that the statistic is made
 * smaller. Blocks are doubled while their means are still alike.
 *
 * The statistic is Welch's t of the block means, not their plain difference: so the test
 * holds, too, where one run only jitters more than the other (Chung and Romano 2013,
 * Annals of Statistics 41). Two-sided, p = (k + 1) / (n + 1) (Phipson and Smyth 2010). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERMUTATION_STEPS_MIN 30    /* on each side */
#define PERMUTATION_BLOCKS_MIN 4    /* on each side: 70 ways to deal eight */
#define PERMUTATION_BLOCKS_MAX 1024 /* on each side; longer series get longer blocks */
#define PERMUTATION_COUNT 9999
#define PERMUTATION_LEVEL 0.05 /* below it: more than noise */

enum permutation_answer {
    PERMUTATION_DONE,
    PERMUTATION_FEW_STEPS, /* under PERMUTATION_STEPS_MIN on one side */
    PERMUTATION_ALIKE,     /* it changes so slowly that too few blocks are left */
};

struct permutation {
    enum permutation_answer answer;
    double p;        /* how often chance alone brings as much; NAN unless DONE */
    double alike;    /* autocorrelation of neighbouring steps; NAN with too few of them */
    size_t block;    /* steps; with ALIKE: blocks of so many are still alike, or too few */
    size_t steps[2]; /* of A and B that were looked at */
    size_t blocks[2];
};

/* Finite values in the order of the steps. The same input gives the same p. */
struct permutation permutation_test(const double *a, size_t a_count, const double *b,
                                    size_t b_count);

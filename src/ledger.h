/* Where the GPU time goes (Figure 1.4, measured): the GPU time of a span divided
 * without remainder. Each step lasts T; with a the own time of the median rank, e
 * the exchange and w what the last rank arrives later than the median one,
 *
 *     T = a + w + e + rest
 *
 * a is input (the median rank's `data`), the arithmetic the model needs (MFU x T),
 * what is computed again (HFU - MFU), and kernels that are slower than the peak;
 * w is what named stragglers cost, and jitter; the rest is gaps. Time between
 * attempts and steps that were done again is counted apart from all that.
 *
 * The values of a whole job's log are not from release to release: what its time stamps
 * leave between two of them is in neither, and is counted apart as well, as gaps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "evidence.h"

enum ledger_part {
    LEDGER_ARITHMETIC, /* that the model needs: MFU */
    LEDGER_RECOMPUTE,  /* computed a second time: HFU - MFU */
    LEDGER_KERNELS,    /* the rest of the own time at the median: slow kernels */
    LEDGER_INPUT,      /* `data` at the median: waiting for the input */
    LEDGER_JITTER,     /* waits that no named straggler explains */
    LEDGER_STRAGGLERS, /* what goes away when the named ones are at the median */
    LEDGER_EXCHANGE,
    LEDGER_GAPS,       /* between steps, or in no phase of theirs */
    LEDGER_CHECKPOINT, /* gaps of steps that the log calls so */
    LEDGER_VALIDATION,
    LEDGER_DOWNTIME,  /* from the last step of an attempt to the first of the next */
    LEDGER_LOST_WORK, /* steps that were done again */
    LEDGER_COUNT
};
const char *ledger_part_name(enum ledger_part part);  /* "arithmetic", "recompute", ... */
const char *ledger_part_title(enum ledger_part part); /* "arithmetic (MFU)", ... for a screen */

struct ledger {
    double wall_s; /* that the parts divide; 0: nothing is known yet */
    double gpus;   /* the GPU time is wall_s x gpus */
    int64_t steps; /* whose time is in it */
    /* Shares of the GPU time, 0 to 1; they add up to 1. NONE: not known, and then
     * contained in the part that stands behind it in `within`. */
    struct quantity share[LEDGER_COUNT];
    enum ledger_part within[LEDGER_COUNT]; /* itself when it is known */
    bool over_peak; /* arithmetic and recompute are more than the own time without input: a wrong
                       peak or wrong tokens; they are then not told apart from the kernels */
};

/* The shares in whole units of 1 / whole (10,000: hundredths of a percent), which
 * add up to exactly `whole`: the largest remainders are rounded up, of equal ones the
 * first. Unknown parts: 0; all parts unknown: all 0. */
#define LEDGER_WHOLE_MAX 1000000000000
void ledger_round(const struct ledger *ledger, int64_t whole, int64_t ret_units[LEDGER_COUNT]);

/* Sums in nanoseconds of one rank's time, from which a ledger is made. */
struct ledger_sums {
    int64_t steps;
    double time_ns;      /* T */
    double own_ns;       /* a: own time at the median, input included */
    double input_ns;     /* `data` at the median */
    double late_ns;      /* w: the last arrival after the median one */
    double straggler_ns; /* of late_ns: what the named ones cost */
    double exchange_ns;
    double checkpoint_ns, validation_ns; /* of the rest, where the log says so; without own times
                                            what such steps took beyond the rolling median */
    double down_ns, lost_ns; /* not in time_ns: the wall-clock time is the sum of the three, */
    double between_ns;       /* and of this, between values of a job; below 0: they overlap */
    double between_checkpoint_ns, between_validation_ns; /* of it, before steps called so */
    bool has_between;
    bool has_own, has_input, has_exchange;
    bool has_checkpoint, has_validation; /* where it was, the log said so: nothing is none */
    bool of_job; /* own times are as one rank says: what the others waited is not known */
    double model_share, hardware_share; /* MFU and HFU over time_ns, 0 to 1; NAN: unknown */
};

/* Adds what is between two values of a job, before one that is called so; NAN: not known. */
void ledger_sums_between(struct ledger_sums *sums, double ns, bool checkpoint, bool validation);

/* What of the wall-clock time is between values. */
double ledger_between_ns(const struct ledger_sums *sums);

/* Divides sums into shares. `time` is the evidence of T, `wait` that of the waits,
 * `simulated` overrides both. NAN, infinite and negative sums count as nothing.
 *
 * - Where measured parts are more than T, exchange is cut first, then jitter, then
 *   stragglers, then own time; input is at most own time, checkpoint and validation (in
 *   this order) at most what is left of T. No part is negative.
 * - Not known, and contained in the kernels: arithmetic without model_share, recompute
 *   without hardware_share, input without has_input; without has_own input, jitter,
 *   stragglers and gaps, too, and exchange when that is unknown as well. With of_job it is as
 *   without has_own, but for input.
 * - In the gaps (without has_own in the kernels): exchange without has_exchange;
 *   checkpoint without has_checkpoint, validation without has_validation.
 * - has_between: the gaps are between_ns, less what is checkpoint and validation, and are
 *   computed. A sum below 0 is 0: stamps that come late make up for those that come early.
 * - Arithmetic, recompute, stragglers, and what is left when they are taken off are
 *   computed, and so are checkpoint and validation in the kernels; jitter is as the waits when
 * nobody is named; the rest is as T.
 * - T without evidence, or no time at all: wall_s is 0 and all parts are unknown. */
void ledger_make(struct ledger *ledger, const struct ledger_sums *sums, double gpus,
                 enum evidence time, enum evidence wait, bool simulated);

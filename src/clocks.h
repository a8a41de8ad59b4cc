/* The ranks' clocks against each other, from the common release of the barrier:
 * all ranks leave it together, so what their clocks say of that moment differs by
 * what the clocks are off. Samples are taken while steps are folded; what they
 * come to is worked out when a summary is due. Nothing is kept for logs without
 * begins, nor where an exchange overlaps the backward pass: there is no release
 * in common then (on one machine a slow rank is seen to leave 160 ms later).
 *
 * Ranks truly leave a barrier at slightly different moments. What differs from
 * step to step is in the error that is told; what does not is taken for an offset.
 * Without `sync` the release is known by the next begin: time in no phase that a rank
 * spends there in every step is then in its offset too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost.h"
#include "names.h"
#include "ranks.h"
#include "steps.h"

#define CLOCK_SAMPLES_MAX 64 /* of a rank; fewer with more than 1,024 ranks */
#define CLOCK_STRIDE_MAX 64  /* steps between two: so the last 4,096 steps are looked at */
#define CLOCK_SAMPLES_MIN 3  /* fewer tell nothing */
#define CLOCK_SHOWN_S 1e-3   /* what is less concerns nobody */

struct clock_sample; /* one step: immutable, and shared by copies */

/* Zero-initialised is empty. Samples are taken from every stride-th step; when
 * there is no room every other one goes and the stride doubles, up to its
 * maximum; then the oldest goes. */
struct clocks {
    struct clock_sample *samples[CLOCK_SAMPLES_MAX]; /* oldest first, owned together */
    int count;
    uint32_t stride; /* 0: no step was looked at yet */
    uint64_t seen;   /* steps that could have been sampled */
    uint64_t digest; /* changes with every sample; alike when the samples are alike */
};

void clocks_done(struct clocks *clocks);
void clocks_copy(struct clocks *to, const struct clocks *from); /* `to` is overwritten */

/* One more step, whose waits go by `rule`; `before` is the step before it, NULL
 * when it is not there. Not for a log in which one stamp stands for all ranks (rules.h).
 * O(ranks) when it is a step to sample, else O(1). */
void clocks_fold(struct clocks *clocks, const struct step_row *row, const struct step_row *before,
                 uint32_t ranks, enum wait_rule rule);

/* When a rank left the barrier by its own clock, if the step's waits go by
 * WAIT_SYNC: its begin and all it did up to the end of `sync`. Else `next`, the step
 * after, says it: its begin there less its optimizer. False: not known. */
bool clocks_release(const struct step_row *row, const struct step_row *next, uint32_t slot,
                    enum wait_rule rule, int64_t *ret_ns);

/* What one clock comes to, and what is needed to use it. */
struct clock_state {
    struct clock_offset offset;
    double centre_s; /* Unix time at which the offset holds */
    double spread_s; /* of one sample: robust standard deviation */
};

/* All of them, worked out once for each state of samples, ranks and hosts. Ranks
 * of a host share its clock; those without a host have one each. Zero-initialised
 * is empty. */
struct clock_table {
    struct clock_state *clocks; /* by first rank, owned */
    size_t count;
    uint32_t *of_slot; /* index of the clock of each rank; UINT32_MAX: not known */
    uint32_t slots;
    uint64_t made_of; /* what it was worked out from */
};

void clock_table_done(struct clock_table *table);

/* Brings it up to date; cheap when nothing changed. Over 512 clocks, means stand
 * for medians (the error says what that costs), and `drift` is a plain least
 * squares slope. */
void clock_table_make(struct clock_table *table, const struct clocks *clocks,
                      const struct ranks *ranks, const struct names *names);

/* The offset of a clock at a moment: with its drift, if that is beyond doubt. */
double clock_state_at(const struct clock_state *clock, double when_s);

/* Over 1 ms, and by more than three times its error: fit to be told. */
bool clock_is_off(const struct clock_offset *clock);
/* Its drift is beyond doubt: more than five times its error. */
bool clock_drifts(const struct clock_offset *clock);

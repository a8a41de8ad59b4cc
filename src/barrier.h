/* One step's barrier: who arrived when, who waited how long, who was last.
 * Formulas: DESIGN section 6. */
#pragma once

#include "ranks.h"
#include "steps.h"

/* What was found out about a run, and is applied to steps without `sync`. */
struct wait_choice {
    bool overlapped;   /* the exchange overlaps the backward pass, which holds the waiting */
    bool one_stamp;    /* whoever wrote the log stamped it: no rank's clock is in it */
    bool clocks_agree; /* arrivals by the ranks' clocks can be compared */
};

/* Arrays by slot, `slots` long, kept from step to step. */
struct barrier {
    uint32_t slots;
    double *own_ns;  /* own time before the barrier; NAN: no record, or not known */
    double *wait_ns; /* NAN likewise */
    int64_t *scratch;
    struct step_digest digest; /* but for its window */
};

void barrier_init(struct barrier *barrier);
void barrier_done(struct barrier *barrier);

/* With more ranks than this the step time and the median input wait are those of
 * half as many or more of them, evenly spaced by slot. */
#define BARRIER_MANY_RANKS 4096

/* Works out the barrier of `row`. `before` is the row of the step before those that its
 * values are of (same attempt; step - 1, where they are of one step), NULL when there is none.
 * Slots >= ranks are not looked at. */
void barrier_compute(struct barrier *barrier, const struct step_row *row,
                     const struct step_row *before, uint32_t ranks, struct wait_choice choice);

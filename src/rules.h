/* Which of the rules for waits a log without `sync` calls for: found out from its
 * first steps, so that the same log always gets the same answer. */
#pragma once

#include "barrier.h"
#include "ranks.h"
#include "run.h"
#include "steps.h"

#define RULES_ROWS_MAX 256 /* steps that are looked at */
#define RULES_STAMP_ROWS_MAX 64

/* Looks at the first RULES_ROWS_MAX closed rows of the table.
 *
 * Overlapped: within a step, backward is short where data + forward is long, so
 * that their sums are alike (all ranks leave backward together): the variance of
 * the sums is under half of that of data + forward, and the two are correlated
 * by -0.6 or less.
 *
 * One stamp: in more than half of the first RULES_STAMP_ROWS_MAX rows in which two ranks or
 * more have a begin they have the very same, to the last digit. It is then of the log, whose
 * writer stamps it once for all ranks, and may be rounded; a row whose ranks differ all the
 * same (a block that was torn, or printed twice) does not change that. Ranks with clocks of
 * their own may have one begin in a step now and then: it is theirs in that step, too. Where
 * they are rounded so that most steps have one, they tell no more than one stamp does. Found
 * out with `sync` as well: a rank's offset, the step time, gaps are asked of the begins.
 *
 * Clocks agree: they are of each rank, not one stamp, and the time at which each rank
 * leaves the barrier, by its own clock, differs from the median rank's by at most 1 ms or
 * 1% of a step, in the median over steps. */
struct wait_choice rules_survey(const struct steps *steps, uint32_t ranks,
                                enum barrier_choice barrier);

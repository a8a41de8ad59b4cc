/* Which of the rules for waits a log without `sync` calls for: found out from its
 * first steps, so that the same log always gets the same answer. */
#pragma once

#include "barrier.h"
#include "ranks.h"
#include "run.h"
#include "steps.h"

#define RULES_ROWS_MAX 256 /* steps that are looked at */

/* Looks at the first RULES_ROWS_MAX closed rows of the table.
 *
 * Overlapped: within a step, backward is short where data + forward is long, so
 * that their sums are alike (all ranks leave backward together): the variance of
 * the sums is under half of that of data + forward, and the two are correlated
 * by -0.6 or less.
 *
 * Clocks agree: the time at which each rank leaves the barrier, by its own clock,
 * differs from the median rank's by at most 1 ms or 1% of a step, in the median
 * over steps. */
struct wait_choice rules_survey(const struct steps *steps, uint32_t ranks,
                                enum barrier_choice barrier);

/* What a shorter step is worth: MFU points, GPU-hours, money and energy, a day and to
 * the end of the run, by the arithmetic of Panel 1.2. */
#pragma once

#include "cost.h"
#include "run.h"

/* Fills all quantities of `what_if` but `explains`, which stays as it is: steps of
 * step_time_s seconds would be gain_s shorter. Of `run` its price, watts and
 * total_tokens are used. gpus: of the job; mfu: 0 to 1, as it is now; tokens_per_step:
 * of the whole job; tokens_done: of total_tokens. 0 or NAN: not known (of tokens_done
 * NAN alone), and what needs it is NONE; so is all when the step time or the gain is.
 *
 * - gain_s counts as at least 0 and at most step_time_s; with no time left MFU is NONE.
 * - A day is 24 hours of the job as it runs now, of which gain_share is won.
 * - To the end: (total_tokens - tokens_done) / tokens_per_step steps, each gain_s
 *   shorter; nothing is left to win when more are done than the total. Where MFU is
 *   known, gpu_hours_end is what calc_saved_gpu_hours() says of the FLOP that are left.
 *
 * Evidence: computed, or simulated when the run is. */
void what_if_fill(struct what_if *what_if, double step_time_s, double gain_s, const struct run *run,
                  double gpus, double mfu, double tokens_per_step, double tokens_done);

/* Whether two logs with one value a step are of one job. */
#pragma once

#include "source_runs_sample.h"

/* Each node of a job may write the log of the job: the same values, or nearly, at the same times.
 * 1: they differ, -1: they are alike, 0: they have no step in common. */
int runs_compare_jobs(const struct run_sample *a, const struct run_sample *b);

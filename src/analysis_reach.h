/* A model as it stood when a step was the newest: for a report of that moment. */
#pragma once

#include "analysis.h"

/* Whether the front has come to the step, or over it, in the attempt that it stands in: *ret_key
 * is the step, or where it was not logged the last before it in that attempt, and *ret_behind
 * how many steps behind it have closed as well (those that the same record closed). False, too,
 * where the attempt began behind the step. To be asked whenever the front has moved. */
bool analysis_reached(const struct analysis *analysis, int64_t step, struct step_key *ret_key,
                      size_t *ret_behind);

/* Opens the steps behind the key again, as they were before: the key is then the newest. Steps
 * that can no longer change stay. */
void analysis_hold(struct analysis *analysis, struct step_key key);

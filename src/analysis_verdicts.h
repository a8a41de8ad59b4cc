/* The verdicts of a summary, out of the events of a fold and the ranks. */
#pragma once

#include "analysis_table.h"

/* Fills summary->verdicts for the row at `index` (SIZE_MAX: no step is closed),
 * those in force first, and marks the ranks of the stragglers. summary->ranks
 * must be filled, and is in the order of rank numbers. */
void analysis_verdicts(struct analysis *analysis, size_t index, uint32_t ordinal,
                       struct summary *summary);

/* One event as a verdict; of `gpus` is what it cost. */
void analysis_fill_verdict(struct analysis *analysis, const struct fold_event *event, bool in_force,
                           double gpus, struct verdict *verdict);

/* Whether a verdict on a group or host, at the same time as this one, says all that it
 * does. */
bool analysis_is_explained(const struct fold *fold, const struct fold_event *event);

/* Adds, behind those in force, that the imbalance wanders: over the last W steps as
 * much is lost as one straggler at the threshold would cost, nobody is named, and
 * no rank was last in more than half of the steps. The rest of *summary must be
 * filled. */
void analysis_judge_wandering(const struct analysis *analysis, struct summary *summary);

/* The verdicts of a summary, out of the events of a fold and the ranks. */
#pragma once

#include "analysis_table.h"

/* Fills summary->verdicts for the row at `index` (SIZE_MAX: no step is closed),
 * those in force first, and marks the ranks of the stragglers. summary->ranks
 * must be filled, and is in the order of rank numbers. */
void analysis_verdicts(struct analysis *analysis, size_t index, uint32_t ordinal,
                       struct summary *summary);

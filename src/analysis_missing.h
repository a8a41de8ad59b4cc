/* Who does not report any more, as the records alone tell it. */
#pragma once

#include "analysis_table.h"

/* The newest row at or before `index` that the job has reached, and not only a
 * stray record. */
size_t analysis_front(const struct analysis *analysis, size_t index);

/* Since which step the rank of `slot` was missing when the row at `index` had just
 * been closed: it has no record in two rows (fold_missing_rows()), and had one not RANK_LEFT_AFTER
 * rows ago. How long a rank that writes late is waited for is in the rows already: without it each
 * of them was closed when close_lag stood behind it, or when all had ended. -1: it was not missing.
 */
int64_t analysis_missing_since(const struct analysis *analysis, size_t index, uint32_t slot);

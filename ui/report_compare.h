/* Two runs side by side: as text for reading, and as JSON for scripts. */
#pragma once

#include <stdio.h>

#include "checks.h"
#include "compare.h"

/* `checks`: the conditions on B; a count of 0: none. */
void report_compare_text(FILE *to, const struct comparison *comparison, const struct checks *checks,
                         bool unicode);

/* One JSON object, "schema": "lockstep-compare/1" (samples/REPORT.md). */
void report_compare_json(FILE *to, const struct comparison *comparison,
                         const struct checks *checks);

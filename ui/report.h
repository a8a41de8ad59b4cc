/* A summary as text for reading and as JSON for scripts. */
#pragma once

#include <stdio.h>

#include "summary.h"

/* Text: no escape codes, whatever stands in the log. With `unicode` units such
 * as µs. */
void report_text(FILE *to, const struct summary *summary, bool unicode);

/* One JSON object, "schema": "lockstep-report/1" (DESIGN section 13): keys may be
 * added, these stay; what cannot be known is null. */
void report_json(FILE *to, const struct summary *summary);

/* What the names of a log's values are likely to mean. */
#pragma once

#include <stdbool.h>

#include "str.h"

/* The field of a map or pattern; NULL: none, or one that must not be guessed. "end": a stamp. */
const char *explain_meaning(struct str name);

/* How much a name of meaning "step_time" says that it is the time of one step: "step_time" more
 * than "time", that more than "elapsed", which may be a clock that runs on. */
int explain_score(struct str name);
#define EXPLAIN_SURE 3 /* and more: it is the time of a step */

/* Whether that field is a time that is spent. */
bool explain_is_time(const char *field);

/* ":ms" when the name says so: fwd_ms, "fwd (ms)"; else "". */
const char *explain_unit(const char *field, struct str name);

/* What the clocks of a run come to, in words. */
#pragma once

#include "format.h"
#include "model.h"
#include "sentence.h"

/* "clocks: node3 +12.3 ms c, drift +1.20 ms/h c; 3 of 8 hosts over 1 ms" into
 * *line; false when no clock is off so far that it must be told. */
bool alarm_clocks(const struct view_model *model, struct sentence *line);

/* "+12.3 ms": with its sign, but for 0. */
const char *clock_offset_text(char out[FORMAT_BYTES], double seconds, bool unicode);
/* A drift by the hour: "+1.20 ms/h"; "-" when it is not known. */
const char *clock_drift_text(char out[FORMAT_BYTES], double drift, bool unicode);

/* "host" when hosts are known, else "rank": what a clock belongs to. */
const char *clock_owner(const struct summary *summary);
/* The one whose offset is largest; NULL when there are no clocks. */
const struct clock_offset *clock_farthest(const struct summary *summary);
/* How many must be told. */
size_t clocks_off(const struct summary *summary);

/* Times of traces: decimal numbers of microseconds, as nanoseconds without a rounding on
 * the way (a Unix time in microseconds has more digits than a double holds exactly). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* The whole of a JSON number, in microseconds, as nanoseconds, half of one rounded up. False: it is
 * none, or over 9e18 ns. */
bool trace_microseconds(struct str number, int64_t *ret_ns);

/* Whether that is a Unix time of our days: 2001 to 2100. Clocks that count from the machine's
 * start are not. */
bool trace_is_unix(int64_t ns);

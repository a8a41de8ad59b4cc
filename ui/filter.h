/* The rank filter that the user types: words, separated by commas or blanks; a
 * rank is shown when one of them matches.
 *     5        rank 5               0-7      ranks 0 to 7
 *     node17   the host's name contains it, or the group is called so
 * An empty filter matches every rank. Letter case does not matter. */
#pragma once

#include <stdbool.h>

#include "summary.h"

#define FILTER_BYTES 64

bool filter_matches(const char *filter, const struct summary_rank *rank);

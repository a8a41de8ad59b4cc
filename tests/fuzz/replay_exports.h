/* What is drawn and written of a whole run, read again: for fuzz_replay.c. */
#pragma once

#include "analysis.h"

/* Every table, figure, page and object: well-formed, without controls, and no number that is
 * none. Every screen is drawn. */
void check_exports(struct analysis *analysis, uint32_t choice);

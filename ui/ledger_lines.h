/* What a ledger does not say by its shares, in words: one wording for screens and
 * reports. */
#pragma once

#include "model.h"
#include "sentence.h"

/* "effective training time 93.1% c of 15.9 h m: 2 restarts, 113 steps done again
 * (8.50 min m), down 22.0 min m". */
void ledger_line_effective(const struct view_model *model, struct sentence *line);

/* What time in no recorded phase may be, where it is more than a trifle; false: it is not. */
bool ledger_line_gaps(const struct ledger *ledger, struct sentence *line);

/* "MFU 41.2% c  HFU 54.9% c: attention full 12LHS, recompute none, ..."; what is
 * missing for them when they are not known. */
void ledger_line_utilization(const struct view_model *model, struct sentence *line);

/* The parts that are not known, each with what it is contained in and, where
 * that is known, what would tell it: `max` lines at most; returns how many. */
int ledger_lines_unknown(const struct view_model *model, const struct ledger *ledger,
                         struct sentence *lines, int max);
#define LEDGER_UNKNOWN_MAX 4

/* "nearest reported MFU: Llama 3 405B on 16,384 H100, 41.0% c";
 * false when there is no MFU. */
bool ledger_line_nearest(const struct view_model *model, struct sentence *line);

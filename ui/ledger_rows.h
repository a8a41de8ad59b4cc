/* Which parts of a ledger get a row, where their segments stand in the waterfall,
 * and their shares as they are shown: they add up to exactly 100.00%. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format.h"
#include "ledger.h"

#define LEDGER_WHOLE 10000 /* hundredths of a percent */
#define LEDGER_COLUMNS 2   /* ledgers that can be shown side by side */

struct ledger_row {
    enum ledger_part part; /* LEDGER_COUNT: several that are small, together */
    int parts;             /* that it stands for */
    struct ledger_cell {
        enum evidence evidence; /* NONE: not known; it is in another part then */
        int64_t units;          /* of LEDGER_WHOLE */
        int64_t from;           /* its segment begins here: what all rows below it come to */
    } cells[LEDGER_COLUMNS];
};

/* Rows from the top of the waterfall (what was lost outside of the steps) down to
 * the arithmetic, `max` at most (2 and up). A ledger may be NULL. With `all` every
 * part has one, if there is room; else only what is known and not 0.00% in all
 * ledgers. What there is no room for comes together in the first row: the parts
 * that are smallest in the first ledger. Returns how many rows. */
int ledger_rows(const struct ledger *const ledgers[LEDGER_COLUMNS], int max, bool all,
                struct ledger_row rows[LEDGER_COUNT]);

/* Own times, waits and exchange are one part, since nothing tells them apart. */
bool ledger_is_one(const struct ledger *ledger);
/* "slow kernels"; of that one part "not told apart". */
const char *ledger_title(const struct ledger *ledger, enum ledger_part part);
/* Of a row of both; where only one of them tells: "kernels/not told apart". */
const char *ledger_row_title(const struct ledger *const ledgers[LEDGER_COLUMNS],
                             enum ledger_part part);

/* "41.20%". */
#define LEDGER_SHARE_BYTES 16
const char *ledger_share_text(char out[LEDGER_SHARE_BYTES], int64_t units);

/* GPU-hours of so many units, and their text: "62.0 k", "7.62", "0.038". */
double ledger_gpu_hours(const struct ledger *ledger, int64_t units);
const char *ledger_hours_text(char out[FORMAT_BYTES], double hours);

/* What the arguments of Panels 1.1 and 1.2 are: calc_form.def as a table. */
#pragma once

#include "format.h"

enum calc_argument {
#define CALC(id, ...) CALC_##id,
#include "calc_form.def"
#undef CALC
    CALC_COUNT
};
#define CALC_SECOND_PANEL CALC_MFU /* the first of Panel 1.2 */

enum calc_notation {
    NOTATION_POWER,   /* 405e9 */
    NOTATION_COUNT,   /* 16,384 */
    NOTATION_PLAIN,   /* 989, four digits at most */
    NOTATION_PERCENT, /* 41.2, three */
    NOTATION_MONEY,   /* 2.00 */
};

enum calc_step { /* what Left and Right lead to */
    STEP_DIGIT,  /* the next round value in two digits */
    STEP_DOUBLE, /* the next power of two */
    STEP_FIXED,  /* the next multiple of the amount */
    STEP_CHIP,   /* the peak of the next chip of the chapter's table */
};

struct calc_argument_info {
    const char *label, *option, *unit; /* "MFU", "--mfu", "%" */
    double scale; /* shown x scale is in the unit of calc.h */
    double chapter, lowest, highest; /* shown */
    enum calc_notation notation;
    enum calc_step step;
    double amount; /* shown */
};
const struct calc_argument_info *calc_argument(enum calc_argument argument);

/* The peaks of the chapter's table, FLOP/s: whose this is (A100, H100, B200; "" when
 * it is no one's), and the next larger (direction 1) or smaller (-1) one; the same
 * when there is none. */
const char *calc_chip_of_peak(double peak_flops);
double calc_next_peak(double peak_flops, int direction);

/* A value (in the unit of calc.h) as it is shown: "405e9", "16,384", "989 TFLOP/s",
 * "2.00 USD/h", "41%"; "-" for NAN. */
const char *calc_argument_text(char out[FORMAT_BYTES], enum calc_argument argument, double value);

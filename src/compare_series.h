/* The steps of one side of a comparison, as series. For compare*.c only. */
#pragma once

#include "compare.h"

enum { SERIES_TIME, SERIES_WAIT, SERIES_MFU, SERIES_HFU, SERIES_COUNT };

struct compare_series {
    size_t count[SERIES_COUNT];
    double *values[SERIES_COUNT]; /* finite, in order; owned */
    double mean[SERIES_COUNT];    /* over the time of the steps (SERIES_TIME: over steps); NAN */
    double median_s;              /* step time; NAN, too where a column holds several steps */
    int64_t steps, warm_up;
    bool merged;
};

void compare_series_make(struct compare_series *series, const struct compare_side *side);
void compare_series_done(struct compare_series *series);

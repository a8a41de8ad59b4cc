/* The median of the last W values, exact: kept sorted as they come and go. */
#pragma once

#include <stdint.h>

struct rolling {
    uint32_t window, count, next;
    double *ring;   /* [window] in the order they came, owned */
    double *sorted; /* [count] ascending, owned */
};

void rolling_init(struct rolling *rolling, uint32_t window); /* 1 and up */
void rolling_done(struct rolling *rolling);
void rolling_copy(struct rolling *to, const struct rolling *from); /* `to` is replaced */
void rolling_add(struct rolling *rolling, double value);            /* not NAN */
double rolling_median(const struct rolling *rolling);               /* NAN when empty */

/* The median of a stream of positive numbers in bounded memory: exact for the
 * first QUANTILE_EXACT, then counted in bins of 1/4096 of what was the median
 * then (an error of 0.0002 of it at most, interpolated inside the bin); values far
 * from that median in bins 64 times as wide, so that what a few outliers take up is
 * bounded: 20 KiB in all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUANTILE_EXACT 4096
#define QUANTILE_BINS_PER_UNIT 4096
#define QUANTILE_UNITS_MAX 16 /* larger values are counted in the last bin */
#define QUANTILE_COARSE 64
#define QUANTILE_FINE_FIRST (QUANTILE_BINS_PER_UNIT / 2) /* fine bins: 0.5 to 1.5 units */
#define QUANTILE_FINE_END (QUANTILE_BINS_PER_UNIT * 3 / 2)
#define QUANTILE_BIN_LAST (QUANTILE_UNITS_MAX * QUANTILE_BINS_PER_UNIT - 1)

/* Zero-initialised is empty. */
struct quantile {
    uint64_t count;
    float *exact; /* NULL once counted in bins */
    uint32_t exact_capacity;
    uint32_t exact_max; /* kept exactly; 0: QUANTILE_EXACT */
    uint32_t *bins;     /* bins first_bin .. first_bin + bin_count - 1 */
    uint32_t first_bin, bin_count;
    uint32_t *coarse;      /* bins of QUANTILE_COARSE each, for what is far off; NULL: none */
    double bins_per_value; /* QUANTILE_BINS_PER_UNIT / the median when it changed to bins */
};

void quantile_done(struct quantile *quantile);                        /* and empty again */
void quantile_copy(struct quantile *to, const struct quantile *from); /* `to` is replaced */
void quantile_add_slowly(struct quantile *quantile, double value);    /* in every case */
size_t quantile_bytes(const struct quantile *quantile);               /* of what it points to */
double quantile_median(const struct quantile *quantile);              /* NAN when empty */

/* The value that `share` (0 to under 1) of all are below: that at place share x count of the sorted
 * order. Exact as the median is; far from it to 1/64 of the median. NAN when empty, or when it is
 * over QUANTILE_UNITS_MAX times that median and not exact. */
double quantile_place(const struct quantile *quantile, double share);

/* Called for every rank of every step: the usual case, a bin that is there. */
static inline void quantile_add(struct quantile *quantile, double value)
{
    double place = value * quantile->bins_per_value;
    if (place >= 0 && place < QUANTILE_BIN_LAST) {
        uint32_t bin = (uint32_t)(int32_t)place - quantile->first_bin; /* below the first: huge */
        if (bin < quantile->bin_count && quantile->bins[bin] < UINT32_MAX) {
            quantile->bins[bin]++;
            quantile->count++;
            return;
        }
    }
    quantile_add_slowly(quantile, value);
}

/* Asks for the memory that quantile_add() of that value will change. */
static inline void quantile_prefetch(const struct quantile *quantile, double value)
{
    if (!quantile->bins) {
        if (quantile->exact)
            __builtin_prefetch(quantile->exact + quantile->count, 1);
        return;
    }
    double place = value * quantile->bins_per_value - quantile->first_bin;
    if (place >= 0 && place < quantile->bin_count)
        __builtin_prefetch(quantile->bins + (uint32_t)(int32_t)place, 1);
}

/* Median of n values (the mean of the middle two when n is even). Under 512 they are
 * reordered; more are overwritten. NAN when n is 0. */
double median_of(double *values, uint32_t n);
double median_of_ns(int64_t *values, uint32_t n);
double median_of_floats(float *values, uint32_t n);

/* The value at place k < n of the sorted order; reorders them. */
float select_of_floats(float *values, uint32_t n, uint32_t k);

/* The median of those of n values that are not NAN, without changing their order;
 * none may be negative. Fast where `guess` is near it: a few passes that compare
 * several values at a time; any guess gives the same answer. */
double median_near(const float *values, uint32_t n, double guess);

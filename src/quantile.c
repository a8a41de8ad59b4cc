/* Medians. */
#include "quantile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* The value at place k of the sorted order (quickselect, middle of three), all
 * smaller ones before it. Few values are sorted by insertion. */
#define DEFINE_SELECT(name, type)                                                                  \
    static type name(type *v, uint32_t n, uint32_t k)                                              \
    {                                                                                              \
        uint32_t low = 0, high = n - 1;                                                            \
        while (high - low > 16) {                                                                  \
            type a = v[low], b = v[low + (high - low) / 2], c = v[high];                           \
            type pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);        \
            uint32_t i = low, j = high;                                                            \
            for (;;) {                                                                             \
                while (v[i] < pivot)                                                               \
                    i++;                                                                           \
                while (pivot < v[j])                                                               \
                    j--;                                                                           \
                if (i >= j)                                                                        \
                    break;                                                                         \
                type swap = v[i];                                                                  \
                v[i++] = v[j];                                                                     \
                v[j--] = swap;                                                                     \
            }                                                                                      \
            uint32_t split = i == j && v[j] < pivot ? j + 1 : i;                                   \
            if (split == low || split > high)                                                      \
                break;                                                                             \
            if (k < split)                                                                         \
                high = split - 1;                                                                  \
            else                                                                                   \
                low = split;                                                                       \
        }                                                                                          \
        for (uint32_t i = low + 1; i <= high; i++) {                                               \
            type value = v[i];                                                                     \
            uint32_t j = i;                                                                        \
            for (; j > low && value < v[j - 1]; j--)                                               \
                v[j] = v[j - 1];                                                                   \
            v[j] = value;                                                                          \
        }                                                                                          \
        return v[k];                                                                               \
    }

DEFINE_SELECT(select_double, double)
DEFINE_SELECT(select_ns, int64_t)
DEFINE_SELECT(select_float, float)

/* Eight values sorted without a branch (Batcher's odd-even merge): most jobs that
 * are looked at closely have eight ranks a node. */
static void sort8(int64_t v[8])
{
    static const uint8_t pairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                         {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                         {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
#pragma GCC unroll 19
    for (int i = 0; i < 19; i++) {
        int64_t a = v[pairs[i][0]], b = v[pairs[i][1]];
        v[pairs[i][0]] = a < b ? a : b;
        v[pairs[i][1]] = a < b ? b : a;
    }
}

#define NARROW_MIN 512 /* values for which it pays */
#define NARROW_SAMPLE 64
#define NARROW_LOW 22
#define NARROW_HIGH 41

/* Of many values keeps only those between two of a sample, when the middle ones are
 * among them: without a branch, and a third is left. Returns how many, *ret_below
 * smaller ones are gone; n when it did nothing. */
#define DEFINE_NARROW(name, type, select)                                                          \
    static uint32_t name(type *v, uint32_t n, uint32_t *ret_below)                                 \
    {                                                                                              \
        type sample[NARROW_SAMPLE];                                                                \
        uint32_t below = 0, kept = 0, stride = n / NARROW_SAMPLE;                                  \
        for (uint32_t i = 0; i < NARROW_SAMPLE; i++)                                               \
            sample[i] = v[i * stride + stride / 2];                                                \
        type low = select(sample, NARROW_SAMPLE, NARROW_LOW);                                      \
        type high = select(sample, NARROW_SAMPLE, NARROW_HIGH);                                    \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            below += v[i] < low;                                                                   \
            kept += v[i] <= high;                                                                  \
        }                                                                                          \
        *ret_below = 0;                                                                            \
        if (below + 1 > n / 2 || kept <= n / 2)                                                    \
            return n;                                                                              \
        kept = 0;                                                                                  \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            type value = v[i];                                                                     \
            v[kept] = value;                                                                       \
            kept += (value >= low) & (value <= high);                                              \
        }                                                                                          \
        *ret_below = below;                                                                        \
        return kept;                                                                               \
    }

DEFINE_NARROW(narrow_double, double, select_double)
DEFINE_NARROW(narrow_ns, int64_t, select_ns)
DEFINE_NARROW(narrow_float, float, select_float)

/* The middle value, or the mean of the two: the upper one, and the largest of what
 * quickselect left before it. */
#define DEFINE_MEDIAN(name, type, select, narrow)                                                  \
    static double name(type *v, uint32_t n)                                                        \
    {                                                                                              \
        if (n == 0)                                                                                \
            return NAN;                                                                            \
        uint32_t below = 0, left = n >= NARROW_MIN ? narrow(v, n, &below) : n;                     \
        uint32_t middle = n / 2 - below;                                                           \
        type upper = select(v, left, middle);                                                      \
        if (n % 2 == 1)                                                                            \
            return (double)upper;                                                                  \
        type lower = v[0];                                                                         \
        for (uint32_t i = 1; i < middle; i++)                                                      \
            lower = v[i] > lower ? v[i] : lower;                                                   \
        return ((double)lower + (double)upper) / 2;                                                \
    }

DEFINE_MEDIAN(middle_double, double, select_double, narrow_double)
DEFINE_MEDIAN(middle_ns, int64_t, select_ns, narrow_ns)
DEFINE_MEDIAN(middle_float, float, select_float, narrow_float)

float select_of_floats(float *values, uint32_t n, uint32_t k)
{
    assert(k < n);
    return select_float(values, n, k);
}

/* Floats that are not negative are in the same order as their bits, and every NAN
 * is above them. So these loops compare whole numbers, and become vectors. */
#define BITS_INFINITY 0x7f800000

static int32_t bits_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t count_under(const float *values, uint32_t n, int32_t limit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += bits_of(values[i]) < limit;
    return count;
}

static int32_t next_above(const float *values, uint32_t n, int32_t than)
{
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        int32_t bits = bits_of(values[i]);
        bits = bits > than ? bits : INT32_MAX;
        least = bits < least ? bits : least;
    }
    return least;
}

static int32_t next_below(const float *values, uint32_t n, int32_t than)
{
    int32_t most = -1;
    for (uint32_t i = 0; i < n; i++) {
        int32_t bits = bits_of(values[i]);
        bits = bits < than ? bits : -1;
        most = bits > most ? bits : most;
    }
    return most;
}

/* In one pass: how many are not NAN, how many under `at`, and how many not over it. */
static uint32_t count_around(const float *values, uint32_t n, int32_t at, uint32_t *ret_under,
                             uint32_t *ret_up_to)
{
    uint32_t known = 0, under = 0, up_to = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t bits = bits_of(values[i]);
        known += bits <= BITS_INFINITY;
        under += bits < at;
        up_to += bits <= at;
    }
    *ret_under = under;
    *ret_up_to = up_to;
    return known;
}

double median_near(const float *values, uint32_t n, double guess)
{
    uint32_t under, up_to;
    int32_t at = guess >= 0 ? bits_of((float)guess) : n > 0 ? bits_of(values[0]) : 0;
    if (at > BITS_INFINITY)
        at = BITS_INFINITY;
    uint32_t known = count_around(values, n, at, &under, &up_to);
    if (known == 0)
        return NAN;
    uint32_t k = (known - 1) / 2;
    while (under > k) {
        at = next_below(values, n, at);
        up_to = under;
        under = count_under(values, n, at);
    }
    while (up_to <= k) {
        at = next_above(values, n, at);
        up_to = count_under(values, n, at + 1);
    }
    double lower = float_of(at);
    if (known % 2 == 1 || up_to > k + 1)
        return lower;
    return (lower + (double)float_of(next_above(values, n, at))) / 2;
}

double median_of(double *values, uint32_t n)
{
    return middle_double(values, n);
}

double median_of_floats(float *values, uint32_t n)
{
    return middle_float(values, n);
}

double median_of_ns(int64_t *values, uint32_t n)
{
    if (n != 8)
        return middle_ns(values, n);
    sort8(values);
    return ((double)values[3] + (double)values[4]) / 2;
}

#define COARSE_COUNT (QUANTILE_UNITS_MAX * QUANTILE_BINS_PER_UNIT / QUANTILE_COARSE)

void quantile_done(struct quantile *quantile)
{
    free(quantile->exact);
    free(quantile->bins);
    free(quantile->coarse);
    *quantile = (struct quantile){0};
}

size_t quantile_bytes(const struct quantile *quantile)
{
    return (quantile->exact ? quantile->exact_capacity * sizeof(*quantile->exact) : 0) +
           quantile->bin_count * sizeof(*quantile->bins) +
           (quantile->coarse ? COARSE_COUNT * sizeof(*quantile->coarse) : 0);
}

void quantile_copy(struct quantile *to, const struct quantile *from)
{
    quantile_done(to);
    *to = *from;
    if (from->exact) {
        to->exact = memory_resized(NULL, from->exact_capacity, sizeof(float));
        memcpy(to->exact, from->exact, from->count * sizeof(float));
    }
    if (from->bins) {
        to->bins = memory_resized(NULL, from->bin_count, sizeof(uint32_t));
        memcpy(to->bins, from->bins, from->bin_count * sizeof(uint32_t));
    }
    if (from->coarse) {
        to->coarse = memory_resized(NULL, COARSE_COUNT, sizeof(uint32_t));
        memcpy(to->coarse, from->coarse, COARSE_COUNT * sizeof(uint32_t));
    }
}

/* Makes room for the fine bin number `bin`. */
static void reach_bin(struct quantile *quantile, uint32_t bin)
{
    uint32_t first = quantile->first_bin, end = first + quantile->bin_count;
    uint32_t new_first = bin < first ? bin - (bin < 64 ? bin : 64) : first;
    uint32_t new_end = bin >= end ? bin + 64 : end;
    if (new_first == first && new_end == end)
        return;
    if (new_first < QUANTILE_FINE_FIRST)
        new_first = QUANTILE_FINE_FIRST;
    if (new_end > QUANTILE_FINE_END)
        new_end = QUANTILE_FINE_END;
    uint32_t *bins = memory_zeroed(new_end - new_first, sizeof(*bins));
    memcpy(bins + (first - new_first), quantile->bins, quantile->bin_count * sizeof(*bins));
    free(quantile->bins);
    quantile->bins = bins;
    quantile->first_bin = new_first;
    quantile->bin_count = new_end - new_first;
}

static void count_in_bin(struct quantile *quantile, double value)
{
    double place = value * quantile->bins_per_value;
    uint32_t bin =
        place > 0 ? (place < QUANTILE_BIN_LAST ? (uint32_t)place : QUANTILE_BIN_LAST) : 0;
    bool fine = bin >= QUANTILE_FINE_FIRST && bin < QUANTILE_FINE_END;
    if (!fine && !quantile->coarse)
        quantile->coarse = memory_zeroed(COARSE_COUNT, sizeof(*quantile->coarse));
    if (fine && bin - quantile->first_bin >= quantile->bin_count) /* unsigned: or below */
        reach_bin(quantile, bin);
    uint32_t *counter = fine ? &quantile->bins[bin - quantile->first_bin]
                             : &quantile->coarse[bin / QUANTILE_COARSE];
    if (*counter < UINT32_MAX)
        (*counter)++;
}

static void change_to_bins(struct quantile *quantile)
{
    float *exact = quantile->exact;
    uint32_t n = (uint32_t)quantile->count;
    double median = quantile_median(quantile);
    quantile->exact = NULL;
    quantile->bins_per_value = QUANTILE_BINS_PER_UNIT / (median > 0 ? median : 1);
    quantile->first_bin = QUANTILE_BINS_PER_UNIT - 64;
    quantile->bin_count = 128;
    quantile->bins = memory_zeroed(quantile->bin_count, sizeof(*quantile->bins));
    for (uint32_t i = 0; i < n; i++)
        count_in_bin(quantile, exact[i]);
    free(exact);
}

void quantile_add_slowly(struct quantile *quantile, double value)
{
    uint32_t most = quantile->exact_max > 0 ? quantile->exact_max : QUANTILE_EXACT;
    if (quantile->exact && quantile->count >= most)
        change_to_bins(quantile);
    if (quantile->bins) {
        count_in_bin(quantile, value);
        quantile->count++;
        return;
    }
    if (quantile->count == quantile->exact_capacity)
        quantile->exact =
            memory_grown(quantile->exact, &quantile->exact_capacity, sizeof(*quantile->exact));
    quantile->exact[quantile->count++] = (float)value;
}

/* Looks for the value at place `wanted` in `count` bins, each `width` fine bins wide, the first
 * of them number `first`; *before counts the values that were passed. */
static bool place_in(const struct quantile *quantile, double wanted, const uint32_t *bins,
                     uint32_t count, uint32_t first, uint32_t width, double *before, double *ret)
{
    for (uint32_t i = 0; bins && i < count; i++) {
        double here = bins[i];
        if (here > 0 && *before + here >= wanted) {
            *ret = (first + (i + (wanted - *before) / here) * width) / quantile->bins_per_value;
            return true;
        }
        *before += here;
    }
    return false;
}

/* When counted in bins. */
static double place_of(const struct quantile *quantile, double wanted)
{
    double at = NAN, before = 0;
    uint32_t fine_at = QUANTILE_FINE_FIRST / QUANTILE_COARSE;
    if (!place_in(quantile, wanted, quantile->coarse, fine_at, 0, QUANTILE_COARSE, &before, &at) &&
        !place_in(quantile, wanted, quantile->bins, quantile->bin_count, quantile->first_bin, 1,
                  &before, &at) &&
        quantile->coarse)
        place_in(quantile, wanted, quantile->coarse + fine_at, COARSE_COUNT - fine_at,
                 QUANTILE_FINE_FIRST, QUANTILE_COARSE, &before, &at);
    return at;
}

static float *exact_copy(const struct quantile *quantile)
{
    float *values = memory_resized(NULL, (size_t)quantile->count, sizeof(*values));
    memcpy(values, quantile->exact, (size_t)quantile->count * sizeof(*values));
    return values;
}

double quantile_median(const struct quantile *quantile)
{
    if (quantile->count == 0)
        return NAN;
    if (!quantile->exact)
        return place_of(quantile, (double)quantile->count / 2);
    float *values = exact_copy(quantile);
    double median = median_of_floats(values, (uint32_t)quantile->count);
    free(values);
    return median;
}

double quantile_place(const struct quantile *quantile, double share)
{
    if (quantile->count == 0)
        return NAN;
    double wanted = share * (double)quantile->count;
    if (!quantile->exact) {
        double far = place_of(quantile, wanted);
        bool counted = far * quantile->bins_per_value < QUANTILE_BIN_LAST - QUANTILE_COARSE;
        return counted ? far : NAN; /* in the last bin, which has no end */
    }
    float *values = exact_copy(quantile);
    double at = select_of_floats(values, (uint32_t)quantile->count, (uint32_t)wanted);
    free(values);
    return at;
}

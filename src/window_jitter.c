/* The jitter floor: what equal ranks lose by chance. Exact, and yet only the largest
 * few of all residuals are looked at: the ranks' product falls so quickly that the
 * rest can't be the largest of a step. */
#include "window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "quantile.h"

const int jitter_extrapolation_ranks[JITTER_EXTRAPOLATIONS] = {8, 64, 1024, 16384};

#define PI 3.14159265358979323846
#define NEGLIGIBLE 1e-12  /* a probability */
#define LOG_NEGLIGIBLE 28 /* -log of it, rounded up */

/* Of so many residuals, evenly spaced, the spread is taken. */
#define SAMPLE 8192
#define SAMPLE_LEAST 64 /* of a window that is nearly empty fewer are met: then the first ones */

double window_normal_maximum(double n)
{
    if (!(n > 1) || isinf(n))
        return n == 1 ? 0 : NAN;
    /* The integral of 1 - P(x)^n - P(-x)^n over positive x. It is even in x and
     * smooth, so that the trapezoidal rule is as good as exact, but for n over 1e9. */
    double step = 1.0 / 3, end = sqrt(2 * log(n)) + 4, sum = 0.5 - pow(0.5, n);
    for (double x = step; x < end; x += step) {
        double above = erfc(x / sqrt(2)) / 2;
        sum -= expm1(n * log1p(-above));
        if (n < 64) /* else it is nothing */
            sum -= pow(above, n);
    }
    return step * sum;
}

/* The variance of a normal value less the median of the n it is one of, as a share
 * of its own: half of it at 2, 92% at 8, 99% at 50. */
static double variance_left(uint32_t n)
{
    double of_median = PI / (2.0 * n - 2 + PI);
    if (n % 2 == 0)
        of_median *= 1 - 0.8 / (n + 2.0);
    return 1 + of_median - 2.0 / n;
}

/* A residual and the rank it is of. The key sorts as the residual does. */
struct residual {
    uint32_t key;
    uint32_t rank;
    float value;
};

/* One evaluation. */
struct floor {
    const struct window *window;
    uint32_t present; /* ranks with a record */
    uint32_t equal;   /* of them: those that the floor is made from */
    uint32_t *left;   /* [ranks] residuals not larger than x; 0: not looked at */
    float *scale;     /* [ranks] what gives its residuals back what their median took */
    struct residual *largest;
    uint32_t largest_count, largest_capacity;
};

static const float *row_of(const struct window *window, uint32_t rank)
{
    return window->steps > 0 ? window->slowdown + (size_t)rank * window->stride : NULL;
}

static uint32_t count_known(const float *row, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += row[i] == row[i];
    return count;
}

static uint32_t count_over(const float *row, float limit, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += row[i] > limit;
    return count;
}

/* Which ranks are looked at: those that nobody names, for a rank that is slow since
 * the middle of the window is not jitter; with two records at least. */
static void choose_ranks(struct floor *floor, bool with_named)
{
    const struct window *window = floor->window;
    floor->present = floor->equal = 0;
    for (uint32_t rank = 0; rank < window->ranks; rank++) {
        uint32_t n = count_known(row_of(window, rank), window->steps);
        bool named = window->named && window->named[rank] && !with_named;
        floor->present += n > 0;
        floor->left[rank] = n >= 2 && !named ? n : 0;
        floor->equal += floor->left[rank] > 0;
    }
    uint32_t same = 0;
    float scale = 1;
    for (uint32_t rank = 0; rank < window->ranks; rank++) {
        if (floor->left[rank] != same && floor->left[rank] > 0) {
            same = floor->left[rank];
            scale = (float)(1 / sqrt(variance_left(same)));
        }
        floor->scale[rank] = scale;
    }
}

/* The first SAMPLE residuals of ranks that are looked at; returns how many. */
static uint32_t sample_first(const struct floor *floor, float *values)
{
    const struct window *window = floor->window;
    uint32_t count = 0;
    for (uint32_t rank = 0; rank < window->ranks; rank++) {
        const float *row = row_of(window, rank);
        for (uint32_t i = 0; floor->left[rank] > 0 && i < window->steps && count < SAMPLE; i++) {
            float residual = row[i] - window->median[rank];
            if (residual == residual)
                values[count++] = residual * floor->scale[rank];
        }
    }
    return count;
}

/* Residuals of ranks that are looked at, SAMPLE at most; returns how many. */
static uint32_t sample(const struct floor *floor, float *values)
{
    const struct window *window = floor->window;
    uint64_t cells = (uint64_t)window->ranks * window->steps;
    uint32_t all = cells < SAMPLE ? (uint32_t)cells : SAMPLE, count = 0;
    for (uint32_t i = 0; i < all; i++) {
        /* Rows in turn; columns by the golden ratio, so as not to be in step with them. */
        uint32_t rank = (uint32_t)((uint64_t)i * window->ranks / all);
        uint32_t column = all < SAMPLE
                              ? i % window->steps
                              : (uint32_t)((uint64_t)(i * 2654435769u) * window->steps >> 32);
        float residual = row_of(window, rank)[column] - window->median[rank];
        if (floor->left[rank] > 0 && residual == residual)
            values[count++] = residual * floor->scale[rank];
    }
    return count < SAMPLE_LEAST ? sample_first(floor, values) : count;
}

static uint32_t sortable(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static void add_residual(struct floor *floor, uint32_t rank, float value)
{
    if (floor->largest_count == floor->largest_capacity)
        floor->largest =
            memory_grown(floor->largest, &floor->largest_capacity, sizeof(*floor->largest));
    floor->largest[floor->largest_count++] = (struct residual){sortable(value), rank, value};
}

/* All residuals over `limit`. */
static void collect(struct floor *floor, float limit)
{
    const struct window *window = floor->window;
    floor->largest_count = 0;
    for (uint32_t rank = 0; rank < window->ranks; rank++) {
        const float *row = row_of(window, rank);
        float median = window->median[rank], scale = floor->scale[rank];
        float row_limit = limit / scale + median;
        if (floor->left[rank] == 0 || count_over(row, row_limit, window->steps) == 0)
            continue;
        for (uint32_t i = 0; i < window->steps; i++)
            if (row[i] > row_limit)
                add_residual(floor, rank, (row[i] - median) * scale);
    }
}

/* Largest first; equal ones in the order of their ranks: by digits of eight bits. */
static void sort_largest(struct floor *floor)
{
    uint32_t n = floor->largest_count;
    struct residual *from = floor->largest;
    struct residual *to = memory_resized(NULL, floor->largest_capacity + 1, sizeof(*to));
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t place[257] = {0};
        for (uint32_t i = 0; i < n; i++)
            place[256 - (from[i].key >> shift & 255)]++;
        for (int digit = 1; digit < 257; digit++)
            place[digit] += place[digit - 1];
        for (uint32_t i = 0; i < n; i++)
            to[place[255 - (from[i].key >> shift & 255)]++] = from[i];
        struct residual *swap = from;
        from = to;
        to = swap;
    }
    free(to); /* after four swaps `from` is the array that was there first */
    floor->largest = from;
}

/* Whether F comes to its end at `limit` itself, where many residuals are equal: all
 * of them, in a job without jitter. `left`: those not larger than it. */
static bool ends_at(const struct floor *floor, const uint32_t *left, float limit, double below)
{
    const struct window *window = floor->window;
    double product = below;
    for (uint32_t rank = 0; rank < window->ranks && product > NEGLIGIBLE; rank++) {
        const float *row = row_of(window, rank);
        float value = limit / floor->scale[rank] + window->median[rank];
        uint32_t equal = 0;
        for (uint32_t i = 0; i < window->steps; i++)
            equal += row[i] == value;
        if (floor->left[rank] > 0 && equal > 0)
            product *= (double)(left[rank] - equal) / left[rank];
    }
    return product <= NEGLIGIBLE;
}

/* Walks down: F(x) is the product of the ranks' shares at or below x, and each x
 * counts with what F loses there. False: the end of what was collected came first. */
static bool walk(const struct floor *floor, float limit, double *ret_maximum)
{
    uint32_t *left = memory_resized(NULL, (size_t)floor->window->ranks + 1, sizeof(*left));
    memcpy(left, floor->left, floor->window->ranks * sizeof(*left));
    double power = (double)floor->present / floor->equal;
    double product = 1, below = 1, sum = 0;
    float x = 0;
    for (uint32_t i = 0; i < floor->largest_count && below > NEGLIGIBLE; i++) {
        uint32_t *count = &left[floor->largest[i].rank];
        x = floor->largest[i].value;
        product *= (double)(*count - 1) / *count;
        (*count)--;
        double next = floor->present == floor->equal ? product : pow(product, power);
        sum += (double)x * (below - next);
        below = next;
    }
    bool ended = below <= NEGLIGIBLE;
    if (!ended && isfinite(limit) && ends_at(floor, left, limit, below)) {
        x = limit;
        ended = true;
    }
    free(left);
    *ret_maximum = sum + (double)x * below;
    return ended;
}

/* The expected largest residual of a step. `sampled` tells how far down to look: it
 * is only a guess, so look further until the walk comes to its end. */
static double expected_maximum(struct floor *floor, float *sampled, uint32_t count)
{
    double cells = (double)floor->equal * floor->window->steps;
    double needed = (double)LOG_NEGLIGIBLE * floor->window->steps * floor->equal / floor->present;
    double maximum = 0;
    for (double share = 2 * needed / cells;; share *= 8) {
        double place = share * count + 16;
        bool everything = place >= count;
        uint32_t at = everything ? 0 : count - 1 - (uint32_t)place;
        float limit = everything ? -INFINITY : select_of_floats(sampled, count, at);
        collect(floor, limit);
        sort_largest(floor);
        if (walk(floor, limit, &maximum) || everything)
            return maximum;
    }
}

/* Four fifths of a normal distribution are within 1.2816. Not the middle half, as
 * the median of them would take: one or two ranks of each step are the median
 * themselves, so that of few ranks too many residuals are nearly nothing. */
static double robust_spread(float *sampled, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sampled[i] = fabsf(sampled[i]);
    return (double)select_of_floats(sampled, count, (uint32_t)(0.8 * count)) / 1.2816;
}

/* How far the last rank is behind the median one, as a share of T; NAN when T is not
 * known. */
static double loss_share(const struct window *window)
{
    uint32_t steps = window->steps;
    float *largest = memory_resized(NULL, (size_t)steps + 1, sizeof(*largest));
    for (uint32_t i = 0; i < steps; i++)
        largest[i] = 1; /* the median */
    for (uint32_t rank = 0; rank < window->ranks; rank++) {
        const float *row = row_of(window, rank);
        for (uint32_t i = 0; i < steps; i++)
            largest[i] = row[i] > largest[i] ? row[i] : largest[i];
    }
    double late_ns = 0, time_ns = 0;
    for (uint32_t i = 0; i < steps; i++) {
        if (!(window->time_ns[i] > 0) || !(window->own_median_ns[i] > 0))
            continue;
        late_ns += ((double)largest[i] - 1) * window->own_median_ns[i];
        time_ns += window->time_ns[i];
    }
    free(largest);
    return time_ns > 0 ? fmin(late_ns / time_ns, 1) : NAN;
}

double window_own_share(const struct window *window)
{
    double own_ns = 0, time_ns = 0;
    for (uint32_t i = 0; i < window->steps; i++) {
        if (!(window->time_ns[i] > 0) || !(window->own_median_ns[i] > 0))
            continue;
        own_ns += window->own_median_ns[i];
        time_ns += window->time_ns[i];
    }
    return time_ns > 0 ? fmin(own_ns / time_ns, 1) : NAN;
}

static uint32_t steps_with_data(const struct window *window)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < window->steps; i++)
        count += window->own_median_ns[i] > 0;
    return count;
}

static void fill(struct jitter *jitter, const struct window *window, double longer, double spread)
{
    enum evidence evidence = window->simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED;
    jitter->longer = (struct quantity){longer, evidence};
    jitter->spread = (struct quantity){spread, evidence};
    double here = window_normal_maximum(jitter->ranks);
    for (int i = 0; i < JITTER_EXTRAPOLATIONS; i++) {
        double there = window_normal_maximum(jitter_extrapolation_ranks[i]);
        jitter->longer_at[i] = (struct quantity){longer * (there / here), evidence};
    }
    double loss = loss_share(window);
    if (isnan(loss))
        return;
    double floor = fmin(longer * window_own_share(window), loss);
    jitter->loss = (struct quantity){loss, evidence};
    jitter->floor = (struct quantity){floor, evidence};
    jitter->chronic = (struct quantity){loss - floor, evidence};
}

static void jitter_clear(struct jitter *jitter)
{
    *jitter = (struct jitter){
        .loss = quantity_none(),
        .floor = quantity_none(),
        .chronic = quantity_none(),
        .longer = quantity_none(),
        .spread = quantity_none(),
    };
    for (int i = 0; i < JITTER_EXTRAPOLATIONS; i++)
        jitter->longer_at[i] = quantity_none();
}

void window_jitter(const struct window *window, struct jitter *ret)
{
    jitter_clear(ret);
    struct floor floor = {.window = window};
    floor.left = memory_zeroed((size_t)window->ranks + 1, sizeof(*floor.left));
    floor.scale = memory_zeroed((size_t)window->ranks + 1, sizeof(*floor.scale));
    choose_ranks(&floor, false);
    if (floor.equal == 0)
        choose_ranks(&floor, true);
    ret->ranks = (int)floor.present;
    ret->steps = (int)steps_with_data(window);
    if (floor.present >= 2 && floor.equal >= 1 && ret->steps >= 2) {
        float *sampled = memory_resized(NULL, SAMPLE, sizeof(*sampled));
        uint32_t count = sample(&floor, sampled);
        double median_took = sqrt(variance_left(floor.present));
        if (count > 0) {
            double longer = fmax(expected_maximum(&floor, sampled, count), 0) / median_took;
            fill(ret, window, longer, robust_spread(sampled, count) / median_took);
        }
        free(sampled);
    }
    free(floor.left);
    free(floor.scale);
    free(floor.largest);
}

/* The permutation test. */
#include "permutation.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

#define BLOCK_FACTOR 20.0
#define ALIKE_MAX 0.98

/* splitmix64: seeded, and the same on every machine. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A value's distance from a mean; what only rounding makes is none. */
static double distance(double value, double mean)
{
    double far = value - mean;
    return fabs(far) > 1e-12 * fabs(mean) ? far : 0;
}

/* ---- how alike neighbours are ---- */

struct products {
    double square, neighbour;
};

static void add_products(struct products *to, const double *values, size_t count)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        double here = distance(values[i], mean);
        to->square += here * here;
        if (i + 1 < count)
            to->neighbour += here * distance(values[i + 1], mean);
    }
}

/* The lag-1 autocorrelation of both, each about its own mean. */
static double alike(const double *a, size_t a_count, const double *b, size_t b_count)
{
    struct products sum = {0};
    add_products(&sum, a, a_count);
    add_products(&sum, b, b_count);
    return sum.square > 0 ? sum.neighbour / sum.square : 0;
}

/* By how much less means of such blocks vary than they would across their edges. */
static double left_over(double r, size_t block)
{
    if (r <= 0)
        return 0;
    return 2 * r * (1 - pow(r, (double)block)) / ((double)block * (1 - r * r));
}

/* ---- blocks ---- */

struct blocks {
    double *means; /* of A, then of B; owned */
    size_t count[2];
};

static void add_blocks(struct blocks *blocks, int side, const double *values, size_t count,
                       size_t block)
{
    double *to = blocks->means + (side ? blocks->count[0] : 0);
    size_t blocks_here = count / block, from = count - blocks_here * block;
    for (size_t k = 0; k < blocks_here; k++) {
        double sum = 0;
        for (size_t i = 0; i < block; i++)
            sum += values[from + k * block + i];
        to[k] = sum / (double)block;
    }
    blocks->count[side] = blocks_here;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Makes blocks of *block steps, and doubles it while their means are alike; false when
 * too few are left. */
static bool make_blocks(struct blocks *blocks, const double *a, size_t a_count, const double *b,
                        size_t b_count, size_t *block)
{
    while (least(a_count, b_count) / *block >= PERMUTATION_BLOCKS_MIN) {
        add_blocks(blocks, 0, a, a_count, *block);
        add_blocks(blocks, 1, b, b_count, *block);
        size_t all = blocks->count[0] + blocks->count[1];
        double still = alike(blocks->means, blocks->count[0], blocks->means + blocks->count[0],
                             blocks->count[1]);
        if (still <= 2 / sqrt((double)all))
            return true;
        *block *= 2;
    }
    return false;
}

/* ---- the test ---- */

/* Welch's t of the first `count` values of `all`, of which the sums are known. */
static double welch(double sum, double squares, double count, double all_sum, double all_squares,
                    double all)
{
    double other = all - count, other_sum = all_sum - sum;
    double mean = sum / count, other_mean = other_sum / other;
    double variance = (squares - sum * mean) / (count - 1);
    double other_variance = (all_squares - squares - other_sum * other_mean) / (other - 1);
    double error =
        (variance > 0 ? variance / count : 0) + (other_variance > 0 ? other_variance / other : 0);
    double difference = fabs(mean - other_mean), scale = sqrt(all_squares / all);
    if (difference <= 1e-12 * scale)
        return 0;
    return error > 1e-24 * scale * scale ? difference / sqrt(error) : INFINITY;
}

static double first_welch(const double *values, size_t count, double sum, double squares,
                          size_t all)
{
    double part = 0, part_squares = 0;
    for (size_t i = 0; i < count; i++) {
        part += values[i];
        part_squares += values[i] * values[i];
    }
    return welch(part, part_squares, (double)count, sum, squares, (double)all);
}

/* The smaller side is dealt: the rest is the other. */
static void deal(double *values, size_t count, size_t all, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t draw = (next_random(state) >> 32) * (uint64_t)(all - i) >> 32;
        double swap = values[i];
        values[i] = values[i + draw];
        values[i + draw] = swap;
    }
}

static double count_as_large(struct blocks *blocks, double narrowed)
{
    size_t all = blocks->count[0] + blocks->count[1];
    double *values = blocks->means, mean = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < all; i++)
        mean += values[i] / (double)all;
    for (size_t i = 0; i < all; i++) {
        values[i] = distance(values[i], mean);
        sum += values[i];
        squares += values[i] * values[i];
    }
    double seen = first_welch(values, blocks->count[0], sum, squares, all) * narrowed;
    size_t count = least(blocks->count[0], blocks->count[1]);
    uint64_t state = 20261130;
    int as_large = 0;
    for (int i = 0; i < PERMUTATION_COUNT; i++) {
        deal(values, count, all, &state);
        as_large += first_welch(values, count, sum, squares, all) >= seen * (1 - 1e-9);
    }
    return (as_large + 1.0) / (PERMUTATION_COUNT + 1.0);
}

struct permutation permutation_test(const double *a, size_t a_count, const double *b,
                                    size_t b_count)
{
    struct permutation result = {PERMUTATION_FEW_STEPS, NAN, NAN, 0, {a_count, b_count}, {0, 0}};
    if (least(a_count, b_count) < PERMUTATION_STEPS_MIN)
        return result;
    double n = (double)(a_count + b_count) / 2, r = alike(a, a_count, b, b_count);
    r = fmin(r + (1 + 3 * r) / n, ALIKE_MAX);
    size_t longest = a_count > b_count ? a_count : b_count;
    size_t block = (longest + PERMUTATION_BLOCKS_MAX - 1) / PERMUTATION_BLOCKS_MAX;
    double wanted = r > 0 ? ceil(BLOCK_FACTOR * r / (1 - r * r)) : 1;
    result.alike = r;
    result.block = block > wanted ? block : (size_t)wanted;
    struct blocks blocks = {memory_zeroed((a_count + b_count) / result.block + 2, sizeof(double)),
                            {0, 0}};
    result.answer = PERMUTATION_ALIKE;
    if (make_blocks(&blocks, a, a_count, b, b_count, &result.block)) {
        result.answer = PERMUTATION_DONE;
        result.blocks[0] = blocks.count[0];
        result.blocks[1] = blocks.count[1];
        result.p = count_as_large(&blocks, sqrt(1 - left_over(r, result.block)));
    }
    free(blocks.means);
    return result;
}

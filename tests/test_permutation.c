/* The permutation test: false alarms of seeded runs, power, and what it cannot tell. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "permutation.h"

#define RUNS 400

/* ---- series with a known truth ---- */

static uint64_t seed;

static double uniform(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t z = seed ^ (seed >> 33);
    z *= UINT64_C(0xff51afd7ed558ccd);
    z ^= z >> 33;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* AR(1) about `mean` with standard deviation `spread`. */
static void fill(double *values, size_t count, double rho, double mean, double spread)
{
    double value = normal();
    for (size_t i = 0; i < count; i++) {
        values[i] = mean + spread * value;
        value = rho * value + sqrt(1 - rho * rho) * normal();
    }
}

/* Of RUNS pairs how many are called different; *ret_told: of how many it could be told. */
static int alarms(size_t a_count, size_t b_count, double rho, double b_mean, double b_spread,
                  int runs, int *ret_told)
{
    double a[256], b[256];
    int found = 0;
    *ret_told = 0;
    seed = 7;
    for (int i = 0; i < runs; i++) {
        fill(a, a_count, rho, 1, 0.02);
        fill(b, b_count, rho, b_mean, b_spread);
        struct permutation test = permutation_test(a, a_count, b, b_count);
        if (test.answer != PERMUTATION_DONE)
            continue;
        ++*ret_told;
        found += test.p < PERMUTATION_LEVEL;
    }
    return found;
}

static void independent_steps_give_false_alarms_as_often_as_said(void **state)
{
    int told, found = alarms(40, 40, 0, 1, 0.02, RUNS, &told);
    assert_true(told > RUNS * 9 / 10);
    assert_true(found <= RUNS * 7 / 100);
    assert_true(found >= RUNS * 2 / 100); /* it is a test, not a refusal */
}

static void steps_that_hang_together_give_no_more(void **state)
{
    int told, found = alarms(200, 200, 0.5, 1, 0.02, RUNS, &told);
    assert_true(told > RUNS * 95 / 100);
    assert_true(found <= RUNS * 7 / 100);
    assert_true(found >= RUNS * 2 / 100);
}

static void a_run_that_only_jitters_more_is_not_called_slower(void **state)
{
    int told, found = alarms(120, 40, 0, 1, 0.06, RUNS / 2, &told);
    assert_true(told > RUNS * 9 / 20);
    assert_true(found <= told * 7 / 100);
}

static void three_percent_are_found_in_two_hundred_steps(void **state)
{
    int told, found = alarms(200, 200, 0, 1.03, 0.02, 20, &told);
    assert_int_equal(told, 20);
    assert_int_equal(found, 20);
    found = alarms(200, 200, 0.5, 1.03, 0.02, 20, &told);
    assert_true(told >= 19);
    assert_int_equal(found, told);
}

/* ---- exact cases ---- */

static void the_same_input_gives_the_same_figure(void **state)
{
    double a[100], b[100];
    seed = 3;
    fill(a, 100, 0, 1, 0.02);
    fill(b, 100, 0, 1.003, 0.02);
    struct permutation one = permutation_test(a, 100, b, 100);
    struct permutation other = permutation_test(a, 100, b, 100);
    assert_true(one.p == other.p && one.block == other.block);
    assert_true(one.p > 0 && one.p <= 1);
}

/* The least p is that of no permutation as large: 1 / (n + 1). */
static void what_chance_never_brings_has_the_least_p(void **state)
{
    double a[100], b[100];
    seed = 4;
    fill(a, 100, 0, 1, 0.001);
    fill(b, 100, 0, 2, 0.001);
    assert_true(permutation_test(a, 100, b, 100).p == 1.0 / (PERMUTATION_COUNT + 1));
}

static void constant_series_are_alike_or_different(void **state)
{
    double a[40], b[40];
    for (int i = 0; i < 40; i++) {
        a[i] = 0.1;
        b[i] = 0.1;
    }
    assert_true(permutation_test(a, 40, b, 40).p == 1);
    for (int i = 0; i < 40; i++)
        b[i] = 0.2;
    struct permutation test = permutation_test(a, 40, b, 40);
    assert_int_equal(test.answer, PERMUTATION_DONE);
    assert_true(test.p <= 0.001);
}

static void too_few_steps_are_said(void **state)
{
    double a[PERMUTATION_STEPS_MIN] = {1}, b[100] = {1};
    struct permutation test = permutation_test(a, PERMUTATION_STEPS_MIN - 1, b, 100);
    assert_int_equal(test.answer, PERMUTATION_FEW_STEPS);
    assert_true(isnan(test.p));
    test = permutation_test(a, 0, b, 0);
    assert_int_equal(test.answer, PERMUTATION_FEW_STEPS);
}

/* A slow drift: forty steps in a row are one proof, not forty. */
static void steps_that_drift_slowly_cannot_be_told(void **state)
{
    double a[60], b[60];
    seed = 5;
    for (int i = 0; i < 60; i++) {
        a[i] = 1 + 0.05 * sin(i / 20.0) + 0.001 * normal();
        b[i] = 1 + 0.05 * cos(i / 20.0) + 0.001 * normal();
    }
    assert_int_equal(permutation_test(a, 60, b, 60).answer, PERMUTATION_ALIKE);
}

static void long_series_get_longer_blocks(void **state)
{
    static double a[20000], b[20000];
    seed = 6;
    fill(a, 20000, 0, 1, 0.02);
    fill(b, 20000, 0, 1.002, 0.02);
    struct permutation test = permutation_test(a, 20000, b, 500);
    assert_true(test.block >= 20);
    assert_true(test.blocks[0] <= PERMUTATION_BLOCKS_MAX);
    assert_int_equal(test.blocks[1], 500 / test.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_steps_give_false_alarms_as_often_as_said),
        cmocka_unit_test(steps_that_hang_together_give_no_more),
        cmocka_unit_test(a_run_that_only_jitters_more_is_not_called_slower),
        cmocka_unit_test(three_percent_are_found_in_two_hundred_steps),
        cmocka_unit_test(the_same_input_gives_the_same_figure),
        cmocka_unit_test(what_chance_never_brings_has_the_least_p),
        cmocka_unit_test(constant_series_are_alike_or_different),
        cmocka_unit_test(too_few_steps_are_said),
        cmocka_unit_test(steps_that_drift_slowly_cannot_be_told),
        cmocka_unit_test(long_series_get_longer_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

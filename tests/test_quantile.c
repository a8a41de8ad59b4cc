/* Medians: exact at first, near enough later, in bounded memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "quantile.h"

static uint64_t random_state = 1;

static double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double sorted_median(const double *values, uint32_t n)
{
    double *copy = malloc(n * sizeof(*copy));
    for (uint32_t i = 0; i < n; i++)
        copy[i] = values[i];
    qsort(copy, n, sizeof(*copy), by_value);
    double median = n % 2 ? copy[n / 2] : (copy[n / 2 - 1] + copy[n / 2]) / 2;
    free(copy);
    return median;
}

/* Every length, with many and with few different values, sorted and not. */
static void a_median_is_that_of_the_sorted_values(void **state)
{
    double values[300], copy[300];
    float floats[300];
    int64_t ns[300];
    for (uint32_t n = 1; n <= 300; n++)
        for (int kind = 0; kind < 5; kind++) {
            for (uint32_t i = 0; i < n; i++) {
                double v = kind == 0   ? floor(uniform() * 1e6)
                           : kind == 1 ? floor(uniform() * 3)
                           : kind == 2 ? i
                           : kind == 3 ? n - i
                                       : 7;
                copy[i] = values[i] = v;
                floats[i] = (float)v;
                ns[i] = (int64_t)v * 2;
            }
            double right = sorted_median(values, n);
            assert_true(median_of(copy, n) == right);
            assert_true(median_of_floats(floats, n) == right);
            assert_true(median_of_ns(ns, n) == right * 2);
        }
    assert_true(isnan(median_of(values, 0)));
    assert_true(isnan(median_of_floats(floats, 0)));
    assert_true(isnan(median_of_ns(ns, 0)));
}

/* 1 to 5,000, in an order that is neither: exact up to 4,096 values, and later to 1/64 of the
 * median. Past 16 medians nothing is known. */
static void any_place_of_a_stream_is_found(void **state)
{
    struct quantile quantile = {0};
    assert_true(isnan(quantile_place(&quantile, 0.99)));
    for (uint32_t i = 0; i < 1000; i++)
        quantile_add(&quantile, i * 7 % 1000 + 1);
    assert_true(quantile_place(&quantile, 0.99) == 991 && quantile_place(&quantile, 0) == 1);
    quantile_done(&quantile);
    for (uint32_t i = 0; i < 5000; i++)
        quantile_add(&quantile, i * 7 % 5000 + 1);
    double error = (double)quantile_median(&quantile) / 64;
    assert_true(fabs(quantile_place(&quantile, 0.99) - 4951) <= error);
    for (int i = 0; i < 100; i++)
        quantile_add(&quantile, 1e9);
    assert_true(isnan(quantile_place(&quantile, 0.99)));
    quantile_done(&quantile);
}

static void a_stream_is_exact_at_first_and_near_enough_later(void **state)
{
    enum { COUNT = 20000 };
    double *values = malloc(COUNT * sizeof(*values));
    struct quantile quantile = {0};
    assert_true(isnan(quantile_median(&quantile)));
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = 1.1e9 * (0.95 + 0.1 * uniform());
        if (uniform() < 0.01)
            values[i] *= 20;
        quantile_add(&quantile, values[i]);
        if (i == 0 || i == 1 || i == 99 || i == 4094)
            assert_true(fabs(quantile_median(&quantile) / sorted_median(values, i + 1) - 1) < 1e-7);
        if (i == 4096 || i == 9999 || i == COUNT - 1)
            assert_true(fabs(quantile_median(&quantile) / sorted_median(values, i + 1) - 1) < 3e-4);
    }
    assert_int_equal(quantile.count, COUNT);
    struct quantile copy = {0};
    quantile_copy(&copy, &quantile);
    quantile_add(&quantile, 1);
    assert_true(fabs(quantile_median(&copy) / sorted_median(values, COUNT) - 1) < 3e-4);
    quantile_done(&copy);
    quantile_done(&quantile);
    free(values);
}

/* A job whose steps come to take three times as long: coarse, but not wrong. */
static void a_median_that_moves_far_is_followed(void **state)
{
    struct quantile quantile = {0};
    for (int i = 0; i < 5000; i++)
        quantile_add(&quantile, 1 + 0.02 * uniform());
    for (int i = 0; i < 20000; i++)
        quantile_add(&quantile, 3 + 0.02 * uniform());
    assert_true(fabs(quantile_median(&quantile) - 3.01) < 0.02);
    for (int i = 0; i < 60000; i++)
        quantile_add(&quantile, 0.25);
    assert_true(fabs(quantile_median(&quantile) - 0.25) < 0.02);
    assert_true(quantile.bin_count <= QUANTILE_FINE_END - QUANTILE_FINE_FIRST);
    quantile_done(&quantile);
}

static void odd_values_break_nothing(void **state)
{
    static const double odd[] = {0, 1e-300, 1e15, 1e30, 3e38};
    for (size_t k = 0; k < sizeof(odd) / sizeof(odd[0]); k++) {
        struct quantile quantile = {0};
        for (int i = 0; i < 10000; i++)
            quantile_add(&quantile, i % 2 ? odd[k] : 1);
        for (int i = 0; i < 10000; i++)
            quantile_add(&quantile, odd[k]);
        assert_true(quantile_median(&quantile) >= 0);
        quantile_done(&quantile);
        assert_int_equal(quantile.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_median_is_that_of_the_sorted_values),
        cmocka_unit_test(any_place_of_a_stream_is_found),
        cmocka_unit_test(a_stream_is_exact_at_first_and_near_enough_later),
        cmocka_unit_test(a_median_that_moves_far_is_followed),
        cmocka_unit_test(odd_values_break_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

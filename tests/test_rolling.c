/* The rolling median, beside sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantile.h"
#include "rolling.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double sorted_median(const double *values, uint32_t n)
{
    double sorted[64];
    memcpy(sorted, values, n * sizeof(double));
    qsort(sorted, n, sizeof(double), by_value);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* Values that rise, fall and stay for a while, so that the bound is put to the test. */
static double next_value(uint32_t i, uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    double noise = (double)(*state >> 40) / (1 << 24);
    double level = i / 97 % 3 == 0 ? 1 : i / 97 % 3 == 1 ? 0.2 : 5;
    return level * (1 + noise);
}

static void the_median_and_what_is_over_it_are_exact(void **state)
{
    for (uint32_t window = 1; window <= 60; window += window < 8 ? 1 : 13) {
        struct rolling rolling;
        double last[64];
        uint64_t seed = window;
        uint32_t over = 0;
        rolling_init(&rolling, window);
        assert_true(isnan(rolling_median(&rolling)));
        assert_false(rolling_is_over(&rolling, 1, 0.1));
        for (uint32_t i = 0; i < 3000; i++) {
            double value = next_value(i, &seed);
            if (i > 0) {
                uint32_t n = i < window ? i : window;
                double right = sorted_median(last, n);
                bool is_over = rolling_is_over(&rolling, value, 1.5);
                assert_true(is_over == (value > 1.5 * right));
                over += is_over;
                if (i % 7 == 0)
                    assert_true(rolling_median(&rolling) == right);
            }
            rolling_add(&rolling, value);
            last[i % window] = value;
        }
        assert_true(over > 20 && over < 2980);
        rolling_done(&rolling);
    }
}

static void a_copy_goes_on_by_itself(void **state)
{
    struct rolling one, other = {0};
    rolling_init(&one, 3);
    rolling_add(&one, 1);
    rolling_add(&one, 2);
    rolling_copy(&other, &one);
    rolling_add(&one, 9);
    rolling_add(&other, 0);
    assert_true(rolling_median(&one) == 2);
    assert_true(rolling_median(&other) == 1);
    rolling_done(&one);
    rolling_done(&other);
}

/* median_near() against median_of_floats(): any guess, NANs, ties, even and odd. */
static void a_median_from_any_guess_is_the_median(void **state)
{
    static const double guesses[] = {0, 0.5, 1, 1.02, 7, 1e30, INFINITY, NAN, -1};
    uint64_t seed = 5;
    for (uint32_t n = 0; n <= 70; n++)
        for (int kind = 0; kind < 4; kind++) {
            float values[70], known[70];
            uint32_t count = 0;
            for (uint32_t i = 0; i < n; i++) {
                double value = next_value(i, &seed);
                values[i] = kind == 1 ? (float)(int)(value * 2) / 2 : (float)value;
                if ((kind == 2 && i % 3 == 0) || (kind == 3 && i % 2 == 0))
                    values[i] = NAN;
                known[count] = values[i];
                count += values[i] == values[i];
            }
            double right = median_of_floats(known, count);
            for (size_t g = 0; g < sizeof(guesses) / sizeof(guesses[0]); g++) {
                double median = median_near(values, n, guesses[g]);
                assert_true(count == 0 ? isnan(median) : median == right);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_and_what_is_over_it_are_exact),
        cmocka_unit_test(a_copy_goes_on_by_itself),
        cmocka_unit_test(a_median_from_any_guess_is_the_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

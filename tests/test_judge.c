/* One series of slowdowns, step by step: when it is named, and when it clears. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "straggler.h"

#define WINDOW 20

struct series {
    struct straggler straggler;
    struct straggler_test test;
    float row[WINDOW];
    uint32_t ordinal; /* of the next sample */
};

static void begin(struct series *series)
{
    *series = (struct series){.test = {WINDOW, 0.05, straggler_z(1)}};
    for (int i = 0; i < WINDOW; i++)
        series->row[i] = NAN;
}

static enum straggler_change next(struct series *series, double slowdown, double spread)
{
    uint32_t ordinal = series->ordinal++;
    float *place = series->row + ordinal % WINDOW;
    if (!straggler_add(&series->straggler, place, 1.025f, slowdown))
        return STRAGGLER_SAME;
    return straggler_judge(&series->straggler, series->row, &series->test, ordinal, spread);
}

/* How many samples it took until it changed; 100 at most. */
static uint32_t until(struct series *series, double slowdown, enum straggler_change wanted)
{
    for (uint32_t count = 1; count <= 100; count++)
        if (next(series, slowdown, 0) == wanted)
            return count;
    return 0;
}

static void the_bounds_are_those_that_are_written_down(void **state)
{
    /* 1.2533 s / sqrt(n), and 4 / n more; sqrt(25 + 2 ln R). */
    assert_true(fabs(straggler_error(100, 1) - 0.1303432) < 1e-9);
    assert_true(fabs(straggler_error(25, 0.02) - 0.0058153) < 1e-6);
    assert_true(straggler_z(1) == 5);
    assert_true(fabs(straggler_z(1024) - 6.234009) < 1e-5);
}

static void a_series_is_named_at_a_fourth_step_and_cleared_when_half_is_good(void **state)
{
    struct series series;
    begin(&series);
    assert_int_equal(until(&series, 1.2, STRAGGLER_NAMED), 21);
    assert_int_equal(series.straggler.from, 1); /* as far back as the window goes */
    assert_int_equal(until(&series, 1.0, STRAGGLER_CLEARED), 10);
    assert_int_equal(series.straggler.to, 20); /* the last slow one */
    quantile_done(&series.straggler.since);
}

static void a_series_that_ends_clears_when_its_last_sample_has_left_the_window(void **state)
{
    struct series series;
    begin(&series);
    assert_int_equal(until(&series, 1.2, STRAGGLER_NAMED), 21);
    assert_int_equal(until(&series, NAN, STRAGGLER_CLEARED), WINDOW);
    assert_int_equal(series.straggler.to, 20);
    quantile_done(&series.straggler.since);
}

static void a_series_that_only_looks_steady_is_held_against_the_spread_of_all(void **state)
{
    struct series series;
    begin(&series);
    /* The error is 1.2533 x 0.05 / sqrt(20) x 1.2 = 0.0168: 1.07 is not over 1 + 5 x it. */
    for (int i = 0; i < 100; i++)
        assert_int_equal(next(&series, 1.07, 0.05), STRAGGLER_SAME);
    begin(&series);
    for (int i = 0; i < 20; i++)
        assert_int_equal(next(&series, 1.1, 0.05), STRAGGLER_SAME); /* too few, or not due */
    assert_int_equal(next(&series, 1.1, 0.05), STRAGGLER_NAMED);
    quantile_done(&series.straggler.since);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bounds_are_those_that_are_written_down),
        cmocka_unit_test(a_series_is_named_at_a_fourth_step_and_cleared_when_half_is_good),
        cmocka_unit_test(a_series_that_ends_clears_when_its_last_sample_has_left_the_window),
        cmocka_unit_test(a_series_that_only_looks_steady_is_held_against_the_spread_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

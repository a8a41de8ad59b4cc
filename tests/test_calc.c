/* The chapter's arithmetic: the values of its sections 1.2 and 1.3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "calc.h"
#include "marks.h"
#include "mfu.h"

/* As the chapter prints it: rounded to so many significant digits. */
static void assert_rounds_to(double value, int digits, double expected)
{
    double rounded = calc_rounded(value, digits);
    if (!(fabs(rounded - expected) <= fabs(expected) * 1e-12)) {
        print_error("%.10g is %.10g in %d digits, not %.10g\n", value, rounded, digits, expected);
        fail();
    }
}

static void six_n_d_is_the_arithmetic_of_llama_3_405b(void **state)
{
    struct calc_training training;
    calc_training_defaults(&training);
    struct calc_training_result result = calc_training(&training);
    assert_rounds_to(result.flop, 3, 3.79e25);
    assert_rounds_to(result.one_at_peak_s, 2, 3.8e10);
    assert_rounds_to(result.one_at_peak_s / CALC_YEAR_S, 2, 1200);
    assert_rounds_to(result.one_at_achieved_s, 2, 9.5e10);
    assert_rounds_to(result.one_at_achieved_s / CALC_YEAR_S, 2, 3000);
}

static void sixteen_thousand_gpus_step_for_67_days(void **state)
{
    struct calc_training training;
    calc_training_defaults(&training);
    struct calc_training_result result = calc_training(&training);
    assert_rounds_to(result.rate, 3, 6.55e18);
    assert_rounds_to(result.stepping_s, 2, 5.8e6);
    assert_rounds_to(result.stepping_s / 86400, 2, 67);
    assert_rounds_to(result.gpu_hours, 3, 2.63e7);
    training.gpus *= 2;
    assert_rounds_to(calc_training(&training).stepping_s, 2, 2.9e6);
}

static void the_bought_hours_give_34_percent_of_the_peak(void **state)
{
    struct calc_training training;
    calc_training_defaults(&training);
    struct calc_training_result result = calc_training(&training);
    assert_rounds_to(result.run_average, 2, 340e12);
    assert_rounds_to(result.run_share, 2, 0.34);
    training.gpu_hours = 0;
    result = calc_training(&training);
    assert_true(isnan(result.run_average) && isnan(result.run_share));
    assert_rounds_to(result.flop, 3, 3.79e25); /* the rest stands */
}

static void a_gpu_year_at_40_percent_is_1_2e22(void **state)
{
    struct calc_training training;
    calc_training_defaults(&training);
    struct calc_training_result result = calc_training(&training);
    assert_rounds_to(result.gpu_year_flop, 2, 1.2e22);
    assert_rounds_to(result.gpu_years_at_40, 2, 3000);
}

static void one_point_is_worth_what_the_table_says(void **state)
{
    struct calc_point point;
    calc_point_defaults(&point);
    struct calc_point_result result = calc_point(&point);
    assert_rounds_to(result.gpu_hours_at_peak, 4, 1.064e7);
    assert_rounds_to(result.gpu_hours, 3, 2.60e7);
    assert_rounds_to(result.gpu_hours_one_more, 3, 2.53e7);
    assert_rounds_to(result.saved_gpu_hours, 2, 6.2e5);
    assert_rounds_to(result.saved_hours, 2, 38);
    assert_rounds_to(result.saved_money, 2, 1.2e6);
    assert_rounds_to(result.saved_kwh, 2, 4.3e5);
}

static void a_point_falls_as_the_square_of_the_mfu(void **state)
{
    struct calc_point point;
    calc_point_defaults(&point);
    double before = INFINITY;
    for (int percent = 10; percent <= 70; percent += 10) {
        double mfu = percent / 100.;
        double saved = calc_saved_gpu_hours(point.flop, point.peak, mfu, mfu + 0.01);
        double at_peak = calc_gpu_hours(point.flop, point.peak, 1);
        assert_true(saved < before);
        assert_true(fabs(saved / (0.01 * at_peak / (mfu * (mfu + 0.01))) - 1) < 1e-9);
        before = saved;
    }
    double there = calc_saved_gpu_hours(point.flop, point.peak, 0.41, 0.42);
    double back = calc_saved_gpu_hours(point.flop, point.peak, 0.42, 0.41);
    assert_true(back < 0 && fabs(there + back) < 1e-6);
}

static void effective_time_leaves_37_percent(void **state)
{
    struct calc_point point;
    calc_point_defaults(&point);
    assert_rounds_to(point.mfu * 0.9, 2, 0.37);
}

static void no_point_is_left_at_the_peak(void **state)
{
    struct calc_point point;
    calc_point_defaults(&point);
    point.mfu = 0.99;
    assert_true(calc_point(&point).saved_gpu_hours > 0);
    point.mfu = 0.995;
    struct calc_point_result result = calc_point(&point);
    assert_true(result.gpu_hours > 0);
    assert_true(isnan(result.gpu_hours_one_more) && isnan(result.saved_gpu_hours));
    assert_true(isnan(result.saved_money) && isnan(result.saved_kwh) && isnan(result.saved_hours));
}

static void free_hours_and_no_power_are_known_to_cost_nothing(void **state)
{
    struct calc_point point;
    calc_point_defaults(&point);
    point.price = point.watts = 0;
    struct calc_point_result result = calc_point(&point);
    assert_true(result.saved_money == 0 && result.saved_kwh == 0);
    assert_rounds_to(result.saved_gpu_hours, 2, 6.2e5);
}

/* Every field of a result is a finite number of its sign, or NAN. */
static void assert_finite_or_nan(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(isnan(values[i]) || (isfinite(values[i]) && values[i] >= 0));
}

static const double nonsense[] = {0, -1, -0., NAN, INFINITY, -INFINITY, 1e-320, 1e308};
#define NONSENSE (sizeof(nonsense) / sizeof(nonsense[0]))

static void nonsense_is_not_known_and_never_divides(void **state)
{
    for (size_t v = 0; v < NONSENSE; v++) {
        for (size_t field = 0; field < 6; field++) {
            struct calc_training training;
            struct calc_point point;
            calc_training_defaults(&training);
            calc_point_defaults(&point);
            ((double *)&training)[field] = nonsense[v];
            ((double *)&point)[field] = nonsense[v];
            struct calc_training_result result = calc_training(&training);
            struct calc_point_result worth = calc_point(&point);
            assert_finite_or_nan((const double *)&result, sizeof(result) / sizeof(double));
            assert_finite_or_nan((const double *)&worth, sizeof(worth) / sizeof(double));
        }
    }
}

static void without_an_argument_its_results_are_not_known(void **state)
{
    for (size_t v = 0; v < 6; v++) {
        struct calc_training training;
        struct calc_point point;
        calc_training_defaults(&training);
        calc_point_defaults(&point);
        training.params = nonsense[v];
        assert_true(isnan(calc_training(&training).flop));
        assert_true(isnan(calc_training(&training).stepping_s));
        assert_rounds_to(calc_training(&training).rate, 3, 6.55e18);
        calc_training_defaults(&training);
        training.gpus = nonsense[v];
        assert_true(isnan(calc_training(&training).rate));
        assert_true(isnan(calc_training(&training).stepping_s));
        assert_rounds_to(calc_training(&training).gpu_hours, 3, 2.63e7);
        point.mfu = nonsense[v];
        assert_true(isnan(calc_point(&point).gpu_hours));
        assert_true(isnan(calc_point(&point).saved_gpu_hours));
        assert_rounds_to(calc_point(&point).gpu_hours_at_peak, 4, 1.064e7);
    }
}

static void the_peaks_are_those_of_the_chapter(void **state)
{
    assert_true(peak_flops_by_name(str_from("A100")) == 312e12);
    assert_true(peak_flops_by_name(str_from("H100 SXM")) == 989e12);
    double b200 = peak_flops_by_name(str_from("B200")); /* "about 2.2 PFLOP/s" */
    assert_true(b200 >= 2.15e15 && b200 <= 2.25e15);
}

static void the_reported_runs_are_those_of_the_table(void **state)
{
    static const double shares[] = {0.653, 0.552, 0.412, 0.43, 0.41, 0.38, 0.462, 0.60};
    size_t count = 0;
    const struct mark *all = marks(&count);
    assert_int_equal(count, sizeof(shares) / sizeof(shares[0]));
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(mark_share(&all[i]) - shares[i]) < 1e-12);
    assert_true(fabs(all[6].hfu - 0.578) < 1e-12);
    assert_string_equal(mark_share_name(&all[6]), "MFU");
    assert_true(isnan(all[7].mfu) && isnan(all[7].hfu));
    assert_string_equal(mark_share_name(&all[7]), "of peak");
    assert_ptr_equal(mark_nearest(0.40), &all[4]);
    assert_ptr_equal(mark_nearest(0.9), &all[0]);
    assert_null(mark_nearest(NAN));
}

static void rounding_keeps_the_digits_that_count(void **state)
{
    assert_true(calc_rounded(3.7908e25, 3) == 3.79e25);
    assert_true(calc_rounded(999.6, 3) == 1000);
    assert_true(calc_rounded(-0.012345, 2) == -0.012);
    assert_true(calc_rounded(0, 3) == 0);
    assert_true(isnan(calc_rounded(INFINITY, 3)) && isnan(calc_rounded(NAN, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_n_d_is_the_arithmetic_of_llama_3_405b),
        cmocka_unit_test(sixteen_thousand_gpus_step_for_67_days),
        cmocka_unit_test(the_bought_hours_give_34_percent_of_the_peak),
        cmocka_unit_test(a_gpu_year_at_40_percent_is_1_2e22),
        cmocka_unit_test(one_point_is_worth_what_the_table_says),
        cmocka_unit_test(a_point_falls_as_the_square_of_the_mfu),
        cmocka_unit_test(effective_time_leaves_37_percent),
        cmocka_unit_test(no_point_is_left_at_the_peak),
        cmocka_unit_test(free_hours_and_no_power_are_known_to_cost_nothing),
        cmocka_unit_test(nonsense_is_not_known_and_never_divides),
        cmocka_unit_test(without_an_argument_its_results_are_not_known),
        cmocka_unit_test(rounding_keeps_the_digits_that_count),
        cmocka_unit_test(the_peaks_are_those_of_the_chapter),
        cmocka_unit_test(the_reported_runs_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a shorter step is worth, against figures by hand and against Panel 1.2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "calc.h"
#include "what_if.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* 1,000 GPUs at 2 a GPU-hour and 700 W; 1.1e9 tokens, 1e8 of them done. */
static struct run run_by_hand(void)
{
    struct run run;
    run_init(&run);
    run.gpu_hour_price = 2;
    run.gpu_watts = 700;
    run.total_tokens = 1.1e9;
    return run;
}

static bool is(struct quantity quantity, double value)
{
    return quantity.evidence == EVIDENCE_COMPUTED && near(quantity.value, value);
}

/* Steps of 5 s would be 0.5 s shorter: a tenth of all time; 1e9 tokens are 10,000
 * steps, 5,000 s in all. */
static void a_tenth_of_the_step_is_a_tenth_of_all_there_is_to_pay(void **state)
{
    struct run run = run_by_hand();
    struct what_if what_if = {.explains = {0.75, EVIDENCE_COMPUTED}};
    what_if_fill(&what_if, 5, 0.5, &run, 1000, 0.36, 1e5, 1e8);
    assert_true(is(what_if.step_time_s, 5) && is(what_if.step_time_without_s, 4.5));
    assert_true(is(what_if.gain_share, 0.1));
    assert_true(is(what_if.mfu_points, 4)); /* 36% to 40% */
    assert_true(is(what_if.gpu_hours_day, 2400));
    assert_true(is(what_if.money_day, 4800) && is(what_if.kwh_day, 1680));
    assert_true(is(what_if.hours_end, 5000 / 3600.0));
    assert_true(is(what_if.gpu_hours_end, 5e6 / 3600));
    assert_true(is(what_if.money_end, 1e7 / 3600) && is(what_if.kwh_end, 3.5e6 / 3600));
    assert_true(what_if.explains.value == 0.75); /* not its business */
}

/* Llama 3 405B on 16,384 H100: from 41% to 42% saves 6.2e5 GPU-hours, 38 hours. */
static void the_end_of_the_run_is_that_of_panel_1_2(void **state)
{
    struct run run = run_by_hand();
    run.total_tokens = 15.6e12;
    double flop_per_token = 6 * 405e9, peak = 989e12, gpus = 16384, tokens = 16e6;
    for (double done = 0; done < 15e12; done += 3e12) {
        for (double gain = 0.0125; gain < 0.9; gain *= 3) {
            double mfu = 0.41, time_s = tokens * flop_per_token / (mfu * gpus * peak);
            struct what_if what_if;
            what_if_fill(&what_if, time_s, gain * time_s, &run, gpus, mfu, tokens, done);
            double flop = (15.6e12 - done) * flop_per_token;
            double after = mfu + what_if.mfu_points.value / 100;
            assert_true(
                near(what_if.gpu_hours_end.value, calc_saved_gpu_hours(flop, peak, mfu, after)));
        }
    }
    double time_s = tokens * flop_per_token / (0.41 * gpus * peak);
    struct what_if point;
    what_if_fill(&point, time_s, time_s / 42, &run, gpus, 0.41, tokens, 0);
    assert_true(is(point.mfu_points, 1));
    assert_true(fabs(point.gpu_hours_end.value - 6.2e5) < 0.05e5);
    assert_true(fabs(point.hours_end.value - 38) < 0.5);
    assert_true(fabs(point.money_end.value - 1.2e6) < 0.05e6);
    assert_true(fabs(point.kwh_end.value - 4.3e5) < 0.05e5);
}

static void what_is_not_known_is_not_made_up(void **state)
{
    struct run run = run_by_hand();
    struct what_if what_if;
    run.gpu_hour_price = 0;
    what_if_fill(&what_if, 5, 0.5, &run, 1000, NAN, 1e5, NAN);
    assert_false(quantity_known(what_if.mfu_points));
    assert_false(quantity_known(what_if.money_day) || quantity_known(what_if.money_end));
    assert_false(quantity_known(what_if.hours_end) || quantity_known(what_if.gpu_hours_end));
    assert_true(is(what_if.kwh_day, 1680));

    run = run_by_hand();
    run.gpu_watts = 0;
    run.total_tokens = 0;
    what_if_fill(&what_if, 5, 0.5, &run, 0, 0.36, 1e5, 0);
    assert_false(quantity_known(what_if.gpu_hours_day) || quantity_known(what_if.money_day));
    assert_false(quantity_known(what_if.kwh_day) || quantity_known(what_if.hours_end));
    assert_true(is(what_if.gain_share, 0.1));

    run = run_by_hand(); /* hours of the job are known without the number of GPUs */
    what_if_fill(&what_if, 5, 0.5, &run, NAN, 0.36, 1e5, 1e8);
    assert_true(is(what_if.hours_end, 5000 / 3600.0));
    assert_false(quantity_known(what_if.gpu_hours_end));
    what_if_fill(&what_if, 5, 0.5, &run, 8, 0.36, 0, 1e8);
    assert_false(quantity_known(what_if.hours_end));

    static const double times_s[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        what_if_fill(&what_if, times_s[i], 0.5, &run, 1000, 0.36, 1e5, 1e8);
        assert_false(quantity_known(what_if.step_time_s) || quantity_known(what_if.gain_share) ||
                     quantity_known(what_if.gpu_hours_day) || quantity_known(what_if.hours_end));
    }
    what_if_fill(&what_if, 5, NAN, &run, 1000, 0.36, 1e5, 1e8);
    assert_false(quantity_known(what_if.gain_share) || quantity_known(what_if.step_time_s));
}

static void nothing_to_gain_is_known_to_be_nothing(void **state)
{
    struct run run = run_by_hand();
    struct what_if what_if;
    what_if_fill(&what_if, 5, -0.1, &run, 1000, 0.36, 1e5, 1e8);
    assert_true(is(what_if.gain_share, 0) && is(what_if.mfu_points, 0));
    assert_true(is(what_if.money_day, 0) && is(what_if.gpu_hours_end, 0));
    assert_true(is(what_if.step_time_without_s, 5));
    what_if_fill(&what_if, 5, 0.5, &run, 1000, 0.36, 1e5, 2e9); /* past its end */
    assert_true(is(what_if.hours_end, 0) && is(what_if.gpu_hours_day, 2400));
}

static void a_step_of_which_nothing_is_left_has_no_utilization(void **state)
{
    struct run run = run_by_hand();
    struct what_if what_if;
    what_if_fill(&what_if, 5, 7, &run, 1000, 0.36, 1e5, 1e8);
    assert_true(is(what_if.gain_share, 1) && is(what_if.step_time_without_s, 0));
    assert_false(quantity_known(what_if.mfu_points));
}

static void a_simulated_run_says_so_everywhere(void **state)
{
    struct run run = run_by_hand();
    run.simulated = true;
    struct what_if what_if;
    what_if_fill(&what_if, 5, 0.5, &run, 1000, 0.36, 1e5, 1e8);
    const struct quantity all[] = {
        what_if.step_time_s,   what_if.step_time_without_s, what_if.gain_share, what_if.mfu_points,
        what_if.gpu_hours_day, what_if.money_day,           what_if.kwh_day,    what_if.hours_end,
        what_if.gpu_hours_end, what_if.money_end,           what_if.kwh_end,
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_int_equal(all[i].evidence, EVIDENCE_SIMULATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tenth_of_the_step_is_a_tenth_of_all_there_is_to_pay),
        cmocka_unit_test(the_end_of_the_run_is_that_of_panel_1_2),
        cmocka_unit_test(what_is_not_known_is_not_made_up),
        cmocka_unit_test(nothing_to_gain_is_known_to_be_nothing),
        cmocka_unit_test(a_step_of_which_nothing_is_left_has_no_utilization),
        cmocka_unit_test(a_simulated_run_says_so_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

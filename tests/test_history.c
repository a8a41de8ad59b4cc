/* Steps that are kept, and steps that were lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "history.h"

static struct history_step step_of(int64_t step, double time_ns)
{
    return (struct history_step){
        .step = step,
        .own_ns = 600,
        .input_ns = 10,
        .late_ns = 100,
        .straggler_ns = 60,
        .exchange_ns = 50,
        .time_ns = time_ns,
        .tokens = 1000,
    };
}

static void sums_are_those_of_the_steps(void **state)
{
    struct history history = {0};
    struct history_step odd = step_of(3, 2000);
    odd.exchange_ns = odd.input_ns = NAN;
    for (int64_t s = 0; s < 3; s++) {
        struct history_step step = step_of(s, 1000);
        assert_int_equal(history_add(&history, &step), s);
    }
    history_add(&history, &odd);
    assert_int_equal(history.sums.steps, 4);
    assert_true(history.sums.time_ns == 5000 && history.sums.own_ns == 2400);
    assert_true(history.sums.exchange_ns == 150 && history.sums.input_ns == 30);
    assert_int_equal(history.exchange_steps, 3);
    assert_int_equal(history.own_steps, 4);
    assert_true(history.tokens == 4000);
    history_done(&history);
}

static void steps_that_are_done_again_are_lost(void **state)
{
    struct history history = {0};
    for (int64_t s = 0; s < 1000; s++) {
        struct history_step step = step_of(s, 1000);
        history_add(&history, &step);
    }
    assert_int_equal(history_restart(&history, 900, 5000), 100);
    assert_int_equal(history.restarts, 1);
    assert_int_equal(history.repeated_steps, 100);
    assert_true(history.sums.lost_ns == 100000 && history.sums.down_ns == 5000);
    assert_true(history.sums.time_ns == 900000 && history.sums.own_ns == 540000);
    for (int64_t s = 900; s < 950; s++) {
        struct history_step step = step_of(s, 1000);
        history_add(&history, &step);
    }
    /* Further back than the restart before. */
    assert_int_equal(history_restart(&history, 850, NAN), 100);
    assert_true(history.down_unknown);
    assert_true(history.sums.down_ns == 0);
    history_restart(&history, 100000, 7000);
    assert_true(history.down_unknown && history.sums.down_ns == 0);
    assert_int_equal(history.repeated_steps, 200);
    assert_int_equal(history.sums.steps, 850);
    assert_true(history.sums.lost_ns == 200000 && history.tokens == 850000);
    assert_false(history.lost_more);
    history_done(&history);
}

/* 2^53 ns and 1 ns are no more than 2^53, but 1 ns less is less. */
static void what_is_taken_away_again_leaves_nothing_negative(void **state)
{
    struct history history = {0};
    struct history_step days = step_of(0, 9007199254740992.0), moment = step_of(1, 1);
    days.own_ns = days.late_ns = 3e15f;
    history_add(&history, &days);
    for (int64_t s = 0; s < 9; s++) {
        moment.step = 1 + s;
        history_add(&history, &moment);
    }
    assert_int_equal(history_restart(&history, 0, 0), 10);
    assert_true(history.sums.time_ns >= 0 && history.sums.time_ns <= 16);
    assert_true(history.sums.own_ns >= 0 && history.sums.late_ns >= 0);
    history_done(&history);
}

static void a_restart_that_goes_on_where_it_was_loses_nothing(void **state)
{
    struct history history = {0};
    for (int64_t s = 0; s < 10; s++) {
        struct history_step step = step_of(s, 1000);
        history_add(&history, &step);
    }
    assert_int_equal(history_restart(&history, 10, 3000), 0);
    assert_int_equal(history.repeated_steps, 0);
    assert_int_equal(history.sums.steps, 10);
    history_done(&history);
}

static void blame_reaches_the_step_and_leaves_with_it(void **state)
{
    struct history history = {0};
    for (int64_t s = 0; s < 10; s++) {
        struct history_step step = step_of(s, 1000);
        history_add(&history, &step);
    }
    history_blame(&history, 9, 40);
    history_blame(&history, 2, 30);
    assert_true(history.sums.straggler_ns == 670);
    assert_int_equal(history_restart(&history, 9, 0), 1);
    assert_true(history.sums.straggler_ns == 570); /* 8 x 60 and 90 */
    history_done(&history);
}

static void what_is_no_longer_remembered_is_said_to_be_lost_too(void **state)
{
    struct history history = {0}, copy = {0};
    for (int64_t s = 0; s < HISTORY_STEPS_MAX + 500; s++) {
        struct history_step step = step_of(s, 1000);
        history_add(&history, &step);
    }
    history_copy(&copy, &history);
    assert_int_equal(history_restart(&history, 0, 0), HISTORY_STEPS_MAX);
    assert_true(history.lost_more);
    assert_int_equal(history_restart(&copy, HISTORY_STEPS_MAX, 0), 500);
    assert_false(copy.lost_more);
    history_done(&history);
    history_done(&copy);
}

/* A packed one has forgotten all but the newest; copies of it come to the same once as
 * many steps as can be remembered have followed, and before, for what lies behind. */
static void a_copy_of_a_packed_one_goes_on_as_one_of_the_whole(void **state)
{
    struct history whole = {0}, packed = {0}, copy = {0};
    for (int64_t s = 0; s < 20000; s++) {
        struct history_step step = step_of(s, 1000 + (double)(s % 7));
        history_add(&whole, &step);
    }
    history_copy(&packed, &whole);
    size_t bytes = history_bytes(&packed);
    history_pack(&packed, 100);
    assert_true(history_bytes(&packed) * 100 < bytes);
    history_copy(&copy, &packed);
    assert_int_equal(history_bytes(&copy), bytes);
    history_blame(&whole, 19950, 40);
    history_blame(&copy, 19950, 40);
    for (int64_t s = 20000; s < 20000 + HISTORY_STEPS_MAX; s++) {
        struct history_step step = step_of(s, 1000 + (double)(s % 5));
        history_add(&whole, &step);
        history_add(&copy, &step);
    }
    assert_int_equal(history_restart(&whole, 20100, 5), history_restart(&copy, 20100, 5));
    assert_memory_equal(&whole.sums, &copy.sums, sizeof(whole.sums));
    assert_memory_equal(whole.ring, copy.ring, bytes);
    history_done(&whole);
    history_done(&packed);
    history_done(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_steps),
        cmocka_unit_test(steps_that_are_done_again_are_lost),
        cmocka_unit_test(what_is_taken_away_again_leaves_nothing_negative),
        cmocka_unit_test(a_restart_that_goes_on_where_it_was_loses_nothing),
        cmocka_unit_test(blame_reaches_the_step_and_leaves_with_it),
        cmocka_unit_test(what_is_no_longer_remembered_is_said_to_be_lost_too),
        cmocka_unit_test(a_copy_of_a_packed_one_goes_on_as_one_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

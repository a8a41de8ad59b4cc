/* Logs of whole jobs whose step numbers go back: which values are done again, with time stamps and
 * without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "analysis_fixture.h"

/* A mean over `span` steps up to `step`; end_s: when it was logged, below 0 when the log has no
 * stamps. */
static void add_value(struct analysis *analysis, int64_t step, int64_t span, double seconds,
                      double end_s)
{
    struct record record = {.has = RECORD_RANK | RECORD_JOB | RECORD_STEP | RECORD_STEP_TIME |
                                   RECORD_SPAN | (end_s >= 0 ? RECORD_BEGIN : 0),
                            .step = step,
                            .span = span,
                            .step_time_ns = llround(seconds * 1e9),
                            .begin_ns = llround((1e9 + end_s - (double)span * seconds) * 1e9)};
    analysis_add(analysis, &record, 0);
}

static void assert_job(struct analysis *analysis, int attempts, int64_t values, int64_t again,
                       uint64_t duplicate)
{
    struct summary summary;
    analysis_finish(analysis);
    sum_up(analysis, &summary);
    assert_int_equal(summary.attempts, attempts);
    assert_int_equal(summary.complete, values);
    assert_int_equal(summary.effective.repeated_steps, again);
    assert_int_equal(summary.source.duplicate, duplicate);
    summary_done(&summary);
    analysis_free(analysis);
}

/* Steps 1 to 20 without 16, then 14 to 30: 14 and 15 as long as before, 16 was not there. */
static void values_without_stamps_are_done_again_from_the_first_that_went_back(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int step = 1; step <= 20; step++)
        if (step != 16)
            add_value(analysis, step, 1, 2, -1);
    for (int step = 14; step <= 30; step++)
        add_value(analysis, step, 1, step < 16 ? 2 : 2.25, -1);
    assert_job(analysis, 2, 19 + 17, 6, 0);
}

/* The step that the run goes back to stands in no line of the first attempt. */
static void a_restart_may_begin_where_a_line_is_lost(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int step = 1; step <= 20; step++)
        if (step != 16)
            add_value(analysis, step, 1, 2, -1);
    for (int step = 16; step <= 30; step++)
        add_value(analysis, step, 1, 2.25, -1);
    assert_job(analysis, 2, 19 + 15, 4, 0);
}

/* Means over two steps that end at odd steps the second time. */
static void a_restart_may_end_its_means_at_other_steps(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int step = 2; step <= 62; step += 2)
        add_value(analysis, step, 2, 6.5, -1);
    for (int step = 53; step <= 119; step += 2)
        add_value(analysis, step, 2, 6.1, -1);
    assert_job(analysis, 2, 31 + 34, 11, 0);
}

static void lines_without_stamps_that_stand_twice_are_no_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int writer = 0; writer < 2; writer++)
        for (int step = 1; step <= 100; step++)
            add_value(analysis, step, 1, 2, -1);
    add_value(analysis, 101, 1, 2, -1);
    assert_job(analysis, 1, 101, 0, 100);
}

/* Of values without stamps: those of steps first to last, 0.25 s longer each time. */
static void add_stretch(struct analysis *analysis, int first, int last, int time)
{
    for (int step = first; step <= last; step++)
        add_value(analysis, step, 1, 2 + 0.25 * time, -1);
}

/* The checkpoint was of step 19: 20 is done again, and no other. */
static void a_number_that_stays_is_a_restart_when_the_log_goes_on_from_it(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    add_stretch(analysis, 1, 20, 0);
    add_stretch(analysis, 20, 30, 1);
    assert_job(analysis, 2, 20 + 11, 1, 0);
    analysis = new_analysis();
    add_stretch(analysis, 1, 3, 0);
    add_stretch(analysis, 3, 4, 1); /* the log ends there */
    assert_job(analysis, 2, 3 + 2, 1, 0);
}

/* Three attempts that do not get beyond their first step, each of which stands there twice. */
static void each_time_that_a_number_stays_is_a_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int attempt = 0; attempt < 4; attempt++)
        for (int line = 0; line < 2; line++)
            add_stretch(analysis, 1, 1, attempt);
    add_stretch(analysis, 2, 20, 3);
    assert_job(analysis, 4, 3 + 20, 3, 4);
}

/* The mean of 10 steps stands there twice, since the job begins anew. */
static void a_number_of_every_tenth_step_that_stays_is_a_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    add_value(analysis, 10, 10, 2, -1);
    for (int step = 10; step <= 50; step += 10)
        add_value(analysis, step, 10, 2.25, -1);
    assert_job(analysis, 2, 1 + 5, 10, 0);
}

/* Excerpts: what follows is of another place of the run. */
static void a_number_that_stays_before_a_leap_is_no_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int time = 0; time < 6; time++)
        add_stretch(analysis, 2, 2, time);
    add_stretch(analysis, 12695, 12700, 0);
    assert_job(analysis, 1, 1 + 6, 0, 5);
}

/* Several that write the same log, line by line, each with its own value; one line is lost. */
static void values_of_several_writers_are_no_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    uint64_t lines = 0;
    for (int step = 1; step <= 100; step++)
        for (int writer = 0; writer < 3; writer++)
            if (writer == 0 || step % 40 != 39) {
                add_stretch(analysis, step, step, writer);
                lines++;
            }
    assert_job(analysis, 1, 100, 0, lines - 100);
}

/* A log that went through a logger later on: its stamps are milliseconds apart. */
static void stamps_that_deny_the_values_tell_no_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    double now = 100;
    for (int attempt = 0; attempt < 3; attempt++)
        for (int step = 1; step <= 20; step++)
            add_value(analysis, step, 1, 2 + 0.25 * attempt + 0.001 * step, now += 0.005);
    assert_job(analysis, 3, 60, 40, 0);
    analysis = new_analysis();
    for (int step = 1; step <= 60; step++) /* each line stands there twice */
        for (int line = 0; line < 2; line++)
            add_value(analysis, step, 1, 2 + 0.001 * step, now += 0.005);
    assert_job(analysis, 1, 60, 0, 60);
}

/* By itself, a value that steps back is one that comes late. */
static void a_late_value_without_a_stamp_finds_its_place(void **state)
{
    (void)state;
    static const int64_t order[] = {1, 2, 3, 4, 6, 5, 7, 8, 10, 9};
    struct analysis *analysis = new_analysis();
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        add_value(analysis, order[i], 1, 2, -1);
    assert_job(analysis, 1, 10, 0, 0);
}

/* From a checkpoint at step 45: the log gives a mean over the 5 steps up to 50, which is taken for
 * one over 10, so that it seems to begin before the job had stopped. */
static void a_first_value_that_seems_to_begin_too_early_is_a_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int i = 1; i <= 6; i++)
        add_value(analysis, 10 * i, 10, 60, 600 * i);
    add_value(analysis, 50, 10, 60, 3600 + 200 + 300);
    for (int i = 6; i <= 9; i++)
        add_value(analysis, 10 * i, 10, 60, 4100 + 600 * (i - 5));
    assert_job(analysis, 2, 6 + 5, 20, 0);
}

/* Stamps of a thousandth of a second: it ends where the other began, less a rounding. */
static void a_restart_may_follow_at_once(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int step = 1; step <= 20; step++)
        add_value(analysis, step, 1, 2, 2.0 * step);
    for (int step = 11; step <= 30; step++)
        add_value(analysis, step, 1, 2.0002, 40 + 2.0 * (step - 10));
    assert_job(analysis, 2, 40, 10, 0);
}

/* Several that write blocks of lines in turn, each with its own stamp. */
static void accounts_of_the_same_time_are_no_restart(void **state)
{
    (void)state;
    struct analysis *analysis = new_analysis();
    for (int block = 0; block < 100; block += 5)
        for (int writer = 0; writer < 4; writer++)
            for (int step = block + 1; step <= block + 5; step++)
                add_value(analysis, step, 1, 2 + 0.001 * writer, 2.0 * step + 0.01 * writer);
    assert_job(analysis, 1, 100, 0, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_without_stamps_are_done_again_from_the_first_that_went_back),
        cmocka_unit_test(a_restart_may_begin_where_a_line_is_lost),
        cmocka_unit_test(a_restart_may_end_its_means_at_other_steps),
        cmocka_unit_test(lines_without_stamps_that_stand_twice_are_no_restart),
        cmocka_unit_test(a_number_that_stays_is_a_restart_when_the_log_goes_on_from_it),
        cmocka_unit_test(each_time_that_a_number_stays_is_a_restart),
        cmocka_unit_test(a_number_of_every_tenth_step_that_stays_is_a_restart),
        cmocka_unit_test(a_number_that_stays_before_a_leap_is_no_restart),
        cmocka_unit_test(values_of_several_writers_are_no_restart),
        cmocka_unit_test(stamps_that_deny_the_values_tell_no_restart),
        cmocka_unit_test(a_late_value_without_a_stamp_finds_its_place),
        cmocka_unit_test(a_first_value_that_seems_to_begin_too_early_is_a_restart),
        cmocka_unit_test(a_restart_may_follow_at_once),
        cmocka_unit_test(accounts_of_the_same_time_are_no_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

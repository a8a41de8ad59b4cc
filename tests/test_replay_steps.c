/* Saved records as something to walk about in: what is told of files that are not as
 * they were, and where steps and times are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay.h"
#include "replay_fixture.h"
#include "replay_steps.h"

static enum replay_way go(struct replay *replay, int64_t step)
{
    enum replay_way way = replay_go(replay, (struct step_key){.step = step});
    while (way == REPLAY_ON_WAY)
        way = replay_work(replay, 100);
    return way;
}

/* ---- what goes wrong ---- */

static void a_path_that_is_not_there_is_told(void **state)
{
    struct replay_options options = {0};
    char error[512] = "", *paths[] = {"/nonexistent/rank0.jsonl"};
    analysis_options_init(&options.analysis);
    assert_null(replay_new(&options, paths, 1, error, sizeof(error)));
    assert_non_null(strstr(error, "/nonexistent/rank0.jsonl"));
}

static void a_log_without_a_record_has_no_step(void **state)
{
    struct written written = write_down(NULL, 0, 1);
    struct replay_options options = {0};
    char error[512];
    struct step_key key;
    analysis_options_init(&options.analysis);
    struct replay *replay = replay_new(&options, written.paths, 1, error, sizeof(error));
    assert_non_null(replay);
    assert_int_equal(replay_go(replay, (struct step_key){.step = 3}), REPLAY_WAITING);
    while (replay_index(replay, 100))
        continue;
    assert_int_equal(replay_work(replay, 100), REPLAY_NOWHERE);
    assert_int_equal(replay_next(replay), REPLAY_NOWHERE);
    assert_int_equal(replay_go_last(replay), REPLAY_ON_WAY);
    assert_int_equal(replay_work(replay, 100), REPLAY_NOWHERE);
    assert_false(replay_key(replay, &key));
    replay_free(replay);
    clear_away(&written);
}

static void a_file_that_is_cut_short_fails_with_a_sentence(void **state)
{
    struct simulate_options simulation = job(3);
    size_t count;
    struct record *records = simulated(&simulation, 300, &count);
    struct written written = write_down(records, count, 1);
    struct replay_options options = {.distance = 200};
    char error[512];
    struct step_key key;
    analysis_options_init(&options.analysis);
    struct replay *replay = replay_new(&options, written.paths, 1, error, sizeof(error));
    while (replay_index(replay, 1000))
        continue;
    assert_int_equal(go(replay, 50), REPLAY_THERE);
    assert_int_equal(truncate(written.paths[0], 2000), 0);
    assert_int_equal(go(replay, 250), REPLAY_FAILED);
    assert_true(replay_files(replay)->notice_count > 0);
    assert_true(replay_key(replay, &key)); /* something is still shown */
    struct summary summary;
    sum_up(replay_shown(replay), &summary);
    assert_true(summary.shown.known);
    summary_done(&summary);
    unlink(written.paths[0]);
    assert_int_equal(go(replay, 280), REPLAY_FAILED);
    replay_free(replay);
    clear_away(&written);
    free(records);
}

/* ---- when steps began ---- */

static void steps_are_found_by_their_time(void **state)
{
    struct simulate_options simulation = job(3);
    simulation.start_ns = 1795953600 * SECOND;
    simulation.jitter = 0;
    simulation.slow_count = 0;
    size_t count;
    struct record *records = simulated(&simulation, 100, &count);
    struct written written = write_down(records, count, 1);
    struct replay_options options = {0};
    char error[512];
    analysis_options_init(&options.analysis);
    struct replay *replay = replay_new(&options, written.paths, 1, error, sizeof(error));
    while (replay_index(replay, 1000))
        continue;
    assert_true(replay_has_clock(replay));
    assert_true(near(replay_time(replay, 0), 1795953600, 1e-3));
    assert_true(near(replay_time(replay, 60), (double)records[180].begin_ns * 1e-9, 1e-3));
    assert_int_equal(replay_at_time(replay, 0), 0);
    assert_int_equal(replay_at_time(replay, (double)records[180].begin_ns * 1e-9 - 0.01), 60);
    assert_int_equal(replay_at_time(replay, (double)records[180].begin_ns * 1e-9 + 0.01), 61);
    assert_int_equal(replay_at_time(replay, 2e9), 100);
    replay_free(replay);
    clear_away(&written);
    free(records);
}

/* ---- the list of steps ---- */

static void add_step(struct replay_steps *steps, int attempt, int64_t step, double begin_s)
{
    struct front_step front = {{.attempt = attempt, .step = step}, begin_s, 0.5};
    replay_steps_add(steps, &front);
}

static int64_t position(const struct replay_steps *steps, int attempt, int64_t step)
{
    return replay_steps_position(steps, (struct step_key){.attempt = attempt, .step = step});
}

static void steps_have_positions_whatever_their_numbers(void **state)
{
    struct replay_steps steps = {0};
    for (int64_t step = 10; step <= 100; step += 10)
        add_step(&steps, 0, step, NAN);
    add_step(&steps, 0, 103, NAN);
    add_step(&steps, 0, 110, NAN);
    add_step(&steps, 1, 90, NAN); /* a restart */
    add_step(&steps, 1, 91, NAN);
    assert_int_equal(steps.total, 14);
    assert_int_equal(position(&steps, 0, 9), -1);
    assert_int_equal(position(&steps, 0, 10), 0);
    assert_int_equal(position(&steps, 0, 29), 1);
    assert_int_equal(position(&steps, 0, 100), 9);
    assert_int_equal(position(&steps, 0, 104), 10);
    assert_int_equal(position(&steps, 0, 5000), 11);
    assert_int_equal(position(&steps, 1, 3), 11);
    assert_int_equal(position(&steps, 1, 90), 12);
    assert_int_equal(position(&steps, 7, 0), 13);
    for (int64_t i = 0; i < steps.total; i++) {
        struct step_key key = replay_steps_key(&steps, i);
        assert_int_equal(position(&steps, key.attempt, key.step), i);
    }
    assert_false(steps.clock);
    assert_true(near(replay_steps_time(&steps, 13), 6.5, 1e-9)); /* each took 0.5 s */
    assert_true(near(replay_steps_time(&steps, 14), 7, 1e-9));
    replay_steps_done(&steps);
}

static void a_clock_that_goes_back_does_not_turn_the_order_round(void **state)
{
    static const double begins[] = {100, 101, 55, NAN, 103};
    static const double expected[] = {100, 101, 101, 101.5, 103};
    struct replay_steps steps = {0};
    for (int i = 0; i < 5; i++)
        add_step(&steps, 0, i, begins[i]);
    for (int i = 0; i < 5; i++)
        assert_true(near(replay_steps_time(&steps, i), expected[i], 1e-9));
    assert_int_equal(replay_steps_at_time(&steps, 101.2), 3);
    replay_steps_done(&steps);
}

static void very_many_steps_keep_every_other_time(void **state)
{
    struct replay_steps steps = {0};
    for (int64_t step = 0; step < 3 * REPLAY_TIMES_MAX; step++)
        add_step(&steps, 0, step, 1000 + 0.25 * (double)step);
    assert_true(steps.time_count <= REPLAY_TIMES_MAX);
    assert_int_equal(steps.count, 1);
    assert_int_equal(steps.spacing, 4);
    for (int64_t i = 0; i < steps.total; i += 4999)
        assert_true(near(replay_steps_time(&steps, i), 1000 + 0.25 * (double)i, 1e-6));
    assert_true(near(replay_steps_time(&steps, steps.total - 1),
                     1000 + 0.25 * (double)(steps.total - 1), 1e-6));
    assert_int_equal(replay_steps_at_time(&steps, 1000 + 0.25 * 100001 - 1e-4), 100001);
    replay_steps_done(&steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_that_is_not_there_is_told),
        cmocka_unit_test(a_log_without_a_record_has_no_step),
        cmocka_unit_test(a_file_that_is_cut_short_fails_with_a_sentence),
        cmocka_unit_test(steps_are_found_by_their_time),
        cmocka_unit_test(steps_have_positions_whatever_their_numbers),
        cmocka_unit_test(a_clock_that_goes_back_does_not_turn_the_order_round),
        cmocka_unit_test(very_many_steps_keep_every_other_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

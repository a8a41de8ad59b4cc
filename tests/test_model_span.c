/* What keys do on heat map and history: cursor, zoom, pan, Enter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "heat_rows.h"
#include "view_scene.h"

#define WIDTH 80
#define HEIGHT 24
#define HEAT_CELLS 65 /* of the heat map's columns at that width; 1,000 steps: 16 a column */

/* Each key is pressed on the picture that the one before has led to. */
static struct view_request press(struct scene *scene, uint32_t code)
{
    struct view_request request =
        model_key(&scene->model, (struct key_event){keys_command(code), code});
    if (scene->model.screen == SCREEN_HEAT || scene->model.screen == SCREEN_HISTORY)
        look(scene, WIDTH, HEIGHT);
    return request;
}

static void start(struct scene *scene, size_t ranks, int64_t positions)
{
    begin(scene, SCREEN_HEAT, ranks, positions);
    scene->summary.is_latest = true;
    look(scene, WIDTH, HEIGHT);
}

static int64_t columns(const struct scene *scene)
{
    return (int64_t)scene->overview.column_count;
}

static void the_cursor_moves_by_a_column_and_stops_at_the_ends(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    assert_int_equal(columns(&scene), 63); /* of 16 steps; the last of 8 */
    press(&scene, KEYS_LEFT);              /* from the shown step, in the last one */
    assert_int_equal(scene.model.heat.cursor, 61 * 16);
    press(&scene, KEYS_RIGHT);
    assert_int_equal(scene.model.heat.cursor, 62 * 16);
    press(&scene, KEYS_RIGHT);
    assert_int_equal(scene.model.heat.cursor, RUN - 1);
    press(&scene, KEYS_HOME);
    assert_int_equal(scene.model.heat.cursor, 0);
    press(&scene, KEYS_LEFT);
    assert_int_equal(scene.model.heat.cursor, 0);
    press(&scene, KEYS_PGDN);
    assert_int_equal(scene.model.heat.cursor, 160);
    press(&scene, KEYS_PGUP);
    assert_int_equal(scene.model.heat.cursor, 0);
    assert_int_equal(scene.model.heat.positions, 0); /* not zoomed by any of it */
    end(&scene);
}

static void end_follows_a_live_run_again(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    press(&scene, KEYS_HOME);
    scene.model.paused = true;
    assert_int_equal(press(&scene, KEYS_END).kind, REQUEST_LATEST);
    assert_int_equal(scene.model.heat.cursor, -1);
    assert_false(scene.model.paused);
    press(&scene, KEYS_HOME);
    scene.model.playback.on = true; /* a replay stays where it is */
    assert_int_equal(press(&scene, KEYS_END).kind, REQUEST_NONE);
    assert_int_equal(scene.model.heat.cursor, RUN - 1);
    end(&scene);
}

static void zooming_keeps_the_cursor_where_it_is(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    scene.model.heat.cursor = 600;
    press(&scene, '+'); /* half of it: 600 stays at 60% of the width */
    assert_int_equal(scene.model.heat.positions, 500);
    assert_int_equal(scene.model.heat.from, 300);
    assert_int_equal(scene.model.heat.cursor, 600);
    end(&scene);
}

/* Of many steps in a column: it is the shown one that one comes closer to. */
static void zooming_from_the_shown_step_leads_to_it(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    scene.summary.is_latest = false;
    scene.summary.shown.attempt = 0;
    scene.summary.shown.step = 110; /* in the column of 96 to 111 */
    press(&scene, '+');
    assert_int_equal(scene.model.heat.cursor, 110);
    for (int i = 0; i < 8; i++)
        press(&scene, '+');
    assert_int_equal(scene.model.heat.cursor, 110);
    press(&scene, '0');
    struct view_request request = press(&scene, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_GO);
    assert_int_equal(request.amount, 110); /* not 96 */
    scene.model.screen = SCREEN_HEAT;
    scene.summary.shown.attempt = 1; /* the run goes on there at position 500, with step 400 */
    scene.summary.shown.step = 409;  /* position 509, in the column of 496 to 511 */
    look(&scene, WIDTH, HEIGHT);
    press(&scene, '+');
    assert_int_equal(scene.model.heat.cursor, 509);
    end(&scene);
}

static void the_finest_zoom_is_one_step_a_column(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    for (int i = 0; i < 20; i++)
        press(&scene, '=');
    assert_string_equal(scene.model.message, "one step a column: no finer");
    int64_t finest = scene.model.heat.positions;
    assert_true(finest > HEAT_CELLS / 2 && finest <= HEAT_CELLS);
    assert_int_equal(columns(&scene), finest);
    scene.overview.finest = 4;
    for (size_t i = 0; i < scene.overview.column_count; i++)
        scene.overview.columns[i].positions = 4;
    model_key(&scene.model, (struct key_event){CMD_NONE, '+'});
    assert_string_equal(scene.model.message, "4 steps a column: no finer is kept");
    for (int i = 0; i < 20; i++)
        press(&scene, '-');
    assert_int_equal(scene.model.heat.positions, 0);
    assert_string_equal(scene.model.message, "this is all of the run");
    press(&scene, '+');
    assert_true(scene.model.heat.positions > 0);
    press(&scene, '0');
    assert_int_equal(scene.model.heat.positions, 0);
    end(&scene);
}

static void at_the_edge_of_a_zoomed_view_the_cursor_pans(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    scene.model.heat.from = 100;
    scene.model.heat.positions = 130; /* 65 columns of 2 */
    scene.model.heat.cursor = 228;    /* the last one */
    look(&scene, WIDTH, HEIGHT);
    press(&scene, KEYS_RIGHT);
    assert_int_equal(scene.model.heat.cursor, 230);
    assert_int_equal(scene.model.heat.from, 102);
    assert_int_equal(scene.model.heat.positions, 130);
    scene.model.heat.cursor = 102;
    press(&scene, KEYS_LEFT);
    assert_int_equal(scene.model.heat.cursor, 100);
    assert_int_equal(scene.model.heat.from, 100);
    press(&scene, KEYS_PGDN);
    assert_int_equal(scene.model.heat.from, 230);
    assert_int_equal(scene.model.heat.cursor, 230);
    press(&scene, KEYS_END);
    assert_int_equal(scene.model.heat.from, RUN - 130);
    assert_int_equal(scene.model.heat.cursor, RUN - 1);
    press(&scene, KEYS_PGDN);
    assert_int_equal(scene.model.heat.from, RUN - 130);
    press(&scene, KEYS_HOME);
    assert_int_equal(scene.model.heat.from, 0);
    assert_int_equal(scene.model.heat.cursor, 0);
    end(&scene);
}

static void a_zoomed_view_stays_while_the_run_goes_on(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    press(&scene, '+');
    int64_t from = scene.model.heat.from, positions = scene.model.heat.positions;
    scene.positions += 500;
    look(&scene, WIDTH, HEIGHT);
    press(&scene, KEYS_LEFT);
    assert_int_equal(scene.model.heat.from, from);
    assert_int_equal(scene.model.heat.positions, positions);
    end(&scene);
}

static void enter_goes_to_the_barrier_of_the_cell(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    scene.model.heat.cursor = 608; /* position 608: step 508 of the second attempt */
    struct view_request request = press(&scene, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_GO);
    assert_int_equal(request.amount, 508);
    assert_int_equal(request.attempt, 1);
    assert_int_equal(scene.model.screen, SCREEN_TIMELINE);
    assert_int_equal(scene.model.selected, 5); /* the slowest of that column */
    assert_true(scene.model.paused && scene.model.rank_line);
    assert_int_equal(scene.model.heat.cursor, -1);
    scene.model.screen = SCREEN_HEAT;
    look(&scene, WIDTH, HEIGHT);
    scene.model.heat.cursor = 290; /* 288 to 303, with the spike at 300 */
    scene.model.heat.rank_cursor = 2;
    press(&scene, 'w');
    request = press(&scene, KEYS_ENTER);
    assert_int_equal(request.amount, 300);
    assert_int_equal(request.attempt, 0);
    assert_int_equal(scene.model.selected, 2); /* the row's */
    end(&scene);
}

static void enter_in_the_history_chooses_no_rank(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    look(&scene, WIDTH, HEIGHT);
    scene.model.selected = 7;
    press(&scene, KEYS_HOME);
    struct view_request request = press(&scene, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_GO);
    assert_int_equal(request.amount, 0);
    assert_int_equal(request.attempt, 0);
    assert_int_equal(scene.model.selected, 7);
    assert_false(scene.model.rank_line);
    end(&scene);
}

static void rows_are_walked_and_scrolled(void **state)
{
    struct scene scene;
    start(&scene, 96, RUN);
    scene.model.heat.blocks = HEAT_BY_RANK;
    look(&scene, WIDTH, HEIGHT);
    int rows = scene.model.rank_rows;
    press(&scene, KEYS_UP);
    assert_int_equal(scene.model.heat.rank_cursor, 0);
    press(&scene, KEYS_UP);
    assert_int_equal(scene.model.heat.rank_cursor, 0);
    for (int i = 0; i < rows; i++)
        press(&scene, KEYS_DOWN);
    assert_int_equal(scene.model.heat.rank_cursor, rows);
    assert_int_equal(scene.model.heat.rank_scroll, 1);
    for (int i = 0; i < 200; i++)
        press(&scene, KEYS_DOWN);
    assert_int_equal(scene.model.heat.rank_cursor, 95);
    assert_int_equal(scene.model.heat.rank_scroll, 96 - rows);
    end(&scene);
}

static void b_turns_through_what_this_run_has(void **state)
{
    static const enum heat_by expected[] = {HEAT_BY_RANK, HEAT_BY_HOST, HEAT_BY_GROUP,
                                            HEAT_BY_BLOCK, HEAT_BY_FIT};
    struct scene scene;
    start(&scene, 96, RUN);
    for (size_t i = 0; i < 5; i++) {
        press(&scene, 'b');
        assert_int_equal(scene.model.heat.blocks, expected[i]);
    }
    assert_string_equal(scene.model.message, "rows: as it fits");
    end(&scene);
    start(&scene, 8, RUN); /* one host, one group */
    press(&scene, 'b');
    press(&scene, 'b');
    assert_int_equal(scene.model.heat.blocks, HEAT_BY_FIT);
    end(&scene);
}

static void events_take_the_cursor_along(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    press(&scene, KEYS_HOME);
    struct view_request request = press(&scene, '}');
    assert_int_equal(request.kind, REQUEST_EVENT);
    assert_int_equal(scene.model.heat.cursor, -1);
    press(&scene, KEYS_HOME);
    assert_int_equal(press(&scene, '.').kind, REQUEST_MOVE); /* the shown step, as elsewhere */
    assert_int_equal(scene.model.heat.cursor, -1);
    end(&scene);
}

static void other_keys_do_what_they_do_elsewhere(void **state)
{
    struct scene scene;
    start(&scene, 8, RUN);
    assert_int_equal(press(&scene, 'q').kind, REQUEST_QUIT);
    press(&scene, '/');
    assert_true(scene.model.entering);
    press(&scene, KEYS_ESC);
    press(&scene, KEYS_ESC);
    assert_int_equal(scene.model.screen, SCREEN_TIMELINE);
    end(&scene);
}

static const uint32_t ALL_KEYS[] = {
    KEYS_LEFT, KEYS_RIGHT, KEYS_UP, KEYS_DOWN, KEYS_PGUP, KEYS_PGDN, KEYS_HOME, KEYS_END,  '+', '-',
    '=',       '0',        'w',     'b',       's',       '.',       ',',       KEYS_ENTER};

static void short_and_empty_runs_stand_all_keys(void **state)
{
    struct scene scene;
    for (int64_t positions = 0; positions < 4; positions++) {
        for (int screen = SCREEN_HEAT; screen <= SCREEN_HISTORY; screen++) {
            begin(&scene, (enum screen)screen, positions ? 2 : 0, positions);
            look(&scene, WIDTH, HEIGHT);
            for (size_t i = 0; i < 300; i++) {
                scene.model.screen = (enum screen)screen;
                press(&scene, ALL_KEYS[i * 7 % (sizeof(ALL_KEYS) / sizeof(ALL_KEYS[0]))]);
                const struct span_view *view = &scene.model.heat;
                assert_true(view->cursor >= -1 && view->cursor < (positions ? positions : 1));
                assert_true(view->from >= 0 && view->positions >= 0);
            }
            end(&scene);
        }
    }
}

static void keys_before_the_first_picture_do_nothing(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HEAT, 8, RUN);
    for (size_t i = 0; i < sizeof(ALL_KEYS) / sizeof(ALL_KEYS[0]); i++) {
        if (ALL_KEYS[i] == '.' || ALL_KEYS[i] == ',')
            continue;
        struct key_event event = {keys_command(ALL_KEYS[i]), ALL_KEYS[i]};
        assert_int_equal(model_key(&scene.model, event).kind, REQUEST_NONE);
        assert_int_equal(scene.model.screen, SCREEN_HEAT);
    }
    end(&scene);
}

static void positions_beyond_all_bounds_are_harmless(void **state)
{
    static const int64_t wild[] = {INT64_MIN, -1, 0, 1, INT32_MAX, INT64_MAX};
    struct scene scene;
    start(&scene, 8, RUN);
    for (size_t i = 0; i < 6 * 6 * 6; i++) {
        for (size_t k = 0; k < sizeof(ALL_KEYS) / sizeof(ALL_KEYS[0]); k++) {
            scene.model.screen = SCREEN_HEAT;
            scene.model.heat = (struct span_view){.from = wild[i % 6],
                                                  .positions = wild[i / 6 % 6],
                                                  .cursor = wild[i / 36],
                                                  .rank_cursor = INT32_MAX,
                                                  .rank_scroll = INT32_MIN};
            model_key(&scene.model, (struct key_event){keys_command(ALL_KEYS[k]), ALL_KEYS[k]});
            struct overview_request wanted;
            scene.model.screen = SCREEN_HEAT;
            assert_true(screen_wants(&scene.model, WIDTH, HEIGHT, &wanted));
            assert_true(wanted.from >= 0 && wanted.to >= wanted.from);
            assert_int_equal(wanted.columns, HEAT_CELLS);
        }
    }
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cursor_moves_by_a_column_and_stops_at_the_ends),
        cmocka_unit_test(end_follows_a_live_run_again),
        cmocka_unit_test(zooming_keeps_the_cursor_where_it_is),
        cmocka_unit_test(zooming_from_the_shown_step_leads_to_it),
        cmocka_unit_test(the_finest_zoom_is_one_step_a_column),
        cmocka_unit_test(at_the_edge_of_a_zoomed_view_the_cursor_pans),
        cmocka_unit_test(a_zoomed_view_stays_while_the_run_goes_on),
        cmocka_unit_test(enter_goes_to_the_barrier_of_the_cell),
        cmocka_unit_test(enter_in_the_history_chooses_no_rank),
        cmocka_unit_test(rows_are_walked_and_scrolled),
        cmocka_unit_test(b_turns_through_what_this_run_has),
        cmocka_unit_test(events_take_the_cursor_along),
        cmocka_unit_test(other_keys_do_what_they_do_elsewhere),
        cmocka_unit_test(short_and_empty_runs_stand_all_keys),
        cmocka_unit_test(keys_before_the_first_picture_do_nothing),
        cmocka_unit_test(positions_beyond_all_bounds_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

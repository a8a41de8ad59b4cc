/* The history: golden pictures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view_scene.h"

static void the_run_is_seen_whole(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    picture(&scene, "history-80x24", 80, 24, true, false);
    picture(&scene, "history-80x24-ascii", 80, 24, false, false);
    picture(&scene, "history-80x24-styles", 80, 24, true, true);
    picture(&scene, "history-40x10", 40, 10, true, false);
    picture(&scene, "history-40x10-ascii", 40, 10, false, false);
    picture(&scene, "history-60x16", 60, 16, true, false);
    picture(&scene, "history-200x60", 200, 60, true, false);
    end(&scene);
}

static void a_part_of_it_is_looked_at(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    scene.model.history.from = 280;
    scene.model.history.positions = 40;
    scene.model.history.cursor = 300; /* the spike */
    picture(&scene, "history-zoom-80x24", 80, 24, true, false);
    picture(&scene, "history-zoom-40x10", 40, 10, true, false);
    scene.model.history.cursor = -1;
    picture(&scene, "history-elsewhere-80x24", 80, 24, true, false);
    end(&scene);
}

/* Where nothing is computed again, HFU is MFU: the same graph is not drawn twice. */
static void one_graph_stands_for_two_that_are_equal(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    look(&scene, 80, 24);
    for (size_t i = 0; i < scene.overview.column_count; i++)
        scene.overview.columns[i].hfu = scene.overview.columns[i].mfu;
    check("history-equal-80x24", &scene.model, 80, 24, true, false);
    look(&scene, 40, 9);
    for (size_t i = 0; i < scene.overview.column_count; i++)
        scene.overview.columns[i].hfu = scene.overview.columns[i].mfu;
    check("history-equal-40x9", &scene.model, 40, 9, true, false);
    end(&scene);
}

static void what_is_not_known_is_said(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    check("history-none-80x24", &scene.model, 80, 24, true, false); /* no overview yet */
    scene.summary.mfu = scene.summary.hfu = quantity_none();
    scene.summary.peak_flops = 0;
    scene.summary.run.params = 0;
    scene.summary.run.chip[0] = '\0';
    look(&scene, 80, 24);
    for (size_t i = 0; i < scene.overview.column_count; i++)
        scene.overview.columns[i].mfu = scene.overview.columns[i].hfu = NAN;
    check("history-no-mfu-80x24", &scene.model, 80, 24, true, false);
    look(&scene, 40, 10);
    for (size_t i = 0; i < scene.overview.column_count; i++)
        scene.overview.columns[i].mfu = scene.overview.columns[i].hfu = NAN;
    check("history-no-mfu-40x10", &scene.model, 40, 10, false, false);
    for (size_t i = 0; i < scene.overview.column_count; i++) {
        struct overview_column *column = &scene.overview.columns[i];
        column->step_time_s = column->step_time_max_s = column->wait_share = NAN;
        column->begin_s = NAN;
    }
    check("history-unknown-40x10", &scene.model, 40, 10, true, false);
    end(&scene);
    begin(&scene, SCREEN_HISTORY, 8, 1);
    picture(&scene, "history-one-80x24", 80, 24, true, false);
    end(&scene);
    begin(&scene, SCREEN_HISTORY, 8, 0);
    scene.summary.shown.known = false;
    look(&scene, 80, 24);
    check("history-empty-80x24", &scene.model, 80, 24, true, false);
    end(&scene);
}

static void a_step_far_longer_than_the_others_leaves_the_graph(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    look(&scene, 80, 24);
    scene.overview.columns[20].step_time_max_s = 312;
    check("history-long-80x24", &scene.model, 80, 24, true, false);
    end(&scene);
}

/* The line of marks is the third of the screen's middle: G in the column of its step. */
static void a_gap_is_marked(void **state)
{
    struct scene scene;
    struct canvas canvas;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    scene.events.items[0].verdict.kind = VERDICT_GAP;
    look(&scene, 80, 24);
    canvas_init(&canvas, 80, 24, false);
    screen_draw(&canvas, &scene.model);
    size_t column = overview_column_of(&scene.overview, 0, 300);
    assert_int_equal(canvas.cells[3 * 80 + 21 + (int)column].code, 'G');
    canvas_done(&canvas);
    end(&scene);
}

/* What has ended before the part that is seen does not go on in its first column. */
static void what_was_over_before_is_not_marked(void **state)
{
    struct scene scene;
    struct canvas canvas;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    scene.events.items[2].verdict.to_step = 780; /* the straggler; rank 2 is back at 750 */
    scene.events.items[2].end_attempt = 1;
    canvas_init(&canvas, 80, 24, false);
    for (int last = 0; last < 2; last++) {
        scene.model.history.from = last ? 881 : 880; /* position 880 is step 780 */
        scene.model.history.positions = 40;
        look(&scene, 80, 24);
        screen_draw(&canvas, &scene.model);
        assert_int_equal(canvas.cells[3 * 80 + 21].code, last ? ' ' : '-');
        assert_int_equal(canvas.cells[3 * 80 + 22].code, ' ');
    }
    canvas_done(&canvas);
    end(&scene);
}

static void a_simulated_run_has_no_letter_but_s(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    scene.summary.simulated = true;
    picture(&scene, "history-simulated-80x24", 80, 24, true, false);
    end(&scene);
}

static void any_size_and_any_old_picture_is_drawn(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HISTORY, 8, RUN);
    look(&scene, 200, 60);
    draw_everywhere(&scene.model);
    scene.model.history.from = scene.model.history.cursor = INT64_MAX;
    scene.model.history.positions = INT64_MAX;
    draw_everywhere(&scene.model);
    scene.overview.columns[3].step_time_max_s = INFINITY;
    scene.overview.columns[4].step_time_s = 1e308;
    scene.overview.columns[5].step_time_s = -1;
    scene.overview.columns[5].begin_s = 1e300;
    scene.overview.columns[6].last_step = INT64_MAX;
    draw_everywhere(&scene.model);
    scene.model.overview = NULL;
    draw_everywhere(&scene.model);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_is_seen_whole),
        cmocka_unit_test(a_part_of_it_is_looked_at),
        cmocka_unit_test(one_graph_stands_for_two_that_are_equal),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(a_step_far_longer_than_the_others_leaves_the_graph),
        cmocka_unit_test(a_gap_is_marked),
        cmocka_unit_test(what_was_over_before_is_not_marked),
        cmocka_unit_test(a_simulated_run_has_no_letter_but_s),
        cmocka_unit_test(any_size_and_any_old_picture_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

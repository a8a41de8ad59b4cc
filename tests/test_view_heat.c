/* The heat map: golden pictures, its rows, its ramp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view_heat.h"
#include "view_scene.h"

static void the_slow_rank_stands_out(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HEAT, 8, RUN);
    picture(&scene, "heat-80x24", 80, 24, true, false);
    picture(&scene, "heat-80x24-ascii", 80, 24, false, false);
    picture(&scene, "heat-80x24-styles", 80, 24, true, true);
    picture(&scene, "heat-40x10", 40, 10, true, false);
    picture(&scene, "heat-40x10-ascii", 40, 10, false, false);
    picture(&scene, "heat-40x9", 40, 9, true, false); /* the signs have no line of their own */
    picture(&scene, "heat-80x9", 80, 9, true, false);
    picture(&scene, "heat-20x9", 20, 9, true, false);
    picture(&scene, "heat-60x16", 60, 16, true, false);
    picture(&scene, "heat-200x60", 200, 60, true, false);
    end(&scene);
}

static void a_cell_is_looked_at(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HEAT, 8, RUN);
    scene.model.heat.rank_cursor = 3;
    scene.model.heat.cursor = 300; /* the spike */
    scene.model.heat.worst = true;
    picture(&scene, "heat-cell-80x24", 80, 24, true, true);
    picture(&scene, "heat-cell-40x10", 40, 10, false, false);
    scene.model.heat.from = 280;
    scene.model.heat.positions = 40;
    scene.model.heat.slowest_first = true;
    scene.model.heat.rank_cursor = 0;
    picture(&scene, "heat-zoom-80x24", 80, 24, true, false);
    picture(&scene, "heat-zoom-40x10", 40, 10, true, false);
    picture(&scene, "heat-zoom-40x9", 40, 9, true, false); /* as a replay leaves it room */
    scene.model.heat.rank_cursor = -1;
    scene.model.heat.cursor = -1;
    picture(&scene, "heat-elsewhere-80x24", 80, 24, true, false);
    end(&scene);
}

static void rows_stand_for_hosts_groups_or_blocks(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HEAT, 96, RUN);
    scene.model.heat.rank_cursor = 0;
    picture(&scene, "heat-hosts-80x24", 80, 24, true, false);
    scene.model.heat.blocks = HEAT_BY_GROUP;
    picture(&scene, "heat-groups-80x24", 80, 24, true, false);
    scene.model.heat.blocks = HEAT_BY_RANK;
    scene.model.heat.rank_cursor = 40;
    picture(&scene, "heat-ranks-80x24", 80, 24, true, false);
    end(&scene);
    begin(&scene, SCREEN_HEAT, 16384, RUN);
    picture(&scene, "heat-many-80x24", 80, 24, true, false);
    picture(&scene, "heat-many-200x60", 200, 60, true, false);
    snprintf(scene.model.filter, sizeof(scene.model.filter), "0-15");
    picture(&scene, "heat-filter-80x24", 80, 24, true, false);
    end(&scene);
}

static void what_is_not_known_is_said(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HEAT, 8, RUN);
    check("heat-none-80x24", &scene.model, 80, 24, true, false); /* no overview yet */
    look(&scene, 80, 24);
    memset(scene.overview.slowdown, 0,
           sizeof(*scene.overview.slowdown) * scene.ranks * scene.overview.column_count);
    check("heat-unknown-80x24", &scene.model, 80, 24, true, false);
    look(&scene, 40, 10);
    memset(scene.overview.slowdown, 0,
           sizeof(*scene.overview.slowdown) * scene.ranks * scene.overview.column_count);
    check("heat-unknown-40x10", &scene.model, 40, 10, true, false); /* above the axis */
    look(&scene, 80, 24);
    memset(scene.overview.slowdown, 0,
           sizeof(*scene.overview.slowdown) * scene.ranks * scene.overview.column_count);
    snprintf(scene.model.filter, sizeof(scene.model.filter), "nowhere");
    check("heat-nobody-80x24", &scene.model, 80, 24, true, false);
    end(&scene);
    begin(&scene, SCREEN_HEAT, 8, 1);
    picture(&scene, "heat-one-80x24", 80, 24, true, false);
    end(&scene);
    begin(&scene, SCREEN_HEAT, 8, 0);
    scene.summary.shown.known = false;
    look(&scene, 80, 24);
    check("heat-empty-80x24", &scene.model, 80, 24, true, false);
    end(&scene);
}

static void the_ramp_is_what_its_legend_says(void **state)
{
    static const struct {
        double slowdown;
        int level;
    } cases[] = {{0.5, 0},    {0.9499, 0}, {0.95, 1},   {1, 1},      {1.0199, 1},
                 {1.02, 2},   {1.0499, 2}, {1.05, 3},   {1.0999, 3}, {1.1, 4},
                 {1.2499, 4}, {1.25, 5},   {1.4999, 5}, {1.5, 6},    {6, 6}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(heat_level(heat_of(cases[i].slowdown)), cases[i].level);
}

static void rows_for(struct scene *scene, struct heat_rows *rows, enum heat_by by, size_t room)
{
    struct heat_rows_want want = {.by = by, .room = room, .filter = ""};
    heat_rows_make(rows, &scene->overview, &want);
}

static void assert_label(const struct scene *scene, const struct heat_rows *rows, size_t row,
                         const char *expected)
{
    char text[HEAT_LABEL_BYTES];
    heat_rows_label(rows, &scene->overview, row, text);
    assert_string_equal(text, expected);
}

static void rows_are_as_fine_as_the_room_allows(void **state)
{
    struct scene scene;
    struct heat_rows rows;
    begin(&scene, SCREEN_HEAT, 64, 10);
    look(&scene, 80, 24);
    rows_for(&scene, &rows, HEAT_BY_FIT, 64);
    assert_int_equal(rows.by, HEAT_BY_RANK);
    assert_int_equal(rows.count, 64);
    assert_label(&scene, &rows, 17, "17");
    heat_rows_done(&rows);
    rows_for(&scene, &rows, HEAT_BY_FIT, 63); /* 8 hosts of 8 */
    assert_int_equal(rows.by, HEAT_BY_HOST);
    assert_int_equal(rows.count, 8);
    assert_label(&scene, &rows, 2, "node02 (8)");
    heat_rows_done(&rows);
    rows_for(&scene, &rows, HEAT_BY_FIT, 7); /* 4 groups of 16 */
    assert_int_equal(rows.by, HEAT_BY_GROUP);
    assert_label(&scene, &rows, 1, "pp1 (16)");
    heat_rows_done(&rows);
    rows_for(&scene, &rows, HEAT_BY_FIT, 3); /* 2 blocks of 32: 4 would be too many */
    assert_int_equal(rows.by, HEAT_BY_BLOCK);
    assert_int_equal(rows.count, 2);
    assert_label(&scene, &rows, 1, "32-63");
    heat_rows_done(&rows);
    end(&scene);
}

/* Rank 5 is 10% slower in the last 4 of 10 steps, rank 3 40% in step 3. */
static void the_worst_rank_of_a_row_is_shown(void **state)
{
    struct scene scene;
    struct heat_rows rows;
    uint16_t worst[8 * 10];
    begin(&scene, SCREEN_HEAT, 64, 10);
    look(&scene, 80, 24);
    assert_int_equal(scene.overview.column_count, 10);
    rows_for(&scene, &rows, HEAT_BY_HOST, 8);
    heat_rows_worst(&rows, &scene.overview, 0, 8, worst);
    for (size_t column = 0; column < 10; column++) {
        double most = 0;
        for (uint32_t rank = 0; rank < 8; rank++) {
            double slowdown = overview_fixture_slowdown(10, (int64_t)column, 1, rank);
            most = slowdown > most ? slowdown : most;
        }
        assert_int_equal(worst[column], heat_of(most));
    }
    assert_int_equal(heat_rows_worst_rank(&rows, &scene.overview, 0, 9), 5);
    assert_int_equal(heat_rows_worst_rank(&rows, &scene.overview, 0, 3), 3);
    assert_int_equal(heat_rows_worst_rank(&rows, &scene.overview, HEAT_NO_ROW, 9), 5);
    heat_rows_done(&rows);
    end(&scene);
}

static void slowest_first_begins_with_the_slowest_rank(void **state)
{
    struct scene scene;
    struct heat_rows rows;
    struct heat_rows_want want = {
        .by = HEAT_BY_RANK, .room = 8, .filter = "", .slowest_first = true};
    begin(&scene, SCREEN_HEAT, 8, 100);
    look(&scene, 80, 24);
    heat_rows_make(&rows, &scene.overview, &want);
    assert_label(&scene, &rows, 0, "5");
    for (size_t i = 1; i < rows.count; i++)
        assert_true(rows.items[i - 1].slowness >= rows.items[i].slowness);
    for (uint32_t i = 0; i < 8; i++) /* each row knows its rank, and each rank its row */
        assert_int_equal(rows.items[rows.row_of[i]].first, i);
    heat_rows_done(&rows);
    end(&scene);
}

static void hosts_may_lie_in_turn(void **state)
{
    struct scene scene;
    struct heat_rows rows;
    begin(&scene, SCREEN_HEAT, 64, 10);
    look(&scene, 80, 24);
    for (size_t i = 0; i < 64; i++)
        snprintf(scene.overview.ranks[i].host, NAME_BYTES, "h%zu", i / 2 % 4);
    rows_for(&scene, &rows, HEAT_BY_HOST, 8);
    assert_int_equal(rows.count, 4);
    assert_label(&scene, &rows, 3, "h3 (16)");
    assert_int_equal(rows.row_of[63], 3);
    heat_rows_done(&rows);
    end(&scene);
}

static void any_size_and_any_old_picture_is_drawn(void **state)
{
    struct scene scene;
    begin(&scene, SCREEN_HEAT, 96, RUN);
    scene.model.heat.rank_cursor = 90;
    scene.model.heat.cursor = INT64_MAX;
    look(&scene, 200, 60);
    draw_everywhere(&scene.model);
    scene.model.heat.from = INT64_MAX;
    scene.model.heat.positions = INT64_MAX;
    scene.model.heat.rank_scroll = INT32_MAX;
    snprintf(scene.overview.ranks[0].host, NAME_BYTES, "\x1b[31m\xff\n");
    draw_everywhere(&scene.model);
    free(scene.overview.slowdown);
    scene.overview.slowdown = NULL; /* the history's */
    draw_everywhere(&scene.model);
    scene.model.overview = NULL;
    draw_everywhere(&scene.model);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slow_rank_stands_out),
        cmocka_unit_test(a_cell_is_looked_at),
        cmocka_unit_test(rows_stand_for_hosts_groups_or_blocks),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(the_ramp_is_what_its_legend_says),
        cmocka_unit_test(rows_are_as_fine_as_the_room_allows),
        cmocka_unit_test(the_worst_rank_of_a_row_is_shown),
        cmocka_unit_test(slowest_first_begins_with_the_slowest_rank),
        cmocka_unit_test(hosts_may_lie_in_turn),
        cmocka_unit_test(any_size_and_any_old_picture_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

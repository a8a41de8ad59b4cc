/* The screen of all ranks and of one rank closer, cell by cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "view_golden.h"

static struct view_model ranks_model(struct summary *summary)
{
    struct view_model model = model_of(summary);
    model.screen = SCREEN_RANKS;
    return model;
}

static struct view_model detail_model(struct summary *summary, struct rank_detail *detail,
                                      uint32_t rank)
{
    struct view_model model = ranks_model(summary);
    fixture_detail(summary, detail, rank);
    model.detail = true;
    model.selected = rank;
    return model;
}

static void sort_by(struct view_model *model, enum rank_column column, bool reverse)
{
    model->rank_order =
        (struct rank_order){.turns = (int)column - RANK_COLUMN_WINDOW, .reverse = reverse};
}

static void all_ranks_at_the_sizes_of_the_ladder(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = ranks_model(&summary);
    check("ranks-80x24", &model, 80, 24, true, false);
    check("ranks-80x24-styles", &model, 80, 24, true, true);
    check("ranks-80x24-ascii", &model, 80, 24, false, false);
    check("ranks-40x12", &model, 40, 12, true, false);
    check("ranks-200x60", &model, 200, 60, true, false);
    check("ranks-24x8", &model, 24, 8, false, false);
    summary_done(&summary);
}

static void of_many_ranks_those_around_the_cursor_are_seen(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 1024);
    struct view_model model = ranks_model(&summary);
    sort_by(&model, RANK_COLUMN_RANK, false);
    model.selected = 700;
    check("ranks-many-80x24", &model, 80, 24, true, false);
    model.rank_order.scroll = 690;
    check("ranks-many-scroll-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void what_is_sorted_by_has_its_place_at_any_width(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = ranks_model(&summary);
    sort_by(&model, RANK_COLUMN_OPTIMIZER, true);
    check("ranks-sort-80x24", &model, 80, 24, true, false);
    check("ranks-sort-40x12", &model, 40, 12, false, false);
    sort_by(&model, RANK_COLUMN_HOST, false);
    check("ranks-sort-host-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void a_filter_leaves_the_ranks_that_match(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 1024);
    struct view_model model = ranks_model(&summary);
    snprintf(model.filter, sizeof(model.filter), "node07,5");
    check("ranks-filter-80x24", &model, 80, 24, true, false);
    snprintf(model.filter, sizeof(model.filter), "nowhere");
    check("ranks-filter-nobody-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void missing_ranks_and_slow_groups_are_marked(void **state)
{
    struct summary summary;
    fixture_missing(&summary);
    summary.ranks[6].straggler = true;
    struct view_model model = ranks_model(&summary);
    sort_by(&model, RANK_COLUMN_MARK, false);
    check("ranks-missing-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void without_own_times_the_table_has_what_there_is(void **state)
{
    struct summary summary;
    fixture_no_rule(&summary);
    struct view_model model = ranks_model(&summary);
    check("ranks-no-rule-80x24", &model, 80, 24, true, false);
    summary.rank_count = 1;
    check("ranks-one-80x24", &model, 80, 24, true, false);
    summary.rank_count = 0;
    check("ranks-none-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void one_rank_closer_at_the_sizes_of_the_ladder(void **state)
{
    struct summary summary;
    struct rank_detail detail;
    fixture_figure(&summary, 8);
    struct view_model model = detail_model(&summary, &detail, 5);
    check("rank-80x24", &model, 80, 24, true, false);
    check("rank-80x24-styles", &model, 80, 24, true, true);
    check("rank-80x24-ascii", &model, 80, 24, false, false);
    check("rank-200x60", &model, 200, 60, true, false);
    check("rank-120x40", &model, 120, 40, true, false);
    check("rank-40x12", &model, 40, 12, true, false);
    model.page_scroll = 9;
    check("rank-40x12-second", &model, 40, 12, true, false);
    model.page_scroll = 10000;
    check("rank-40x12-end", &model, 40, 12, false, false);
    summary_done(&summary);
}

static void a_rank_that_is_not_slow_has_nothing_held_against_it(void **state)
{
    struct summary summary;
    struct rank_detail detail;
    fixture_figure(&summary, 8);
    struct view_model model = detail_model(&summary, &detail, 1);
    summary.simulated = true;
    snprintf(detail.peers_of, sizeof(detail.peers_of), "pp0");
    detail.peers = 4;
    check("rank-fine-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void a_missing_rank_says_since_when(void **state)
{
    struct summary summary;
    struct rank_detail detail;
    fixture_missing(&summary);
    struct view_model model = detail_model(&summary, &detail, 3);
    for (int i = 5; i < 50; i++)
        detail.slowdown[i] = NAN;
    detail.steps = 5;
    for (int i = 0; i < 3; i++)
        detail.own_s[i] = 4.4;
    check("rank-missing-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void without_phases_peers_or_steps_there_is_a_sentence(void **state)
{
    struct summary summary;
    struct rank_detail detail;
    fixture_figure(&summary, 8);
    struct view_model model = detail_model(&summary, &detail, 5);
    for (int p = 0; p < PHASE_COUNT; p++)
        detail.phase_s[p] = detail.peers_phase_s[p] = NAN;
    summary.verdicts[0].phase = -1;
    check("rank-no-phases-80x24", &model, 80, 24, true, false);
    detail.steps = 0;
    check("rank-no-steps-80x24", &model, 80, 24, true, false);
    model.selected = 99;
    check("rank-gone-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void one_rank_alone_has_nobody_to_be_compared_with(void **state)
{
    struct summary summary;
    struct rank_detail detail;
    fixture_no_rule(&summary);
    summary.rank_count = 1;
    struct view_model model = detail_model(&summary, &detail, 0);
    detail.peers = 1;
    memset(detail.bins, 0, sizeof(detail.bins));
    for (int i = 0; i < 50; i++)
        detail.slowdown[i] = NAN;
    for (int i = 0; i < 3; i++)
        detail.own_s[i] = 4.4;
    check("rank-alone-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void hostile_names_stay_in_their_cells(void **state)
{
    struct summary summary;
    struct rank_detail detail;
    fixture_hostile(&summary);
    struct view_model model = ranks_model(&summary);
    check("ranks-hostile-80x24", &model, 80, 24, true, false);
    model = detail_model(&summary, &detail, 0);
    snprintf(detail.peers_of, sizeof(detail.peers_of), "\x1b[31m\xe2\x80\xae");
    check("rank-hostile-80x24", &model, 80, 24, false, false);
    summary_done(&summary);
}

static void both_can_be_drawn_at_every_size(void **state)
{
    void (*const fixtures[])(struct summary *) = {fixture_missing, fixture_no_rule,
                                                  fixture_hostile};
    for (size_t i = 0; i < 3; i++) {
        struct summary summary;
        struct rank_detail detail;
        fixtures[i](&summary);
        struct view_model model = ranks_model(&summary);
        draw_everywhere(&model);
        model = detail_model(&summary, &detail, 3);
        model.page_scroll = (int)i * 3;
        draw_everywhere(&model);
        summary_done(&summary);
    }
}

static void absurd_figures_can_be_drawn(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-300, 1e300, 1e6};
    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        struct summary summary;
        struct rank_detail detail;
        fixture_figure(&summary, 8);
        struct view_model model = detail_model(&summary, &detail, 5);
        for (size_t i = 0; i < 8; i += 2) {
            summary.ranks[i].own_s = summary.ranks[i].wait_s = summary.ranks[i].gain_s = values[v];
            summary.ranks[i].slowdown = summary.ranks[i].window_slowdown = values[v];
            summary.ranks[i].window_spread = summary.ranks[i].late_begin_s = values[v];
        }
        detail.bin_low = detail.bin_width = detail.own_s[0] = detail.peers_own_s = values[v];
        detail.phase_s[1] = detail.peers_phase_s[2] = values[v];
        detail.slowdown[7] = (float)values[v];
        summary.what_ifs[1].step_time_without_s.value = values[v];
        summary.what_ifs[1].mfu_points.value = values[v];
        for (int variant = 0; variant < 4; variant++) {
            struct canvas canvas;
            canvas_init(&canvas, variant & 1 ? 80 : 200, variant & 1 ? 24 : 60, variant & 2);
            screen_draw(&canvas, &model);
            assert_cells_are_safe(&canvas);
            model.detail = !model.detail;
            screen_draw(&canvas, &model);
            assert_cells_are_safe(&canvas);
            canvas_done(&canvas);
        }
        summary_done(&summary);
    }
}

static void drawing_16384_ranks_is_quick(void **state)
{
    struct summary summary;
    struct canvas canvas;
    struct timespec from, to;
    fixture_figure(&summary, 16384);
    struct view_model model = ranks_model(&summary);
    for (size_t i = 0; i < summary.rank_count; i++) {
        summary.ranks[i].late_begin_s = NAN; /* what is nowhere known is looked for everywhere */
        summary.ranks[i].group[0] = '\0';
    }
    canvas_init(&canvas, 200, 60, true);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (int i = 0; i < 20; i++)
        screen_draw(&canvas, &model);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    double ms =
        ((double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6) / 20;
    print_message("200x60 with 16,384 ranks: %.2f ms\n", ms);
    assert_true(ms < 50); /* 5 ms is the aim; sanitisers and valgrind take their share */
    canvas_done(&canvas);
    summary_done(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_at_the_sizes_of_the_ladder),
        cmocka_unit_test(of_many_ranks_those_around_the_cursor_are_seen),
        cmocka_unit_test(what_is_sorted_by_has_its_place_at_any_width),
        cmocka_unit_test(a_filter_leaves_the_ranks_that_match),
        cmocka_unit_test(missing_ranks_and_slow_groups_are_marked),
        cmocka_unit_test(without_own_times_the_table_has_what_there_is),
        cmocka_unit_test(one_rank_closer_at_the_sizes_of_the_ladder),
        cmocka_unit_test(a_rank_that_is_not_slow_has_nothing_held_against_it),
        cmocka_unit_test(a_missing_rank_says_since_when),
        cmocka_unit_test(without_phases_peers_or_steps_there_is_a_sentence),
        cmocka_unit_test(one_rank_alone_has_nobody_to_be_compared_with),
        cmocka_unit_test(hostile_names_stay_in_their_cells),
        cmocka_unit_test(both_can_be_drawn_at_every_size),
        cmocka_unit_test(absurd_figures_can_be_drawn),
        cmocka_unit_test(drawing_16384_ranks_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

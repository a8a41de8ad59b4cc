/* The screens, cell by cell: golden pictures, and properties at every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "view_golden.h"

static void figure_1_5_at_the_sizes_of_the_ladder(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    check("figure-80x24", &model, 80, 24, true, false);
    check("figure-80x24-styles", &model, 80, 24, true, true);
    check("figure-80x24-ascii", &model, 80, 24, false, false);
    check("figure-60x16", &model, 60, 16, true, false);
    check("figure-60x16-ascii", &model, 60, 16, false, false);
    check("figure-40x10", &model, 40, 10, true, false);
    check("figure-40x10-ascii", &model, 40, 10, false, false);
    check("figure-20x10", &model, 20, 10, true, false);
    check("figure-30x12", &model, 30, 12, false, false);
    check("figure-12x1", &model, 12, 1, true, false);
    check("figure-200x60", &model, 200, 60, true, false);
    check("figure-200x60-ascii", &model, 200, 60, false, false);
    check("figure-120x30", &model, 120, 30, true, false);
    summary_done(&summary);
}

static void the_axis_can_be_cut_in_seconds_and_with_phases(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    model.axis_cut = true;
    check("cut-80x24", &model, 80, 24, true, false);
    check("cut-80x24-ascii", &model, 80, 24, false, false);
    check("cut-40x14", &model, 40, 14, true, false);
    model.axis_seconds = true;
    check("cut-seconds-80x24", &model, 80, 24, true, false);
    model.axis_cut = false;
    model.phases = true;
    check("phases-80x24", &model, 80, 24, true, false);
    check("phases-80x24-ascii", &model, 80, 24, false, false);
    summary_done(&summary);
}

static void of_16384_ranks_those_that_matter_have_a_row(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 16384);
    struct view_model model = model_of(&summary);
    check("many-80x24", &model, 80, 24, true, false);
    check("many-40x10", &model, 40, 10, true, false);
    check("many-200x60", &model, 200, 60, true, false);
    model.filter[0] = '9';
    check("many-filter-80x24", &model, 80, 24, true, false);
    snprintf(model.filter, sizeof(model.filter), "node700");
    model.choice = CHOICE_SLOWEST;
    check("many-host-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void drawing_16384_ranks_is_quick(void **state)
{
    struct summary summary;
    struct canvas canvas;
    struct timespec begin, end;
    fixture_figure(&summary, 16384);
    struct view_model model = model_of(&summary);
    canvas_init(&canvas, 200, 60, true);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int i = 0; i < 20; i++)
        screen_draw(&canvas, &model);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double ms = ((end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6) / 20;
    print_message("200x60 with 16,384 ranks: %.2f ms\n", ms);
    assert_true(ms < 50); /* 5 ms is the aim; sanitisers and valgrind take their share */
    canvas_done(&canvas);
    summary_done(&summary);
}

static void a_missing_rank_is_a_gap_with_words(void **state)
{
    struct summary summary;
    fixture_missing(&summary);
    struct view_model model = model_of(&summary);
    check("missing-80x24", &model, 80, 24, true, false);
    check("missing-60x16-ascii", &model, 60, 16, false, false);
    check("missing-40x10", &model, 40, 10, true, false);
    check("missing-20x10", &model, 20, 10, true, false);
    summary_done(&summary);
}

static void without_a_rule_the_screen_says_why(void **state)
{
    struct summary summary;
    fixture_no_rule(&summary);
    struct view_model model = model_of(&summary);
    check("no-rule-80x24", &model, 80, 24, true, false);
    check("no-rule-40x10", &model, 40, 10, false, false);
    summary.rank_count = 1;
    summary.shown.reported = summary.shown.expected = 1;
    check("one-rank-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void before_the_first_record_it_says_what_is_read(void **state)
{
    struct summary summary;
    summary_init(&summary);
    run_init(&summary.run);
    struct view_model model = model_of(&summary);
    check("empty-80x24", &model, 80, 24, true, false);
    check("empty-40x10", &model, 40, 10, false, false);
    summary.source.other = 1234;
    summary.source.damaged = 3;
    summary.complaint_count = 1;
    snprintf(summary.complaints[0], COMPLAINT_BYTES, "train.log:7: rank is out of range");
    snprintf(model.feed.source, sizeof(model.feed.source), "udp://127.0.0.1:9931");
    model.feed.udp_buffer_bytes = 212992;
    model.feed.udp_buffer_asked = 8 << 20;
    check("empty-other-60x16", &model, 60, 16, true, false);
    summary.complaint_count = 0;
    model.feed.udp_buffer_bytes = 0;
    model.feed.files = 1;
    snprintf(model.feed.source, sizeof(model.feed.source), "train.log");
    check("empty-explain-80x24", &model, 80, 24, true, false);
    check("empty-explain-40x10", &model, 40, 10, true, false);
    snprintf(summary.not_shown, COMPLAINT_BYTES,
             "Megatron-LM, 4 of its lines so far, none of them with the time of a step");
    check("empty-begun-80x24", &model, 80, 24, true, false);
    model.feed.files = 0;
    model.feed.gone = 1;
    model.feed.gone_s = 1795961553;
    snprintf(model.feed.gone_name, sizeof(model.feed.gone_name), "train.log");
    check("empty-gone-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void what_ranks_that_are_not_in_the_logs_wait_is_not_said(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.world_ranks = 16;
    struct view_model model = model_of(&summary);
    check("some-ranks-80x24", &model, 80, 24, true, false);
    summary.run.gpus = summary.ledger.gpus = summary.ledger_window.gpus = 16;
    model.screen = SCREEN_LEDGER;
    check("some-ranks-ledger-80x24", &model, 80, 24, true, false);
    check("some-ranks-ledger-40x10", &model, 40, 10, true, false);
    summary.world_ranks = 0; /* no log says how many ranks there are: only the GPUs are known */
    model.screen = SCREEN_TIMELINE;
    check("some-ranks-gpus-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void a_file_that_is_gone_stays_said(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    model.feed.gone = 1;
    model.feed.gone_s = 1795961553; /* 2026-11-29 14:12:33 UTC */
    model.feed.gone_for_s = 71999;
    snprintf(model.feed.gone_name, sizeof(model.feed.gone_name), "logs/rank\0333.jsonl");
    check("gone-80x24", &model, 80, 24, true, false);
    check("gone-40x10", &model, 40, 10, true, false);
    model.feed.gone = 3;
    model.feed.gone_for_s = 72000; /* the day before yesterday it may have been */
    summary.silent_s = 72000;
    model.screen = SCREEN_LEDGER; /* where no record comes either */
    check("gone-ledger-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void hostile_names_stay_in_their_cells(void **state)
{
    struct summary summary;
    fixture_hostile(&summary);
    struct view_model model = model_of(&summary);
    check("hostile-80x24", &model, 80, 24, true, false);
    check("hostile-200x60", &model, 200, 60, true, false);
    check("hostile-160x30-ascii", &model, 160, 30, false, false);
    summary_done(&summary);
}

static void a_simulated_run_says_so_and_every_letter_is_s(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.simulated = true;
    struct view_model model = model_of(&summary);
    model.mode = MODE_DEMO;
    check("simulated-80x24", &model, 80, 24, true, false);
    check("simulated-40x10", &model, 40, 10, true, false);
    check("simulated-20x10", &model, 20, 10, true, false);
    summary_done(&summary);
}

/* Two ranks of one group: not one of them is the straggler, their group is. */
static void ranks_of_a_slow_group_are_not_called_stragglers(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    for (int i = 0; i < 8; i++)
        snprintf(summary.ranks[i].group, sizeof(summary.ranks[i].group), "pp%d", i / 2);
    summary.ranks[4].straggler = true;
    summary.verdicts[0].kind = VERDICT_GROUP;
    summary.verdicts[0].rank = -1;
    snprintf(summary.verdicts[0].group, sizeof(summary.verdicts[0].group), "pp2");
    struct view_model model = model_of(&summary);
    check("slow-group-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void nobody_is_named_when_all_are_alike(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.verdicts_in_force = 0;
    summary.what_if_count = 0;
    summary.jitter.loss.value = summary.window_wait_share.value = 0.029;
    summary.jitter.chronic.value = 0.001;
    summary.ranks[5].straggler = false;
    summary.ranks[5].own_s = 4.42;
    summary.ranks[5].slowdown = summary.ranks[5].window_slowdown = 1.004;
    summary.shown.own_max_s = 4.42;
    summary.shown.rule = WAIT_OVERLAPPED;
    summary.gpus_assumed = true;
    summary.mfu.value = 1.12;
    summary.tokens_disagree = true;
    summary.tokens_recorded = 65536;
    summary.silent_s = 75;
    struct view_model model = model_of(&summary);
    check("nobody-80x24", &model, 80, 24, true, false);
    check("nobody-40x10", &model, 40, 10, true, false);
    summary.window_steps = 12;
    model.paused = true;
    summary.is_latest = false;
    summary.shown.step = 12300;
    summary.attempts = 2;
    check("early-80x24", &model, 80, 24, true, false);
    model.feed.last_record_s = 1795966238; /* by the clock of the reader */
    check("hang-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void a_key_line_makes_place_for_an_entry_a_message_a_rank(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    model.selected = 5;
    model.rank_line = true;
    check("selected-80x24", &model, 80, 24, true, true);
    model.entering = true;
    snprintf(model.entry, sizeof(model.entry), "0-3,pp0");
    check("entry-80x24", &model, 80, 24, true, false);
    check("entry-40x10", &model, 40, 10, true, false);
    summary_done(&summary);
}

static void the_help_has_every_key_and_the_rule_in_force(void **state)
{
    struct summary summary;
    fixture_missing(&summary);
    struct view_model model = model_of(&summary);
    model.screen = SCREEN_HELP;
    check("help-80x24", &model, 80, 24, true, false);
    model.help_scroll = 24;
    check("help-80x24-second", &model, 80, 24, true, false);
    model.help_scroll = 100000;
    check("help-80x24-end", &model, 80, 24, true, false);
    model.help_scroll = 0;
    check("help-40x10", &model, 40, 10, false, false);
    check("help-200x60", &model, 200, 60, true, false);
    check("help-80x140", &model, 80, 140, false, false);
    summary_done(&summary);
}

/* --- properties --- */

static void every_screen_can_be_drawn_at_every_size(void **state)
{
    void (*const fixtures[])(struct summary *) = {fixture_missing, fixture_no_rule,
                                                  fixture_hostile};
    for (size_t i = 0; i < 3; i++) {
        struct summary summary;
        fixtures[i](&summary);
        for (int variant = 0; variant < 4; variant++) {
            struct view_model model = model_of(&summary);
            model.axis_cut = model.phases = variant & 1;
            model.entering = variant == 2;
            model.selected = variant == 1 ? 5 : -1;
            model.rank_line = variant == 1;
            model.screen = variant == 3 ? SCREEN_HELP : SCREEN_TIMELINE;
            model.help_scroll = variant * 7;
            summary.simulated = variant == 2;
            draw_everywhere(&model);
        }
        summary_done(&summary);
    }
}

static void an_empty_summary_can_be_drawn_at_every_size(void **state)
{
    struct summary summary;
    summary_init(&summary);
    run_init(&summary.run);
    struct view_model model = model_of(&summary);
    draw_everywhere(&model);
    model.screen = SCREEN_HELP;
    draw_everywhere(&model);
    summary_done(&summary);
}

static void absurd_figures_can_be_drawn(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-300, 1e300, 1e6};
    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        struct summary summary;
        fixture_figure(&summary, 8);
        for (size_t i = 0; i < 8; i += 2) {
            summary.ranks[i].own_s = summary.ranks[i].wait_s = values[v];
            summary.ranks[i].slowdown = summary.ranks[i].window_slowdown = values[v];
            summary.ranks[i].phase_s[PHASE_FORWARD] = values[v];
        }
        summary.shown.own_max_s = summary.shown.own_median_s = values[v];
        summary.shown.step_time_s.value = summary.mfu.value = values[v];
        summary.window_wait_share.value = summary.run.gpus = summary.tokens_per_step = values[v];
        summary.shown.begin_s = values[v];
        for (size_t i = 0; i < summary.point_count; i += 3)
            summary.points[i].step_time_s = summary.points[i].mfu = values[v];
        struct view_model model = model_of(&summary);
        for (int variant = 0; variant < 4; variant++) {
            struct canvas canvas;
            canvas_init(&canvas, variant & 1 ? 80 : 200, variant & 1 ? 24 : 60, variant & 2);
            model.axis_cut = model.phases = variant & 1;
            model.axis_seconds = variant & 2;
            screen_draw(&canvas, &model);
            assert_cells_are_safe(&canvas);
            canvas_done(&canvas);
        }
        summary_done(&summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_5_at_the_sizes_of_the_ladder),
        cmocka_unit_test(the_axis_can_be_cut_in_seconds_and_with_phases),
        cmocka_unit_test(of_16384_ranks_those_that_matter_have_a_row),
        cmocka_unit_test(drawing_16384_ranks_is_quick),
        cmocka_unit_test(a_missing_rank_is_a_gap_with_words),
        cmocka_unit_test(without_a_rule_the_screen_says_why),
        cmocka_unit_test(before_the_first_record_it_says_what_is_read),
        cmocka_unit_test(a_file_that_is_gone_stays_said),
        cmocka_unit_test(hostile_names_stay_in_their_cells),
        cmocka_unit_test(a_simulated_run_says_so_and_every_letter_is_s),
        cmocka_unit_test(ranks_of_a_slow_group_are_not_called_stragglers),
        cmocka_unit_test(nobody_is_named_when_all_are_alike),
        cmocka_unit_test(a_key_line_makes_place_for_an_entry_a_message_a_rank),
        cmocka_unit_test(the_help_has_every_key_and_the_rule_in_force),
        cmocka_unit_test(every_screen_can_be_drawn_at_every_size),
        cmocka_unit_test(what_ranks_that_are_not_in_the_logs_wait_is_not_said),
        cmocka_unit_test(an_empty_summary_can_be_drawn_at_every_size),
        cmocka_unit_test(absurd_figures_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

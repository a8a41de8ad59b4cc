/* Where the GPU time goes, on the screen: golden pictures, and the arithmetic of
 * its rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ledger_lines.h"
#include "ledger_rows.h"
#include "view_golden.h"

static struct view_model ledger_model(struct summary *summary)
{
    struct view_model model = model_of(summary);
    model.screen = SCREEN_LEDGER;
    return model;
}

/* Twice down, 113 steps done again, 6.9% of the time. */
static void fixture_restarted(struct summary *summary)
{
    fixture_figure(summary, 8);
    struct ledger *ledger = &summary->ledger;
    for (int i = 0; i < LEDGER_COUNT; i++)
        ledger->share[i].value *= 0.931;
    ledger->share[LEDGER_DOWNTIME].value = 0.06;
    ledger->share[LEDGER_LOST_WORK].value = 0.009;
    summary->attempts = 3;
    summary->effective = (struct effective){
        .share = fixture_quantity(0.931, EVIDENCE_COMPUTED),
        .wall_s = fixture_quantity(57136.4, EVIDENCE_MEASURED),
        .kept_s = fixture_quantity(53194, EVIDENCE_MEASURED),
        .lost_s = fixture_quantity(514.2, EVIDENCE_MEASURED),
        .down_s = fixture_quantity(3428.2, EVIDENCE_MEASURED),
        .restarts = 2,
        .repeated_steps = 113,
    };
}

/* No parameters, no chip: the arithmetic stands in the slow kernels. */
static void forget_mfu(struct summary *summary)
{
    struct ledger *const both[] = {&summary->ledger, &summary->ledger_window};
    for (int i = 0; i < 2; i++) {
        double own = 0;
        for (int part = LEDGER_ARITHMETIC; part <= LEDGER_KERNELS; part++)
            own += both[i]->share[part].value;
        both[i]->share[LEDGER_ARITHMETIC] = both[i]->share[LEDGER_RECOMPUTE] = quantity_none();
        both[i]->within[LEDGER_ARITHMETIC] = both[i]->within[LEDGER_RECOMPUTE] = LEDGER_KERNELS;
        both[i]->share[LEDGER_KERNELS].value = own;
    }
    summary->mfu = summary->hfu = quantity_none();
    summary->peak_flops = summary->run.params = 0;
    summary->run.chip[0] = '\0';
}

static void the_gpu_time_falls_from_what_was_bought_to_arithmetic(void **state)
{
    struct summary summary;
    fixture_restarted(&summary);
    struct view_model model = ledger_model(&summary);
    check("ledger-80x24", &model, 80, 24, true, false);
    check("ledger-80x24-ascii", &model, 80, 24, false, false);
    check("ledger-80x24-styles", &model, 80, 24, true, true);
    check("ledger-40x12", &model, 40, 12, true, false);
    check("ledger-60x16", &model, 60, 16, true, false);
    check("ledger-120x30", &model, 120, 30, true, false);
    check("ledger-200x60", &model, 200, 60, true, false);
    model.page_scroll = 1000;
    check("ledger-80x24-end", &model, 80, 24, true, false);
    check("ledger-40x12-end", &model, 40, 12, true, false);
    summary_done(&summary);
}

static void what_is_not_known_is_said_with_what_would_tell_it(void **state)
{
    struct summary summary;
    fixture_restarted(&summary);
    forget_mfu(&summary);
    struct view_model model = ledger_model(&summary);
    check("ledger-no-mfu-80x24", &model, 80, 24, true, false);
    check("ledger-no-mfu-40x12", &model, 40, 12, false, false);
    summary_done(&summary);
    fixture_no_rule(&summary);
    model = ledger_model(&summary);
    check("ledger-unknown-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void before_two_steps_nothing_is_known(void **state)
{
    struct summary summary;
    summary_init(&summary);
    run_init(&summary.run);
    struct view_model model = ledger_model(&summary);
    check("ledger-nothing-80x24", &model, 80, 24, true, false);
    check("ledger-nothing-40x12", &model, 40, 12, false, false);
    summary_done(&summary);
}

static void a_simulated_ledger_has_no_letter_but_s(void **state)
{
    struct summary summary;
    fixture_restarted(&summary);
    summary.simulated = true;
    struct view_model model = ledger_model(&summary);
    model.mode = MODE_DEMO;
    check("ledger-simulated-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void a_part_of_nothing_has_no_segment(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.ledger_window.share[LEDGER_KERNELS].value = 0.4994;
    summary.ledger_window.share[LEDGER_RECOMPUTE].value = 0;
    summary.ledger_window.share[LEDGER_ARITHMETIC].value = 0.3732; /* to the middle of a cell */
    struct view_model model = ledger_model(&summary);
    struct canvas canvas;
    canvas_init(&canvas, 80, 24, false);
    screen_draw(&canvas, &model);
    char *text = canvas_to_text(&canvas, false);
    char *row = strstr(text, "recompute (HFU");
    assert_non_null(row);
    row[strcspn(row, "\n")] = '\0';
    assert_non_null(strstr(row, " 0.00% c"));
    assert_null(strchr(row, '#'));
    free(text);
    canvas_done(&canvas);
    summary_done(&summary);
}

/* --- the rows --- */

static int64_t sum_of(const struct ledger_row *rows, int count, int column)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += rows[i].cells[column].units;
    return sum;
}

static void rows_add_up_however_few_there_is_room_for(void **state)
{
    struct summary summary;
    struct ledger_row rows[LEDGER_COUNT];
    fixture_restarted(&summary);
    const struct ledger *const ledgers[LEDGER_COLUMNS] = {&summary.ledger_window, &summary.ledger};
    for (int max = 1; max <= LEDGER_COUNT; max++) {
        for (int all = 0; all <= 1; all++) {
            int count = ledger_rows(ledgers, max, all, rows);
            assert_in_range(count, 2, max < 2 ? 2 : max);
            assert_int_equal(rows[count - 1].part, LEDGER_ARITHMETIC);
            assert_int_equal(rows[count - 1].cells[0].from, 0);
            assert_int_equal(sum_of(rows, count, 0), LEDGER_WHOLE);
            assert_int_equal(sum_of(rows, count, 1), LEDGER_WHOLE);
            int parts = 0;
            for (int i = 0; i < count; i++)
                parts += rows[i].parts;
            assert_int_equal(parts, LEDGER_COUNT); /* none is zero in both */
            for (int i = 0; i + 1 < count; i++)
                assert_int_equal(rows[i].cells[1].from,
                                 rows[i + 1].cells[1].from + rows[i + 1].cells[1].units);
        }
    }
    summary_done(&summary);
}

static void the_smallest_parts_come_together_first(void **state)
{
    struct summary summary;
    struct ledger_row rows[LEDGER_COUNT];
    fixture_figure(&summary, 8);
    const struct ledger *const ledgers[LEDGER_COLUMNS] = {&summary.ledger_window, NULL};
    assert_int_equal(ledger_rows(ledgers, LEDGER_COUNT, false, rows), 8);
    int count = ledger_rows(ledgers, 6, false, rows);
    assert_int_equal(count, 6);
    assert_int_equal(rows[0].part, LEDGER_COUNT);
    assert_int_equal(rows[0].parts, 3);
    assert_int_equal(rows[0].cells[0].units, 30 + 81 + 183); /* gaps, input, exchange */
    assert_int_equal(rows[0].cells[0].from, LEDGER_WHOLE - 294);
    assert_int_equal(rows[0].cells[0].evidence, EVIDENCE_MEASURED);
    assert_int_equal(rows[1].part, LEDGER_STRAGGLERS);
    assert_int_equal(rows[1].cells[0].units, 700);
    summary_done(&summary);
}

static void the_screen_can_be_drawn_at_every_size(void **state)
{
    for (int variant = 0; variant < 4; variant++) {
        struct summary summary;
        fixture_restarted(&summary);
        if (variant == 1)
            forget_mfu(&summary);
        if (variant == 2)
            summary.ledger = (struct ledger){0};
        struct view_model model = ledger_model(&summary);
        model.page_scroll = variant == 3 ? 5 : 0;
        draw_everywhere(&model);
        summary_done(&summary);
    }
}

static void absurd_ledgers_can_be_drawn(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e300};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct summary summary;
        fixture_restarted(&summary);
        summary.ledger.wall_s = summary.ledger_window.gpus = values[i];
        summary.effective.share.value = summary.effective.wall_s.value = values[i];
        summary.jitter.loss.value = summary.jitter.floor.value = values[i];
        summary.mfu.value = values[i];
        for (size_t w = 0; w < summary.what_if_count; w++)
            summary.what_ifs[w].mfu_points.value = summary.what_ifs[w].explains.value = values[i];
        struct view_model model = ledger_model(&summary);
        for (int variant = 0; variant < 4; variant++) {
            struct canvas canvas;
            canvas_init(&canvas, variant & 1 ? 80 : 200, variant & 1 ? 24 : 60, variant & 2);
            screen_draw(&canvas, &model);
            assert_cells_are_safe(&canvas);
            canvas_done(&canvas);
        }
        summary_done(&summary);
    }
}

/* The lines by themselves, apart from where they stand. */
static void a_restart_without_a_gap_is_not_said_to_be_down(void **state)
{
    struct summary summary;
    struct sentence line;
    fixture_restarted(&summary);
    struct view_model model = ledger_model(&summary);
    ledger_line_effective(&model, &line);
    assert_string_equal(line.text, "effective training time 93.1% c of 15.9 h m: 2 restarts, 113 "
                                   "steps done again (514 s m), down 57.1 min m");
    summary.effective.down_s.value = 0;
    ledger_line_effective(&model, &line);
    assert_null(strstr(line.text, "down"));
    summary.effective.repeated_steps = 0;
    summary.effective.lost_s.value = 0;
    ledger_line_effective(&model, &line);
    assert_string_equal(line.text,
                        "effective training time 93.1% c of 15.9 h m: 2 restarts, no step done "
                        "again");
    summary_done(&summary);
}

static void what_mfu_lacks_is_said_apart_from_what_the_records_lack(void **state)
{
    struct summary summary;
    struct sentence lines[LEDGER_UNKNOWN_MAX];
    fixture_figure(&summary, 8);
    forget_mfu(&summary);
    struct ledger *ledger = &summary.ledger;
    struct view_model model = ledger_model(&summary);
    ledger->share[LEDGER_INPUT] = quantity_none();
    ledger->within[LEDGER_INPUT] = LEDGER_KERNELS;
    int count = ledger_lines_unknown(&model, ledger, lines, LEDGER_UNKNOWN_MAX);
    assert_true(count >= 2);
    assert_non_null(strstr(lines[0].text, "arithmetic (MFU), recompute (HFU - MFU): in slow"));
    assert_null(strstr(lines[0].text, "input wait"));
    assert_string_equal(lines[1].text, "not known: input wait (no \"data\"): in slow kernels");
    ledger->over_peak = true;
    ledger_lines_unknown(&model, ledger, lines, LEDGER_UNKNOWN_MAX);
    assert_non_null(
        strstr(lines[0].text, "; more than the own time: is the peak, or tokens a step"));
    assert_null(strstr(lines[1].text, "more than the own time"));
    summary_done(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gpu_time_falls_from_what_was_bought_to_arithmetic),
        cmocka_unit_test(what_is_not_known_is_said_with_what_would_tell_it),
        cmocka_unit_test(before_two_steps_nothing_is_known),
        cmocka_unit_test(a_simulated_ledger_has_no_letter_but_s),
        cmocka_unit_test(a_part_of_nothing_has_no_segment),
        cmocka_unit_test(rows_add_up_however_few_there_is_room_for),
        cmocka_unit_test(the_smallest_parts_come_together_first),
        cmocka_unit_test(the_screen_can_be_drawn_at_every_size),
        cmocka_unit_test(absurd_ledgers_can_be_drawn),
        cmocka_unit_test(a_restart_without_a_gap_is_not_said_to_be_down),
        cmocka_unit_test(what_mfu_lacks_is_said_apart_from_what_the_records_lack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

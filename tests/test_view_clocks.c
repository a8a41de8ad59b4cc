/* Aligned time on the screen, and clocks in words: golden pictures, reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bars.h"
#include "clock_lines.h"
#include "report.h"
#include "view_golden.h"

/* Figure 1.5 on 8 hosts: rank 3 was in no phase for 0.6 s, rank 6 for a third of a
 * cell, and rank 7 for so long that it arrives last. */
static void fixture_late(struct summary *summary)
{
    fixture_figure(summary, 8);
    double last_s = 1.10 * FIXTURE_SECONDS + 0.4;
    summary->ranks[3].late_begin_s = 0.60;
    summary->ranks[6].late_begin_s = 0.03;
    summary->ranks[7].late_begin_s = last_s - summary->ranks[7].own_s;
    summary->ranks[5].arrived_last = false;
    summary->ranks[7].arrived_last = true;
    summary->shown.last_rank = 7;
    for (size_t i = 0; i < 8; i++)
        summary->ranks[i].wait_s =
            fmax(0, last_s - summary->ranks[i].own_s - summary->ranks[i].late_begin_s);
}

static void fixture_clocks(struct summary *summary)
{
    fixture_late(summary);
    summary->clock_count = 8;
    summary->clocks = calloc(8, sizeof(*summary->clocks));
    for (size_t i = 0; i < 8; i++) {
        struct clock_offset *clock = &summary->clocks[i];
        *clock = (struct clock_offset){.rank = (int64_t)i * 8,
                                       .offset_s = 0.0001 * (double)i,
                                       .error_s = 0.000020,
                                       .drift = 1e-9,
                                       .drift_error = 2e-9,
                                       .steps = 64};
        snprintf(clock->host, sizeof(clock->host), "node%zu", i);
    }
    summary->clocks[3].offset_s = 0.0123;
    summary->clocks[3].drift = 0.0012 / 3600;
    summary->clocks[5].offset_s = -0.0042;
    summary->clocks[6].offset_s = 0.0021;
    summary->clocks[7].offset_s = 0.0500; /* but nothing is sure about it */
    summary->clocks[7].error_s = 0.0400;
    summary->clocks[7].drift = summary->clocks[7].drift_error = NAN;
    summary->clock_worst_s = 0.05;
}

static void a_rank_that_began_late_has_its_bar_on_aligned_time(void **state)
{
    struct summary summary;
    fixture_late(&summary);
    struct view_model model = model_of(&summary);
    check("late-80x24", &model, 80, 24, true, false);
    check("late-80x24-ascii", &model, 80, 24, false, false);
    check("late-40x12", &model, 40, 12, true, false);
    check("late-40x12-ascii", &model, 40, 12, false, false);
    model.phases = true;
    model.axis_seconds = true;
    check("late-phases-80x24", &model, 80, 24, true, false);
    model.axis_cut = true;
    check("late-cut-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void clocks_that_are_off_have_a_line(void **state)
{
    struct summary summary;
    struct sentence line;
    fixture_clocks(&summary);
    struct view_model model = model_of(&summary);
    check("clocks-80x24", &model, 80, 24, true, false);
    check("clocks-40x12", &model, 40, 12, false, false);
    sentence_clear(&line, STYLE_WARNING);
    assert_true(alarm_clocks(&model, &line));
    assert_string_equal(line.text,
                        "clocks: node3 +12.3 ms c, drift +1.20 ms/h c; 3 of 8 hosts over 1 ms");
    for (size_t i = 0; i < 8; i++)
        summary.clocks[i].host[0] = '\0';
    summary.clocks[3].drift = NAN;
    summary.clocks[3].offset_s = -0.0123;
    summary.simulated = true;
    sentence_clear(&line, STYLE_WARNING);
    assert_true(alarm_clocks(&model, &line));
    assert_string_equal(line.text, "clocks: rank 24 -12.3 ms s; 3 of 8 ranks over 1 ms");
    for (size_t i = 0; i < 8; i++)
        summary.clocks[i].offset_s = i == 7 ? 0.05 : 0.0009;
    assert_false(alarm_clocks(&model, &line));
    summary_done(&summary);
}

static void the_help_says_what_aligned_time_is(void **state)
{
    struct summary summary;
    fixture_clocks(&summary);
    struct view_model model = model_of(&summary);
    struct canvas canvas;
    model.screen = SCREEN_HELP;
    canvas_init(&canvas, 80, 160, true);
    screen_draw(&canvas, &model);
    char *text = canvas_to_text(&canvas, false);
    assert_non_null(strstr(text, "in no phase"));
    assert_non_null(strstr(text, "aligned time"));
    assert_non_null(strstr(text, "off by 50.0 ms c."));
    free(text);
    canvas_done(&canvas);
    summary_done(&summary);
}

static void late_begins_can_be_drawn_at_every_size(void **state)
{
    static const double values[] = {0.3, 1e6, 1e300, INFINITY, -1, NAN, 1e-300};
    struct summary summary;
    fixture_clocks(&summary);
    struct view_model model = model_of(&summary);
    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        summary.ranks[2].late_begin_s = values[v];
        summary.clocks[2].offset_s = summary.clocks[2].drift = values[v];
        model.axis_cut = model.phases = v % 2;
        draw_everywhere(&model);
    }
    memset(summary.clocks[3].host, 0x1b, sizeof(summary.clocks[3].host) - 1);
    draw_everywhere(&model);
    summary_done(&summary);
}

/* The cells of one bar, 41 wide: 40 and the barrier, over an axis to `high`. */
static void draw_bar(char *out, const struct summary_rank *rank, double high)
{
    struct canvas canvas;
    struct axis axis = {.known = true, .high = high, .median = 1};
    canvas_init(&canvas, 41, 1, false);
    bars_draw(&canvas, canvas_rect(&canvas), &axis, rank, false);
    char *text = canvas_to_text(&canvas, false);
    strcpy(out, text);
    free(text);
    canvas_done(&canvas);
}

static void a_bar_ends_at_the_arrival(void **state)
{
    char bar[128];
    struct summary_rank rank = {.own_s = 1, .late_begin_s = 0.5};
    draw_bar(bar, &rank, 2);
    assert_string_equal(bar, "::::::::::####################..........|\n");
    rank.late_begin_s = 0.02; /* half a cell is 0.025 */
    draw_bar(bar, &rank, 2);
    assert_string_equal(bar, "####################....................|\n");
    rank.late_begin_s = 0.026;
    draw_bar(bar, &rank, 2);
    assert_string_equal(bar, ":####################...................|\n");
    rank.late_begin_s = 1;
    draw_bar(bar, &rank, 2);
    assert_string_equal(bar, "::::::::::::::::::::####################|\n");
    rank.late_begin_s = NAN;
    draw_bar(bar, &rank, 2);
    assert_string_equal(bar, "####################....................|\n");
}

static char *report_of(void (*report)(FILE *, const struct summary *),
                       const struct summary *summary)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report(to, summary);
    fclose(to);
    return text;
}

static void as_text(FILE *to, const struct summary *summary)
{
    report_text(to, summary, false);
}

static void the_reports_have_the_clocks(void **state)
{
    struct summary summary;
    fixture_clocks(&summary);
    char *text = report_of(as_text, &summary);
    assert_non_null(strstr(
        text, "clocks       of 8 hosts: the farthest is off by 50.0 ms c, error 40.0 ms c; these "
              "are over 1 ms\n"));
    assert_non_null(strstr(text, "     24    +12.3 ms    20.0 us    +1.20 ms/h    7.20 us/h       "
                                 "64  node3\n"));
    assert_non_null(strstr(text, "     40    -4.20 ms"));
    assert_null(strstr(text, "node7")); /* it may be right */
    free(text);
    char *json = report_of(report_json, &summary);
    assert_non_null(strstr(json, "\"clocks\": {\"worst_s\": 0.050000000, \"hosts\": [\n"));
    assert_non_null(
        strstr(json, "{\"host\": \"node3\", \"rank\": 24, \"offset_s\": 0.012300000, \"error_s\": "
                     "0.000020000, \"drift\": 0.000000333333, \"drift_error\": 0.000000002000, "
                     "\"steps\": 64, \"evidence\": \"computed\"}"));
    assert_non_null(strstr(json, "\"drift\": null, \"drift_error\": null"));
    free(json);
    summary.clock_count = 0;
    text = report_of(as_text, &summary);
    json = report_of(report_json, &summary);
    assert_null(strstr(text, "clocks"));
    assert_non_null(strstr(json, "\"clocks\": {\"worst_s\": null, \"hosts\": []},\n"));
    free(text);
    free(json);
    summary_done(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_began_late_has_its_bar_on_aligned_time),
        cmocka_unit_test(clocks_that_are_off_have_a_line),
        cmocka_unit_test(the_help_says_what_aligned_time_is),
        cmocka_unit_test(late_begins_can_be_drawn_at_every_size),
        cmocka_unit_test(a_bar_ends_at_the_arrival),
        cmocka_unit_test(the_reports_have_the_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Figures: well-formed whatever is in a log, their numbers, and what they say when
 * nothing is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markup_check.h"
#include "report.h"
#include "report_fixture.h"
#include "svg.h"

static char *figure_of(const struct run_data *run, enum svg_figure figure)
{
    struct report_data data = run_data_of(run);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report_svg(to, &data, figure);
    fclose(to);
    char *copy = strdup(text); /* else the compiler takes it for a local */
    free(text);
    return copy;
}

static void assert_says(const char *text, const char *words)
{
    if (!strstr(text, words))
        print_error("not said: %s\n", words);
    assert_non_null(strstr(text, words));
}

static void assert_all_well_formed(const struct run_data *run)
{
    for (int figure = SVG_TIMELINE; figure <= SVG_LEDGER; figure++) {
        char *text = figure_of(run, (enum svg_figure)figure);
        assert_null(markup_check(text));
        assert_non_null(strstr(text, "viewBox=\"0 0 600 "));
        assert_non_null(strstr(text, "role=\"img\""));
        assert_non_null(strstr(text, "<desc id="));
        assert_non_null(strstr(text, "prefers-color-scheme:dark"));
        assert_non_null(strstr(text, "m measured, c computed, s simulated, e our example"));
        free(text);
    }
}

/* ---- the writer ---- */

static char *number_of(char out[64], double value)
{
    FILE *to = fmemopen(out, 64, "w");
    svg_number(to, value);
    fclose(to);
    return out;
}

static void numbers_have_two_decimals_at_most_and_are_never_none(void **state)
{
    char out[64];
    assert_string_equal(number_of(out, 0), "0");
    assert_string_equal(number_of(out, 12), "12");
    assert_string_equal(number_of(out, 12.5), "12.5");
    assert_string_equal(number_of(out, 12.345), "12.35");
    assert_string_equal(number_of(out, -0.25), "-0.25");
    assert_string_equal(number_of(out, 0.05), "0.05");
    assert_string_equal(number_of(out, -0.001), "0");
    assert_string_equal(number_of(out, NAN), "0");
    assert_string_equal(number_of(out, INFINITY), "0");
    assert_string_equal(number_of(out, 1e300), "10000000");
}

static void text_is_escaped_and_sanitised(void **state)
{
    char out[256];
    FILE *to = fmemopen(out, sizeof(out), "w");
    svg_escape(to, "<a href=\"x\" b='y'>&\x1b[31m\xff");
    fclose(to);
    assert_string_equal(out, "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;"
                             "\xEF\xBF\xBD[31m\xEF\xBF\xBD");
}

static void a_path_is_interrupted_where_nothing_is_known(void **state)
{
    char out[256];
    FILE *to = fmemopen(out, sizeof(out), "w");
    struct svg_path path;
    svg_path_begin(&path, to, "ls-curve");
    svg_path_add(&path, 0, 1);
    svg_path_add(&path, 1, 2);
    svg_path_add(&path, 2, NAN);
    svg_path_add(&path, 3, 4);
    svg_path_add(&path, 4, NAN);
    svg_path_end(&path);
    fclose(to);
    assert_string_equal(out, "<path class=\"ls-curve\" d=\"M0 1L1 2M3 4h0\"/>\n");
}

/* ---- right values ---- */

/* Figure 1.5: own times of 0.97 to 1.02 x 4.40 s, rank 5 1.10 x 4.40 s. */
static void the_timeline_has_the_waits_of_figure_1_5(void **state)
{
    static const double own[8] = {0.97, 1.02, 0.99, 1.00, 1.00, 1.10, 1.01, 0.98};
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    char *text = figure_of(&run, SVG_TIMELINE);
    for (int i = 0; i < 8; i++) {
        char wait[64];
        int ms = (int)lround((1.10 - own[i]) * 4400);
        snprintf(wait, sizeof(wait), ms == 0 ? ">0 s m<" : ">%d ms m<", ms);
        assert_says(text, wait);
    }
    assert_says(text, ">straggler +10.1% c<");
    assert_says(text, "Step time 4.93 s m, exchange 90.0 ms m, mean wait 430 ms m or 9.80% m");
    assert_says(text, "<title>wait 572 ms</title>"); /* rank 0: 0.13 x 4.40 */
    free(text);
    run_data_done(&run);
}

/* Bars are to scale: rank 0 ends at 0.97 / 1.10 of the way to the barrier. */
static void bars_are_as_long_as_their_times(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    for (size_t i = 0; i < 8; i++)
        run.summary.ranks[i].has &= ~(uint32_t)RECORD_ANY_PHASE; /* one bar, no segments */
    char *text = figure_of(&run, SVG_TIMELINE), *bar = strstr(text, "<rect class=\"ls-own\"");
    bar = strstr(bar + 1, "<rect class=\"ls-own\""); /* the first is the legend's */
    char *hatch = strstr(bar, "<rect fill=\"url(#timeline-wait)\"");
    double x, wide, wait_x, wait_wide;
    assert_int_equal(sscanf(strstr(bar, "x=\""), "x=\"%lf", &x), 1);
    assert_int_equal(sscanf(strstr(bar, "width=\""), "width=\"%lf", &wide), 1);
    assert_int_equal(sscanf(strstr(hatch, "x=\""), "x=\"%lf", &wait_x), 1);
    assert_int_equal(sscanf(strstr(hatch, "width=\""), "width=\"%lf", &wait_wide), 1);
    double barrier = wait_x + wait_wide - x;
    assert_true(fabs((wait_x - x) / barrier - 0.97 / 1.10) < 1e-3);
    assert_true(fabs(wide + 1 - (wait_x - x)) < 0.02); /* a gap of 1 */
    free(text);
    run_data_done(&run);
}

static void the_shares_of_the_ledger_add_up(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    char *text = figure_of(&run, SVG_LEDGER);
    int64_t hundredths = 0;
    int parts = 0;
    /* The titles of the segments: "jitter 2.91% c". */
    for (char *at = text; (at = strstr(at, "\"><title>")); at++) {
        char *percent = strchr(at, '%'), *end = strstr(at, "</title>");
        int whole, part;
        assert_true(percent && percent < end);
        while (percent[-1] == '.' || (percent[-1] >= '0' && percent[-1] <= '9'))
            percent--;
        assert_int_equal(sscanf(percent, "%d.%2d%%", &whole, &part), 2);
        hundredths += whole * 100 + part;
        parts++;
    }
    assert_true(parts > 3);
    assert_int_equal(hundredths, 10000);
    assert_says(text, ">100.00% m<");
    free(text);
    run_data_done(&run);
}

static void the_history_says_the_figures_of_the_report(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    char *text = figure_of(&run, SVG_HISTORY);
    assert_says(text, "step time, mean 4.63 s m");
    assert_says(text, "the longest, at most 9.87 s m");
    assert_says(text, "A point is the mean of 2 steps");
    assert_says(text, "attempt 2");
    assert_says(text, "step; time of day in UTC, 2026-11-29");
    assert_says(text, ">14:12:33<"); /* 1795961553 */
    free(text);
    run_data_done(&run);
}

static void the_heat_map_names_its_rows_and_its_worst(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 100);
    char *text = figure_of(&run, SVG_HEAT);
    assert_says(text, "A column is one step.");
    assert_says(text, "The worst: rank 3, ");
    assert_says(text, "in step 30.");
    assert_says(text, "Own time against the median of all ranks in the same step, c.");
    free(text);
    run_data_done(&run);
}

/* Equal neighbours are one rectangle: 3 cells of a shade, 2 of another, 1 of none. */
static void cells_that_are_alike_are_drawn_together(void **state)
{
    struct run_data run;
    run_data_init(&run, 1, 6, 6);
    static const double slowdowns[] = {1.0, 1.01, 1.0, 1.3, 1.25};
    for (int i = 0; i < 5; i++)
        run.overview.slowdown[i] = heat_of(slowdowns[i]);
    run.overview.slowdown[5] = HEAT_NONE;
    char *text = figure_of(&run, SVG_HEAT);
    char *light = strstr(text, "<path class=\"ls-h1\""),
         *dark = strstr(text, "<path class=\"ls-h5\"");
    assert_non_null(light);
    assert_non_null(dark);
    double from, wide, dark_from, dark_wide;
    assert_int_equal(sscanf(strstr(light, "d=\"M"), "d=\"M%lf 0h%lf", &from, &wide), 2);
    assert_int_equal(sscanf(strstr(dark, "d=\"M"), "d=\"M%lf 0h%lf", &dark_from, &dark_wide), 2);
    assert_true(from == 0 && dark_from == wide);
    assert_true(fabs(wide / dark_wide - 1.5) < 0.01);
    assert_null(strstr(text, "<path class=\"ls-h4\""));
    free(text);
    run_data_done(&run);
}

/* ---- many, few, none ---- */

static void many_ranks_are_merged_and_said(void **state)
{
    struct run_data run;
    run_data_init(&run, 16384, 12288, 384);
    char *heat = figure_of(&run, SVG_HEAT), *timeline = figure_of(&run, SVG_TIMELINE);
    assert_true(strlen(heat) < 2000000);
    assert_says(heat, "16,384 ranks: a row is ");
    assert_says(heat, "the worst of ");
    assert_says(timeline, "32 of 16,384 ranks are shown");
    assert_says(timeline, "16,352");
    assert_says(timeline, "straggler +10.1% c");
    assert_says(timeline, ">fastest<");
    assert_says(timeline, ">median<");
    assert_null(markup_check(heat));
    assert_null(markup_check(timeline));
    free(heat);
    free(timeline);
    run_data_done(&run);
}

/* The worst that can be: no two neighbours alike. */
static void a_map_without_equal_neighbours_stays_small(void **state)
{
    struct run_data run;
    run_data_init(&run, 16384, 384, 384);
    for (size_t i = 0; i < 16384; i++)
        for (size_t c = 0; c < 384; c++)
            run.overview.slowdown[i * 384 + c] = heat_of(1 + 0.08 * (double)(c % 5));
    char *heat = figure_of(&run, SVG_HEAT);
    assert_true(strlen(heat) < 2000000);
    assert_null(markup_check(heat));
    free(heat);
    run_data_done(&run);
}

static void few_ranks_and_steps_are_well_formed(void **state)
{
    static const struct {
        size_t ranks;
        int64_t positions;
        int columns;
    } sizes[] = {{1, 1, 1}, {1, 1000, 100}, {2, 1, 10}, {8, 3, 2}, {65, 50, 50}, {130, 20, 20}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct run_data run;
        run_data_init(&run, sizes[i].ranks, sizes[i].positions, sizes[i].columns);
        assert_all_well_formed(&run);
        run_data_done(&run);
    }
}

static void nothing_at_all_is_said_so(void **state)
{
    struct run_data run;
    summary_init(&run.summary);
    run_init(&run.summary.run);
    overview_init(&run.overview);
    run_events_init(&run.events);
    assert_all_well_formed(&run);
    char *text = figure_of(&run, SVG_TIMELINE);
    assert_says(text, "Not known: no step is whole yet.");
    free(text);
    run_data_done(&run);
}

/* Not drawn as 0: gaps, dashes and words. */
static void what_is_not_known_is_not_drawn(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    for (size_t i = 0; i < run.overview.column_count; i++) {
        struct overview_column *column = &run.overview.columns[i];
        column->mfu = column->hfu = column->wait_share = NAN;
        column->step_time_s = column->step_time_max_s = column->begin_s = NAN;
    }
    memset(run.overview.slowdown, 0, 8 * 50 * sizeof(uint16_t));
    for (size_t i = 0; i < 8; i++) {
        struct summary_rank *rank = &run.summary.ranks[i];
        rank->own_s = rank->wait_s = rank->slowdown = rank->window_slowdown = NAN;
        rank->late_begin_s = NAN;
    }
    run.summary.shown.own_max_s = run.summary.shown.own_median_s = NAN;
    run.summary.mfu = run.summary.hfu = quantity_none();
    assert_all_well_formed(&run);
    char *history = figure_of(&run, SVG_HISTORY), *heat = figure_of(&run, SVG_HEAT);
    assert_null(strstr(history, "<path class=\"ls-curve\""));
    assert_says(history, "step time: not known from this log");
    assert_says(history, "MFU and HFU not known");
    assert_says(heat, "Not known: this log does not tell the ranks");
    free(history);
    free(heat);
    run_data_done(&run);
}

static void a_missing_rank_has_no_bar(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    struct summary_rank *rank = &run.summary.ranks[3];
    rank->state = RANK_MISSING;
    rank->has = 0;
    rank->own_s = rank->wait_s = rank->slowdown = NAN;
    rank->last_step = 12000;
    char *text = figure_of(&run, SVG_TIMELINE);
    assert_says(text, "no data: missing since step 12,001");
    assert_null(markup_check(text));
    free(text);
    run_data_done(&run);
}

static void a_simulated_run_says_so_in_every_figure(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    run.summary.simulated = run.summary.run.simulated = true;
    for (int figure = SVG_TIMELINE; figure <= SVG_LEDGER; figure++) {
        char *text = figure_of(&run, (enum svg_figure)figure);
        assert_says(text, "SIMULATED: a program imitated this run.");
        assert_null(strstr(text, "% m<"));
        assert_null(strstr(text, "% c<"));
        assert_null(strstr(text, " s m<"));
        free(text);
    }
    run_data_done(&run);
}

/* ---- hostile ---- */

static void hostile_names_stay_text(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    for (int i = 0; i < HOSTILE_NAMES; i++) {
        run_data_name(&run, i);
        assert_all_well_formed(&run);
    }
    run_data_done(&run);
}

/* Numbers at the ends of what they can be. */
static void hostile_numbers_stay_numbers(void **state)
{
    static const double values[] = {0, 1e-300, 1e300, INFINITY, -1, NAN};
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        for (size_t i = 0; i < run.overview.column_count; i++) {
            struct overview_column *column = &run.overview.columns[i];
            column->mfu = column->hfu = column->wait_share = values[v];
            column->step_time_s = column->step_time_max_s = column->begin_s = values[v];
        }
        for (size_t i = 0; i < 8; i++)
            run.summary.ranks[i].own_s = run.summary.ranks[i].wait_s = values[v];
        run.summary.shown.own_max_s = values[v];
        run.summary.shown.step_time_s.value = values[v];
        run.summary.wait_share.value = run.summary.mfu.value = values[v];
        assert_all_well_formed(&run);
    }
    run_data_done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_two_decimals_at_most_and_are_never_none),
        cmocka_unit_test(text_is_escaped_and_sanitised),
        cmocka_unit_test(a_path_is_interrupted_where_nothing_is_known),
        cmocka_unit_test(the_timeline_has_the_waits_of_figure_1_5),
        cmocka_unit_test(bars_are_as_long_as_their_times),
        cmocka_unit_test(the_shares_of_the_ledger_add_up),
        cmocka_unit_test(the_history_says_the_figures_of_the_report),
        cmocka_unit_test(the_heat_map_names_its_rows_and_its_worst),
        cmocka_unit_test(cells_that_are_alike_are_drawn_together),
        cmocka_unit_test(many_ranks_are_merged_and_said),
        cmocka_unit_test(a_map_without_equal_neighbours_stays_small),
        cmocka_unit_test(few_ranks_and_steps_are_well_formed),
        cmocka_unit_test(nothing_at_all_is_said_so),
        cmocka_unit_test(what_is_not_known_is_not_drawn),
        cmocka_unit_test(a_missing_rank_has_no_bar),
        cmocka_unit_test(a_simulated_run_says_so_in_every_figure),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(hostile_numbers_stay_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

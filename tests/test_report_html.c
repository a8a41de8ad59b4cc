/* The page: one file that loads nothing and runs nothing, well-formed whatever is in a
 * log, with the figures and tables of the report. */
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

static char *page_with(const struct report_data *data)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report_html(to, data);
    fclose(to);
    char *copy = strdup(text); /* else the compiler takes it for a local */
    free(text);
    return copy;
}

static char *page_of(const struct run_data *run)
{
    struct report_data data = run_data_of(run);
    return page_with(&data);
}

static void assert_says(const char *text, const char *words)
{
    if (!strstr(text, words))
        print_error("not said: %s\n", words);
    assert_non_null(strstr(text, words));
}

static int count_of(const char *text, const char *words)
{
    int count = 0;
    for (; (text = strstr(text, words)); text++)
        count++;
    return count;
}

/* Nothing comes from outside, nothing runs: the name space of SVG is no address. */
static void assert_alone(const char *text)
{
    assert_int_equal(count_of(text, "http"),
                     count_of(text, "xmlns=\"http://www.w3.org/2000/svg\""));
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "<link"));
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "@import"));
    assert_null(strstr(text, " href="));
    assert_null(strstr(text, " src="));
}

/* ---- the checker itself ---- */

static void the_checker_finds_what_is_wrong(void **state)
{
    static const char *const wrong[] = {"<a>",
                                        "<a></b>",
                                        "<a b=c></a>",
                                        "<a>&nbsp;</a>",
                                        "<a>\x01</a>",
                                        "<a>\xff</a>",
                                        "<a b=\"<\"></a>",
                                        "<a id=\"x\"/><b id=\"x\"/>",
                                        "<a>nan</a>",
                                        "<a b=\"-inf\"/>",
                                        "<a onload=\"x\"/>",
                                        "<script></script>",
                                        "<a b=\"url(#x)\"/>",
                                        "<a>\xc2\x85</a>"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        FILE *kept = stderr;
        char unused[512];
        stderr = fmemopen(unused, sizeof(unused), "w");
        const char *found = markup_check(wrong[i]);
        fclose(stderr);
        stderr = kept;
        if (!found)
            print_error("not found: %s\n", wrong[i]);
        assert_non_null(found);
    }
    assert_null(markup_check("<!DOCTYPE html>\n<a id=\"x\" b=\"url(#x)\">nano &amp; info<c/></a>"));
}

/* ---- the page ---- */

static void the_page_is_one_file_with_all_of_it(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    char *text = page_of(&run);
    assert_null(markup_check(text));
    assert_alone(text);
    assert_says(text, "<html lang=\"en\">");
    assert_says(text, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
    assert_says(text, "@media print");
    assert_says(text, "overflow-x:auto");
    assert_says(text, "<h1>llama3-405b</h1>");
    assert_int_equal(count_of(text, "<h1>"), 1);
    assert_int_equal(count_of(text, "<svg "), 8); /* four figures, for two widths */
    assert_int_equal(count_of(text, "<caption>"), count_of(text, "<table>"));
    assert_true(count_of(text, "<table>") >= 4);
    assert_says(text, "m measured, c computed, s simulated, e our example");
    free(text);
    run_data_done(&run);
}

static void its_figures_are_those_of_the_report(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    char *text = page_of(&run);
    assert_says(text,
                "<dd>median 4.51 s m, mean 4.63 s m, shortest 4.37 s m, p99 5.12 s m, longest "
                "9.87 s m</dd>");
    assert_says(text, "<dd>8 ranks, 8 GPUs, H100</dd>");
    assert_says(text, "drain rank 5 (node00, pp0): it is 10.1% c slower than its peers since step "
                      "12,288, in forward");
    /* Rank 5: slowdown, window, mean wait, own time, wait, last in 58 steps. */
    assert_says(text, "<td>+10.1% c</td><td>+10.1% c</td><td>410 ms m</td><td>4.84 s m</td>"
                      "<td>0 s m</td><td>58</td><td>12,345</td>");
    free(text);
    run_data_done(&run);
}

static void each_event_has_a_row(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    char *text = page_of(&run), *events = strstr(text, "What happened, in order");
    assert_non_null(events);
    char *end = strstr(events, "</table>");
    *end = '\0';
    assert_int_equal(count_of(events, "<tr"), 1 + 4);
    assert_says(events, "<td class=\"words\">spike</td>");
    assert_says(events, "<td class=\"words\">restart</td>");
    assert_says(events, "<td class=\"words\">missing</td>");
    assert_says(events, "<td>lasts</td>"); /* the straggler */
    free(text);
    run_data_done(&run);
}

static int rank_rows_of(size_t ranks)
{
    struct run_data run;
    run_data_init(&run, ranks, 20, 20);
    char *text = page_of(&run), *table = strstr(text, "<h3>Ranks</h3>");
    assert_non_null(table);
    *strstr(table, "</table>") = '\0';
    int rows = count_of(table, "<th scope=\"row\"");
    free(text);
    run_data_done(&run);
    return rows;
}

static void all_ranks_have_a_row_up_to_256(void **state)
{
    assert_int_equal(rank_rows_of(1), 1);
    assert_int_equal(rank_rows_of(256), 256);
    assert_int_equal(rank_rows_of(257), 66); /* the 64 slowest, the median, the fastest */
    assert_int_equal(rank_rows_of(4096), 66);
}

static void the_largest_job_is_a_page_of_under_2_mb(void **state)
{
    struct run_data run;
    run_data_init(&run, 16384, 12288, 384);
    char *text = page_of(&run);
    assert_null(markup_check(text));
    assert_true(strlen(text) < 2000000);
    assert_says(text, "The 64 slowest of 16,384 ranks, the median and the fastest");
    assert_says(text, "All ranks are in report --csv ranks.");
    free(text);
    run_data_done(&run);
}

static void nothing_at_all_is_a_page_too(void **state)
{
    struct run_data run;
    summary_init(&run.summary);
    run_init(&run.summary.run);
    run.summary.first_step = run.summary.last_step = -1;
    overview_init(&run.overview);
    run_events_init(&run.events);
    char *text = page_of(&run);
    assert_null(markup_check(text));
    assert_says(text, "no step in this span");
    assert_says(text, "Nothing happened");
    free(text);
    run_data_done(&run);
}

static void small_runs_are_pages_too(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {1, 100}, {2, 1}, {65, 3}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct run_data run;
        run_data_init(&run, (size_t)sizes[i][0], sizes[i][1], 10);
        char *text = page_of(&run);
        assert_null(markup_check(text));
        free(text);
        run_data_done(&run);
    }
}

static void hostile_names_stay_text(void **state)
{
    for (int kind = 0; kind < HOSTILE_NAMES; kind++) {
        struct run_data run;
        run_data_init(&run, 8, 100, 50);
        run_data_name(&run, kind);
        struct report_data data = run_data_of(&run);
        data.title = hostile_names[kind];
        char *text = page_with(&data);
        assert_null(markup_check(text));
        assert_alone(text);
        assert_null(strstr(text, "<svg onload"));
        free(text);
        run_data_done(&run);
    }
}

static void what_is_not_known_is_a_dash(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    struct summary_rank *rank = &run.summary.ranks[2];
    rank->slowdown_median = rank->window_slowdown = rank->wait_mean_s = NAN;
    rank->own_s = rank->wait_s = INFINITY;
    for (size_t i = 0; i < run.overview.column_count; i++)
        run.overview.columns[i].mfu = run.overview.columns[i].begin_s = NAN;
    run.summary.step_time_mean_s = run.summary.mfu = run.summary.wait_share = quantity_none();
    char *text = page_of(&run);
    assert_null(markup_check(text));
    assert_says(text, "<td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>1</td>");
    assert_says(text, "MFU -, HFU");
    free(text);
    run_data_done(&run);
}

static void a_simulated_run_says_so_first(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    run.summary.simulated = run.summary.run.simulated = true;
    char *text = page_of(&run);
    assert_true(strstr(text, "SIMULATED") < strstr(text, "<main>"));
    assert_int_equal(count_of(text, "SIMULATED: a program imitated this run."), 9);
    assert_null(strstr(text, " m</td>"));
    assert_null(strstr(text, " c</td>"));
    free(text);
    run_data_done(&run);
}

static void conditions_and_whether_they_hold(void **state)
{
    struct run_data run;
    run_data_init(&run, 8, 100, 50);
    struct checks checks = {.count = 2};
    checks.items[0] =
        (struct check){.text = "mfu>=0.40", .holds = true, .sentence = "it is 0.412 c"};
    checks.items[1] = (struct check){.text = "wait<=0.01", .sentence = "it is 0.098 m"};
    struct report_data data = run_data_of(&run);
    data.checks = &checks;
    char *text = page_with(&data);
    assert_null(markup_check(text));
    assert_says(text, "mfu&gt;=0.40</th><td class=\"words\">yes</td>");
    assert_says(text,
                "wait&lt;=0.01</th><td class=\"words\">NO</td><td class=\"words\">it is 0.098 m");
    free(text);
    run_data_done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_finds_what_is_wrong),
        cmocka_unit_test(the_page_is_one_file_with_all_of_it),
        cmocka_unit_test(its_figures_are_those_of_the_report),
        cmocka_unit_test(each_event_has_a_row),
        cmocka_unit_test(all_ranks_have_a_row_up_to_256),
        cmocka_unit_test(the_largest_job_is_a_page_of_under_2_mb),
        cmocka_unit_test(nothing_at_all_is_a_page_too),
        cmocka_unit_test(small_runs_are_pages_too),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(what_is_not_known_is_a_dash),
        cmocka_unit_test(a_simulated_run_says_so_first),
        cmocka_unit_test(conditions_and_whether_they_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

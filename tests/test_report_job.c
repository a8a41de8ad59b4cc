/* Reports on a log of the whole job: text, page and figures speak of no rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "view_scene.h"

/* What must stand nowhere. */
static const char *const FORBIDDEN[] = {"rank 0",      "1 rank",       "0 of 1", "all ranks",
                                        "the barrier", "waits for it", "drain",  "nan",
                                        ">inf",        "every rank"};

static void assert_speaks_of_none(const char *text)
{
    for (size_t i = 0; i < sizeof(FORBIDDEN) / sizeof(FORBIDDEN[0]); i++) {
        const char *at = strstr(text, FORBIDDEN[i]);
        if (at)
            print_error("\"%s\" in \"%.*s\"\n", FORBIDDEN[i], 60, at > text + 20 ? at - 20 : at);
        assert_null(at);
    }
}

static char *text_of(const struct summary *summary)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report_text(to, summary, false);
    fclose(to);
    assert_speaks_of_none(text);
    return text;
}

static void the_text_says_what_it_is_and_what_it_cannot_tell(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    summary.complaint_count = 1;
    snprintf(summary.complaints[0], COMPLAINT_BYTES,
             "train.log:812: 1,234.5 ms, but 9.9 s by the time stamps");
    summary.called[CALLED_VALIDATION] = (struct summary_called){
        .count = 12, .first = {1000, 2000, 3000, 4000}, .beyond_s = {46.98, EVIDENCE_COMPUTED}};
    summary.called[CALLED_CHECKPOINT] =
        (struct summary_called){.count = 1,
                                .first = {9000},
                                .beyond_s = {0.01, EVIDENCE_COMPUTED},
                                .pause_s = {21.5, EVIDENCE_COMPUTED}};
    summary.planned_step = 100000;
    compare("report-job", text_of(&summary));
    summary_done(&summary);
    fixture_job_phases(&summary);
    compare("report-job-phases", text_of(&summary));
    summary_done(&summary);
}

/* The figures and the page, at any log of such a kind. */
static void the_page_and_the_figures_have_no_ranks(void **state)
{
    struct scene scene;
    begin_job(&scene, SCREEN_HISTORY, RUN);
    look(&scene, 120, 40);
    struct report_data data = {
        .summary = &scene.summary, .overview = &scene.overview, .events = &scene.events};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report_html(to, &data);
    report_svg(to, &data, SVG_HISTORY);
    report_svg(to, &data, SVG_LEDGER);
    fclose(to);
    assert_speaks_of_none(text);
    assert_non_null(strstr(text, "Megatron-LM, whole job, 128 GPUs (log)"));
    assert_non_null(strstr(text, "--timing-log-level 2"));
    free(text);
    end(&scene);
}

static void a_page_without_events_speaks_of_no_ranks(void **state)
{
    struct scene scene;
    struct run_events none = {0};
    char *text = NULL;
    size_t size = 0;
    begin_job(&scene, SCREEN_HISTORY, RUN);
    look(&scene, 120, 40);
    struct report_data data = {
        .summary = &scene.summary, .overview = &scene.overview, .events = &none};
    FILE *to = open_memstream(&text, &size);
    report_html(to, &data);
    fclose(to);
    assert_non_null(strstr(text, "Nothing happened: no spike, restart or gap."));
    assert_null(strstr(text, "missing rank."));
    free(text);
    end(&scene);
}

/* Asked for, these say why they cannot be. */
static void a_figure_of_ranks_says_why_it_is_none(void **state)
{
    struct scene scene;
    begin_job(&scene, SCREEN_HISTORY, RUN);
    look(&scene, 120, 40);
    struct report_data data = {
        .summary = &scene.summary, .overview = &scene.overview, .events = &scene.events};
    for (int figure = SVG_TIMELINE; figure <= SVG_HEAT; figure++) {
        char *text = NULL;
        size_t size = 0;
        FILE *to = open_memstream(&text, &size);
        report_svg(to, &data, (enum svg_figure)figure);
        fclose(to);
        assert_non_null(strstr(text, "one value a step for the whole job"));
        assert_non_null(strstr(text, "--timing-log-level 2"));
        assert_null(strstr(text, "rank 0"));
        free(text);
    }
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_says_what_it_is_and_what_it_cannot_tell),
        cmocka_unit_test(the_page_and_the_figures_have_no_ranks),
        cmocka_unit_test(a_page_without_events_speaks_of_no_ranks),
        cmocka_unit_test(a_figure_of_ranks_says_why_it_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

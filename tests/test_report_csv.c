/* Tables as CSV: what a reader gets back, whatever the log says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report.h"

struct fixture {
    struct summary summary;
    struct overview overview;
    struct run_events events;
    struct report_data data;
};

static void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){.summary = {.brief = false}};
    summary_init(&fixture->summary);
    overview_init(&fixture->overview);
    run_events_init(&fixture->events);
    fixture->data = (struct report_data){
        .summary = &fixture->summary, .overview = &fixture->overview, .events = &fixture->events};
}

/* The table; valid until the next one. */
static char *csv_of(const struct fixture *fixture, enum csv_table table)
{
    static char text[16384];
    FILE *to = fmemopen(text, sizeof(text), "w");
    assert_non_null(to);
    report_csv(to, &fixture->data, table);
    fclose(to);
    return text;
}

/* The line of that number, from 0, without its end. */
static const char *line_of(char *text, int number)
{
    char *line = text;
    while (number-- > 0) {
        line = strstr(line, "\r\n");
        assert_non_null(line);
        line += 2;
    }
    char *end = strstr(line, "\r\n");
    assert_non_null(end);
    *end = '\0';
    return line;
}

static void expect(const struct fixture *fixture, enum csv_table table, int number,
                   const char *want)
{
    char *text = csv_of(fixture, table);
    assert_string_equal(line_of(text, number), want);
}

static void steps_have_a_row_each(void **state)
{
    struct fixture fixture;
    struct overview_column columns[] = {
        {.positions = 1,
         .steps = 10,
         .flops = 4.5e14,
         .mfu_logged = 0.455,
         .first_step = 7,
         .last_step = 7,
         .begin_s = 1795961553.25,
         .step_time_s = 1.5,
         .step_time_max_s = 1.5,
         .wait_share = 0.125,
         .mfu = 0.41,
         .hfu = 0.5,
         .time_evidence = EVIDENCE_MEASURED,
         .wait_evidence = EVIDENCE_MEASURED},
        {.positions = 3,
         .steps = 3,
         .flops = NAN,
         .mfu_logged = NAN,
         .first_attempt = 0,
         .last_attempt = 1,
         .first_step = 8,
         .last_step = 2,
         .begin_s = NAN,
         .step_time_s = 2,
         .step_time_max_s = 4,
         .wait_share = NAN,
         .mfu = NAN,
         .hfu = NAN,
         .time_evidence = EVIDENCE_COMPUTED},
    };
    fixture_init(&fixture);
    fixture.overview.columns = columns;
    fixture.overview.column_count = 2;
    fixture.overview.mfu_evidence = EVIDENCE_COMPUTED;
    expect(
        &fixture, CSV_STEPS, 0,
        "attempt,last_attempt,first_step,last_step,steps,begin,step_time_s,step_time_max_s,"
        "step_time_evidence,wait_share,wait_evidence,mfu,hfu,mfu_evidence,span,flops,mfu_logged");
    expect(&fixture, CSV_STEPS, 1,
           "0,0,7,7,1,2026-11-29T14:12:33.250000Z,1.500000,1.500000,measured,0.125000,measured,"
           "0.410000,0.500000,computed,10,450000000000000,0.455000");
    expect(&fixture, CSV_STEPS, 2, "0,1,8,2,3,,2.000000,4.000000,computed,,,,,,3,,");
    fixture.summary.simulated = true;
    expect(&fixture, CSV_STEPS, 2, "0,1,8,2,3,,2.000000,4.000000,simulated,,,,,,3,,");
}

/* Microseconds that round up to a whole second, and moments before 1970. */
static void moments_are_whole(void **state)
{
    struct fixture fixture;
    struct overview_column column = {.positions = 1,
                                     .steps = 1,
                                     .flops = NAN,
                                     .mfu_logged = NAN,
                                     .step_time_s = NAN,
                                     .step_time_max_s = NAN,
                                     .wait_share = NAN,
                                     .mfu = NAN,
                                     .hfu = NAN};
    fixture_init(&fixture);
    fixture.overview.columns = &column;
    fixture.overview.column_count = 1;
    column.begin_s = 0.9999999;
    expect(&fixture, CSV_STEPS, 1, "0,0,0,0,1,1970-01-01T00:00:01.000000Z,,,,,,,,,1,,");
    fixture.summary.zone_unknown = true; /* by the log's clock */
    expect(&fixture, CSV_STEPS, 1, "0,0,0,0,1,1970-01-01T00:00:01.000000,,,,,,,,,1,,");
    fixture.summary.zone_unknown = false;
    column.begin_s = -0.5;
    expect(&fixture, CSV_STEPS, 1, "0,0,0,0,1,1969-12-31T23:59:59.500000Z,,,,,,,,,1,,");
    column.begin_s = 1e300;
    expect(&fixture, CSV_STEPS, 1, "0,0,0,0,1,,,,,,,,,,1,,");
}

static void what_a_spreadsheet_would_run_is_made_harmless(void **state)
{
    static const struct {
        const char *raw, *cell;
    } cases[] = {
        {"node1", "node1"},
        {"=1+1", "\"'=1+1\""},
        {"+1", "\"'+1\""},
        {"-1", "\"'-1\""},
        {"@SUM(A1)", "\"'@SUM(A1)\""},
        {"  =1+1", "\"'  =1+1\""},
        {"\t=1+1", "\xef\xbf\xbd=1+1"},
        {"\xef\xbc\x9d"
         "1+1",
         "\"'\xef\xbc\x9d"
         "1+1\""},
        {"a,b", "\"a,b\""},
        {"a\"b", "\"a\"\"b\""},
        {"=\"x\"", "\"'=\"\"x\"\"\""},
        {"a\nb\r\nc", "a\xef\xbf\xbd"
                      "b\xef\xbf\xbd\xef\xbf\xbd"
                      "c"},
        {"\x1b[31mred", "\xef\xbf\xbd[31mred"},
        {"'quoted", "\"'quoted\""},
        {" blank", "\" blank\""},
    };
    struct fixture fixture;
    struct summary_rank rank = {.rank = 3,
                                .slowdown_median = NAN,
                                .window_slowdown = NAN,
                                .window_spread = NAN,
                                .gain_s = NAN,
                                .wait_mean_s = NAN,
                                .last_step = -1};
    fixture_init(&fixture);
    fixture.summary.ranks = &rank;
    fixture.summary.rank_count = 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char want[200];
        strcpy(rank.host, cases[i].raw);
        snprintf(want, sizeof(want), "3,,%s,present,0,0,,,,,,,,0,,,,,,,,,,", cases[i].cell);
        char *text = csv_of(&fixture, CSV_RANKS);
        const char *line = line_of(text, 1);
        if (strcmp(line, want) != 0)
            fail_msg("case %zu: %s", i, line);
    }
}

static void a_rank_has_its_figures_and_the_newest_step(void **state)
{
    struct fixture fixture;
    struct summary_rank rank = {.rank = 5,
                                .state = RANK_PRESENT,
                                .straggler = true,
                                .steps = 99,
                                .last_step = 98,
                                .slowdown_median = 1.1,
                                .window_slowdown = 1.2,
                                .window_spread = 0.02,
                                .gain_s = 0.05,
                                .wait_mean_s = 0.001,
                                .arrived_last_count = 90,
                                .has = RECORD_FORWARD | RECORD_BACKWARD,
                                .own_s = 0.9,
                                .wait_s = 0,
                                .host = "node5",
                                .group = "pp0"};
    rank.phase_s[PHASE_FORWARD] = 0.3;
    rank.phase_s[PHASE_BACKWARD] = 0.6;
    fixture_init(&fixture);
    fixture.summary.ranks = &rank;
    fixture.summary.rank_count = 1;
    fixture.summary.shown.known = true;
    fixture.summary.shown.step = 98;
    fixture.summary.wait_mean_s = (struct quantity){0.1, EVIDENCE_MEASURED};
    expect(
        &fixture, CSV_RANKS, 1,
        "5,pp0,node5,present,1,99,98,1.1000,1.2000,0.0200,0.050000,computed,0.001000,90,measured,"
        "98,,0.300000,0.600000,,,0.900000,0.000000,measured");
}

static void events_are_as_long_as_they_are(void **state)
{
    struct fixture fixture;
    struct run_event items[] = {
        {.verdict = {.kind = VERDICT_STRAGGLER,
                     .rank = 5,
                     .phase = PHASE_FORWARD,
                     .slowdown = 1.17,
                     .sure = 9.5,
                     .lost_share = 0.1,
                     .lost_gpu_s = 12,
                     .step_time_s = NAN,
                     .from_step = 20,
                     .named_step = 41,
                     .to_step = -1},
         .begin_s = 0,
         .end_s = NAN},
        {.verdict = {.kind = VERDICT_RESTART,
                     .rank = -1,
                     .phase = -1,
                     .slowdown = NAN,
                     .sure = NAN,
                     .lost_share = NAN,
                     .lost_gpu_s = NAN,
                     .step_time_s = 300,
                     .repeated_steps = 17,
                     .from_step = 50,
                     .named_step = 50,
                     .to_step = 50,
                     .attempt = 1},
         .begin_s = NAN,
         .end_s = NAN},
        {.verdict = {.kind = VERDICT_GAP,
                     .rank = -1,
                     .phase = -1,
                     .slowdown = NAN,
                     .sure = NAN,
                     .lost_share = NAN,
                     .lost_gpu_s = NAN,
                     .step_time_s = 60,
                     .repeated_steps = 0,
                     .from_step = 70,
                     .named_step = 70,
                     .to_step = 70,
                     .attempt = 1},
         .begin_s = NAN,
         .end_s = NAN},
    };
    fixture_init(&fixture);
    fixture.events.items = items;
    fixture.events.count = 3;
    expect(
        &fixture, CSV_EVENTS, 1,
        "straggler,5,,,forward,0,20,,41,1970-01-01T00:00:00.000000Z,,1.1700,9.50,0.100000,12.000,"
        ",,,,,0,computed,");
    expect(&fixture, CSV_EVENTS, 2, "restart,,,,,1,50,50,50,,,,,,,,300.000000,17,,,0,computed,");
    expect(&fixture, CSV_EVENTS, 3, "gap,,,,,1,70,70,70,,,,,,,,,,60.000000,0,0,computed,");
    fixture.summary.rank_count = 2; /* and 8 GPUs: what it cost is scaled */
    fixture.summary.run.gpus = 8;
    expect(
        &fixture, CSV_EVENTS, 1,
        "straggler,5,,,forward,0,20,,41,1970-01-01T00:00:00.000000Z,,1.1700,9.50,0.100000,12.000,"
        ",,,,,0,computed,2");
}

static void every_line_has_as_many_fields_as_the_heads(void **state)
{
    struct fixture fixture;
    struct overview_column column = {.positions = 1};
    struct summary_rank rank = {.rank = 0};
    struct run_event event = {.verdict = {.kind = VERDICT_SPIKE}};
    fixture_init(&fixture);
    fixture.overview.columns = &column;
    fixture.overview.column_count = 1;
    fixture.summary.ranks = &rank;
    fixture.summary.rank_count = 1;
    fixture.events.items = &event;
    fixture.events.count = 1;
    for (int table = CSV_STEPS; table <= CSV_EVENTS; table++) {
        char *text = csv_of(&fixture, (enum csv_table)table);
        int commas[2] = {0, 0}, line = 0;
        for (const char *p = text; *p; p++) {
            line += *p == '\n';
            commas[line < 1 ? 0 : 1] += *p == ',';
        }
        assert_int_equal(line, 2);
        assert_int_equal(commas[0], commas[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_a_row_each),
        cmocka_unit_test(moments_are_whole),
        cmocka_unit_test(what_a_spreadsheet_would_run_is_made_harmless),
        cmocka_unit_test(a_rank_has_its_figures_and_the_newest_step),
        cmocka_unit_test(events_are_as_long_as_they_are),
        cmocka_unit_test(every_line_has_as_many_fields_as_the_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Verdicts and their cost in words, at every width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cost_lines.h"
#include "verdict_lines.h"
#include "verdict_none.h"
#include "view_fixture.h"

static void begin(struct summary *summary, struct view_model *model, size_t ranks)
{
    fixture_figure(summary, ranks);
    model_init(model, MODE_LIVE);
    model->summary = summary;
}

struct wording {
    int width;
    const char *text;
};

static void assert_first_line(const struct view_model *model, const struct wording *cases,
                              size_t count)
{
    struct sentence line;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(verdict_lines(model, cases[i].width, &line, 1), 1);
        assert_string_equal(line.text, cases[i].text);
    }
}
#define ASSERT_FIRST_LINE(model, cases)                                                            \
    assert_first_line(model, cases, sizeof(cases) / sizeof((cases)[0]))

static void a_straggler_is_shortened_to_fit(void **state)
{
    static const struct wording cases[] = {
        {200, "straggler: rank 5 on node00 +10.1% c since step 12,288 (forward), sure: 12 standard "
              "errors c, worth +3.1 points c"},
        {100, "straggler: rank 5 on node00 +10.1% c since step 12,288 (forward), worth +3.1 points "
              "c"},
        {80, "straggler: rank 5 on node00 +10.1% c since 12,288 (forward), worth +3.1 points c"},
        {78, "straggler: rank 5, node00 +10.1% c since 12,288 (forward), worth +3.1 points c"},
        {70, "straggler: rank 5 +10.1% c since 12,288 (forward), worth +3.1 points c"},
        {65, "straggler: rank 5 on node00 +10.1% c since step 12,288 (forward)"},
        {60, "straggler: rank 5 +10.1% c since step 12,288 (forward)"},
        {50, "straggler: r5 +10.1% since 12,288 (forward)"},
        {40, "straggler r5 +10.1% since 12,288 forward"},
        {32, "r5 +10.1% since 12,288 forward"},
        {25, "r5 +10.1% since 12,288"},
        {12, "r5 +10.1%"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    ASSERT_FIRST_LINE(&model, cases);
    summary_done(&summary);
}

static void without_mfu_the_worth_is_gpu_time_and_a_bound_says_so(void **state)
{
    static const struct wording cases[] = {
        {200, "straggler: rank 5 on node00 +10.1% c since step 12,288 (forward), costs at least "
              "7.0% c of the GPU time"},
        {65, "straggler: rank 5 +10.1% c since 12,288 (forward), costs >7.0% c"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    summary.verdicts[0].sure = NAN;
    for (size_t i = 0; i < summary.what_if_count; i++) {
        summary.what_ifs[i].mfu_points = quantity_none();
        summary.what_ifs[i].lower_bound = true;
    }
    ASSERT_FIRST_LINE(&model, cases);
    summary_done(&summary);
}

static void a_slow_group_or_host_is_named_instead_of_its_ranks(void **state)
{
    static const struct wording group[] = {
        {100, "slow group: every rank of pp\uFFFD[1 +10.1% c since step 12,288 (forward), costs "
              "7.0% c of the GPU time"},
        {40, "group pp\uFFFD[1 +10.1% since 12,288 forward"}};
    static const struct wording host[] = {
        {78, "slow host: every rank of node17 +10.1% c since step 12,288 (forward)"},
        {40, "host node17 +10.1% since 12,288 forward"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    summary.verdicts[0].kind = VERDICT_GROUP;
    summary.verdicts[0].rank = -1;
    summary.verdicts[0].sure = NAN;
    strcpy(summary.verdicts[0].group, "pp\x1b[1");
    ASSERT_FIRST_LINE(&model, group);
    summary.verdicts[0].is_host = true;
    summary.verdicts[0].lost_share = NAN;
    strcpy(summary.verdicts[0].group, "node17");
    ASSERT_FIRST_LINE(&model, host);
    summary_done(&summary);
}

static void a_spike_says_how_long_and_who_was_last(void **state)
{
    static const struct wording last[] = {
        {200,
         "spike: step 12,345 took 2.3 x the median c (11.3 s m); rank 3 last on node00 (data)"},
        {70, "spike: step 12,345 took 2.3 x the median c; rank 3 last (data)"},
        {40, "spike: step 12,345 2.3 x, r3 data"},
        {30, "spike: step 12,345, r3 data"}};
    static const struct wording alike[] = {
        {78, "spike: step 12,345 took 2.3 x the median c (11.3 s m); all ranks alike"},
        {60, "spike: step 12,345 took 2.3 x the median c; all ranks alike"},
        {20, "spike: step 12,345"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    summary.verdicts[0] = (struct verdict){.kind = VERDICT_SPIKE,
                                           .rank = 3,
                                           .phase = PHASE_DATA,
                                           .slowdown = 2.3,
                                           .step_time_s = 11.34,
                                           .from_step = 12345,
                                           .to_step = 12345};
    ASSERT_FIRST_LINE(&model, last);
    summary.verdicts[0].rank = summary.verdicts[0].phase = -1;
    ASSERT_FIRST_LINE(&model, alike);
    static const struct wording by_rate[] = {
        {78, "spike: step 12,345 took 2.3 x the median c (11.3 s c); all ranks alike"}};
    summary.verdicts[0].computed = true; /* of tokens a second, say */
    ASSERT_FIRST_LINE(&model, by_rate);
    summary.verdicts[0].from_step = 12000; /* is past: nobody asks any more */
    summary.ranks[5].window_slowdown = 1.01;
    static const struct wording past[] = {{78, "no straggler: every rank within 5% of the median"}};
    ASSERT_FIRST_LINE(&model, past);
    summary_done(&summary);
}

static void a_restart_says_what_is_done_again(void **state)
{
    static const struct wording cases[] = {
        {100, "restart: attempt 2 goes on from step 12,345; 13 steps are done again, down 240 s m"},
        {75, "restart: attempt 2 goes on from step 12,345; 13 steps again, down 240 s m"},
        {60, "restart: attempt 2 goes on from step 12,345"},
        {30, "attempt 2 from 12,345"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    summary.verdicts[0] = (struct verdict){.kind = VERDICT_RESTART,
                                           .rank = -1,
                                           .phase = -1,
                                           .slowdown = NAN,
                                           .step_time_s = 240,
                                           .repeated_steps = 13,
                                           .from_step = 12345,
                                           .to_step = 12345,
                                           .attempt = 1};
    ASSERT_FIRST_LINE(&model, cases);
    static const struct wording by_rate[] = {
        {100,
         "restart: attempt 2 goes on from step 12,345; 13 steps are done again, down 240 s c"}};
    summary.verdicts[0].computed = true;
    ASSERT_FIRST_LINE(&model, by_rate);
    summary_done(&summary);
}

static void when_another_rank_is_last_each_step_nobody_is_to_be_drained(void **state)
{
    static const struct wording cases[] = {
        {100, "nobody to drain: another rank is last each step: 8 ranks in 50 steps, rank 5 most "
              "often (9)"},
        {75, "nobody to drain: another rank is last each step: 8 ranks in 50 steps"},
        {50, "nobody to drain: another rank is last each step"},
        {40, "nobody: another rank last each step"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    summary.verdicts[0].kind = VERDICT_WANDERING;
    summary.verdicts[0].rank = -1;
    summary.rotation = (struct rotation){
        .steps = 50, .distinct = 8, .most_rank = 5, .most_count = 9, .streak_rank = 2, .streak = 1};
    ASSERT_FIRST_LINE(&model, cases);
    summary_done(&summary);
}

static void what_has_no_line_is_counted_in_the_last(void **state)
{
    struct summary summary;
    struct view_model model;
    struct sentence lines[3];
    fixture_missing(&summary);
    model_init(&model, MODE_LIVE);
    model.summary = &summary;
    assert_int_equal(verdict_lines_wanted(&model), 3); /* the last: what waiting costs */
    assert_int_equal(verdict_lines(&model, 80, lines, 1), 1);
    assert_string_equal(lines[0].text,
                        "missing: rank 3 on node00 since step 12,301, silent 12 s (+1)");
    assert_int_equal(verdict_lines(&model, 80, lines, 2), 2);
    assert_string_equal(lines[0].text, "missing: rank 3 on node00 since step 12,301, silent 12 s");
    assert_int_equal(verdict_lines(&model, 80, lines, 3), 3);
    assert_string_equal(
        lines[2].text,
        "9.8% m of GPU time waits: 2.8% c by chance (8 equal ranks), 7.0% c by rank 5");
    summary_done(&summary);
}

static void nobody_is_an_answer_and_too_early_another(void **state)
{
    struct summary summary;
    struct view_model model;
    struct sentence line;
    begin(&summary, &model, 8);
    summary.verdicts_in_force = 0;
    summary.ranks[5].window_slowdown = 1.01;
    verdict_none(&model, 80, &line);
    assert_string_equal(line.text, "no straggler: every rank within 5% of the median");
    summary.ranks[5].window_slowdown = 1.08;
    verdict_none(&model, 80, &line);
    assert_string_equal(line.text, "no straggler: rank 5 +8.0% c, but not steadily");
    summary.window_steps = 20;
    verdict_none(&model, 80, &line);
    assert_string_equal(line.text, "no straggler: rank 5 +8.0% c, but not steadily");
    summary.window_steps = 19;
    verdict_none(&model, 80, &line);
    assert_string_equal(line.text, "too early to tell who is slow: 19 of 20 steps");
    summary.window_steps = 12;
    verdict_none(&model, 80, &line);
    assert_string_equal(line.text, "too early to tell who is slow: 12 of 20 steps");
    model.mode = MODE_ENDED;
    verdict_none(&model, 80, &line);
    assert_string_equal(line.text,
                        "too few steps to tell who is slow: 12 steps, a verdict needs 20");
    summary.window_steps = 1;
    verdict_none(&model, 40, &line);
    assert_string_equal(line.text, "too few steps: 1 step, needs 20");
    summary.shown.known = false;
    verdict_none(&model, 80, &line);
    assert_string_equal(line.text, "no step was whole: nobody can be named");
    summary_done(&summary);
}

static void assert_cannot_tell(const struct view_model *model, const char *short_text,
                               const char *part_of_long)
{
    struct sentence line;
    verdict_none(model, 78, &line);
    assert_string_equal(line.text, short_text);
    verdict_none(model, 40, &line);
    assert_string_equal(line.text, "cannot tell who is slow");
    sentence_clear(&line, STYLE_NORMAL);
    verdict_no_rule(model, &line);
    assert_non_null(strstr(line.text, part_of_long));
}

static void each_cause_of_not_knowing_has_its_sentence(void **state)
{
    struct summary summary;
    struct view_model model;
    fixture_no_rule(&summary);
    model_init(&model, MODE_LIVE);
    model.summary = &summary;
    assert_cannot_tell(&model, "cannot tell who is slow: this log has no phases",
                       "All ranks of a step last equally long");
    summary.rules_mixed = true;
    assert_cannot_tell(&model, "cannot tell who is slow: this step has no phases",
                       "The records of step 12,345 have no phases, those of other steps have");
    for (size_t i = 0; i < 6; i++)
        summary.ranks[i].has |= RECORD_FORWARD;
    assert_cannot_tell(&model, "cannot tell who is slow: no phases from 2 ranks of 8",
                       "2 ranks of 8 (rank 6 first) give no phases");
    summary.ranks[6].has |= RECORD_COMPUTE;
    assert_cannot_tell(&model, "cannot tell who is slow: no phases from 1 rank of 8",
                       "1 rank of 8 (rank 7) gives no phases");
    summary.rank_count = 1;
    assert_cannot_tell(&model, "cannot tell who is slow: this log has rank 0 alone",
                       "This log has rank 0 alone.");
    summary_done(&summary);
}

/* --- what waiting costs --- */

static void assert_waiting(const struct view_model *model, const struct wording *cases,
                           size_t count)
{
    struct sentence line;
    for (size_t i = 0; i < count; i++) {
        assert_true(cost_waiting_line(model, cases[i].width, &line));
        assert_string_equal(line.text, cases[i].text);
    }
}
#define ASSERT_WAITING(model, cases)                                                               \
    assert_waiting(model, cases, sizeof(cases) / sizeof((cases)[0]))

static void the_waiting_divides_into_chance_and_a_name(void **state)
{
    static const struct wording cases[] = {
        {100,
         "9.8% m of the GPU time waits: 2.8% c is what 8 equal ranks lose by chance, 7.0% c is "
         "rank 5"},
        {80, "9.8% m of GPU time waits: 2.8% c by chance (8 equal ranks), 7.0% c by rank 5"},
        {70, "9.8% m of GPU time waits: 2.8% c by chance, 7.0% c by rank 5"},
        {50, "9.8% m waits: 2.8% c by chance, 7.0% c by rank 5"},
        {40, "9.8% waits: 2.8% chance, 7.0% rank 5"}};
    struct summary summary;
    struct view_model model;
    struct sentence line;
    begin(&summary, &model, 8);
    ASSERT_WAITING(&model, cases);
    assert_false(cost_waiting_line(&model, 20, &line));
    summary_done(&summary);
}

static void its_figures_add_up_as_they_are_shown(void **state)
{
    static const struct wording cases[] = {
        {140,
         "the median rank waits 9.8% m of its time: 2.8% c is what 8 equal ranks lose by chance, "
         "7.0% c is rank 5"},
        {80, "the median rank waits 9.8% m: 2.8% c by chance (8 equal ranks), 7.0% c by rank 5"},
        {50, "9.8% m waits: 2.8% c by chance, 7.0% c by rank 5"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    summary.window_wait_share.value = 0.085; /* the mean over ranks: another figure */
    summary.jitter.loss.value = 0.0984;      /* 9.8 */
    summary.jitter.floor.value = 0.0275;     /* 2.8 by rounding */
    summary.jitter.chronic.value = 0.0709;   /* 7.1, if it were rounded alone */
    ASSERT_WAITING(&model, cases);
    summary_done(&summary);
}

static void what_nobody_explains_is_nobodys(void **state)
{
    static const struct wording part[] = {
        {140,
         "9.8% m of the GPU time waits: 2.8% c is what 8 equal ranks lose by chance, 7.0% c is "
         "more than that, 60.0% c of it rank 5"}};
    static const struct wording nobody[] = {
        {140,
         "9.8% m of the GPU time waits: 2.8% c is what 8 equal ranks lose by chance, 7.0% c is "
         "more than that, but nobody's alone"}};
    static const struct wording floor[] = {
        {140, "2.7% m of the GPU time waits: no more than 8 equal ranks lose by chance, 2.8% c"},
        {50, "2.7% m of GPU time waits: 2.8% c by chance"}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    summary.what_ifs[0].explains.value = 0.6;
    ASSERT_WAITING(&model, part);
    summary.verdicts_in_force = 0;
    ASSERT_WAITING(&model, nobody);
    summary.jitter.loss.value = summary.window_wait_share.value = 0.027;
    summary.jitter.chronic.value = 0;
    ASSERT_WAITING(&model, floor);
    struct sentence line;
    summary.jitter.floor = quantity_none();
    assert_false(cost_waiting_line(&model, 200, &line));
    summary_done(&summary);
}

static void a_verdict_finds_its_own_what_if(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    struct verdict *verdict = &summary.verdicts[0];
    assert_ptr_equal(cost_of_verdict(&summary, verdict), &summary.what_ifs[1]);
    assert_ptr_equal(cost_of_named(&summary), &summary.what_ifs[0]);
    verdict->rank = 6;
    assert_null(cost_of_verdict(&summary, verdict));
    verdict->kind = VERDICT_GROUP;
    strcpy(verdict->group, "pp0");
    summary.what_ifs[2].of = COST_OF_HOST; /* a host of that name is not that group */
    strcpy(summary.what_ifs[2].name, "pp0");
    assert_null(cost_of_verdict(&summary, verdict));
    verdict->is_host = true;
    assert_ptr_equal(cost_of_verdict(&summary, verdict), &summary.what_ifs[2]);
    summary.verdicts_in_force = 0;
    assert_null(cost_of_named(&summary));
    summary_done(&summary);
}

/* What is over cannot be won any more: it says what it has cost. */
static void what_is_over_has_cost_and_brings_nothing(void **state)
{
    struct summary summary;
    struct view_model model;
    struct sentence line;
    begin(&summary, &model, 8);
    sentence_clear(&line, STYLE_NORMAL);
    assert_true(cost_add_worth(&line, &model, &summary.verdicts[0], false));
    assert_string_equal(line.text, "worth +3.1 points c");
    summary.verdicts[0].to_step = 12340;
    sentence_clear(&line, STYLE_NORMAL);
    assert_true(cost_add_worth(&line, &model, &summary.verdicts[0], false));
    assert_string_equal(line.text, "has cost 7.0% c of the GPU time of its steps");
    summary_done(&summary);
}

static void of_missing_ranks_the_one_that_went_first_is_named(void **state)
{
    struct summary summary;
    struct view_model model;
    struct sentence line;
    fixture_missing(&summary);
    model_init(&model, MODE_LIVE);
    model.summary = &summary;
    summary.ranks[6].state = RANK_MISSING;
    summary.ranks[6].last_step = 12200;
    summary.ranks[7].state = RANK_MISSING;
    summary.ranks[7].last_step = 12340;
    verdict_lines(&model, 200, &line, 1);
    assert_non_null(
        strstr(line.text, "missing: 3 ranks, rank 6 first on node00 since step 12,201"));
    summary_done(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straggler_is_shortened_to_fit),
        cmocka_unit_test(without_mfu_the_worth_is_gpu_time_and_a_bound_says_so),
        cmocka_unit_test(a_slow_group_or_host_is_named_instead_of_its_ranks),
        cmocka_unit_test(a_spike_says_how_long_and_who_was_last),
        cmocka_unit_test(a_restart_says_what_is_done_again),
        cmocka_unit_test(when_another_rank_is_last_each_step_nobody_is_to_be_drained),
        cmocka_unit_test(what_has_no_line_is_counted_in_the_last),
        cmocka_unit_test(nobody_is_an_answer_and_too_early_another),
        cmocka_unit_test(each_cause_of_not_knowing_has_its_sentence),
        cmocka_unit_test(the_waiting_divides_into_chance_and_a_name),
        cmocka_unit_test(its_figures_add_up_as_they_are_shown),
        cmocka_unit_test(what_nobody_explains_is_nobodys),
        cmocka_unit_test(a_verdict_finds_its_own_what_if),
        cmocka_unit_test(what_is_over_has_cost_and_brings_nothing),
        cmocka_unit_test(of_missing_ranks_the_one_that_went_first_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

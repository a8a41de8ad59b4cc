/* What the report says of verdicts, cost and the ledger: golden texts of runs
 * built by hand, and the same figures as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "view_golden.h"

static char *text_of(const struct summary *summary)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report_text(to, summary, false);
    fclose(to);
    char *copy = strdup(text);
    free(text);
    return copy;
}

static cJSON *json_of(const struct summary *summary)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    report_json(to, summary);
    fclose(to);
    cJSON *json = cJSON_ParseWithLengthOpts(text, size + 1, NULL, true);
    if (!json)
        print_error("%s\n", text);
    assert_non_null(json);
    free(text);
    return json;
}

static const cJSON *at(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    if (!item)
        print_error("no %s\n", name);
    assert_non_null(item);
    return item;
}

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-6 * (1 + fabs(expected)));
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void assert_says(const struct summary *summary, const char *sentence)
{
    char *text = text_of(summary);
    char joined[65536];
    size_t length = 0;
    for (const char *p = text; *p && length + 1 < sizeof(joined); p++) { /* lines are one again */
        bool blank = *p == ' ' || *p == '\n';
        if (!blank || length == 0 || joined[length - 1] != ' ')
            joined[length++] = blank ? ' ' : *p;
    }
    joined[length] = '\0';
    if (!strstr(joined, sentence))
        fputs(text, stderr); /* print_error cuts */
    assert_non_null(strstr(joined, sentence));
    free(text);
}

/* --- text --- */

static void one_slow_rank_is_to_be_drained(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    fixture_prices(&summary);
    char *text = text_of(&summary);
    assert_true(count_lines(text) <= 60);
    compare("report-figure", text);
    assert_says(&summary,
                "drain rank 5 (node00, pp0): it is 10.1% c slower than its peers since step "
                "12,288, in forward, sure by 12 standard errors c.");
    assert_says(&summary,
                "Without it a step would take 4.58 s c instead of 4.92 s m, which wins 7.0% "
                "c of the GPU time.");
    for (size_t i = 0; i < summary.what_if_count; i++)
        summary.what_ifs[i].lower_bound = true;
    assert_says(&summary,
                "which wins at least 7.0% c of the GPU time (a lower bound: pipeline bubbles "
                "are not modelled).");
    assert_says(&summary, "What would be won is a lower bound: pipeline bubbles are not modelled.");
    summary_done(&summary);
}

/* GPU-hours are of all GPUs of the job: where few of its ranks are known they say so. */
static void what_is_scaled_says_so(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    fixture_prices(&summary);
    summary.world_ranks = 16;
    summary.run.gpus = summary.ledger.gpus = summary.ledger_window.gpus = 16;
    summary.gpus_logged = true;
    char *text = text_of(&summary);
    compare("report-scaled", text);
    cJSON *json = json_of(&summary);
    assert_near(at(at(json, "run"), "ranks_of_job")->valuedouble, 16);
    assert_near(at(at(json, "ledger"), "scaled_from_ranks")->valuedouble, 8);
    assert_near(at(at(json, "ledger_window"), "scaled_from_ranks")->valuedouble, 8);
    assert_near(at(at(json, "what_if")->child, "scaled_from_ranks")->valuedouble, 8);
    assert_near(at(at(json, "verdicts")->child, "scaled_from_ranks")->valuedouble, 8);
    cJSON_Delete(json);

    summary.world_ranks = 0; /* no log says it, only the GPUs are known */
    assert_says(&summary, "WHERE THE GPU TIME GOES (of 16 GPUs, scaled from 8 ranks) ");
    summary.world_ranks = 16; /* of the known ranks only */
    summary.run.gpus = summary.ledger.gpus = summary.ledger_window.gpus = 8;
    summary.gpus_assumed = true;
    assert_says(&summary, "WHERE THE GPU TIME GOES (of 8 of 16 ranks only) ");
    assert_says(&summary, "GPU-h, money and kWh are of 8 of 16 ranks only: ");
    json = json_of(&summary);
    assert_true(cJSON_IsNull(at(at(json, "ledger"), "scaled_from_ranks")));
    cJSON_Delete(json);
    summary.world_ranks = 8; /* all are known: nothing is to be said */
    summary.run.gpus = 64;
    text = text_of(&summary);
    assert_null(strstr(text, "scaled"));
    assert_null(strstr(text, "ranks only"));
    free(text);
    summary_done(&summary);
}

static void make_slow_group(struct summary *summary, bool is_host)
{
    fixture_figure(summary, 16);
    struct verdict *verdict = &summary->verdicts[0];
    verdict->kind = VERDICT_GROUP;
    verdict->rank = -1;
    verdict->is_host = is_host;
    strcpy(verdict->group, is_host ? "node01" : "pp1");
    for (size_t i = 0; i < 16; i++) {
        summary->ranks[i].straggler = i >= 8;
        summary->ranks[i].window_slowdown = i >= 8 ? 1.1 + (double)i / 1000 : 1.0;
        summary->ranks[i].slowdown_median = summary->ranks[i].window_slowdown;
        summary->ranks[i].gain_s = i == 15 ? 0.0044 : 0;
    }
    for (size_t i = 0; i < 2; i++) {
        summary->what_ifs[i].of = is_host ? COST_OF_HOST : COST_OF_GROUP;
        summary->what_ifs[i].rank = -1;
        summary->what_ifs[i].ranks = 8;
        strcpy(summary->what_ifs[i].name, verdict->group);
    }
}

static void of_a_slow_group_no_rank_is_to_be_drained(void **state)
{
    struct summary summary;
    make_slow_group(&summary, false);
    assert_says(&summary,
                "do not drain a rank: the 8 ranks of pp1 are slow alike, 10.1% c slower than "
                "the others since step 12,288");
    assert_says(
        &summary,
        "Fixing one of them alone wins next to nothing: rank 15, 4.40 ms c a step. With all of "
        "them as fast as the others a step would take 4.58 s c instead of 4.92 s m");
    assert_says(&summary, "<- in a slow group");
    summary_done(&summary);
    make_slow_group(&summary, true);
    assert_says(&summary,
                "drain the host node01, not one of its ranks: all 8 are slow, 10.1% c slower");
    assert_says(&summary, "<- on a slow host");
    summary_done(&summary);
}

static void several_are_also_told_together(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.verdicts = realloc(summary.verdicts, 2 * sizeof(*summary.verdicts));
    summary.verdicts[1] = summary.verdicts[0];
    summary.verdicts[1].rank = 6;
    summary.verdict_count = summary.verdicts_in_force = 2;
    assert_says(&summary, "drain rank 5 (node00, pp0)");
    assert_says(&summary, "drain rank 6 (node00, pp0)");
    assert_says(&summary, "Without any that is named a step would take 4.58 s c");
    assert_says(&summary, "7.0% c is the 2 that are named.");
    summary_done(&summary);
}

static void nobody_is_drained_for_jitter(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.verdicts_in_force = summary.verdict_count = 0;
    summary.what_if_count = 0;
    summary.ranks[5].straggler = false;
    summary.ranks[5].window_slowdown = 1.004;
    summary.jitter.loss.value = summary.window_wait_share.value = 0.027;
    summary.jitter.chronic.value = 0;
    assert_says(&summary, "drain nobody: no straggler: every rank within 5% of the median.");
    assert_says(&summary,
                "2.7% m of the GPU time waits: no more than 8 equal ranks lose by chance, 2.8% c.");
    free(summary.verdicts);
    fixture_verdict(&summary);
    summary.verdicts[0].kind = VERDICT_WANDERING;
    summary.verdicts[0].rank = -1;
    summary.rotation.distinct = 8;
    summary.rotation.most_count = 9;
    assert_says(&summary,
                "nobody to drain: another rank is last each step: 8 ranks in 50 steps, rank 5 "
                "most often (9).");
    char *text = text_of(&summary);
    assert_null(strstr(text, "drain nobody")); /* it is said once */
    free(text);
    summary_done(&summary);
}

static void what_cannot_be_told_says_why(void **state)
{
    struct summary summary;
    fixture_no_rule(&summary);
    compare("report-no-rule", text_of(&summary));
    summary.rules_mixed = true; /* phases appear half-way */
    assert_says(&summary, "waiting not known in too many steps, though it is in others");
    assert_says(&summary, "The records of step 12,345 have no phases, those of other steps have");
    summary.rules_mixed = false;
    summary.rank_count = 1;
    assert_says(
        &summary,
        "nobody can be named: this log cannot tell who is slow. This log has rank 0 alone.");
    assert_says(&summary, "name the logs of all of them.");
    summary_done(&summary);
    summary_init(&summary);
    run_init(&summary.run);
    compare("report-nothing", text_of(&summary));
    summary_done(&summary);
}

static void what_is_over_is_told_restarts_before_spikes(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.verdicts = realloc(summary.verdicts, 14 * sizeof(*summary.verdicts));
    summary.verdict_count = 14;
    for (size_t i = 1; i < 14; i++) {
        summary.verdicts[i] = (struct verdict){.kind = VERDICT_SPIKE,
                                               .rank = -1,
                                               .phase = -1,
                                               .slowdown = 1.6,
                                               .step_time_s = 7.9,
                                               .from_step = (int64_t)(100 * i),
                                               .to_step = (int64_t)(100 * i)};
    }
    summary.verdicts[12].kind = VERDICT_RESTART;
    summary.verdicts[12].attempt = 1;
    summary.verdicts[12].repeated_steps = 13;
    summary.verdicts[12].step_time_s = 240;
    summary.verdicts[13] = summary.verdicts[0];
    summary.verdicts[13].rank = 2;
    summary.verdicts[13].to_step = 12300;
    assert_says(&summary,
                "restart: attempt 2 goes on from step 1,200; 13 steps are done again, down 240 "
                "s m. - over: straggler: rank 2 on node00 +10.1% c since step 12,288 (forward), "
                "sure: 12 standard errors c, has cost 7.0% c of the GPU time of its steps, "
                "until step 12,300. - spike: step 100 took 1.6 x the median c (7.90 s m); all "
                "ranks alike.");
    assert_says(&summary, "and 5 more that are over: all of them are in --json");
    summary_done(&summary);
}

static void of_many_ranks_the_slowest_have_a_line(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 16384);
    char *text = text_of(&summary);
    assert_true(count_lines(text) < 80);
    assert_non_null(strstr(text, "the 16 slowest; 16,368 more are in --json"));
    assert_non_null(strstr(text, "      5       1.1010"));
    free(text);
    cJSON *json = json_of(&summary);
    assert_int_equal(cJSON_GetArraySize(at(json, "per_rank")), 16384);
    cJSON_Delete(json);
    summary_done(&summary);
}

/* Each number's letter is s, but for the reported runs of others. */
static void a_simulated_report_has_no_other_letter(void **state)
{
    static const char *const others[] = {"% m", "% c", " s m", " s c", " h m", " h c", "errors c"};
    struct summary summary;
    fixture_figure(&summary, 8);
    fixture_prices(&summary);
    summary.simulated = true;
    char *text = text_of(&summary);
    assert_non_null(strstr(text, "SIMULATED"));
    for (char *p = strstr(text, "nearest reported"); *p != '\n'; p++)
        *p = '-';
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strstr(text, others[i]))
            print_error("%s in\n%s\n", others[i], text);
        assert_null(strstr(text, others[i]));
    }
    free(text);
    summary_done(&summary);
}

/* --- JSON --- */

static void assert_adds_up(const cJSON *ledger)
{
    int64_t sum = 0;
    const cJSON *part;
    assert_int_equal(cJSON_GetArraySize(at(ledger, "parts")), LEDGER_COUNT);
    cJSON_ArrayForEach(part, at(ledger, "parts"))
    {
        const cJSON *share = at(part, "share");
        bool known = cJSON_IsNumber(share);
        assert_true(known == cJSON_IsNumber(at(part, "gpu_hours")));
        assert_true(known == cJSON_IsString(at(part, "evidence")));
        assert_true(known == cJSON_IsNull(at(part, "within")));
        sum += known ? llround(share->valuedouble * 1e6) : 0;
    }
    assert_int_equal(sum, 1000000);
}

static void the_ledgers_add_up_to_one(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.ledger.share[LEDGER_KERNELS].value -= 0.0000004; /* no whole millionths */
    summary.ledger.share[LEDGER_JITTER].value += 0.0000004;
    cJSON *json = json_of(&summary);
    assert_adds_up(at(json, "ledger"));
    assert_adds_up(at(json, "ledger_window"));
    assert_near(at(at(json, "ledger_window"), "wall_s")->valuedouble, 246);
    const cJSON *first = cJSON_GetArrayItem(at(at(json, "ledger_window"), "parts"), 0);
    assert_string_equal(at(first, "part")->valuestring, "arithmetic");
    assert_near(at(first, "share")->valuedouble, 0.412);
    assert_near(at(first, "gpu_hours")->valuedouble, 0.225227);
    cJSON_Delete(json);
    summary.ledger.share[LEDGER_KERNELS].value += summary.ledger.share[LEDGER_ARITHMETIC].value;
    summary.ledger.share[LEDGER_ARITHMETIC] = quantity_none();
    summary.ledger.within[LEDGER_ARITHMETIC] = LEDGER_KERNELS;
    json = json_of(&summary);
    assert_adds_up(at(json, "ledger"));
    first = cJSON_GetArrayItem(at(at(json, "ledger"), "parts"), 0);
    assert_string_equal(at(first, "within")->valuestring, "kernels");
    cJSON_Delete(json);
    summary_done(&summary);
}

static void a_what_if_has_every_figure_or_null(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    cJSON *json = json_of(&summary);
    const cJSON *rank = cJSON_GetArrayItem(at(json, "what_if"), 1);
    assert_string_equal(at(rank, "of")->valuestring, "rank");
    assert_int_equal(at(rank, "rank")->valueint, 5);
    assert_true(cJSON_IsTrue(at(rank, "named")));
    assert_near(at(rank, "step_time_s")->valuedouble, 4.92);
    assert_near(at(rank, "without_s")->valuedouble, 4.5756);
    assert_near(at(rank, "gpu_hours_day")->valuedouble, 13.44);
    assert_true(cJSON_IsNull(at(rank, "money_day")));
    assert_true(cJSON_IsNull(at(rank, "kwh_end")));
    assert_true(cJSON_IsNull(at(rank, "name")));
    cJSON_Delete(json);
    fixture_prices(&summary);
    json = json_of(&summary);
    const cJSON *all = cJSON_GetArrayItem(at(json, "what_if"), 0);
    assert_string_equal(at(all, "of")->valuestring, "all");
    assert_true(cJSON_IsNull(at(all, "rank")));
    assert_near(at(all, "money_day")->valuedouble, 26.88);
    assert_near(at(all, "money_end")->valuedouble, 1075.2);
    assert_near(at(all, "kwh_end")->valuedouble, 376.32);
    assert_string_equal(at(all, "evidence")->valuestring, "computed");
    cJSON_Delete(json);
    summary_done(&summary);
}

static void a_verdict_says_what_it_is_about_and_what_it_costs(void **state)
{
    struct summary summary;
    make_slow_group(&summary, false);
    cJSON *json = json_of(&summary);
    const cJSON *verdict = cJSON_GetArrayItem(at(json, "verdicts"), 0);
    assert_string_equal(at(verdict, "unit")->valuestring, "group");
    assert_string_equal(at(verdict, "group")->valuestring, "pp1");
    assert_true(cJSON_IsNull(at(verdict, "host")));
    assert_near(at(verdict, "standard_errors")->valuedouble, 12.2);
    assert_near(at(verdict, "lost_share")->valuedouble, 0.07);
    assert_near(at(verdict, "lost_gpu_hours")->valuedouble, summary.verdicts[0].lost_gpu_s / 3600);
    assert_true(cJSON_IsNull(at(verdict, "down_s")));
    assert_true(cJSON_IsNull(at(verdict, "step_time_s")));
    assert_true(cJSON_IsNull(at(verdict, "repeated_steps")));
    assert_string_equal(at(verdict, "evidence")->valuestring, "computed");
    cJSON_Delete(json);
    summary.verdicts[0].is_host = true;
    summary.simulated = true;
    json = json_of(&summary);
    verdict = cJSON_GetArrayItem(at(json, "verdicts"), 0);
    assert_string_equal(at(verdict, "unit")->valuestring, "host");
    assert_string_equal(at(verdict, "host")->valuestring, "pp1");
    assert_true(cJSON_IsNull(at(verdict, "group")));
    assert_string_equal(at(verdict, "evidence")->valuestring, "simulated");
    cJSON_Delete(json);
    summary_done(&summary);
}

static void jitter_rotation_and_effective_time_are_there_or_null(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    cJSON *json = json_of(&summary);
    assert_near(at(at(json, "jitter"), "floor")->valuedouble, 0.028);
    assert_int_equal(cJSON_GetArraySize(at(at(json, "jitter"), "longer_at")), 4);
    const cJSON *largest = cJSON_GetArrayItem(at(at(json, "jitter"), "longer_at"), 3);
    assert_int_equal(at(largest, "ranks")->valueint, 16384);
    assert_near(at(largest, "longer")->valuedouble, 0.0777);
    assert_int_equal(at(at(json, "rotation"), "most_rank")->valueint, 5);
    assert_near(at(at(json, "effective"), "share")->valuedouble, 1);
    cJSON_Delete(json);
    summary_done(&summary);
    summary_init(&summary);
    run_init(&summary.run);
    json = json_of(&summary);
    assert_true(cJSON_IsNull(at(at(json, "jitter"), "floor")));
    assert_true(cJSON_IsNull(at(at(json, "rotation"), "most_rank")));
    assert_true(cJSON_IsNull(at(at(json, "effective"), "share")));
    assert_true(cJSON_IsNull(at(at(json, "ledger"), "wall_s")));
    assert_true(cJSON_IsNull(at(at(json, "ledger"), "gpus")));
    assert_int_equal(cJSON_GetArraySize(at(at(json, "ledger"), "parts")), 0);
    assert_int_equal(cJSON_GetArraySize(at(json, "what_if")), 0);
    cJSON_Delete(json);
    summary_done(&summary);
}

/* Whatever the figures are, and whatever the names: one valid object. */
static void absurd_figures_stay_valid_json(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e300};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct summary summary;
        fixture_hostile(&summary);
        fixture_prices(&summary);
        summary.ledger.wall_s = summary.ledger_window.gpus = values[i];
        summary.jitter.loss.value = summary.jitter.spread.value = values[i];
        summary.effective.share.value = summary.effective.wall_s.value = values[i];
        summary.verdicts[0].sure = summary.verdicts[0].lost_gpu_s = values[i];
        summary.verdicts[0].slowdown = values[i];
        summary.ranks[5].gain_s = summary.ranks[0].window_slowdown = values[i];
        for (size_t w = 0; w < summary.what_if_count; w++) {
            strcpy(summary.what_ifs[w].name, "\"\\\x1b[2J");
            summary.what_ifs[w].of = COST_OF_HOST;
            summary.what_ifs[w].mfu_points.value = summary.what_ifs[w].money_end.value = values[i];
            summary.what_ifs[w].step_time_without_s.value = values[i];
        }
        cJSON_Delete(json_of(&summary));
        char *text = text_of(&summary);
        assert_null(strchr(text, '\x1b'));
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        free(text);
        summary_done(&summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slow_rank_is_to_be_drained),
        cmocka_unit_test(what_is_scaled_says_so),
        cmocka_unit_test(of_a_slow_group_no_rank_is_to_be_drained),
        cmocka_unit_test(several_are_also_told_together),
        cmocka_unit_test(nobody_is_drained_for_jitter),
        cmocka_unit_test(what_cannot_be_told_says_why),
        cmocka_unit_test(what_is_over_is_told_restarts_before_spikes),
        cmocka_unit_test(of_many_ranks_the_slowest_have_a_line),
        cmocka_unit_test(a_simulated_report_has_no_other_letter),
        cmocka_unit_test(the_ledgers_add_up_to_one),
        cmocka_unit_test(a_what_if_has_every_figure_or_null),
        cmocka_unit_test(a_verdict_says_what_it_is_about_and_what_it_costs),
        cmocka_unit_test(jitter_rotation_and_effective_time_are_there_or_null),
        cmocka_unit_test(absurd_figures_stay_valid_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

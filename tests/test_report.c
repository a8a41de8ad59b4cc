/* The report for scripts: its keys, what stands in it whatever the log says, and
 * the right values of three real runs on eight ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>

#include "analysis_fixture.h"
#include "clocks.h"
#include "report.h"
#include "run_json.h"
#include "stream.h"

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
    for (size_t i = 0; i < size; i++) /* sanitised: no controls but the layout's newlines */
        assert_true((unsigned char)text[i] >= 0x20 || text[i] == '\n');
    free(text);
    return json;
}

/* The value at a path such as "wait.mean_s". */
static const cJSON *at(const cJSON *json, const char *path)
{
    char name[64];
    while (json && *path) {
        size_t len = strcspn(path, ".");
        assert_true(len < sizeof(name));
        memcpy(name, path, len);
        name[len] = '\0';
        json = cJSON_GetObjectItemCaseSensitive(json, name);
        path += len + (path[len] == '.');
    }
    if (!json)
        print_error("no %s\n", path);
    assert_non_null(json);
    return json;
}

static void every_key_is_there(const cJSON *json)
{
    static const char *const keys[] = {"schema",
                                       "run.name",
                                       "run.gpus",
                                       "run.chip",
                                       "run.simulated",
                                       "source.records",
                                       "source.other",
                                       "source.damaged",
                                       "source.duplicate",
                                       "source.late",
                                       "source.dropped",
                                       "steps.first",
                                       "steps.last",
                                       "steps.complete",
                                       "steps.incomplete",
                                       "steps.attempts",
                                       "step_time_s.median",
                                       "step_time_s.mean",
                                       "step_time_s.max",
                                       "step_time_s.evidence",
                                       "wait.rule",
                                       "wait.mean_s",
                                       "wait.share",
                                       "wait.evidence",
                                       "exchange_s.mean",
                                       "exchange_s.evidence",
                                       "mfu.value",
                                       "mfu.window",
                                       "mfu.attention",
                                       "mfu.evidence",
                                       "mfu.convention",
                                       "jitter.loss",
                                       "jitter.floor",
                                       "jitter.chronic",
                                       "rotation.most_rank",
                                       "what_if",
                                       "effective.share",
                                       "ledger.parts",
                                       "ledger_window.parts",
                                       "per_rank",
                                       "verdicts"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        at(json, keys[i]);
    assert_string_equal(at(json, "schema")->valuestring, "lockstep-report/1");
    const cJSON *item;
    cJSON_ArrayForEach(item, at(json, "per_rank"))
    {
        static const char *const of_rank[] = {"rank",         "slowdown_median", "wait_mean_s",
                                              "gain_s",       "window_slowdown", "spread",
                                              "arrived_last", "group",           "host"};
        for (size_t i = 0; i < sizeof(of_rank) / sizeof(of_rank[0]); i++)
            at(item, of_rank[i]);
    }
    cJSON_ArrayForEach(item, at(json, "verdicts"))
    {
        static const char *const of_verdict[] = {
            "kind", "unit",  "standard_errors", "lost_share", "lost_gpu_hours", "evidence",
            "rank", "group", "phase",           "slowdown",   "from_step",      "to_step"};
        for (size_t i = 0; i < sizeof(of_verdict) / sizeof(of_verdict[0]); i++)
            at(item, of_verdict[i]);
    }
}

static void an_empty_report_has_every_key(void **state)
{
    struct analysis *analysis = new_analysis();
    struct summary summary;
    sum_up(analysis, &summary);
    cJSON *json = json_of(&summary);
    every_key_is_there(json);
    assert_true(cJSON_IsNull(at(json, "steps.first")));
    assert_true(cJSON_IsNull(at(json, "wait.rule")));
    assert_true(cJSON_IsNull(at(json, "mfu.value")));
    assert_int_equal(cJSON_GetArraySize(at(json, "verdicts")), 0);
    cJSON_Delete(json);
    summary_done(&summary);
    analysis_free(analysis);
}

static void hostile_names_stay_inside_their_strings(void **state)
{
    static const char *const names[] = {"\"}],\"x\":[{\"",
                                        "\\",
                                        "back\\\\\"slash",
                                        "\x1b]0;title\x07",
                                        "\xff\xfe\xc0\x80",
                                        "\xed\xa0\x80",
                                        "\n\r\t",
                                        "\xe2\x80\xae right to left",
                                        "\xc2\x9b"
                                        "31m",
                                        "%s%n"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct analysis_options options;
        analysis_options_init(&options);
        str_copy(options.run.name, sizeof(options.run.name), str_from(names[i]));
        str_copy(options.run.chip, sizeof(options.run.chip), str_from(names[i]));
        struct analysis *analysis = analysis_new(&options);
        struct summary summary;
        for (int64_t step = 0; step < 30; step++)
            for (uint32_t rank = 0; rank < 4; rank++) {
                struct record record = record_of(rank, step, rank > 1 ? 200 : 100, 200, 20);
                record.has |= RECORD_HOST | RECORD_GROUP;
                record.host = str_from(names[i]);
                record.group = str_from(rank > 1 ? names[i] : "other");
                add(analysis, record);
            }
        sum_up(analysis, &summary);
        summary.complaint_count = 1;
        str_copy(summary.complaints[0], COMPLAINT_BYTES, str_from(names[i]));
        cJSON *json = json_of(&summary);
        every_key_is_there(json);
        assert_int_equal(cJSON_GetArraySize(at(json, "per_rank")), 4);
        assert_int_equal(cJSON_GetArraySize(json), cJSON_GetArraySize(json));
        assert_null(cJSON_GetObjectItemCaseSensitive(json, "x"));
        cJSON_Delete(json);
        char *text = NULL;
        size_t size = 0;
        FILE *to = open_memstream(&text, &size);
        report_text(to, &summary, true);
        fclose(to);
        assert_null(memchr(text, '\x1b', size));
        free(text);
        summary_done(&summary);
        analysis_free(analysis);
    }
}

/* ---- real runs ---- */

static void read_file_into(struct analysis *analysis, const char *path, const char *name,
                           struct stream_totals *totals)
{
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    struct stream *stream = stream_new(name, totals);
    struct record record;
    size_t size, got;
    do {
        char *space = stream_space(stream, 65536, &size);
        got = fread(space, 1, size, from);
        stream_filled(stream, got);
        if (got == 0)
            stream_end(stream);
        while (stream_next(stream, &record))
            analysis_add(analysis, &record, 0);
    } while (got > 0);
    stream_free(stream);
    fclose(from);
}

struct expected_run {
    const char *name;
    int64_t last_step;
    const char *rule;
    double wait_mean, exchange, median, mean, mfu;
    struct {
        double slowdown, wait;
        int last;
    } ranks[8];
    int straggler; /* -1: nobody */
};

static const struct expected_run expected_runs[] = {
    {"slow5",
     149,
     "sync",
     0.163174,
     0.044685,
     0.931069,
     0.998098,
     0.045110,
     {{0.9896, 0.178713, 6},
      {0.9959, 0.170035, 5},
      {0.9899, 0.194288, 9},
      {0.9832, 0.194459, 9},
      {0.9833, 0.186151, 5},
      {1.1730, 0.026472, 88},
      {0.9998, 0.161912, 14},
      {0.9747, 0.193364, 9}},
     5},
    {"balanced",
     149,
     "sync",
     0.091937,
     0.045455,
     0.851447,
     0.884280,
     0.049536,
     {{1.0171, 0.086724, 22},
      {0.9887, 0.091858, 13},
      {0.9817, 0.105934, 11},
      {0.9846, 0.090575, 15},
      {0.9927, 0.095875, 17},
      {1.0124, 0.087154, 26},
      {1.0122, 0.090244, 21},
      {1.0154, 0.087130, 20}},
     -1},
    {"overlap_slow5",
     119,
     "overlapped",
     0.116288,
     NAN,
     1.178933,
     1.170574,
     0.036363,
     {{1.0010, 0.123019, 7},
      {0.9969, 0.132082, 3},
      {0.9949, 0.139848, 4},
      {0.9974, 0.130640, 1},
      {0.9966, 0.127346, 4},
      {1.1031, 0.015207, 93},
      {0.9970, 0.131066, 1},
      {0.9958, 0.131099, 2}},
     5},
};

static void compare_ranks(const struct expected_run *run, const cJSON *json)
{
    for (int rank = 0; rank < 8; rank++) {
        const cJSON *item = cJSON_GetArrayItem(at(json, "per_rank"), rank);
        assert_int_equal(at(item, "rank")->valueint, rank);
        assert_true(
            near(at(item, "slowdown_median")->valuedouble, run->ranks[rank].slowdown, 5.1e-4));
        assert_true(near(at(item, "wait_mean_s")->valuedouble, run->ranks[rank].wait, 1.1e-6));
        assert_int_equal(at(item, "arrived_last")->valueint, run->ranks[rank].last);
    }
}

static void compare(const struct expected_run *run, const cJSON *json)
{
    assert_int_equal(at(json, "steps.first")->valueint, 5);
    assert_int_equal(at(json, "steps.last")->valueint, run->last_step);
    assert_int_equal(at(json, "steps.complete")->valueint, run->last_step - 4);
    assert_int_equal(at(json, "steps.incomplete")->valueint, 0);
    assert_int_equal(at(json, "source.damaged")->valueint, 0);
    assert_string_equal(at(json, "wait.rule")->valuestring, run->rule);
    assert_true(near(at(json, "wait.mean_s")->valuedouble, run->wait_mean, 1.1e-6));
    if (isnan(run->exchange))
        assert_true(cJSON_IsNull(at(json, "exchange_s.mean")));
    else
        assert_true(near(at(json, "exchange_s.mean")->valuedouble, run->exchange, 1.1e-6));
    assert_true(near(at(json, "step_time_s.median")->valuedouble, run->median, run->median * 0.01));
    assert_true(near(at(json, "step_time_s.mean")->valuedouble, run->mean, run->mean * 0.01));
    assert_true(near(at(json, "mfu.value")->valuedouble, run->mfu, run->mfu * 0.01));
    assert_string_equal(at(json, "mfu.attention")->valuestring, "full");
    compare_ranks(run, json);
    int named = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, at(json, "verdicts"))
    {
        if (strcmp(at(item, "kind")->valuestring, "straggler") != 0)
            continue;
        named++;
        assert_int_equal(at(item, "rank")->valueint, run->straggler);
    }
    assert_int_equal(named, run->straggler >= 0);
}

/* All ranks of these runs had one clock. Where the exchange overlaps the backward
 * pass they leave at moments of their own, and nothing is said of clocks. */
static void one_machine_has_one_clock(const struct summary *summary)
{
    assert_int_equal(summary->clock_count, summary->rule == WAIT_OVERLAPPED ? 0 : 8);
    for (size_t i = 0; i < summary->clock_count; i++) {
        const struct clock_offset *clock = &summary->clocks[i];
        assert_true(fabs(clock->offset_s) < 4 * clock->error_s && clock->error_s < 0.005);
        assert_false(clock_is_off(clock) || clock_drifts(clock));
    }
}

static void the_real_runs_come_to_their_right_values(void **state)
{
    const char *tests = getenv("LOCKSTEP_TESTS");
    if (!tests)
        skip();
    for (size_t i = 0; i < sizeof(expected_runs) / sizeof(expected_runs[0]); i++) {
        const struct expected_run *expected = &expected_runs[i];
        char path[4096], name[32], error[256];
        struct analysis_options options;
        analysis_options_init(&options);
        options.keep_history = false;
        options.from_step = 5;
        snprintf(path, sizeof(path), "%s/../samples/ddp8/%s/run.json", tests, expected->name);
        assert_int_equal(run_json_load(path, &options.run, error, sizeof(error)), 0);
        struct analysis *analysis = analysis_new(&options);
        struct stream_totals *totals = calloc(1, sizeof(*totals));
        struct summary summary;
        for (int rank = 0; rank < 8; rank++) { /* one file behind the other */
            snprintf(name, sizeof(name), "rank%d.jsonl", rank);
            snprintf(path, sizeof(path), "%s/../samples/ddp8/%s/%s", tests, expected->name, name);
            read_file_into(analysis, path, name, totals);
        }
        analysis_finish(analysis);
        sum_up(analysis, &summary);
        cJSON *json = json_of(&summary);
        every_key_is_there(json);
        compare(expected, json);
        one_machine_has_one_clock(&summary);
        assert_int_equal(totals->counts.damaged, 0);
        cJSON_Delete(json);
        summary_done(&summary);
        free(totals);
        analysis_free(analysis);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_report_has_every_key),
        cmocka_unit_test(hostile_names_stay_inside_their_strings),
        cmocka_unit_test(the_real_runs_come_to_their_right_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A look back at a step says what was said when that step was the newest, to the byte
 * of the JSON report: over simulated jobs, in any order of steps, with tables that are
 * too small for the run and with ones that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis_fixture.h"
#include "report.h"

#define STEPS_MAX 2000

struct then {
    struct step_key key;
    char *said;
};

/* What depends on the present, and is no figure of a step. */
static void forget_present(struct summary *summary)
{
    summary->source = (struct source_counts){0};
    for (size_t i = 0; i < summary->rank_count; i++)
        summary->ranks[i].last_step = 0;
}

static char *say(struct analysis *analysis, struct step_key key)
{
    char *text = NULL;
    size_t size = 0;
    struct summary summary;
    summary_init(&summary);
    analysis_summary(analysis, key, INT64_MIN, &summary);
    forget_present(&summary);
    FILE *out = open_memstream(&text, &size);
    report_json(out, &summary);
    fprintf(out, "%zu in force, rolling %d", summary.verdicts_in_force, summary.window_steps);
    fclose(out);
    summary_done(&summary);
    return text;
}

/* Feeds all, and keeps what was said at each new front; some of it only. */
static size_t live(struct analysis *analysis, const struct record *records, size_t count,
                   struct then *then)
{
    size_t thens = 0;
    struct step_key front = {.attempt = -1};
    uint64_t closed = 0;
    for (size_t i = 0; i < count; i++) {
        struct step_key key;
        analysis_add(analysis, &records[i], 0);
        if (analysis_closed(analysis) == closed)
            continue;
        closed = analysis_closed(analysis);
        if (!analysis_front_key(analysis, &key) ||
            (key.attempt == front.attempt && key.step == front.step))
            continue;
        front = key;
        assert_true(thens < STEPS_MAX);
        then[thens++] = (struct then){key, say(analysis, newest())};
    }
    return thens;
}

static void check_back(struct analysis *analysis, const struct then *then, size_t thens,
                       size_t looks, uint64_t seed)
{
    struct summary summary;
    sum_up(analysis, &summary);
    int64_t first = summary.first_in_memory;
    summary_done(&summary);
    for (size_t i = 0; i < looks; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        const struct then *at = &then[(seed >> 33) % thens];
        if (at->key.attempt == 0 && at->key.step < first)
            continue;
        char *said = say(analysis, at->key);
        assert_string_equal(said, at->said);
        free(said);
    }
}

static void check_job(const struct simulate_options *options, size_t steps, size_t memory,
                      uint64_t seed)
{
    static struct then then[STEPS_MAX];
    struct analysis_options model;
    analysis_options_init(&model);
    model.memory_bytes = memory;
    struct analysis *analysis = analysis_new(&model);
    size_t count;
    struct record *records = simulated(options, steps, &count);
    size_t thens = live(analysis, records, count, then);
    assert_true(thens > steps * 9 / 10);
    check_back(analysis, then, thens, 200, seed);
    analysis_finish(analysis);
    check_back(analysis, then, thens, 100, seed + 1);
    for (size_t i = 0; i < thens; i++)
        free(then[i].said);
    free(records);
    analysis_free(analysis);
}

static struct simulate_options job(void)
{
    struct simulate_options options;
    simulate_options_init(&options);
    options.ranks = 24;
    options.jitter = 0.02;
    return options;
}

static void test_straggler_comes_and_goes(void **state)
{
    struct simulate_options options = job();
    options.slow_count = 2;
    options.slow[0] = (struct simulate_slow){5, 1.2, 0, 100, 400};
    options.slow[1] = (struct simulate_slow){2, 1.1, 0, 700, INT64_MAX};
    check_job(&options, 1200, (size_t)64 << 20, 1);
}

/* Rows leave the table; marks are thinned out. */
static void test_small_table(void **state)
{
    struct simulate_options options = job();
    options.slow_count = 1;
    options.slow[0] = (struct simulate_slow){5, 1.2, 0, 300, 600};
    check_job(&options, 900, (size_t)1 << 20, 2);
    check_job(&options, 700, (size_t)512 << 10, 3);
}

static void test_step_by_step_back(void **state)
{
    struct simulate_options options = job();
    static struct then then[STEPS_MAX];
    options.slow_count = 1;
    options.slow[0] = (struct simulate_slow){3, 1.3, 0, 50, 500};
    struct analysis *analysis = new_analysis();
    size_t count;
    struct record *records = simulated(&options, 700, &count);
    size_t thens = live(analysis, records, count, then);
    struct step_key key = newest();
    for (size_t i = thens; i-- > 0;) {
        char *said = say(analysis, key);
        assert_string_equal(said, then[i].said);
        free(said);
        free(then[i].said);
        key = analysis_move(analysis, key, -1);
        key.latest = false;
    }
    free(records);
    analysis_free(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straggler_comes_and_goes),
        cmocka_unit_test(test_small_table),
        cmocka_unit_test(test_step_by_step_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

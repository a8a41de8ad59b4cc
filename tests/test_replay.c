/* The figures at a step are the same, to the byte of the JSON report, whether the step
 * was the newest of a live run, was gone to, or was come to step by step: in any order,
 * while the index still grows and after, with few states to go back to and with many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay.h"
#include "replay_fixture.h"
#include "report.h"
#include "run_json.h"

#define STEPS_MAX 40000

/* ---- what a live run said ---- */

struct moment {
    struct step_key key;
    char *said;
};

struct live {
    struct analysis *analysis;
    uint64_t closed;
    size_t count;
    struct moment moments[STEPS_MAX];
    int64_t every; /* said of every so many steps; 1 and up */
    char *end;     /* what the report says */
};

static char *say(struct analysis *analysis, struct step_key key)
{
    char *text = NULL;
    size_t size = 0;
    struct summary summary;
    summary_init(&summary);
    analysis_summary(analysis, key, INT64_MIN, &summary);
    FILE *out = open_memstream(&text, &size);
    report_json(out, &summary);
    fclose(out);
    summary_done(&summary);
    return text;
}

static int compare(struct step_key a, struct step_key b)
{
    return a.attempt != b.attempt ? a.attempt - b.attempt : a.step < b.step ? -1 : a.step > b.step;
}

/* All steps that came to be at or before the front. */
static void note(struct live *live)
{
    struct step_key front;
    struct front_step step;
    if (analysis_closed(live->analysis) == live->closed)
        return;
    live->closed = analysis_closed(live->analysis);
    if (!analysis_front_key(live->analysis, &front))
        return;
    for (;;) {
        struct step_key *last = live->count > 0 ? &live->moments[live->count - 1].key : NULL;
        if ((last && compare(front, *last) <= 0) ||
            !analysis_front_next(live->analysis, last, &step))
            return;
        assert_true(live->count < STEPS_MAX);
        struct moment *moment = &live->moments[live->count++];
        moment->key = step.key;
        if (step.key.step % live->every != 0)
            continue;
        moment->said = say(live->analysis, step.key);
        if (compare(step.key, front) == 0) { /* it is what `latest` shows */
            char *latest = say(live->analysis, newest());
            assert_string_equal(moment->said, latest);
            free(latest);
        }
    }
}

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct live *live = to;
    analysis_add(live->analysis, record, now_ns);
    note(live);
}

static struct live *watch(const struct analysis_options *options, char *const *paths, int count,
                          int64_t every)
{
    struct live *live = calloc(1, sizeof(*live));
    live->every = every;
    struct stream_totals totals = {0};
    struct files_options files_options = {.follow = false};
    struct sink sink = {live, take};
    char message[512];
    live->analysis = analysis_new(options);
    struct files *files = files_new(&files_options, &totals);
    for (int i = 0; i < count; i++)
        assert_int_equal(files_add(files, paths[i], message, sizeof(message)), 0);
    while (files_pump(files, &sink, 0, 777) == FILES_MORE)
        continue;
    files_free(files);
    analysis_finish(live->analysis);
    note(live);
    live->end = say(live->analysis, newest());
    return live;
}

static void live_free(struct live *live)
{
    for (size_t i = 0; i < live->count; i++)
        free(live->moments[i].said);
    free(live->end);
    analysis_free(live->analysis);
    free(live);
}

/* ---- a replay beside it ---- */

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static void check_shown(struct replay *replay, const struct moment *moment)
{
    struct step_key key;
    assert_true(replay_key(replay, &key));
    assert_int_equal(key.attempt, moment->key.attempt);
    assert_int_equal(key.step, moment->key.step);
    char *said = say(replay_shown(replay), key);
    assert_string_equal(said, moment->said);
    free(said);
}

static enum replay_way go(struct replay *replay, struct step_key key)
{
    enum replay_way way = replay_go(replay, key);
    while (way == REPLAY_ON_WAY || way == REPLAY_WAITING) {
        if (way == REPLAY_WAITING)
            replay_index(replay, 1 + draw(500));
        way = replay_work(replay, 1 + draw(700));
    }
    return way;
}

static void walk(struct replay *replay, const struct live *live, size_t from)
{
    size_t steps = 1 + draw(5);
    for (size_t i = 1; i <= steps && from + i < live->count; i++) {
        enum replay_way way;
        while ((way = replay_next(replay)) == REPLAY_WAITING)
            replay_index(replay, 1 + draw(300));
        assert_int_equal(way, REPLAY_THERE);
        check_shown(replay, &live->moments[from + i]);
    }
}

static void walk_back(struct replay *replay, const struct live *live, size_t from)
{
    size_t steps = 1 + draw(4);
    for (size_t i = 1; i <= steps && i <= from; i++) {
        struct step_key shown;
        assert_true(replay_key(replay, &shown));
        struct step_key key = replay_key_at(replay, replay_position(replay, shown) - 1);
        assert_int_equal(compare(key, live->moments[from - i].key), 0);
        assert_int_equal(go(replay, key), REPLAY_THERE);
        check_shown(replay, &live->moments[from - i]);
    }
}

static void go_about(struct replay *replay, const struct live *live, int times)
{
    for (int i = 0; i < times; i++) {
        size_t at = draw(live->count);
        assert_int_equal(go(replay, live->moments[at].key), REPLAY_THERE);
        check_shown(replay, &live->moments[at]);
        if (i % 3 == 0)
            walk(replay, live, at);
        else if (i % 3 == 1)
            walk_back(replay, live, at);
        if (i % 4 == 0)
            replay_index(replay, 1 + draw(400));
    }
}

static void check_end(struct replay *replay, const struct live *live)
{
    enum replay_way way = replay_go_last(replay);
    while (way == REPLAY_ON_WAY || way == REPLAY_WAITING) {
        if (way == REPLAY_WAITING)
            replay_index(replay, 5000);
        way = replay_work(replay, 999);
    }
    assert_int_equal(way, REPLAY_THERE);
    char *said = say(replay_shown(replay), newest());
    assert_string_equal(said, live->end);
    free(said);
    assert_int_equal(replay_next(replay), REPLAY_NOWHERE);
}

static void check_steps(struct replay *replay, const struct live *live)
{
    assert_int_equal(replay_positions(replay), live->count);
    for (size_t i = 0; i < live->count; i++) {
        assert_int_equal(compare(replay_key_at(replay, (int64_t)i), live->moments[i].key), 0);
        assert_int_equal(replay_position(replay, live->moments[i].key), (int64_t)i);
    }
    struct step_key beyond = live->moments[live->count - 1].key;
    beyond.step += 7;
    assert_int_equal(go(replay, beyond), REPLAY_NOWHERE);
    check_shown(replay, &live->moments[live->count - 1]);
}

static void check_all(const struct analysis_options *options, char *const *paths, int count)
{
    static const size_t budgets[] = {1, (size_t)2 << 20, 0};
    struct live *live = watch(options, paths, count, 1);
    char error[512];
    assert_true(live->count > 0);
    for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        struct replay_options replay_options = {.analysis = *options,
                                                .memory_bytes = budgets[i],
                                                .threads = 1 + (int)i % 2,
                                                .distance = 300 + 300 * i};
        struct replay *replay = replay_new(&replay_options, paths, count, error, sizeof(error));
        assert_non_null(replay);
        go_about(replay, live, 15);
        check_end(replay, live);
        check_steps(replay, live);
        go_about(replay, live, 12);
        replay_free(replay);
    }
    live_free(live);
}

/* ---- runs ---- */

static void fill_path(char path[PATH_BYTES], const char *name)
{
    const char *tests = getenv("LOCKSTEP_TESTS");
    assert_non_null(tests);
    assert_true(snprintf(path, PATH_BYTES, "%s/../%s", tests, name) < PATH_BYTES);
}

static void check_folder(const char *name)
{
    char folder[PATH_BYTES], description[PATH_BYTES + 16], error[256];
    struct analysis_options options;
    analysis_options_init(&options);
    options.keep_history = false;
    fill_path(folder, name);
    snprintf(description, sizeof(description), "%s/run.json", folder);
    run_json_load(description, &options.run, error, sizeof(error));
    char *paths[] = {folder};
    check_all(&options, paths, 1);
}

static void the_samples(void **state)
{
    check_folder("samples/ddp8/balanced");
    check_folder("samples/ddp8/slow5");
    check_folder("samples/ddp8/overlap_slow5");
}

static void the_shared_recordings_when_they_are_there(void **state)
{
    static const char *const names[] = {
        "../shared/data/bytedance-straggleranalysis/AR.lockstep.jsonl",
        "../shared/data/bytedance-straggleranalysis/ST.lockstep.jsonl",
    };
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        fill_path(path, names[i]);
        if (access(path, R_OK) < 0) {
            print_message("%s is not there: skipped\n", names[i]);
            continue;
        }
        struct analysis_options options;
        analysis_options_init(&options);
        options.keep_history = false;
        char *paths[] = {path};
        check_all(&options, paths, 1);
    }
}

/* ---- simulated runs ---- */

/* Every 50th record comes 3 to 40 records later than it should. */
static void make_late(struct record *records, size_t count)
{
    for (size_t i = 20; i + 50 < count; i += 50) {
        size_t by = 3 + draw(38);
        struct record late = records[i];
        memmove(&records[i], &records[i + 1], by * sizeof(*records));
        records[i + by] = late;
    }
}

static void check_simulation(const struct simulate_options *simulation, size_t steps, bool late,
                             size_t memory_bytes)
{
    size_t count;
    struct record *records = simulated(simulation, steps, &count);
    if (late)
        make_late(records, count);
    for (int files = 1; files <= (int)simulation->ranks; files += (int)simulation->ranks - 1) {
        struct written written = write_down(records, count, files);
        struct analysis_options options;
        analysis_options_init(&options);
        options.keep_history = false;
        if (memory_bytes)
            options.memory_bytes = memory_bytes;
        check_all(&options, written.paths, written.count);
        clear_away(&written);
    }
    free(records);
}

static void a_job_with_a_straggler(void **state)
{
    struct simulate_options options = job(4);
    check_simulation(&options, 450, false, 0);
}

static void a_job_that_restarts(void **state)
{
    struct simulate_options options = job(3);
    options.restart_at = 220;
    options.restart_to = 180;
    options.restart_down_ns = 90 * SECOND;
    check_simulation(&options, 330, false, 0);
}

static void a_job_that_loses_a_rank(void **state)
{
    struct simulate_options options = job(5);
    options.missing_rank = 3;
    options.missing_from = 120;
    check_simulation(&options, 250, false, 0);
}

static void records_that_come_late(void **state)
{
    struct simulate_options options = job(4);
    check_simulation(&options, 300, true, 0);
}

/* Rows leave before they would: the same in both. */
static void a_table_that_is_too_small(void **state)
{
    struct simulate_options options = job(4);
    check_simulation(&options, 300, true, 40000);
}

/* States of long ago are made smaller: two ranks, with a straggler, a restart and steps
 * enough behind both. */
static void a_long_run(void **state)
{
    struct simulate_options simulation = job(2);
    simulation.slow[0].rank = 1;
    simulation.slow[0].from_step = 15000;
    simulation.slow[0].to_step = 15400;
    simulation.restart_at = 35000;
    simulation.restart_to = 34000;
    size_t count;
    struct record *records = simulated(&simulation, 37000, &count);
    struct written written = write_down(records, count, 1);
    struct analysis_options options;
    char error[512];
    analysis_options_init(&options);
    options.keep_history = false;
    struct live *live = watch(&options, written.paths, 1, 499);
    struct replay_options replay_options = {.analysis = options, .distance = 4000};
    struct replay *replay = replay_new(&replay_options, written.paths, 1, error, sizeof(error));
    while (replay_index(replay, 50000))
        continue;
    for (size_t i = live->count; i-- > 0;) {
        if (!live->moments[i].said || draw(2) == 0)
            continue;
        assert_int_equal(go(replay, live->moments[i].key), REPLAY_THERE);
        check_shown(replay, &live->moments[i]);
    }
    /* and from a small state on over the restart */
    assert_int_equal(go(replay, (struct step_key){.step = 14000}), REPLAY_THERE);
    for (size_t i = 14001; i < live->count; i++) {
        assert_int_equal(replay_next(replay), REPLAY_THERE);
        if (live->moments[i].said)
            check_shown(replay, &live->moments[i]);
    }
    check_end(replay, live);
    replay_free(replay);
    live_free(live);
    clear_away(&written);
    free(records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_samples),
        cmocka_unit_test(the_shared_recordings_when_they_are_there),
        cmocka_unit_test(a_job_with_a_straggler),
        cmocka_unit_test(a_job_that_restarts),
        cmocka_unit_test(a_job_that_loses_a_rank),
        cmocka_unit_test(records_that_come_late),
        cmocka_unit_test(a_table_that_is_too_small),
        cmocka_unit_test(a_long_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Saved logs walked about in: bytes become two files of any records, in any order, cut,
 * damaged, doubled; what a live run said at each step is what is said when it is gone to.
 *
 * A byte of options, then a byte that says what comes, and what it needs: blocks of steps,
 * single records, restarts, lines that are none. What the files hold ends where the input does. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "record_json.h"
#include "replay.h"
#include "replay_exports.h"
#include "replay_input.h"
#include "report.h"
#include "source_files.h"

#define MOMENTS_MAX 1200
#define GOES_MAX 12

struct moment {
    struct step_key key;
    char *said;
};

struct live {
    struct analysis *analysis;
    uint64_t closed;
    size_t count;
    struct moment moments[MOMENTS_MAX];
    char *end;
};

static const struct step_key newest = {.latest = true};

static char *say(struct analysis *analysis, struct step_key key)
{
    char *text = NULL;
    size_t size = 0;
    struct summary summary;
    summary_init(&summary);
    analysis_summary(analysis, key, INT64_MIN, &summary);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    report_json(out, &summary);
    fclose(out);
    summary_done(&summary);
    return text;
}

static int compare(struct step_key a, struct step_key b)
{
    return a.attempt != b.attempt ? a.attempt - b.attempt : a.step < b.step ? -1 : a.step > b.step;
}

/* ---- live ---- */

static void note(struct live *live)
{
    struct step_key front;
    struct front_step step;
    if (analysis_closed(live->analysis) == live->closed)
        return;
    live->closed = analysis_closed(live->analysis);
    if (!analysis_front_key(live->analysis, &front))
        return;
    while (live->count < MOMENTS_MAX) {
        struct step_key *last = live->count > 0 ? &live->moments[live->count - 1].key : NULL;
        if ((last && compare(front, *last) <= 0) ||
            !analysis_front_next(live->analysis, last, &step))
            return;
        struct moment *moment = &live->moments[live->count++];
        moment->key = step.key;
        moment->said = say(live->analysis, step.key);
    }
}

static void take(void *to, const struct record *record, int64_t now_ns)
{
    struct live *live = to;
    analysis_add(live->analysis, record, now_ns);
    note(live);
}

static void watch(struct live *live, const struct analysis_options *options,
                  const struct replay_input *input)
{
    struct stream_totals totals = {0};
    struct files_options files_options = {.follow = false};
    struct sink sink = {live, take};
    char message[512];
    live->analysis = analysis_new(options);
    struct files *files = files_new(&files_options, &totals);
    for (int i = 0; i < REPLAY_INPUT_FILES; i++)
        PROMISE(files_add(files, input->paths[i], message, sizeof(message)) == 0, message);
    while (files_pump(files, &sink, 0, 777) == FILES_MORE)
        continue;
    files_free(files);
    analysis_finish(live->analysis);
    note(live);
    live->end = say(live->analysis, newest);
}

static void live_done(struct live *live)
{
    for (size_t i = 0; i < live->count; i++)
        free(live->moments[i].said);
    free(live->end);
    analysis_free(live->analysis);
    free(live);
}

/* ---- the replay ---- */

struct walker {
    struct replay *replay;
    const struct live *live;
    uint32_t random;
};

static uint32_t draw(struct walker *walker, uint32_t below)
{
    walker->random = walker->random * 1664525u + 1013904223u;
    return (walker->random >> 8) % below;
}

static void check_said(struct walker *walker, struct step_key key, const char *expected)
{
    char *said = say(replay_shown(walker->replay), key);
    if (strcmp(said, expected) != 0)
        fprintf(stderr, "%s\n---- and live:\n%s\n", said, expected);
    PROMISE(strcmp(said, expected) == 0, "what is gone to is what was watched");
    free(said);
}

static void check_shown(struct walker *walker, const struct moment *moment)
{
    struct step_key key;
    PROMISE(replay_key(walker->replay, &key), "a step is shown");
    PROMISE(compare(key, moment->key) == 0, "the one that was asked for");
    check_said(walker, key, moment->said);
}

static enum replay_way arrive(struct walker *walker, enum replay_way way)
{
    while (way == REPLAY_ON_WAY || way == REPLAY_WAITING) {
        if (way == REPLAY_WAITING)
            replay_index(walker->replay, 1 + draw(walker, 300));
        way = replay_work(walker->replay, 1 + draw(walker, 500));
    }
    return way;
}

static void go_about(struct walker *walker)
{
    const struct live *live = walker->live;
    for (int i = 0; i < GOES_MAX; i++) {
        size_t at = draw(walker, (uint32_t)live->count);
        PROMISE(arrive(walker, replay_go(walker->replay, live->moments[at].key)) == REPLAY_THERE,
                "every step of the live run is there");
        check_shown(walker, &live->moments[at]);
        for (uint32_t n = draw(walker, 4); n > 0 && at + 1 < live->count; n--) {
            enum replay_way way;
            while ((way = replay_next(walker->replay)) == REPLAY_WAITING)
                replay_index(walker->replay, 1 + draw(walker, 200));
            PROMISE(way == REPLAY_THERE, "and the next");
            check_shown(walker, &live->moments[++at]);
        }
        /* Nobody knows what that is: it must end, at a step. */
        struct step_key wild = {.attempt = (int)draw(walker, 5) - 1,
                                .step = (int64_t)draw(walker, 90000) - 9};
        enum replay_way way = arrive(walker, replay_go(walker->replay, wild));
        PROMISE(way == REPLAY_THERE || way == REPLAY_NOWHERE, "a wild step leads to one");
    }
}

static void check_steps(struct walker *walker)
{
    const struct live *live = walker->live;
    while (replay_index(walker->replay, 500))
        continue;
    int64_t count = replay_positions(walker->replay);
    PROMISE(live->count == MOMENTS_MAX || count == (int64_t)live->count, "as many steps");
    double before = -1e300;
    for (int64_t i = 0; i < count; i++) {
        double time_s = replay_time(walker->replay, i);
        PROMISE(time_s >= before, "times never go back");
        before = time_s;
        PROMISE((size_t)i >= live->count ||
                    compare(replay_key_at(walker->replay, i), live->moments[i].key) == 0,
                "the same steps");
        PROMISE(replay_position(walker->replay, replay_key_at(walker->replay, i)) == i,
                "a position has its step");
    }
    PROMISE(arrive(walker, replay_go_last(walker->replay)) ==
                (count ? REPLAY_THERE : REPLAY_NOWHERE),
            "the end is there");
    check_said(walker, newest, live->end);
}

static void check_replay(const struct replay_input *input, const struct live *live)
{
    char error[512], *paths[REPLAY_INPUT_FILES];
    struct replay_options options = {.analysis = input->options,
                                     .memory_bytes = input->memory_bytes,
                                     .threads = input->threads,
                                     .distance = input->distance};
    for (int i = 0; i < REPLAY_INPUT_FILES; i++)
        paths[i] = (char *)input->paths[i];
    struct replay *replay = replay_new(&options, paths, REPLAY_INPUT_FILES, error, sizeof(error));
    PROMISE(replay, error);
    struct walker walker = {replay, live, input->random};
    if (live->count > 0)
        go_about(&walker);
    check_steps(&walker);
    check_exports(replay_whole(replay), input->random);
    replay_free(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct replay_input input;
    replay_input_make(&input, data, size);
    struct live *live = calloc(1, sizeof(*live));
    if (!live)
        abort();
    watch(live, &input.options, &input);
    check_replay(&input, live);
    live_done(live);
    replay_input_done(&input);
    return 0;
}

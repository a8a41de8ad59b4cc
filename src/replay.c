/* Saved logs as something to walk about in: making it, and reading on. */
#include "replay.h"

#include <stdlib.h>

#include "memory.h"
#include "replay_state.h"

#define STATES_BYTES ((size_t)32 << 20)
#define SLICE_RECORDS 16384 /* between two looks at whether a state is due */

#define DISTANCE_BYTES 4096    /* of the logs, for each record between two states at first */
#define DISTANCE_MAX (1 << 18) /* records: that are fed again in some hundredths of a second */

static struct analysis *new_index(const struct replay_options *options)
{
    struct analysis_options index = options->analysis;
    index.keep_history = false;
    index.overview = true;
    return analysis_new(&index);
}

/* A model that knows nothing yet, for the shown one and the first state. */
static struct analysis *new_shown(const struct analysis_options *options)
{
    struct analysis_options shown = *options;
    shown.keep_history = shown.overview = false;
    return analysis_new(&shown);
}

static bool add_paths(struct files *files, char *const *paths, int count, char *error, size_t size)
{
    for (int i = 0; i < count; i++)
        if (files_add(files, paths[i], error, size) < 0)
            return false;
    return true;
}

struct replay *replay_new(const struct replay_options *options, char *const *paths, int count,
                          char *error, size_t size)
{
    struct files_options files_options = {
        .seekable = true, .only = options->run_only, .threads = files_threads(options->threads)};
    struct replay *replay = memory_zeroed(1, sizeof(*replay));
    replay->options = *options;
    replay->totals.formats = options->formats;
    replay->totals.book = options->book;
    replay->files = files_new(&files_options, &replay->totals);
    if (!add_paths(replay->files, paths, count, error, size)) {
        files_free(replay->files);
        free(replay);
        return NULL;
    }
    replay->index.analysis = new_index(options);
    replay->cursor.track.analysis = new_shown(&options->analysis);
    replay->cursor.lost = true;
    replay->states.bytes_max = options->memory_bytes ? options->memory_bytes : STATES_BYTES;
    replay->states.distance = options->distance ? options->distance : REPLAY_DISTANCE;
    replay->far = replay->states.distance / 3;
    replay_states_offer(replay);
    return replay;
}

void replay_free(struct replay *replay)
{
    if (!replay)
        return;
    replay_cursor_done(&replay->cursor);
    replay_saved_done(&replay->near);
    replay_states_done(&replay->states);
    replay_steps_done(&replay->steps);
    analysis_free(replay->index.analysis);
    files_free(replay->files);
    free(replay);
}

/* ---- the index ---- */

/* The front has come further: the steps that it passed. */
static void list_steps(struct replay *replay)
{
    const struct replay_track *index = &replay->index;
    struct front_step step;
    struct step_key at = index->before;
    bool any = index->had_before;
    while (analysis_front_next(index->analysis, any ? &at : NULL, &step) &&
           step_key_compare(step.key, index->front) <= 0) {
        replay_steps_add(&replay->steps, &step);
        at = step.key;
        any = true;
    }
}

static void on_record(void *to, const struct record *record, int64_t now_ns)
{
    struct replay *replay = to;
    (void)now_ns;
    if (replay_track_add(&replay->index, record))
        list_steps(replay);
}

static void finish(struct replay *replay)
{
    replay->indexed = true;
    analysis_finish(replay->index.analysis);
    if (replay_track_closed(&replay->index))
        list_steps(replay);
}

/* Of a large log states are far apart from the beginning: those in between would be taken
 * out again, and a copy of the model costs as much as some ten thousand records. */
static void choose_distance(struct replay *replay)
{
    int64_t read, all;
    files_progress(replay->files, &read, &all);
    uint64_t distance = (uint64_t)all / DISTANCE_BYTES;
    if (distance > DISTANCE_MAX)
        distance = DISTANCE_MAX;
    if (replay->options.distance == 0 && distance > replay->states.distance)
        replay->states.distance = distance;
}

bool replay_index(struct replay *replay, size_t records)
{
    struct sink sink = {replay, on_record};
    while (!replay->indexed && records > 0) {
        size_t slice = records < SLICE_RECORDS ? records : SLICE_RECORDS;
        records -= slice;
        if (files_pump(replay->files, &sink, 0, slice) == FILES_IDLE) {
            finish(replay);
            break;
        }
        if (replay->states.count == 1)
            choose_distance(replay);
        replay_states_offer(replay);
    }
    return !replay->indexed;
}

double replay_indexed(const struct replay *replay)
{
    int64_t read, all;
    if (replay->indexed)
        return 1;
    files_progress(replay->files, &read, &all);
    double share = all > 0 ? (double)read / (double)all : 0;
    return share < 0 ? 0 : share > 0.999 ? 0.999 : share;
}

/* ---- what is known ---- */

struct analysis *replay_whole(struct replay *replay)
{
    return replay->index.analysis;
}

const struct stream_totals *replay_totals(const struct replay *replay)
{
    return &replay->totals;
}

const struct files_state *replay_files(const struct replay *replay)
{
    return files_state(replay->files);
}

size_t replay_bytes(const struct replay *replay)
{
    return replay->states.bytes + replay->near.bytes;
}

struct analysis *replay_shown(struct replay *replay)
{
    return replay->cursor.track.analysis;
}

bool replay_key(const struct replay *replay, struct step_key *ret_key)
{
    if (!replay->cursor.shows)
        return false;
    *ret_key = replay->cursor.shown;
    return true;
}

int64_t replay_positions(const struct replay *replay)
{
    return replay->steps.total;
}

int64_t replay_position(const struct replay *replay, struct step_key key)
{
    return replay_steps_position(&replay->steps, key);
}

struct step_key replay_key_at(const struct replay *replay, int64_t position)
{
    return replay_steps_key(&replay->steps, position);
}

double replay_time(const struct replay *replay, int64_t position)
{
    return replay_steps_time(&replay->steps, position);
}

int64_t replay_at_time(const struct replay *replay, double time_s)
{
    return replay_steps_at_time(&replay->steps, time_s);
}

bool replay_has_clock(const struct replay *replay)
{
    return replay->steps.total > 0 && replay->steps.clock;
}

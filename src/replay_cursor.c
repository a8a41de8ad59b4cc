/* The shown model: fed record by record, so that it stops at the very record that
 * makes a step the newest. What was read beyond it waits in a queue. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "replay_state.h"

void replay_cursor_done(struct replay_cursor *cursor)
{
    analysis_free(cursor->track.analysis);
    files_free(cursor->files);
    free(cursor->queue);
    *cursor = (struct replay_cursor){0};
}

/* ---- the queue ---- */

/* As much of a name as the model keeps of it. */
static void keep_name(char place[NAME_BYTES], struct str *name)
{
    name->len = str_copy(place, NAME_BYTES, *name);
    name->p = NULL;
}

static void queue_push(struct replay_cursor *cursor, const struct record *record)
{
    if (cursor->queue_first + cursor->queue_count == cursor->queue_capacity) {
        cursor->queue_capacity = cursor->queue_capacity ? 2 * cursor->queue_capacity : 64;
        cursor->queue =
            memory_resized(cursor->queue, cursor->queue_capacity, sizeof(*cursor->queue));
    }
    struct replay_queued *queued = &cursor->queue[cursor->queue_first + cursor->queue_count++];
    queued->record = *record;
    if (record->has & RECORD_HOST)
        keep_name(queued->host, &queued->record.host);
    if (record->has & RECORD_GROUP)
        keep_name(queued->group, &queued->record.group);
}

/* The oldest. The queue may have moved since its names were copied. */
static const struct record *queue_pop(struct replay_cursor *cursor)
{
    struct replay_queued *queued = &cursor->queue[cursor->queue_first++];
    if (--cursor->queue_count == 0)
        cursor->queue_first = 0;
    struct record *record = &queued->record;
    if (record->has & RECORD_HOST)
        record->host.p = queued->host;
    if (record->has & RECORD_GROUP)
        record->group.p = queued->group;
    return record;
}

/* ---- feeding ---- */

static void take(struct replay_cursor *cursor, const struct record *record)
{
    cursor->exact = replay_track_add(&cursor->track, record);
    if (cursor->exact && cursor->stop && step_key_compare(cursor->track.front, cursor->wanted) >= 0)
        cursor->reached = true;
}

static bool may_take(const struct replay_cursor *cursor)
{
    return !cursor->reached && cursor->track.records < cursor->limit;
}

static void on_record(void *to, const struct record *record, int64_t now_ns)
{
    struct replay_cursor *cursor = to;
    (void)now_ns;
    if (may_take(cursor))
        take(cursor, record);
    else
        queue_push(cursor, record);
}

/* Steps that a state near the end of the way stands before it: to step back from there
 * without going the whole way again. */
static bool leaves_near(const struct replay *replay, struct step_key target)
{
    const struct replay_cursor *cursor = &replay->cursor;
    uint64_t at = cursor->track.records, near = replay->near.track.records;
    if (!cursor->track.begun || replay->way_records < replay->far)
        return false;
    if (replay->near.mark && near + replay->far > at && near <= at)
        return false;
    int64_t steps = replay_steps_position(&replay->steps, cursor->track.front) + 1;
    int64_t most = (int64_t)(replay->far * (uint64_t)steps / at);
    most = most < 4 ? 4 : most > 64 ? 64 : most;
    int64_t left = replay_steps_position(&replay->steps, target) -
                   replay_steps_position(&replay->steps, cursor->track.front);
    return left >= 2 && left <= most;
}

static void leave_near(struct replay *replay)
{
    struct replay_cursor *cursor = &replay->cursor;
    size_t bytes = analysis_bytes(cursor->track.analysis);
    replay_saved_done(&replay->near);
    if (bytes > replay->states.bytes_max)
        return;
    replay_saved_make(&replay->near, &cursor->track, cursor->files,
                      replay->options.analysis.memory_bytes);
}

/* One call of files_pump(). False: there is no more, though the index had more. */
static bool pump(struct replay_cursor *cursor)
{
    struct sink sink = {cursor, on_record};
    uint64_t before = cursor->track.records;
    enum files_more more = files_pump(cursor->files, &sink, 0, REPLAY_BATCH);
    return more == FILES_MORE || cursor->track.records > before || cursor->queue_count > 0;
}

static enum replay_fed feed(struct replay *replay, size_t records)
{
    struct replay_cursor *cursor = &replay->cursor;
    uint64_t until = cursor->track.records + records;
    cursor->reached = false;
    while (may_take(cursor) && cursor->queue_count > 0)
        take(cursor, queue_pop(cursor));
    while (may_take(cursor) && cursor->track.records < until) {
        if (cursor->stop && leaves_near(replay, cursor->wanted))
            leave_near(replay);
        uint64_t before = cursor->track.records;
        if (!pump(cursor)) {
            cursor->lost = true;
            return FED_FAILED;
        }
        replay->way_records += cursor->track.records - before;
    }
    if (cursor->reached)
        return FED_THERE;
    if (cursor->track.records < cursor->limit)
        return FED_SOME;
    if (!replay->indexed)
        return FED_WAITING;
    analysis_finish(cursor->track.analysis);
    cursor->exact = replay_track_closed(&cursor->track);
    cursor->ended = true;
    return FED_THERE;
}

enum replay_fed replay_cursor_feed(struct replay *replay, bool stop, struct step_key target,
                                   size_t records)
{
    struct replay_cursor *cursor = &replay->cursor;
    cursor->stop = stop;
    cursor->wanted = target;
    cursor->limit = replay->index.records;
    return cursor->ended ? FED_THERE : feed(replay, records);
}

/* ---- going to a state ---- */

/* What the twin says is gone is told where all is told. */
static void pass_on_notice(struct replay *replay)
{
    const struct files_state *state = files_state(replay->cursor.files);
    if (state->notice_count > 0)
        files_notice(replay->files, "%s",
                     state->notices[(state->notice_count - 1) % FILES_NOTICES]);
}

bool replay_cursor_go(struct replay *replay, const struct replay_saved *saved)
{
    struct replay_cursor *cursor = &replay->cursor;
    if (!cursor->files)
        cursor->files = files_twin(replay->files, &cursor->totals);
    cursor->queue_first = cursor->queue_count = 0;
    cursor->lost = files_go(cursor->files, saved->mark) < 0;
    if (cursor->lost) {
        pass_on_notice(replay);
        return false;
    }
    replay_track_copy(&cursor->track, &saved->track, replay->options.analysis.memory_bytes);
    cursor->exact = cursor->ended = false;
    return true;
}

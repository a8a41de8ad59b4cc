/* Where the shown model goes: from the nearest state before a step, or on from where
 * it is. */
#include "replay_state.h"

/* ---- what is asked for ---- */

/* The step that there is for the one that was asked for. False: not known yet. */
static bool resolve(struct replay *replay)
{
    const struct replay_steps *steps = &replay->steps;
    if (steps->total == 0)
        return false;
    struct step_key last = replay_steps_key(steps, steps->total - 1);
    if (!replay->indexed && step_key_compare(replay->asked, last) > 0)
        return false;
    int64_t position = replay_steps_position(steps, replay->asked);
    replay->target = replay_steps_key(steps, position < 0 ? 0 : position);
    replay->is_other = step_key_compare(replay->target, replay->asked) != 0;
    return true;
}

static int64_t position_of_cursor(const struct replay *replay)
{
    const struct replay_track *track = &replay->cursor.track;
    return track->begun ? replay_steps_position(&replay->steps, track->front) : -1;
}

/* ---- setting out ---- */

/* The cursor stands at the record that made the step the newest, or one of several. */
static bool stands_at(const struct replay_cursor *cursor, struct step_key key)
{
    const struct replay_track *track = &cursor->track;
    return cursor->exact && track->begun && step_key_compare(key, track->front) <= 0 &&
           (!track->had_before || step_key_compare(key, track->before) > 0);
}

/* The cursor can go on from where it is, and that is no longer than from the state. */
static bool goes_on(const struct replay *replay, const struct replay_saved *saved, bool last)
{
    const struct replay_cursor *cursor = &replay->cursor;
    if (!cursor->files || cursor->lost || cursor->ended ||
        cursor->track.records < saved->track.records)
        return false;
    return last || !cursor->track.begun ||
           step_key_compare(cursor->track.front, replay->target) < 0;
}

static bool set_out(struct replay *replay)
{
    bool last = replay->aim == AIM_LAST;
    const struct replay_saved *saved =
        last ? replay_states_last(replay) : replay_states_before(replay, replay->target);
    replay->way_records = 0;
    if (!goes_on(replay, saved, last) && !replay_cursor_go(replay, saved))
        return false;
    replay->way_from = position_of_cursor(replay);
    replay->set_out = true;
    return true;
}

/* ---- on the way ---- */

static enum replay_way arrive(struct replay *replay)
{
    struct replay_cursor *cursor = &replay->cursor;
    bool last = replay->aim == AIM_LAST;
    replay->aim = AIM_NONE;
    if (last && !cursor->track.begun)
        return REPLAY_NOWHERE;
    cursor->shown = last ? cursor->track.front : replay->target;
    cursor->shows = true;
    return last ? REPLAY_THERE : replay_arrived(replay);
}

static enum replay_way fail(struct replay *replay)
{
    struct replay_cursor *cursor = &replay->cursor;
    replay->aim = AIM_NONE;
    cursor->exact = false;
    if (cursor->track.begun) {
        cursor->shown = cursor->track.front;
        cursor->shows = true;
    }
    return REPLAY_FAILED;
}

/* Finds out where the way leads, and begins it. REPLAY_ON_WAY: it has begun. */
static enum replay_way begin(struct replay *replay)
{
    if (replay->set_out)
        return REPLAY_ON_WAY;
    if (replay->aim == AIM_LAST) {
        if (!replay->indexed)
            return REPLAY_WAITING;
        if (replay->cursor.ended)
            return arrive(replay);
        return set_out(replay) ? REPLAY_ON_WAY : fail(replay);
    }
    if (!resolve(replay)) {
        if (!replay->indexed)
            return REPLAY_WAITING;
        replay->aim = AIM_NONE;
        return REPLAY_NOWHERE; /* there is no step at all */
    }
    if (stands_at(&replay->cursor, replay->target))
        return arrive(replay);
    return set_out(replay) ? REPLAY_ON_WAY : fail(replay);
}

enum replay_way replay_go(struct replay *replay, struct step_key key)
{
    replay->aim = AIM_STEP;
    replay->asked = key;
    replay->set_out = false;
    return begin(replay);
}

enum replay_way replay_go_last(struct replay *replay)
{
    replay->aim = AIM_LAST;
    replay->is_other = replay->set_out = false;
    return begin(replay);
}

static void say_changed(struct replay *replay)
{
    files_notice(replay->files, "a log was changed, cut short or deleted while it was replayed");
}

enum replay_way replay_work(struct replay *replay, size_t records)
{
    if (replay->aim == AIM_NONE)
        return REPLAY_THERE;
    enum replay_way way = begin(replay);
    if (way != REPLAY_ON_WAY)
        return way;
    switch (replay_cursor_feed(replay, replay->aim == AIM_STEP, replay->target, records)) {
    case FED_THERE:
        return arrive(replay);
    case FED_SOME:
        return REPLAY_ON_WAY;
    case FED_WAITING:
        return REPLAY_WAITING;
    case FED_FAILED:
        break;
    }
    say_changed(replay);
    return fail(replay);
}

double replay_way_done(const struct replay *replay)
{
    if (replay->aim == AIM_NONE)
        return 1;
    if (!replay->set_out)
        return 0;
    int64_t to = replay->aim == AIM_LAST ? replay->steps.total - 1
                                         : replay_steps_position(&replay->steps, replay->target);
    int64_t at = position_of_cursor(replay);
    if (to <= replay->way_from)
        return 1;
    double done = (double)(at - replay->way_from) / (double)(to - replay->way_from);
    return done < 0 ? 0 : done > 1 ? 1 : done;
}

/* ---- from step to step ---- */

enum replay_way replay_next(struct replay *replay)
{
    const struct replay_steps *steps = &replay->steps;
    int64_t position =
        replay->cursor.shows ? replay_steps_position(steps, replay->cursor.shown) + 1 : 0;
    if (position >= steps->total)
        return replay->indexed ? REPLAY_NOWHERE : REPLAY_WAITING;
    enum replay_way way = replay_go(replay, replay_steps_key(steps, position));
    while (way == REPLAY_ON_WAY)
        way = replay_work(replay, SIZE_MAX / 2);
    return way;
}

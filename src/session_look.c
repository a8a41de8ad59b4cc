/* A live session that looks back. */
#include "session_look.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "place.h"
#include "session_stops.h"

static struct step_key shown_key(const struct session *session)
{
    const struct summary_step *shown = &session->summary.shown;
    return (struct step_key){.attempt = shown->attempt, .step = shown->step};
}

/* Pins the step, or the nearest in memory: *key is then another one. */
static void pin_nearest(struct session *session, struct step_key key)
{
    struct step_key there = analysis_move(session->analysis, key, 0);
    there.latest = false;
    session->key = there;
    if (step_key_compare(there, key) == 0)
        return;
    char text[MODEL_TEXT_BYTES];
    struct step_key first = analysis_move(session->analysis, key, INT64_MIN);
    bool gone = step_key_compare(there, first) == 0;
    snprintf(text, sizeof(text),
             gone ? "step %" PRId64 " is no longer in memory: this is the oldest that is"
                  : "there is no step %" PRId64 ": this is the one before",
             key.step);
    session_say(session, text);
}

/* ---- what was typed ---- */

/* The first step in memory that satisfies: begun at or after the time. */
static bool at_time(const struct session *session, double time_s, struct step_key *ret_key)
{
    struct step_key after;
    struct front_step step;
    bool any = false;
    while (analysis_front_next(session->analysis, any ? &after : NULL, &step)) {
        *ret_key = after = step.key;
        any = true;
        if (step.begin_s >= time_s)
            return true;
    }
    return false;
}

static int64_t steps_in_memory(const struct session *session)
{
    struct step_key after;
    struct front_step step;
    int64_t count = 0;
    while (analysis_front_next(session->analysis, count > 0 ? &after : NULL, &step)) {
        after = step.key;
        count++;
    }
    return count;
}

static struct place_clock clock_of(const struct session *session)
{
    struct front_step first;
    struct place_clock clock = {0};
    if (analysis_front_next(session->analysis, NULL, &first) && isfinite(first.begin_s)) {
        clock.known = true;
        clock.begin_s = first.begin_s;
    }
    return clock;
}

static void seek(struct session *session)
{
    struct place place;
    struct place_clock clock = clock_of(session);
    struct step_key key, oldest = analysis_move(session->analysis, session->key, INT64_MIN);
    const char *why = place_parse(session->model.go, &clock, &place);
    if (why) {
        session_say(session, why);
        return;
    }
    switch (place.kind) {
    case PLACE_STEP:
        key = place.attempt >= 0 ? (struct step_key){.attempt = place.attempt, .step = place.step}
                                 : analysis_find(session->analysis, place.step);
        key.step = place.step;
        pin_nearest(session, key);
        break;
    case PLACE_MOVE:
        pin_nearest(session, analysis_move(session->analysis, session->key, place.step));
        break;
    case PLACE_SHARE: {
        double steps = place.share * (double)(steps_in_memory(session) - 1);
        pin_nearest(session, analysis_move(session->analysis, oldest, llround(steps)));
        session_say(session, "of what is in memory");
        break;
    }
    case PLACE_TIME:
        if (at_time(session, place.time_s, &key))
            pin_nearest(session, key);
        else
            session_say(session, "no step has begun so late yet");
        break;
    }
}

/* ---- events and bookmarks ---- */

static void to_event(struct session *session, int direction)
{
    struct step_key key;
    char text[MODEL_TEXT_BYTES];
    analysis_events(session->whole, &session->events);
    if (!session_stop_find(&session->events, shown_key(session), direction, &key, text)) {
        session_say(session,
                    direction > 0 ? "no event after this step" : "no event before this step");
        return;
    }
    session_say(session, text);
    pin_nearest(session, key);
}

static void to_mark(struct session *session, int direction)
{
    struct step_key key;
    char text[MODEL_TEXT_BYTES];
    if (session_mark_find(&session->model.playback, shown_key(session), direction, &key, text))
        pin_nearest(session, key);
    else
        session_say(session, text);
}

bool session_look(struct session *session, struct view_request request)
{
    char text[MODEL_TEXT_BYTES];
    if (!session->summary.shown.known)
        return false;
    switch (request.kind) {
    case REQUEST_GO:
        pin_nearest(session, (struct step_key){.attempt = request.attempt, .step = request.amount});
        return true;
    case REQUEST_SEEK:
        seek(session);
        return true;
    case REQUEST_EVENT:
        to_event(session, request.amount < 0 ? -1 : 1);
        return true;
    case REQUEST_MARK:
        session_mark(&session->model.playback, shown_key(session), text);
        session_say(session, text);
        return true;
    case REQUEST_TO_MARK:
        to_mark(session, request.amount < 0 ? -1 : 1);
        return true;
    case REQUEST_PLAY:
    case REQUEST_SPEED:
    case REQUEST_IDLE:
        session_say(session, "only in a replay: lockstep replay PATH");
        return true;
    default:
        return false;
    }
}

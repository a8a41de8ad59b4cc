/* `lockstep replay`: what keys ask for. */
#include <inttypes.h>
#include <stdio.h>

#include "command_replay.h"
#include "session_stops.h"

#define SPEED_MAX 4096
#define SPEED_MIN (1.0 / 64)

static struct step_key key_at_hand(const struct replaying *replaying)
{
    struct step_key key = {.attempt = 0, .step = -1};
    int64_t position = replaying_position(replaying);
    return position >= 0 ? replay_key_at(replaying->replay, position) : key;
}

static void move(struct replaying *replaying, int64_t by)
{
    if (replaying_position(replaying) < 0)
        return;
    struct step_key before = key_at_hand(replaying);
    if (by < 0 && replaying_position(replaying) == 0) {
        replaying_say(replaying, "the first step of the run");
        return;
    }
    bool last = replaying_position(replaying) + 1 == replay_positions(replaying->replay);
    if (by > 0 && last && replay_indexed(replaying->replay) >= 1) {
        replaying_say(replaying, "step %" PRId64 " is the last of the run", before.step);
        return;
    }
    replaying_look(replaying, (struct place){.kind = PLACE_MOVE, .step = by});
}

static void to_event(struct replaying *replaying, int direction)
{
    struct run_events events;
    struct step_key key;
    char text[MODEL_TEXT_BYTES];
    run_events_init(&events);
    analysis_events(replay_whole(replaying->replay), &events);
    if (session_stop_find(&events, key_at_hand(replaying), direction, &key, text)) {
        replaying_go(replaying, key);
        replaying_say(replaying, "%s", text);
    } else {
        replaying_say(replaying, "no event %s this step%s", direction > 0 ? "after" : "before",
                      replay_indexed(replaying->replay) < 1 ? " as far as the logs are read" : "");
    }
    run_events_done(&events);
}

static void to_mark(struct replaying *replaying, int direction)
{
    struct step_key key;
    char text[MODEL_TEXT_BYTES];
    const struct playback *playback = &session_model(replaying->session)->playback;
    if (session_mark_find(playback, key_at_hand(replaying), direction, &key, text))
        replaying_go(replaying, key);
    else
        replaying_say(replaying, "%s", text);
}

static void mark(struct replaying *replaying)
{
    struct step_key key;
    char text[MODEL_TEXT_BYTES];
    if (!replay_key(replaying->replay, &key))
        return;
    session_mark(&session_model(replaying->session)->playback, key, text);
    replaying_say(replaying, "%s", text);
}

static void play(struct replaying *replaying)
{
    if (!replaying->playing && replaying->at_end) {
        replaying_go(replaying, replay_key_at(replaying->replay, 0));
        replaying_say(replaying, "again from the beginning");
    }
    replaying_play(replaying, !replaying->playing);
}

static void set_speed(struct replaying *replaying, int64_t amount)
{
    double speed = amount == 0 ? 1 : amount > 0 ? replaying->speed * 2 : replaying->speed / 2;
    replaying->speed = speed > SPEED_MAX ? SPEED_MAX : speed < SPEED_MIN ? SPEED_MIN : speed;
    if (replaying->playing) /* a timer that was set for a slower pace */
        loop_timer_set(replaying->timer, 0, 0);
    replaying_say(replaying, "%g x the pace of the run", replaying->speed);
}

static void turn_idle(struct replaying *replaying)
{
    replaying->skip_idle = !replaying->skip_idle;
    if (replaying->playing)
        loop_timer_set(replaying->timer, 0, 0);
    if (replaying->skip_idle)
        replaying_say(replaying, "pauses of the run are cut to %g s", replaying->idle_s);
    else
        replaying_say(replaying, "pauses of the run are as long as they were");
}

/* Who goes to a step wants to look at it, and not to be carried on from there. */
static bool leads_to_a_step(enum request_kind kind)
{
    return kind == REQUEST_MOVE || kind == REQUEST_FIRST || kind == REQUEST_LATEST ||
           kind == REQUEST_FIND || kind == REQUEST_GO || kind == REQUEST_SEEK ||
           kind == REQUEST_EVENT || kind == REQUEST_TO_MARK;
}

/* Those that lead to another step. False: it is none of them. */
static bool go(struct replaying *replaying, struct view_request request)
{
    int direction = request.amount < 0 ? -1 : 1;
    if (leads_to_a_step(request.kind))
        replaying_play(replaying, false);
    switch (request.kind) {
    case REQUEST_MOVE:
        move(replaying, request.amount);
        return true;
    case REQUEST_FIRST:
        if (replay_positions(replaying->replay) > 0)
            replaying_go(replaying, replay_key_at(replaying->replay, 0));
        return true;
    case REQUEST_LATEST:
        replaying_go(replaying, (struct step_key){.latest = true});
        return true;
    case REQUEST_FIND:
        replaying_look(replaying,
                       (struct place){.kind = PLACE_STEP, .attempt = -1, .step = request.amount});
        return true;
    case REQUEST_GO:
        replaying_go(replaying,
                     (struct step_key){.attempt = request.attempt, .step = request.amount});
        return true;
    case REQUEST_SEEK:
        replaying_seek(replaying, session_model(replaying->session)->go);
        return true;
    case REQUEST_EVENT:
        to_event(replaying, direction);
        return true;
    case REQUEST_TO_MARK:
        to_mark(replaying, direction);
        return true;
    default:
        return false;
    }
}

bool replaying_request(void *to, struct view_request request, int64_t now_ns)
{
    struct replaying *replaying = to;
    (void)now_ns;
    if (!replaying->replay)
        return request.kind != REQUEST_QUIT && request.kind != REQUEST_REDRAW &&
               request.kind != REQUEST_SUSPEND;
    bool taken = true;
    switch (request.kind) {
    case REQUEST_NONE:
    case REQUEST_HOLD:
        break;
    case REQUEST_PLAY:
        play(replaying);
        break;
    case REQUEST_SPEED:
        set_speed(replaying, request.amount);
        break;
    case REQUEST_IDLE:
        turn_idle(replaying);
        break;
    case REQUEST_MARK:
        mark(replaying);
        break;
    default:
        taken = go(replaying, request);
    }
    session_model(replaying->session)->paused = !replaying->playing;
    return taken;
}

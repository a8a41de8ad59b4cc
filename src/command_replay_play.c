/* `lockstep replay`: at the records' own pace, times a factor. */
#include <math.h>

#include "command_replay.h"

#define SECOND_NS 1e9
#define IDLE_DEFAULT_S 5
#define LATE_S 0.5 /* no more is made up for: the reader had stopped us, or reading is slow */
#define REST_S 0.5 /* between two looks whether the index has come further */

void replaying_play_init(struct replaying *replaying)
{
    const struct options *options = &replaying->options;
    replaying->speed = options->speed;
    replaying->skip_idle = options->given[OPTION_IDLE_LIMIT];
    replaying->idle_s = replaying->skip_idle ? options->idle_limit_s : IDLE_DEFAULT_S;
    replaying->playing = !options->paused;
}

static int64_t now_ns(const struct replaying *replaying)
{
    return loop_now_ns(session_loop(replaying->session));
}

void replaying_restart_time(struct replaying *replaying)
{
    replaying->credit_s = 0;
    replaying->played_ns = now_ns(replaying);
    if (replaying->timer && replaying->playing)
        loop_timer_set(replaying->timer, 0, 0);
}

void replaying_play(struct replaying *replaying, bool playing)
{
    replaying->playing = playing;
    session_model(replaying->session)->paused = !playing;
    replaying_restart_time(replaying);
    session_touch(replaying->session);
}

/* From the begin of the step at a position to that of the next one, in time of the
 * run; at the last step how long that lasted. */
static double gap_s(const struct replaying *replaying, int64_t position)
{
    const struct replay *replay = replaying->replay;
    double gap = replay_time(replay, position + 1) - replay_time(replay, position);
    if (!(gap > 0))
        return 0;
    return replaying->skip_idle && gap > replaying->idle_s ? replaying->idle_s : gap;
}

/* How far the run has come since. */
static int64_t advance(struct replaying *replaying, int64_t position)
{
    int64_t total = replay_positions(replaying->replay);
    while (position + 1 < total) {
        double gap = gap_s(replaying, position);
        if (replaying->credit_s < gap)
            break;
        replaying->credit_s -= gap;
        position++;
    }
    return position;
}

static void earn(struct replaying *replaying, int64_t now)
{
    double passed_s = (double)(now - replaying->played_ns) / SECOND_NS;
    double late_s = 1 / replaying->options.fps + LATE_S;
    double step_s = replaying->credit_s; /* of a long gap nothing is lost */
    replaying->played_ns = now;
    if (passed_s > late_s && step_s >= 0)
        passed_s = fmax(late_s, fmin(passed_s, REST_S + late_s));
    replaying->credit_s += passed_s * replaying->speed;
}

/* The last step that there is has been shown for as long as it lasted. */
static void at_last(struct replaying *replaying)
{
    if (replay_indexed(replaying->replay) < 1) {
        replaying->credit_s = 0; /* the index is behind */
        return;
    }
    replaying_play(replaying, false);
    replaying_go(replaying, (struct step_key){.latest = true});
    replaying_say(replaying, "the end of the run (space plays it again from the beginning)");
}

/* Until the next step is due, but no sooner than the next picture may be drawn. */
static void sleep_until_due(struct replaying *replaying, int64_t position)
{
    double due_s = (gap_s(replaying, position) - replaying->credit_s) / replaying->speed;
    double picture_s = 1 / replaying->options.fps;
    double wait_s = fmin(fmax(due_s, picture_s), REST_S);
    if (position + 1 >= replay_positions(replaying->replay) && wait_s < picture_s)
        wait_s = picture_s;
    loop_timer_set(replaying->timer, (int64_t)(wait_s * SECOND_NS), 0);
}

void replaying_on_time(void *to, int64_t now)
{
    struct replaying *replaying = to;
    int64_t position = replaying_position(replaying);
    if (!replaying->playing || !replaying->replay)
        return;
    if (replaying->going || replaying->looking || position < 0) { /* time waits for it */
        replaying->played_ns = now;
        loop_timer_set(replaying->timer, (int64_t)(SECOND_NS / replaying->options.fps), 0);
        return;
    }
    earn(replaying, now);
    int64_t next = advance(replaying, position);
    double credit_s = replaying->credit_s;
    if (next != position) {
        replaying_go(replaying, replay_key_at(replaying->replay, next));
        replaying->credit_s = credit_s;
        replaying->played_ns = now;
    } else if (position + 1 >= replay_positions(replaying->replay) &&
               credit_s >= gap_s(replaying, position)) {
        at_last(replaying);
    }
    if (replaying->playing)
        sleep_until_due(replaying, next);
}

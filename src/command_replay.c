/* `lockstep replay`: saved logs as if they were live, and any step of them at once. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_describe.h"
#include "command_replay.h"

#define AT_ONCE_NS INT64_C(80000000)
#define DAY_S 86400.0
#define TABLE_BYTES ((size_t)40 << 20) /* states are kept beside it */

void replaying_say(struct replaying *replaying, const char *format, ...)
{
    char text[MODEL_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    session_say(replaying->session, text);
}

/* ---- going somewhere ---- */

int64_t replaying_position(const struct replaying *replaying)
{
    struct step_key key;
    if (replaying->going && replaying->aim.latest)
        return replay_positions(replaying->replay) - 1;
    if (replaying->going)
        return replay_position(replaying->replay, replaying->aim);
    return replay_key(replaying->replay, &key) ? replay_position(replaying->replay, key) : -1;
}

/* On the way it is what the model has come to. */
static void show(struct replaying *replaying)
{
    struct step_key key = {.latest = true};
    if (!replaying->going)
        replay_key(replaying->replay, &key);
    session_show(replaying->session, replay_shown(replaying->replay),
                 replay_whole(replaying->replay), key);
}

/* Takes what a call of the replay's came to. */
static void note_way(struct replaying *replaying, enum replay_way way)
{
    replaying->going = way == REPLAY_ON_WAY || way == REPLAY_WAITING;
    if (way == REPLAY_FAILED) {
        replaying_play(replaying, false);
        replaying->at_end = false;
    }
    show(replaying);
    if (replaying->going)
        return;
    struct step_key key;
    bool known = replay_key(replaying->replay, &key);
    if (way == REPLAY_NOWHERE && known && !replaying->aim.latest)
        replaying_say(replaying, "there is no step %" PRId64 " there: this is the nearest",
                      replaying->aim.step);
    replaying->at_end =
        known && replay_indexed(replaying->replay) >= 1 &&
        replay_position(replaying->replay, key) + 1 == replay_positions(replaying->replay);
    replaying_restart_time(replaying);
}

/* Most ways are at their end within this time: then nothing is seen of what lies
 * between. */
static enum replay_way go_some_way(struct replaying *replaying, enum replay_way way)
{
    struct loop *loop = session_loop(replaying->session);
    int64_t until_ns = loop_now_ns(loop) + AT_ONCE_NS;
    while (way == REPLAY_ON_WAY && loop_now_ns(loop) < until_ns)
        way = replay_work(replaying->replay, REPLAY_WORK_RECORDS);
    return way;
}

void replaying_go(struct replaying *replaying, struct step_key key)
{
    struct replay *replay = replaying->replay;
    replaying->looking = false;
    replaying->aim = key;
    enum replay_way way = key.latest ? replay_go_last(replay) : replay_go(replay, key);
    note_way(replaying, go_some_way(replaying, way));
    loop_work_wake(replaying->work);
}

void replaying_look(struct replaying *replaying, struct place place)
{
    struct step_key key;
    replaying->looking = !replaying_resolve(replaying, place, &key);
    replaying->place = place;
    if (replaying->looking)
        return;
    replaying_go(replaying, key);
    const char *other = replaying_other(replaying, place, key);
    if (other)
        replaying_say(replaying, "%s", other);
}

bool replaying_seek(struct replaying *replaying, const char *text)
{
    struct place place;
    struct place_clock clock = replaying_clock(replaying);
    const char *why = place_parse(text, &clock, &place);
    if (why)
        replaying_say(replaying, "%s", why);
    else
        replaying_look(replaying, place);
    return !why;
}

/* ---- a slice of the loop ---- */

/* The first step that is known is where it begins. */
static void begin(struct replaying *replaying)
{
    struct step_key key;
    if (replay_positions(replaying->replay) == 0 || replaying->going || replaying->looking ||
        replay_key(replaying->replay, &key))
        return;
    if (!replaying->options.at || !replaying_seek(replaying, replaying->options.at))
        replaying_go(replaying, replay_key_at(replaying->replay, 0));
}

static bool on_work(void *to, int64_t now_ns)
{
    struct replaying *replaying = to;
    struct replay *replay = replaying->replay;
    enum replay_way way = REPLAY_WAITING;
    (void)now_ns;
    if (replaying->going) {
        way = replay_work(replay, REPLAY_WORK_RECORDS);
        note_way(replaying, way);
    }
    bool more = replay_indexed(replay) < 1;
    if (way == REPLAY_WAITING && more) {
        more = replay_index(replay, REPLAY_WORK_RECORDS);
        if (replaying->looking)
            replaying_look(replaying, replaying->place);
        begin(replaying);
        session_touch(replaying->session);
    }
    if (replaying->going)
        session_touch(replaying->session);
    if (!more && replaying->looking) /* there is no step at all */
        replaying->looking = false;
    return more || replaying->going;
}

/* ---- what the screen is told ---- */

/* Does the run that is known, up to the begin of `last`, go past midnight (UTC, as shown)? */
static bool spans_days(const struct replay *replay, int64_t last)
{
    return replay_has_clock(replay) &&
           floor(replay_time(replay, 0) / DAY_S) != floor(replay_time(replay, last) / DAY_S);
}

static void describe_playback(const struct replaying *replaying, struct playback *playback)
{
    playback->on = true;
    playback->playing = replaying->playing;
    playback->skip_idle = replaying->skip_idle;
    playback->idle_s = replaying->skip_idle ? replaying->idle_s : 0;
    playback->speed = replaying->speed;
    playback->place = NAN;
    if (!replaying->replay)
        return;
    struct step_key key;
    int64_t last = replay_positions(replaying->replay) - 1;
    playback->seeking = replaying->going || replaying->looking;
    playback->indexed = replay_indexed(replaying->replay);
    playback->seek = replaying->going ? replay_way_done(replaying->replay) : 0;
    playback->first_step = playback->last_step = -1;
    if (last >= 0) {
        struct step_key newest = replay_key_at(replaying->replay, last);
        playback->first_step = replay_key_at(replaying->replay, 0).step;
        playback->days = spans_days(replaying->replay, last);
        playback->last_attempt = newest.attempt;
        playback->last_step = newest.step;
    }
    if (replay_key(replaying->replay, &key))
        playback->place =
            last > 0 ? (double)replay_position(replaying->replay, key) / (double)last : 0;
}

static void describe(void *to, struct summary *summary, struct feed_info *feed,
                     char message[MODEL_TEXT_BYTES])
{
    struct replaying *replaying = to;
    feed->speed = replaying->speed;
    describe_names(&replaying->options, feed);
    describe_playback(replaying, &session_model(replaying->session)->playback);
    if (!replaying->replay)
        return;
    describe_totals(replay_totals(replaying->replay), summary);
    log_book_summary(&replaying->logs.book, summary);
    describe_files(replay_files(replaying->replay), &replaying->notices_told, feed, message);
}

/* ---- opening ---- */

static int open_logs(struct replaying *replaying)
{
    const struct options *options = &replaying->options;
    struct replay_options replay_options = {
        .analysis = replaying->model,
        .memory_bytes = options->given[OPTION_STATES] ? options->memory_bytes : 0,
        .threads = options->threads,
        .formats = replaying->logs.formats,
        .book = &replaying->logs.book,
        .run_only = options->run_only,
    };
    char message[512];
    replaying->replay = replay_new(&replay_options, options->sources, options->source_count,
                                   message, sizeof(message));
    if (replaying->replay)
        return 0;
    if (replaying->session)
        session_close(replaying->session);
    return command_fail("%s", message);
}

static int run_screen(struct replaying *replaying, int *ret_signal)
{
    struct session *session = replaying->session;
    int status = session_open(session);
    if (status == 0)
        status = open_logs(replaying); /* after the first picture */
    if (status != 0)
        return status;
    struct loop *loop = session_loop(session);
    replaying->work = loop_work_new(loop, on_work, replaying);
    replaying->timer = loop_timer_new(loop, 0, 0, replaying_on_time, replaying);
    show(replaying);
    replaying_restart_time(replaying);
    loop_work_wake(replaying->work);
    return session_run(session, ret_signal);
}

static int run(struct replaying *replaying, int *ret_signal)
{
    struct session_caller caller = {
        .to = replaying, .describe = describe, .request = replaying_request};
    int status;
    replaying_play_init(replaying);
    if (!isatty(STDOUT_FILENO)) {
        status = open_logs(replaying);
        if (status == 0)
            status = replaying_plain(replaying);
    } else {
        replaying->session =
            session_new(&replaying->options, &replaying->model.run, MODE_REPLAY, &caller);
        session_model(replaying->session)->playback.on = true;
        session_model(replaying->session)->paused = !replaying->playing;
        status = run_screen(replaying, ret_signal);
        session_free(replaying->session);
    }
    replay_free(replaying->replay);
    return status;
}

static int check_sources(const struct options *options)
{
    if (options->source_count == 0) {
        command_fail("replay needs saved records: a folder or file (lockstep replay logs/)");
        return 2;
    }
    for (int i = 0; i < options->source_count; i++) {
        const char *source = options->sources[i];
        if (strcmp(source, "-") != 0 && strncmp(source, "udp://", 6) != 0)
            continue;
        command_fail("%s can't be replayed: only files can be gone back in; lockstep watch "
                     "--record FILE keeps what comes by it",
                     source);
        return 2;
    }
    return 0;
}

int command_replay(int argc, char **argv)
{
    struct replaying replaying = {0};
    struct options *options = &replaying.options;
    int number = 0;
    int status = command_options(
        options, COMMAND_REPLAY, argc, argv, "replay [OPTIONS] PATH...",
        "Plays saved records as if they were live, at their own pace or any other, and goes to any "
        "step of them. A PATH is a file, a folder or a glob in quotes.");
    if (status >= 0)
        return status;
    status = check_sources(options);
    if (status != 0)
        return status;
    analysis_options_init(&replaying.model);
    replaying.model.memory_bytes = TABLE_BYTES;
    replaying.model.close_lag = options->close_lag;
    replaying.model.max_ranks = options->max_ranks;
    status = command_logs_open(&replaying.logs, options);
    if (status == 0)
        status = command_sources(options);
    if (status == 0)
        status = command_run(options, &replaying.model.run);
    if (status == 0)
        status = run(&replaying, &number);
    command_logs_done(&replaying.logs);
    session_raise(number);
    return status;
}

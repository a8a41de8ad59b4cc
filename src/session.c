/* The live session: from records to pictures. */
#include "session.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "memory.h"
#include "screen.h"
#include "session_plain.h"
#include "session_state.h"

#define SECOND_NS INT64_C(1000000000)
#define FRAME_REST 40
#define FRESH_S 5.0 /* what was written so lately was written now: clocks of files are coarse */

static void on_record(void *to, const struct record *record, int64_t now_ns)
{
    struct session *session = to;
    analysis_add(session->own, record, now_ns);
    /* At once: what a line says is what was known when its step was the newest, however much
     * comes in one piece. */
    if (!session->plain || analysis_closed(session->own) == session->closed)
        return;
    session->closed = analysis_closed(session->own);
    if (!session_plain_write(session->plain, session->analysis, &session->summary))
        loop_stop(session->loop);
}

struct sink session_sink(struct session *session)
{
    return (struct sink){session, on_record};
}

struct view_model *session_model(struct session *session)
{
    return &session->model;
}

void session_show(struct session *session, struct analysis *shown, struct analysis *whole,
                  struct step_key key)
{
    session->analysis = shown;
    session->whole = whole;
    session->key = key;
    session_touch(session);
}

void session_touch(struct session *session)
{
    session->pulled_ns = 0; /* due at the next frame */
}

struct loop *session_loop(struct session *session)
{
    return session->loop;
}

struct session *session_new(const struct options *options, const struct run *run,
                            enum view_mode mode, const struct session_caller *caller)
{
    struct session *session = memory_zeroed(1, sizeof(*session));
    struct analysis_options model_options;
    analysis_options_init(&model_options);
    model_options.run = *run;
    model_options.memory_bytes = options->memory_bytes;
    model_options.close_lag = options->close_lag;
    model_options.max_ranks = options->max_ranks;
    session->options = options;
    session->caller = *caller;
    model_options.overview = true;
    session->own = analysis_new(&model_options);
    session->analysis = session->whole = session->own;
    run_events_init(&session->events);
    overview_init(&session->overview);
    session->key.latest = true;
    summary_init(&session->summary);
    model_init(&session->model, mode);
    session->model.summary = &session->summary;
    session->loop = loop_new();
    return session;
}

void session_close(struct session *session)
{
    if (session->terminal)
        loop_fd_free(session->terminal);
    session->terminal = NULL;
    term_close(session->term);
    session->term = NULL;
}

void session_free(struct session *session)
{
    if (!session)
        return;
    session_close(session);
    loop_free(session->loop);
    session_plain_free(session->plain);
    canvas_done(&session->canvas);
    summary_done(&session->summary);
    run_events_done(&session->events);
    overview_done(&session->overview);
    analysis_free(session->own);
    free(session);
}

/* ---- pictures ---- */

/* One rank closer, while it is looked at. */
static void pull_detail(struct session *session)
{
    const struct view_model *model = &session->model;
    bool wanted = model->screen == SCREEN_RANKS && model->detail && model->selected >= 0;
    bool known = wanted && analysis_rank_detail(session->analysis, session->key,
                                                (uint32_t)model->selected, &session->detail);
    session->summary.detail = known ? &session->detail : NULL;
}

/* What the screens need that show the whole run. */
static void pull_whole(struct session *session)
{
    struct view_model *model = &session->model;
    struct overview_request wanted;
    model->events = NULL;
    model->overview = NULL;
    if (!session->term)
        return;
    struct term_size size = term_size(session->term);
    bool spans = screen_wants(model, size.width, size.height, &wanted);
    if (spans) {
        analysis_overview(session->whole, wanted, &session->overview);
        model->overview = &session->overview;
    }
    if (spans || model->screen == SCREEN_EVENTS || model->playback.on) {
        analysis_events(session->whole, &session->events);
        model->events = &session->events;
    }
}

/* What was in a file before is as old as the file: a job that hung long ago is told at once. */
static void date_records(struct session *session)
{
    struct summary *summary = &session->summary;
    struct feed_info *feed = &session->model.feed;
    if (summary->source.records != session->records) {
        double now_s = (double)time(NULL), since_s = now_s - feed->written_s;
        session->records = summary->source.records;
        session->late_s = feed->written_s > 0 && since_s > FRESH_S ? since_s : 0;
        feed->last_record_s = now_s - session->late_s;
    }
    summary->silent_s += session->late_s; /* NAN stays */
    for (size_t i = 0; session->late_s > 0 && i < summary->rank_count; i++)
        summary->ranks[i].silent_s += session->late_s;
}

/* When all has ended, or was long ago, nobody is silent. */
void session_pull(struct session *session, int64_t now_ns)
{
    bool live = session->model.mode != MODE_ENDED && session->model.mode != MODE_REPLAY;
    int64_t clock_ns = live ? now_ns : INT64_MIN;
    session->summary.brief = session->model.screen != SCREEN_RANKS;
    analysis_summary(session->analysis, session->key, clock_ns, &session->summary);
    pull_detail(session);
    pull_whole(session);
    if (session->caller.describe)
        session->caller.describe(session->caller.to, &session->summary, &session->model.feed,
                                 session->model.message);
    date_records(session);
    session->pulled_ns = now_ns;
}

void session_lose_terminal(struct session *session)
{
    session->status = 1;
    loop_stop(session->loop);
}

static void watch_terminal(struct session *session)
{
    int writing = term_wants_write(session->term) ? LOOP_WRITABLE : 0;
    if (session->terminal)
        loop_fd_want(session->terminal, LOOP_READABLE | LOOP_HANGUP | writing);
}

void session_prepare(struct session *session, int64_t now_ns)
{
    struct term_size size = term_size(session->term);
    session_pull(session, now_ns);
    session->model.rank_rows = screen_rank_rows(&session->model, size.width, size.height);
    session->behind = false;
}

void session_draw(struct session *session, int64_t now_ns)
{
    struct term_size size = term_size(session->term);
    session_prepare(session, now_ns);
    session->model.feed.frames_skipped = term_stats(session->term).skipped;
    if (session->canvas.width != size.width || session->canvas.height != size.height)
        canvas_resize(&session->canvas, size.width, size.height);
    screen_draw(&session->canvas, &session->model);
    session->drawn_ns = loop_now_ns(session->loop);
    session->cost_ns = session->drawn_ns - now_ns;
    if (term_show(session->term, &session->canvas) < 0)
        session_lose_terminal(session);
    else
        watch_terminal(session);
}

/* After a picture that took so long. What goes on is seen once a second, unless half of
 * the time would go into it. */
static int64_t rest_ns(int64_t cost_ns)
{
    int64_t rest = FRAME_REST * cost_ns;
    return rest < SECOND_NS ? rest : cost_ns > SECOND_NS ? cost_ns : SECOND_NS;
}

/* A picture of many thousand ranks takes milliseconds: no more than one part in
 * FRAME_REST of the time goes into pictures. Silence is told in whole seconds:
 * without records once a second is enough. */
static void on_frame(void *to, int64_t now_ns)
{
    struct session *session = to;
    if (now_ns - session->drawn_ns < rest_ns(session->cost_ns))
        return;
    if (!analysis_changed(session->analysis) && now_ns - session->pulled_ns < SECOND_NS)
        return;
    if (!session->plain)
        session_draw(session, now_ns);
    else if (!session_plain_write(session->plain, session->analysis, &session->summary))
        loop_stop(session->loop);
}

/* ---- begin and end ---- */

static int open_terminal(struct session *session)
{
    const struct options *options = session->options;
    struct term_options term_options = {
        .color = options->color == COLOR_ALWAYS  ? TERM_COLOR_ALWAYS
                 : options->color == COLOR_NEVER ? TERM_COLOR_NEVER
                                                 : TERM_COLOR_AUTO,
        .charset = options->ascii  ? TERM_CHARSET_ASCII
                   : options->utf8 ? TERM_CHARSET_UTF8
                                   : TERM_CHARSET_AUTO,
    };
    char error[256] = "";
    if (term_open(&session->term, &term_options, error, sizeof(error)) < 0)
        return command_fail("%s", error);
    term_guard_crashes();
    struct term_size size = term_size(session->term);
    canvas_init(&session->canvas, size.width, size.height, term_unicode(session->term));
    return 0;
}

int session_open(struct session *session)
{
    int64_t every_ns = (int64_t)(1e9 / session->options->fps);
    signal(SIGPIPE, SIG_IGN);
    if (isatty(STDOUT_FILENO)) {
        if (open_terminal(session) != 0)
            return 1;
        session_input_open(session);
        session_draw(session, loop_now_ns(session->loop));
    } else {
        session->plain = session_plain_new(STDOUT_FILENO);
    }
    session->frame_timer = loop_timer_new(session->loop, every_ns, every_ns, on_frame, session);
    return session->status;
}

int session_run(struct session *session, int *ret_signal)
{
    loop_run(session->loop);
    session_close(session);
    *ret_signal = session->signal;
    int failed = session->plain ? session_plain_error(session->plain) : 0;
    if (failed)
        return command_fail("standard output: %s", strerror(failed));
    return session->status;
}

void session_set_run(struct session *session, const struct run *run)
{
    analysis_set_run(session->own, run);
}

void session_wait_longer(struct session *session, int close_lag, double silent_s)
{
    analysis_wait_longer(session->own, close_lag, silent_s);
}

void session_say(struct session *session, const char *text)
{
    snprintf(session->model.message, sizeof(session->model.message), "%s", text);
    session_touch(session);
}

void session_end(struct session *session)
{
    session->model.mode = MODE_ENDED;
    analysis_finish(session->own);
    if (!session->plain)
        return;
    session_plain_write(session->plain, session->analysis, &session->summary);
    loop_stop(session->loop);
}

void session_raise(int number)
{
    sigset_t set;
    if (number == 0)
        return;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

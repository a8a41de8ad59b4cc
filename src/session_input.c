/* The live session: what keys and signals lead to. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "session_look.h"
#include "session_state.h"

#define ESCAPE_NS (KEYS_TIMEOUT_MS * INT64_C(1000000))
#define RESIZE_NS INT64_C(30000000) /* between two pictures that resizes ask for */

static void leave(struct session *session)
{
    loop_stop(session->loop);
}

/* ---- which step is shown ---- */

/* Pins the shown step unless one is, and brings the table up to date under it. */
static void hold(struct session *session, int64_t now_ns)
{
    const struct summary_step *shown = &session->summary.shown;
    if (!shown->known)
        return;
    if (session->key.latest)
        session->key = (struct step_key){.attempt = shown->attempt, .step = shown->step};
    session_pull(session, now_ns);
}

static void pin(struct session *session, struct step_key key)
{
    if (!session->summary.shown.known)
        return;
    key.latest = false;
    session->key = key;
}

static void move(struct session *session, int64_t by)
{
    struct step_key before = session->key;
    struct step_key key = analysis_move(session->analysis, before, by);
    pin(session, key);
    if (session->summary.shown.known && step_key_compare(key, before) == 0)
        session_say(session, by < 0 ? "the first step in memory" : "the latest step (End follows)");
}

static void find(struct session *session, int64_t step)
{
    struct step_key key = analysis_find(session->analysis, step);
    pin(session, key);
    if (session->summary.shown.known && key.step != step)
        session_say(session, "that step is no longer in memory: this is the nearest");
}

/* Those that pin the shown step: it does not move on while somebody looks around. */
static bool is_about_steps(enum request_kind kind)
{
    return kind == REQUEST_HOLD || kind == REQUEST_MOVE || kind == REQUEST_FIND ||
           kind == REQUEST_FIRST || kind == REQUEST_GO || kind == REQUEST_SEEK ||
           kind == REQUEST_EVENT || kind == REQUEST_TO_MARK;
}

/* ---- stopping and going on ---- */

/* Stops as if the terminal itself had answered the key: the whole pipeline that
 * stands in the foreground. Returns when it goes on. */
static void stop_pipeline(struct session *session, pid_t whom)
{
    struct sigaction ours;
    struct sigaction stop = {.sa_handler = SIG_DFL};
    term_suspend(session->term);
    sigaction(SIGTSTP, &stop, &ours);
    kill(whom, SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
    term_resume(session->term);
}

static void answer(struct session *session, struct view_request request, int64_t now_ns)
{
    if (session->caller.request && session->caller.request(session->caller.to, request, now_ns))
        return;
    if (is_about_steps(request.kind))
        hold(session, now_ns);
    if (session_look(session, request))
        return;
    switch (request.kind) {
    case REQUEST_QUIT:
        leave(session);
        break;
    case REQUEST_REDRAW:
        term_redraw(session->term);
        break;
    case REQUEST_SUSPEND:
        stop_pipeline(session, 0);
        break;
    case REQUEST_MOVE:
        move(session, request.amount);
        break;
    case REQUEST_FIND:
        find(session, request.amount);
        break;
    case REQUEST_FIRST:
        pin(session, analysis_move(session->analysis, session->key, INT64_MIN));
        break;
    case REQUEST_LATEST:
        session->key = (struct step_key){.latest = true};
        break;
    default: /* drawing is enough */
        break;
    }
}

/* ---- keys ---- */

/* By more than a few steps. */
static bool leads_elsewhere(enum request_kind kind)
{
    return kind == REQUEST_FIND || kind == REQUEST_GO || kind == REQUEST_SEEK ||
           kind == REQUEST_EVENT || kind == REQUEST_TO_MARK || kind == REQUEST_FIRST ||
           kind == REQUEST_LATEST;
}

/* The next straggler is looked for in the whole run, which not every screen is drawn from. */
static void provide_events(struct session *session, enum command command)
{
    if ((command != CMD_NEXT_STRAGGLER && command != CMD_PREVIOUS_STRAGGLER) ||
        session->model.events)
        return;
    analysis_events(session->whole, &session->events);
    session->model.events = &session->events;
}

/* Several keys may come at once: typed ahead, pasted, by a slow line. Each means what it
 * would have meant on its own. */
static void press(struct session *session, struct key_event event, int64_t now_ns)
{
    if (session->behind)
        session_prepare(session, now_ns);
    provide_events(session, event.command);
    enum screen screen = session->model.screen;
    bool detail = session->model.detail;
    struct view_request request = model_key(&session->model, event);
    answer(session, request, now_ns);
    session->behind = leads_elsewhere(request.kind) || session->model.screen != screen ||
                      session->model.detail != detail;
}

static void await_escape(struct session *session)
{
    if (keys_wants_timeout(&session->keys))
        loop_timer_set(session->escape_timer, ESCAPE_NS, 0);
    else
        loop_timer_stop(session->escape_timer);
}

static void on_escape(void *to, int64_t now_ns)
{
    struct session *session = to;
    struct key_event event;
    if (keys_timeout(&session->keys, &event)) {
        press(session, event, now_ns);
        session_draw(session, now_ns);
    }
    await_escape(session);
}

static void read_keys(struct session *session, int64_t now_ns)
{
    uint8_t bytes[256];
    struct key_event events[KEYS_EVENTS_MAX];
    size_t pressed = 0;
    int count = term_read(session->term, bytes, sizeof(bytes));
    if (count < 0) {
        session_lose_terminal(session);
        return;
    }
    for (int i = 0; i < count; i++) {
        size_t made = keys_feed(&session->keys, bytes[i], events);
        for (size_t k = 0; k < made; k++)
            press(session, events[k], now_ns);
        pressed += made;
    }
    await_escape(session);
    if (pressed > 0)
        session_draw(session, now_ns);
}

static void on_terminal(void *to, int events, int64_t now_ns)
{
    struct session *session = to;
    if (events & (LOOP_READABLE | LOOP_HANGUP))
        read_keys(session, now_ns);
    if (!(events & LOOP_WRITABLE))
        return;
    if (term_flush(session->term) < 0)
        session_lose_terminal(session);
    else if (!term_wants_write(session->term))
        session_draw(session, now_ns); /* what was skipped meanwhile */
}

/* ---- signals ---- */

static void on_resize(void *to, int64_t now_ns)
{
    struct session *session = to;
    session->resizing = false;
    term_resized(session->term);
    session_draw(session, now_ns);
}

/* A window that is dragged sends many: the first is answered at once, then they
 * share pictures. */
static void on_window(void *to, int number)
{
    struct session *session = to;
    (void)number;
    if (session->resizing)
        return;
    session->resizing = true;
    int64_t since_ns = loop_now_ns(session->loop) - session->drawn_ns;
    loop_timer_set(session->resize_timer, since_ns < RESIZE_NS ? RESIZE_NS - since_ns : 0, 0);
}

static void on_end(void *to, int number)
{
    struct session *session = to;
    session->signal = number;
    leave(session);
}

static void on_stop(void *to, int number)
{
    struct session *session = to;
    (void)number;
    stop_pipeline(session, getpid());
    session_draw(session, loop_now_ns(session->loop));
}

static void on_continue(void *to, int number)
{
    struct session *session = to;
    (void)number;
    term_redraw(session->term);
    session_draw(session, loop_now_ns(session->loop));
}

/* What the one who started the program ignores (nohup) stays ignored. */
static void listen_for(struct session *session, int number, void (*caught)(void *to, int number))
{
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
        return;
    loop_signal(session->loop, number, caught, session);
}

void session_input_open(struct session *session)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int error = 0;
    session->escape_timer = loop_timer_new(session->loop, 0, 0, on_escape, session);
    session->resize_timer = loop_timer_new(session->loop, 0, 0, on_resize, session);
    loop_timer_stop(session->escape_timer);
    loop_timer_stop(session->resize_timer);
    session->terminal = loop_fd_new(session->loop, term_fd(session->term),
                                    LOOP_READABLE | LOOP_HANGUP, on_terminal, session, &error);
    if (!session->terminal)
        session_lose_terminal(session);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        listen_for(session, ends[i], on_end);
    listen_for(session, SIGWINCH, on_window);
    listen_for(session, SIGTSTP, on_stop);
    listen_for(session, SIGCONT, on_continue);
    term_resized(session->term); /* a resize before the signal was ours */
}

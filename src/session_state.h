/* What a session holds: for session*.c only. */
#pragma once

#include "analysis.h"
#include "canvas.h"
#include "session.h"
#include "term.h"

struct session {
    const struct options *options; /* borrowed */
    struct session_caller caller;
    struct analysis *own;      /* takes the records of a live session; owned */
    struct analysis *analysis; /* what is shown: own, or a replay's */
    struct analysis *whole;    /* what is known of the whole run: own, or a replay's */
    struct run_events events;
    struct overview overview;
    struct summary summary;
    struct rank_detail detail; /* that the summary borrows while one rank is shown closer */
    struct view_model model;
    struct step_key key; /* which step is shown */

    struct loop *loop;
    struct term *term; /* NULL: not open, or plain lines are asked for */
    struct canvas canvas;
    struct loop_fd *terminal;
    struct loop_timer *frame_timer, *resize_timer, *escape_timer;
    struct keys keys;
    struct session_plain *plain; /* NULL: a screen is asked for */
    uint64_t closed;             /* steps, when it was written to last */

    int64_t pulled_ns; /* when the summary was made */
    int64_t drawn_ns;
    int64_t cost_ns;  /* that the last picture took, summary included */
    uint64_t records; /* at the last picture */
    double late_s;    /* so long before it was read the last one was written */
    bool resizing;    /* resize_timer runs */
    bool behind;      /* a key led to where the model has not been brought yet */
    int status;
    int signal; /* that ends it; 0: none did */
};

/* Makes the summary anew for session->key; all that a key may be about; and draws it. */
void session_pull(struct session *session, int64_t now_ns);
void session_prepare(struct session *session, int64_t now_ns);
void session_draw(struct session *session, int64_t now_ns);

/* The terminal is gone: nothing is left to be shown. */
void session_lose_terminal(struct session *session);

/* Keys and signals, from when the terminal is open. */
void session_input_open(struct session *session);

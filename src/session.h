/* A live session: one loop in which sources, keys, timers, frames and signals
 * meet. Records go into the model as they come; a picture is drawn when there is
 * something new to see. Shared by all commands that have a screen. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis.h"
#include "model.h"
#include "options.h"
#include "run.h"
#include "sink.h"
#include "source_loop.h"
#include "summary.h"

struct session;

/* What the caller knows and the model does not, asked before each picture. */
struct session_caller {
    void *to;
    /* Fills the parts of the summary that are about sources, and feed; `message` is
     * "" or what is shown until the next key, and may be replaced. NULL: nothing. */
    void (*describe)(void *to, struct summary *summary, struct feed_info *feed,
                     char message[MODEL_TEXT_BYTES]);
    /* What a key asks for, before the session answers it itself: true when that is
     * done. NULL: the session answers all. */
    bool (*request)(void *to, struct view_request request, int64_t now_ns);
};

/* *options are borrowed, *run and *caller copied. Never NULL. */
struct session *session_new(const struct options *options, const struct run *run,
                            enum view_mode mode, const struct session_caller *caller);

/* Restores the terminal first. NULL is allowed. After all sources are freed. */
void session_free(struct session *session);

struct loop *session_loop(struct session *session);

/* What is shown: for the caller to set before the session is opened. */
struct view_model *session_model(struct session *session);

/* A replay: pictures are made of `shown` at the step of the key, `whole` is what is known
 * of the whole run; both borrowed, until the next call. */
void session_show(struct session *session, struct analysis *shown, struct analysis *whole,
                  struct step_key key);

/* Something to be seen has changed that no record told: a picture is due at the next
 * frame. */
void session_touch(struct session *session);

/* Where sources put their records. */
struct sink session_sink(struct session *session);

/* Opens the terminal and draws the first picture; plain lines when standard
 * output is not a terminal. 0, or the exit status after a message. */
int session_open(struct session *session);

/* Restores the terminal before the caller prints something. */
void session_close(struct session *session);

/* Until the user leaves or a signal says so; in plain text also until the input has
 * ended. Returns the exit status; *ret_signal is the signal to be raised again
 * when everything is freed, or 0. */
int session_run(struct session *session, int *ret_signal);

/* The description of the run has changed. */
void session_set_run(struct session *session, const struct run *run);

/* As analysis_wait_longer(). */
void session_wait_longer(struct session *session, int close_lag, double silent_s);

/* Shows a sentence until the next key; raw bytes may stand in it. */
void session_say(struct session *session, const char *text);

/* No more records will come: the open steps close, the screen stays. */
void session_end(struct session *session);

/* Dies by that signal, so that the shell sees it; returns at once when it is 0. */
void session_raise(int number);

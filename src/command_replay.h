/* What the command `replay` holds: for command_replay*.c only. command_replay.c opens and
 * reads on, command_replay_play.c keeps time, command_replay_keys.c answers keys. */
#pragma once

#include "command_logs.h"
#include "options.h"
#include "place.h"
#include "replay.h"
#include "session.h"

#define REPLAY_WORK_RECORDS 20000 /* in a slice of the loop: a few milliseconds */

struct replaying {
    struct options options;
    struct command_logs logs;
    struct analysis_options model;
    struct session *session;
    struct replay *replay; /* NULL until it is opened, behind the first picture */
    struct loop_work *work;
    struct loop_timer *timer;
    int notices_told;

    /* where to */
    bool going;          /* a way is not at its end */
    bool looking;        /* a place was asked for, and the index has to come so far */
    struct place place;  /* that one */
    struct step_key aim; /* of a way: what keys go on from meanwhile; latest: the end */

    /* playing */
    bool playing;
    bool at_end; /* of the run, all records in */
    double speed;
    bool skip_idle;
    double idle_s;
    int64_t played_ns; /* the loop's clock: credit_s is of then */
    double credit_s;   /* time of the run that has gone by since the shown step began */
};

/* ---- command_replay.c ---- */

/* Sets out for a step, or the end (key.latest); what is near is shown at once. */
void replaying_go(struct replaying *replaying, struct step_key key);

/* Sets out for a place, as soon as it is known where that is. */
void replaying_look(struct replaying *replaying, struct place place);

/* Reads --at, or what was typed. False: it is no place, and that was said. */
bool replaying_seek(struct replaying *replaying, const char *text);

void replaying_say(struct replaying *replaying, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The position that keys go on from: of the aim, or the shown step; -1: none. */
int64_t replaying_position(const struct replaying *replaying);

/* ---- command_replay_place.c ---- */

/* The step at the place; false: the index has not come so far. */
bool replaying_resolve(struct replaying *replaying, struct place place, struct step_key *ret_key);

/* Why it is not quite the place that was asked for; NULL: it is. Static. */
const char *replaying_other(const struct replaying *replaying, struct place place,
                            struct step_key key);

/* When the run began, as far as the index knows. */
struct place_clock replaying_clock(const struct replaying *replaying);

/* ---- command_replay_play.c ---- */

void replaying_play_init(struct replaying *replaying); /* from the options */
void replaying_play(struct replaying *replaying, bool playing);
void replaying_on_time(void *to, int64_t now_ns);

/* The shown step is another one: time counts from its begin. */
void replaying_restart_time(struct replaying *replaying);

/* ---- command_replay_keys.c ---- */

bool replaying_request(void *to, struct view_request request, int64_t now_ns);

/* ---- command_replay_plain.c ---- */

/* A line a step, as fast as it goes. Returns the exit status. */
int replaying_plain(struct replaying *replaying);

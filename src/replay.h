/* Saved logs as something to walk about in: an index that grows while it is read,
 * and a model that stands at one step. The figures at a step are those of a live
 * run at the moment at which that step was the newest: the model is fed with the
 * same records in the same order, from the nearest state that the index kept.
 *
 * No loop, no screen and no clock: the caller gives time in slices. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis.h"
#include "source_files.h"

struct replay;

struct replay_options {
    struct analysis_options analysis; /* run, close_lag, max_ranks, window are taken from it */
    size_t memory_bytes;              /* for states to go back to; 0: 32 MiB */
    int threads;                      /* that decode, 0: as many as help */
    const struct formats *formats;    /* other than our own records; borrowed; NULL: none */
    struct log_book *book;            /* what is learned of such logs; likewise */
    const char *run_only;             /* which run of a folder (source_runs.h); NULL: all files */
    uint64_t distance; /* records between two of them, at first; 0: 65,536, of large logs more */
};

/* `paths`: files, folders, globs. NULL with a sentence in `error`. Reads nothing yet. */
struct replay *replay_new(const struct replay_options *options, char *const *paths, int count,
                          char *error, size_t size);
void replay_free(struct replay *replay);

/* ---- the index ---- */

/* Reads on, about `records` records. False when all that is there was read. */
bool replay_index(struct replay *replay, size_t records);
double replay_indexed(const struct replay *replay); /* 0 to 1 */

/* What is known of the whole run so far; the replay's own. */
struct analysis *replay_whole(struct replay *replay);
const struct stream_totals *replay_totals(const struct replay *replay); /* of the whole run */
const struct files_state *replay_files(const struct replay *replay);
size_t replay_bytes(const struct replay *replay); /* of the states that are kept */

/* ---- the shown step ---- */

/* The model at the shown step, which is its newest, or one of several that closed with the
 * same record; never NULL, the replay's own, another one after each call of the functions
 * below. */
struct analysis *replay_shown(struct replay *replay);
bool replay_key(const struct replay *replay, struct step_key *ret_key); /* false: no step yet */

enum replay_way {
    REPLAY_THERE,   /* arrived */
    REPLAY_ON_WAY,  /* call replay_work() again */
    REPLAY_WAITING, /* the index has not come so far: read on, then replay_work() */
    REPLAY_NOWHERE, /* there is no such step; the nearest is shown */
    REPLAY_FAILED,  /* a file is gone or changed; replay_files() says it */
};

/* Sets out for the newest state in which the step (attempt, step), or the last one before
 * it, is the newest; replay_work() goes there, about `records` records at a time. */
enum replay_way replay_go(struct replay *replay, struct step_key key);
enum replay_way replay_go_last(struct replay *replay); /* the end of what there is */
enum replay_way replay_work(struct replay *replay, size_t records);
double replay_way_done(const struct replay *replay); /* 0 to 1, of the way */

/* Goes on by one step. REPLAY_NOWHERE: this is the last. */
enum replay_way replay_next(struct replay *replay);

/* ---- the steps of the run, as far as the index knows them ---- */

int64_t replay_positions(const struct replay *replay); /* how many */

/* The position of a step, from 0, or of the last one before it; -1: it is before all. */
int64_t replay_position(const struct replay *replay, struct step_key key);
struct step_key replay_key_at(const struct replay *replay, int64_t position);

/* When the step at a position began, seconds: never before the one before it. At
 * replay_positions() the end of the last. Of very long runs in between steps: about. */
double replay_time(const struct replay *replay, int64_t position);
bool replay_has_clock(const struct replay *replay); /* Unix time; else since the first step */

/* The position of the first step that began then or later; replay_positions(): none. */
int64_t replay_at_time(const struct replay *replay, double time_s);

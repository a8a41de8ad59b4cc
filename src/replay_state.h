/* The inside of replay.h, shared by the files that make it up: replay.c reads the
 * whole run, replay_steps.c lists its steps, replay_saved.c keeps states, replay_cursor.c feeds the
 * shown model, replay_way.c says where it goes. */
#pragma once

#include "names.h"
#include "replay.h"
#include "replay_steps.h"

#define REPLAY_DISTANCE UINT64_C(65536) /* records between two states, at first */
#define REPLAY_BATCH 256                /* records that the cursor asks for at once */

/* A model that is fed, and how far its front has come. */
struct replay_track {
    struct analysis *analysis; /* owned */
    uint64_t records;          /* fed since the beginning of the run */
    uint64_t closed;
    bool begun;             /* there is a front */
    struct step_key front;  /* the newest there was: it never goes back */
    struct step_key before; /* the front before the last advance */
    bool had_before;
};

/* A state to go back to. */
struct replay_saved {
    struct replay_track track;
    struct files_mark *mark;
    size_t bytes;
    int64_t position; /* steps that were known to the index then */
    bool packed;
};

/* In order; the first is that before the first record. */
struct replay_states {
    struct replay_saved *items; /* owned */
    size_t count, capacity;
    size_t bytes, bytes_max;
    uint64_t distance; /* records */
    size_t to_pack;    /* the first that is not packed yet */
};

/* A record that was read beyond the place where the cursor stopped. */
struct replay_queued {
    struct record record;
    char host[NAME_BYTES], group[NAME_BYTES];
};

/* The shown model. */
struct replay_cursor {
    struct replay_track track;
    struct files *files; /* the index's twin; NULL until it is needed */
    struct stream_totals totals;
    bool lost;                   /* `files` and the model do not stand at the same place */
    bool exact;                  /* the front has just come to where it is */
    bool ended;                  /* all records of the run are in, and every step is closed */
    struct replay_queued *queue; /* owned */
    size_t queue_first, queue_count, queue_capacity;
    struct step_key shown;
    bool shows;

    /* while files_pump() runs */
    bool stop; /* at the wanted step: else at the end only */
    struct step_key wanted;
    bool reached;
    uint64_t limit; /* records: no further than the index */
};

enum replay_aim { AIM_NONE, AIM_STEP, AIM_LAST };

struct replay {
    struct replay_options options;
    struct files *files;
    struct stream_totals totals;
    struct replay_track index;
    bool indexed; /* all that is there was read */
    struct replay_steps steps;
    struct replay_states states;
    struct replay_saved near; /* a few steps before where the last long way led; no mark: none */
    struct replay_cursor cursor;
    uint64_t far;           /* records: a way that is longer leaves a state near its end */
    uint64_t way_records;   /* fed on the way */
    enum replay_aim aim;    /* of the way that was set out for */
    struct step_key asked;  /* what it was */
    struct step_key target; /* the step that there is */
    bool set_out;           /* target is known, and the cursor on its way */
    bool is_other;          /* target is not what was asked for */
    int64_t way_from;       /* position */
};

static inline enum replay_way replay_arrived(const struct replay *replay)
{
    return replay->is_other ? REPLAY_NOWHERE : REPLAY_THERE;
}

/* ---- replay_track.c ---- */

/* Notes what has closed. True when the front came further. */
bool replay_track_closed(struct replay_track *track);

/* Takes one record. True when the front came further. */
static inline bool replay_track_add(struct replay_track *track, const struct record *record)
{
    analysis_add(track->analysis, record, 0);
    track->records++;
    return analysis_closed(track->analysis) != track->closed && replay_track_closed(track);
}

/* Replaced by a model in the same state. */
void replay_track_copy(struct replay_track *to, const struct replay_track *from,
                       size_t memory_bytes);

/* ---- replay_saved.c ---- */

void replay_saved_done(struct replay_saved *saved);

/* The state of the track, at that place of the files. */
void replay_saved_make(struct replay_saved *saved, const struct replay_track *track,
                       const struct files *files, size_t memory_bytes);

/* Keeps the index's state when it is time for one. */
void replay_states_offer(struct replay *replay);
void replay_states_done(struct replay_states *states);

/* The newest state before the step comes to be the front. */
const struct replay_saved *replay_states_before(const struct replay *replay, struct step_key key);
const struct replay_saved *replay_states_last(const struct replay *replay);

/* ---- replay_cursor.c ---- */

/* Goes to a state. False: the files are not as they were. */
bool replay_cursor_go(struct replay *replay, const struct replay_saved *saved);

enum replay_fed { FED_THERE, FED_SOME, FED_WAITING, FED_FAILED };

/* Feeds about `records` records, until target is the front; without `stop` until the end. */
enum replay_fed replay_cursor_feed(struct replay *replay, bool stop, struct step_key target,
                                   size_t records);
void replay_cursor_done(struct replay_cursor *cursor);

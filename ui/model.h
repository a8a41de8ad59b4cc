/* What a screen is made of: the summary, and what the user has done. The views
 * are pure functions of it; keys change it here, without a terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "calc_form.h"
#include "choice.h"
#include "event_order.h"
#include "events.h"
#include "filter.h"
#include "keys.h"
#include "overview.h"
#include "rank_order.h"
#include "summary.h"

enum screen {
    SCREEN_TIMELINE,
    SCREEN_RANKS,   /* all of them in a table; one closer */
    SCREEN_LEDGER,  /* where the GPU time goes */
    SCREEN_EVENTS,  /* what happened */
    SCREEN_HEAT,    /* ranks x steps */
    SCREEN_HISTORY, /* MFU, step time, waits over the whole run */
    SCREEN_CALC,    /* Panels 1.1 and 1.2 */
    SCREEN_HELP,    /* over any of the others, and back to it */
    SCREEN_COUNT
};
#define SCREEN_ROUND SCREEN_HELP /* as many as Tab goes round: those before the help */
const char *
screen_name(enum screen screen); /* "timeline", "ranks", "ledger", "events", "heat map", ... */

enum view_mode {
    MODE_LIVE,
    MODE_REPLAY,
    MODE_DEMO,
    MODE_ENDED, /* the input has come to its end */
    MODE_CALC,  /* no job at all: the calculator alone */
};

#define MODEL_TEXT_BYTES 160

/* A recording (watch --record), as the screen shows it. */
struct recording_info {
    bool on;
    char file[MODEL_TEXT_BYTES]; /* raw */
    uint64_t bytes;              /* written to it */
    uint64_t waiting, dropped;   /* records: not in the file yet, and for which there was no room */
    double late_s;               /* since when some wait; 0: none */
    const char *error;           /* why it can't be written now; NULL: it can; static */
    bool full;                   /* that is for want of room */
};

/* What the sources say about themselves, for the screen; all zero when unknown. */
struct feed_info {
    char source[MODEL_TEXT_BYTES]; /* what is read: "logs/rank*.jsonl", "udp://[::1]:9931"; raw */
    int64_t files;                 /* that are followed just now */
    uint64_t udp_buffer_bytes;     /* receive buffer that the kernel granted; 0: no socket */
    uint64_t udp_buffer_asked;     /* and what was asked for */
    uint64_t frames_skipped;       /* pictures that a slow terminal did not get */
    double speed;                  /* of a replay or a demo; 0: none */
    double last_record_s;          /* Unix time of the last record, by the reader's clock; of one
                                      that was there before, when its file was written to last;
                                      0: not known */
    double written_s;              /* Unix time at which the files were written to last, while no
                                      record has come that was not in them at first; 0: not known */
    int gone;                      /* files that were deleted or moved away while followed */
    double gone_s, gone_for_s;     /* the first of them: at which Unix time, and how long ago */
    char gone_name[MODEL_TEXT_BYTES]; /* its name; raw */
    bool reading;                     /* the end of what was there has not been reached yet */
    double read_share;                /* while reading: how much of it was, 0 to 1; 0: not known */
    struct recording_info recording;
};

/* A replay, as the screen shows it. All zero while there is none. */
#define PLAYBACK_MARKS_MAX 64
struct playback {
    bool on;            /* this is a replay */
    bool playing;       /* else it stands still */
    bool seeking;       /* on its way to another step: what is shown is not there yet */
    bool skip_idle;     /* long pauses of the run are cut short */
    double idle_s;      /* to so many seconds; 0: never */
    double speed;       /* 1 is the records' own pace */
    double indexed;     /* share of the logs that is read, 0 to 1: 1 when all is known */
    double seek;        /* while seeking: how far, 0 to 1; 0: the index has not come so far yet */
    bool days;          /* the run that is known goes past midnight: a time of day is not enough */
    double place;       /* of the shown step in the run that is known, 0 to 1; NAN */
    int64_t first_step; /* of the first attempt; for the marks on the bar, as are the next two */
    int64_t last_step;  /* of the last attempt that is known; below 0: not known */
    int last_attempt;
    int mark_count; /* bookmarks, in order */
    struct {
        int attempt;
        int64_t step;
    } marks[PLAYBACK_MARKS_MAX];
};

/* Of the heat map and the history: which part of the run is seen. */
struct span_view {
    int64_t from, positions; /* positions of the run (overview.h); 0 positions: all of it, and what
                                comes */
    int64_t cursor;          /* position; -1: where the shown step is */
    int rank_scroll;         /* heat: rows above the first */
    int rank_cursor;         /* heat: row of the table of rows; -1: none */
    bool worst;              /* heat: the worst step of a column, else the mean */
    uint8_t blocks;          /* heat: what rows stand for, enum heat_by; 0 as it fits */
    bool slowest_first;      /* heat: rows by slowdown, else by number */
};

/* What is being typed. */
enum entry_kind { ENTRY_FILTER, ENTRY_GO };

struct view_model {
    const struct summary *summary;   /* borrowed; set anew for each picture */
    const struct run_events *events; /* borrowed: of the whole run; NULL: not asked for */
    const struct overview *overview; /* likewise; see screen_wants() */
    struct feed_info feed;
    struct playback playback;
    struct span_view heat, history;
    struct events_view events_view;
    enum view_mode mode;

    enum screen screen;
    enum screen behind; /* the help: what it goes back to */
    int page_scroll;    /* lines above the first one of a page that is no table: ledger, one
                           rank; drawing brings it into range */
    bool paused;        /* the shown step stays */
    bool axis_seconds;  /* else multiples of the median */
    bool axis_cut;      /* begins just below the shortest bar */
    bool phases;        /* in the bars */
    enum choice_mode choice;
    int scroll;       /* ranks above the first row */
    int help_scroll;  /* lines above the first one of the help */
    int64_t selected; /* rank to look at closer, and cursor of the table; -1: none */
    bool rank_line;   /* of the timeline: its figures in place of the keys, until Esc or another
                         screen */
    struct rank_order rank_order; /* rows of the table, and the first of them to be seen */
    bool detail;                  /* of the ranks screen: `selected` closer, not the table */
    enum screen detail_from;      /* where Esc leads to from there */
    char filter[FILTER_BYTES];
    bool entering; /* a filter, or where to go, is being typed */
    enum entry_kind entry_kind;
    char entry[FILTER_BYTES];
    char go[FILTER_BYTES];          /* what was typed, for REQUEST_SEEK */
    char message[MODEL_TEXT_BYTES]; /* until the next key; raw bytes may stand in it */

    struct calc_form calc; /* what the user changed in it; the view fills in the run */

    int rank_rows; /* that the screen, or its table, has; the caller sets it from
                      screen_rank_rows() */
};

/* Axis from 0 in multiples of the median, the ranks that matter, phases off. */
void model_init(struct view_model *model, enum view_mode mode);

/* What the caller shall do, since a model has neither steps nor a terminal. */
enum request_kind {
    REQUEST_NONE, /* nothing but draw */
    REQUEST_QUIT,
    REQUEST_REDRAW, /* the whole screen, from nothing */
    REQUEST_SUSPEND,
    REQUEST_HOLD,    /* pin the step that is shown now */
    REQUEST_MOVE,    /* by `amount` closed steps, and pin it */
    REQUEST_FIND,    /* step number `amount`, and pin it */
    REQUEST_FIRST,   /* the oldest step in memory, and pin it */
    REQUEST_LATEST,  /* follow the newest again; replay: the last step */
    REQUEST_GO,      /* step `amount` of attempt `attempt`, and pin it */
    REQUEST_SEEK,    /* what stands in model->go: a step, a time of day, a percentage; and pin it */
    REQUEST_EVENT,   /* amount 1: the next event after the shown step; -1: the one before */
    REQUEST_PLAY,    /* replay: play, or stand still */
    REQUEST_SPEED,   /* replay: amount 1: twice as fast; -1: half; 0: the records' own pace */
    REQUEST_IDLE,    /* replay: cut long pauses short, or not */
    REQUEST_MARK,    /* sets a bookmark on the shown step, or takes it away */
    REQUEST_TO_MARK, /* amount 1: the next bookmark; -1: the one before */
};

struct view_request {
    enum request_kind kind;
    int64_t amount;
    int attempt;
};

#define MODEL_PAGE_STEPS 10 /* that a page key moves */

/* One key. While a filter is being typed its characters go into the entry. An
 * unknown key does nothing. */
struct view_request model_key(struct view_model *model, struct key_event event);

/* The evidence to show: all that comes from a simulated run is simulated. */
enum evidence model_evidence(const struct view_model *model, enum evidence evidence);

/* "LIVE", "PAUSED", "REPLAY", "DEMO", "ENDED", "CALC". */
const char *model_mode_word(const struct view_model *model);

/* The model, whole: records are pushed in as they arrive, a summary is pulled
 * out when a screen or a report is due. No clock, no file descriptor, no global
 * state: the same records give the same figures, live, replayed or reported. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "events.h"
#include "overview.h"
#include "record.h"
#include "run.h"
#include "summary.h"

struct analysis;

struct analysis_options {
    struct run run;      /* copied */
    size_t memory_bytes; /* budget of the step table; 256 MiB is usual. The last W steps stay,
                            whatever they take */
    bool keep_history;   /* true: steps stay in the table until the budget is full, to look back;
                            false: they leave as soon as nothing can land in them any more */
    int64_t from_step, to_step; /* the span, both included; INT64_MIN / INT64_MAX: all */
    int close_lag;              /* a step closes without a rank that is this many steps behind; 2 */
    double silent_least_s;      /* no rank is missed by the clock before; 0 */
    uint32_t max_ranks;         /* 65,536 is usual */
    bool overview;     /* keeps the course of the whole run for analysis_overview(); false */
    bool figures_only; /* step times and waits, but no verdicts, floor, ledger: what a benchmark
                          compares with; false */
};
void analysis_options_init(struct analysis_options *options); /* the usual ones */

struct analysis *
analysis_new(const struct analysis_options *options); /* never NULL: no memory dies */
void analysis_free(struct analysis *analysis);

enum analysis_answer {
    ANALYSIS_TAKEN,
    ANALYSIS_DUPLICATE,  /* same rank and step again: counted, nothing replaced */
    ANALYSIS_TOO_LATE,   /* its step has left the table: counted */
    ANALYSIS_REFUSED,    /* too many ranks: counted */
    ANALYSIS_IMPOSSIBLE, /* more FLOP/s than the chip's peak: counted, and not used */
};

/* Takes one record (has RANK, STEP and a time). now_ns is the reader's own
 * monotonic clock, used for silence only, never for figures; 0 when there is
 * none. Copies what it needs. */
enum analysis_answer analysis_add(struct analysis *analysis, const struct record *record,
                                  int64_t now_ns);

/* No more records will come: every step that is still open closes. */
void analysis_finish(struct analysis *analysis);

/* Replaces the description of the run (run.json appeared or changed). Window,
 * threshold and barrier choice are taken from it too: figures are made anew
 * from the steps that are still open to change. */
void analysis_set_run(struct analysis *analysis, const struct run *run);

/* Ranks write in bursts: at least so many steps wait for one that is behind, and none is missed
 * before it has been silent for so long, in seconds. Steps that did not wait as long and have
 * closed without a rank are open again, unless they have settled or no more records will come. */
void analysis_wait_longer(struct analysis *analysis, int close_lag, double silent_s);

/* Which step a summary shows. */
struct step_key {
    bool latest; /* the newest closed step; the rest is then ignored */
    int attempt;
    int64_t step;
};

/* Which comes first in the run: below, at or over 0. Of two steps, not of `latest`. */
static inline int step_key_compare(struct step_key a, struct step_key b)
{
    if (a.attempt != b.attempt)
        return a.attempt < b.attempt ? -1 : 1;
    return a.step < b.step ? -1 : a.step > b.step;
}

/* Fills *summary (initialised; its arrays are reused). A step that is no longer
 * in the table is replaced by the nearest that is. now_ns as in analysis_add,
 * INT64_MIN when silence is not asked for. The parts about sources (other,
 * damaged, dropped, bytes, complaints) are the caller's to fill. */
void analysis_summary(struct analysis *analysis, struct step_key key, int64_t now_ns,
                      struct summary *summary);

/* One rank closer, at the step of the key: fills *detail. False when the rank, or
 * the step, is not known. */
bool analysis_rank_detail(struct analysis *analysis, struct step_key key, uint32_t rank,
                          struct rank_detail *detail);

/* Adds what would be won by a rank ("5"), a group or a host (by name) to the what-ifs
 * of the summary that was made last, unless it is there. False when nobody is
 * called so, or the log cannot tell. */
bool analysis_ask(struct analysis *analysis, const char *who, struct summary *summary);

/* The key `delta` closed steps away (negative: back) from `key`, stopping at
 * the ends of the table. `key.latest` comes back true at the newest. */
struct step_key analysis_move(const struct analysis *analysis, struct step_key key, int64_t delta);

/* The nearest closed step to a step number in the newest attempt that has it. */
struct step_key analysis_find(const struct analysis *analysis, int64_t step);

/* True when anything has changed since the last analysis_summary(). */
bool analysis_changed(const struct analysis *analysis);

/* ---- the whole run ---- */

/* Fills *overview (initialised; its arrays are reused) from every step that has
 * closed so far. Empty unless options.overview is set. */
void analysis_overview(struct analysis *analysis, struct overview_request request,
                       struct overview *overview);

/* What has happened so far, whatever step is shown: fills *events (initialised). */
void analysis_events(struct analysis *analysis, struct run_events *events);

/* ---- states to go back to ---- */

/* A model in the very same state, without the overview: fed with the same records
 * from here on, both give the same figures to the bit. `keep_history` and
 * `memory_bytes` are the copy's own. The caller owns it. */
struct analysis *analysis_copy(const struct analysis *analysis, bool keep_history,
                               size_t memory_bytes);

/* Makes a copy smaller that is kept to make further copies of, and is not fed itself: for
 * when the run is known to go on without a restart for ANALYSIS_PACK_STEPS steps from its
 * front on. What is dropped is asked for only by a restart within those steps. */
#define ANALYSIS_PACK_STEPS 16384
void analysis_pack(struct analysis *copy);

/* What a copy of it takes, bytes: about. */
size_t analysis_bytes(const struct analysis *analysis);

/* The newest step such that it and all before it are closed: what `latest` shows.
 * False before there is one. Cheap enough to ask after each record that closed a
 * step. */
bool analysis_front_key(const struct analysis *analysis, struct step_key *ret_key);

/* Counts steps that closed: when it is as before, so is the front. */
uint64_t analysis_closed(const struct analysis *analysis);

/* A closed step, without what it came to. */
struct front_step {
    struct step_key key;
    double begin_s;  /* Unix time: median over its ranks, of many 64 or fewer; NAN */
    double length_s; /* the longest of those ranks; 0: not known */
};

/* The closed step behind *after (NULL: the first in the table). False when it is not
 * closed, or there is none. */
bool analysis_front_next(const struct analysis *analysis, const struct step_key *after,
                         struct front_step *ret_step);

/* The inside of analysis.h, shared by the files that make it up: analysis.c takes
 * records, analysis_settle.c folds steps, analysis_summary.c answers. */
#pragma once

#include <math.h>

#include "analysis.h"
#include "barrier.h"
#include "clocks.h"
#include "course.h"
#include "fold.h"
#include "names.h"
#include "ranks.h"
#include "steps.h"

/* Steps that stay open to late records, at least; more when records are seen to
 * come later than that. */
#define SETTLE_ROWS_MIN 256

/* A row is closed at the latest when so many, and close_lag, stand behind it. */
#define ANALYSIS_CLOSE_ROWS_MAX 16

struct analysis_past;
struct analysis_window;

struct analysis {
    struct analysis_options options;
    struct ranks ranks;
    struct names names;
    struct steps steps;
    struct barrier barrier;   /* room to work in */
    struct step_row *filling; /* borrowed, may be NULL: the newest row, while all that a record
                                 of it that does not make it whole has to do is to be put there */

    int attempts;             /* 0 before the first record */
    uint32_t ranks_in_newest; /* ranks that take part in the newest attempt */
    size_t settled_rows;      /* rows at the front of the table that are settled */
    size_t front_rows;      /* rows at the front of the table that are closed; the next is open, */
    size_t front_beyond;    /* and those between it and this one are closed again */
    size_t latest_behind;   /* how many rows behind the newest a late record has landed */
    struct fold settled;    /* over the settled rows, and those that left the table */
    struct fold current;    /* the same, and over the closed rows behind them */
    bool current_valid;     /* current has all that settled has, and nothing changed under it */
    uint32_t current_names; /* names_version of the ranks when its rows were folded */
    size_t current_rows;    /* rows at the front of the table that are in current */
    struct analysis_window *window; /* owned; of the summary made last */
    struct analysis_past *past;     /* owned; the span as it stood at earlier steps */
    uint64_t dropped_rows;          /* that have left the table */
    uint64_t changes;               /* counts what changed under rows that were folded before */
    struct wait_choice choice;
    size_t choice_rows; /* closed rows it was made from */
    bool choice_final;
    size_t closed_rows;
    struct course *course;     /* owned; NULL without options.overview */
    struct clock_table clocks; /* of `current`, as it was last asked for */

    bool simulated;
    uint64_t records, duplicate, late, too_late, refused, impossible;
    uint64_t job_records;   /* of these, of the whole job; those that were refused, too */
    double peak_flops;      /* of the run's chip; 0: not known */
    int64_t last_record_ns; /* the reader's clock; INT64_MIN: none yet */
    bool finished, changed;
};

/* A number of a summary: in a simulated run nothing is measured, nor computed from
 * what was. NONE when it is not finite. */
static inline struct quantity analysis_number(const struct analysis *analysis, double value,
                                              enum evidence evidence)
{
    if (evidence == EVIDENCE_NONE || !isfinite(value))
        return quantity_none();
    return (struct quantity){value, analysis->simulated ? EVIDENCE_SIMULATED : evidence};
}

/* Something that closed rows were folded by has changed. */
static inline void analysis_upset(struct analysis *analysis)
{
    analysis->current_valid = false;
    analysis->changes++;
}

/* An open row was put in at `index`: the front ends there, if it was before its end. */
static inline void analysis_front_inserted(struct analysis *analysis, size_t index)
{
    if (index < analysis->front_rows) {
        analysis->front_beyond = analysis->front_rows + 1;
        analysis->front_rows = index;
    } else if (index < analysis->front_beyond) {
        analysis->front_beyond = index;
    }
}

/* ---- analysis_job.c: as far as `current` knows ---- */

enum record_scope analysis_scope(const struct analysis *analysis);

/* GPUs of the job: what the user says, else what the log says, else (unless the records are
 * of the whole job: 0, not known) the number of ranks. */
double analysis_gpus(const struct analysis *analysis, bool *ret_assumed, bool *ret_logged);

/* What was done in some time: tokens 0, flops 0, mfu below 0 are not known; the last two as
 * the log gives them. */
struct analysis_work {
    double tokens, seconds, flops, mfu;
};

/* MFU by the first that is known: the model, the logged rate, the logged MFU; NAN. */
double analysis_mfu(const struct analysis_work *work, double model_flop_per_token, double gpus,
                    double peak_flops, enum mfu_origin *ret_origin);

/* The same of a closed row alone, by the run, the GPUs and the peak of the summary; NAN. */
double analysis_mfu_alone(const struct summary *summary, const struct step_row *row,
                          double model_flop_per_token);

void analysis_fill_called(const struct fold_called *called, bool simulated,
                          struct summary_called *summary);

/* Closes the row at `index`. */
void analysis_close(struct analysis *analysis, size_t index);

/* close_lag has grown: of the newest attempt's rows those that lack a rank, and behind which
 * fewer stand now than are to, are open again, unless they have settled. */
void analysis_reopen(struct analysis *analysis);

/* A record has changed the row at `index`, which was closed before. */
void analysis_row_changed(struct analysis *analysis, size_t index);

/* Settles what can no longer change, and keeps the table within its budget. */
void analysis_settle(struct analysis *analysis);

/* The clocks, and who began the row at `index` (SIZE_MAX: none) late, into a summary
 * whose ranks are filled. */
void analysis_clocks(struct analysis *analysis, size_t index, struct summary *summary);

/* Brings `current` up to the newest closed row. */
void analysis_refresh(struct analysis *analysis);

/* Puts a record that is not a repetition where it belongs. */
enum analysis_answer analysis_place(struct analysis *analysis, uint32_t slot,
                                    const struct record *record);

/* The run went on where it was, or has ended: what stepped back in between was repeated, or late.
 */
void analysis_settle_suspects(struct analysis *analysis, uint32_t slot);

/* Whether the time stamps of a whole job's values are of no use: most of them deny that the step
 * took so long, as of a log that was copied through a logger later on. */
bool analysis_stamps_are_wrong(struct rank_info *info, const struct record *record);

/* A record of a step behind the last of its rank, which has suspects. */
enum analysis_answer analysis_add_behind_suspects(struct analysis *analysis, uint32_t slot,
                                                  const struct record *record);

/* Takes a record of a step that its rank has reported, or that is before its last. */
enum analysis_answer analysis_add_backward(struct analysis *analysis, uint32_t slot,
                                           const struct record *record);

/* Takes the record of a rank where the cell holds one of the whole job, or the other way
 * round: both stay, the job's beside the cells. */
enum analysis_answer analysis_join_job(struct analysis *analysis, size_t index, uint32_t slot,
                                       const struct record *record);

/* The attempt, not before `low`, that is nearest to the record in time. */
int analysis_attempt_of(const struct analysis *analysis, const struct record *record, int low);

/* Steps folded, one after the other and in order, into what holds over a span:
 * averages, medians, rolling windows, verdicts. Two folds are kept by analysis.c:
 * one over the steps that can no longer change, and a copy of it that also has
 * the steps that still can. */
#pragma once

#include "barrier.h"
#include "clocks.h"
#include "history.h"
#include "ledger.h"
#include "peers.h"
#include "ranks.h"
#include "rolling.h"
#include "run.h"
#include "steps.h"
#include "straggler.h"
#include "summary.h"

#define FOLD_EVENTS_MAX 4096
#define FOLD_MISSING_MAX 1024 /* of them that are missing ranks */
#define FOLD_MISSING_ROWS 2   /* without a record of a rank: it is missing */
#define FOLD_MISSING_PARTS 20 /* likewise of parts of steps, of which not all are written */
#define FOLD_SPIKE_FACTOR 1.5 /* x the rolling median of the step time */
#define FOLD_SPIKE_STEPS_MIN 10
#define FOLD_GAP_FACTOR 5.0  /* x the rolling median of the step time, that nobody computed */
#define FOLD_SPIKE_PARTS 100 /* so many parts of steps are seen before one of them is a spike */
#define FOLD_WARM_UP 3       /* first steps of an attempt: they compile, and are no spikes */

struct fold_rank {
    int64_t steps;
    int64_t wait_steps;
    double wait_sum_ns;
    int64_t last_count;         /* steps in which it arrived last */
    struct quantile slowdown;   /* against all ranks */
    struct straggler straggler; /* against its peers */
    int32_t event;              /* index of its verdict in force; -1: none */
    uint32_t covers;            /* verdicts in force on it, its group or its host */
};

/* A group or host (struct peers_unit of the same index), judged as a whole. */
struct fold_unit {
    struct straggler straggler;
    int32_t event;
};

/* A verdict, past or in force. */
struct fold_event {
    enum verdict_kind kind; /* STRAGGLER, GROUP (hosts too), SPIKE, RESTART, MISSING, GAP */
    uint32_t who;           /* slot, or unit; UINT32_MAX: nobody */
    bool of_host;           /* MISSING: `who` is a unit, all ranks of a host */
    uint32_t away;          /* MISSING: ranks of it that are not back */
    int attempt;
    int phase;               /* to blame; -1 */
    double slowdown;         /* while it is past; in force it is asked of `since` */
    double sure;             /* standard errors; likewise */
    double lost_ns, time_ns; /* that it cost, of the time of its steps */
    double own_time_ns;      /* of a spike: its time; of a restart: how long the job was down; of a
                                gap: how long it lasted; NAN: not known */
    bool computed;           /* own_time_ns is worked out from a rate, or from a time that is */
    int64_t repeated_steps;  /* of a gap: steps that are not there */
    double begin_ns, end_ns; /* Unix time at which from_step and to_step began; NAN: not known */
    int end_attempt;         /* of to_step */
    int64_t from_step, named_step, to_step;                            /* -1: not yet */
    uint32_t from_ordinal, named_ordinal, to_ordinal, cleared_ordinal; /* UINT32_MAX: not yet */
};

/* The steps behind each other that have no record of a rank. */
struct fold_absence {
    uint32_t rows;    /* how many; 0: it is there */
    int32_t event;    /* its verdict; -1: none yet; -2: there was no room for it */
    uint32_t ordinal; /* of the first */
    int attempt;
    int64_t step;
};

/* The last row that the job has reached, and not only a stray record. */
struct fold_job {
    int attempt; /* -1: none yet */
    int64_t step;
    uint32_t ordinal, reported;
    uint32_t strays; /* rows behind it, of which nothing is concluded */
    int64_t usual;   /* steps from one row to the next; 0: not known yet */
    int64_t stride;  /* the last ones, */
    int strides;     /* and how often it has been the same */
};

/* Whether it was in force when the step `ordinal` had just been folded. */
static inline bool fold_event_in_force(const struct fold_event *event, uint32_t ordinal)
{
    return event->named_ordinal <= ordinal && event->cleared_ordinal > ordinal;
}

/* One step of the rolling window. */
struct fold_window_step {
    double time_ns, tokens, wait_ns, rank_time_ns, covered;
    double flops, mfu; /* as in struct step_job, mfu as a share; not in a sum */
};

/* Step times of one kind of evidence. */
struct fold_times {
    int64_t count;   /* values, */
    int64_t covered; /* of so many steps: the sums are over these */
    double sum_ns, min_ns, max_ns;
    double wait_ns, rank_time_ns; /* waits, and GPU time, of those that have waits */
    struct quantile quantile;
};

/* Steps that the log calls checkpoints, or validations. */
struct fold_called {
    int64_t count;
    int64_t judged;   /* of them, against the rolling median of the step time */
    double beyond_ns; /* it, all together */
    int64_t paused;   /* of them, whose time since the value before is known: */
    double pause_ns;  /* that, all together */
    int64_t first[SUMMARY_CALLED_STEPS];
};

struct fold {
    int window; /* W */
    bool figures_only;
    struct straggler_test test; /* window at least STRAGGLER_STEPS_MIN */
    uint32_t z_ranks;           /* that test.z is for */
    int64_t from_step, to_step; /* the span */

    uint32_t rank_count, rank_capacity; /* slots */
    struct fold_rank *ranks;            /* by slot, owned */
    float *samples; /* slots x test.window, row-major, by ordinal % window: slowdown against all
                       ranks; NAN: none; owned */
    float *peer_samples; /* the same against the peers; NULL while these are all ranks */
    struct peers peers;
    struct fold_unit *units; /* by unit of peers, owned */
    float *unit_samples;     /* units x test.window, owned */
    uint32_t unit_count, unit_capacity;
    double spread;           /* of the ranks' slowdowns, see straggler.h */
    uint32_t spread_ordinal; /* when that was worked out; UINT32_MAX: never */
    double *slowdowns;       /* [rank_capacity] room to work in: against the peers */
    struct barrier lookback; /* room to work out earlier steps again */

    uint32_t ordinal;       /* steps folded: the number of the next one */
    int64_t *ordinal_steps; /* step by ordinal % STRAGGLER_WINDOW_MAX, owned */
    int64_t complete, incomplete, first_step, last_step; /* -1 */
    int64_t covered;                                     /* steps that those values are of */
    int64_t first_covered;                               /* the first of them; -1 */
    struct fold_called called[CALLED_COUNT];
    bool of_job, of_ranks; /* rows, in the span or not, of the whole job; of ranks */
    int64_t gpus;          /* as the log gives it last; 0 */
    struct fold_times measured, computed;
    double wait_sum_ns; /* over ranks and steps */
    int64_t wait_count;
    double exchange_sum_ns;
    int64_t exchange_count;
    int64_t rule_steps[WAIT_OVERLAPPED + 1]; /* steps by wait rule */

    struct fold_window_step *ring; /* W long, owned */
    int ring_count, ring_next;
    int ring_rates; /* steps in it whose rate is logged */
    /* The rates in two parts, since what was added to a sum of products cannot be taken away
     * exactly: of the places before ring_next, and by place of it and those behind it. */
    struct job_rates ring_newer, *ring_older; /* owned; W long, valid once the ring is full */
    struct fold_window_step ring_sum;
    struct rolling times;    /* step times of the last W steps, of FOLD_SPIKE_STEPS_MIN at least */
    int64_t longest_part_ns; /* of the attempt's records that are parts of steps, warm-up apart */
    struct history history;  /* the ledger's sums; lost work, restarts */
    double down_ns;          /* before the attempt began, in the span or not; NAN: not known */
    int attempt;             /* of the row that was folded last; -1 */
    uint32_t attempt_steps;  /* folded of it */

    struct clocks clocks;

    struct fold_job job;
    struct fold_absence *absences; /* by slot, owned */
    uint32_t absent;               /* ranks that are not in the job's last row */
    uint32_t missing_events;       /* of the events */
    uint64_t missing_dropped;

    struct fold_event *events; /* FOLD_EVENTS_MAX at most, owned */
    uint32_t event_count, event_capacity;
    uint64_t events_dropped;
    uint32_t last_cleared; /* ordinal at which one ended last; 0: none */
    uint32_t *active;      /* indices of the events in force on ranks, groups and hosts, owned */
    uint32_t in_force;     /* of them */
};

void fold_init(struct fold *fold, const struct run *run, int64_t from_step, int64_t to_step);
void fold_done(struct fold *fold);
void fold_copy(struct fold *to, const struct fold *from); /* `to` is replaced */
size_t fold_bytes(const struct fold *fold);               /* what a copy takes, about */

/* Folds the row at `index` of the table and fills its digest. Rows must come in
 * order; the rows before it (W of them for blame, one for step times) should
 * still be there. `barrier` is room to work in; it holds that step afterwards. */
void fold_row(struct fold *fold, const struct steps *steps, size_t index, const struct ranks *ranks,
              struct wait_choice choice, struct barrier *barrier);

/* The row of the step before the one at `index`; NULL when it is not there. */
const struct step_row *fold_row_before(const struct steps *steps, size_t index);

/* So many rows like this one without a record of a rank, and it is missing. */
static inline uint32_t fold_missing_rows(const struct step_row *row)
{
    return row->has_any & RECORD_PART ? FOLD_MISSING_PARTS : FOLD_MISSING_ROWS;
}

/* ---- fold_blame.c ---- */

/* The phase whose excess over the median of all ranks was largest in the rows
 * `first` to `last` of the table, summed over `count` slots; -1 when there are no
 * phases, or what is most is in a `compute` whose phases are not told. With an overlapped
 * exchange the backward pass tells nothing. */
int fold_blame(const struct steps *steps, size_t first, size_t last, const uint32_t *slots,
               uint32_t count, uint32_t ranks, struct wait_choice choice);

/* The phase whose median over ranks has grown most from one row to another; -1. */
int fold_blame_all(const struct step_row *row, const struct step_row *before, uint32_t ranks);

/* ---- the parts of fold_row(), for fold*.c only ---- */

/* What they all need of the row that is being folded. */
struct fold_step {
    const struct steps *steps;
    size_t index;
    const struct step_row *row;
    struct wait_choice choice;
    const struct barrier *barrier;
};

/* fold_judge.c: slowdowns of ranks, groups and hosts; who is named and who no
 * longer. */
void fold_judge(struct fold *fold, const struct fold_step *step);

/* fold_events.c. NULL: no room. */
struct fold_event *fold_event_new(struct fold *fold, enum verdict_kind kind, uint32_t who,
                                  const struct step_row *row);
void fold_open(struct fold *fold, const struct fold_step *step, enum verdict_kind kind,
               uint32_t who);
void fold_close(struct fold *fold, const struct fold_step *step, enum verdict_kind kind,
                uint32_t who);
double fold_down_ns(const struct step_row *row, const struct step_row *before);
void fold_restart(struct fold *fold, const struct fold_step *step);
void fold_spike(struct fold *fold, const struct fold_step *step);
/* Of all steps of the row that holds a checkpoint or a validation, the time in no phase.
 * Where nothing is known of what the ranks did themselves: beyond the rolling median. */
double fold_unnamed_ns(struct fold *fold, const struct step_row *row,
                       const struct step_digest *digest);
/* Counts them, and what they took beyond the rolling median. Before it moves on. */
void fold_called(struct fold *fold, const struct step_row *row, const struct step_digest *digest);
void fold_recover(struct fold *fold); /* counts `covers` anew */

/* The slots that an event is about: *ret_count of them. `one` is room for one. */
const uint32_t *fold_event_slots(const struct fold *fold, const struct fold_event *event,
                                 uint32_t *one, uint32_t *ret_count);

/* Takes out the event of that index, which is past. */
void fold_event_remove(struct fold *fold, uint32_t index);
/* The event is over, its last step was the one of that place. */
void fold_event_end(struct fold *fold, struct fold_event *event, const struct fold_step *step,
                    uint32_t to_ordinal, int64_t to_step);

/* fold_missing.c: one row of the job more: who is not in it, and who is back. */
bool fold_is_stray(const struct fold *fold, const struct step_row *row);
void fold_missing(struct fold *fold, const struct fold_step *step);

/* fold_window.c: one value more of the span's, whose step time is known, in the rolling window;
 * and what the window comes to, as the digest holds it. */
void fold_window(struct fold *fold, const struct step_row *row, const struct step_digest *digest);
void fold_window_put(const struct fold *fold, struct step_digest *digest);

/* fold_gap.c: steps that are not in the log before this one, or time in which the job
 * stood still: from the release of the step before to the begin of this one, beyond the
 * optimizer, though no checkpoint or validation is said. True when it stood still: the
 * step is then no spike as well. */
bool fold_gap(struct fold *fold, const struct fold_step *step);

/* step_digest.between_ns of the row at `index`. */
double fold_between_ns(const struct fold *fold, const struct steps *steps, size_t index,
                       bool one_stamp);

/* Whether so many rows are not in the log before this one that those that are do not say how long a
 * step takes here; before fold->job is told of it. */
bool fold_is_far(const struct fold *fold, const struct step_row *row);

/* fold_loss.c: what the verdicts in force cost in this step, added to them; and
 * what one has cost in the steps since it began. Nanoseconds of the step. */
double fold_loss(struct fold *fold, const struct fold_step *step);
void fold_loss_before(struct fold *fold, const struct fold_step *step, struct fold_event *event);

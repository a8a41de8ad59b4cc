/* Steps folded, one after the other and in order, into what holds over a span:
 * averages, medians, rolling windows, verdicts. Two folds are kept by analysis.c:
 * one over the steps that can no longer change, and a copy of it that also has
 * the steps that still can. */
#pragma once

#include "barrier.h"
#include "ranks.h"
#include "run.h"
#include "steps.h"
#include "straggler.h"

#define FOLD_EVENTS_MAX 4096

struct fold_rank {
    int64_t steps;
    int64_t wait_steps;
    double wait_sum_ns;
    int64_t last_count; /* steps in which it arrived last */
    struct quantile slowdown;
    struct straggler straggler;
    int32_t event; /* index of its verdict in force; -1: none */
};

/* A straggler verdict, past or in force. */
struct fold_event {
    uint32_t slot;
    int attempt;
    int phase;       /* to blame; -1 */
    double slowdown; /* while it is past; in force it is asked of `since` */
    int64_t from_step, named_step, to_step, cleared_step; /* -1: not yet */
    uint32_t named_ordinal, cleared_ordinal;              /* UINT32_MAX: not yet */
};

/* One step of the rolling window. */
struct fold_window_step {
    double time_ns, tokens, wait_ns, rank_time_ns;
};

/* Step times of one kind of evidence. */
struct fold_times {
    int64_t count;
    double sum_ns, max_ns;
    double wait_ns, rank_time_ns; /* waits, and GPU time, of those that have waits */
    struct quantile quantile;
};

struct fold {
    int window;                /* W */
    uint32_t straggler_window; /* at least STRAGGLER_STEPS_MIN */
    double threshold;
    int64_t from_step, to_step; /* the span */

    uint32_t rank_count, rank_capacity; /* slots */
    struct fold_rank *ranks;            /* by slot, owned */
    struct slow_sample *samples;        /* slots x straggler_window, row-major, owned */

    uint32_t ordinal;       /* steps folded: the number of the next one */
    int64_t *ordinal_steps; /* step by ordinal % STRAGGLER_WINDOW_MAX, owned */
    int64_t complete, incomplete, first_step, last_step; /* -1 */
    struct fold_times measured, computed;
    double wait_sum_ns; /* over ranks and steps */
    int64_t wait_count;
    double exchange_sum_ns;
    int64_t exchange_count;
    int64_t rule_steps[WAIT_OVERLAPPED + 1]; /* steps by wait rule */

    struct fold_window_step *ring; /* W long, owned */
    int ring_count, ring_next;
    struct fold_window_step ring_sum;

    struct fold_event *events; /* FOLD_EVENTS_MAX at most, owned */
    uint32_t event_count, event_capacity;
    uint64_t events_dropped;
};

void fold_init(struct fold *fold, const struct run *run, int64_t from_step, int64_t to_step);
void fold_done(struct fold *fold);
void fold_copy(struct fold *to, const struct fold *from); /* `to` is replaced */

/* Folds the row at `index` of the table and fills its digest. Rows must come in
 * order; the rows before it (W of them for blame, one for step times) should
 * still be there. `barrier` is room to work in; it holds that step afterwards. */
void fold_row(struct fold *fold, const struct steps *steps, size_t index, const struct ranks *ranks,
              struct wait_choice choice, struct barrier *barrier);

/* The row of the step before the one at `index`; NULL when it is not there. */
const struct step_row *fold_row_before(const struct steps *steps, size_t index);

/* The phase whose excess over the median of all ranks was largest in the rows
 * `first` to `last` of the table; -1 when there are no phases. With an overlapped
 * exchange the backward pass tells nothing. */
int fold_blame(const struct steps *steps, size_t first, size_t last, uint32_t slot, uint32_t ranks,
               struct wait_choice choice);

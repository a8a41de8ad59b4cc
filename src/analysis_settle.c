/* When steps close, when they can no longer change, and when they leave. All of
 * it is decided by the records alone, so that live and report agree. */
#include "analysis_past.h"
#include "analysis_table.h"

#include <assert.h>

#include "rules.h"

/* The row behind the front has closed. */
static void move_front(struct analysis *analysis)
{
    const struct steps *steps = &analysis->steps;
    if (analysis->front_rows < analysis->front_beyond)
        analysis->front_rows = analysis->front_beyond - 1;
    do
        analysis->front_rows++;
    while (analysis->front_rows < steps->count && steps_at(steps, analysis->front_rows)->closed);
    analysis->front_beyond = analysis->front_rows;
}

void analysis_close(struct analysis *analysis, size_t index)
{
    struct step_row *row = steps_at(&analysis->steps, index);
    if (row->closed)
        return;
    row->closed = true;
    row->expected = row->reported == analysis->ranks.count || step_row_of_job(row)
                        ? row->reported
                        : ranks_expected(&analysis->ranks, row->attempt, row->step,
                                         steps_stride(&analysis->steps, index));
    analysis->closed_rows++;
    analysis->changed = true;
    if (index == analysis->front_rows)
        move_front(analysis);
}

void analysis_reopen(struct analysis *analysis)
{
    size_t count = analysis->steps.count, closed = analysis->closed_rows;
    size_t lag = (size_t)(analysis->options.close_lag > 1 ? analysis->options.close_lag - 1 : 1);
    size_t first = count > lag ? count - lag : 0;
    for (size_t i = count; i-- > first && i >= analysis->settled_rows;) {
        struct step_row *row = steps_at(&analysis->steps, i);
        if (!row->closed || row->attempt != analysis->attempts - 1 ||
            row->reported >= analysis->ranks_in_newest)
            continue;
        row->closed = false;
        analysis->closed_rows--;
        if (i < analysis->front_rows)
            analysis->front_rows = i;
    }
    if (analysis->closed_rows == closed)
        return;
    analysis->front_beyond = analysis->front_rows;
    analysis->filling = NULL;
    analysis->choice_rows = SIZE_MAX;
    analysis->changed = true;
    analysis_upset(analysis);
}

void analysis_row_changed(struct analysis *analysis, size_t index)
{
    analysis->changed = true;
    analysis->choice_rows = SIZE_MAX;
    analysis->changes++;
    if (index < analysis->current_rows)
        analysis->current_valid = false;
}

bool analysis_front_key(const struct analysis *analysis, struct step_key *ret_key)
{
    if (analysis->front_rows == 0)
        return false;
    const struct step_row *row = steps_at(&analysis->steps, analysis->front_rows - 1);
    *ret_key = (struct step_key){.attempt = row->attempt, .step = row->step};
    return true;
}

/* The choice among the rules for waits, made anew while the first steps come in;
 * what was folded with another choice is folded again. */
static void choose(struct analysis *analysis)
{
    if (analysis->choice_final || analysis->choice_rows == analysis->closed_rows)
        return;
    struct wait_choice choice =
        rules_survey(&analysis->steps, analysis->ranks.count, analysis->options.run.barrier);
    if (choice.overlapped != analysis->choice.overlapped ||
        choice.one_stamp != analysis->choice.one_stamp ||
        choice.clocks_agree != analysis->choice.clocks_agree)
        analysis_upset(analysis);
    analysis->choice = choice;
    analysis->choice_rows = analysis->closed_rows;
}

/* How many of the newest rows must stay open to change. */
static size_t rows_kept_open(const struct analysis *analysis)
{
    size_t twice = analysis->latest_behind * 2;
    return twice > SETTLE_ROWS_MIN ? twice : SETTLE_ROWS_MIN;
}

static void settle_one(struct analysis *analysis)
{
    choose(analysis);
    analysis->choice_final = true;
    size_t index = analysis->settled_rows;
    struct step_row *row = steps_at(&analysis->steps, index);
    analysis_close(analysis, index);
    fold_row(&analysis->settled, &analysis->steps, index, &analysis->ranks, analysis->choice,
             &analysis->barrier);
    row->settled = true;
    analysis->settled_rows++;
    analysis_past_settled(analysis);
    if (analysis->course && row->step >= analysis->options.from_step &&
        row->step <= analysis->options.to_step)
        course_add(analysis->course, row);
    if (analysis->current_rows < analysis->settled_rows)
        analysis->current_valid = false;
}

/* Whether a verdict that was found in rows which are still open to change has looked
 * back at the oldest row, and will not when they are folded again. */
static bool oldest_is_looked_at(const struct analysis *analysis)
{
    const struct fold *fold = &analysis->current;
    uint32_t ordinal = steps_at(&analysis->steps, 0)->digest.ordinal;
    for (uint32_t k = fold->event_count; k-- > 0;) {
        const struct fold_event *event = &fold->events[k];
        if (event->named_ordinal < analysis->settled.ordinal)
            break;
        if (event->from_ordinal <= ordinal + 1) /* 1: its optimizer belongs to the next row */
            return true;
    }
    if (fold->last_cleared < analysis->settled.ordinal)
        return false;
    for (uint32_t k = 0; k < fold->event_count; k++) { /* when its last step began */
        const struct fold_event *event = &fold->events[k];
        if (event->cleared_ordinal != UINT32_MAX &&
            event->cleared_ordinal >= analysis->settled.ordinal && event->to_ordinal <= ordinal)
            return true;
    }
    return false;
}

static void drop_one(struct analysis *analysis)
{
    if (analysis->current_valid && oldest_is_looked_at(analysis))
        analysis->current_valid = false;
    steps_drop_oldest(&analysis->steps);
    analysis->front_rows--; /* it had settled, so it was closed */
    analysis->front_beyond -= analysis->front_beyond > 0;
    analysis->settled_rows--;
    analysis->dropped_rows++;
    analysis_past_dropped(analysis);
    if (analysis->current_rows > 0)
        analysis->current_rows--;
}

/* Settled rows that later ones still look back to: for the phase to blame, and one that is
 * about to leave. */
static size_t rows_looked_back(const struct analysis *analysis)
{
    return (size_t)analysis->settled.test.window + 2;
}

#define ROWS_MIN 3 /* two that fill, and the one before them: else no step time is measured */

/* Rows leave when the budget is full, but never those that the figures of the newest steps
 * are made from: with very many ranks they are more than the budget. Those behind them have
 * settled by then, as many as are looked back to, but never more than half of the table. */
static void keep_budget(struct analysis *analysis)
{
    struct steps *steps = &analysis->steps;
    size_t least = rows_looked_back(analysis) + ROWS_MIN;
    while (steps->bytes > analysis->options.memory_bytes && steps->count > least) {
        size_t half = steps->count / 2, wanted = rows_looked_back(analysis);
        while (analysis->settled_rows < (half < wanted ? half : wanted))
            settle_one(analysis);
        drop_one(analysis);
    }
}

void analysis_settle(struct analysis *analysis)
{
    struct steps *steps = &analysis->steps;
    /* One rank alone may be the first of several files, one behind the other. */
    if (analysis->ranks.count > 1) {
        size_t open = rows_kept_open(analysis);
        while (steps->count - analysis->settled_rows > open &&
               steps_at(steps, analysis->settled_rows)->closed)
            settle_one(analysis);
        while (!analysis->options.keep_history &&
               analysis->settled_rows > rows_looked_back(analysis))
            drop_one(analysis);
    }
    keep_budget(analysis);
}

void analysis_refresh(struct analysis *analysis)
{
    choose(analysis);
    if (!analysis->current_valid || analysis->current_names != analysis->ranks.names_version) {
        fold_copy(&analysis->current, &analysis->settled);
        analysis->current_rows = analysis->settled_rows;
        analysis->current_names = analysis->ranks.names_version;
        analysis->current_valid = true;
    }
    struct steps *steps = &analysis->steps;
    while (analysis->current_rows < steps->count &&
           steps_at(steps, analysis->current_rows)->closed) {
        fold_row(&analysis->current, steps, analysis->current_rows, &analysis->ranks,
                 analysis->choice, &analysis->barrier);
        analysis->current_rows++;
    }
}

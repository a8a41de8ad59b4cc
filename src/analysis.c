/* Records into the table: duplicates, late ones, restarts, ranks that join. */
#include "analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_table.h"
#include "memory.h"

void analysis_options_init(struct analysis_options *options)
{
    *options = (struct analysis_options){
        .memory_bytes = (size_t)256 << 20,
        .keep_history = true,
        .from_step = INT64_MIN,
        .to_step = INT64_MAX,
        .close_lag = 2,
        .max_ranks = 65536,
    };
    run_init(&options->run);
}

struct analysis *analysis_new(const struct analysis_options *options)
{
    struct analysis *analysis = memory_zeroed(1, sizeof(*analysis));
    analysis->options = *options;
    analysis->simulated = options->run.simulated;
    analysis->last_record_ns = INT64_MIN;
    ranks_init(&analysis->ranks, options->max_ranks);
    names_init(&analysis->names);
    steps_init(&analysis->steps);
    barrier_init(&analysis->barrier);
    fold_init(&analysis->settled, &options->run, options->from_step, options->to_step);
    return analysis;
}

void analysis_free(struct analysis *analysis)
{
    if (!analysis)
        return;
    fold_done(&analysis->settled);
    fold_done(&analysis->current);
    barrier_done(&analysis->barrier);
    steps_done(&analysis->steps);
    names_done(&analysis->names);
    ranks_done(&analysis->ranks);
    free(analysis);
}

/* ---- a record's cell ---- */

#define CELL_BITS (RECORD_ANY_TIME | RECORD_BEGIN | RECORD_TOKENS)

static void fill_cell(struct step_cell *cell, const struct record *record)
{
    uint32_t has = record->has;
    cell->begin_ns = record->begin_ns;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        cell->phase_ns[phase] = has & (1u << phase) ? record->phase_ns[phase] : 0;
    cell->step_time_ns = record->step_time_ns;
    cell->tokens = record->tokens;
    cell->work_ns = -1;
    cell->mark_ns = INT64_MIN;
    if (has & RECORD_COMPUTE) /* own time in one number: data is in it */
        cell->work_ns = record->compute_ns;
    else if (has & (RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD))
        cell->work_ns = cell->phase_ns[PHASE_DATA] + cell->phase_ns[PHASE_FORWARD] +
                        cell->phase_ns[PHASE_BACKWARD];
    if (!(has & RECORD_BEGIN))
        return;
    if (cell->work_ns >= 0)
        cell->mark_ns = record->begin_ns + cell->work_ns + cell->phase_ns[PHASE_SYNC];
    else if (has & RECORD_STEP_TIME)
        cell->mark_ns = record->begin_ns + record->step_time_ns;
}

/* Whether the record says again what the cell already holds. */
static bool cell_equals(const struct step_cell *cell, uint32_t has, const struct record *record)
{
    if ((has & CELL_BITS) != (record->has & CELL_BITS))
        return false;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if ((has & (1u << phase)) && cell->phase_ns[phase] != record->phase_ns[phase])
            return false;
    return (!(has & RECORD_COMPUTE) || cell->work_ns == record->compute_ns) &&
           (!(has & RECORD_STEP_TIME) || cell->step_time_ns == record->step_time_ns) &&
           (!(has & RECORD_BEGIN) || cell->begin_ns == record->begin_ns);
}

/* ---- closing ---- */

/* Closes what the row at `index`, which has just got a record, lets close: itself
 * when every rank has reported it; the row close_lag - 1 before it when all that
 * reported that one have gone on to this one. The first row of an attempt waits
 * for the second: nobody knows yet how many ranks there are. */
static void close_around(struct analysis *analysis, size_t index)
{
    struct steps *steps = &analysis->steps;
    struct step_row *row = steps_at(steps, index);
    size_t lag = (size_t)(analysis->options.close_lag > 1 ? analysis->options.close_lag - 1 : 1);
    bool first = index == 0 || steps_at(steps, index - 1)->attempt != row->attempt;
    bool newest = row->attempt == analysis->attempts - 1;
    if (!row->closed && (!first || (index == 0 && analysis->settled_rows > 0)) && newest &&
        row->reported >= analysis->ranks_in_newest)
        analysis_close(analysis, index);
    if (index >= lag) {
        const struct step_row *old = steps_at(steps, index - lag);
        if (!old->closed &&
            (old->attempt != row->attempt ? row->reported >= analysis->ranks_in_newest
                                          : row->reported >= old->reported))
            for (size_t i = index - lag + 1; i-- > 0 && !steps_at(steps, i)->closed;)
                analysis_close(analysis, i);
    }
    if (!row->closed && index + lag < steps->count) {
        const struct step_row *later = steps_at(steps, index + lag);
        if (later->attempt != row->attempt || later->reported >= row->reported)
            analysis_close(analysis, index);
    }
}

/* ---- placing ---- */

static void note_names(struct analysis *analysis, struct rank_info *info,
                       const struct record *record)
{
    if ((record->has & RECORD_HOST) &&
        !str_is(record->host, names_get(&analysis->names, info->host)))
        info->host = names_intern(&analysis->names, record->host);
    if ((record->has & RECORD_GROUP) &&
        !str_is(record->group, names_get(&analysis->names, info->group)))
        info->group = names_intern(&analysis->names, record->group);
}

/* The row of the rank's attempt and the step, made when there is none; SIZE_MAX
 * when it would stand before all that can still change. */
static size_t row_for(struct analysis *analysis, int attempt, int64_t step)
{
    struct steps *steps = &analysis->steps;
    size_t index = steps_find(steps, attempt, step);
    if (index != SIZE_MAX)
        return index;
    index = steps->count > 0 && row_compare(steps_at(steps, steps->count - 1), attempt, step) < 0
                ? steps->count
                : steps_lower(steps, attempt, step);
    if (index < analysis->settled_rows ||
        (index == 0 && analysis->settled.ordinal + analysis->settled_rows > 0))
        return SIZE_MAX;
    steps_insert(steps, index, attempt, step);
    if (index < analysis->current_rows)
        analysis->current_valid = false;
    return index;
}

static void note_late(struct analysis *analysis, size_t index)
{
    size_t behind = analysis->steps.count - 1 - index;
    analysis->late++;
    if (behind > analysis->latest_behind)
        analysis->latest_behind = behind;
    if (steps_at(&analysis->steps, index)->settled)
        analysis->too_late++;
    analysis_row_changed(analysis, index);
}

/* Puts a record that is not a repetition where it belongs. */
static enum analysis_answer place(struct analysis *analysis, uint32_t slot,
                                  const struct record *record)
{
    struct rank_info *info = &analysis->ranks.info[slot];
    size_t index = row_for(analysis, info->now.attempt, record->step);
    if (index == SIZE_MAX) {
        analysis->late++;
        analysis->too_late++;
        return ANALYSIS_TOO_LATE;
    }
    struct step_row *row = steps_at(&analysis->steps, index);
    if (slot >= row->capacity)
        steps_reach_slot(&analysis->steps, row, slot);
    if (row->closed)
        note_late(analysis, index);
    fill_cell(&row->cells[slot], record);
    row->has[slot] = record->has;
    row->reported++;
    if (record->step > info->now.last_step)
        info->now.last_step = record->step;
    if (record->step < info->now.first_step)
        info->now.first_step = record->step;
    close_around(analysis, index);
    if (analysis->steps.bytes > analysis->options.memory_bytes ||
        analysis->steps.count - analysis->settled_rows > SETTLE_ROWS_MIN)
        analysis_settle(analysis);
    return ANALYSIS_TAKEN;
}

/* ---- step numbers that go back ---- */

/* The rank begins a new attempt: it goes on from a checkpoint. */
static void begin_attempt(struct analysis *analysis, struct rank_info *info)
{
    info->before = info->now;
    info->now = (struct rank_span){info->now.attempt + 1, INT64_MAX, -1};
    if (info->now.attempt == analysis->attempts) {
        analysis->attempts++;
        analysis->ranks_in_newest = 0;
    }
    if (info->now.attempt == analysis->attempts - 1)
        analysis->ranks_in_newest++;
}

static bool begins_after_last(struct analysis *analysis, const struct rank_info *info,
                              uint32_t slot, const struct record *record)
{
    size_t index = steps_find(&analysis->steps, info->now.attempt, info->now.last_step);
    if (index == SIZE_MAX || !(record->has & RECORD_BEGIN))
        return false;
    const struct step_row *row = steps_at(&analysis->steps, index);
    return slot < row->capacity && (row->has[slot] & RECORD_BEGIN) &&
           record->begin_ns > row->cells[slot].begin_ns;
}

/* Keeps a record whose step went back, until the next one of its rank says
 * whether the run goes on from there. Its slices are not needed: names are noted. */
static void suspect(struct rank_info *info, const struct record *record)
{
    if (!info->suspect)
        info->suspect = memory_zeroed(1, sizeof(*info->suspect));
    *info->suspect = *record;
    info->suspect->host = info->suspect->group = str_of(NULL, 0);
}

static enum analysis_answer restart(struct analysis *analysis, uint32_t slot,
                                    const struct record *record)
{
    begin_attempt(analysis, &analysis->ranks.info[slot]);
    return place(analysis, slot, record);
}

/* A record of a step that this rank has reported, or that is before its last. */
static enum analysis_answer add_backward(struct analysis *analysis, uint32_t slot,
                                         const struct record *record)
{
    struct rank_info *info = &analysis->ranks.info[slot];
    size_t index = steps_find(&analysis->steps, info->now.attempt, record->step);
    const struct step_row *row = index != SIZE_MAX ? steps_at(&analysis->steps, index) : NULL;
    bool filled = row && slot < row->capacity && row->has[slot];
    bool gone = !row && record->step >= info->now.first_step &&
                (analysis->steps.count == 0 ||
                 row_compare(steps_at(&analysis->steps, 0), info->now.attempt, record->step) > 0);
    if (!filled && !gone)
        return place(analysis, slot, record);
    if (filled && cell_equals(&row->cells[slot], row->has[slot], record)) {
        analysis->duplicate++;
        return ANALYSIS_DUPLICATE;
    }
    if (begins_after_last(analysis, info, slot, record))
        return restart(analysis, slot, record);
    if (info->suspect && record->step == info->suspect->step + 1) {
        struct record first = *info->suspect;
        free(info->suspect);
        info->suspect = NULL;
        analysis->duplicate--;
        restart(analysis, slot, &first);
        return place(analysis, slot, record);
    }
    suspect(info, record);
    analysis->duplicate++;
    return ANALYSIS_DUPLICATE;
}

enum analysis_answer analysis_add(struct analysis *analysis, const struct record *record,
                                  int64_t now_ns)
{
    assert((record->has & RECORD_RANK) && (record->has & RECORD_STEP));
    uint32_t slot = ranks_slot(&analysis->ranks, record->rank);
    if (slot == RANK_SLOT_NONE) {
        if (analysis->attempts == 0)
            analysis->attempts = 1;
        slot = ranks_add(&analysis->ranks, record->rank, analysis->attempts - 1);
        if (slot == RANK_SLOT_NONE) {
            analysis->refused++;
            return ANALYSIS_REFUSED;
        }
        analysis->ranks_in_newest++;
    }
    struct rank_info *info = &analysis->ranks.info[slot];
    analysis->records++;
    analysis->last_record_ns = info->last_seen_ns = now_ns;
    analysis->changed = true;
    if (record->has & RECORD_SIMULATED)
        analysis->simulated = true;
    if (record->has & (RECORD_HOST | RECORD_GROUP))
        note_names(analysis, info, record);
    if (record->step <= info->now.last_step)
        return add_backward(analysis, slot, record);
    if (info->suspect) { /* the run went on where it was: that was a repeated line */
        free(info->suspect);
        info->suspect = NULL;
    }
    return place(analysis, slot, record);
}

void analysis_finish(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->steps.count; i++)
        analysis_close(analysis, i);
    analysis->finished = true;
    analysis->changed = true;
}

void analysis_set_run(struct analysis *analysis, const struct run *run)
{
    analysis->options.run = *run;
    analysis->simulated |= run->simulated;
    analysis->choice_final = false;
    analysis->choice_rows = SIZE_MAX;
    analysis->current_valid = false;
    analysis->changed = true;
    /* What has settled was folded by the old window and threshold. Rows that are
     * still in the table are folded again; only figures of steps that have left it
     * are lost, and those are few when a run is described at its beginning. */
    fold_done(&analysis->settled);
    fold_init(&analysis->settled, run, analysis->options.from_step, analysis->options.to_step);
    for (size_t i = 0; i < analysis->settled_rows; i++)
        steps_at(&analysis->steps, i)->settled = false;
    analysis->settled_rows = 0;
}

bool analysis_changed(const struct analysis *analysis)
{
    return analysis->changed;
}

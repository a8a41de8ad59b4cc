/* Records into the table: duplicates, late ones, restarts, ranks that join. */
#include "analysis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_past.h"
#include "analysis_table.h"
#include "analysis_window.h"
#include "memory.h"
#include "mfu.h"

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
    analysis->peak_flops = run_peak_flops(&options->run);
    analysis->last_record_ns = INT64_MIN;
    ranks_init(&analysis->ranks, options->max_ranks);
    names_init(&analysis->names);
    steps_init(&analysis->steps);
    barrier_init(&analysis->barrier);
    analysis->window = memory_zeroed(1, sizeof(*analysis->window));
    analysis_past_init(analysis);
    if (options->overview)
        analysis->course = memory_zeroed(1, sizeof(*analysis->course));
    fold_init(&analysis->settled, &options->run, options->from_step, options->to_step);
    analysis->settled.figures_only = options->figures_only;
    return analysis;
}

void analysis_free(struct analysis *analysis)
{
    if (!analysis)
        return;
    fold_done(&analysis->settled);
    fold_done(&analysis->current);
    barrier_done(&analysis->barrier);
    clock_table_done(&analysis->clocks);
    analysis_window_done(analysis->window);
    free(analysis->window);
    analysis_past_done(analysis->past);
    free(analysis->past);
    if (analysis->course)
        course_done(analysis->course);
    free(analysis->course);
    steps_done(&analysis->steps);
    names_done(&analysis->names);
    ranks_done(&analysis->ranks);
    free(analysis);
}

/* ---- a record's cell ---- */

static inline void fill_cell(struct step_cell *cell, const struct record *record)
{
    uint32_t has = record->has;
    cell->begin_ns = record->begin_ns;
    if ((has & RECORD_ANY_PHASE) == RECORD_ANY_PHASE)
        memcpy(cell->phase_ns, record->phase_ns, sizeof(cell->phase_ns));
    else
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

/* ---- closing ---- */

/* Whether as many ranks as reported the row at `index` have gone on to `later`, and
 * so many that it is the job that went on, not a stray record or one file that is
 * ahead of the others. */
static bool job_went_on(const struct steps *steps, size_t index, const struct step_row *later)
{
    const struct step_row *before = index > 0 ? steps_at(steps, index - 1) : NULL;
    return later->reported >= steps_at(steps, index)->reported &&
           (!before || later->reported >= before->reported / 2);
}

static void close_down_from(struct analysis *analysis, size_t index)
{
    for (size_t i = index + 1; i-- > 0 && !steps_at(&analysis->steps, i)->closed;)
        analysis_close(analysis, i);
}

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
                                          : job_went_on(steps, index - lag, row)))
            close_down_from(analysis, index - lag);
    }
    while (analysis->front_rows + lag + ANALYSIS_CLOSE_ROWS_MAX <= index)
        analysis_close(analysis, analysis->front_rows); /* one that was made late, it may be */
    if (!row->closed && index + lag < steps->count) {
        const struct step_row *later = steps_at(steps, index + lag);
        if (later->attempt != row->attempt || job_went_on(steps, index, later))
            analysis_close(analysis, index);
    }
}

/* ---- placing ---- */

/* Nearly always the name is the one that is known: so it is looked at first. */
static inline void note_name(struct analysis *analysis, uint32_t *id, struct str name)
{
    const char *known = names_get(&analysis->names, *id);
    if (name.len > 0 && name.len < NAME_BYTES && memcmp(known, name.p, name.len) == 0 &&
        known[name.len] == '\0')
        return;
    uint32_t now = names_intern(&analysis->names, name);
    analysis->ranks.names_version += now != *id;
    *id = now;
}

static void note_names(struct analysis *analysis, struct rank_info *info,
                       const struct record *record)
{
    if (record->has & RECORD_HOST)
        note_name(analysis, &info->host, record->host);
    if (record->has & RECORD_GROUP)
        note_name(analysis, &info->group, record->group);
}

/* The pipeline stage by the sizes of the run, for a rank whose records name no
 * group. */
static void note_stage(struct analysis *analysis, struct rank_info *info)
{
    char name[NAME_BYTES];
    int stage = run_stage_of(&analysis->options.run, info->rank);
    if (stage < 0 || analysis->options.run.pp < 2)
        return;
    snprintf(name, sizeof(name), "pp%d", stage);
    note_name(analysis, &info->group, str_from(name));
}

/* The row of the rank's attempt and the step, made when there is none; SIZE_MAX
 * when it would stand before all that can still change. */
static size_t row_for(struct analysis *analysis, int attempt, int64_t step)
{
    struct steps *steps = &analysis->steps;
    size_t index = steps->count;
    if (index > 0 && row_compare(steps_at(steps, index - 1), attempt, step) >= 0) {
        index = steps_find(steps, attempt, step);
        if (index != SIZE_MAX)
            return index;
        index = steps_lower(steps, attempt, step);
    }
    if (index < analysis->settled_rows ||
        (index == 0 && analysis->settled.ordinal + analysis->settled_rows > 0))
        return SIZE_MAX;
    steps_insert(steps, index, attempt, step);
    analysis_front_inserted(analysis, index);
    if (index + 1 < steps->count)
        analysis_row_changed(analysis, index);
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

/* A rank that had left the job is there again: it is not missed in between. */
static void note_return(struct analysis *analysis, struct rank_info *info, size_t index,
                        int64_t step)
{
    const struct step_row *before = index > 0 ? steps_at(&analysis->steps, index - 1) : NULL;
    if (before && row_compare(before, info->now.attempt, info->now.last_step) == 0)
        return;               /* there is no row in between */
    analysis_upset(analysis); /* who was expected in the steps between */
    if (rank_is_expected(info, info->now.attempt, step, steps_stride(&analysis->steps, index)))
        return;
    info->now.first_step = step;
}

/* Of one that is a mean over several steps the cell's mark is at their end. */
static __attribute__((noinline)) void put_job(struct step_row *row, uint32_t slot,
                                              const struct record *record)
{
    struct step_cell *cell = &row->cells[slot];
    step_job_take(&row->job, record);
    if ((record->has & RECORD_SPAN) && cell->mark_ns != INT64_MIN)
        cell->mark_ns =
            step_job_end_ns(cell->begin_ns, record->span, cell->mark_ns - cell->begin_ns);
}

static inline void put(struct step_row *row, uint32_t slot, const struct record *record)
{
    fill_cell(&row->cells[slot], record);
    if (record->has & RECORD_ANY_JOB)
        put_job(row, slot, record);
    row->has[slot] = record->has;
    row->has_all &= record->has;
    row->has_any |= record->has;
    row->reported++;
}

/* What all, and some, of the records say, after one of them was replaced. */
static void count_bits(struct step_row *row)
{
    row->has_all = UINT32_MAX;
    row->has_any = 0;
    for (uint32_t i = 0; i < row->capacity; i++) {
        row->has_all &= row->has[i] ? row->has[i] : UINT32_MAX;
        row->has_any |= row->has[i];
    }
}

enum analysis_answer analysis_join_job(struct analysis *analysis, size_t index, uint32_t slot,
                                       const struct record *record)
{
    struct step_row *row = steps_at(&analysis->steps, index);
    if (row->settled) {
        analysis->late++;
        analysis->too_late++;
        return ANALYSIS_TOO_LATE;
    }
    if (row->closed)
        analysis_row_changed(analysis, index);
    if (record->has & RECORD_JOB) {
        step_job_take(&row->job, record);
        return ANALYSIS_TAKEN;
    }
    fill_cell(&row->cells[slot], record);
    row->has[slot] = record->has;
    count_bits(row);
    if (record->has & RECORD_ANY_JOB)
        put_job(row, slot, record);
    return ANALYSIS_TAKEN;
}

static void note_filling(struct analysis *analysis)
{
    const struct steps *steps = &analysis->steps;
    size_t lag = (size_t)(analysis->options.close_lag > 1 ? analysis->options.close_lag - 1 : 1);
    analysis->filling = NULL;
    if (steps->count <= lag || !steps_at(steps, steps->count - 1 - lag)->closed)
        return;
    struct step_row *newest = steps_at(steps, steps->count - 1);
    if (!newest->closed && newest->attempt == analysis->attempts - 1)
        analysis->filling = newest;
}

enum analysis_answer analysis_place(struct analysis *analysis, uint32_t slot,
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
    put(row, slot, record);
    if (record->step > info->now.last_step) {
        if (info->now.last_step >= 0 && record->step - info->now.last_step > RANK_LEFT_AFTER)
            note_return(analysis, info, index, record->step);
        info->now.last_step = record->step;
    }
    if (record->step < info->now.first_step) {
        info->now.first_step = record->step;
        analysis_upset(analysis); /* it is expected since then */
    }
    close_around(analysis, index);
    if (analysis->steps.bytes > analysis->options.memory_bytes ||
        analysis->steps.count - analysis->settled_rows > SETTLE_ROWS_MIN)
        analysis_settle(analysis);
    note_filling(analysis);
    return ANALYSIS_TAKEN;
}

/* Nearly all records: one more for the row that is being filled. */
static inline bool place_quickly(struct analysis *analysis, struct rank_info *info, uint32_t slot,
                                 const struct record *record)
{
    struct step_row *row = analysis->filling;
    if (!row || row->step != record->step || row->attempt != info->now.attempt ||
        row->reported + 1 >= analysis->ranks_in_newest || slot >= row->capacity ||
        info->now.last_step < 0 || record->step - info->now.last_step > RANK_LEFT_AFTER)
        return false;
    put(row, slot, record);
    info->now.last_step = record->step;
    return true;
}

/* The slot of a rank that was not there before; RANK_SLOT_NONE: one too many. */
static uint32_t join(struct analysis *analysis, const struct record *record)
{
    if (analysis->attempts == 0)
        analysis->attempts = 1;
    int attempt = analysis->attempts > 1 ? analysis_attempt_of(analysis, record, 0) : 0;
    uint32_t slot = ranks_add(&analysis->ranks, record->rank, attempt);
    if (slot == RANK_SLOT_NONE) {
        analysis->refused++;
        return RANK_SLOT_NONE;
    }
    if (!(record->has & RECORD_GROUP))
        note_stage(analysis, &analysis->ranks.info[slot]);
    analysis->ranks_in_newest += attempt == analysis->attempts - 1;
    analysis_upset(analysis);
    analysis->choice_rows = SIZE_MAX;
    return slot;
}

/* Where work is only handed to the device, a step seems to take no time at all. Counts. */
static __attribute__((noinline)) bool is_impossible(struct analysis *analysis,
                                                    const struct record *record)
{
    bool impossible = (record->has & RECORD_FLOPS) && analysis->peak_flops > 0 &&
                      (double)record->flops > analysis->peak_flops;
    analysis->impossible += impossible;
    analysis->changed |= impossible;
    analysis->job_records += !impossible && (record->has & RECORD_JOB);
    return impossible;
}

enum analysis_answer analysis_add(struct analysis *analysis, const struct record *record,
                                  int64_t now_ns)
{
    assert((record->has & RECORD_RANK) && (record->has & RECORD_STEP));
    if (__builtin_expect((record->has & RECORD_ANY_JOB) != 0, 0) && is_impossible(analysis, record))
        return ANALYSIS_IMPOSSIBLE;
    uint32_t slot = ranks_slot(&analysis->ranks, record->rank);
    if (slot == RANK_SLOT_NONE) {
        slot = join(analysis, record);
        if (slot == RANK_SLOT_NONE)
            return ANALYSIS_REFUSED;
    }
    struct rank_info *info = &analysis->ranks.info[slot];
    struct record unstamped;
    if (__builtin_expect((record->has & RECORD_JOB) != 0, 0) &&
        analysis_stamps_are_wrong(info, record)) {
        unstamped = *record;
        unstamped.has &= ~(uint32_t)RECORD_BEGIN;
        record = &unstamped;
    }
    analysis->records++;
    analysis->last_record_ns = info->last_seen_ns = now_ns;
    analysis->changed = true;
    if (record->has & RECORD_SIMULATED)
        analysis->simulated = true;
    if (record->has & (RECORD_HOST | RECORD_GROUP))
        note_names(analysis, info, record);
    if (record->step <= info->now.last_step)
        return analysis_add_backward(analysis, slot, record);
    if (info->suspects)
        return analysis_add_behind_suspects(analysis, slot, record);
    if (place_quickly(analysis, info, slot, record))
        return ANALYSIS_TAKEN;
    return analysis_place(analysis, slot, record);
}

void analysis_finish(struct analysis *analysis)
{
    for (uint32_t slot = 0; slot < analysis->ranks.count; slot++)
        if (analysis->ranks.info[slot].suspects)
            analysis_settle_suspects(analysis, slot);
    analysis->filling = NULL;
    for (size_t i = 0; i < analysis->steps.count; i++)
        analysis_close(analysis, i);
    analysis->finished = true;
    analysis->changed = true;
}

void analysis_wait_longer(struct analysis *analysis, int close_lag, double silent_s)
{
    if (close_lag > analysis->options.close_lag) {
        analysis->options.close_lag = close_lag;
        if (!analysis->finished)
            analysis_reopen(analysis);
    }
    if (silent_s > analysis->options.silent_least_s)
        analysis->options.silent_least_s = silent_s;
}

void analysis_set_run(struct analysis *analysis, const struct run *run)
{
    analysis->options.run = *run;
    analysis->peak_flops = run_peak_flops(run);
    analysis->simulated |= run->simulated;
    analysis->choice_final = false;
    analysis->choice_rows = SIZE_MAX;
    analysis_upset(analysis);
    analysis->changed = true;
    for (uint32_t i = 0; i < analysis->ranks.count; i++)
        if (analysis->ranks.info[i].group == 0)
            note_stage(analysis, &analysis->ranks.info[i]);
    /* What has settled was folded by the old window and threshold. Rows that are
     * still in the table are folded again; only figures of steps that have left it
     * are lost, and those are few when a run is described at its beginning. */
    fold_done(&analysis->settled);
    fold_init(&analysis->settled, run, analysis->options.from_step, analysis->options.to_step);
    analysis->settled.figures_only = analysis->options.figures_only;
    for (size_t i = 0; i < analysis->settled_rows; i++)
        steps_at(&analysis->steps, i)->settled = false;
    analysis->settled_rows = 0;
    analysis_past_restart(analysis);
    if (analysis->course)
        course_done(analysis->course);
}

bool analysis_changed(const struct analysis *analysis)
{
    return analysis->changed;
}

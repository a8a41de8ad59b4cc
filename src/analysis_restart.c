/* Step numbers that go back: a line that stands twice, or a run that goes on from
 * a checkpoint. */
#include <stdlib.h>
#include <string.h>

#include "analysis_table.h"
#include "memory.h"

#define CELL_BITS (RECORD_ANY_TIME | RECORD_BEGIN | RECORD_TOKENS)

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

static int64_t row_begin_ns(const struct step_row *row)
{
    for (uint32_t i = 0; i < row->capacity; i++)
        if (row->has[i] & RECORD_BEGIN)
            return row->cells[i].begin_ns;
    return INT64_MIN;
}

/* How far the record is in time from the row of an attempt beside its step, made
 * a number in which less is nearer; INT64_MAX when it cannot be said. */
static int64_t distance_ns(const struct analysis *analysis, int attempt,
                           const struct record *record)
{
    const struct steps *steps = &analysis->steps;
    size_t index = steps_lower(steps, attempt, record->step);
    if (index == steps->count || steps_at(steps, index)->attempt != attempt)
        index--; /* the row before it, when that is of this attempt: SIZE_MAX otherwise */
    if (index >= steps->count || steps_at(steps, index)->attempt != attempt)
        return INT64_MAX;
    int64_t begin = row_begin_ns(steps_at(steps, index));
    if (begin == INT64_MIN || !(record->has & RECORD_BEGIN))
        return INT64_MAX;
    return begin < record->begin_ns ? record->begin_ns - begin : begin - record->begin_ns;
}

/* Which of the attempts `low` and up a record belongs to that is the first of its
 * rank there: the nearest in time; without times the newest that holds the step. */
int analysis_attempt_of(const struct analysis *analysis, const struct record *record, int low)
{
    int best = -1, newest = low;
    int64_t nearest = INT64_MAX;
    for (int attempt = low; attempt < analysis->attempts; attempt++) {
        const struct steps *steps = &analysis->steps;
        size_t first = steps_lower(steps, attempt, 0);
        int64_t distance = distance_ns(analysis, attempt, record);
        if (distance < nearest) {
            nearest = distance;
            best = attempt;
        }
        if (first < steps->count && steps_at(steps, first)->attempt == attempt &&
            steps_at(steps, first)->step <= record->step)
            newest = attempt;
    }
    return best >= 0 ? best : newest;
}

/* The rank begins a new attempt: it goes on from a checkpoint. */
static void begin_attempt(struct analysis *analysis, struct rank_info *info,
                          const struct record *record)
{
    int attempt = info->now.attempt + 1;
    if (attempt + 1 < analysis->attempts && (record->has & RECORD_BEGIN))
        attempt = analysis_attempt_of(analysis, record, attempt);
    info->before = info->now;
    info->now = (struct rank_span){attempt, INT64_MAX, -1};
    analysis_upset(analysis); /* who was expected in the attempts before */
    if (info->now.attempt == analysis->attempts) {
        analysis->attempts++;
        analysis->ranks_in_newest = 0;
    }
    if (info->now.attempt == analysis->attempts - 1)
        analysis->ranks_in_newest++;
}

/* Whether the record begins after the step of `row` had ended on the same rank. */
static bool begins_after(const struct step_row *row, uint32_t slot, const struct record *record)
{
    const struct step_cell *cell = &row->cells[slot];
    return (row->has[slot] & RECORD_BEGIN) && record->begin_ns > cell->begin_ns &&
           record->begin_ns >= cell->mark_ns;
}

static bool begins_after_last(struct analysis *analysis, const struct rank_info *info,
                              uint32_t slot, const struct record *record)
{
    size_t index = steps_find(&analysis->steps, info->now.attempt, info->now.last_step);
    if (index == SIZE_MAX || !(record->has & RECORD_BEGIN))
        return false;
    const struct step_row *row = steps_at(&analysis->steps, index);
    return slot < row->capacity && begins_after(row, slot, record);
}

/* Whether a record of a step that has no row, or none of its rank, is of a new
 * attempt: it begins after several later steps of its rank had ended. One alone may
 * be a stray step number. */
static bool begins_after_later(struct analysis *analysis, const struct rank_info *info,
                               uint32_t slot, const struct record *record)
{
    const struct steps *steps = &analysis->steps;
    int later = 0;
    if (!(record->has & RECORD_BEGIN))
        return false;
    size_t first = steps_lower(steps, info->now.attempt, record->step);
    for (size_t i = first; i < steps->count && i < first + 64 && later < 3; i++) {
        const struct step_row *row = steps_at(steps, i);
        if (row->attempt != info->now.attempt)
            break;
        if (slot >= row->capacity || !(row->has[slot] & RECORD_BEGIN))
            continue;
        if (!begins_after(row, slot, record))
            return false;
        later++;
    }
    return later == 3;
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
    begin_attempt(analysis, &analysis->ranks.info[slot], record);
    return analysis_place(analysis, slot, record);
}

/* A record of a step that this rank has reported, or that is before its last. */
enum analysis_answer analysis_add_backward(struct analysis *analysis, uint32_t slot,
                                           const struct record *record)
{
    struct rank_info *info = &analysis->ranks.info[slot];
    size_t index = steps_find(&analysis->steps, info->now.attempt, record->step);
    const struct step_row *row = index != SIZE_MAX ? steps_at(&analysis->steps, index) : NULL;
    bool filled = row && slot < row->capacity && row->has[slot];
    if (filled && ((row->has[slot] ^ record->has) & RECORD_JOB) &&
        (row->job.time_ns == 0 || !(record->has & RECORD_JOB)) &&
        !begins_after_last(analysis, info, slot, record))
        return analysis_join_job(analysis, index, slot, record);
    bool gone = !row && record->step >= info->now.first_step &&
                (analysis->steps.count == 0 ||
                 row_compare(steps_at(&analysis->steps, 0), info->now.attempt, record->step) > 0);
    if (!filled && !gone)
        return begins_after_later(analysis, info, slot, record)
                   ? restart(analysis, slot, record)
                   : analysis_place(analysis, slot, record);
    if (filled && cell_equals(&row->cells[slot], row->has[slot], record)) {
        analysis->duplicate++;
        return ANALYSIS_DUPLICATE;
    }
    if (begins_after_last(analysis, info, slot, record))
        return restart(analysis, slot, record);
    if (filled && (row->has[slot] & record->has & RECORD_BEGIN) &&
        !begins_after(row, slot, record)) {
        analysis->duplicate++; /* another account of the same time, not the step done again */
        return ANALYSIS_DUPLICATE;
    }
    if (info->suspect && record->step > info->suspect->step) {
        struct record first = *info->suspect;
        free(info->suspect);
        info->suspect = NULL;
        analysis->duplicate--;
        restart(analysis, slot, &first);
        return analysis_place(analysis, slot, record);
    }
    suspect(info, record);
    analysis->duplicate++;
    return ANALYSIS_DUPLICATE;
}

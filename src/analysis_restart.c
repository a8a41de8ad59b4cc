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
    uint32_t bits = CELL_BITS;
    if (record->has & RECORD_JOB) /* stamps may have been found to be wrong since */
        bits &= ~(uint32_t)RECORD_BEGIN | (has & record->has);
    if ((has & bits) != (record->has & bits))
        return false;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if ((has & (1u << phase)) && cell->phase_ns[phase] != record->phase_ns[phase])
            return false;
    return (!(has & RECORD_COMPUTE) || cell->work_ns == record->compute_ns) &&
           (!(has & RECORD_STEP_TIME) || cell->step_time_ns == record->step_time_ns) &&
           (!(has & bits & RECORD_BEGIN) || cell->begin_ns == record->begin_ns);
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

/* The row in which the last record of the rank is; NULL: it has left the table. */
static const struct step_row *last_row(struct analysis *analysis, uint32_t slot)
{
    const struct rank_info *info = &analysis->ranks.info[slot];
    size_t index = steps_find(&analysis->steps, info->now.attempt, info->now.last_step);
    const struct step_row *row = index != SIZE_MAX ? steps_at(&analysis->steps, index) : NULL;
    return row && slot < row->capacity ? row : NULL;
}

static bool begins_after_last(struct analysis *analysis, uint32_t slot, const struct record *record)
{
    const struct step_row *row = last_row(analysis, slot);
    return row && (record->has & RECORD_BEGIN) && begins_after(row, slot, record);
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

static enum analysis_answer restart(struct analysis *analysis, uint32_t slot,
                                    const struct record *record)
{
    begin_attempt(analysis, &analysis->ranks.info[slot], record);
    return analysis_place(analysis, slot, record);
}

static enum analysis_answer repeated(struct analysis *analysis)
{
    analysis->duplicate++;
    return ANALYSIS_DUPLICATE;
}

/* ---- a whole job's values ---- */

/* When the last value ended; INT64_MIN: the values have no times. */
static int64_t last_end_ns(struct analysis *analysis, uint32_t slot, const struct record *record)
{
    const struct step_row *row = last_row(analysis, slot);
    if (!row || !(row->has[slot] & record->has & RECORD_JOB) ||
        (row->has[slot] & record->has & (RECORD_BEGIN | RECORD_STEP_TIME)) !=
            (RECORD_BEGIN | RECORD_STEP_TIME))
        return INT64_MIN;
    return row->cells[slot].mark_ns;
}

#define STAMPS_WRONG_MIN 4 /* and so many times as often as right ones: */
#define STAMPS_WRONG_TIMES 3

bool analysis_stamps_are_wrong(struct rank_info *info, const struct record *record)
{
    const uint32_t needed = RECORD_JOB | RECORD_BEGIN | RECORD_STEP_TIME;
    int64_t span = record->has & RECORD_SPAN ? record->span : 1;
    if ((record->has & needed) != needed)
        return false;
    int64_t end_ns = step_job_end_ns(record->begin_ns, span, record->step_time_ns);
    if (record->step > info->now.last_step && end_ns != INT64_MIN) {
        int64_t whole_ns = end_ns - record->begin_ns, before_ns = info->stamped_end_ns;
        if (before_ns != INT64_MIN && before_ns > record->begin_ns + whole_ns / 2)
            info->stamps_wrong++;
        else
            info->stamps_right++;
        info->stamped_end_ns = end_ns;
    }
    return info->stamps_wrong >= STAMPS_WRONG_MIN &&
           info->stamps_wrong / STAMPS_WRONG_TIMES >= info->stamps_right;
}

/* Two accounts of the same steps end together, a step that is done again ends later than the
 * last. When a value began says less: of how many steps the first one of an attempt is a mean is
 * often not known. */
static bool ends_after(const struct record *record, int64_t last_end_ns)
{
    int64_t span = record->has & RECORD_SPAN ? record->span : 1;
    int64_t end_ns = step_job_end_ns(record->begin_ns, span, record->step_time_ns);
    return end_ns != INT64_MIN && end_ns > last_end_ns &&
           end_ns - last_end_ns >= record->step_time_ns / 2;
}

/* ---- without times ---- */

#define SUSPECTS_MAX 32

static bool is_filled(struct analysis *analysis, uint32_t slot, int64_t step)
{
    int attempt = analysis->ranks.info[slot].now.attempt;
    size_t index = steps_find(&analysis->steps, attempt, step);
    const struct step_row *row = index != SIZE_MAX ? steps_at(&analysis->steps, index) : NULL;
    return row && slot < row->capacity && row->has[slot];
}

/* The caller's to free. */
static struct record *take_suspects(struct rank_info *info, uint32_t *ret_count)
{
    struct record *records = info->suspects;
    *ret_count = info->suspect_count;
    info->suspects = NULL;
    info->suspect_count = info->suspects_differing = info->suspects_ahead = 0;
    return records;
}

static void drop_suspects(struct analysis *analysis, uint32_t slot)
{
    uint32_t count;
    struct rank_info *info = &analysis->ranks.info[slot];
    uint32_t ahead = info->suspects_ahead;
    struct record *records = take_suspects(info, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool behind = i + ahead >= count;
        if (!behind &&
            (!(records[i].has & RECORD_JOB) || is_filled(analysis, slot, records[i].step)))
            continue;
        analysis->duplicate -= !behind;
        analysis_place(analysis, slot, &records[i]);
    }
    free(records);
}

/* They say something else of their steps: these are done again, and all since the first. Where a
 * step stands there more than once, each time another attempt has begun with it. */
static enum analysis_answer restart_from_suspects(struct analysis *analysis, uint32_t slot)
{
    uint32_t count;
    struct rank_info *info = &analysis->ranks.info[slot];
    analysis->duplicate -= info->suspect_count - info->suspects_ahead;
    struct record *records = take_suspects(info, &count);
    enum analysis_answer answer = ANALYSIS_TAKEN;
    const uint64_t late = analysis->late;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || records[i].step == records[i - 1].step)
            begin_attempt(analysis, info, &records[i]);
        answer = analysis_place(analysis, slot, &records[i]);
    }
    analysis->late = late; /* they came in time, and were kept here */
    free(records);
    return answer;
}

void analysis_settle_suspects(struct analysis *analysis, uint32_t slot)
{
    if (analysis->ranks.info[slot].suspects_ahead > 0)
        restart_from_suspects(analysis, slot);
    else
        drop_suspects(analysis, slot);
}

/* Its slices are not needed: names are noted. */
static void keep_suspect(struct rank_info *info, const struct record *record)
{
    info->suspects =
        memory_resized(info->suspects, info->suspect_count + 1, sizeof(*info->suspects));
    struct record *kept = &info->suspects[info->suspect_count++];
    *kept = *record;
    kept->host = kept->group = str_of(NULL, 0);
}

/* Keeps a record whose step went back, until those behind it say whether the run goes on from
 * there. */
static enum analysis_answer suspect(struct analysis *analysis, uint32_t slot,
                                    const struct record *record, bool differs)
{
    struct rank_info *info = &analysis->ranks.info[slot];
    const struct record *last = info->suspects ? &info->suspects[info->suspect_count - 1] : NULL;
    bool stays = last && record->step == last->step && !info->written_twice;
    if (stays && differs && info->suspects_differing == 0)
        info->suspect_count--; /* what stood there was as before: it is the same line again */
    else if (stays && (!differs || last->step_time_ns == record->step_time_ns))
        return repeated(analysis);
    else if (last &&
             (info->suspect_count == SUSPECTS_MAX || (!stays && record->step <= last->step)))
        drop_suspects(analysis, slot);
    keep_suspect(info, record);
    info->suspects_differing += differs && (!stays || info->suspects_differing == 0);
    analysis->duplicate++;
    return info->suspects_differing < 2 ? ANALYSIS_DUPLICATE
                                        : restart_from_suspects(analysis, slot);
}

/* Steps from one of the rank's values to the next, as the last two of its attempt had it; 1: not
 * known. */
static int64_t last_stride(struct analysis *analysis, const struct rank_info *info)
{
    struct steps *steps = &analysis->steps;
    size_t index = steps_find(steps, info->now.attempt, info->now.last_step);
    if (index == SIZE_MAX || index == 0)
        return 1;
    const struct step_row *before = steps_at(steps, index - 1);
    return before->attempt == info->now.attempt ? info->now.last_step - before->step : 1;
}

/* From the step that was given another value the log goes on as if it was given once. */
static bool goes_on(struct analysis *analysis, const struct rank_info *info,
                    const struct record *record)
{
    const struct record *last = &info->suspects[info->suspect_count - 1];
    int64_t span = record->has & RECORD_SPAN ? record->span : 1;
    int64_t stride = last_stride(analysis, info);
    return info->suspects_differing > 0 && !info->written_twice &&
           (record->has & (RECORD_JOB | RECORD_BEGIN)) == RECORD_JOB &&
           last->step >= info->now.last_step && record->step > last->step &&
           record->step - last->step <= (span > stride ? span : stride) &&
           info->suspect_count < SUSPECTS_MAX;
}

#define AHEAD_ENOUGH 2 /* steps that stand there once, behind one that stands there twice */

/* A number that stays, with another value: the job goes on from the checkpoint of the step before,
 * or several write the log. These give the next step more than once, too. */
enum analysis_answer analysis_add_behind_suspects(struct analysis *analysis, uint32_t slot,
                                                  const struct record *record)
{
    struct rank_info *info = &analysis->ranks.info[slot];
    if (goes_on(analysis, info, record)) {
        keep_suspect(info, record);
        if (++info->suspects_ahead == AHEAD_ENOUGH)
            return restart_from_suspects(analysis, slot);
        return ANALYSIS_TAKEN;
    }
    const struct record *last = &info->suspects[info->suspect_count - 1];
    bool again = record->step <= last->step;
    info->written_twice |= again && record->step_time_ns != last->step_time_ns;
    if (again)
        drop_suspects(analysis, slot);
    else
        analysis_settle_suspects(analysis, slot);
    return record->step <= info->now.last_step ? analysis_add_backward(analysis, slot, record)
                                               : analysis_place(analysis, slot, record);
}

/* At the very begin, before it shows which of several loggers gives the records (log_lead.h): other
 * times of the step that is the only one so far are not that step done again. */
static bool is_other_account(const struct rank_info *info, uint32_t has,
                             const struct record *record)
{
    return info->now.attempt == 0 && info->now.first_step == info->now.last_step &&
           (has & RECORD_ANY_TIME) != (record->has & RECORD_ANY_TIME);
}

/* Whether the value of a later step is a mean over this one, too: of a run that is done again the
 * values may end at other steps. */
static bool is_within_later(const struct analysis *analysis, const struct rank_info *info,
                            uint32_t slot, int64_t step)
{
    const struct steps *steps = &analysis->steps;
    size_t index = steps_lower(steps, info->now.attempt, step);
    const struct step_row *row = index < steps->count ? steps_at(steps, index) : NULL;
    return row && row->attempt == info->now.attempt && row->step > step && slot < row->capacity &&
           row->has[slot] && row->step - step < row->job.span;
}

/* A record of a step that this rank has reported, or that is before its last. */
enum analysis_answer analysis_add_backward(struct analysis *analysis, uint32_t slot,
                                           const struct record *record)
{
    struct rank_info *info = &analysis->ranks.info[slot];
    if (info->suspects_ahead > 0)
        analysis_settle_suspects(analysis, slot);
    size_t index = steps_find(&analysis->steps, info->now.attempt, record->step);
    const struct step_row *row = index != SIZE_MAX ? steps_at(&analysis->steps, index) : NULL;
    bool filled = row && slot < row->capacity && row->has[slot];
    if (filled && ((row->has[slot] ^ record->has) & RECORD_JOB) &&
        (row->job.time_ns == 0 || !(record->has & RECORD_JOB)) &&
        !begins_after_last(analysis, slot, record))
        return analysis_join_job(analysis, index, slot, record);
    bool gone = !row && record->step >= info->now.first_step &&
                (analysis->steps.count == 0 ||
                 row_compare(steps_at(&analysis->steps, 0), info->now.attempt, record->step) > 0);
    bool equal = filled && cell_equals(&row->cells[slot], row->has[slot], record);
    int64_t end_ns = last_end_ns(analysis, slot, record);
    if (end_ns != INT64_MIN && ends_after(record, end_ns))
        return restart(analysis, slot, record);
    if (end_ns != INT64_MIN)
        return filled ? repeated(analysis) : analysis_place(analysis, slot, record);
    if ((record->has & (RECORD_JOB | RECORD_BEGIN)) == RECORD_JOB)
        return suspect(analysis, slot, record,
                       filled ? !equal
                              : gone || is_within_later(analysis, info, slot, record->step));
    if (!filled && !gone)
        return begins_after_later(analysis, info, slot, record)
                   ? restart(analysis, slot, record)
                   : analysis_place(analysis, slot, record);
    if (equal || (filled && is_other_account(info, row->has[slot], record)))
        return repeated(analysis);
    if (begins_after_last(analysis, slot, record))
        return restart(analysis, slot, record);
    if (filled && (row->has[slot] & record->has & RECORD_BEGIN) && !begins_after(row, slot, record))
        return repeated(analysis); /* another account of the same time, not the step done again */
    return suspect(analysis, slot, record, true);
}

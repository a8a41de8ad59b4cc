/* What is not there: steps that the log does not hold, time in which nobody computed. */
#include <math.h>
#include <stdlib.h>

#include "fold.h"
#include "memory.h"
#include "quantile.h"

#define STAMPS_COARSE_NS 2e9 /* most logs of whole jobs have stamps of a second */
#define STRIDES_FIRST 8      /* alike, until it is known what is usual */
#define STRIDES_AGAIN 3      /* alike, until another one is usual */

/* How long a rank did nothing between two steps, by its own clock; NAN. */
static double idle_of(const struct step_row *before, const struct step_row *row, uint32_t slot)
{
    if (!(row->has[slot] & RECORD_BEGIN) || !before->has[slot] ||
        before->cells[slot].mark_ns == INT64_MIN)
        return NAN;
    const struct step_cell *cell = &before->cells[slot];
    int64_t optimizer = before->has[slot] & RECORD_OPTIMIZER ? cell->phase_ns[PHASE_OPTIMIZER] : 0;
    /* Of whole numbers: a double of Unix nanoseconds is good to 256 of them. */
    return (double)(row->cells[slot].begin_ns - cell->mark_ns - optimizer);
}

static uint32_t common_slots(const struct step_row *before, const struct step_row *row)
{
    return before->capacity < row->capacity ? before->capacity : row->capacity;
}

/* Of two steps of a log in which one stamp stands for all ranks, and the step time of the job: from
 * the end of the first to the begin of the second; NAN. */
static double between_stamps(const struct step_row *before, const struct step_row *row)
{
    uint32_t slot = 0;
    if (!(row->has_all & before->has_all & RECORD_STEP_TIME))
        return NAN;
    while (slot < common_slots(before, row) && !(row->has[slot] & before->has[slot] & RECORD_BEGIN))
        slot++;
    if (slot == common_slots(before, row))
        return NAN;
    int64_t apart_ns = row->cells[slot].begin_ns - before->cells[slot].begin_ns;
    return (double)apart_ns - (double)before->digest.step_time_ns * (double)before->job.span;
}

/* Whether both tell their times, so that what is between them is known. */
static bool are_told(const struct step_row *before, const struct step_row *row, bool one_stamp)
{
    return one_stamp || (step_row_tells_time(before) && step_row_tells_time(row));
}

/* How long all of them did. Without `sync` a rank waits in that time, too, but for the
 * last to arrive. */
static double idle_ns(const struct step_row *before, const struct step_row *row, bool one_stamp)
{
    double between = are_told(before, row, one_stamp) ? between_stamps(before, row) : NAN;
    if (!isnan(between))
        return between >= 0 ? between : NAN;
    uint32_t n = 0, slots = common_slots(before, row);
    double *values = memory_resized(NULL, slots, sizeof(*values)), least = NAN;
    for (uint32_t i = 0; i < slots; i++) {
        double idle = idle_of(before, row, i);
        if (isnan(idle))
            continue;
        values[n++] = idle;
        least = fmin(least, idle);
    }
    double idle = before->has_all & RECORD_SYNC ? median_of(values, n) : least;
    free(values);
    return idle >= 0 ? idle : NAN;
}

/* As one rank tells it: so that hardly any step needs a look at all. */
static double idle_of_one(const struct step_row *before, const struct step_row *row, bool one_stamp)
{
    double between = are_told(before, row, one_stamp) ? between_stamps(before, row) : NAN;
    if (!isnan(between))
        return between;
    uint32_t slots = common_slots(before, row);
    for (uint32_t i = 0; i < slots; i++) {
        double idle = idle_of(before, row, i);
        if (!isnan(idle))
            return idle;
    }
    return NAN;
}

double fold_between_ns(const struct fold *fold, const struct steps *steps, size_t index,
                       bool one_stamp)
{
    const struct step_row *row = steps_at(steps, index), *before = fold_row_before(steps, index);
    if (!before || before->step < fold->from_step)
        return NAN;
    if (row->has_all & RECORD_JOB)
        return idle_of_one(before, row, one_stamp);
    return are_told(before, row, one_stamp) ? between_stamps(before, row) : NAN;
}

static void add(struct fold *fold, const struct fold_step *step, double idle, int64_t absent)
{
    struct fold_event *event = fold_event_new(fold, VERDICT_GAP, UINT32_MAX, step->row);
    if (!event)
        return;
    event->own_time_ns = idle;
    event->computed = step->row->has_any & RECORD_COMPUTED;
    event->repeated_steps = absent;
    event->begin_ns = step_row_begin_ns(step->row);
    fold_event_end(fold, event, step, fold->ordinal, step->row->step);
}

static bool is_coarse(const struct fold_step *step)
{
    return (step->row->has_all & RECORD_JOB) || step->choice.one_stamp ||
           step_row_tells_time(step->row);
}

static bool stood_still(struct fold *fold, const struct fold_step *step,
                        const struct step_row *before, int64_t stride)
{
    double factor = FOLD_GAP_FACTOR * (double)stride; /* steps that are not logged take time */
    if (fold->times.count < FOLD_SPIKE_STEPS_MIN || fold->attempt_steps <= FOLD_WARM_UP ||
        ((step->row->has_any | before->has_any) & RECORD_ANY_EVENT) ||
        !rolling_is_over(&fold->times, idle_of_one(before, step->row, step->choice.one_stamp),
                         factor))
        return false;
    double idle = idle_ns(before, step->row, step->choice.one_stamp);
    if (!rolling_is_over(&fold->times, idle, factor) ||
        (idle < STAMPS_COARSE_NS && is_coarse(step)))
        return false;
    add(fold, step, idle, 0);
    return true;
}

/* Another stride is usual now: what was taken for gaps while that was not known, in the rows
 * just before, is none. */
static void take_back(struct fold *fold)
{
    for (uint32_t k = fold->event_count; k-- > 0;) {
        const struct fold_event *event = &fold->events[k];
        if (event->kind == VERDICT_GAP && event->repeated_steps > 0 &&
            fold->ordinal - event->named_ordinal < STRIDES_AGAIN) {
            fold_event_remove(fold, k);
            fold_recover(fold);
        }
    }
}

/* From the last step of one row to the first that the next one is of, where its values are
 * means over several: 1, nothing lacks in between. */
static int64_t stride_to(const struct step_row *row, int64_t stride)
{
    int64_t uncovered = stride - (row->job.span - 1);
    return uncovered > 1 ? uncovered : 1;
}

/* A mean over all the steps since the row before says that this is how it is logged. */
static void note_covered(struct fold *fold, const struct step_row *row, int64_t stride)
{
    struct fold_job *job = &fold->job;
    if (row->job.span == 1 || stride != 1 || job->usual > 0)
        return;
    job->usual = job->stride = 1;
    job->strides = STRIDES_FIRST;
}

/* Learns what stride is usual. Returns how many rows are not there. */
static int64_t rows_absent(struct fold *fold, int64_t stride)
{
    struct fold_job *job = &fold->job;
    job->strides = stride == job->stride ? job->strides + 1 : 1;
    job->stride = stride;
    if (job->strides >= (job->usual > 0 ? STRIDES_AGAIN : STRIDES_FIRST)) {
        if (job->usual > 0 && stride > job->usual)
            take_back(fold);
        job->strides = STRIDES_FIRST;
        job->usual = stride;
    }
    return job->usual > 0 && stride / job->usual >= 2 ? stride / job->usual - 1 : 0;
}

bool fold_gap(struct fold *fold, const struct fold_step *step)
{
    const struct step_row *row = step->row;
    int64_t stride;
    if (row->attempt != fold->job.attempt ||
        __builtin_sub_overflow(row->step, fold->job.step, &stride) || stride <= 0)
        return false;
    const struct step_row *before = step->index > 0 ? steps_at(step->steps, step->index - 1) : NULL;
    if (before && row_compare(before, fold->job.attempt, fold->job.step) != 0)
        before = NULL;
    stride = stride_to(row, stride);
    note_covered(fold, row, stride);
    int64_t absent = rows_absent(fold, stride);
    if (absent == 0)
        return before && stood_still(fold, step, before, stride);
    add(fold, step, before ? idle_ns(before, row, step->choice.one_stamp) : NAN, absent);
    return false;
}

bool fold_is_far(const struct fold *fold, const struct step_row *row)
{
    int64_t usual = fold->job.usual > 0 ? fold->job.usual : 1, distance;
    return row->attempt == fold->job.attempt &&
           !__builtin_sub_overflow(row->step, fold->job.step, &distance) && distance > 0 &&
           stride_to(row, distance) / usual / row->job.span > fold->window;
}

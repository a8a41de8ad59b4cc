/* The table of steps by ranks: one row a step, one cell a rank (by slot), rows in
 * the order of attempts and steps. Adding to a row that is there never
 * allocates; rows that leave are used again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "step_job.h"
#include "summary.h"

/* What one rank said of one step; which fields are there is in step_row.has.
 * Phases that are not there are 0. */
struct step_cell {
    int64_t begin_ns;
    int64_t phase_ns[PHASE_COUNT];
    int64_t work_ns; /* data + forward + backward, or compute; -1: not known */
    int64_t mark_ns; /* when it left the barrier (or, without `sync`, was done with its own
                        part) by its clock: begin + work + sync, or begin + step_time;
                        INT64_MIN: not known */
    int64_t step_time_ns;
    int64_t tokens;
};

/* What a step came to when its barrier was worked out (barrier.h, fold.h). Kept
 * with the row so that a screen can look back without doing it again. */
struct step_digest {
    enum wait_rule rule;
    enum evidence time_evidence; /* of step_time_ns; NONE: not known */
    int64_t span;                /* steps that its times are means over; 1 */
    int64_t step_time_ns;        /* of one of them */
    int64_t exchange_ns;         /* -1: not known */
    int64_t wait_sum_ns;         /* over wait_count ranks */
    uint32_t wait_count;
    uint32_t expected;                /* ranks */
    double own_median_ns, own_max_ns; /* NAN: not known */
    double own_sum_ns;                /* over own_count ranks */
    uint32_t own_count;
    double input_median_ns; /* `data` of the median rank; NAN: not recorded */
    uint32_t last_slot;     /* the last to arrive; RANK_SLOT_NONE */
    int64_t tokens;         /* of the job in one step; 0: not known */
    /* What a checkpoint or a validation in it took: of all its steps the time in no phase;
     * without own times of ranks, beyond the rolling median. 0: none is in it, or not known. */
    double unnamed_ns;
    /* Of a whole job: from the end of the value before, which is of the steps just before, to
     * the begin of this one, by their time stamps; below 0: they overlap. NAN: not known. */
    double between_ns;
    uint32_t ordinal; /* of the span's last step up to this one, counted from 0 */
    /* Sums over the last W steps of the span whose step time is known, this one
     * included. */
    int window_steps;      /* values, */
    double window_covered; /* of so many steps: the sums are over these */
    double window_time_ns, window_tokens, window_wait_ns, window_rank_time_ns;
    double window_flops, window_mfu; /* means over its time of what the log gives, as
                                        job_rates_flops() and job_rates_mfu() */
};

/* How much later the last rank arrived than the median one would have: the mean of
 * own time and wait over ranks, less the median own time; NAN when not known. */
static inline double digest_late_ns(const struct step_digest *digest)
{
    if (digest->own_count == 0 || digest->wait_count == 0)
        return NAN;
    double late = digest->own_sum_ns / digest->own_count +
                  (double)digest->wait_sum_ns / digest->wait_count - digest->own_median_ns;
    return late > 0 ? late : 0;
}

/* The waits of so many ranks as a part of their GPU time: where the records contradict
 * themselves, no more of them than there is time. */
static inline double digest_wait_ns(const struct step_digest *digest, uint32_t reported)
{
    double wait_ns = (double)digest->wait_sum_ns;
    double time_ns = (double)digest->step_time_ns * reported;
    return wait_ns < time_ns ? wait_ns : time_ns;
}

struct step_row {
    int64_t step;
    int attempt;
    uint32_t capacity;         /* slots there is room for */
    uint32_t behind;           /* slots there is room for behind the row itself */
    uint32_t reported;         /* ranks */
    uint32_t has_all, has_any; /* RECORD_ bits that all of them have, that one of them has */
    uint32_t expected;         /* ranks, as it looked when the row was closed */
    bool closed;               /* it is not waited for any more */
    bool settled;              /* it is in the averages for good */
    struct step_job job;
    struct step_digest digest; /* valid once it was folded */
    struct step_cell *cells;   /* by slot */
    uint32_t *has;             /* by slot: RECORD_ bits; 0: no record */
    uint16_t *slowdown; /* by slot, in HEAT_UNIT, once it was folded in the span; HEAT_NONE */
    void *more; /* owned: where these three are since the row needed more slots; NULL: behind it */
};

/* When the step began: Unix nanoseconds, median over its ranks; NAN. O(ranks). */
double step_row_begin_ns(const struct step_row *row);

/* Whether the first `slots` of its ranks, two or more, have one begin, to the last digit. Whether
 * one stamp stands for all ranks is asked of a run of rows: rules.h. */
bool step_row_one_stamp(const struct step_row *row, uint32_t slots);

struct steps {
    struct step_row **rows; /* rows[first .. first + count - 1], owned */
    size_t first, count, capacity;
    struct step_row *spare; /* the last row that left */
    size_t bytes;           /* of all rows */
    size_t hint;            /* index of the row that was used last */
    uint32_t slots;         /* a new row has room for so many */
};

void steps_init(struct steps *steps);
void steps_done(struct steps *steps);
void steps_copy(struct steps *to, const struct steps *from); /* `to` is overwritten */

static inline struct step_row *steps_at(const struct steps *steps, size_t index)
{
    return steps->rows[steps->first + index];
}

/* Its one value is the whole job's: it says of no rank whether it was there. */
static inline bool step_row_of_job(const struct step_row *row)
{
    return row->reported > 0 && (row->has_all & RECORD_JOB);
}

/* All of its ranks tell the step time, and none when it left the barrier: by the clocks alone a
 * step's time would be from where own parts end to where they end, a step late. */
static inline bool step_row_tells_time(const struct step_row *row)
{
    return (row->has_all & RECORD_STEP_TIME) && !(row->has_any & RECORD_SYNC);
}

/* Negative, 0, positive as the row stands before, at or after (attempt, step). */
static inline int row_compare(const struct step_row *row, int attempt, int64_t step)
{
    if (row->attempt != attempt)
        return row->attempt < attempt ? -1 : 1;
    return row->step < step ? -1 : row->step > step;
}

/* The index of the first row at or after (attempt, step); count when none is. */
size_t steps_lower(const struct steps *steps, int attempt, int64_t step);

size_t steps_search(struct steps *steps, int attempt, int64_t step); /* the long way */

/* The index of the row, or SIZE_MAX. Records come step after step: fast for the
 * row used last, and the one behind it. */
static inline size_t steps_find(struct steps *steps, int attempt, int64_t step)
{
    for (size_t i = steps->hint; i < steps->count && i < steps->hint + 2; i++) {
        const struct step_row *row = steps_at(steps, i);
        if (row->step == step && row->attempt == attempt)
            return steps->hint = i;
    }
    return steps_search(steps, attempt, step);
}

/* How many steps lie between the row and the one beside it: 1, or more where only
 * every so many steps are logged. */
int64_t steps_stride(const struct steps *steps, size_t index);

/* A new empty row at `index`, where (attempt, step) belongs. */
struct step_row *steps_insert(struct steps *steps, size_t index, int attempt, int64_t step);

/* Room for one more rank in a row, and in rows to come. */
void steps_reach_slot(struct steps *steps, struct step_row *row, uint32_t slot);

/* Takes the oldest row out. count must not be 0. */
void steps_drop_oldest(struct steps *steps);

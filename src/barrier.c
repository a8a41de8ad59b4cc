/* One step's barrier. */
#include "barrier.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "quantile.h"

void barrier_init(struct barrier *barrier)
{
    *barrier = (struct barrier){0};
}

void barrier_done(struct barrier *barrier)
{
    free(barrier->own_ns);
    free(barrier->wait_ns);
    free(barrier->scratch);
    barrier_init(barrier);
}

static void reach(struct barrier *barrier, uint32_t slots)
{
    if (slots <= barrier->slots)
        return;
    barrier->own_ns = memory_resized(barrier->own_ns, slots, sizeof(double));
    barrier->wait_ns = memory_resized(barrier->wait_ns, slots, sizeof(double));
    barrier->scratch = memory_resized(barrier->scratch, slots, sizeof(*barrier->scratch));
    barrier->slots = slots;
}

/* Which rule all the records of this step allow. `work`: each has an own time. */
static enum wait_rule choose_rule(const struct step_row *row, bool work, struct wait_choice choice)
{
    if (row->reported == 0)
        return WAIT_UNKNOWN;
    if (row->has_all & RECORD_SYNC)
        return WAIT_SYNC;
    if (choice.overlapped && (row->has_all & RECORD_BACKWARD))
        return WAIT_OVERLAPPED;
    if (choice.clocks_agree && (row->has_all & RECORD_BEGIN) && work)
        return WAIT_CLOCKS;
    return work ? WAIT_OWN : WAIT_UNKNOWN;
}

/* What an own time is made of; `data` may be left out where there is nothing of it. */
#define WORK_PARTS (RECORD_FORWARD | RECORD_BACKWARD | RECORD_COMPUTE)

/* The parts that most ranks of a step give (of equally many the larger set): own
 * times of other parts cannot be compared with theirs. */
static uint32_t usual_parts(const struct step_row *row, uint32_t ranks)
{
    uint32_t counts[WORK_PARTS + 1] = {0}, usual = row->has_all & WORK_PARTS;
    if (((row->has_any ^ row->has_all) & WORK_PARTS) == 0)
        return usual;
    for (uint32_t i = 0; i < ranks; i++)
        if (row->has[i] & RECORD_ANY_WORK)
            counts[row->has[i] & WORK_PARTS]++;
    for (uint32_t parts = 0; parts <= WORK_PARTS; parts++)
        if (counts[parts] > 0 && counts[parts] >= counts[usual])
            usual = parts;
    return usual;
}

static bool has_own(uint32_t has, uint32_t parts)
{
    return (has & RECORD_ANY_WORK) && (has & WORK_PARTS) == parts;
}

static bool all_have_work(const struct step_row *row, uint32_t ranks, uint32_t parts)
{
    bool work = true;
    if (row->has_all == row->has_any)
        return (row->has_all & RECORD_ANY_WORK) != 0;
    for (uint32_t i = 0; i < ranks; i++)
        work &= !row->has[i] || has_own(row->has[i], parts);
    return work;
}

/* What the loops over ranks are compiled for twice: with `whole` every rank has
 * reported the step and the one before it, so that nobody is looked for. */
static inline bool reported(const struct step_row *row, uint32_t slot, bool whole)
{
    return whole || (slot < row->capacity && row->has[slot]);
}

/* Own time beside the backward pass: nothing, where a record's `compute` is less than that. */
static inline int64_t own_besides(const struct step_cell *cell)
{
    int64_t besides = cell->work_ns - cell->phase_ns[PHASE_BACKWARD];
    return besides > 0 ? besides : 0;
}

/* Own times, and the largest; with the overlapped rule the least backward pass
 * stands for that of everyone, since the rest of it is waiting. Returns how many. */
static inline __attribute__((always_inline)) uint32_t
fill_own(struct barrier *barrier, const struct step_row *row, const struct step_row *before,
         uint32_t ranks, uint32_t parts, bool whole)
{
    bool mixed = ((row->has_any ^ row->has_all) & WORK_PARTS) != 0;
    bool overlapped = barrier->digest.rule == WAIT_OVERLAPPED;
    int64_t least_backward = INT64_MAX;
    for (uint32_t i = 0; overlapped && i < ranks; i++)
        if (reported(row, i, whole) && row->cells[i].phase_ns[PHASE_BACKWARD] < least_backward)
            least_backward = row->cells[i].phase_ns[PHASE_BACKWARD];
    int64_t most = INT64_MIN;
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        const struct step_cell *cell = &row->cells[i];
        if (!reported(row, i, whole) || cell->work_ns < 0 ||
            (mixed && !has_own(row->has[i], parts))) {
            barrier->own_ns[i] = NAN;
            continue;
        }
        int64_t own = cell->work_ns;
        if (overlapped)
            own = least_backward + own_besides(cell);
        else if (before && reported(before, i, whole))
            own += before->cells[i].phase_ns[PHASE_OPTIMIZER]; /* 0 when it is not there */
        barrier->own_ns[i] = (double)own;
        sum += (double)own;
        barrier->scratch[n++] = own;
        most = own > most ? own : most;
    }
    barrier->digest.own_max_ns = n > 0 ? (double)most : NAN;
    barrier->digest.own_sum_ns = sum;
    barrier->digest.own_count = n;
    return n;
}

/* The value from which a rank's wait is measured: the less it is (sync,
 * backward) or the more (arrival, own time), the later the rank came. */
static inline double wait_key(const struct step_cell *cell, enum wait_rule rule, double own_ns)
{
    switch (rule) {
    case WAIT_SYNC:
        return (double)cell->phase_ns[PHASE_SYNC];
    case WAIT_OVERLAPPED:
        return (double)cell->phase_ns[PHASE_BACKWARD];
    case WAIT_CLOCKS:
        return -(double)cell->mark_ns;
    default:
        return -own_ns;
    }
}

/* The rule is one that every rank that reported has the fields for. */
static inline void fill_waits(struct barrier *barrier, const struct step_row *row, uint32_t ranks,
                              enum wait_rule rule, bool whole)
{
    struct step_digest *digest = &barrier->digest;
    double least = INFINITY, sum = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        double key = NAN;
        if (reported(row, i, whole))
            key = wait_key(&row->cells[i], rule, barrier->own_ns[i]);
        barrier->wait_ns[i] = key;
        least = key < least ? key : least;
    }
    for (uint32_t i = ranks; i-- > 0;) {
        double wait = barrier->wait_ns[i] - least;
        barrier->wait_ns[i] = wait;
        digest->last_slot = wait == 0 ? i : digest->last_slot; /* the first of equals, by slot */
        sum += reported(row, i, whole) ? wait : 0;
    }
    digest->wait_count = row->reported;
    digest->wait_sum_ns = sum < 9e18 ? (int64_t)sum : INT64_C(9000000000000000000);
    if (rule == WAIT_SYNC)
        digest->exchange_ns = (int64_t)least;
}

/* With very many ranks some of them, evenly spaced, stand for all where a median is
 * of what hardly differs between ranks. */
static inline uint32_t stride_of(uint32_t ranks)
{
    return ranks > BARRIER_MANY_RANKS ? ranks / (BARRIER_MANY_RANKS / 2) : 1;
}

/* Release to release, the median over ranks of each rank's own difference: what
 * a clock is off by falls out. */
static inline bool time_by_clocks(struct barrier *barrier, const struct step_row *row,
                                  const struct step_row *before, uint32_t ranks, bool whole,
                                  double *ret_ns)
{
    uint32_t n = 0, stride = stride_of(ranks);
    for (uint32_t i = 0; before && i < ranks; i += stride) {
        if (!reported(row, i, whole) || !reported(before, i, whole))
            continue;
        int64_t mark = row->cells[i].mark_ns, mark_before = before->cells[i].mark_ns;
        if (mark != INT64_MIN && mark_before != INT64_MIN)
            barrier->scratch[n++] = mark - mark_before;
    }
    *ret_ns = median_of_ns(barrier->scratch, n);
    if (row->job.span > 1)
        *ret_ns /= (double)row->job.span;
    return n > 0 && *ret_ns > 0;
}

/* What the log says of the whole job counts, not when it said so. */
static bool time_by_job(const struct step_row *row, double *ret_ns)
{
    *ret_ns = (double)row->job.time_ns;
    return row->job.time_ns > 0;
}

static bool time_by_record(struct barrier *barrier, const struct step_row *row, uint32_t ranks,
                           double *ret_ns)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ranks; i++)
        if (row->has[i] & RECORD_STEP_TIME)
            barrier->scratch[n++] = row->cells[i].step_time_ns;
    *ret_ns = median_of_ns(barrier->scratch, n);
    return n > 0 && *ret_ns > 0;
}

static inline void fill_time(struct barrier *barrier, const struct step_row *row,
                             const struct step_row *before, uint32_t ranks, bool one_stamp,
                             bool whole)
{
    struct step_digest *digest = &barrier->digest;
    double time_ns;
    bool by_job = time_by_job(row, &time_ns);
    if (!by_job && (one_stamp || step_row_tells_time(row)) && (row->has_all & RECORD_STEP_TIME))
        by_job = time_by_record(barrier, row, ranks, &time_ns); /* of the job, for each rank */
    if (!by_job && time_by_clocks(barrier, row, before, ranks, whole, &time_ns)) {
        digest->time_evidence = EVIDENCE_MEASURED;
    } else if (by_job || time_by_record(barrier, row, ranks, &time_ns)) {
        digest->time_evidence =
            row->has_any & RECORD_COMPUTED ? EVIDENCE_COMPUTED : EVIDENCE_MEASURED;
    } else if (!isnan(digest->own_max_ns)) {
        time_ns = digest->own_max_ns + (digest->exchange_ns > 0 ? (double)digest->exchange_ns : 0);
        /* One rank alone: its sync is its wait and the exchange in one. */
        for (uint32_t i = 0; row->reported == 1 && i < ranks; i++)
            if (row->has[i])
                time_ns += (double)row->cells[i].phase_ns[PHASE_SYNC];
        digest->time_evidence = EVIDENCE_COMPUTED;
    } else {
        return;
    }
    digest->step_time_ns = (int64_t)time_ns;
}

/* `data` of the median rank. */
static double input_median(struct barrier *barrier, const struct step_row *row, uint32_t ranks)
{
    uint32_t n = 0, stride = stride_of(ranks);
    if (!(row->has_any & RECORD_DATA))
        return NAN;
    for (uint32_t i = 0; i < ranks; i += stride)
        if (row->has[i] & RECORD_DATA)
            barrier->scratch[n++] = row->cells[i].phase_ns[PHASE_DATA];
    return median_of_ns(barrier->scratch, n);
}

/* The sum of the records' tokens; 0 unless every rank said how many, or the log gives
 * those of the whole job. */
static int64_t sum_tokens(const struct step_row *row, uint32_t ranks)
{
    int64_t sum = 0;
    if (row->job.tokens >= 0)
        return row->job.tokens;
    if (!(row->has_all & RECORD_TOKENS))
        return 0;
    for (uint32_t i = 0; i < ranks; i++) {
        if (row->has[i])
            sum += row->cells[i].tokens;
        if (sum > RECORD_TOKENS_MAX)
            return 0;
    }
    return sum;
}

static inline __attribute__((always_inline)) void
compute(struct barrier *barrier, const struct step_row *row, const struct step_row *before,
        uint32_t ranks, uint32_t parts, bool one_stamp, bool whole)
{
    uint32_t n = fill_own(barrier, row, before, ranks, parts, whole);
    barrier->digest.own_median_ns = median_of_ns(barrier->scratch, n);
    if (row->reported < 2)
        barrier->digest.rule = WAIT_UNKNOWN; /* one rank alone waits for nobody we know of */
    if (barrier->digest.rule == WAIT_SYNC)
        fill_waits(barrier, row, ranks, WAIT_SYNC, whole);
    else if (barrier->digest.rule != WAIT_UNKNOWN)
        fill_waits(barrier, row, ranks, barrier->digest.rule, whole);
    else
        for (uint32_t i = 0; i < ranks; i++)
            barrier->wait_ns[i] = NAN;
    fill_time(barrier, row, before, ranks, one_stamp, whole);
    barrier->digest.input_median_ns = input_median(barrier, row, ranks);
}

void barrier_compute(struct barrier *barrier, const struct step_row *row,
                     const struct step_row *before, uint32_t ranks, struct wait_choice choice)
{
    reach(barrier, ranks);
    /* Ranks that joined after this row was made are not in it. */
    uint32_t in_row = ranks < row->capacity ? ranks : row->capacity;
    for (uint32_t i = in_row; i < ranks; i++)
        barrier->own_ns[i] = barrier->wait_ns[i] = NAN;
    uint32_t parts = usual_parts(row, in_row);
    barrier->digest = (struct step_digest){
        .rule = choose_rule(row, all_have_work(row, in_row, parts), choice),
        .span = row->job.span,
        .exchange_ns = -1,
        .last_slot = RANK_SLOT_NONE,
        .tokens = sum_tokens(row, in_row),
    };
    if (row->reported == ranks && (!before || before->reported == ranks))
        compute(barrier, row, before, in_row, parts, choice.one_stamp, true);
    else
        compute(barrier, row, before, in_row, parts, choice.one_stamp, false);
}

/* One step's barrier. */
#include "barrier.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "quantile.h"

#define BEFORE_BARRIER (RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD)

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
    barrier->scratch = memory_resized(barrier->scratch, slots, sizeof(double));
    barrier->slots = slots;
}

/* Which rule all the records of this step allow. */
static enum wait_rule choose_rule(const struct step_row *row, uint32_t ranks,
                                  struct wait_choice choice)
{
    uint32_t all = RECORD_SYNC | RECORD_BEGIN | RECORD_BACKWARD;
    bool work = true, any = false;
    for (uint32_t i = 0; i < ranks; i++) {
        uint32_t has = row->has[i];
        if (!has)
            continue;
        any = true;
        all &= has;
        work &= (has & (BEFORE_BARRIER | RECORD_COMPUTE)) != 0;
    }
    if (!any)
        return WAIT_UNKNOWN;
    if (all & RECORD_SYNC)
        return WAIT_SYNC;
    if (choice.overlapped && (all & RECORD_BACKWARD))
        return WAIT_OVERLAPPED;
    if (choice.clocks_agree && (all & RECORD_BEGIN) && work)
        return WAIT_CLOCKS;
    return work ? WAIT_OWN : WAIT_UNKNOWN;
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
        return cell->mark_ns != INT64_MIN ? -(double)cell->mark_ns : NAN;
    default:
        return -own_ns;
    }
}

/* Own times; with the overlapped rule `least_backward` stands for the backward
 * pass of everyone, since the rest of it is waiting. */
static void fill_own(struct barrier *barrier, const struct step_row *row,
                     const struct step_row *before, uint32_t ranks, enum wait_rule rule)
{
    int64_t least_backward = INT64_MAX;
    for (uint32_t i = 0; rule == WAIT_OVERLAPPED && i < ranks; i++)
        if (row->has[i] && row->cells[i].phase_ns[PHASE_BACKWARD] < least_backward)
            least_backward = row->cells[i].phase_ns[PHASE_BACKWARD];
    for (uint32_t i = 0; i < ranks; i++) {
        const struct step_cell *cell = &row->cells[i];
        if (!row->has[i] || cell->work_ns < 0) {
            barrier->own_ns[i] = NAN;
            continue;
        }
        int64_t own = cell->work_ns;
        if (rule == WAIT_OVERLAPPED)
            own += least_backward - cell->phase_ns[PHASE_BACKWARD];
        else if (before && i < before->capacity && before->has[i])
            own += before->cells[i].phase_ns[PHASE_OPTIMIZER]; /* 0 when it is not there */
        barrier->own_ns[i] = (double)own;
    }
}

static void fill_waits(struct barrier *barrier, const struct step_row *row, uint32_t ranks)
{
    struct step_digest *digest = &barrier->digest;
    double least = INFINITY;
    for (uint32_t i = 0; i < ranks; i++) {
        double key = row->has[i] ? wait_key(&row->cells[i], digest->rule, barrier->own_ns[i]) : NAN;
        barrier->wait_ns[i] = key;
        if (key < least) { /* the first of equals, by slot */
            least = key;
            digest->last_slot = i;
        }
    }
    double sum = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        barrier->wait_ns[i] -= least;
        if (!isnan(barrier->wait_ns[i])) {
            sum += barrier->wait_ns[i];
            digest->wait_count++;
        }
    }
    digest->wait_sum_ns = (int64_t)sum;
    if (digest->rule == WAIT_SYNC)
        digest->exchange_ns = (int64_t)least;
}

static void summarise_own(struct barrier *barrier, uint32_t ranks)
{
    uint32_t n = 0;
    double most = NAN;
    for (uint32_t i = 0; i < ranks; i++) {
        double own = barrier->own_ns[i];
        if (isnan(own))
            continue;
        barrier->scratch[n++] = own;
        if (!(own <= most))
            most = own;
    }
    barrier->digest.own_median_ns = median_of(barrier->scratch, n);
    barrier->digest.own_max_ns = most;
}

/* Release to release, the median over ranks of each rank's own difference: what
 * a clock is off by falls out. */
static bool time_by_clocks(struct barrier *barrier, const struct step_row *row,
                           const struct step_row *before, uint32_t ranks, double *ret_ns)
{
    uint32_t n = 0;
    for (uint32_t i = 0; before && i < ranks && i < before->capacity; i++) {
        if (!row->has[i] || !before->has[i])
            continue;
        int64_t mark = row->cells[i].mark_ns, mark_before = before->cells[i].mark_ns;
        if (mark != INT64_MIN && mark_before != INT64_MIN)
            barrier->scratch[n++] = (double)(mark - mark_before);
    }
    *ret_ns = median_of(barrier->scratch, n);
    return n > 0 && *ret_ns > 0;
}

static bool time_by_record(struct barrier *barrier, const struct step_row *row, uint32_t ranks,
                           double *ret_ns)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ranks; i++)
        if (row->has[i] & RECORD_STEP_TIME)
            barrier->scratch[n++] = (double)row->cells[i].step_time_ns;
    *ret_ns = median_of(barrier->scratch, n);
    return n > 0 && *ret_ns > 0;
}

static void fill_time(struct barrier *barrier, const struct step_row *row,
                      const struct step_row *before, uint32_t ranks)
{
    struct step_digest *digest = &barrier->digest;
    double time_ns;
    if (time_by_clocks(barrier, row, before, ranks, &time_ns) ||
        time_by_record(barrier, row, ranks, &time_ns)) {
        digest->time_evidence = EVIDENCE_MEASURED;
    } else if (!isnan(digest->own_max_ns)) {
        time_ns = digest->own_max_ns + (digest->exchange_ns > 0 ? (double)digest->exchange_ns : 0);
        digest->time_evidence = EVIDENCE_COMPUTED;
    } else {
        return;
    }
    digest->step_time_ns = (int64_t)time_ns;
}

/* The sum of the records' tokens; 0 unless every rank said how many. */
static int64_t sum_tokens(const struct step_row *row, uint32_t ranks)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        if (row->has[i] && !(row->has[i] & RECORD_TOKENS))
            return 0;
        if (row->has[i])
            sum += row->cells[i].tokens;
        if (sum > RECORD_TOKENS_MAX)
            return 0;
    }
    return sum;
}

void barrier_compute(struct barrier *barrier, const struct step_row *row,
                     const struct step_row *before, uint32_t ranks, struct wait_choice choice)
{
    reach(barrier, ranks);
    /* Ranks that joined after this row was made are not in it. */
    uint32_t in_row = ranks < row->capacity ? ranks : row->capacity;
    for (uint32_t i = in_row; i < ranks; i++)
        barrier->own_ns[i] = barrier->wait_ns[i] = NAN;
    barrier->digest = (struct step_digest){
        .rule = choose_rule(row, in_row, choice),
        .exchange_ns = -1,
        .last_slot = RANK_SLOT_NONE,
        .tokens = sum_tokens(row, in_row),
    };
    fill_own(barrier, row, before, in_row, barrier->digest.rule);
    summarise_own(barrier, in_row);
    if (row->reported < 2)
        barrier->digest.rule = WAIT_UNKNOWN; /* one rank alone waits for nobody we know of */
    if (barrier->digest.rule != WAIT_UNKNOWN)
        fill_waits(barrier, row, in_row);
    else
        for (uint32_t i = 0; i < in_row; i++)
            barrier->wait_ns[i] = NAN;
    fill_time(barrier, row, before, in_row);
}

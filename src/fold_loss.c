/* What the verdicts in force cost: how much earlier the last rank would have arrived
 * if those that are named had been at the median. */
#include <math.h>

#include "fold.h"

/* The largest own time of a step, over all ranks and over those that are left. */
struct largest {
    double all_ns, left_ns;
};

/* The arrival that counts when ranks are left out is at least the median. */
static double loss_of(struct largest largest, double median_ns)
{
    double left = largest.left_ns > median_ns ? largest.left_ns : median_ns;
    return largest.all_ns > left ? largest.all_ns - left : 0;
}

static bool is_of(const struct fold *fold, const struct fold_event *event, uint32_t slot)
{
    if (event->kind == VERDICT_STRAGGLER)
        return slot == event->who;
    return fold->peers.units[event->who].is_host ? fold->peers.host_unit[slot] == event->who
                                                 : fold->peers.group_unit[slot] == event->who;
}

/* Without the ranks of one event. */
static struct largest largest_without(const struct fold *fold, const struct fold_event *event,
                                      const double *own_ns, struct largest two)
{
    struct largest largest = two;
    if (event->kind == VERDICT_STRAGGLER) {
        if (own_ns[event->who] != two.all_ns)
            largest.left_ns = two.all_ns;
        return largest;
    }
    largest.left_ns = 0;
    for (uint32_t i = 0; i < fold->rank_count; i++)
        if (own_ns[i] > largest.left_ns && !is_of(fold, event, i))
            largest.left_ns = own_ns[i];
    return largest;
}

/* Without all that are named, as it was before `event` was. */
static struct largest largest_before(const struct fold *fold, const struct fold_event *event,
                                     const double *own_ns)
{
    struct largest largest = {0, 0};
    for (uint32_t i = 0; i < fold->rank_count; i++) {
        double own = own_ns[i];
        if (own > largest.all_ns)
            largest.all_ns = own;
        if (own > largest.left_ns && fold->ranks[i].covers == (is_of(fold, event, i) ? 1u : 0u))
            largest.left_ns = own;
    }
    return largest;
}

/* The two largest, and the largest of those that are not named, in one pass. */
static double largest_of_step(const struct fold *fold, const double *own_ns, struct largest *ret)
{
    double first = 0, second = 0, unnamed = 0;
    for (uint32_t i = 0; i < fold->rank_count; i++) { /* without a branch; NAN is over nothing */
        double own = own_ns[i];
        double less = own >= first ? first : own;
        double free_own = fold->ranks[i].covers == 0 ? own : 0;
        second = less > second ? less : second;
        first = own > first ? own : first;
        unnamed = free_own > unnamed ? free_own : unnamed;
    }
    struct largest two = {first, second};
    *ret = two;
    return unnamed;
}

/* Of a step no more is lost than it lasts, whatever its own times say. */
static void lose(struct fold_event *event, const struct step_digest *digest, double loss_ns)
{
    double time_ns = (double)digest->step_time_ns;
    if (digest->time_evidence == EVIDENCE_NONE)
        return;
    double covered = (double)digest->span;
    event->lost_ns += (loss_ns < time_ns ? loss_ns : time_ns) * covered;
    event->time_ns += time_ns * covered;
}

double fold_loss(struct fold *fold, const struct fold_step *step)
{
    const struct step_digest *digest = &step->barrier->digest;
    if (fold->in_force == 0 || !(digest->own_median_ns > 0))
        return 0;
    struct largest two;
    double unnamed_ns = largest_of_step(fold, step->barrier->own_ns, &two);
    for (uint32_t k = 0; k < fold->in_force; k++) {
        struct fold_event *event = &fold->events[fold->active[k]];
        struct largest largest = largest_without(fold, event, step->barrier->own_ns, two);
        lose(event, digest, loss_of(largest, digest->own_median_ns));
    }
    return loss_of((struct largest){two.all_ns, unnamed_ns}, digest->own_median_ns);
}

/* Adds what an earlier step has cost; `number`: of it in the history, when it is there. */
static void lose_before(struct fold *fold, const struct fold_step *step, size_t index,
                        struct fold_event *event, const uint32_t *number)
{
    const struct step_row *row = steps_at(step->steps, index);
    barrier_compute(&fold->lookback, row, fold_row_before(step->steps, index), fold->rank_count,
                    step->choice);
    const double *own_ns = fold->lookback.own_ns;
    double median_ns = fold->lookback.digest.own_median_ns;
    if (!(median_ns > 0))
        return;
    struct largest two;
    double unnamed_ns = largest_of_step(fold, own_ns, &two);
    lose(event, &row->digest, loss_of(largest_without(fold, event, own_ns, two), median_ns));
    if (number)
        history_blame(&fold->history, *number,
                      (loss_of((struct largest){two.all_ns, unnamed_ns}, median_ns) -
                       loss_of(largest_before(fold, event, own_ns), median_ns)) *
                          (double)row->digest.span);
}

/* Of the attempts before, the history holds the steps that were not done again. */
void fold_loss_before(struct fold *fold, const struct fold_step *step, struct fold_event *event)
{
    const struct step_row *after = step->row;
    uint32_t number = fold->history.next;
    int64_t kept_below = INT64_MAX;
    for (size_t k = step->index; k-- > 0;) {
        const struct step_row *row = steps_at(step->steps, k);
        if (row->step < fold->from_step || row->step > fold->to_step)
            continue;
        if (fold->ordinal == 0 || row->digest.ordinal < event->from_ordinal)
            break;
        if (row->attempt != after->attempt && after->step < kept_below)
            kept_below = after->step;
        after = row;
        bool kept = row->digest.time_evidence != EVIDENCE_NONE && row->step < kept_below;
        number -= kept;
        lose_before(fold, step, k, event, kept && number < fold->history.next ? &number : NULL);
    }
}

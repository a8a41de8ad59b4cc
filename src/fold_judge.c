/* Who is persistently slow: ranks against their peers, groups against the other
 * groups, hosts against the peers of their ranks. */
#include <math.h>

#include "fold.h"

#define SPREAD_RANKS_MAX 64 /* are looked at for the spread of all */
#define SPREAD_LASTS 16     /* steps */
#define AHEAD 12            /* ranks whose samples are on their way from memory meanwhile */

/* What the ranks are judged by. */
static float *judged_samples(const struct fold *fold)
{
    return fold->peer_samples ? fold->peer_samples : fold->samples;
}

/* The median over ranks of each one's spread; made anew now and then. */
static double spread_of_all(struct fold *fold)
{
    if (fold->spread_ordinal != UINT32_MAX && fold->ordinal - fold->spread_ordinal < SPREAD_LASTS &&
        fold->ordinal >= fold->test.window)
        return fold->spread;
    double spreads[SPREAD_RANKS_MAX];
    uint32_t n = 0, stride = (fold->rank_count + SPREAD_RANKS_MAX - 1) / SPREAD_RANKS_MAX;
    const float *samples = judged_samples(fold);
    for (uint32_t i = 0; i < fold->rank_count; i += stride) {
        struct straggler_measure measure =
            straggler_measure(samples + (size_t)i * fold->test.window, fold->test.window);
        if (measure.count >= STRAGGLER_STEPS_MIN)
            spreads[n++] = measure.spread;
    }
    fold->spread = n > 0 ? median_of(spreads, n) : 0;
    fold->spread_ordinal = fold->ordinal;
    return fold->spread;
}

static void judge_rank(struct fold *fold, const struct fold_step *step, float *row, uint32_t slot)
{
    struct straggler *straggler = &fold->ranks[slot].straggler;
    double spread = 0;
    if (!straggler->named) {
        if (!straggler_is_due(straggler, &fold->test, fold->ordinal))
            return;
        spread = spread_of_all(fold);
    }
    switch (straggler_judge(straggler, row, &fold->test, fold->ordinal, spread)) {
    case STRAGGLER_NAMED:
        fold_open(fold, step, VERDICT_STRAGGLER, slot);
        break;
    case STRAGGLER_CLEARED:
        fold_close(fold, step, VERDICT_STRAGGLER, slot);
        break;
    case STRAGGLER_SAME:
        break;
    }
}

/* fold->slowdowns, against all ranks, become those against the peers. */
static void compare_with_peers(struct fold *fold, const struct barrier *barrier)
{
    double all_ns = barrier->digest.own_median_ns;
    for (uint32_t i = 0; i < fold->rank_count; i++) {
        double reference = peers_reference_ns(&fold->peers, i, all_ns);
        if (reference > 0)
            fold->slowdowns[i] *= all_ns / reference;
    }
}

static void judge_ranks(struct fold *fold, const struct fold_step *step)
{
    uint32_t window = fold->test.window, column = fold->ordinal % window;
    if (fold->peer_samples) {
        for (uint32_t i = 0; i < fold->rank_count; i++)
            fold->samples[(size_t)i * window + column] = (float)fold->slowdowns[i];
        compare_with_peers(fold, step->barrier);
    }
    float *row = judged_samples(fold), over = (float)(1 + fold->test.threshold / 2);
    for (uint32_t i = 0; i < fold->rank_count; i++, row += window) {
        if (i + AHEAD < fold->rank_count)
            __builtin_prefetch(row + (size_t)AHEAD * window + column, 1);
        if (straggler_add(&fold->ranks[i].straggler, row + column, over, fold->slowdowns[i]))
            judge_rank(fold, step, row, i);
    }
}

/* A group is slow when each of its ranks is: of large ones nine in ten, since some
 * are always lucky. */
static bool each_rank_is_slow(const struct fold *fold, const struct peers_unit *unit)
{
    const float *samples = unit->is_host ? judged_samples(fold) : fold->samples;
    uint32_t slow = 0;
    for (uint32_t k = 0; k < unit->ranks; k++) {
        uint32_t slot = fold->peers.members[unit->first + k];
        double median =
            straggler_median(samples + (size_t)slot * fold->test.window, fold->test.window);
        slow += median > 1 + fold->test.threshold / 2;
    }
    return slow >= unit->ranks - unit->ranks / 10;
}

static void judge_unit(struct fold *fold, const struct fold_step *step,
                       const struct straggler_test *test, uint32_t index, double slowdown)
{
    struct straggler *straggler = &fold->units[index].straggler;
    float *row = fold->unit_samples + (size_t)index * test->window;
    if (!straggler_add(straggler, row + fold->ordinal % test->window,
                       (float)(1 + test->threshold / 2), slowdown))
        return;
    enum straggler_change change = straggler_judge(straggler, row, test, fold->ordinal, 0);
    if (change == STRAGGLER_CLEARED) {
        fold_close(fold, step, VERDICT_GROUP, index);
    } else if (change == STRAGGLER_NAMED) {
        if (fold->peers.units[index].judged && each_rank_is_slow(fold, &fold->peers.units[index]))
            fold_open(fold, step, VERDICT_GROUP, index);
        else
            straggler_withdraw(straggler);
    }
}

static void judge_units(struct fold *fold, const struct fold_step *step)
{
    struct straggler_test test = fold->test;
    bool known = step->row->reported >= 2 && step->barrier->digest.own_median_ns > 0;
    uint32_t judged = 0;
    for (uint32_t u = 0; u < fold->unit_count; u++)
        judged += fold->peers.units[u].judged;
    test.z = straggler_z(judged);
    for (uint32_t u = 0; u < fold->unit_count; u++) {
        const struct peers_unit *unit = &fold->peers.units[u];
        double slowdown = NAN;
        if (unit->judged && known)
            slowdown = unit->is_host ? peers_host_slowdown(&fold->peers, u, fold->slowdowns)
                                     : peers_group_slowdown(&fold->peers, u);
        judge_unit(fold, step, &test, u, slowdown);
    }
}

/* A verdict on a group must end, though groups have changed so that none is judged. */
static bool judges_units(const struct fold *fold)
{
    bool judges = fold->peers.judges_units;
    for (uint32_t k = 0; !judges && k < fold->in_force; k++)
        judges = fold->events[fold->active[k]].kind == VERDICT_GROUP;
    return judges;
}

void fold_judge(struct fold *fold, const struct fold_step *step)
{
    /* A step with a checkpoint or a validation tells nothing of who is slow. */
    if (step->row->has_any & RECORD_ANY_EVENT)
        for (uint32_t i = 0; i < fold->rank_count; i++)
            fold->slowdowns[i] = NAN;
    if (fold->z_ranks != fold->rank_count) {
        fold->z_ranks = fold->rank_count;
        fold->test.z = straggler_z(fold->rank_count);
    }
    if (fold->peers.judges_units)
        peers_group_medians(&fold->peers, step->barrier->own_ns);
    judge_ranks(fold, step);
    if (judges_units(fold))
        judge_units(fold, step);
}

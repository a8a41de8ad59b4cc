/* Verdicts: stragglers, groups that are slow as a whole, missing ranks, restarts,
 * and what the log cannot tell. */
#include "analysis_verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_missing.h"
#include "memory.h"

/* Room for the verdicts while they are put together. */
struct list {
    struct verdict *items;
    uint32_t count, capacity;
};

static struct verdict *add(struct list *list, enum verdict_kind kind, int64_t from_step)
{
    if (list->count == list->capacity)
        list->items = memory_grown(list->items, &list->capacity, sizeof(*list->items));
    struct verdict *verdict = &list->items[list->count++];
    *verdict = (struct verdict){
        .kind = kind,
        .rank = -1,
        .phase = -1,
        .slowdown = NAN,
        .from_step = from_step,
        .named_step = -1,
        .to_step = -1,
    };
    return verdict;
}

/* Whether an event was in force when the step `ordinal` had just been folded. */
static bool in_force_at(const struct fold_event *event, uint32_t ordinal)
{
    return event->named_ordinal <= ordinal && event->cleared_ordinal > ordinal;
}

static void fill(struct analysis *analysis, const struct fold_event *event, bool in_force,
                 struct verdict *verdict)
{
    const struct fold_rank *rank = &analysis->current.ranks[event->slot];
    bool still = event->cleared_ordinal == UINT32_MAX;
    verdict->rank = analysis->ranks.info[event->slot].rank;
    verdict->phase = event->phase;
    verdict->slowdown = still ? quantile_median(&rank->straggler.since) : event->slowdown;
    verdict->named_step = event->named_step;
    verdict->to_step = in_force ? -1 : event->to_step;
    verdict->attempt = event->attempt;
}

/* Ranks of a group: how many there are, how many of them are slow now. */
struct group_count {
    uint32_t ranks, slow;
};

static struct group_count *count_groups(struct analysis *analysis, uint32_t ordinal)
{
    const struct fold *fold = &analysis->current;
    struct group_count *groups = memory_zeroed(analysis->names.count + 1, sizeof(*groups));
    for (uint32_t i = 0; i < analysis->ranks.count; i++)
        groups[analysis->ranks.info[i].group].ranks++;
    for (uint32_t k = 0; k < fold->event_count; k++)
        if (in_force_at(&fold->events[k], ordinal))
            groups[analysis->ranks.info[fold->events[k].slot].group].slow++;
    return groups;
}

/* A group is named in place of its ranks when all of them are slow, it has more
 * than one, and there are ranks outside of it to compare with. */
static bool is_slow_group(const struct analysis *analysis, const struct group_count *groups,
                          uint32_t group)
{
    return group != 0 && groups[group].ranks > 1 && groups[group].slow == groups[group].ranks &&
           groups[group].ranks < analysis->ranks.count;
}

/* The one verdict on a group: the mildest slowdown of its ranks, since all of
 * them have been slow. */
static void join_group(struct list *list, const char *group, const struct verdict *rank)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct verdict *verdict = &list->items[i];
        if (verdict->kind != VERDICT_GROUP || strcmp(verdict->group, group) != 0)
            continue;
        if (rank->slowdown < verdict->slowdown)
            verdict->slowdown = rank->slowdown;
        if (rank->from_step > verdict->from_step)
            verdict->from_step = rank->from_step;
        if (rank->named_step > verdict->named_step)
            verdict->named_step = rank->named_step;
        return;
    }
    struct verdict *verdict = add(list, VERDICT_GROUP, rank->from_step);
    *verdict = *rank;
    verdict->kind = VERDICT_GROUP;
    verdict->rank = -1;
    str_copy(verdict->group, sizeof(verdict->group), str_from(group));
}

static struct summary_rank *find_rank(struct summary *summary, uint32_t rank)
{
    size_t low = 0, high = summary->rank_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (summary->ranks[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return &summary->ranks[low];
}

static void add_stragglers(struct analysis *analysis, uint32_t ordinal, struct list *list,
                           struct summary *summary)
{
    const struct fold *fold = &analysis->current;
    struct group_count *groups = count_groups(analysis, ordinal);
    for (uint32_t k = 0; k < fold->event_count; k++) {
        const struct fold_event *event = &fold->events[k];
        if (!in_force_at(event, ordinal))
            continue;
        struct verdict verdict = {.kind = VERDICT_STRAGGLER, .from_step = event->from_step};
        fill(analysis, event, true, &verdict);
        uint32_t group = analysis->ranks.info[event->slot].group;
        const char *name = names_get(&analysis->names, group);
        find_rank(summary, (uint32_t)verdict.rank)->straggler = true;
        if (is_slow_group(analysis, groups, group))
            join_group(list, name, &verdict);
        else
            *add(list, VERDICT_STRAGGLER, event->from_step) = verdict;
    }
    free(groups);
}

static int by_slowdown(const void *a, const void *b)
{
    const struct verdict *one = a, *other = b;
    if (one->slowdown != other->slowdown)
        return one->slowdown > other->slowdown ? -1 : 1;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

/* Ranks that others have left behind by two steps or more. */
static void add_missing(const struct analysis *analysis, size_t index, struct list *list)
{
    for (uint32_t i = 0; index != SIZE_MAX && i < analysis->ranks.count; i++) {
        int64_t since = analysis_missing_since(analysis, index, i);
        if (since < 0)
            continue;
        struct verdict *verdict = add(list, VERDICT_MISSING, since);
        verdict->rank = analysis->ranks.info[i].rank;
        verdict->attempt = analysis->ranks.info[i].now.attempt;
    }
}

/* Ranks that were missing for so long that they have left the job. */
static void add_left(const struct analysis *analysis, size_t index, struct list *list)
{
    if (index == SIZE_MAX)
        return;
    size_t front = analysis_front(analysis, index);
    const struct step_row *row = steps_at(&analysis->steps, front);
    int64_t stride = steps_stride(&analysis->steps, front), patience;
    if (__builtin_mul_overflow(stride, RANK_LEFT_AFTER, &patience))
        return;
    for (uint32_t i = 0; i < analysis->ranks.count; i++) {
        const struct rank_info *info = &analysis->ranks.info[i];
        bool behind = info->now.attempt < row->attempt ||
                      (info->now.attempt == row->attempt && info->now.last_step < row->step);
        if (!behind || info->now.last_step < 0 ||
            rank_is_expected(info, row->attempt, row->step, stride) ||
            analysis_missing_since(analysis, index, i) >= 0)
            continue;
        struct verdict *verdict = add(list, VERDICT_MISSING, info->now.last_step + 1);
        verdict->rank = info->rank;
        verdict->attempt = info->now.attempt;
        verdict->to_step = info->now.last_step + patience;
    }
}

static void add_past(struct analysis *analysis, uint32_t ordinal, struct list *list)
{
    const struct fold *fold = &analysis->current;
    for (uint32_t k = fold->event_count; k-- > 0;) {
        const struct fold_event *event = &fold->events[k];
        if (event->cleared_ordinal > ordinal)
            continue;
        struct verdict *verdict = add(list, VERDICT_STRAGGLER, event->from_step);
        fill(analysis, event, false, verdict);
    }
}

/* Where each attempt after the first began, as far as the table reaches. */
static void add_restarts(const struct analysis *analysis, struct list *list)
{
    const struct steps *steps = &analysis->steps;
    for (size_t i = 1; i < steps->count; i++) {
        const struct step_row *row = steps_at(steps, i), *before = steps_at(steps, i - 1);
        if (row->attempt == before->attempt)
            continue;
        struct verdict *verdict = add(list, VERDICT_RESTART, row->step);
        verdict->attempt = row->attempt;
        verdict->named_step = verdict->to_step = row->step;
    }
}

void analysis_verdicts(struct analysis *analysis, size_t index, uint32_t ordinal,
                       struct summary *summary)
{
    struct list list = {0};
    const struct step_row *row = index != SIZE_MAX ? steps_at(&analysis->steps, index) : NULL;
    add_stragglers(analysis, ordinal, &list, summary);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof(*list.items), by_slowdown);
    add_missing(analysis, index, &list);
    if (row && summary->rule == WAIT_UNKNOWN && analysis->current.ordinal > 0)
        add(&list, VERDICT_CANNOT_TELL, summary->first_step);
    summary->verdicts_in_force = list.count;
    add_past(analysis, ordinal, &list);
    add_left(analysis, index, &list);
    add_restarts(analysis, &list);
    free(summary->verdicts);
    summary->verdicts = list.items;
    summary->verdict_count = list.count;
    summary->verdicts_dropped = analysis->current.events_dropped;
}

/* What has happened in the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_table.h"
#include "analysis_verdicts.h"
#include "memory.h"

#define SECONDS 1e-9

static int compare(int64_t one, int64_t other)
{
    return one < other ? -1 : one > other;
}

static int in_order(const void *a, const void *b)
{
    const struct verdict *one = &((const struct run_event *)a)->verdict;
    const struct verdict *other = &((const struct run_event *)b)->verdict;
    int order = compare(one->attempt, other->attempt);
    if (order == 0)
        order = compare(one->from_step, other->from_step);
    if (order == 0)
        order = compare(one->named_step, other->named_step);
    if (order == 0) /* a restart comes before what happened in its first step */
        order = compare(one->kind != VERDICT_RESTART, other->kind != VERDICT_RESTART);
    if (order == 0)
        order = compare(one->kind, other->kind);
    if (order == 0)
        order = compare(one->rank, other->rank);
    return order != 0 ? order : strcmp(one->group, other->group);
}

/* Of what lasts: up to the newest step that is folded. */
static double so_far_s(const struct fold_event *event, double newest_ns)
{
    double lasted_s = (newest_ns - event->begin_ns) * SECONDS;
    return event->cleared_ordinal == UINT32_MAX && lasted_s >= 0 ? lasted_s : NAN;
}

void analysis_events(struct analysis *analysis, struct run_events *events)
{
    analysis_refresh(analysis);
    const struct fold *fold = &analysis->current;
    bool assumed, logged;
    double gpus = analysis_gpus(analysis, &assumed, &logged);
    double newest_ns = NAN;
    if (analysis->current_rows > 0)
        newest_ns = step_row_begin_ns(steps_at(&analysis->steps, analysis->current_rows - 1));
    events->items = memory_resized(events->items, fold->event_count, sizeof(*events->items));
    events->count = 0;
    events->dropped = fold->events_dropped + fold->missing_dropped;
    for (uint32_t k = 0; k < fold->event_count; k++) {
        const struct fold_event *event = &fold->events[k];
        bool lasts = event->cleared_ordinal == UINT32_MAX;
        if (verdict_kind_is_slow(event->kind) && analysis_is_explained(fold, event))
            continue;
        struct run_event *to = &events->items[events->count++];
        analysis_fill_verdict(analysis, event, lasts, gpus, &to->verdict);
        to->begin_s = event->begin_ns * SECONDS;
        to->end_s = lasts ? NAN : event->end_ns * SECONDS;
        to->so_far_s = so_far_s(event, newest_ns);
        to->end_attempt = event->end_attempt;
    }
    qsort(events->items, events->count, sizeof(*events->items), in_order);
}

/* Verdicts: stragglers, groups and hosts that are slow as a whole, spikes, missing
 * ranks, restarts, imbalance that wanders, and what the log cannot tell. */
#include "analysis_verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_late.h"
#include "analysis_missing.h"
#include "analysis_window.h"
#include "memory.h"

/* Room for the verdicts while they are put together. */
struct list {
    struct verdict *items;
    uint32_t count, capacity;
};

static void verdict_init(struct verdict *verdict, enum verdict_kind kind, int64_t from_step)
{
    *verdict = (struct verdict){
        .kind = kind,
        .rank = -1,
        .phase = -1,
        .slowdown = NAN,
        .sure = NAN,
        .lost_share = NAN,
        .lost_gpu_s = NAN,
        .step_time_s = NAN,
        .from_step = from_step,
        .named_step = -1,
        .to_step = -1,
    };
}

static struct verdict *add(struct list *list, enum verdict_kind kind, int64_t from_step)
{
    if (list->count == list->capacity)
        list->items = memory_grown(list->items, &list->capacity, sizeof(*list->items));
    struct verdict *verdict = &list->items[list->count++];
    verdict_init(verdict, kind, from_step);
    return verdict;
}

/* How many standard errors the newest window is over 1; NAN when it has no spread at all. */
static double sureness(const struct analysis *analysis, const struct fold_event *event)
{
    const struct fold *fold = &analysis->current;
    const float *samples = event->kind == VERDICT_GROUP ? fold->unit_samples
                           : fold->peer_samples         ? fold->peer_samples
                                                        : fold->samples;
    uint32_t window = fold->test.window;
    struct straggler_measure measure =
        straggler_measure(samples + (size_t)event->who * window, window);
    double spread = measure.spread;
    if (event->kind == VERDICT_STRAGGLER && fold->spread > spread)
        spread = fold->spread;
    double error = straggler_error(measure.count, spread);
    return error > 0 ? (measure.median - 1) / error : NAN;
}

static void fill_unit(const struct analysis *analysis, uint32_t index, struct verdict *verdict)
{
    const struct peers_unit *unit = &analysis->current.peers.units[index];
    str_copy(verdict->group, sizeof(verdict->group),
             str_from(names_get(&analysis->names, unit->name)));
    verdict->is_host = unit->is_host;
}

static void fill_lasting(struct analysis *analysis, const struct fold_event *event, bool in_force,
                         double gpus, struct verdict *verdict)
{
    const struct fold *fold = &analysis->current;
    const struct straggler *straggler = event->kind == VERDICT_GROUP
                                            ? &fold->units[event->who].straggler
                                            : &fold->ranks[event->who].straggler;
    bool still = event->cleared_ordinal == UINT32_MAX;
    if (event->kind == VERDICT_GROUP)
        fill_unit(analysis, event->who, verdict);
    else
        verdict->rank = analysis->ranks.info[event->who].rank;
    verdict->slowdown = still ? quantile_median(&straggler->since) : event->slowdown;
    if (still && in_force)
        verdict->sure = sureness(analysis, event);
    verdict->to_step = in_force ? -1 : event->to_step;
    if (event->time_ns > 0) {
        verdict->lost_share = event->lost_ns / event->time_ns;
        verdict->lost_gpu_s = gpus > 0 ? event->lost_ns * 1e-9 * gpus : NAN;
    }
}

void analysis_fill_verdict(struct analysis *analysis, const struct fold_event *event, bool in_force,
                           double gpus, struct verdict *verdict)
{
    verdict_init(verdict, event->kind, event->from_step);
    verdict->phase = event->phase;
    verdict->named_step = event->named_step;
    verdict->to_step = event->to_step;
    verdict->attempt = event->attempt;
    verdict->step_time_s = event->own_time_ns * 1e-9;
    verdict->computed = event->computed;
    verdict->repeated_steps = event->repeated_steps;
    if (verdict_kind_is_slow(event->kind)) {
        fill_lasting(analysis, event, in_force, gpus, verdict);
    } else if (event->of_host) {
        fill_unit(analysis, event->who, verdict);
    } else {
        verdict->slowdown = event->slowdown;
        if (event->who < analysis->ranks.count)
            verdict->rank = analysis->ranks.info[event->who].rank;
    }
}

static void add_event(struct analysis *analysis, const struct fold_event *event, bool in_force,
                      const struct summary *summary, struct list *list)
{
    struct verdict *verdict = add(list, event->kind, event->from_step);
    analysis_fill_verdict(analysis, event, in_force, summary->run.gpus, verdict);
}

/* ---- a group in place of its ranks ---- */

/* Whether two verdicts were in force at the same time, ever. */
static bool overlap(const struct fold_event *a, const struct fold_event *b)
{
    return a->named_ordinal < b->cleared_ordinal && b->named_ordinal < a->cleared_ordinal;
}

/* Whether a verdict on a group says all that one on a rank of it, or on a host with
 * the same ranks, says. A rank that is slow within its own group stays. */
static bool explains(const struct fold *fold, const struct fold_event *group,
                     const struct fold_event *event)
{
    const struct peers *peers = &fold->peers;
    const struct peers_unit *unit = &peers->units[group->who];
    if (event->kind == VERDICT_GROUP) {
        const struct peers_unit *host = &peers->units[event->who];
        bool same = host->is_host && !unit->is_host && host->ranks == unit->ranks;
        for (uint32_t k = 0; same && k < host->ranks; k++)
            same = peers->group_unit[peers->members[host->first + k]] == group->who;
        return same && host->ranks > 0;
    }
    if (unit->is_host)
        return peers->host_unit[event->who] == group->who;
    return peers->group_unit[event->who] == group->who &&
           !(peers->by_group && unit->judged && unit->ranks >= PEERS_MIN);
}

bool analysis_is_explained(const struct fold *fold, const struct fold_event *event)
{
    if (fold->units == NULL)
        return false;
    for (uint32_t k = 0; k < fold->event_count; k++) {
        const struct fold_event *group = &fold->events[k];
        if (group != event && group->kind == VERDICT_GROUP && overlap(group, event) &&
            explains(fold, group, event))
            return true;
    }
    return false;
}

static void add_in_force(struct analysis *analysis, uint32_t ordinal, struct list *list,
                         const struct summary *summary)
{
    const struct fold *fold = &analysis->current;
    for (uint32_t k = 0; k < fold->event_count; k++) {
        const struct fold_event *event = &fold->events[k];
        if (verdict_kind_is_slow(event->kind) && fold_event_in_force(event, ordinal) &&
            !analysis_is_explained(fold, event))
            add_event(analysis, event, true, summary, list);
    }
}

static void add_late(struct analysis *analysis, struct summary *summary, struct list *list)
{
    struct late late = analysis_find_late(analysis);
    if (late.slot == RANK_SLOT_NONE)
        return;
    struct verdict *verdict = add(list, VERDICT_STRAGGLER, late.from_step);
    verdict->rank = analysis->ranks.info[late.slot].rank;
    verdict->begins_late = true;
    verdict->slowdown = late.slowdown;
    verdict->sure = late.sure;
    verdict->attempt = late.attempt;
    verdict->named_step =
        steps_at(&analysis->steps, analysis->window->rows[analysis->window->row_count - 1])->step;
    for (size_t i = 0; i < summary->rank_count; i++)
        summary->ranks[i].straggler |= summary->ranks[i].rank == verdict->rank;
    analysis->window->late_slot = late.slot;
    analysis->window->late_gain_s = late.gain_s;
}

/* All but those that last. Of missing ranks a summary has only those from the events that are back,
 * the others it finds itself, as they were at the shown step. */
static bool is_moment(const struct fold_event *event)
{
    return !verdict_kind_is_slow(event->kind) && event->kind != VERDICT_MISSING;
}

/* Spikes, restarts and gaps are in force at their own step. */
static void add_moments(struct analysis *analysis, uint32_t ordinal, struct list *list,
                        const struct summary *summary)
{
    const struct fold *fold = &analysis->current;
    for (uint32_t k = 0; k < fold->event_count; k++)
        if (is_moment(&fold->events[k]) && fold->events[k].named_ordinal == ordinal)
            add_event(analysis, &fold->events[k], true, summary, list);
}

static void mark_ranks(const struct analysis *analysis, struct summary *summary)
{
    const struct analysis_window *window = analysis->window;
    for (size_t i = 0; window->view.steps > 0 && i < summary->rank_count; i++) {
        uint32_t slot = ranks_slot(&analysis->ranks, summary->ranks[i].rank);
        summary->ranks[i].straggler = window->named[slot];
    }
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
    if (__builtin_mul_overflow(stride, RANK_LEFT_AFTER, &patience) || step_row_of_job(row))
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

/* The newest first. */
static void add_past(struct analysis *analysis, uint32_t ordinal, struct list *list,
                     const struct summary *summary)
{
    const struct fold *fold = &analysis->current;
    for (uint32_t k = fold->event_count; k-- > 0;) {
        const struct fold_event *event = &fold->events[k];
        bool past =
            is_moment(event) ? event->named_ordinal < ordinal : event->cleared_ordinal <= ordinal;
        if (past && (!verdict_kind_is_slow(event->kind) || !analysis_is_explained(fold, event)))
            add_event(analysis, event, false, summary, list);
    }
}

void analysis_verdicts(struct analysis *analysis, size_t index, uint32_t ordinal,
                       struct summary *summary)
{
    struct list list = {0};
    const struct step_row *row = index != SIZE_MAX ? steps_at(&analysis->steps, index) : NULL;
    mark_ranks(analysis, summary);
    if (row)
        add_in_force(analysis, ordinal, &list, summary);
    if (row && list.count == 0 && !analysis->options.figures_only)
        add_late(analysis, summary, &list);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof(*list.items), by_slowdown);
    add_missing(analysis, index, &list);
    if (row && analysis->current.ordinal > 0 &&
        (summary->rule == WAIT_UNKNOWN ||
         (!analysis->options.figures_only && analysis->current.history.own_steps == 0)))
        add(&list, VERDICT_CANNOT_TELL, summary->first_step);
    if (row)
        add_moments(analysis, ordinal, &list, summary);
    summary->verdicts_in_force = list.count;
    if (row)
        add_past(analysis, ordinal, &list, summary);
    add_left(analysis, index, &list);
    free(summary->verdicts);
    summary->verdicts = list.items;
    summary->verdict_count = list.count;
    summary->verdicts_dropped = analysis->current.events_dropped;
}

/* Somebody is last in most steps, or somebody is named already. */
static bool is_settled(const struct summary *summary)
{
    for (size_t i = 0; i < summary->verdicts_in_force; i++)
        if (verdict_kind_is_slow(summary->verdicts[i].kind))
            return true;
    return summary->rotation.most_count * 2 > summary->rotation.steps;
}

void analysis_judge_wandering(const struct analysis *analysis, struct summary *summary)
{
    const struct jitter *jitter = &summary->jitter;
    if (summary->rotation.steps < STRAGGLER_STEPS_MIN || !quantity_known(jitter->loss) ||
        jitter->loss.value < summary->run.threshold || is_settled(summary))
        return;
    struct list list = {0};
    int64_t first = steps_at(&analysis->steps, analysis->window->rows[0])->step;
    struct verdict *verdict = add(&list, VERDICT_WANDERING, first);
    verdict->lost_share = jitter->loss.value;
    verdict->attempt = summary->shown.attempt;
    size_t at = summary->verdicts_in_force, behind = summary->verdict_count - at;
    summary->verdicts =
        memory_resized(summary->verdicts, summary->verdict_count + 1, sizeof(*summary->verdicts));
    memmove(summary->verdicts + at + 1, summary->verdicts + at,
            behind * sizeof(*summary->verdicts));
    summary->verdicts[at] = *verdict;
    summary->verdict_count++;
    summary->verdicts_in_force++;
    free(list.items);
}

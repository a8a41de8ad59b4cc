/* Verdicts that begin and end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "memory.h"
#include "quantile.h"

static int64_t step_of(const struct fold *fold, uint32_t ordinal)
{
    if (fold->ordinal - ordinal >= STRAGGLER_WINDOW_MAX) /* as far back as is known */
        ordinal = fold->ordinal - STRAGGLER_WINDOW_MAX + 1;
    return fold->ordinal_steps[ordinal % STRAGGLER_WINDOW_MAX];
}

void fold_event_remove(struct fold *fold, uint32_t index)
{
    fold->missing_events -= fold->events[index].kind == VERDICT_MISSING;
    memmove(fold->events + index, fold->events + index + 1,
            (fold->event_count - index - 1) * sizeof(*fold->events));
    fold->event_count--;
    for (uint32_t i = 0; i < fold->rank_count; i++)
        fold->ranks[i].event -= fold->ranks[i].event > (int32_t)index;
    for (uint32_t i = 0; i < fold->rank_count; i++)
        fold->absences[i].event -= fold->absences[i].event > (int32_t)index;
    for (uint32_t u = 0; u < fold->unit_count; u++)
        fold->units[u].event -= fold->units[u].event > (int32_t)index;
}

/* Room for one more event. When there is none the oldest spike or gap goes, of which
 * there may be any number, else the oldest that is past. */
static bool make_room(struct fold *fold)
{
    if (fold->event_count < FOLD_EVENTS_MAX) {
        if (fold->event_count == fold->event_capacity)
            fold->events = memory_grown(fold->events, &fold->event_capacity, sizeof(*fold->events));
        return true;
    }
    uint32_t past = UINT32_MAX;
    fold->events_dropped++;
    for (uint32_t i = 0; i < fold->event_count; i++) {
        if (fold->events[i].kind == VERDICT_SPIKE || fold->events[i].kind == VERDICT_GAP) {
            past = i;
            break;
        }
        if (past == UINT32_MAX && fold->events[i].cleared_ordinal != UINT32_MAX)
            past = i;
    }
    if (past == UINT32_MAX)
        return false;
    fold_event_remove(fold, past);
    fold_recover(fold);
    return true;
}

struct fold_event *fold_event_new(struct fold *fold, enum verdict_kind kind, uint32_t who,
                                  const struct step_row *row)
{
    if (!make_room(fold))
        return NULL;
    struct fold_event *event = &fold->events[fold->event_count++];
    *event = (struct fold_event){
        .kind = kind,
        .who = who,
        .attempt = row->attempt,
        .phase = -1,
        .slowdown = NAN,
        .sure = NAN,
        .own_time_ns = NAN,
        .from_step = row->step,
        .named_step = row->step,
        .to_step = -1,
        .begin_ns = NAN,
        .end_ns = NAN,
        .end_attempt = row->attempt,
        .from_ordinal = fold->ordinal,
        .named_ordinal = fold->ordinal,
        .to_ordinal = UINT32_MAX,
        .cleared_ordinal = UINT32_MAX,
    };
    return event;
}

const uint32_t *fold_event_slots(const struct fold *fold, const struct fold_event *event,
                                 uint32_t *one, uint32_t *ret_count)
{
    *one = event->who;
    *ret_count = event->kind == VERDICT_STRAGGLER;
    if (event->kind != VERDICT_GROUP)
        return one;
    const struct peers_unit *unit = &fold->peers.units[event->who];
    *ret_count = unit->ranks;
    return fold->peers.members + unit->first;
}

void fold_recover(struct fold *fold)
{
    for (uint32_t i = 0; i < fold->rank_count; i++)
        fold->ranks[i].covers = 0;
    fold->in_force = 0;
    fold->active = memory_resized(fold->active, fold->event_capacity, sizeof(*fold->active));
    for (uint32_t k = 0; k < fold->event_count; k++) {
        const struct fold_event *event = &fold->events[k];
        uint32_t one, count;
        if (event->cleared_ordinal != UINT32_MAX || !verdict_kind_is_slow(event->kind))
            continue;
        const uint32_t *slots = fold_event_slots(fold, event, &one, &count);
        fold->active[fold->in_force++] = k;
        for (uint32_t j = 0; j < count; j++)
            fold->ranks[slots[j]].covers++;
    }
}

static struct straggler *straggler_of(struct fold *fold, enum verdict_kind kind, uint32_t who)
{
    return kind == VERDICT_GROUP ? &fold->units[who].straggler : &fold->ranks[who].straggler;
}

static int32_t *event_of(struct fold *fold, enum verdict_kind kind, uint32_t who)
{
    return kind == VERDICT_GROUP ? &fold->units[who].event : &fold->ranks[who].event;
}

void fold_open(struct fold *fold, const struct fold_step *step, enum verdict_kind kind,
               uint32_t who)
{
    const struct straggler *straggler = straggler_of(fold, kind, who);
    struct fold_event *event = fold_event_new(fold, kind, who, step->row);
    if (!event)
        return;
    uint32_t one, count;
    const uint32_t *slots = fold_event_slots(fold, event, &one, &count);
    size_t span = fold->ordinal - straggler->from;
    size_t first = step->index > span ? step->index - span : 0;
    event->from_ordinal = straggler->from;
    event->from_step = step_of(fold, straggler->from);
    if (steps_at(step->steps, first)->step == event->from_step) {
        event->attempt = steps_at(step->steps, first)->attempt; /* before a restart, it may be */
        event->begin_ns = step_row_begin_ns(steps_at(step->steps, first));
    }
    event->phase =
        fold_blame(step->steps, first, step->index, slots, count, fold->rank_count, step->choice);
    *event_of(fold, kind, who) = (int32_t)fold->event_count - 1;
    fold_recover(fold);
    fold_loss_before(fold, step, event);
}

void fold_event_end(struct fold *fold, struct fold_event *event, const struct fold_step *step,
                    uint32_t to_ordinal, int64_t to_step)
{
    event->to_step = to_step;
    event->to_ordinal = to_ordinal;
    event->end_attempt = step->row->attempt;
    event->cleared_ordinal = fold->last_cleared = fold->ordinal;
    size_t back = fold->ordinal - to_ordinal;
    const struct step_row *last =
        back <= step->index ? steps_at(step->steps, step->index - back) : NULL;
    if (!last || last->step != to_step)
        return;
    event->end_attempt = last->attempt;
    event->end_ns = step_row_begin_ns(last);
}

void fold_close(struct fold *fold, const struct fold_step *step, enum verdict_kind kind,
                uint32_t who)
{
    struct straggler *straggler = straggler_of(fold, kind, who);
    int32_t *index = event_of(fold, kind, who);
    if (*index >= 0) {
        struct fold_event *event = &fold->events[*index];
        fold_event_end(fold, event, step, straggler->to, step_of(fold, straggler->to));
        event->slowdown = quantile_median(&straggler->since);
        *index = -1;
        fold_recover(fold);
    }
    quantile_done(&straggler->since);
}

/* How long the job was down: from when a rank left its last barrier to its begin of
 * the first step after, the median over ranks, each by its own clock. */
double fold_down_ns(const struct step_row *row, const struct step_row *before)
{
    uint32_t n = 0, slots = row->capacity < before->capacity ? row->capacity : before->capacity;
    double *values = memory_resized(NULL, slots, sizeof(*values));
    for (uint32_t i = 0; i < slots; i++)
        if ((row->has[i] & RECORD_BEGIN) && before->has[i] && before->cells[i].mark_ns != INT64_MIN)
            values[n++] = (double)(row->cells[i].begin_ns - before->cells[i].mark_ns);
    double median = median_of(values, n);
    free(values);
    return median >= 0 ? median : NAN;
}

void fold_restart(struct fold *fold, const struct fold_step *step)
{
    double down = fold->down_ns;
    const struct step_row *row = step->row;
    int64_t lost = history_restart(&fold->history, row->step - row->job.span + 1, down);
    struct fold_event *event = fold_event_new(fold, VERDICT_RESTART, UINT32_MAX, step->row);
    if (!event)
        return;
    event->own_time_ns = down;
    event->computed = row->has_any & RECORD_COMPUTED;
    event->repeated_steps = lost;
    event->begin_ns = step_row_begin_ns(step->row);
    fold_event_end(fold, event, step, fold->ordinal, step->row->step);
}

/* Who, if anybody, made this step long: the last to arrive, when it was late by at
 * least half of what the step was too long. */
static void blame_spike(const struct fold *fold, const struct fold_step *step, double median_ns,
                        struct fold_event *event)
{
    const struct step_digest *digest = &step->barrier->digest;
    double excess_ns = event->own_time_ns - median_ns;
    double late_ns = digest->own_max_ns - digest->own_median_ns;
    double waited_ns = digest_late_ns(digest);
    if (waited_ns > late_ns)
        late_ns = waited_ns;
    if (digest->last_slot < fold->rank_count && late_ns >= excess_ns / 2) {
        event->who = digest->last_slot;
        event->phase = fold_blame(step->steps, step->index, step->index, &event->who, 1,
                                  fold->rank_count, step->choice);
    } else {
        event->phase =
            fold_blame_all(step->row, fold_row_before(step->steps, step->index), fold->rank_count);
    }
}

/* A step's tokens over the mean of the window; 1 where they are not known, or fewer: a larger batch
 * takes longer, and is no spike. */
static double more_work(const struct fold *fold, const struct step_digest *digest)
{
    double mean = fold->ring_sum.tokens / fold->ring_sum.covered;
    double times = (double)digest->tokens / mean;
    return mean > 0 && times > 1 ? times : 1;
}

/* Of collectives those that the forward pass is in front of, or the optimizer, are longer in every
 * step: only what is longer than all of them before is out of the ordinary. */
static bool is_usual_part(const struct fold *fold, const struct fold_step *step)
{
    double longest_ns = (double)fold->longest_part_ns;
    double time_ns = (double)step->barrier->digest.step_time_ns;
    return (step->row->has_any & RECORD_PART) &&
           (fold->attempt_steps < FOLD_SPIKE_PARTS || time_ns <= FOLD_SPIKE_FACTOR * longest_ns);
}

void fold_spike(struct fold *fold, const struct fold_step *step)
{
    const struct step_digest *digest = &step->barrier->digest;
    double time_ns = (double)digest->step_time_ns;
    if (fold->times.count < FOLD_SPIKE_STEPS_MIN || (step->row->has_any & RECORD_ANY_EVENT) ||
        !rolling_is_over(&fold->times, time_ns, FOLD_SPIKE_FACTOR) ||
        !rolling_is_over(&fold->times, time_ns, FOLD_SPIKE_FACTOR * more_work(fold, digest)) ||
        is_usual_part(fold, step))
        return;
    double median_ns = rolling_median(&fold->times);
    if (!(median_ns > 0)) /* steps that took no time at all are no measure */
        return;
    struct fold_event *event = fold_event_new(fold, VERDICT_SPIKE, UINT32_MAX, step->row);
    if (!event)
        return;
    event->slowdown = time_ns / median_ns;
    event->own_time_ns = time_ns;
    event->computed = digest->time_evidence == EVIDENCE_COMPUTED;
    event->begin_ns = step_row_begin_ns(step->row);
    fold_event_end(fold, event, step, fold->ordinal, step->row->step);
    blame_spike(fold, step, median_ns, event);
}

double fold_unnamed_ns(struct fold *fold, const struct step_row *row,
                       const struct step_digest *digest)
{
    double time_ns = (double)digest->step_time_ns, late_ns = digest_late_ns(digest), rest_ns;
    if (!(row->has_any & RECORD_ANY_EVENT) || digest->time_evidence == EVIDENCE_NONE)
        return 0;
    if (isnan(digest->own_median_ns) || (row->has_all & RECORD_JOB))
        rest_ns = time_ns - rolling_median(&fold->times);
    else
        rest_ns = time_ns - digest->own_median_ns - (isnan(late_ns) ? 0 : late_ns) -
                  (digest->exchange_ns >= 0 ? (double)digest->exchange_ns : 0);
    return rest_ns > 0 ? rest_ns * (double)digest->span : 0;
}

void fold_called(struct fold *fold, const struct step_row *row, const struct step_digest *digest)
{
    static const uint32_t bits[] = {
        [CALLED_CHECKPOINT] = RECORD_CHECKPOINT, [CALLED_VALIDATION] = RECORD_VALIDATION};
    for (int i = 0; i < CALLED_COUNT; i++) {
        struct fold_called *called = &fold->called[i];
        if (!(row->has_any & bits[i]))
            continue;
        if (called->count < SUMMARY_CALLED_STEPS)
            called->first[called->count] = row->step;
        called->count++;
        if (isfinite(digest->between_ns)) {
            called->paused++;
            called->pause_ns += fmax(digest->between_ns, 0);
        }
        if (digest->time_evidence == EVIDENCE_NONE || fold->times.count < FOLD_WARM_UP)
            continue;
        double median_ns = rolling_median(&fold->times);
        called->judged++;
        called->beyond_ns += ((double)digest->step_time_ns - median_ns) * (double)digest->span;
    }
}

/* Steps folded into spans and windows. */
#include "fold.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "quantile.h"

void fold_init(struct fold *fold, const struct run *run, int64_t from_step, int64_t to_step)
{
    assert(run->window >= 1 && run->window <= STRAGGLER_WINDOW_MAX);
    *fold = (struct fold){
        .window = run->window,
        .straggler_window =
            run->window > STRAGGLER_STEPS_MIN ? (uint32_t)run->window : STRAGGLER_STEPS_MIN,
        .threshold = run->threshold,
        .from_step = from_step,
        .to_step = to_step,
        .first_step = -1,
        .last_step = -1,
    };
    fold->ring = memory_zeroed((size_t)fold->window, sizeof(*fold->ring));
    fold->ordinal_steps = memory_zeroed(STRAGGLER_WINDOW_MAX, sizeof(*fold->ordinal_steps));
}

void fold_done(struct fold *fold)
{
    for (uint32_t i = 0; i < fold->rank_count; i++) {
        quantile_done(&fold->ranks[i].slowdown);
        quantile_done(&fold->ranks[i].straggler.since);
    }
    quantile_done(&fold->measured.quantile);
    quantile_done(&fold->computed.quantile);
    free(fold->ranks);
    free(fold->samples);
    free(fold->ring);
    free(fold->ordinal_steps);
    free(fold->events);
    *fold = (struct fold){0};
}

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *to = memory_resized(NULL, count, size);
    if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

static void copy_quantile(struct quantile *quantile)
{
    struct quantile from = *quantile;
    *quantile = (struct quantile){0};
    quantile_copy(quantile, &from);
}

void fold_copy(struct fold *to, const struct fold *from)
{
    fold_done(to);
    *to = *from;
    to->ring = copy_of(from->ring, (size_t)from->window, sizeof(*from->ring));
    to->ordinal_steps =
        copy_of(from->ordinal_steps, STRAGGLER_WINDOW_MAX, sizeof(*from->ordinal_steps));
    to->ranks = copy_of(from->ranks, from->rank_capacity, sizeof(*from->ranks));
    to->samples = copy_of(from->samples, (size_t)from->rank_capacity * from->straggler_window,
                          sizeof(*from->samples));
    to->events = copy_of(from->events, from->event_capacity, sizeof(*from->events));
    copy_quantile(&to->measured.quantile);
    copy_quantile(&to->computed.quantile);
    for (uint32_t i = 0; i < to->rank_count; i++) {
        copy_quantile(&to->ranks[i].slowdown);
        copy_quantile(&to->ranks[i].straggler.since);
    }
}

/* With so many ranks, 4,096 values of each would be more than the table. */
#define MANY_RANKS 1024
#define MANY_RANKS_EXACT 512

static void reach_ranks(struct fold *fold, uint32_t count)
{
    if (count > fold->rank_capacity) {
        uint32_t capacity = fold->rank_capacity ? fold->rank_capacity : 8;
        while (capacity < count)
            capacity *= 2;
        fold->ranks = memory_resized(fold->ranks, capacity, sizeof(*fold->ranks));
        fold->samples = memory_resized(fold->samples, (size_t)capacity * fold->straggler_window,
                                       sizeof(*fold->samples));
        memset(fold->ranks + fold->rank_capacity, 0,
               (capacity - fold->rank_capacity) * sizeof(*fold->ranks));
        memset(fold->samples + (size_t)fold->rank_capacity * fold->straggler_window, 0,
               (size_t)(capacity - fold->rank_capacity) * fold->straggler_window *
                   sizeof(*fold->samples));
        fold->rank_capacity = capacity;
    }
    if (fold->rank_count == count)
        return;
    for (; fold->rank_count < count; fold->rank_count++)
        fold->ranks[fold->rank_count].event = -1;
    for (uint32_t i = 0; count > MANY_RANKS && i < count; i++)
        fold->ranks[i].slowdown.exact_max = MANY_RANKS_EXACT;
}

const struct step_row *fold_row_before(const struct steps *steps, size_t index)
{
    if (index == 0)
        return NULL;
    const struct step_row *row = steps_at(steps, index), *before = steps_at(steps, index - 1);
    return before->attempt == row->attempt && before->step == row->step - 1 ? before : NULL;
}

int fold_blame(const struct steps *steps, size_t first, size_t last, uint32_t slot, uint32_t ranks,
               struct wait_choice choice)
{
    double *values = memory_resized(NULL, ranks, sizeof(*values));
    double excess[PHASE_COUNT] = {0};
    bool known[PHASE_COUNT] = {false};
    for (size_t k = first; k <= last; k++) {
        const struct step_row *row = steps_at(steps, k);
        if (slot >= row->capacity)
            continue;
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            uint32_t bit = 1u << phase, n = 0;
            if (phase == PHASE_SYNC || !(row->has[slot] & bit) ||
                (phase == PHASE_BACKWARD && choice.overlapped && !(row->has[slot] & RECORD_SYNC)))
                continue;
            for (uint32_t i = 0; i < ranks && i < row->capacity; i++)
                if (row->has[i] & bit)
                    values[n++] = (double)row->cells[i].phase_ns[phase];
            excess[phase] += (double)row->cells[slot].phase_ns[phase] - median_of(values, n);
            known[phase] = true;
        }
    }
    free(values);
    int worst = -1;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (known[phase] && (worst < 0 || excess[phase] > excess[worst]))
            worst = phase;
    return worst >= 0 && excess[worst] > 0 ? worst : -1;
}

static int64_t step_of(const struct fold *fold, uint32_t ordinal)
{
    if (fold->ordinal - ordinal >= STRAGGLER_WINDOW_MAX) /* as far back as is known */
        ordinal = fold->ordinal - STRAGGLER_WINDOW_MAX + 1;
    return fold->ordinal_steps[ordinal % STRAGGLER_WINDOW_MAX];
}

/* Room for one more event: the oldest past one goes when there is none. */
static bool make_room_for_event(struct fold *fold)
{
    if (fold->event_count < FOLD_EVENTS_MAX) {
        if (fold->event_count == fold->event_capacity)
            fold->events = memory_grown(fold->events, &fold->event_capacity, sizeof(*fold->events));
        return true;
    }
    fold->events_dropped++;
    for (uint32_t i = 0; i < fold->event_count; i++) {
        if (fold->events[i].to_step < 0)
            continue;
        memmove(fold->events + i, fold->events + i + 1,
                (fold->event_count - i - 1) * sizeof(*fold->events));
        fold->event_count--;
        for (uint32_t r = 0; r < fold->rank_count; r++)
            fold->ranks[r].event -= fold->ranks[r].event > (int32_t)i;
        return true;
    }
    return false;
}

static void open_event(struct fold *fold, const struct steps *steps, size_t index, uint32_t slot,
                       struct wait_choice choice)
{
    const struct step_row *row = steps_at(steps, index);
    struct straggler *straggler = &fold->ranks[slot].straggler;
    if (!make_room_for_event(fold))
        return;
    size_t span = fold->ordinal - straggler->from;
    struct fold_event *event = &fold->events[fold->event_count];
    *event = (struct fold_event){
        .slot = slot,
        .attempt = row->attempt,
        .phase = fold_blame(steps, index > span ? index - span : 0, index, slot, fold->rank_count,
                            choice),
        .slowdown = NAN,
        .from_step = step_of(fold, straggler->from),
        .named_step = row->step,
        .to_step = -1,
        .cleared_step = -1,
        .named_ordinal = fold->ordinal,
        .cleared_ordinal = UINT32_MAX,
    };
    fold->ranks[slot].event = (int32_t)fold->event_count++;
}

static void close_event(struct fold *fold, const struct step_row *row, uint32_t slot)
{
    struct fold_rank *rank = &fold->ranks[slot];
    if (rank->event >= 0) {
        struct fold_event *event = &fold->events[rank->event];
        event->to_step = step_of(fold, rank->straggler.to);
        event->cleared_step = row->step;
        event->cleared_ordinal = fold->ordinal;
        event->slowdown = quantile_median(&rank->straggler.since);
        rank->event = -1;
    }
    quantile_done(&rank->straggler.since);
}

/* A rank without a record: when a whole window has gone by without it, what was
 * said of it holds no longer. */
static void fold_absent(struct fold *fold, const struct step_row *row, uint32_t slot)
{
    struct straggler *straggler = &fold->ranks[slot].straggler;
    uint32_t window = fold->straggler_window;
    const struct slow_sample *samples = fold->samples + (size_t)slot * window;
    if (straggler->count == 0)
        return;
    uint32_t last = samples[(straggler->next + window - 1) % window].ordinal;
    if (fold->ordinal - last <= window)
        return;
    straggler->to = last;
    close_event(fold, row, slot);
    *straggler = (struct straggler){0};
}

static void fold_ranks(struct fold *fold, const struct steps *steps, size_t index,
                       struct wait_choice choice, const struct barrier *barrier)
{
    const struct step_row *row = steps_at(steps, index);
    double median = barrier->digest.own_median_ns;
    double scale = median > 0 ? 1 / median : 0;
    bool compared = row->reported >= 2 && scale > 0;
    bool waits = barrier->digest.wait_count > 0;
    uint32_t count = fold->rank_count < row->capacity ? fold->rank_count : row->capacity;
    uint32_t window = fold->straggler_window, ordinal = fold->ordinal;
    double threshold = fold->threshold;
    for (uint32_t i = 0; i < count; i++) {
        struct fold_rank *rank = &fold->ranks[i];
        if (!row->has[i]) {
            fold_absent(fold, row, i);
            continue;
        }
        rank->steps++;
        if (waits) {
            rank->wait_sum_ns += barrier->wait_ns[i];
            rank->wait_steps++;
        }
        if (!compared || !(barrier->own_ns[i] > 0))
            continue;
        double slowdown = barrier->own_ns[i] * scale;
        quantile_add(&rank->slowdown, slowdown);
        enum straggler_change change =
            straggler_add(&rank->straggler, fold->samples + (size_t)i * window, window, threshold,
                          slowdown, ordinal);
        if (change == STRAGGLER_NAMED)
            open_event(fold, steps, index, i, choice);
        else if (change == STRAGGLER_CLEARED)
            close_event(fold, row, i);
    }
    if (barrier->digest.last_slot < fold->rank_count)
        fold->ranks[barrier->digest.last_slot].last_count++;
}

static void fold_time(struct fold *fold, const struct step_digest *digest, uint32_t reported)
{
    struct fold_times *times =
        digest->time_evidence == EVIDENCE_MEASURED ? &fold->measured : &fold->computed;
    double time_ns = (double)digest->step_time_ns;
    times->count++;
    times->sum_ns += time_ns;
    if (time_ns > times->max_ns)
        times->max_ns = time_ns;
    quantile_add(&times->quantile, time_ns);
    if (digest->wait_count > 0) {
        times->wait_ns += (double)digest->wait_sum_ns;
        times->rank_time_ns += time_ns * reported;
    }
}

/* All sums are of whole nanoseconds and tokens under 2^53, so adding and taking
 * away again is exact. */
static void fold_window(struct fold *fold, const struct step_digest *digest, uint32_t reported)
{
    struct fold_window_step *place = &fold->ring[fold->ring_next];
    struct fold_window_step *sum = &fold->ring_sum;
    if (fold->ring_count == fold->window) {
        sum->time_ns -= place->time_ns;
        sum->tokens -= place->tokens;
        sum->wait_ns -= place->wait_ns;
        sum->rank_time_ns -= place->rank_time_ns;
    } else {
        fold->ring_count++;
    }
    double time_ns = (double)digest->step_time_ns;
    bool waits = digest->wait_count > 0;
    *place = (struct fold_window_step){
        .time_ns = time_ns,
        .tokens = (double)digest->tokens,
        .wait_ns = waits ? (double)digest->wait_sum_ns : 0,
        .rank_time_ns = waits ? time_ns * reported : 0,
    };
    sum->time_ns += place->time_ns;
    sum->tokens += place->tokens;
    sum->wait_ns += place->wait_ns;
    sum->rank_time_ns += place->rank_time_ns;
    fold->ring_next = fold->ring_next + 1 == fold->window ? 0 : fold->ring_next + 1;
}

static void fold_span(struct fold *fold, const struct step_row *row,
                      const struct step_digest *digest)
{
    if (fold->first_step < 0 || row->step < fold->first_step)
        fold->first_step = row->step;
    if (row->step > fold->last_step)
        fold->last_step = row->step;
    if (row->reported >= digest->expected)
        fold->complete++;
    else
        fold->incomplete++;
    fold->rule_steps[digest->rule]++;
    if (digest->wait_count > 0) {
        fold->wait_sum_ns += (double)digest->wait_sum_ns;
        fold->wait_count += digest->wait_count;
    }
    if (digest->exchange_ns >= 0) {
        fold->exchange_sum_ns += (double)digest->exchange_ns;
        fold->exchange_count++;
    }
    if (digest->time_evidence == EVIDENCE_NONE)
        return;
    fold_time(fold, digest, row->reported);
    fold_window(fold, digest, row->reported);
}

void fold_row(struct fold *fold, const struct steps *steps, size_t index, const struct ranks *ranks,
              struct wait_choice choice, struct barrier *barrier)
{
    struct step_row *row = steps_at(steps, index);
    barrier_compute(barrier, row, fold_row_before(steps, index), ranks->count, choice);
    struct step_digest *digest = &barrier->digest;
    digest->expected =
        row->reported == ranks->count
            ? ranks->count
            : ranks_expected(ranks, row->attempt, row->step, steps_stride(steps, index));
    if (digest->expected < row->expected) /* ranks know only their last two attempts */
        digest->expected = row->expected;
    if (digest->expected < row->reported)
        digest->expected = row->reported;
    if (row->step >= fold->from_step && row->step <= fold->to_step) {
        reach_ranks(fold, ranks->count);
        fold->ordinal_steps[fold->ordinal % STRAGGLER_WINDOW_MAX] = row->step;
        fold_span(fold, row, digest);
        fold_ranks(fold, steps, index, choice, barrier);
        fold->ordinal++;
    }
    digest->ordinal = fold->ordinal > 0 ? fold->ordinal - 1 : 0;
    digest->window_steps = fold->ring_count;
    digest->window_time_ns = fold->ring_sum.time_ns;
    digest->window_tokens = fold->ring_sum.tokens;
    digest->window_wait_ns = fold->ring_sum.wait_ns;
    digest->window_rank_time_ns = fold->ring_sum.rank_time_ns;
    row->digest = *digest;
}

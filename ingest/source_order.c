/* Where a record stands among those of other files: epoch, then step. */
#include "source_order.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "source_index.h"

#define RESTART_NS 10e9 /* a run is down for longer before it goes on */

static struct order_rank *place_of(struct order *order, uint32_t rank)
{
    if (!order->table) {
        if (!order->one.used || order->one.rank == rank)
            return &order->one;
        order->table = memory_zeroed(1, ORDER_RANKS * sizeof *order->table);
        order->table[order->one.rank % ORDER_RANKS] = order->one;
    }
    return &order->table[rank % ORDER_RANKS];
}

struct order_key order_key(struct order *order, const struct record *record)
{
    struct order_rank *place = place_of(order, record->rank);
    int64_t step = record->step;
    if (!place->used || place->rank != record->rank || place->epoch != order->epoch) {
        *place = (struct order_rank){
            .used = true, .rank = record->rank, .epoch = order->epoch, .last_step = step};
    } else if (step >= place->last_step) {
        place->last_step = step;
        place->odd_seen = false;
    } else if (place->odd_seen && step >= place->odd_step) {
        order->epoch++;
        place->epoch = order->epoch;
        place->last_step = step;
        place->odd_seen = false;
    } else {
        place->odd_seen = true;
        place->odd_step = step;
        return (struct order_key){INT64_MIN, step};
    }
    return (struct order_key){order->epoch, step};
}

/* Of its step, of several the last, in ns. False: it is not known. */
static bool step_begin(const struct record *record, double *ret)
{
    bool mean = (record->has & RECORD_SPAN) && record->span > 1;
    *ret = (double)record->begin_ns;
    if (mean)
        *ret += (double)(record->span - 1) * (double)record->step_time_ns;
    return (record->has & RECORD_BEGIN) && (!mean || (record->has & RECORD_STEP_TIME));
}

static bool has_rank(const struct order *order, uint32_t rank)
{
    const struct order_rank *place = order->table ? &order->table[rank % ORDER_RANKS] : &order->one;
    return place->used && place->rank == rank;
}

bool order_after_restart(const struct record *first, const struct order *other,
                         const struct record *head)
{
    double begin, before, least = RESTART_NS;
    bool waits = !other->begun && other->epoch > 0; /* its ranks are not known yet */
    bool same = waits || has_rank(other, first->rank);
    if (((first->has ^ head->has) & RECORD_JOB) || !same || !step_begin(first, &begin) ||
        !step_begin(head, &before))
        return false;
    if (first->has & RECORD_STEP_TIME)
        least += 2 * (double)first->step_time_ns;
    return begin - before > least;
}

void order_move(struct order *order, int64_t epoch)
{
    order->epoch = epoch;
    for (int i = 0; order->table && i < ORDER_RANKS; i++)
        order->table[i].epoch = epoch;
    order->one.epoch = epoch;
}

void order_copy(struct order *to, const struct order *from)
{
    *to = *from;
    if (from->table) {
        size_t size = ORDER_RANKS * sizeof *from->table;
        to->table = memcpy(memory_zeroed(1, size), from->table, size);
    }
}

void order_done(struct order *order)
{
    free(order->table);
    *order = (struct order){0};
}

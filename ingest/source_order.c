/* Where a record stands among those of other files: epoch, then step. */
#include "source_order.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "source_index.h"

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

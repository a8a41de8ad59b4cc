/* Slowdowns in columns that become wider. */
#include "heat.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "overview.h"

/* In how many of a column's steps a rank had a slowdown, in 128ths: exact up to
 * that many steps. */
#define SHARE_WHOLE 128
#define SHARE_SHIFT 7

struct heat_column {
    uint32_t slots;
    uint16_t *mean, *worst; /* [slots]; mean owns all three */
    uint8_t *share;         /* [slots] 0: none */
};

static size_t column_bytes(uint32_t slots)
{
    return sizeof(struct heat_column) + sizeof(struct heat_column *) +
           slots * (2 * sizeof(uint16_t) + sizeof(uint8_t));
}

static struct heat_column *column_new(uint32_t slots)
{
    struct heat_column *column = memory_resized(NULL, 1, sizeof(*column));
    column->slots = slots;
    column->mean = memory_resized(NULL, slots, 2 * sizeof(uint16_t) + sizeof(uint8_t));
    column->worst = column->mean + slots;
    column->share = (uint8_t *)(column->worst + slots);
    return column;
}

static void column_free(struct heat_column *column)
{
    free(column->mean);
    free(column);
}

void heat_done(struct heat *heat)
{
    for (uint32_t i = 0; i < heat->count; i++)
        column_free(heat->columns[i]);
    free(heat->columns);
    free(heat->sums);
    free(heat->counts);
    free(heat->worst);
    *heat = (struct heat){0};
}

/* ---- two columns become one ---- */

static uint32_t mean_of(uint32_t mean, uint32_t share, uint32_t other_mean, uint32_t other_share)
{
    uint32_t shares = share + other_share;
    return shares == 0 ? HEAT_NONE
                       : (mean * share + other_mean * other_share + shares / 2) / shares;
}

static void merge_into(struct heat_column *to, const struct heat_column *one,
                       const struct heat_column *other)
{
    for (uint32_t i = 0; i < to->slots; i++) {
        bool in_one = i < one->slots;
        uint32_t mean = in_one ? one->mean[i] : HEAT_NONE, share = in_one ? one->share[i] : 0;
        uint16_t worst = in_one ? one->worst[i] : HEAT_NONE;
        to->mean[i] = (uint16_t)mean_of(mean, share, other->mean[i], other->share[i]);
        to->worst[i] = worst > other->worst[i] ? worst : other->worst[i];
        to->share[i] = (uint8_t)((share + other->share[i] + 1) / 2);
    }
}

/* The later one has as many slots as the earlier, or more. */
static struct heat_column *merged(struct heat_column *one, struct heat_column *other)
{
    struct heat_column *column = one->slots == other->slots ? one : column_new(other->slots);
    merge_into(column, one, other);
    column_free(other);
    if (column != one)
        column_free(one);
    return column;
}

/* The one that is left over, if the number is odd, begins the open column again. */
static void reopen(struct heat *heat, const struct heat_column *column, uint32_t steps)
{
    for (uint32_t i = 0; i < column->slots; i++) {
        uint32_t count =
            (uint32_t)(((uint64_t)column->share[i] * steps + SHARE_WHOLE / 2) >> SHARE_SHIFT);
        heat->counts[i] = column->share[i] > 0 && count == 0 ? 1 : count;
        heat->sums[i] = (uint64_t)column->mean[i] * heat->counts[i];
        heat->worst[i] = column->worst[i];
    }
    heat->open_steps = steps;
}

static void merge_pairs(struct heat *heat)
{
    uint32_t pairs = heat->count / 2;
    heat->bytes = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        heat->columns[i] = merged(heat->columns[2 * i], heat->columns[2 * i + 1]);
        heat->bytes += column_bytes(heat->columns[i]->slots);
    }
    if (heat->count % 2) {
        reopen(heat, heat->columns[heat->count - 1], UINT32_C(1) << heat->shift);
        column_free(heat->columns[heat->count - 1]);
    }
    heat->count = pairs;
    heat->shift++;
}

/* ---- a step more ---- */

static void reach_slots(struct heat *heat, uint32_t slots)
{
    if (slots <= heat->slots)
        return;
    if (slots > heat->slot_capacity) {
        uint32_t capacity = heat->slot_capacity ? heat->slot_capacity : 8;
        while (capacity < slots)
            capacity *= 2;
        heat->sums = memory_resized(heat->sums, capacity, sizeof(*heat->sums));
        heat->counts = memory_resized(heat->counts, capacity, sizeof(*heat->counts));
        heat->worst = memory_resized(heat->worst, capacity, sizeof(*heat->worst));
        heat->slot_capacity = capacity;
    }
    for (; heat->slots < slots; heat->slots++) {
        heat->sums[heat->slots] = 0;
        heat->counts[heat->slots] = 0;
        heat->worst[heat->slots] = HEAT_NONE;
    }
}

static void empty_open(struct heat *heat)
{
    if (heat->slots > 0) {
        memset(heat->sums, 0, heat->slots * sizeof(*heat->sums));
        memset(heat->counts, 0, heat->slots * sizeof(*heat->counts));
        memset(heat->worst, 0, heat->slots * sizeof(*heat->worst));
    }
    heat->open_steps = 0;
}

static uint8_t share_of(uint32_t count, int shift)
{
    uint64_t share = (((uint64_t)count << SHARE_SHIFT) + ((UINT64_C(1) << shift) >> 1)) >> shift;
    return (uint8_t)(count > 0 && share == 0 ? 1 : share);
}

static void close_open(struct heat *heat)
{
    struct heat_column *column = column_new(heat->slots);
    for (uint32_t i = 0; i < heat->slots; i++) {
        uint32_t count = heat->counts[i];
        column->mean[i] = count > 0 ? (uint16_t)((heat->sums[i] + count / 2) / count) : HEAT_NONE;
        column->worst[i] = heat->worst[i];
        column->share[i] = share_of(count, heat->shift);
    }
    if (heat->count == heat->capacity)
        heat->columns = memory_grown(heat->columns, &heat->capacity, sizeof(*heat->columns));
    heat->columns[heat->count++] = column;
    heat->bytes += column_bytes(column->slots);
    empty_open(heat);
    while (heat->open_steps == 0 && heat->count > HEAT_COLUMNS_MIN &&
           (heat->bytes > HEAT_BYTES_MAX || heat->count >= HEAT_COLUMNS_MAX))
        merge_pairs(heat);
}

void heat_add(struct heat *heat, const uint16_t *slowdown, uint32_t slots)
{
    reach_slots(heat, slots);
    for (uint32_t i = 0; i < slots; i++) { /* HEAT_NONE is 0 */
        uint16_t value = slowdown[i];
        heat->sums[i] += value;
        heat->counts[i] += value != HEAT_NONE;
        heat->worst[i] = value > heat->worst[i] ? value : heat->worst[i];
    }
    if (++heat->open_steps >= UINT32_C(1) << heat->shift)
        close_open(heat);
}

/* ---- sums for a picture ---- */

void heat_sum_init(struct heat_sum *sum, uint32_t slots)
{
    *sum = (struct heat_sum){.slots = slots};
    sum->sums = memory_zeroed(slots, sizeof(*sum->sums));
    sum->weights = memory_zeroed(slots, sizeof(*sum->weights));
    sum->worst = memory_zeroed(slots, sizeof(*sum->worst));
}

void heat_sum_done(struct heat_sum *sum)
{
    free(sum->sums);
    free(sum->weights);
    free(sum->worst);
    *sum = (struct heat_sum){0};
}

void heat_sum_clear(struct heat_sum *sum)
{
    for (uint32_t i = 0; i < sum->slots; i++) {
        sum->sums[i] = sum->weights[i] = 0;
        sum->worst[i] = HEAT_NONE;
    }
}

static uint32_t least(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

void heat_sum_column(struct heat_sum *sum, const struct heat *heat, uint32_t index)
{
    const struct heat_column *column = heat->columns[index];
    uint32_t slots = least(sum->slots, column->slots);
    double scale = (double)(UINT64_C(1) << heat->shift) / SHARE_WHOLE;
    for (uint32_t i = 0; i < slots; i++) {
        double weight = column->share[i] * scale;
        sum->sums[i] += column->mean[i] * weight;
        sum->weights[i] += weight;
        sum->worst[i] = column->worst[i] > sum->worst[i] ? column->worst[i] : sum->worst[i];
    }
}

void heat_sum_open(struct heat_sum *sum, const struct heat *heat)
{
    uint32_t slots = least(sum->slots, heat->slots);
    for (uint32_t i = 0; i < slots; i++) {
        sum->sums[i] += (double)heat->sums[i];
        sum->weights[i] += heat->counts[i];
        sum->worst[i] = heat->worst[i] > sum->worst[i] ? heat->worst[i] : sum->worst[i];
    }
}

void heat_sum_step(struct heat_sum *sum, const uint16_t *slowdown, uint32_t slots)
{
    slots = least(sum->slots, slots);
    for (uint32_t i = 0; i < slots; i++) {
        sum->sums[i] += slowdown[i];
        sum->weights[i] += slowdown[i] != HEAT_NONE;
        sum->worst[i] = slowdown[i] > sum->worst[i] ? slowdown[i] : sum->worst[i];
    }
}

uint16_t heat_sum_mean(const struct heat_sum *sum, uint32_t slot)
{
    if (!(sum->weights[slot] > 0))
        return HEAT_NONE;
    double mean = sum->sums[slot] / sum->weights[slot] + 0.5;
    return mean >= HEAT_MAX ? HEAT_MAX : mean < 1 ? 1 : (uint16_t)mean;
}

/* How slow each rank was, over a whole run, in bounded memory: columns of 2^shift
 * steps, which are merged two by two when there is no room for more. Of each column
 * and rank the mean slowdown over the steps in which it had one, and the worst. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HEAT_BYTES_MAX ((size_t)24 << 20)
#define HEAT_COLUMNS_MAX 32768
#define HEAT_COLUMNS_MIN 2 /* are kept, however many ranks there are */

struct heat_column; /* closed */

/* Zero-initialised is empty. */
struct heat {
    int shift; /* a column has 2^shift steps */
    uint32_t count, capacity;
    struct heat_column **columns; /* [count], owned */
    size_t bytes;                 /* of them */
    uint32_t open_steps;          /* in the column that fills, by slot: */
    uint32_t slots, slot_capacity;
    uint64_t *sums;   /* slowdowns in HEAT_UNIT, exact; owned */
    uint32_t *counts; /* steps that had one; owned */
    uint16_t *worst;  /* HEAT_NONE: none; owned */
};

void heat_done(struct heat *heat); /* empty again */

/* One more step: slowdowns by slot. */
void heat_add(struct heat *heat, const uint16_t *slowdown, uint32_t slots);

/* The same of some columns and steps together, for a picture. Arrays by slot. */
struct heat_sum {
    uint32_t slots;
    double *sums, *weights; /* owned */
    uint16_t *worst;        /* owned */
};

void heat_sum_init(struct heat_sum *sum, uint32_t slots); /* nothing in it */
void heat_sum_done(struct heat_sum *sum);
void heat_sum_clear(struct heat_sum *sum);
void heat_sum_column(struct heat_sum *sum, const struct heat *heat, uint32_t index);
void heat_sum_open(struct heat_sum *sum, const struct heat *heat);
void heat_sum_step(struct heat_sum *sum, const uint16_t *slowdown, uint32_t slots);

/* The mean of a slot, in HEAT_UNIT; HEAT_NONE. */
uint16_t heat_sum_mean(const struct heat_sum *sum, uint32_t slot);

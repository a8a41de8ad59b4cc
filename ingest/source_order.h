/* Where a record stands when several files are read side by side: by step, and
 * by how often the run went back to an earlier step (a restart from a
 * checkpoint) before it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

struct order_key {
    int64_t epoch; /* restarts before it in this file */
    int64_t step;
};

/* What a rank said last. */
struct order_rank {
    bool used;
    bool odd_seen; /* one record below last_step was let through */
    uint32_t rank;
    int64_t epoch;
    int64_t last_step;
    int64_t odd_step;
};

#define ORDER_RANKS 64

/* All zero is a file at its beginning. Most files hold one rank: the table is
 * made when a second one appears. */
struct order {
    int64_t epoch;
    bool begun; /* its first record was delivered */
    struct order_rank one;
    struct order_rank *table; /* ORDER_RANKS, by rank modulo; NULL: one is enough */
};

/* Where the file's next record belongs. A step that goes back once is let
 * through at once (the lowest key); when the same rank goes on from there, the
 * run restarted: a new epoch begins. */
struct order_key order_key(struct order *order, const struct record *record);

/* Whether the first record of a file is of a later attempt at the run than what another file shows
 * next, its head, at the same step or a later one: of the same rank, and that step had begun long
 * before. Without times of begin: never. */
bool order_after_restart(const struct record *first, const struct order *other,
                         const struct record *head);

/* The file, of which one record is known, is behind so many restarts of others. */
void order_move(struct order *order, int64_t epoch);

static inline bool order_before(struct order_key a, struct order_key b)
{
    return a.epoch != b.epoch ? a.epoch < b.epoch : a.step < b.step;
}

void order_copy(struct order *to, const struct order *from); /* *to was empty */
void order_done(struct order *order);

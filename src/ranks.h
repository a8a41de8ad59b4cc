/* Who is in the job: rank numbers and what is known of each, apart from times.
 * A rank gets a slot, 0 and up in the order in which ranks appear, for good;
 * every array over ranks in the model is by slot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

#define RANK_SLOT_NONE UINT32_MAX
#define RANK_LEFT_AFTER 256 /* logged steps without a record: the rank has left the job */

/* The steps a rank has reported in one attempt. */
struct rank_span {
    int attempt; /* -1: none */
    int64_t first_step, last_step;
};

struct rank_info {
    uint32_t rank;
    uint32_t host, group;                /* ids in struct names; 0: not given */
    struct rank_span now, before;        /* the attempt it is in, and the one before */
    int64_t last_seen_ns;                /* the reader's clock at its last record */
    int64_t stamped_end_ns;              /* of its last value for a whole job; INT64_MIN: none */
    uint32_t stamps_wrong, stamps_right; /* such values whose stamps deny that they took so long */
    /* Records since the step went back, none before another, without a time to tell a restart from
     * repeated lines. */
    struct record *suspects;                    /* owned, usually NULL */
    uint32_t suspect_count, suspects_differing; /* from what had been said of their steps */
    uint32_t suspects_ahead; /* of them: those at the end whose steps had not been there */
    bool written_twice; /* values come more than once, each of its own: several write the log */
};

struct ranks {
    struct rank_info *info; /* by slot, owned */
    uint32_t count, capacity;
    uint32_t max;    /* ranks at most; more are refused */
    uint32_t *slots; /* by rank number; RANK_SLOT_NONE */
    uint32_t slots_size;
    uint32_t names_version; /* counts the changes of hosts and groups */
};

void ranks_init(struct ranks *ranks, uint32_t max);
void ranks_done(struct ranks *ranks);
void ranks_copy(struct ranks *to, const struct ranks *from); /* `to` is overwritten */

/* The slot of a rank, RANK_SLOT_NONE when it is not known. */
static inline uint32_t ranks_slot(const struct ranks *ranks, uint32_t rank)
{
    return rank < ranks->slots_size ? ranks->slots[rank] : RANK_SLOT_NONE;
}

/* A new slot for a rank that has none, in attempt `attempt`; RANK_SLOT_NONE when
 * there are too many ranks. */
uint32_t ranks_add(struct ranks *ranks, uint32_t rank, int attempt);

/* Ranks that take part in `attempt` now. */
uint32_t ranks_in_attempt(const struct ranks *ranks, int attempt);

/* Ranks that should have reported a step: those that had joined the attempt, and
 * have not been silent for RANK_LEFT_AFTER logged steps, `stride` steps apart.
 * O(ranks). */
uint32_t ranks_expected(const struct ranks *ranks, int attempt, int64_t step, int64_t stride);

/* Whether one rank should have. */
bool rank_is_expected(const struct rank_info *info, int attempt, int64_t step, int64_t stride);

/* Whether a process's file is whole between two calls that are followed. Versions of the plugin up
 * to NCCL 2.28 keep one call of a communicator, the newest, from one dump to the next; later ones
 * keep many, but none under a least size; and lines are torn. A call that is not there was an
 * exchange that would count as own time. Numbers that a function's calls on a communicator skip
 * show it, though only with the next of them: what was counted waits for that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "nccl_follow.h"
#include "nccl_spans.h"

#define NCCL_SEQUENCES_MAX 255

/* The calls of one function on one communicator. */
struct nccl_sequence {
    int64_t number, release_ns; /* of the last */
    uint64_t counted, dumps;    /* when it came */
    uint64_t every;             /* so many counted calls apart; 0: not known, or too rare */
};

/* A counted call, to be put out. */
struct nccl_due {
    struct nccl_call call;
    bool next; /* the call before it is there, and both have their times */
    bool lone; /* before it another was counted, but not the one that comes before it */
    int64_t begin_ns, own_ns, sync_ns;
};

/* All zero is empty. */
struct nccl_whole {
    struct nccl_sequence *list; /* owned */
    uint32_t count, capacity;
    struct nccl_spans holes; /* where calls are missing */
    struct nccl_due *due;    /* owned; oldest first */
    uint32_t due_count, due_capacity;
    uint64_t counted, dumps;
    uint64_t joined; /* when a counted call's exchange last held others, too; 0: never */
};

void nccl_whole_done(struct nccl_whole *whole);

/* Those that come now are of another dump. */
void nccl_whole_dump(struct nccl_whole *whole);

/* One call with its times, in the order of its function on its communicator, whose sequence is
 * *sequence (0: not made yet). Returns how many right before it are missing; numbers that go back
 * are of calls that are repeated. */
int64_t nccl_whole_note(struct nccl_whole *whole, uint8_t *sequence, const struct nccl_call *call);

/* One that was counted; it waits. */
void nccl_whole_count(struct nccl_whole *whole, const struct nccl_due *due);

/* The next for which nothing more can come, or, with `all`, the next; false: there is none.
 * followed: its sequence. *ret_hole: calls are missing since the one before, or may be. */
bool nccl_whole_next(struct nccl_whole *whole, uint8_t followed, bool all, struct nccl_due *ret,
                     bool *ret_hole);

/* Whether exchanges of others count into the one of a counted call, as a rule: then it alone, the
 * call before being unknown, says nothing beside those of other ranks. */
bool nccl_whole_joins(const struct nccl_whole *whole);

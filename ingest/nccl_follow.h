/* What is followed of a process's collectives: the calls of one communicator, one by one, with the
 * time that the process spent in exchanges before each. The plugin writes communicator after
 * communicator, one dump after another: calls are kept until their dump is whole, since what others
 * of that time are comes behind them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nccl_spans.h"

/* What is kept of one operation. */
struct nccl_call {
    uint16_t communicator, function;
    bool pair; /* point to point: never followed */
    int64_t number, exec_ns;
    int64_t arrival_ns, release_ns; /* 0: not known */
    int64_t dumped_us;              /* when it was written; 0: not known */
};

struct nccl_calls_kept {
    struct nccl_call *list; /* owned */
    uint32_t count, capacity;
};

void nccl_keep(struct nccl_calls_kept *kept, const struct nccl_call *call);
void nccl_kept_done(struct nccl_calls_kept *kept);

/* Where the calls of a communicator lie among them. */
struct nccl_range {
    bool any;
    uint32_t first, last;
};
struct nccl_range nccl_kept_range(const struct nccl_calls_kept *kept, size_t communicator);

/* Whether the call begins another dump than those that are kept. */
bool nccl_begins_dump(const struct nccl_calls_kept *kept, const struct nccl_call *call);

/* The dump that is being written: communicator after communicator. All zero: none yet. */
struct nccl_dump {
    uint64_t in;             /* bits: communicators that have had their turn in it */
    uint64_t active, recent; /* that were in one of late */
    uint64_t before, after;  /* that came before, or behind, the one that is followed */
    int64_t us;              /* when its last line was written; 0: not known */
    uint32_t count;
    uint16_t first, last;
    bool pairs; /* calls between two ranks come behind the others of their communicator */
};

/* Notes a call; whether it begins another dump. */
bool nccl_dump_begins(struct nccl_dump *dump, const struct nccl_call *call, uint16_t followed);

/* Whether nothing of the other communicators that are in use comes behind the one that is followed:
 * they have had their turn, or always have it before, since their order does not change. */
bool nccl_dump_is_last(const struct nccl_dump *dump, uint16_t followed);

/* The time of a process up to its last call. */
struct nccl_clock {
    bool begun; /* a counted call came: the values below are there */
    int64_t number, begin_ns, release_ns;
    int64_t own_ns, sync_ns; /* since the last counted call */
};

/* One call of the communicator: what lies between the call before and this one is the process's own
 * time but for exchanges in others, which is waiting, too. */
void nccl_clock_pass(struct nccl_clock *clock, const struct nccl_spans *others,
                     const struct nccl_call *call);
/* After a counted one was put out. next: its number follows the one before. */
void nccl_clock_count(struct nccl_clock *clock, const struct nccl_call *call, bool next);

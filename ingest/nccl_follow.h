/* What is followed of a process's collectives: the calls of one communicator, one by one, with the
 * time that the process spent in exchanges before each. The plugin writes communicator after
 * communicator, one dump after another: calls are kept until their dump is whole, since what others
 * of that time are comes behind them. */
#pragma once

#include <stdbool.h>
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

/* Whether the call begins another dump than those that are kept. */
bool nccl_begins_dump(const struct nccl_calls_kept *kept, const struct nccl_call *call);

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

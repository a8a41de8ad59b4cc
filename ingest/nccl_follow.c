/* Calls of whole dumps, and a process's own time between them. */
#include "nccl_follow.h"

#include <stdlib.h>

#include "memory.h"

#define KEPT_MOST 4096
#define DUMP_US 20000 /* lines of one dump are written one right after the other */

void nccl_keep(struct nccl_calls_kept *kept, const struct nccl_call *call)
{
    if (kept->count == kept->capacity)
        kept->list = memory_grown(kept->list, &kept->capacity, sizeof(*kept->list));
    kept->list[kept->count++] = *call;
}

void nccl_kept_done(struct nccl_calls_kept *kept)
{
    free(kept->list);
    *kept = (struct nccl_calls_kept){0};
}

bool nccl_begins_dump(const struct nccl_calls_kept *kept, const struct nccl_call *call)
{
    if (kept->count == 0)
        return false;
    const struct nccl_call *first = &kept->list[0], *last = &kept->list[kept->count - 1];
    bool around =
        call->communicator == first->communicator && call->communicator != last->communicator;
    bool later =
        call->dumped_us > 0 && last->dumped_us > 0 && call->dumped_us - last->dumped_us > DUMP_US;
    return around || later || kept->count >= KEPT_MOST;
}

void nccl_clock_pass(struct nccl_clock *clock, const struct nccl_spans *others,
                     const struct nccl_call *call)
{
    if (call->arrival_ns == 0 || !clock->begun)
        return;
    int64_t from_ns = call->arrival_ns > clock->release_ns ? call->arrival_ns : clock->release_ns;
    int64_t other_ns = nccl_spans_within(others, clock->release_ns, from_ns);
    clock->own_ns += from_ns - clock->release_ns - other_ns;
    clock->sync_ns += other_ns + (call->release_ns > from_ns ? call->release_ns - from_ns : 0);
    if (call->release_ns > clock->release_ns)
        clock->release_ns = call->release_ns;
}

void nccl_clock_count(struct nccl_clock *clock, const struct nccl_call *call, bool next)
{
    bool timed = call->arrival_ns != 0;
    clock->begun = true;
    clock->number = call->number;
    clock->own_ns = clock->sync_ns = 0;
    if (timed && (!next || call->release_ns > clock->release_ns))
        clock->release_ns = call->release_ns;
    clock->begin_ns = timed ? clock->release_ns : 0;
}

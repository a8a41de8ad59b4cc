/* Calls of whole dumps, and a process's own time between them. */
#include "nccl_follow.h"

#include <stdlib.h>

#include "memory.h"

#define KEPT_MOST 4096
#define DUMPS_TO_KNOW 3
#define DUMPS_OF_LATE 64
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

struct nccl_range nccl_kept_range(const struct nccl_calls_kept *kept, size_t communicator)
{
    struct nccl_range range = {0};
    for (uint32_t i = 0; i < kept->count; i++) {
        if (kept->list[i].communicator != communicator || kept->list[i].pair)
            continue;
        range.first = range.any ? range.first : i;
        range.last = i;
        range.any = true;
    }
    return range;
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

bool nccl_dump_begins(struct nccl_dump *dump, const struct nccl_call *call, uint16_t followed)
{
    uint64_t bit = UINT64_C(1) << call->communicator % 64;
    bool around = call->communicator == dump->first && call->communicator != dump->last;
    bool later = call->dumped_us > 0 && dump->us > 0 && call->dumped_us - dump->us > DUMP_US;
    bool begins = dump->in != 0 && (around || later);
    if (begins || dump->in == 0) {
        dump->first = call->communicator;
        dump->in = 0;
        if (++dump->count % DUMPS_OF_LATE == 0) {
            dump->active = dump->recent;
            dump->recent = 0;
        }
    }
    uint64_t own = UINT64_C(1) << followed % 64;
    if (call->communicator == followed)
        dump->before |= dump->in & ~own;
    else if (dump->in & own)
        dump->after |= bit;
    dump->in |= bit;
    dump->recent |= bit;
    dump->active |= bit;
    dump->last = call->communicator;
    dump->us = call->dumped_us;
    dump->pairs |= call->pair;
    return begins;
}

bool nccl_dump_is_last(const struct nccl_dump *dump, uint16_t followed)
{
    uint64_t own = UINT64_C(1) << followed % 64,
             had = dump->in | (dump->before & ~dump->after) | own;
    return dump->count > DUMPS_TO_KNOW && !dump->pairs && !(dump->active & ~had);
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

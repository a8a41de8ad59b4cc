/* Spans of time, and what they cover. */
#include "nccl_spans.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void nccl_spans_done(struct nccl_spans *spans)
{
    free(spans->list);
    *spans = (struct nccl_spans){0};
}

void nccl_spans_add(struct nccl_spans *spans, int64_t begin_ns, int64_t end_ns)
{
    if (spans->count == NCCL_SPANS_MAX) /* sorted or not, the older half is in front */
        memmove(spans->list, spans->list + NCCL_SPANS_MAX / 2,
                (spans->count -= NCCL_SPANS_MAX / 2) * sizeof(*spans->list));
    if (spans->count == spans->capacity)
        spans->list = memory_grown(spans->list, &spans->capacity, sizeof(*spans->list));
    spans->list[spans->count++] = (struct nccl_span){begin_ns, end_ns};
}

static int by_begin(const void *a, const void *b)
{
    int64_t one = ((const struct nccl_span *)a)->begin_ns;
    int64_t other = ((const struct nccl_span *)b)->begin_ns;
    return (one > other) - (one < other);
}

void nccl_spans_sort(struct nccl_spans *spans)
{
    for (uint32_t i = 1; i < spans->count; i++) {
        if (spans->list[i].begin_ns >= spans->list[i - 1].begin_ns)
            continue;
        qsort(spans->list, spans->count, sizeof(*spans->list), by_begin);
        return;
    }
}

int64_t nccl_spans_within(const struct nccl_spans *spans, int64_t from_ns, int64_t to_ns)
{
    int64_t covered_ns = 0;
    for (uint32_t i = 0; i < spans->count && spans->list[i].begin_ns < to_ns; i++) {
        int64_t end_ns = spans->list[i].end_ns < to_ns ? spans->list[i].end_ns : to_ns;
        from_ns = spans->list[i].begin_ns > from_ns ? spans->list[i].begin_ns : from_ns;
        if (end_ns <= from_ns)
            continue;
        covered_ns += end_ns - from_ns;
        from_ns = end_ns;
    }
    return covered_ns;
}

void nccl_spans_forget(struct nccl_spans *spans, int64_t before_ns)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < spans->count; i++)
        if (spans->list[i].end_ns >= before_ns)
            spans->list[kept++] = spans->list[i];
    spans->count = kept;
}

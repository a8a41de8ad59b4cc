/* When a process was in an exchange with others, in whatever communicator: spans of time, taken in
 * in any order. */
#pragma once

#include <stdint.h>

#define NCCL_SPANS_MAX 16384u /* then the oldest is forgotten */

struct nccl_span {
    int64_t begin_ns, end_ns;
};

/* All zero is empty. */
struct nccl_spans {
    struct nccl_span *list; /* owned */
    uint32_t count, capacity;
};

void nccl_spans_done(struct nccl_spans *spans);
void nccl_spans_add(struct nccl_spans *spans, int64_t begin_ns, int64_t end_ns);

/* Before they are asked for, after some were added. */
void nccl_spans_sort(struct nccl_spans *spans);

/* How much of the time between the two they cover, however many at once. */
int64_t nccl_spans_within(const struct nccl_spans *spans, int64_t from_ns, int64_t to_ns);

/* Those that end before it are forgotten. */
void nccl_spans_forget(struct nccl_spans *spans, int64_t before_ns);

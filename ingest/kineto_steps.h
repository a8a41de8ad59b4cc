/* The steps of one profiler trace, and what its kernels did in them: how long the
 * exchange ran that no computation hid, how long the GPU had nothing to do. Filled
 * while the trace is read, worked out at its end; memory is bounded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define KINETO_STEPS_MAX 8192
#define KINETO_KERNELS_MAX (4u << 20) /* 64 MiB of them */

enum kineto_kind {
    KINETO_COMPUTE,
    KINETO_EXCHANGE, /* NCCL, RCCL, HCCL, ... */
    KINETO_PAIRS,    /* the same as SendRecv: point to point, or all to all */
    KINETO_COPY,     /* memory: not a kernel, but the GPU is not idle */
    KINETO_KINDS
};

/* One piece of GPU work: 16 bytes, since there are millions. */
struct kineto_interval {
    int64_t begin_ns;
    uint64_t length_and_kind; /* length << 2 | kind */
};

struct kineto_step {
    int64_t number;
    int64_t begin_ns, length_ns;      /* on the host */
    int64_t gpu_begin_ns, gpu_end_ns; /* of its twin on the GPU; equal: there is none */
    bool host;                        /* it was seen on the host */
    bool cut;                         /* by the end of the recording: no step time */
    /* Filled by kineto_steps_finish(). */
    uint64_t kernels, exchanges;
    uint64_t kernel_ns, exchange_ns; /* sums */
    int64_t exposed_ns;              /* exchange, and no computation meanwhile */
    int64_t hidden_ns;               /* exchange and computation at once */
    int64_t busy_ns;
    bool begun;
    int64_t cursor_ns, end_ns[KINETO_KINDS]; /* of the sweep */
};

/* All zero is an empty one. */
struct kineto_steps {
    struct kineto_step *steps; /* owned; by number until finished, then by begin */
    uint32_t count, capacity;
    struct kineto_interval *intervals; /* owned */
    uint32_t interval_count, interval_capacity;
    uint64_t kernels, exchanges, pairs; /* in all */
    uint64_t exchange_ns;
    uint64_t
        left_out; /* intervals beyond the bound: what the steps did on the GPU is unknown then */
    uint64_t steps_left_out;
    uint64_t outside; /* kernels in no step */
};

void kineto_steps_done(struct kineto_steps *steps);

/* A span of ProfilerStep#number; gpu: its twin. False: the host's span of it was there already.
 * Times are within 4e18, lengths 0 to 1e15. */
bool kineto_steps_add(struct kineto_steps *steps, bool gpu, int64_t number, int64_t begin_ns,
                      int64_t length_ns);

void kineto_steps_work(struct kineto_steps *steps, enum kineto_kind kind, int64_t begin_ns,
                       int64_t length_ns);

/* After the last one: sorts and sums. */
void kineto_steps_finish(struct kineto_steps *steps);

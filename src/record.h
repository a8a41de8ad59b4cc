/* One measurement: what one rank says of one step. A plain value. Absent is
 * not 0: `has` tells which fields are there.
 *
 * Times are nanoseconds inside the core; they are converted once, where a line
 * is decoded (the record's own unit is seconds). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* In the order in which a step goes through them. */
enum phase {
    PHASE_DATA,      /* waiting for the input */
    PHASE_FORWARD,   /* forward pass */
    PHASE_BACKWARD,  /* backward pass */
    PHASE_SYNC,      /* gradient exchange, the wait at the barrier included */
    PHASE_OPTIMIZER, /* parameter update, after the barrier */
    PHASE_COUNT
};

/* Bits of record.has; the first PHASE_COUNT bits are the phases, 1u << phase. */
enum {
    RECORD_DATA = 1u << PHASE_DATA,
    RECORD_FORWARD = 1u << PHASE_FORWARD,
    RECORD_BACKWARD = 1u << PHASE_BACKWARD,
    RECORD_SYNC = 1u << PHASE_SYNC,
    RECORD_OPTIMIZER = 1u << PHASE_OPTIMIZER,
    RECORD_COMPUTE = 1u << 5,   /* own time in one number */
    RECORD_STEP_TIME = 1u << 6, /* the whole step in one number */
    RECORD_BEGIN = 1u << 7,     /* "t" */
    RECORD_TOKENS = 1u << 8,
    RECORD_RANK = 1u << 9,
    RECORD_STEP = 1u << 10,
    RECORD_SEQ = 1u << 11,
    RECORD_HOST = 1u << 12,
    RECORD_GROUP = 1u << 13,
    RECORD_SIMULATED = 1u << 14,  /* the writer says that this is a simulation */
    RECORD_CHECKPOINT = 1u << 15, /* "event": the step, or the pause before it, holds one */
    RECORD_VALIDATION = 1u << 16, /* likewise */
    RECORD_JOB = 1u << 17,  /* "job": not of this rank: one value for the whole job; rank is 0 */
    RECORD_SPAN = 1u << 18, /* "steps" */
    RECORD_FLOPS = 1u << 19,
    RECORD_MFU = 1u << 20,
    RECORD_GPUS = 1u << 21,
    RECORD_COMPUTED =
        1u << 22,           /* "computed": step_time is not measured but worked out from a rate */
    RECORD_PART = 1u << 23, /* "part": of a step, one of many: some of them are longer by nature */
    /* What a log says of the step as a whole. */
    RECORD_ANY_JOB = RECORD_JOB | RECORD_SPAN | RECORD_FLOPS | RECORD_MFU | RECORD_GPUS,
    /* One of these makes an own time. */
    RECORD_ANY_WORK = RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD | RECORD_COMPUTE,
    RECORD_ANY_EVENT = RECORD_CHECKPOINT | RECORD_VALIDATION,
    RECORD_ANY_PHASE = (1u << PHASE_COUNT) - 1,
    RECORD_ANY_TIME = RECORD_ANY_PHASE | RECORD_COMPUTE | RECORD_STEP_TIME,
};

/* What is out of these bounds is a damaged line, not a record. */
#define RECORD_RANK_MAX INT64_C(1048575)
#define RECORD_STEP_MAX INT64_C(9007199254740991)
#define RECORD_DURATION_MAX_NS INT64_C(1000000000000000) /* 1e6 s, 11.6 days */
#define RECORD_BEGIN_MAX_NS INT64_C(9000000000000000000) /* the year 2255 */
#define RECORD_TOKENS_MAX INT64_C(1000000000000000)
#define RECORD_SPAN_MAX INT64_C(1000000000)
#define RECORD_FLOPS_MAX INT64_C(1000000000000000000)
#define RECORD_MFU_MAX INT64_C(100000000000) /* 100 times the peak: an alarm, but kept */

struct record {
    uint32_t has;     /* RECORD_ bits */
    uint32_t rank;    /* 0 to RECORD_RANK_MAX */
    int64_t step;     /* 0 to RECORD_STEP_MAX */
    int64_t begin_ns; /* "t": Unix time of the step's begin, the rank's own clock */
    int64_t phase_ns[PHASE_COUNT];
    int64_t compute_ns;
    int64_t step_time_ns;
    int64_t tokens; /* tokens this rank (RECORD_JOB: the job) trained in one step */
    int64_t seq;    /* the sender's own counter, 0 to RECORD_STEP_MAX */
    /* "steps": the times are means over so many steps, 1 and up, of which `step` is the last;
     * begin_ns is the begin of the first of them. Not there: of this step alone. */
    int64_t span;
    int64_t flops;    /* "flops": model FLOP/s of one GPU, as the log gives it */
    int64_t mfu;      /* "mfu": the same as a share of the peak, in 1e-9, as the log gives it */
    int64_t gpus;     /* "gpus": of the job, as the log gives it; 1 to RECORD_RANK_MAX */
    struct str host;  /* borrowed from the line until the next one is read */
    struct str group; /* borrowed likewise: the peers it is compared with */
};

/* "data", "forward", "backward", "sync", "optimizer". */
const char *phase_name(enum phase phase);

/* Which rank of the job a process is, as NCCL Inspector's files of all processes tell. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "log_out.h"
#include "nccl_job.h"
#include "nccl_table.h"

struct nccl_whose {
    uint32_t process; /* of nccl_job.h; NCCL_NOBODY: not known */
    bool asked, proven;
    uint64_t version, puts;
    int64_t rank; /* -1: not known */
    char why[NCCL_WHY_BYTES];
};

/* The rank in the job; -1: not known, which is counted. largest: of the process's communicators. */
int64_t nccl_whose_rank(struct nccl_whose *place, const struct nccl_group *largest,
                        struct log_out *out);

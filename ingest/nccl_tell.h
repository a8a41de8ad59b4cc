/* What is counted and said of calls that are not in NCCL Inspector's files. */
#pragma once

#include <stdint.h>

#include "log_out.h"
#include "nccl_follow.h"
#include "nccl_table.h"

/* What a call that is followed tells of those that are not there. */
void nccl_tell_gaps(const struct nccl_table *table, const struct nccl_call *call,
                    struct log_out *out);

/* So many right before this one, which is not followed, are not in the file: no own time is known
 * around them. */
void nccl_tell_hole(const struct nccl_table *table, const struct nccl_call *call, int64_t lacks,
                    struct log_out *out);

/* One that is followed, and of which no time is known since the one before it is missing. */
void nccl_tell_lone(const struct nccl_table *table, const struct nccl_call *call,
                    struct log_out *out);

/* One whose number came before. later: it is another call, not the same line again. Within one
 * communicator of a process that is no restart: a CUDA graph repeats its calls under the numbers
 * that they had when it was captured. Which repetitions belong together on all ranks is not told.
 */
void nccl_tell_again(const struct nccl_table *table, const struct nccl_call *call, bool later,
                     struct log_out *out);

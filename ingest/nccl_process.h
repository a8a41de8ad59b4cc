/* One process, as NCCL Inspector's lines tell of it. It is in several communicators, and a sequence
 * number counts one function's calls on one of them (comm, function). One such sequence is
 * followed: of the communicators that are really used the one with the most ranks, on it the
 * function that is called most. Which one that is shows after a while: the first records are held
 * back until then.
 *
 * A rank within a communicator is the rank in the job only where the communicator is that of all
 * ranks: the lines of the other processes tell (nccl_job.h). */
#pragma once

#include "log_out.h"
#include "nccl_record.h"

struct nccl_process;

struct nccl_process *nccl_process_new(void);
void nccl_process_free(struct nccl_process *process);

/* What one line of it says; of what has no header, that of the last dump counts. */
void nccl_process_take(struct nccl_process *process, const struct nccl_record *record,
                       struct log_out *out);

/* There is no more: what was held back comes now. */
void nccl_process_end(struct nccl_process *process, struct log_out *out);

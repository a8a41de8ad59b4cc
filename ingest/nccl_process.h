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

/* gpu: which of those of one process, from 0. */
struct nccl_process *nccl_process_new(uint32_t gpu);
void nccl_process_free(struct nccl_process *process);

/* What one line of it says; of what has no header, that of the last dump counts. */
void nccl_process_take(struct nccl_process *process, const struct nccl_record *record,
                       struct log_out *out);

enum nccl_has { NCCL_HAS_NOT, NCCL_HAS, NCCL_HAS_OTHER };

/* Whether it is in the record's communicator: by another rank (OTHER), or not yet. */
enum nccl_has nccl_process_has(const struct nccl_process *process,
                               const struct nccl_record *record);

/* It may be in exchanges that are not told: no own times from now on. */
void nccl_process_doubt(struct nccl_process *process);

/* There is no more: what was held back comes now, by nccl_process_put(). */
void nccl_process_end(struct nccl_process *process, struct log_out *out);

/* The number of the next that is to be put, and when it was over; 0: not known. False: there is
 * none. */
bool nccl_process_next(const struct nccl_process *process, int64_t *ret_number, int64_t *ret_ns);
void nccl_process_put(struct nccl_process *process, struct log_out *out);

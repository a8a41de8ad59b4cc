/* What the files of NCCL's Inspector say together: which processes there are, in which
 * communicators, and which calls of a communicator any of its ranks has. A file alone gives
 * the rank within a communicator only; whether that is the rank in the job shows when the
 * other files are known. Shared by all streams of a program (log_out_nccl()). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nccl_calls.h"
#include "nccl_record.h"
#include "str.h"

struct nccl_job;

struct nccl_job *nccl_job_new(void);
void nccl_job_free(struct nccl_job *job); /* NULL is fine */

#define NCCL_NOBODY UINT32_MAX

/* A file is a process, or several, which their hosts and ids tell apart: its key, by its name. */
uint64_t nccl_job_key(const char *name); /* + n: of the GPU n of a process with several */

/* Notes that this process is in that communicator. Its number; NCCL_NOBODY: the record does not
 * name one, or there is no room for more. */
uint32_t nccl_job_meet(struct nccl_job *job, uint64_t key, const struct nccl_record *record);
/* The same process again, later. */
void nccl_job_lives(struct nccl_job *job, uint32_t process, int64_t us);
/* All whole lines of the beginning of a file, before anything is made of the others. False: they
 * are no such lines. */
bool nccl_job_look(struct nccl_job *job, uint64_t key, struct str bytes);

/* Several jobs may be among the files, each with a communicator that is called that of all ranks:
 * they are told apart by others (source_runs.h). */
void nccl_job_several(struct nccl_job *job);

/* Grows when nccl_job_rank() may have another answer. */
uint64_t nccl_job_version(const struct nccl_job *job);

/* Bytes of a sentence that says why not. */
#define NCCL_WHY_BYTES 256

/* The rank in the job of a process; -1: it is not known, and why. *ret_proven: the communicator
 * says that it is that of all ranks; otherwise nothing that was seen speaks against it. */
int64_t nccl_job_rank(const struct nccl_job *job, uint32_t process, bool *ret_proven,
                      char why[NCCL_WHY_BYTES]);

/* ---- calls ---- */

/* The call `number` of a function of that communicator (its id), by that rank of it; each one once,
 * in rising order. False: there is no room to know: nothing is told. */
bool nccl_job_call(struct nccl_job *job, const char *communicator, const char *function,
                   int64_t rank, int64_t number, struct nccl_gap *ret);

/* What launchers put before a record, and what file names say: the rank, when
 * the record itself does not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* The global rank in the text before a record's '{': "[rank5]:" (torchrun, and
 * "[rank-7/8]"), "rank 5:", "rank=5", "[1,5]<stdout>:" (mpirun --tag-output), or a
 * task number alone, "  5: " (srun --label). "[default7]:" holds a local rank and
 * tells nothing, nor does a task number before it, which is a node's then, nor do
 * local_rank, node_rank, tp_rank and the like. */
bool prefix_rank(struct str prefix, uint32_t *ret);

/* The rank in the last part of a path: digits after "rank" or "worker" first
 * ("rank5.jsonl", "host3_rank-12.log"), else the only digits of the name
 * ("5.jsonl", "trainer_07.txt"); nothing when they are several. */
bool file_name_rank(struct str path, uint32_t *ret);

/* Only digits after "rank" or "worker": others may be a process or a time. */
bool file_name_says_rank(struct str path, uint32_t *ret);

/* The same as file_name_rank(), and where it stands in the path. */
bool file_name_rank_digits(struct str path, uint32_t *ret, struct str *ret_digits);

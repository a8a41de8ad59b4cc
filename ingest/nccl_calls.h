/* Which calls of one function on one communicator any of its ranks has: a call that one rank has
 * and another lacks is missing; one that none has was never recorded, as those are that are smaller
 * than NCCL Inspector's least size. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NCCL_PAGE_BITS 4096
#define NCCL_PAGES_MAX 4096 /* in one sequence: 16 million calls, 2 MiB */

struct nccl_page {
    int64_t number; /* of its first call / NCCL_PAGE_BITS */
    uint64_t bits[NCCL_PAGE_BITS / 64];
};

struct nccl_rank_calls {
    int64_t rank, first, last;
};

/* All zero is: none yet. */
struct nccl_calls {
    struct nccl_page *pages; /* owned; rising */
    uint32_t page_count, page_capacity;
    struct nccl_rank_calls *ranks; /* owned; rising */
    uint32_t rank_count, rank_capacity;
    int64_t first, last; /* of all of them */
};

/* What a call tells of others. */
struct nccl_gap {
    int64_t lacks;   /* so many before it this rank lacks and another has */
    int64_t without; /* so many ranks lack this one */
    int64_t unrecorded,
        first_unrecorded; /* so many more no rank has, from here on; below 0: fewer */
};

void nccl_calls_done(struct nccl_calls *calls);

/* Notes a call of a rank; those of a rank come in rising order. False: no room, nothing is known of
 * it. */
bool nccl_calls_add(struct nccl_calls *calls, int64_t rank, int64_t number, struct nccl_gap *ret);

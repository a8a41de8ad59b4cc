/* The ranks of the job. */
#include "ranks.h"

#include <assert.h>
#include <stdlib.h>

#include "memory.h"

void ranks_init(struct ranks *ranks, uint32_t max)
{
    *ranks = (struct ranks){.max = max};
}

void ranks_done(struct ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->count; i++)
        free(ranks->info[i].suspects);
    free(ranks->info);
    free(ranks->slots);
    *ranks = (struct ranks){0};
}

void ranks_copy(struct ranks *to, const struct ranks *from)
{
    *to = *from;
    to->info = memory_copied(from->info, from->capacity, sizeof(*from->info));
    to->slots = memory_copied(from->slots, from->slots_size, sizeof(*from->slots));
    for (uint32_t i = 0; i < to->count; i++)
        to->info[i].suspects = memory_copied(from->info[i].suspects, from->info[i].suspect_count,
                                             sizeof(struct record));
}

static void reach_rank(struct ranks *ranks, uint32_t rank)
{
    uint32_t size = ranks->slots_size ? ranks->slots_size : 64;
    while (size <= rank)
        size *= 2; /* RECORD_RANK_MAX keeps it under 2^21 */
    ranks->slots = memory_resized(ranks->slots, size, sizeof(*ranks->slots));
    for (uint32_t i = ranks->slots_size; i < size; i++)
        ranks->slots[i] = RANK_SLOT_NONE;
    ranks->slots_size = size;
}

uint32_t ranks_add(struct ranks *ranks, uint32_t rank, int attempt)
{
    assert(ranks_slot(ranks, rank) == RANK_SLOT_NONE && rank <= RECORD_RANK_MAX);
    if (ranks->count == ranks->max)
        return RANK_SLOT_NONE;
    if (rank >= ranks->slots_size)
        reach_rank(ranks, rank);
    if (ranks->count == ranks->capacity)
        ranks->info = memory_grown(ranks->info, &ranks->capacity, sizeof(*ranks->info));
    ranks->info[ranks->count] = (struct rank_info){
        .rank = rank,
        .now = {attempt, INT64_MAX, -1},
        .before = {-1, 0, 0},
        .stamped_end_ns = INT64_MIN,
    };
    ranks->slots[rank] = ranks->count;
    return ranks->count++;
}

uint32_t ranks_in_attempt(const struct ranks *ranks, int attempt)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranks->count; i++)
        count += ranks->info[i].now.attempt == attempt;
    return count;
}

bool rank_is_expected(const struct rank_info *info, int attempt, int64_t step, int64_t stride)
{
    if (info->now.attempt == attempt)
        return info->now.first_step <= step &&
               (step - info->now.last_step - 1) / RANK_LEFT_AFTER < stride;
    return info->before.attempt == attempt && info->before.first_step <= step &&
           step <= info->before.last_step;
}

uint32_t ranks_expected(const struct ranks *ranks, int attempt, int64_t step, int64_t stride)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranks->count; i++)
        count += rank_is_expected(&ranks->info[i], attempt, step, stride);
    return count;
}

/* A model in the same state as another: what a replay goes back to. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_past.h"
#include "analysis_table.h"
#include "analysis_window.h"
#include "memory.h"

struct analysis *analysis_copy(const struct analysis *analysis, bool keep_history,
                               size_t memory_bytes)
{
    struct analysis *copy = analysis_new(&analysis->options);
    struct analysis empty = *copy;
    fold_done(&empty.settled);
    *copy = *analysis;
    copy->options.keep_history = keep_history;
    copy->options.memory_bytes = memory_bytes;
    copy->options.overview = false;
    copy->barrier = empty.barrier;
    copy->window = empty.window;
    copy->clocks = empty.clocks;
    free(empty.course);
    copy->course = NULL;
    copy->past = empty.past;
    copy->past->base = 0; /* what it looks back at begins with what is settled now */
    copy->filling = NULL; /* made anew with the next record that takes the long way */
    ranks_copy(&copy->ranks, &analysis->ranks);
    names_copy(&copy->names, &analysis->names);
    steps_copy(&copy->steps, &analysis->steps);
    copy->settled = copy->current = (struct fold){0};
    fold_copy(&copy->settled, &analysis->settled);
    /* What was folded of open rows is folded again: it comes to the same. */
    copy->current_valid = false;
    copy->current_rows = 0;
    copy->changed = true;
    return copy;
}

size_t analysis_bytes(const struct analysis *analysis)
{
    return sizeof(*analysis) + analysis->steps.bytes + fold_bytes(&analysis->settled) +
           fold_bytes(&analysis->current) + analysis->ranks.capacity * sizeof(struct rank_info) +
           analysis->ranks.slots_size * sizeof(uint32_t) +
           analysis->names.capacity * (size_t)NAME_BYTES;
}

static_assert(ANALYSIS_PACK_STEPS >= HISTORY_STEPS_MAX, "by then all of them are others");

/* What a straggler is found to have cost goes back no further than its window. */
void analysis_pack(struct analysis *copy)
{
    history_pack(&copy->settled.history, STRAGGLER_WINDOW_MAX + 1);
}

uint64_t analysis_closed(const struct analysis *analysis)
{
    return analysis->closed_rows;
}

/* States of the run to go back to, within a budget: when that is full every second
 * one goes. */
#include <stdlib.h>

#include "memory.h"
#include "replay_state.h"

static size_t bytes_of(const struct replay_saved *saved)
{
    return analysis_bytes(saved->track.analysis) + files_mark_bytes(saved->mark);
}

void replay_saved_done(struct replay_saved *saved)
{
    analysis_free(saved->track.analysis);
    files_mark_free(saved->mark);
    *saved = (struct replay_saved){0};
}

void replay_saved_make(struct replay_saved *saved, const struct replay_track *track,
                       const struct files *files, size_t memory_bytes)
{
    *saved = (struct replay_saved){0};
    replay_track_copy(&saved->track, track, memory_bytes);
    saved->mark = files_mark(files);
    saved->bytes = bytes_of(saved);
}

void replay_states_done(struct replay_states *states)
{
    for (size_t i = 0; i < states->count; i++)
        replay_saved_done(&states->items[i]);
    free(states->items);
    *states = (struct replay_states){0};
}

static void append(struct replay_states *states, const struct replay_saved *saved)
{
    if (states->count == states->capacity) {
        states->capacity = states->capacity ? states->capacity * 2 : 16;
        states->items = memory_resized(states->items, states->capacity, sizeof(*states->items));
    }
    states->items[states->count++] = *saved;
    states->bytes += saved->bytes;
}

/* The first one stays. */
static void thin_out(struct replay_states *states)
{
    size_t kept = 0;
    for (size_t i = 0; i < states->count; i++) {
        if (i % 2 == 0) {
            states->items[kept++] = states->items[i];
        } else {
            states->bytes -= states->items[i].bytes;
            replay_saved_done(&states->items[i]);
        }
    }
    states->count = kept;
    states->to_pack = states->to_pack / 2;
    states->distance *= 2;
}

/* Those behind which the run is known to have gone on for long enough. Where it went back
 * instead they stay as they are. */
static void pack(struct replay *replay)
{
    struct replay_states *states = &replay->states;
    for (; states->to_pack < states->count; states->to_pack++) {
        struct replay_saved *saved = &states->items[states->to_pack];
        bool goes_on = saved->track.front.attempt == replay->index.front.attempt;
        if (goes_on && replay->steps.total - saved->position < ANALYSIS_PACK_STEPS)
            return;
        if (!goes_on || saved->packed || !saved->track.begun)
            continue;
        states->bytes -= saved->bytes;
        analysis_pack(saved->track.analysis);
        saved->bytes = bytes_of(saved);
        saved->packed = true;
        states->bytes += saved->bytes;
    }
}

/* A state is at most as large as the model is now. */
static size_t expected_bytes(const struct replay *replay)
{
    return analysis_bytes(replay->index.analysis);
}

void replay_states_offer(struct replay *replay)
{
    struct replay_states *states = &replay->states;
    struct replay_saved saved;
    uint64_t last = states->count > 0 ? states->items[states->count - 1].track.records : 0;
    if (states->count > 0 && replay->index.records - last < states->distance)
        return;
    pack(replay);
    size_t wanted = states->count > 0 ? expected_bytes(replay) : 0;
    while (states->bytes + wanted > states->bytes_max && states->count > 1)
        thin_out(states);
    last = states->count > 0 ? states->items[states->count - 1].track.records : 0;
    if (states->count > 0 && (states->bytes + wanted > states->bytes_max ||
                              replay->index.records - last < states->distance))
        return;
    replay_saved_make(&saved, &replay->index, replay->files, replay->options.analysis.memory_bytes);
    saved.position = replay->steps.total;
    append(states, &saved);
}

/* Whether the state stands before the record with which the step comes to be the
 * front. */
static bool is_before(const struct replay_saved *saved, struct step_key key)
{
    return !saved->track.begun || step_key_compare(saved->track.front, key) < 0;
}

const struct replay_saved *replay_states_before(const struct replay *replay, struct step_key key)
{
    const struct replay_states *states = &replay->states;
    size_t low = 1, high = states->count; /* the first is before everything */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&states->items[middle], key))
            low = middle + 1;
        else
            high = middle;
    }
    const struct replay_saved *saved = &states->items[low - 1], *near = &replay->near;
    bool nearer = near->mark && is_before(near, key) && near->track.records > saved->track.records;
    return nearer ? near : saved;
}

const struct replay_saved *replay_states_last(const struct replay *replay)
{
    return &replay->states.items[replay->states.count - 1];
}

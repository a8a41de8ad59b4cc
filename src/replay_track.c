/* How far the front of a model has come. */
#include "replay_state.h"

bool replay_track_closed(struct replay_track *track)
{
    struct step_key front;
    track->closed = analysis_closed(track->analysis);
    if (!analysis_front_key(track->analysis, &front))
        return false;
    if (track->begun && step_key_compare(front, track->front) <= 0)
        return false;
    track->had_before = track->begun;
    track->before = track->front;
    track->begun = true;
    track->front = front;
    return true;
}

void replay_track_copy(struct replay_track *to, const struct replay_track *from,
                       size_t memory_bytes)
{
    analysis_free(to->analysis);
    *to = *from;
    to->analysis = analysis_copy(from->analysis, false, memory_bytes);
}

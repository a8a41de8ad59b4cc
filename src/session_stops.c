/* Places in a run that keys lead to. */
#include "session_stops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event_lines.h"

/* Whether `key` lies in that direction, and nearer than what was found so far. */
static bool is_nearer(struct step_key from, int direction, struct step_key key, bool any,
                      struct step_key best)
{
    return direction * step_key_compare(key, from) > 0 &&
           (!any || direction * step_key_compare(key, best) < 0);
}

/* ---- events ---- */

bool session_stop_find(const struct run_events *events, struct step_key from, int direction,
                       struct step_key *ret_key, char text[MODEL_TEXT_BYTES])
{
    bool any = false;
    for (size_t i = 0; i < events->count; i++) {
        const struct run_event *event = &events->items[i];
        struct step_key begin = {.attempt = event->verdict.attempt,
                                 .step = event->verdict.from_step};
        struct step_key end = {.attempt = event->end_attempt, .step = event->verdict.to_step};
        if (is_nearer(from, direction, begin, any, *ret_key)) {
            *ret_key = begin;
            event_say_end(text, MODEL_TEXT_BYTES, &event->verdict, false);
            any = true;
        }
        if (end.step >= 0 && is_nearer(from, direction, end, any, *ret_key)) {
            *ret_key = end;
            event_say_end(text, MODEL_TEXT_BYTES, &event->verdict, true);
            any = true;
        }
    }
    return any;
}

/* ---- bookmarks ---- */

static struct step_key mark_at(const struct playback *playback, int index)
{
    return (struct step_key){.attempt = playback->marks[index].attempt,
                             .step = playback->marks[index].step};
}

void session_mark(struct playback *playback, struct step_key key, char text[MODEL_TEXT_BYTES])
{
    int at = 0;
    while (at < playback->mark_count && step_key_compare(mark_at(playback, at), key) < 0)
        at++;
    size_t behind = (size_t)(playback->mark_count - at) * sizeof(playback->marks[0]);
    if (at < playback->mark_count && step_key_compare(mark_at(playback, at), key) == 0) {
        memmove(&playback->marks[at], &playback->marks[at + 1],
                behind - sizeof(playback->marks[0]));
        playback->mark_count--;
        snprintf(text, MODEL_TEXT_BYTES, "the bookmark on step %" PRId64 " is taken away",
                 key.step);
        return;
    }
    if (playback->mark_count == PLAYBACK_MARKS_MAX) {
        snprintf(text, MODEL_TEXT_BYTES, "%d bookmarks at most", PLAYBACK_MARKS_MAX);
        return;
    }
    memmove(&playback->marks[at + 1], &playback->marks[at], behind);
    playback->marks[at].attempt = key.attempt;
    playback->marks[at].step = key.step;
    playback->mark_count++;
    snprintf(text, MODEL_TEXT_BYTES, "a bookmark on step %" PRId64 " (' and \" go to bookmarks)",
             key.step);
}

bool session_mark_find(const struct playback *playback, struct step_key from, int direction,
                       struct step_key *ret_key, char text[MODEL_TEXT_BYTES])
{
    bool any = false;
    for (int i = 0; i < playback->mark_count; i++) {
        struct step_key key = mark_at(playback, i);
        if (!is_nearer(from, direction, key, any, *ret_key))
            continue;
        *ret_key = key;
        any = true;
    }
    if (!any)
        snprintf(text, MODEL_TEXT_BYTES, "%s",
                 playback->mark_count == 0 ? "no bookmark yet: m sets one"
                 : direction > 0           ? "no bookmark after this step"
                                           : "no bookmark before this step");
    return any;
}

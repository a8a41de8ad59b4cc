/* Places in a run that keys lead to: where an event begins or ends, and bookmarks. */
#pragma once

#include <stdbool.h>

#include "analysis.h"
#include "events.h"
#include "model.h"

/* The nearest begin or end of an event after (direction 1) or before (-1) the step;
 * `text` says what it is. False: there is none. */
bool session_stop_find(const struct run_events *events, struct step_key from, int direction,
                       struct step_key *ret_key, char text[MODEL_TEXT_BYTES]);

/* Sets a bookmark, or takes it away; `text` says which. */
void session_mark(struct playback *playback, struct step_key key, char text[MODEL_TEXT_BYTES]);

/* The nearest bookmark after or before the step. False: there is none; `text` says so. */
bool session_mark_find(const struct playback *playback, struct step_key from, int direction,
                       struct step_key *ret_key, char text[MODEL_TEXT_BYTES]);

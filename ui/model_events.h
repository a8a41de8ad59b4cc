/* What keys do on the events screen. */
#pragma once

#include "model.h"

/* False when the key is none of its own; *ret_request is what the caller shall do. */
bool model_events_command(struct view_model *model, struct key_event event,
                          struct view_request *ret_request);

/* To the nearest event about a slow rank or group that begins after (1) or before (-1) the
 * shown step; without one a message says so. */
struct view_request model_events_slow(struct view_model *model, int direction);

/* What keys do on the events screen. */
#pragma once

#include "model.h"

/* False when the key is none of its own; *ret_request is what the caller shall do. */
bool model_events_command(struct view_model *model, struct key_event event,
                          struct view_request *ret_request);

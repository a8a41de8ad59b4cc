/* What keys do on the screens that show the whole run: heat map and history. */
#pragma once

#include "model.h"

/* False when the key is none of theirs; *ret_request is what the caller shall do. */
bool model_span_command(struct view_model *model, struct key_event event,
                        struct view_request *ret_request);

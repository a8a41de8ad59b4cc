/* A live session that looks back: places among the steps that are in memory. */
#pragma once

#include "session_state.h"

/* Answers what is asked for; false when it is not about a place. The shown step is
 * pinned already. */
bool session_look(struct session *session, struct view_request request);

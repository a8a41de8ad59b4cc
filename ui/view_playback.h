/* Where a replay is: one line above the keys. */
#pragma once

#include "view.h"

/* Its state, the run as a bar with what is read and what is shown, bookmarks and events on
 * it, time of day. What has no room is left out, the bar last. */
void view_playback(struct canvas *canvas, struct rect rect, const struct view_model *model);

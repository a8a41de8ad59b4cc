/* Why nobody is named: all are alike, it is too early, or the log cannot tell. */
#pragma once

#include "model.h"
#include "sentence.h"

/* One line, shortened to `width` cells where it can. */
void verdict_none(const struct view_model *model, int width, struct sentence *line);

/* Why the waits of this log are unknown, and which fields would tell them. */
void verdict_no_rule(const struct view_model *model, struct sentence *sentence);

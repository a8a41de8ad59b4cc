/* What other formats' logs hold too little of, in words. */
#pragma once

#include "alarm_lines.h"

/* The logs are of a job of more ranks than are in them. */
bool alarm_some_ranks(const struct view_model *model, struct sentence *line);

/* Few records among many other lines: of what was read whole; a live log may only have begun. */
bool alarm_few_records(const struct view_model *model, struct sentence *line);

/* What is in the logs, but can't be shown, or not yet. */
bool alarm_not_shown(const struct view_model *model, struct sentence *line);

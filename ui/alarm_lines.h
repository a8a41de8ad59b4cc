/* What is missing, lost or not to be believed, in words. Empty when all is well. */
#pragma once

#include "model.h"
#include "sentence.h"

#define ALARM_LINES_MAX 8

/* The most urgent first, `max` at most (0 to ALARM_LINES_MAX); returns how many. */
int alarm_lines(const struct view_model *model, struct sentence *lines, int max);

/* That no record comes any more, or why: the file is gone. False, nothing added, where they do. */
bool alarm_stopped(const struct view_model *model, struct sentence *line);

/* What would be needed for the MFU ("MFU needs ..."); false when it is known. */
bool alarm_mfu_needs(const struct view_model *model, struct sentence *line);

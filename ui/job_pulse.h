/* How long ago the newest value of a live log came, and how often one does as a rule: a hang
 * is a picture that stands still, and has to be told in words. The time is passed in, as
 * summary->silent_s; where that is not known, in a replay, when the input has ended
 * and while a backlog is read, nobody is waited for, and nothing is said. */
#pragma once

#include "model.h"
#include "sentence.h"

#define PULSE_WORDINGS 3 /* from long to short */

/* Seconds between two values as a rule: the median step time x the steps between the last ones. */
struct quantity job_pulse_usual(const struct summary *summary);

/* Nothing has come for several times that, and the last step that the log names was not reached. */
bool job_pulse_overdue(const struct view_model *model);

/* "last value over 4 min ago, usually one every 32.0 s c": ages as format_silence() has them, since
 * a file may be read long after it was written, and so that it changes seldom. False, nothing
 * added, where nobody is waited for. */
bool job_pulse_add(struct sentence *line, const struct view_model *model, int wording);

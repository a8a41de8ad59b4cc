/* An MFU that cannot be, and what makes it so: the likely cause by trying each. */
#pragma once

#include "model.h"
#include "sentence.h"

/* All of them: true when there is something to say, which is then added to the
 * (empty) line. A cause is named when with it the figure would be possible. */
bool alarm_mfu_over(const struct view_model *model, struct sentence *line);
bool alarm_hfu_over(const struct view_model *model, struct sentence *line);

/* The peak given is twice, or half, the chip's dense one. */
bool alarm_peak_factor(const struct view_model *model, struct sentence *line);

/* A chip is named whose peak is not known, and names like it that are. */
bool alarm_peak_unknown(const struct view_model *model, struct sentence *line);

/* "peak unknown for X", "peak unknown for A100 in FP8". */
void alarm_add_unknown_peak(const struct run *run, struct sentence *line);

/* tp x pp x dp is not the number of ranks. */
bool alarm_sizes(const struct view_model *model, struct sentence *line);

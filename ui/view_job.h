/* Tables below the graphs of a log of the whole job. Used by view_job*.c only. */
#pragma once

#include "canvas.h"
#include "model.h"

#define JOB_TABLES_WIDE 118 /* cells from which the events have a column of their own */

/* The newest steps as bars, the slowest of the last ones, what happened: as many side
 * by side as there is room for, the first line heads. */
void job_tables_draw(struct canvas *canvas, struct rect rect, const struct view_model *model);

/* The newest spike, restart or gap, with `which` the one before it, ...; NULL. */
const struct verdict *job_newest_event(const struct summary *summary, size_t which);

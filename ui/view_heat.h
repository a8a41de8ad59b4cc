/* What the heat map shows of a model at a size: shared by its view and its keys. */
#pragma once

#include "heat_ramp.h"
#include "heat_rows.h"
#include "model.h"

/* Lines of its parts; what there is no room for is 0. */
struct heat_lines {
    int title, events, rows, axis, steps, cursor, legend;
};
struct heat_lines heat_lines_make(int height);

/* The rows of the model's overview, in so many lines of them. */
void heat_rows_of(struct heat_rows *rows, const struct view_model *model, int room);

/* How many rows above the first that is seen, the cursor's row among them. */
size_t heat_first_row(const struct heat_rows *rows, const struct span_view *view, int room);

/* A whole screen: layout and views put together. */
#pragma once

#include "canvas.h"
#include "model.h"

/* Clears the canvas and draws the model's screen at the canvas's size, whatever
 * that is. Touches nothing else: the same model gives the same cells. */
void screen_draw(struct canvas *canvas, const struct view_model *model);

/* What of the whole run the model's screen shows at that size; false when nothing. */
bool screen_wants(const struct view_model *model, int width, int height,
                  struct overview_request *ret_request);

/* Rows of ranks that screen_draw() would have at that size: for model->rank_rows. */
int screen_rank_rows(const struct view_model *model, int width, int height);

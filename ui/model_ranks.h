/* What keys do on the screen of all ranks: for model.c. */
#pragma once

#include "model.h"

/* A key of the table, or of one rank closer. False: it does here what it does
 * everywhere. */
bool model_ranks_command(struct view_model *model, struct key_event event);

/* The selected rank closer, from the screen that is shown. */
void model_open_detail(struct view_model *model);

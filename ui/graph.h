/* A column of a graph, in eighths of a cell; in ASCII by what a character fills. */
#pragma once

#include "canvas.h"

/* Column x of the rect, `share` (0 to 1) of its height; one eighth at least. */
void graph_column(struct canvas *canvas, struct rect rect, int x, double share, enum style style);

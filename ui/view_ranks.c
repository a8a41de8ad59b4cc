/* All ranks in a table; one closer. */
#include "view.h"

void view_ranks(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    (void)canvas;
    (void)rect;
    (void)model;
}

int view_ranks_rows(int height)
{
    return height > 2 ? height - 2 : 0;
}

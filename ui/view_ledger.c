/* Where the GPU time goes, as a waterfall. */
#include "view.h"

void view_ledger(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    (void)canvas;
    (void)rect;
    (void)model;
}

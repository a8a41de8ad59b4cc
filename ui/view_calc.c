/* Panels 1.1 and 1.2. */
#include "view.h"

void view_calc(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    (void)canvas;
    (void)rect;
    (void)model;
}

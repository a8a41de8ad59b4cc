/* The heat map: ranks by steps. */
#include "view.h"

void view_heat(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    (void)model;
    canvas_text(canvas, rect, 1, 0, STYLE_DIM, "heat map");
}

struct overview_request view_heat_wants(int width, int height, const struct view_model *model)
{
    (void)height;
    (void)model;
    return (struct overview_request){.to = INT64_MAX, .columns = width, .heat = true};
}

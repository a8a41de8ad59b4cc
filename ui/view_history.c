/* The history screen: MFU, step time and waits over the whole run. */
#include "view.h"

void view_history(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    (void)model;
    canvas_text(canvas, rect, 1, 0, STYLE_DIM, "history");
}

struct overview_request view_history_wants(int width, int height, const struct view_model *model)
{
    (void)height;
    (void)model;
    return (struct overview_request){.to = INT64_MAX, .columns = width};
}

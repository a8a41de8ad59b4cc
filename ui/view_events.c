/* The events screen: what happened, and when. */
#include "view.h"

int view_events_rows(int height)
{
    return height > 2 ? height - 2 : 0;
}

void view_events(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    (void)model;
    canvas_text(canvas, rect, 1, 0, STYLE_DIM, "events");
}

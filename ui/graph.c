/* A column of a graph. */
#include "graph.h"

#include <math.h>

static uint32_t level_glyph(int level, int height, bool unicode)
{
    if (unicode)
        return (uint32_t)(0x2580 + level);
    if (height > 1)
        return (uint32_t)(level < 3 ? '.' : level < 6 ? ':' : '#');
    return (uint32_t) "_.,-=+*#"[level - 1];
}

void graph_column(struct canvas *canvas, struct rect rect, int x, double share, enum style style)
{
    if (!(share > 0))
        share = 0;
    int levels = (int)lround(fmin(share, 1) * 8 * rect.height);
    levels = levels < 1 ? 1 : levels;
    for (int y = rect.height - 1; y >= 0 && levels > 0; y--, levels -= 8)
        canvas_put(canvas, rect, x, y,
                   level_glyph(levels < 8 ? levels : 8, rect.height, canvas->unicode), style);
}

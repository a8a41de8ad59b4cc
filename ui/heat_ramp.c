/* The signs of the heat map. */
#include "heat_ramp.h"

#include <math.h>

struct level {
    double from; /* slowdown - 1 */
    uint32_t unicode;
    char ascii;
    enum style style;
    const char *name, *brief;
};
static const struct level LEVELS[HEAT_LEVELS] = {
    {-INFINITY, '-', '-', STYLE_HEAT_FAST, "under -5%", "-5"},
    {-0.05, 0xB7, '.', STYLE_HEAT_MEDIAN, "median", "0"},
    {0.02, ':', ':', STYLE_HEAT_2, "+2%", "2"},
    {0.05, 0x2591, '+', STYLE_HEAT_5, "+5%", "5"},
    {0.10, 0x2592, '*', STYLE_HEAT_10, "+10%", "10"},
    {0.25, 0x2593, '#', STYLE_HEAT_25, "+25%", "25"},
    {0.50, 0x2588, '@', STYLE_HEAT_50, "+50%", "50%"},
};

int heat_level(uint16_t heat)
{
    double excess = heat * HEAT_UNIT - 1;
    int level = HEAT_LEVELS - 1;
    while (level > 0 && excess < LEVELS[level].from - HEAT_UNIT / 2)
        level--;
    return level;
}

uint32_t heat_glyph(int level, bool unicode)
{
    return unicode ? LEVELS[level].unicode : (unsigned char)LEVELS[level].ascii;
}

enum style heat_style(int level)
{
    return LEVELS[level].style;
}

/* "·0 :2 ░5 ▒10 ▓25 █50%": the fast ones need no explanation most. */
static void draw_tight(struct canvas *canvas, struct rect rect, int x, int y)
{
    for (int i = 1; i < HEAT_LEVELS; i++) {
        canvas_put(canvas, rect, x, y, heat_glyph(i, canvas->unicode), LEVELS[i].style);
        x += 2 + canvas_text(canvas, rect, x + 1, y, STYLE_DIM, LEVELS[i].brief);
    }
}

void heat_ramp_draw(struct canvas *canvas, struct rect rect, int x, int y, bool tight)
{
    bool narrow = rect.width < 78;
    if (tight) {
        draw_tight(canvas, rect, x, y);
        return;
    }
    for (int i = 0; i < HEAT_LEVELS; i++) {
        canvas_put(canvas, rect, x, y, heat_glyph(i, canvas->unicode), LEVELS[i].style);
        x += 2 + canvas_text(canvas, rect, x + 2, y, STYLE_DIM,
                             narrow ? LEVELS[i].brief : LEVELS[i].name);
        x += narrow && rect.width < 42 && i == 0 ? 1 : 2;
    }
    canvas_text(canvas, rect, x, y, STYLE_DIM, narrow ? "" : "blank: no record");
}

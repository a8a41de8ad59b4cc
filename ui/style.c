/* The table of looks. */
#include "style.h"

#include <assert.h>

static const struct style_look looks[STYLE_COUNT] = {
#define STYLE(name, letter, rgb, rgb_ground, c256, c256_ground, c8, c8_ground, on, mono)           \
    [STYLE_##name] = {letter, {rgb, rgb_ground}, {c256, c256_ground}, {c8, c8_ground}, on, mono},
#include "style.def"
#undef STYLE
};

const struct style_look *style_look(enum style style)
{
    assert(style < STYLE_COUNT);
    return &looks[style];
}

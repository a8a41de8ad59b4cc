/* The signs of the heat map: from light to heavy, never by colour alone. */
#pragma once

#include "canvas.h"
#include "overview.h"

#define HEAT_LEVELS 7
#define HEAT_LEVEL_MEDIAN 1

/* Of a cell: how slow it is, 0 to HEAT_LEVELS - 1. */
int heat_level(uint16_t heat);

uint32_t heat_glyph(int level, bool unicode);
enum style heat_style(int level);

/* What each sign stands for, from there on; in one line with other words when `tight`. */
void heat_ramp_draw(struct canvas *canvas, struct rect rect, int x, int y, bool tight);
#define HEAT_RAMP_TIGHT 21 /* cells that it then takes */

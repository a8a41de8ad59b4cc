/* What the styles look like: style.def as a table. No terminal here. */
#pragma once

#include <stdint.h>

#include "canvas.h"

enum { STYLE_BOLD = 1, STYLE_UNDERLINE = 2, STYLE_REVERSE = 4, STYLE_FAINT = 8 };

/* Colours are pairs of foreground and ground; -1 is the terminal's own. */
struct style_look {
    char letter;       /* for canvas_to_text, no two alike */
    int32_t direct[2]; /* 0xRRGGBB */
    int16_t of256[2], of8[2];
    uint8_t attributes; /* STYLE_BOLD ..., with colours */
    uint8_t mono;       /* the same without */
};

const struct style_look *style_look(enum style style);

/* The columns beside the bars: one row of a table each, by the room there is. */
#pragma once

#include "format.h"
#include "view.h"

/* What a column draws from. */
struct columns_row {
    const struct view_model *model;
    const struct summary_rank *rank;
    enum choice_role role;
    struct format_scale own, wait, mean_wait, phase[PHASE_COUNT];
};

struct columns_place {
    const struct column *column;
    int x, width;
};

#define COLUMNS_MAX 20

struct columns {
    int count;
    struct columns_place places[COLUMNS_MAX];
    int bar_x, bar_width;   /* what is left for the bars, barrier included */
    struct columns_row row; /* scales and model; rank and role are set for each row */
};

/* Which columns a screen of that width has, and where. */
void columns_make(struct columns *columns, const struct view_model *model,
                  const struct choice *choice, int width, bool unicode);
void columns_draw_heads(const struct columns *columns, struct canvas *canvas, struct rect line);
/* All columns of one rank into one line. */
void columns_draw(const struct columns *columns, struct canvas *canvas, struct rect line,
                  const struct choice_row *chosen);

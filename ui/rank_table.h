/* The columns of the table of all ranks: which there are by the room, and what
 * stands in them (rank_columns.def). */
#pragma once

#include "format.h"
#include "rank_order.h"
#include "view.h"

struct rank_table_place {
    enum rank_column column;
    int x, width; /* the blanks before it included; width 0: no room */
};

struct rank_table {
    const struct view_model *model;
    int count;
    struct rank_table_place places[RANK_COLUMN_COUNT]; /* from left to right */
    struct format_scale scales[RANK_COLUMN_COUNT];     /* of the times, one unit a column */
};

/* The column that is sorted by always has its place; a column of which nothing is
 * known has none. */
void rank_table_make(struct rank_table *table, const struct view_model *model, int width,
                     bool unicode);
void rank_table_draw_heads(const struct rank_table *table, struct canvas *canvas, struct rect line);
void rank_table_draw(const struct rank_table *table, struct canvas *canvas, struct rect line,
                     const struct summary_rank *rank, bool cursor);

const char *rank_column_head(enum rank_column column);
const char *rank_mark_name(enum rank_mark mark); /* "straggler", "slow group", ...; "" */
enum style rank_mark_style(enum rank_mark mark);

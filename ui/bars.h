/* Bars of one rank, and the axis under them. */
#pragma once

#include "axis.h"
#include "view.h"

/* Own time, then waiting, then the barrier in the last cell of the line; a rank that
 * began late has cells of their own kind before its own time. In
 * eighths of a cell with Unicode, whole cells in ASCII. A cut axis shows a
 * break near the left end. `phases`: own time as segments, each its own glyph. */
void bars_draw(struct canvas *canvas, struct rect line, const struct axis *axis,
               const struct summary_rank *rank, bool phases);

/* Labels of the axis in the last line of the rect, ticks in the line above when
 * there are two; `bar` says where the bars stand in it. */
void bars_draw_axis(struct canvas *canvas, struct rect rect, const struct axis *axis, int bar_x,
                    int bar_width);

/* Whether a rank of the shown step began so late that it can be seen. */
bool bars_have_late(const struct summary *summary);

/* What each glyph of the phases means. */
void bars_draw_legend(struct canvas *canvas, struct rect line, const struct view_model *model);

struct bars_glyph {
    const char *name;
    uint32_t unicode;
    char ascii;
    enum style style;
};
enum bars_part {
    PART_OWN,
    PART_OTHER, /* own time that no phase of this record holds: the optimizer before */
    PART_DATA,
    PART_FORWARD,
    PART_BACKWARD,
    PART_LATE, /* in no phase: before it began */
    PART_WAIT,
    PART_BARRIER,
    PART_COUNT
};
const struct bars_glyph *bars_glyph(enum bars_part part);
void bars_put(struct canvas *canvas, struct rect line, int x, enum bars_part part);

/* Seconds of the phases before the barrier, and what they leave of the own time: the
 * parts from PART_OTHER to PART_BACKWARD, in their order. */
void bars_split(const struct summary_rank *rank, double ret_s[PART_COUNT]);

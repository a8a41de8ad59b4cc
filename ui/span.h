/* A part of the run on its side: columns of steps from left to right, with what
 * happened above them and their steps and times below. Shared by heat map and
 * history. */
#pragma once

#include "canvas.h"
#include "model.h"
#include "sentence.h"

#define SPAN_NOWHERE SIZE_MAX
#define SPAN_CELLS_MAX 8 /* of one column, when there are few */

struct span {
    struct canvas *canvas;
    const struct view_model *model;
    const struct overview *overview; /* has columns */
    struct rect rect;                /* of the columns; y and height are not looked at */
    size_t first, count;             /* columns that are seen */
    int cells;                       /* of a column */
    size_t cursor, shown;            /* columns, or SPAN_NOWHERE */
};

/* False when there is nothing to draw: no overview, or no step in it. */
bool span_begin(struct span *span, struct canvas *canvas, struct rect rect,
                const struct view_model *model, const struct span_view *view);

/* What is asked for, to be seen in so many cells. */
struct overview_request span_wants(const struct span_view *view, int cells);

/* The first cell of a column, from the left edge of the rect. */
int span_x(const struct span *span, size_t column);

/* Which column the cursor is in, and which holds the shown step; SPAN_NOWHERE. */
size_t span_cursor_column(const struct overview *overview, const struct span_view *view,
                          const struct summary *summary);
size_t span_shown_column(const struct overview *overview, const struct summary *summary);
size_t span_column_at(const struct overview *overview, int64_t position);

/* S straggler, ^ spike, R restart, M missing, G gap: the gravest in each column; what lasts
 * has a line behind it. With `cursor` the cursor is marked there, too: when there is no
 * axis. */
void span_draw_events(const struct span *span, int y, bool cursor);
/* The line below: cursor, shown step, restarts, ticks. */
void span_draw_axis(const struct span *span, int y);
/* Steps, and times of day, at the ticks. */
void span_draw_steps(const struct span *span, int y);
void span_draw_times(const struct span *span, int y);

/* Is there a restart between the column before and this one, or inside of it? */
bool span_restarts_at(const struct overview *overview, size_t column);

/* "step 12", "steps 12 to 28", "a1 480 to a2 405". */
void span_say_steps(struct sentence *line, const struct overview *overview, size_t column,
                    bool brief);
/* "  2026-11-29 15:30:38Z": nothing when it is not known. */
void span_say_moment(struct sentence *line, const struct overview_column *column,
                     const struct summary *summary);
/* Some values are means over several steps: then positions are values. "step", "value". */
bool span_of_means(const struct overview *overview);
const char *span_word(const struct overview *overview);
/* Steps, or values, in the widest column; "17 steps a column". */
int64_t span_widest(const struct overview *overview);
void span_say_width(struct sentence *line, const struct overview *overview);
/* "  zoomed (0: all)", when it is. */
void span_say_zoom(struct sentence *line, const struct span_view *view);
/* "  mean step time 4.93 s m (longest 6.31 s m)", "  4.93 s m max 6.31 s m", "  4.93 s m";
 * "  wait 9.8% m". */
enum span_time { SPAN_TIME_FULL, SPAN_TIME_BRIEF, SPAN_TIME_ALONE };
void span_say_time(struct sentence *line, const struct view_model *model, size_t column,
                   enum span_time wording, bool unicode);
void span_say_wait(struct sentence *line, const struct view_model *model, size_t column);
void span_say_share(struct sentence *line, const struct view_model *model, const char *label,
                    double share, enum evidence evidence);

/* There is no cursor in what is seen: where it is, and what brings it back. */
void span_say_nowhere(const struct span *span, struct rect rect);

/* What the marks are: "S straggler  ^ spike ...", as much as fits; without `ranks` those that a
 * log of a whole job can have. */
void span_draw_legend(struct canvas *canvas, struct rect rect, int x, int y, bool ranks);

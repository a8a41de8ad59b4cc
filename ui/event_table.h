/* The columns of the table of events: which there are by the room, and what stands
 * in them. */
#pragma once

#include "event_lines.h"
#include "view.h"

enum event_column {
    EVENT_WHEN,  /* time of day, UTC or by the log's clock; with the day when the run has several */
    EVENT_STEP,  /* "12,345", "a2 12,345" in a run of several attempts */
    EVENT_UNTIL, /* its last step, or that it lasts */
    EVENT_FOR,   /* how long it lasted */
    EVENT_WHAT,
    EVENT_WHO,
    EVENT_PHASE,
    EVENT_SIZE,
    EVENT_COST, /* GPU-hours */
    EVENT_COLUMN_COUNT
};

struct event_table {
    const struct view_model *model;
    bool unicode, days, attempts;
    int x[EVENT_COLUMN_COUNT];
    int width[EVENT_COLUMN_COUNT]; /* 0: no room */
};

/* Of model->events, which must be there. Narrow screens do without cost, length, end, time,
 * phase, size and who, in that order. */
void event_table_make(struct event_table *table, const struct view_model *model, int width,
                      bool unicode);
void event_table_draw_heads(const struct event_table *table, struct canvas *canvas,
                            struct rect line);
void event_table_draw(const struct event_table *table, struct canvas *canvas, struct rect line,
                      const struct run_event *event, bool cursor);

/* The list of events as it is seen: which of them, in which order, and where the
 * cursor stands. Pure: nothing here draws. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events.h"

/* What an event is known by while others come and go around it. */
struct event_key {
    bool set; /* false: the newest, whichever that is */
    enum verdict_kind kind;
    int attempt;
    int64_t step;
    int64_t rank;
    bool is_host;
    char group[NAME_BYTES];
};

struct events_view {
    struct event_key cursor;
    int scroll; /* lines above the first one that is seen */
    bool oldest_first;
    uint32_t hidden; /* 1 << verdict kind: these are not listed */
};

struct event_key event_key_of(const struct run_event *event);

/* Before (-1), at (0) or after (1) that step, by where the event began. */
int event_compare(const struct run_event *event, int attempt, int64_t step);

struct event_rows {
    size_t count;
    uint32_t *index; /* of events->items, malloc'd */
};

struct event_rows event_rows_make(const struct run_events *events, const struct events_view *view);
void event_rows_done(struct event_rows *rows);

/* The row of the cursor: when its event is gone or hidden, the row that stands where
 * it would. SIZE_MAX when there are no rows. */
size_t event_rows_cursor(const struct event_rows *rows, const struct run_events *events,
                         const struct events_view *view);

/* How many rows stand above the place of that step: 0 to rows->count. An event that
 * begins at the step has already happened. */
size_t event_rows_above(const struct event_rows *rows, const struct run_events *events,
                        const struct events_view *view, int attempt, int64_t step);

/* From so many lines on, a line of its own stands where the shown step is, among the rows. */
#define EVENT_PLACE_LINES 4

/* The first of `seen` lines, of `count`, that has the line of the cursor among them and
 * is near view->scroll. */
int event_rows_scroll(const struct events_view *view, size_t cursor, size_t count, int seen);

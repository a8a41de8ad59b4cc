/* The list of what happened. */
#include "events.h"

#include <stdlib.h>

void run_events_init(struct run_events *events)
{
    *events = (struct run_events){0};
}

void run_events_done(struct run_events *events)
{
    free(events->items);
    run_events_init(events);
}

/* What has happened in the run. */
#include "analysis_table.h"

void analysis_events(struct analysis *analysis, struct run_events *events)
{
    (void)analysis;
    run_events_done(events);
}

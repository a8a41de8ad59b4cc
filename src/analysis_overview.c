/* The course of the run, for history, heat map and figures. */
#include "analysis_table.h"

void analysis_overview(struct analysis *analysis, struct overview_request request,
                       struct overview *overview)
{
    (void)analysis;
    (void)request;
    overview_done(overview);
}

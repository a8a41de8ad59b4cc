/* The run as it stood at a step. */
#include "command_report_moment.h"

#include "analysis_reach.h"

void report_moment_init(struct report_moment *moment, int64_t step, bool overview,
                        struct overview_request columns)
{
    *moment = (struct report_moment){
        .step = step, .overview = overview, .columns = columns, .attempt = -1};
    overview_init(&moment->kept);
}

void report_moment_done(struct report_moment *moment)
{
    analysis_free(moment->copy);
    overview_done(&moment->kept);
}

/* The course up to the key: what closed behind it is cut off. */
static void keep_overview(struct report_moment *moment, struct analysis *analysis, size_t behind)
{
    struct overview_request request = moment->columns;
    analysis_overview(analysis, request, &moment->kept);
    if (behind == 0 || moment->kept.positions <= (int64_t)behind)
        return;
    request.to = moment->kept.positions - (int64_t)behind;
    analysis_overview(analysis, request, &moment->kept);
}

void report_moment_look(struct report_moment *moment, struct analysis *analysis)
{
    struct step_key front, key;
    size_t behind = 0;
    if (analysis_closed(analysis) == moment->closed)
        return;
    moment->closed = analysis_closed(analysis);
    if (!analysis_front_key(analysis, &front) || front.attempt <= moment->attempt ||
        !analysis_reached(analysis, moment->step, &key, &behind))
        return;
    moment->attempt = front.attempt;
    analysis_free(moment->copy);
    moment->copy = analysis_copy(analysis, true, SIZE_MAX / 2);
    analysis_hold(moment->copy, key);
    if (moment->overview)
        keep_overview(moment, analysis, behind);
}

/* Which of several formats gives the records of a stream. */
#include "log_lead.h"

/* A leader that is silent while another has so many values, and as many as four of its own
 * intervals have steps, leads no more: another run was appended to the log. */
#define SILENT_VALUES 64
#define SILENT_INTERVALS 4
#define SILENT_AT_END 8 /* likewise, when nothing follows */
/* Our own records are there step by step: after so many steps without one they have ended. */
#define SILENT_OWN 2

void log_lead_begin(struct log_lead *lead)
{
    *lead = (struct log_lead){
        .format = LEAD_NONE, .last = -1, .span = 1, .floor = -1, .silent_step = -1};
}

void log_lead_own(struct log_lead *lead, int64_t step)
{
    log_lead_begin(lead);
    lead->format = LEAD_OWN;
    lead->last = step;
}

static void lead_now(struct log_lead *lead, size_t format, int64_t floor)
{
    log_lead_begin(lead);
    lead->format = (int)format;
    lead->floor = floor;
}

/* The leader was silent while another had a value for this step; false: for too long. */
static bool still_leads(struct log_lead *lead, int64_t step)
{
    lead->silent += step != lead->silent_step; /* all ranks of a step are one */
    lead->silent_step = step;
    if (lead->format == LEAD_OWN && step > lead->last)
        return lead->silent <= SILENT_OWN;
    return lead->silent <= SILENT_VALUES + SILENT_INTERVALS * lead->span;
}

/* A format that stands before the leader has a record, too. They may number their steps in
 * different ways: it leads from where both are at the same step, or it is ahead. */
static bool overtakes(struct log_lead *lead, size_t format, int64_t step, int64_t span)
{
    bool behind = lead->last >= step - span + 1;
    if (behind && lead->last - step >= lead->span + span && still_leads(lead, step))
        return false;
    lead_now(lead, format, behind && lead->last - step < lead->span + span ? lead->last : -1);
    return true;
}

bool log_lead_takes(struct log_lead *lead, size_t format, uint64_t claims,
                    const struct record *record)
{
    int64_t step = record->step, span = record->has & RECORD_SPAN ? record->span : 1;
    if (lead->format == LEAD_NONE)
        lead->format = __builtin_ctzll(claims);
    if ((int)format < lead->format) {
        if (!overtakes(lead, format, step, span))
            return false;
    } else if ((int)format > lead->format) {
        if (still_leads(lead, step))
            return false;
        lead_now(lead, format, -1);
    }
    if (lead->floor >= 0 && step - span < lead->floor)
        return false;
    lead->floor = -1;
    lead->last = step;
    lead->span = span;
    lead->silent = 0;
    return true;
}

bool log_lead_is_over(const struct log_lead *lead)
{
    return lead->format >= 0 && lead->silent > SILENT_AT_END + SILENT_INTERVALS * lead->span;
}

bool log_lead_outranks(const struct log_lead *lead, size_t format, uint64_t claims)
{
    int leader = lead->format != LEAD_NONE ? lead->format
                 : claims                  ? __builtin_ctzll(claims)
                                           : LEAD_NONE;
    return leader != LEAD_NONE && leader < (int)format;
}

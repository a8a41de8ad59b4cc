/* How long ago the newest value of a live log came. */
#include "job_pulse.h"

#include <math.h>
#include <stdlib.h>

#include "format.h"

#define OVERDUE_TIMES 3     /* what is usual, before it is said */
#define OVERDUE_LEAST_S 2.0 /* but short gaps are nothing */
#define STRIDES_MAX 64      /* that are looked at: the last ones */

static int by_size(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return one < other ? -1 : one > other;
}

/* Steps from one value to the next: the median, which neither a restart nor a gap moves. */
static int64_t stride_of(const struct summary *summary)
{
    int64_t strides[STRIDES_MAX];
    size_t count = 0;
    for (size_t i = summary->point_count; i-- > 1 && count < STRIDES_MAX;) {
        int64_t stride = summary->points[i].step - summary->points[i - 1].step;
        if (stride > 0)
            strides[count++] = stride;
    }
    if (count == 0)
        return summary->shown.span > 1 ? summary->shown.span : 1;
    qsort(strides, count, sizeof(*strides), by_size);
    return strides[(count - 1) / 2];
}

struct quantity job_pulse_usual(const struct summary *summary)
{
    struct quantity median = summary->step_time_median_s;
    if (!quantity_known(median) || !isfinite(median.value) || !(median.value > 0))
        return quantity_none();
    return (struct quantity){median.value * (double)stride_of(summary), EVIDENCE_COMPUTED};
}

/* While a backlog is read the newest value is not known yet; behind a trace none comes. */
static bool is_awaited(const struct view_model *model)
{
    return model->mode == MODE_LIVE && !model->feed.reading && !model->summary->documents &&
           isfinite(model->summary->silent_s);
}

/* Nothing more is to come. */
static bool is_done(const struct summary *summary)
{
    return summary->planned_step > 0 && summary->shown.known &&
           summary->last_in_memory >= summary->planned_step;
}

bool job_pulse_overdue(const struct view_model *model)
{
    struct quantity usual = job_pulse_usual(model->summary);
    return is_awaited(model) && !is_done(model->summary) && quantity_known(usual) &&
           model->summary->silent_s > fmax(OVERDUE_TIMES * usual.value, OVERDUE_LEAST_S);
}

bool job_pulse_add(struct sentence *line, const struct view_model *model, int wording)
{
    static const char *const between[PULSE_WORDINGS - 1] = {", usually one every ", ", usual: "};
    struct quantity usual = job_pulse_usual(model->summary);
    double silent_s = model->summary->silent_s;
    char text[FORMAT_BYTES];
    if (!is_awaited(model))
        return false;
    sentence_add(line, wording == 0 ? "last value " : "last ");
    if (silent_s < 1)
        sentence_add(line, "just now");
    else
        sentence_add(line, "%s ago", format_silence(text, silent_s));
    if (is_done(model->summary)) {
        sentence_add(line, "%s", wording == 0 ? ": that of the run's last step" : ", all done");
        return true;
    }
    if (!quantity_known(usual) || wording >= PULSE_WORDINGS - 1)
        return true;
    sentence_add(line, "%s%s", between[wording], format_duration(text, usual.value, false));
    sentence_evidence(line, model_evidence(model, usual.evidence));
    return true;
}

/* The clocks, in words. */
#include "clock_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "clocks.h"

#define HOUR_S 3600.0

const char *clock_offset_text(char out[FORMAT_BYTES], double seconds, bool unicode)
{
    char text[FORMAT_BYTES];
    format_duration(text, fabs(seconds), unicode);
    snprintf(out, FORMAT_BYTES, "%s%.40s",
             !isfinite(seconds) || seconds == 0 ? ""
             : seconds < 0                      ? "-"
                                                : "+",
             text);
    return out;
}

const char *clock_drift_text(char out[FORMAT_BYTES], double drift, bool unicode)
{
    char text[FORMAT_BYTES];
    clock_offset_text(text, drift * HOUR_S, unicode);
    snprintf(out, FORMAT_BYTES, "%.40s%s", text, isfinite(drift) ? "/h" : "");
    return out;
}

const char *clock_owner(const struct summary *summary)
{
    for (size_t i = 0; i < summary->clock_count; i++)
        if (summary->clocks[i].host[0])
            return "host";
    return "rank";
}

size_t clocks_off(const struct summary *summary)
{
    size_t off = 0;
    for (size_t i = 0; i < summary->clock_count; i++)
        off += clock_is_off(&summary->clocks[i]);
    return off;
}

const struct clock_offset *clock_farthest(const struct summary *summary)
{
    const struct clock_offset *farthest = NULL;
    for (size_t i = 0; i < summary->clock_count; i++) {
        const struct clock_offset *clock = &summary->clocks[i];
        if (!farthest || fabs(clock->offset_s) > fabs(farthest->offset_s))
            farthest = clock;
    }
    return farthest;
}

static const struct clock_offset *worst_of(const struct summary *summary)
{
    const struct clock_offset *worst = NULL;
    for (size_t i = 0; i < summary->clock_count; i++) {
        const struct clock_offset *clock = &summary->clocks[i];
        if (clock_is_off(clock) && (!worst || fabs(clock->offset_s) > fabs(worst->offset_s)))
            worst = clock;
    }
    return worst;
}

bool alarm_clocks(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    const struct clock_offset *worst = worst_of(summary);
    enum evidence evidence = model_evidence(model, EVIDENCE_COMPUTED);
    char text[FORMAT_BYTES], off[FORMAT_BYTES], all[FORMAT_BYTES];
    if (!worst)
        return false;
    sentence_add(line, "clocks: ");
    if (worst->host[0])
        sentence_add_raw(line, worst->host);
    else
        sentence_add(line, "rank %" PRId64, worst->rank);
    sentence_add(line, " %s", clock_offset_text(text, worst->offset_s, false));
    sentence_evidence(line, evidence);
    if (clock_drifts(worst)) {
        sentence_add(line, ", drift %s", clock_drift_text(text, worst->drift, false));
        sentence_evidence(line, evidence);
    }
    sentence_add(line, "; %s of %s over 1 ms", format_count(off, (int64_t)clocks_off(summary)),
                 format_counted(all, (int64_t)summary->clock_count, clock_owner(summary)));
    return true;
}

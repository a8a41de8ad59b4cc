/* What is missing, lost or not to be believed, in words. */
#include "alarm_lines.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alarm_logs.h"
#include "alarm_mfu.h"
#include "clock_lines.h"
#include "format.h"
#include "job_lines.h"
#include "job_pulse.h"

#define RECORDING_LATE_S 5.0 /* a write that takes longer hangs */

static bool alarm_silence(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    char silent[FORMAT_BYTES], step[FORMAT_BYTES];
    if (!job_pulse_overdue(model))
        return false;
    double step_s = summary->step_time_median_s.value, usual_s = job_pulse_usual(summary).value;
    /* The question first: the rest has no room in 40 columns. */
    if (job_alone(summary)) {
        sentence_add(line, "last value %s ago: a hang? Usually one comes every %s",
                     format_silence(silent, summary->silent_s),
                     format_duration(step, usual_s, false));
        sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
        return true;
    }
    if (model->feed.last_record_s > 0) { /* a moment stays: nothing is sent while nothing happens */
        sentence_add(line, "no record since %s",
                     format_since(silent, model->feed.last_record_s, summary->silent_s));
    } else {
        sentence_add(line, "no record for %s", format_silence(silent, summary->silent_s));
    }
    sentence_add(line, ": a hang? %s %s",
                 usual_s > step_s * 1.5 ? "Usually one comes every" : "A step takes",
                 format_duration(step, usual_s, false));
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    return true;
}

bool alarm_stopped(const struct view_model *model, struct sentence *line)
{
    return (job_pulse_overdue(model) && alarm_gone(model, line)) || alarm_silence(model, line);
}

/* "No space left on device" within a sentence. */
static void add_reason(struct sentence *line, const char *reason)
{
    char text[80];
    snprintf(text, sizeof(text), "%s", reason);
    if (text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
        text[0] = (char)(text[0] + ('a' - 'A'));
    sentence_add(line, "%s", text);
}

static bool say_recording(const struct view_model *model, struct sentence *line)
{
    const struct recording_info *recording = &model->feed.recording;
    bool hangs = recording->late_s > RECORDING_LATE_S;
    char waiting[FORMAT_BYTES], lost[FORMAT_BYTES];
    if (!recording->on || (!recording->error && !hangs && recording->dropped == 0))
        return false;
    format_counted(waiting, (int64_t)recording->waiting, "record");
    format_count_unsigned(lost, recording->dropped);
    if (!recording->error && !hangs) {
        sentence_add(line, "recording to ");
        sentence_add_raw(line, recording->file);
        sentence_add(line, ": %s records were lost while it could not be written", lost);
        return true;
    }
    sentence_add(line, recording->error ? "recording stopped: "
                                        : "recording stopped: the disk does not answer");
    if (recording->error)
        add_reason(line, recording->error);
    sentence_add(line, "; %s %s, %s lost; ", waiting, recording->waiting == 1 ? "waits" : "wait",
                 lost);
    sentence_add_raw(line, recording->file);
    sentence_add(line, recording->full ? " goes on when there is room" : " is tried each second");
    return true;
}

static bool say_tokens(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    char recorded[FORMAT_BYTES], used[FORMAT_BYTES];
    if (!summary->tokens_disagree)
        return false;
    sentence_add(line, "tokens a step: the records sum to %s, the MFU uses the run's %s",
                 format_count(recorded, llround(fmin(summary->tokens_recorded, 1e18))),
                 format_count(used, llround(fmin(summary->tokens_per_step, 1e18))));
    return true;
}

static bool say_buffer(const struct view_model *model, struct sentence *line)
{
    char granted[FORMAT_BYTES], asked[FORMAT_BYTES];
    const struct feed_info *feed = &model->feed;
    if (feed->udp_buffer_bytes == 0 || feed->udp_buffer_bytes >= feed->udp_buffer_asked)
        return false;
    sentence_add(line, "UDP receive buffer: %s of %s granted; raise net.core.rmem_max",
                 format_bytes(granted, feed->udp_buffer_bytes),
                 format_bytes(asked, feed->udp_buffer_asked));
    return true;
}

static void add_counter(struct sentence *line, uint64_t count, const char *what)
{
    char text[FORMAT_BYTES];
    if (count > 0)
        sentence_add(line, "%s%s %s", line->length > 0 ? ", " : "",
                     format_count_unsigned(text, count), what);
}

static bool say_counters(const struct view_model *model, struct sentence *line)
{
    const struct source_counts *source = &model->summary->source;
    add_counter(line, source->dropped, "dropped");
    add_counter(line, source->damaged, "damaged");
    add_counter(line, source->refused, "refused");
    add_counter(line, source->too_late, "too late");
    add_counter(line, source->duplicate, "duplicate");
    add_counter(line, source->not_numbers,
                source->not_numbers == 1 ? "not a number" : "not numbers");
    add_counter(line, source->impossible, "over the peak");
    add_counter(line, source->disagree,
                source->disagree == 1 ? "stamp disagrees" : "stamps disagree");
    add_counter(line, source->beside, "left out beside another format");
    add_counter(line, source->late, "late");
    add_counter(line, source->nul_bytes, "NUL bytes");
    add_counter(line, model->feed.frames_skipped, "pictures skipped");
    return line->length > 0;
}

static bool say_complaint(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    int64_t first = 0;
    while (first < summary->complaint_count && job_is_noise(summary, summary->complaints[first]))
        first++;
    if (first >= summary->complaint_count)
        return false;
    sentence_add(line, "first: ");
    sentence_add_raw(line, summary->complaints[first]);
    line->style = STYLE_DIM;
    return true;
}

int alarm_lines(const struct view_model *model, struct sentence *lines, int max)
{
    static bool (*const alarms[])(const struct view_model *, struct sentence *) = {
        alarm_gone,         alarm_silence,     say_recording,  alarm_few_records, alarm_not_shown,
        alarm_unmapped,     alarm_some_ranks,  alarm_mfu_over, alarm_hfu_over,    say_counters,
        alarm_peak_unknown, alarm_peak_factor, alarm_sizes,    alarm_clocks,      say_tokens,
        say_buffer,         say_complaint};
    assert(max >= 0 && max <= ALARM_LINES_MAX);
    int used = 0;
    for (size_t i = 0; i < sizeof(alarms) / sizeof(alarms[0]) && used < max; i++) {
        sentence_clear(&lines[used], STYLE_WARNING);
        used += alarms[i](model, &lines[used]);
    }
    return used;
}

static void add_need(struct sentence *line, bool needed, const char *what)
{
    if (needed)
        sentence_add(line, "%s%s", line->letter_count++ > 0 ? ", " : "", what);
}

bool alarm_mfu_needs(const struct view_model *model, struct sentence *line)
{
    const struct summary *summary = model->summary;
    const struct run *run = &summary->run;
    sentence_clear(line, STYLE_DIM);
    if (quantity_known(summary->mfu))
        return false;
    bool params = run->params > 0 || run->active_params > 0;
    if (summary->peak_flops <= 0 && run->chip[0]) {
        alarm_add_unknown_peak(run, line);
        sentence_add(line, "; ");
    }
    if (quantity_known(summary->flops) && summary->peak_flops <= 0) {
        sentence_add(line, "needs %s: the log gives ",
                     run->chip[0] ? "--peak" : "--chip or --peak");
        job_add_flops(line, model);
        return true;
    }
    sentence_add(line, "needs ");
    add_need(line, !params, "--params");
    add_need(line, summary->tokens_per_step <= 0, "--tokens");
    add_need(line, summary->peak_flops <= 0, run->chip[0] ? "--peak" : "--chip");
    add_need(line, run->gpus <= 0, "--gpus");
    if (line->letter_count == 0)
        sentence_add(line, "whole steps");
    line->letter_count = 0;
    return true;
}

/* Events in words. */
#include "event_lines.h"

#include <math.h>
#include <stdio.h>

#include "job_lines.h"

static enum evidence evidence_in(const struct summary *summary, enum evidence evidence)
{
    return summary->simulated && evidence != EVIDENCE_NONE ? EVIDENCE_SIMULATED : evidence;
}

const char *event_name(const struct verdict *verdict)
{
    switch (verdict->kind) {
    case VERDICT_GROUP:
        return verdict->is_host ? "slow host" : "slow group";
    case VERDICT_WANDERING:
        return "wandering";
    case VERDICT_CANNOT_TELL:
        return "cannot tell";
    default:
        return verdict_kind_name(verdict->kind);
    }
}

void event_add_who(struct sentence *sentence, const struct summary *summary,
                   const struct verdict *verdict, bool host)
{
    const struct summary_rank *rank = NULL;
    if (verdict->kind == VERDICT_RESTART) {
        sentence_add(sentence, "attempt %d", verdict->attempt + 1);
    } else if (verdict->rank >= 0) {
        sentence_add(sentence, "rank %lld", (long long)verdict->rank);
        rank = host ? summary_rank_of(summary, verdict->rank) : NULL;
    } else if (verdict->kind == VERDICT_SPIKE || verdict->kind == VERDICT_GAP) {
        sentence_add(sentence, job_alone(summary) ? "the job" : "all ranks");
    } else {
        sentence_add_raw(sentence, verdict->group);
    }
    if (rank && rank->host[0]) {
        sentence_add(sentence, " ");
        sentence_add_raw(sentence, rank->host);
    }
}

const char *event_phase(const struct verdict *verdict)
{
    if (verdict->begins_late)
        return "begins late";
    bool known = verdict->phase >= 0 && verdict->phase < PHASE_COUNT;
    return known ? phase_name((enum phase)verdict->phase) : "";
}

/* At the step at which a straggler begins nobody can say so yet. */
void event_say_end(char *out, size_t size, const struct verdict *verdict, bool ends)
{
    char who[NAME_BYTES + 16] = "", named[FORMAT_BYTES + 32] = "", text[FORMAT_BYTES];
    if (verdict->rank >= 0)
        snprintf(who, sizeof(who), ", rank %lld", (long long)verdict->rank);
    else if (verdict->group[0])
        snprintf(who, sizeof(who), ", %s", verdict->group);
    if (!ends && verdict_kind_is_slow(verdict->kind) && verdict->named_step > verdict->from_step)
        snprintf(named, sizeof(named), "; it was named at step %s",
                 format_count(text, verdict->named_step));
    snprintf(out, size, "%s%s%s%s", event_name(verdict), who,
             event_is_moment(verdict->kind) ? ""
             : ends                         ? " ends"
                                            : " begins",
             named);
}

bool event_is_moment(enum verdict_kind kind)
{
    return kind == VERDICT_SPIKE || kind == VERDICT_RESTART || kind == VERDICT_GAP;
}

double event_lasted_s(const struct run_event *event)
{
    if (event_is_moment(event->verdict.kind)) /* begins and ends with one step */
        return event->verdict.step_time_s > 0 ? event->verdict.step_time_s : NAN;
    bool over = event->verdict.to_step >= 0;
    double lasted_s = over ? event->end_s - event->begin_s : event->so_far_s;
    bool known = isfinite(lasted_s) && (over ? lasted_s >= 0 : lasted_s > 0);
    return known ? lasted_s : NAN;
}

bool event_lasts_at(const struct run_event *event, int attempt, int64_t step)
{
    const struct verdict *verdict = &event->verdict;
    bool begun =
        verdict->attempt < attempt || (verdict->attempt == attempt && verdict->from_step <= step);
    if (!begun || event_is_moment(verdict->kind))
        return verdict->attempt == attempt && verdict->from_step == step;
    if (verdict->to_step < 0)
        return true;
    return event->end_attempt > attempt ||
           (event->end_attempt == attempt && verdict->to_step >= step);
}

/* What a kind is measured in: time, or times the others'. */
static double size_of(const struct run_event *event, bool *ret_time)
{
    const struct verdict *verdict = &event->verdict;
    bool down = verdict->kind == VERDICT_RESTART || verdict->kind == VERDICT_GAP;
    double size = down                               ? verdict->step_time_s
                  : verdict->kind == VERDICT_MISSING ? event_lasted_s(event)
                                                     : verdict->slowdown;
    *ret_time = down || verdict->kind == VERDICT_MISSING;
    return isfinite(size) && size > 0 ? size : NAN;
}

const char *event_size(char out[FORMAT_BYTES], const struct run_event *event, bool unicode,
                       enum evidence *ret_evidence)
{
    const struct verdict *verdict = &event->verdict;
    bool time;
    double size = size_of(event, &time);
    *ret_evidence = time ? verdict_time_evidence(verdict) : EVIDENCE_COMPUTED;
    if (isfinite(size) && time)
        return format_duration(out, size, unicode);
    if (isfinite(size) && verdict->kind != VERDICT_SPIKE)
        return format_difference(out, size - 1);
    if (isfinite(size)) {
        snprintf(out, FORMAT_BYTES, size < 999.95 ? "%.1f x" : "%.3g x", size);
        return out;
    }
    *ret_evidence = EVIDENCE_NONE;
    if (verdict->kind == VERDICT_GAP && verdict->repeated_steps > 0)
        return format_counted(out, verdict->repeated_steps, "step");
    snprintf(out, FORMAT_BYTES, "-");
    return out;
}

const char *event_gpu_hours(char out[FORMAT_BYTES], const struct verdict *verdict)
{
    double hours = verdict->lost_gpu_s / 3600;
    if (!verdict_kind_is_slow(verdict->kind) || !isfinite(hours) || hours < 0 || hours > 1e15)
        snprintf(out, FORMAT_BYTES, "-");
    else if (hours >= 99.95)
        format_count(out, llround(hours));
    else
        snprintf(out, FORMAT_BYTES, "%.*f", hours >= 9.995 ? 1 : hours >= 0.0995 ? 2 : 4, hours);
    return out;
}

/* ---- the sentence ---- */

static void add_step(struct sentence *sentence, const struct summary *summary, int attempt,
                     int64_t step)
{
    char text[FORMAT_BYTES];
    sentence_add(sentence, "%s", format_count(text, step));
    if (summary->attempts > 1)
        sentence_add(sentence, " of attempt %d", attempt + 1);
}

static void add_span(struct sentence *sentence, const struct summary *summary,
                     const struct run_event *event, bool unicode)
{
    const struct verdict *verdict = &event->verdict;
    char text[FORMAT_BYTES];
    bool one = verdict->to_step >= 0 && event->end_attempt == verdict->attempt;
    sentence_add(sentence, verdict->to_step < 0 ? " since step " : ", steps ");
    if (one) /* the attempt is said once */
        sentence_add(sentence, "%s", format_count(text, verdict->from_step));
    else
        add_step(sentence, summary, verdict->attempt, verdict->from_step);
    if (verdict->to_step < 0) {
        sentence_add(sentence, ", lasting");
        if (!verdict_kind_is_slow(verdict->kind) && event_lasted_s(event) > 0) { /* its size */
            sentence_add(sentence, " for %s",
                         format_duration(text, event_lasted_s(event), unicode));
            sentence_evidence(sentence, evidence_in(summary, verdict_time_evidence(verdict)));
        }
        return;
    }
    sentence_add(sentence, " to ");
    add_step(sentence, summary, event->end_attempt, verdict->to_step);
    if (event_lasted_s(event) > 0) {
        sentence_add(sentence, ", for %s", format_duration(text, event_lasted_s(event), unicode));
        sentence_evidence(sentence, evidence_in(summary, verdict_time_evidence(verdict)));
    }
}

static void add_slow(struct sentence *sentence, const struct summary *summary,
                     const struct run_event *event, bool unicode)
{
    const struct verdict *verdict = &event->verdict;
    char text[FORMAT_BYTES];
    enum evidence evidence;
    sentence_add(sentence, " %s", event_size(text, event, unicode, &evidence));
    sentence_evidence(sentence, evidence_in(summary, evidence));
    if (event_phase(verdict)[0])
        sentence_add(sentence, " (%s)", event_phase(verdict));
    add_span(sentence, summary, event, unicode);
    if (verdict->named_step >= 0)
        sentence_add(sentence, ", named at %s", format_count(text, verdict->named_step));
    if (!(verdict->lost_gpu_s >= 0))
        return;
    sentence_add(sentence, ", cost %s", event_gpu_hours(text, verdict));
    sentence_evidence(sentence, evidence_in(summary, EVIDENCE_COMPUTED));
    sentence_add(sentence, " GPU-hours");
    struct sentence scale;
    sentence_clear(&scale, STYLE_NORMAL);
    if (job_add_scale(&scale, summary))
        sentence_add(sentence, " (of %s)", scale.text);
}

static void add_spike(struct sentence *sentence, const struct summary *summary,
                      const struct run_event *event, bool unicode)
{
    const struct verdict *verdict = &event->verdict;
    char text[FORMAT_BYTES];
    enum evidence evidence;
    sentence_add(sentence, "step ");
    add_step(sentence, summary, verdict->attempt, verdict->from_step);
    event_size(text, event, unicode, &evidence);
    if (evidence != EVIDENCE_NONE) {
        sentence_add(sentence, " took %s the median", text);
        sentence_evidence(sentence, evidence_in(summary, evidence));
    }
    if (verdict->step_time_s > 0) {
        sentence_add(sentence, " (%s", format_duration(text, verdict->step_time_s, unicode));
        sentence_evidence(sentence, evidence_in(summary, verdict_time_evidence(verdict)));
        sentence_add(sentence, ")");
    }
    if (verdict->rank >= 0 || !job_alone(summary))
        sentence_add(sentence, verdict->rank < 0 ? "; all ranks alike" : "; ");
    if (verdict->rank >= 0) {
        event_add_who(sentence, summary, verdict, true);
        sentence_add(sentence, " last");
    }
    if (event_phase(verdict)[0])
        sentence_add(sentence, " (%s)", event_phase(verdict));
}

static void add_restart(struct sentence *sentence, const struct summary *summary,
                        const struct run_event *event, bool unicode)
{
    const struct verdict *verdict = &event->verdict;
    char text[FORMAT_BYTES];
    sentence_add(sentence,
                 job_of_means(summary) ? "attempt %d, first value up to step %s"
                                       : "attempt %d goes on from step %s",
                 verdict->attempt + 1, format_count(text, verdict->from_step));
    if (verdict->repeated_steps > 0)
        sentence_add(sentence, "; %s done again",
                     format_counted(text, verdict->repeated_steps, "step"));
    if (verdict->step_time_s > 0) {
        sentence_add(sentence, ", down %s", format_duration(text, verdict->step_time_s, unicode));
        sentence_evidence(sentence, evidence_in(summary, verdict_time_evidence(verdict)));
    }
}

/* "4 steps before step 5,011 are not in the log, for 240 s m". */
static void add_gap(struct sentence *sentence, const struct summary *summary,
                    const struct run_event *event, bool unicode)
{
    const struct verdict *verdict = &event->verdict;
    char text[FORMAT_BYTES];
    if (verdict->repeated_steps > 0)
        sentence_add(sentence, "%s before ", format_counted(text, verdict->repeated_steps, "step"));
    else
        sentence_add(sentence,
                     job_alone(summary) ? "in no step time, before " : "nobody computed before ");
    sentence_add(sentence, job_of_means(summary) ? "the value up to step " : "step ");
    add_step(sentence, summary, verdict->attempt, verdict->from_step);
    if (verdict->repeated_steps > 0)
        sentence_add(sentence,
                     verdict->repeated_steps == 1 ? " is not in the log" : " are not in the log");
    if (verdict->step_time_s > 0) {
        sentence_add(sentence, ", for %s", format_duration(text, verdict->step_time_s, unicode));
        sentence_evidence(sentence, evidence_in(summary, verdict_time_evidence(verdict)));
    }
}

void event_line(const struct summary *summary, const struct run_event *event, bool unicode,
                struct sentence *sentence)
{
    const struct verdict *verdict = &event->verdict;
    sentence_clear(sentence, STYLE_NORMAL);
    sentence_add(sentence, "%s: ", event_name(verdict));
    if (verdict->kind == VERDICT_SPIKE) {
        add_spike(sentence, summary, event, unicode);
    } else if (verdict->kind == VERDICT_RESTART) {
        add_restart(sentence, summary, event, unicode);
    } else if (verdict->kind == VERDICT_GAP) {
        add_gap(sentence, summary, event, unicode);
    } else {
        event_add_who(sentence, summary, verdict, true);
        if (verdict_kind_is_slow(verdict->kind))
            add_slow(sentence, summary, event, unicode);
        else
            add_span(sentence, summary, event, unicode);
    }
}

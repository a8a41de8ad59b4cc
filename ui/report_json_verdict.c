/* A verdict, for scripts. */
#include <inttypes.h>
#include <math.h>

#include "report_json.h"

#define SECONDS_AN_HOUR 3600.0

/* What it is about: a rank, a group, a host, or nothing of them. */
static const char *unit_of(const struct verdict *verdict)
{
    if (verdict->kind == VERDICT_GROUP || verdict->is_host)
        return verdict->is_host ? "host" : "group";
    return verdict->rank >= 0 ? "rank" : "";
}

static void put_steps(FILE *to, const struct verdict *verdict)
{
    json_step(to, "from_step", verdict->from_step);
    fputs(", ", to);
    json_step(to, "to_step", verdict->to_step);
    fputs(", ", to);
    json_step(to, "named_step", verdict->named_step);
    json_key_integer(to, ", ", "attempt", verdict->attempt);
}

static void put_cost(FILE *to, const struct summary *summary, const struct verdict *verdict)
{
    bool spike = verdict->kind == VERDICT_SPIKE, restart = verdict->kind == VERDICT_RESTART;
    json_key_number(to, ", ", "standard_errors", verdict->sure, 2);
    json_key_number(to, ", ", "lost_share", verdict->lost_share, 6);
    json_key_number(to, ", ", "lost_gpu_hours", verdict->lost_gpu_s / SECONDS_AN_HOUR, 6);
    json_scaled_from(to, summary);
    json_key_number(to, ", ", "step_time_s", spike ? verdict->step_time_s : NAN, 6);
    json_key_number(to, ", ", "down_s", restart ? verdict->step_time_s : NAN, 6);
    fputs(", ", to);
    json_step(to, "repeated_steps", restart ? verdict->repeated_steps : -1);
    if (verdict->kind != VERDICT_GAP)
        return;
    json_key_number(to, ", ", "gap_s", verdict->step_time_s, 6);
    json_key_integer(to, ", ", "absent_steps", verdict->repeated_steps);
}

static void put_keys(FILE *to, const struct summary *summary, const struct verdict *verdict)
{
    enum evidence evidence = summary->simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED;
    fprintf(to, "{\"kind\": \"%s\", \"unit\": ", verdict_kind_name(verdict->kind));
    json_text_or_null(to, unit_of(verdict));
    fputs(", ", to);
    json_step(to, "rank", verdict->rank);
    fputs(", \"group\": ", to);
    json_text_or_null(to, verdict->is_host ? "" : verdict->group);
    fputs(", \"host\": ", to);
    json_text_or_null(to, verdict->is_host ? verdict->group : "");
    fprintf(to, ", \"begins_late\": %s", verdict->begins_late ? "true" : "false");
    fputs(", \"phase\": ", to);
    json_text_or_null(to, verdict->phase >= 0 && verdict->phase < PHASE_COUNT
                              ? phase_name((enum phase)verdict->phase)
                              : "");
    json_key_number(to, ", ", "slowdown", verdict->slowdown, 4);
    fputs(", ", to);
    put_steps(to, verdict);
    put_cost(to, summary, verdict);
    fprintf(to, ", \"evidence\": \"%s\"", evidence_name(evidence));
}

void report_json_verdict(FILE *to, const struct summary *summary, const struct verdict *verdict)
{
    put_keys(to, summary, verdict);
    fputs("}", to);
}

void report_json_event(FILE *to, const struct summary *summary, const struct run_event *event)
{
    put_keys(to, summary, &event->verdict);
    json_key_number(to, ", ", "begin_s", event->begin_s, 6);
    json_key_number(to, ", ", "end_s", event->end_s, 6);
    json_key_integer(to, ", ", "end_attempt", event->end_attempt);
    fputs("}", to);
}

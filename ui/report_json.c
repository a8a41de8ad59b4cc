/* The report for scripts. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "job_lines.h"
#include "mfu.h"
#include "report.h"
#include "report_json.h"

#define CONVENTION_BYTES 200

static void put_run(FILE *to, const struct summary *summary)
{
    const struct run *run = &summary->run;
    fputs("  \"run\": {\"name\": ", to);
    json_text_or_null(to, run->name);
    json_key_number(to, ", ", "gpus", run->gpus > 0 ? run->gpus : NAN, 0);
    json_key_flag(to, ", ", "gpus_assumed", summary->gpus_assumed);
    json_key_flag(to, ", ", "gpus_logged", summary->gpus_logged);
    fputs(", ", to);
    json_step(to, "ranks_of_job", summary->world_ranks > 0 ? summary->world_ranks : -1);
    json_scaled_from(to, summary);
    fprintf(to, ", \"scope\": \"%s\", \"chip\": ", summary->scope == SCOPE_JOB ? "job" : "ranks");
    json_text_or_null(to, run->chip);
    fputs(", \"peak_flops\": ", to);
    json_number(to, summary->peak_flops > 0 ? summary->peak_flops : NAN, 0);
    fprintf(to, ", \"simulated\": %s},\n", summary->simulated ? "true" : "false");
}

static void put_source(FILE *to, const struct source_counts *counts)
{
    fprintf(to,
            "  \"source\": {\"records\": %" PRIu64 ", \"other\": %" PRIu64 ", \"damaged\": %" PRIu64
            ", \"duplicate\": %" PRIu64 ", \"late\": %" PRIu64 ", \"dropped\": %" PRIu64
            ", \"too_late\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"too_long\": %" PRIu64
            ", \"nul_bytes\": %" PRIu64 ", \"not_numbers\": %" PRIu64 ", \"impossible\": %" PRIu64
            ", \"disagree\": %" PRIu64 ", \"bytes\": %" PRIu64 "},\n",
            counts->records, counts->other, counts->damaged, counts->duplicate, counts->late,
            counts->dropped, counts->too_late, counts->refused, counts->too_long, counts->nul_bytes,
            counts->not_numbers, counts->impossible, counts->disagree, counts->bytes);
}

static void put_static(FILE *to, const char *key, const char *text)
{
    fprintf(to, "\"%s\": ", key);
    json_text_or_null(to, text ? text : "");
}

/* What is said in the place of what other logs than our own do not hold. */
static void put_logs(FILE *to, const struct summary *summary)
{
    fputs("  \"log\": [", to);
    for (int i = 0; i < summary->log_count; i++) {
        const struct summary_log *log = &summary->logs[i];
        fputs(i ? ",\n    {" : "\n    {", to);
        put_static(to, "format", log->format);
        fputs(", ", to);
        put_static(to, "lacks", log->lacks);
        fputs(", \"how\": [", to);
        for (int k = 0; k < 2 && log->how[k]; k++) {
            fputs(k ? ", " : "", to);
            json_text(to, log->how[k]);
        }
        fputs("], ", to);
        put_static(to, "values", log->values);
        fputs("}", to);
    }
    fputs("],\n", to);
}

/* "validations": {"count": 4, "first": [101, 201], "beyond_s": 46.8, "pause_s": null}. */
static void put_called(FILE *to, const char *name, const struct summary_called *called)
{
    fprintf(to, "  \"%s\": {\"count\": %" PRId64 ", \"first\": [", name, called->count);
    for (int64_t i = 0; i < called->count && i < SUMMARY_CALLED_STEPS; i++)
        fprintf(to, "%s%" PRId64, i > 0 ? ", " : "", called->first[i]);
    fputs("], ", to);
    json_quantity(to, "beyond_s", called->beyond_s, 6);
    fputs(", ", to);
    json_quantity(to, "pause_s", called->pause_s, 6);
    fputs("},\n", to);
}

static void put_span(FILE *to, const struct summary *summary)
{
    fputs("  \"steps\": {", to);
    json_step(to, "first", summary->first_step);
    fputs(", ", to);
    json_step(to, "last", summary->last_step);
    fprintf(to,
            ", \"complete\": %" PRId64 ", \"incomplete\": %" PRId64 ", \"covered\": %" PRId64
            ", \"attempts\": %d},\n",
            summary->complete, summary->incomplete, summary->steps_covered, summary->attempts);
    put_called(to, "validations", &summary->called[CALLED_VALIDATION]);
    put_called(to, "checkpoints", &summary->called[CALLED_CHECKPOINT]);
    fputs("  \"step_time_s\": {", to);
    json_quantity(to, "median", summary->step_time_median_s, 6);
    fputs(", ", to);
    json_quantity(to, "mean", summary->step_time_mean_s, 6);
    fputs(", ", to);
    json_quantity(to, "min", summary->step_time_min_s, 6);
    fputs(", ", to);
    json_quantity(to, "p99", summary->step_time_p99_s, 6);
    fputs(", ", to);
    json_quantity(to, "max", summary->step_time_max_s, 6);
    fputs(", ", to);
    json_evidence(to, summary->step_time_mean_s);
    fprintf(to, "},\n  \"wait\": {\"rule\": ");
    if (summary->rule == WAIT_UNKNOWN)
        fputs("null", to);
    else
        fprintf(to, "\"%s\"", wait_rule_name(summary->rule));
    fprintf(to, ", \"mixed\": %s, ", summary->rules_mixed ? "true" : "false");
    json_quantity(to, "mean_s", summary->wait_mean_s, 6);
    fputs(", ", to);
    json_quantity(to, "share", summary->wait_share, 6);
    fputs(", ", to);
    json_evidence(to, summary->wait_mean_s);
    fputs("},\n  \"exchange_s\": {", to);
    json_quantity(to, "mean", summary->exchange_mean_s, 6);
    fputs(", ", to);
    json_evidence(to, summary->exchange_mean_s);
    fputs("},\n", to);
}

/* Where it is from, and what the log itself gives. */
static void put_origin(FILE *to, const struct summary *summary)
{
    static const char *const origins[] = {[MFU_UNKNOWN] = "",
                                          [MFU_OF_MODEL] = "model",
                                          [MFU_LOGGED_RATE] = "logged rate",
                                          [MFU_LOGGED] = "logged"};
    fputs("\"origin\": ", to);
    json_text_or_null(to, origins[summary->mfu_origin]);
    json_key_quantity(to, ", ", "flops_per_gpu", summary->flops, 0);
    fputs(", ", to);
}

static void put_utilization(FILE *to, const struct summary *summary, const char *key,
                            struct quantity quantity)
{
    char convention[CONVENTION_BYTES];
    fprintf(to, "  \"%s\": {", key);
    json_quantity(to, "value", quantity, 6);
    fprintf(to,
            ", \"window\": %d, \"window_steps\": %d, \"attention\": \"%s\", "
            "\"recompute\": \"%s\", ",
            summary->run.window, summary->window_steps, attention_name(summary->attention),
            recompute_name(summary->run.recompute));
    fputs("\"convention\": ", to);
    mfu_convention(&summary->run, convention, sizeof(convention));
    json_text(to, convention);
    fputs(", ", to);
    bool model = strcmp(key, "mfu") == 0;
    if (model)
        put_origin(to, summary);
    json_evidence(to, model && !quantity_known(quantity) ? summary->flops : quantity);
    fputs("},\n", to);
}

static void put_rank(FILE *to, const struct summary_rank *rank)
{
    fprintf(to, "{\"rank\": %" PRIu32 ", \"slowdown_median\": ", rank->rank);
    json_number(to, rank->slowdown_median, 4);
    fputs(", \"wait_mean_s\": ", to);
    json_number(to, rank->wait_mean_s, 6);
    fprintf(to, ", \"arrived_last\": %" PRId64 ", \"steps\": %" PRId64 ", ",
            rank->arrived_last_count, rank->steps);
    json_step(to, "last_step", rank->last_step);
    json_key_number(to, ", ", "gain_s", isfinite(rank->slowdown_median) ? rank->gain_s : NAN, 6);
    json_key_number(to, ", ", "window_slowdown", rank->window_slowdown, 4);
    json_key_number(to, ", ", "spread", rank->window_spread, 4);
    fputs(", \"group\": ", to);
    json_text_or_null(to, rank->group);
    fputs(", \"host\": ", to);
    json_text_or_null(to, rank->host);
    fputs("}", to);
}

/* Of what all ranks are told, once for all of them. */
static void put_rank_evidence(FILE *to, const struct summary *summary)
{
    bool simulated = summary->simulated;
    const char *computed = evidence_name(simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED);
    enum evidence waits = summary->wait_mean_s.evidence;
    fprintf(to,
            "  \"per_rank_evidence\": {\"slowdown_median\": \"%s\", \"gain_s\": \"%s\", "
            "\"window_slowdown\": \"%s\", \"spread\": \"%s\"",
            computed, computed, computed, computed);
    if (waits == EVIDENCE_NONE)
        fputs(", \"wait_mean_s\": null, \"arrived_last\": null},\n", to);
    else
        fprintf(to, ", \"wait_mean_s\": \"%s\", \"arrived_last\": \"%s\"},\n", evidence_name(waits),
                evidence_name(waits));
}

static void put_clock(FILE *to, const struct clock_offset *clock, bool simulated)
{
    fputs("{\"host\": ", to);
    json_text_or_null(to, clock->host);
    fprintf(to, ", \"rank\": %" PRId64 ", \"offset_s\": ", clock->rank);
    json_number(to, clock->offset_s, 9);
    fputs(", \"error_s\": ", to);
    json_number(to, clock->error_s, 9);
    fputs(", \"drift\": ", to);
    json_number(to, clock->drift, 12);
    fputs(", \"drift_error\": ", to);
    json_number(to, clock->drift_error, 12);
    fprintf(to, ", \"steps\": %d, \"evidence\": \"%s\"}", clock->steps,
            evidence_name(simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED));
}

static void put_clocks(FILE *to, const struct summary *summary)
{
    fputs("  \"clocks\": {\"worst_s\": ", to);
    json_number(to, summary->clock_count > 0 ? summary->clock_worst_s : NAN, 9);
    fputs(", \"hosts\": [", to);
    for (size_t i = 0; i < summary->clock_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_clock(to, &summary->clocks[i], summary->simulated);
    }
    fputs("]},\n", to);
}

/* Not asked for is not the same as nobody: null. */
static void put_verdicts(FILE *to, const struct summary *summary)
{
    if (summary->figures_only) {
        fputs("\n  ],\n  \"verdicts\": null,\n", to);
        return;
    }
    fputs("\n  ],\n  \"verdicts\": [", to);
    for (size_t i = 0; i < summary->verdict_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        report_json_verdict(to, summary, &summary->verdicts[i]);
    }
    fputs("\n  ],\n", to);
}

static void put_events(FILE *to, const struct report_data *data)
{
    const struct run_events *events = data->events;
    if (!events || data->summary->figures_only) {
        fputs("  \"events\": null,\n  \"events_dropped\": null,\n", to);
        return;
    }
    fputs("  \"events\": [", to);
    for (size_t i = 0; i < events->count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        report_json_event(to, data->summary, &events->items[i]);
    }
    fprintf(to, "\n  ],\n  \"events_dropped\": %" PRIu64 ",\n", events->dropped);
}

static void put_shown(FILE *to, const struct summary_step *shown)
{
    json_step(to, "step", shown->known ? shown->step : -1);
    fputs(", ", to);
    json_step(to, "attempt", shown->known ? shown->attempt : -1);
    json_key_number(to, ", ", "begin_s", shown->begin_s, 6);
    json_key_integer(to, ", ", "span", shown->span);
    json_key_integer(to, ", ", "reported", shown->reported);
    json_key_integer(to, ", ", "expected", shown->expected);
    json_key_quantity(to, ", ", "step_time_s", shown->step_time_s, 6);
    json_key_quantity(to, ", ", "wait_share", shown->wait_share, 6);
    json_key_quantity(to, ", ", "exchange_s", shown->exchange_s, 6);
    fputs(", ", to);
    json_step(to, "last_rank", shown->known ? shown->last_rank : -1);
    fputs(", ", to);
    json_evidence(to, shown->step_time_s);
    fputs("},\n", to);
}

void report_json(FILE *to, const struct summary *summary)
{
    report_json_data(to, &(struct report_data){.summary = summary});
}

void report_json_data(FILE *to, const struct report_data *data)
{
    const struct summary *summary = data->summary;
    fputs("{\n  \"schema\": \"lockstep-report/1\",\n", to);
    put_run(to, summary);
    put_source(to, &summary->source);
    put_logs(to, summary);
    put_span(to, summary);
    fputs("  \"shown\": {", to);
    put_shown(to, &summary->shown);
    put_utilization(to, summary, "mfu", summary->mfu);
    put_utilization(to, summary, "hfu", summary->hfu);
    if (summary->figures_only)
        fputs("  \"jitter\": null,\n  \"rotation\": null,\n  \"what_if\": null,\n"
              "  \"effective\": null,\n  \"ledger\": null,\n  \"ledger_window\": null,\n",
              to);
    else
        report_json_cost(to, summary);
    put_clocks(to, summary);
    put_rank_evidence(to, summary);
    fputs("  \"per_rank\": [", to);
    size_t ranks = job_alone(summary) ? 0 : summary->rank_count; /* its 0 is no rank */
    for (size_t i = 0; i < ranks; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_rank(to, &summary->ranks[i]);
    }
    put_verdicts(to, summary);
    put_events(to, data);
    report_json_checks(to, data->checks);
    if (data->json_logs)
        data->json_logs(to, data->logs);
    fputs("  \"complaints\": [", to);
    for (int64_t i = 0; i < summary->complaint_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        json_text(to, summary->complaints[i]);
    }
    fputs("\n  ]\n}\n", to);
}

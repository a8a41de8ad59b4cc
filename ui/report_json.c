/* The report for scripts. */
#include <inttypes.h>
#include <math.h>

#include "mfu.h"
#include "report.h"
#include "text.h"

/* A JSON string: sanitised first, then the two characters that need it escaped. */
static void put_text(FILE *to, const char *raw)
{
    char text[4 * RUN_TEXT_BYTES];
    text_sanitise(text, sizeof(text), str_from(raw));
    fputc('"', to);
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fputc('\\', to);
        fputc(*p, to);
    }
    fputc('"', to);
}

static void put_text_or_null(FILE *to, const char *raw)
{
    if (raw[0])
        put_text(to, raw);
    else
        fputs("null", to);
}

static void put_number(FILE *to, double value, int decimals)
{
    if (isfinite(value))
        fprintf(to, "%.*f", decimals, value);
    else
        fputs("null", to);
}

static void put_quantity(FILE *to, const char *key, struct quantity quantity, int decimals)
{
    fprintf(to, "\"%s\": ", key);
    put_number(to, quantity_known(quantity) ? quantity.value : NAN, decimals);
}

static void put_evidence(FILE *to, struct quantity quantity)
{
    if (quantity_known(quantity))
        fprintf(to, "\"evidence\": \"%s\"", evidence_name(quantity.evidence));
    else
        fputs("\"evidence\": null", to);
}

static void put_step(FILE *to, const char *key, int64_t step)
{
    if (step >= 0)
        fprintf(to, "\"%s\": %" PRId64, key, step);
    else
        fprintf(to, "\"%s\": null", key);
}

static void put_run(FILE *to, const struct summary *summary)
{
    const struct run *run = &summary->run;
    fputs("  \"run\": {\"name\": ", to);
    put_text_or_null(to, run->name);
    fprintf(to, ", \"gpus\": %.0f, \"gpus_assumed\": %s, \"chip\": ", run->gpus,
            summary->gpus_assumed ? "true" : "false");
    put_text_or_null(to, run->chip);
    fputs(", \"peak_flops\": ", to);
    put_number(to, summary->peak_flops > 0 ? summary->peak_flops : NAN, 0);
    fprintf(to, ", \"simulated\": %s},\n", summary->simulated ? "true" : "false");
}

static void put_source(FILE *to, const struct source_counts *counts)
{
    fprintf(to,
            "  \"source\": {\"records\": %" PRIu64 ", \"other\": %" PRIu64 ", \"damaged\": %" PRIu64
            ", \"duplicate\": %" PRIu64 ", \"late\": %" PRIu64 ", \"dropped\": %" PRIu64
            ", \"too_late\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"too_long\": %" PRIu64
            ", \"nul_bytes\": %" PRIu64 ", \"bytes\": %" PRIu64 "},\n",
            counts->records, counts->other, counts->damaged, counts->duplicate, counts->late,
            counts->dropped, counts->too_late, counts->refused, counts->too_long, counts->nul_bytes,
            counts->bytes);
}

static void put_span(FILE *to, const struct summary *summary)
{
    fputs("  \"steps\": {", to);
    put_step(to, "first", summary->first_step);
    fputs(", ", to);
    put_step(to, "last", summary->last_step);
    fprintf(to, ", \"complete\": %" PRId64 ", \"incomplete\": %" PRId64 ", \"attempts\": %d},\n",
            summary->complete, summary->incomplete, summary->attempts);
    fputs("  \"step_time_s\": {", to);
    put_quantity(to, "median", summary->step_time_median_s, 6);
    fputs(", ", to);
    put_quantity(to, "mean", summary->step_time_mean_s, 6);
    fputs(", ", to);
    put_quantity(to, "max", summary->step_time_max_s, 6);
    fputs(", ", to);
    put_evidence(to, summary->step_time_mean_s);
    fprintf(to, "},\n  \"wait\": {\"rule\": ");
    if (summary->rule == WAIT_UNKNOWN)
        fputs("null", to);
    else
        fprintf(to, "\"%s\"", wait_rule_name(summary->rule));
    fprintf(to, ", \"mixed\": %s, ", summary->rules_mixed ? "true" : "false");
    put_quantity(to, "mean_s", summary->wait_mean_s, 6);
    fputs(", ", to);
    put_quantity(to, "share", summary->wait_share, 6);
    fputs(", ", to);
    put_evidence(to, summary->wait_mean_s);
    fputs("},\n  \"exchange_s\": {", to);
    put_quantity(to, "mean", summary->exchange_mean_s, 6);
    fputs(", ", to);
    put_evidence(to, summary->exchange_mean_s);
    fputs("},\n", to);
}

static void put_utilization(FILE *to, const struct summary *summary, const char *key,
                            struct quantity quantity)
{
    fprintf(to, "  \"%s\": {", key);
    put_quantity(to, "value", quantity, 6);
    fprintf(to,
            ", \"window\": %d, \"window_steps\": %d, \"attention\": \"%s\", "
            "\"recompute\": \"%s\", ",
            summary->run.window, summary->window_steps, attention_name(summary->attention),
            recompute_name(summary->run.recompute));
    put_evidence(to, quantity);
    fputs("},\n", to);
}

static void put_rank(FILE *to, const struct summary_rank *rank)
{
    fprintf(to, "{\"rank\": %" PRIu32 ", \"slowdown_median\": ", rank->rank);
    put_number(to, rank->slowdown_median, 4);
    fputs(", \"wait_mean_s\": ", to);
    put_number(to, rank->wait_mean_s, 6);
    fprintf(to, ", \"arrived_last\": %" PRId64 ", \"steps\": %" PRId64 ", ",
            rank->arrived_last_count, rank->steps);
    put_step(to, "last_step", rank->last_step);
    fputs(", \"group\": ", to);
    put_text_or_null(to, rank->group);
    fputs(", \"host\": ", to);
    put_text_or_null(to, rank->host);
    fputs("}", to);
}

static void put_clock(FILE *to, const struct clock_offset *clock, bool simulated)
{
    fputs("{\"host\": ", to);
    put_text_or_null(to, clock->host);
    fprintf(to, ", \"rank\": %" PRId64 ", \"offset_s\": ", clock->rank);
    put_number(to, clock->offset_s, 6);
    fputs(", \"error_s\": ", to);
    put_number(to, clock->error_s, 6);
    fputs(", \"drift\": ", to);
    put_number(to, clock->drift, 10);
    fputs(", \"drift_error\": ", to);
    put_number(to, clock->drift_error, 10);
    fprintf(to, ", \"steps\": %d, \"evidence\": \"%s\"}", clock->steps,
            evidence_name(simulated ? EVIDENCE_SIMULATED : EVIDENCE_COMPUTED));
}

static void put_clocks(FILE *to, const struct summary *summary)
{
    fputs("  \"clocks\": {\"worst_s\": ", to);
    put_number(to, summary->clock_count > 0 ? summary->clock_worst_s : NAN, 6);
    fputs(", \"hosts\": [", to);
    for (size_t i = 0; i < summary->clock_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_clock(to, &summary->clocks[i], summary->simulated);
    }
    fputs("]},\n", to);
}

static void put_verdict(FILE *to, const struct verdict *verdict)
{
    fprintf(to, "{\"kind\": \"%s\", ", verdict_kind_name(verdict->kind));
    put_step(to, "rank", verdict->rank);
    fputs(", \"group\": ", to);
    put_text_or_null(to, verdict->group);
    if (verdict->phase >= 0)
        fprintf(to, ", \"phase\": \"%s\"", phase_name((enum phase)verdict->phase));
    else
        fputs(", \"phase\": null", to);
    fputs(", \"slowdown\": ", to);
    put_number(to, verdict->slowdown, 4);
    fputs(", ", to);
    put_step(to, "from_step", verdict->from_step);
    fputs(", ", to);
    put_step(to, "to_step", verdict->to_step);
    fputs(", ", to);
    put_step(to, "named_step", verdict->named_step);
    fprintf(to, ", \"attempt\": %d}", verdict->attempt);
}

void report_json(FILE *to, const struct summary *summary)
{
    fputs("{\n  \"schema\": \"lockstep-report/1\",\n", to);
    put_run(to, summary);
    put_source(to, &summary->source);
    put_span(to, summary);
    put_utilization(to, summary, "mfu", summary->mfu);
    put_utilization(to, summary, "hfu", summary->hfu);
    put_clocks(to, summary);
    fputs("  \"per_rank\": [", to);
    for (size_t i = 0; i < summary->rank_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_rank(to, &summary->ranks[i]);
    }
    fputs("\n  ],\n  \"verdicts\": [", to);
    for (size_t i = 0; i < summary->verdict_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_verdict(to, &summary->verdicts[i]);
    }
    fputs("\n  ],\n  \"complaints\": [", to);
    for (int64_t i = 0; i < summary->complaint_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        put_text(to, summary->complaints[i]);
    }
    fputs("\n  ]\n}\n", to);
}

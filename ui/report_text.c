/* The report for reading. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "alarm_lines.h"
#include "clock_lines.h"
#include "clocks.h"
#include "format.h"
#include "mfu.h"
#include "model.h"
#include "report.h"
#include "text.h"
#include "verdict_lines.h"

#define CLOCKS_MAX 64 /* that get a line */

struct report {
    FILE *to;
    const struct summary *summary;
    bool unicode;
};

static const char *safe(char out[4 * RUN_TEXT_BYTES], const char *raw)
{
    text_sanitise(out, 4 * RUN_TEXT_BYTES, str_from(raw));
    return out;
}

static const char *duration(char out[FORMAT_BYTES], struct quantity seconds, bool unicode)
{
    char text[FORMAT_BYTES];
    format_duration(text, quantity_known(seconds) ? seconds.value : NAN, unicode);
    return format_evidence(out, text, seconds.evidence);
}

static const char *share(char out[FORMAT_BYTES], struct quantity part)
{
    char text[FORMAT_BYTES];
    if (quantity_known(part))
        snprintf(text, sizeof(text), "%.2f%%", 100 * part.value);
    else
        snprintf(text, sizeof(text), "-");
    return format_evidence(out, text, part.evidence);
}

static void put_head(const struct report *report)
{
    const struct summary *summary = report->summary;
    char name[4 * RUN_TEXT_BYTES], chip[4 * RUN_TEXT_BYTES], ranks[FORMAT_BYTES];
    char gpus[FORMAT_BYTES];
    fprintf(report->to, "%s%s%s%s", summary->simulated ? "SIMULATED   " : "",
            safe(name, summary->run.name[0] ? summary->run.name : "(no name)"), "   ",
            format_counted(ranks, (int64_t)summary->rank_count, "rank"));
    fprintf(report->to, "   %s%s   %s\n", format_counted(gpus, (int64_t)summary->run.gpus, "GPU"),
            summary->gpus_assumed ? " (assumed: one a rank)" : "",
            safe(chip, summary->run.chip[0] ? summary->run.chip : "chip unknown"));
}

static void put_span(const struct report *report)
{
    const struct summary *summary = report->summary;
    char a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES], d[FORMAT_BYTES];
    if (summary->first_step < 0) {
        fputs("no step in this span\n", report->to);
        return;
    }
    fprintf(report->to, "steps        %s to %s: %s complete, %s incomplete",
            format_count(a, summary->first_step), format_count(b, summary->last_step),
            format_count(c, summary->complete), format_count(d, summary->incomplete));
    fprintf(report->to, "%s%s\n", summary->attempts > 1 ? ", " : "",
            summary->attempts > 1 ? format_counted(a, summary->attempts, "attempt") : "");
    fprintf(report->to, "step time    median %s   mean %s   max %s\n",
            duration(a, summary->step_time_median_s, report->unicode),
            duration(b, summary->step_time_mean_s, report->unicode),
            duration(c, summary->step_time_max_s, report->unicode));
    fprintf(report->to, "waiting      %s of the GPU time   mean %s a rank and step   by %s%s\n",
            share(a, summary->wait_share), duration(b, summary->wait_mean_s, report->unicode),
            wait_rule_sentence(summary->rule),
            summary->rules_mixed ? ", other steps by other rules" : "");
    fprintf(report->to, "exchange     mean %s\n",
            duration(a, summary->exchange_mean_s, report->unicode));
    fprintf(report->to, "MFU          %s   HFU %s   (last %s, attention %s, recompute %s)\n",
            share(a, summary->mfu), share(b, summary->hfu),
            format_counted(c, summary->window_steps, "step"), attention_name(summary->attention),
            recompute_name(summary->run.recompute));
}

/* What the screen says too: verdicts, alarms. */
static void put_sentences(const struct report *report)
{
    struct view_model model;
    struct sentence
        lines[VERDICT_LINES_MAX > ALARM_LINES_MAX ? VERDICT_LINES_MAX : ALARM_LINES_MAX];
    struct sentence needs;
    model_init(&model, MODE_ENDED);
    model.summary = report->summary;
    int count = verdict_lines(&model, 200, lines, VERDICT_LINES_MAX);
    fputc('\n', report->to);
    for (int i = 0; i < count; i++)
        fprintf(report->to, "%s\n", lines[i].text);
    count = alarm_lines(&model, lines, ALARM_LINES_MAX);
    for (int i = 0; i < count; i++)
        fprintf(report->to, "%s\n", lines[i].text);
    if (alarm_mfu_needs(&model, &needs))
        fprintf(report->to, "MFU %s\n", needs.text);
}

/* Whether it is the rank's group that is slow, and not the rank. */
static bool in_slow_group(const struct summary *summary, const struct summary_rank *rank)
{
    for (size_t i = 0; i < summary->verdicts_in_force; i++)
        if (summary->verdicts[i].kind == VERDICT_GROUP &&
            strcmp(summary->verdicts[i].group, rank->group) == 0)
            return true;
    return false;
}

static const char *mark_of(const struct summary *summary, const struct summary_rank *rank)
{
    if (rank->state == RANK_MISSING)
        return "  <- missing";
    if (!rank->straggler)
        return "";
    return in_slow_group(summary, rank) ? "  <- in a slow group" : "  <- straggler";
}

static void put_past(const struct report *report)
{
    const struct summary *summary = report->summary;
    for (size_t i = summary->verdicts_in_force; i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        char a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES];
        if (verdict->kind == VERDICT_STRAGGLER)
            fprintf(report->to, "past: rank %" PRId64 " %s from step %s to %s%s%s%s\n",
                    verdict->rank, format_difference(a, verdict->slowdown - 1),
                    format_count(b, verdict->from_step), format_count(c, verdict->to_step),
                    verdict->phase >= 0 ? " (" : "",
                    verdict->phase >= 0 ? phase_name((enum phase)verdict->phase) : "",
                    verdict->phase >= 0 ? ")" : "");
        else if (verdict->kind == VERDICT_RESTART)
            fprintf(report->to, "restart: attempt %d begins at step %s\n", verdict->attempt + 1,
                    format_count(a, verdict->from_step));
    }
}

static void put_column(FILE *to, double value, int width, int decimals)
{
    if (isfinite(value))
        fprintf(to, "  %*.*f", width, decimals, value);
    else
        fprintf(to, "  %*s", width, "-");
}

static void put_ranks(const struct report *report)
{
    const struct summary *summary = report->summary;
    FILE *to = report->to;
    enum evidence waits = summary->wait_mean_s.evidence;
    fprintf(to, "\n   rank   slowdown %c  mean wait s %c  arrived last     steps  host / group\n",
            summary->simulated ? 's' : 'c', evidence_letter(waits));
    for (size_t i = 0; i < summary->rank_count; i++) {
        const struct summary_rank *rank = &summary->ranks[i];
        char host[4 * RUN_TEXT_BYTES], group[4 * RUN_TEXT_BYTES];
        fprintf(to, "%7" PRIu32, rank->rank);
        put_column(to, rank->slowdown_median, 11, 4);
        put_column(to, rank->wait_mean_s, 13, 6);
        fprintf(to, "  %12" PRId64 "  %8" PRId64, rank->arrived_last_count, rank->steps);
        if (rank->host[0] || rank->group[0])
            fprintf(to, "  %s%s%s", safe(host, rank->host), rank->group[0] ? " / " : "",
                    safe(group, rank->group));
        fprintf(to, "%s\n", mark_of(summary, rank));
    }
}

static void put_clock(const struct report *report, const struct clock_offset *clock)
{
    char offset[FORMAT_BYTES], error[FORMAT_BYTES], drift[FORMAT_BYTES], drift_error[FORMAT_BYTES];
    char host[4 * RUN_TEXT_BYTES];
    clock_offset_text(offset, clock->offset_s, false); /* ASCII: columns of bytes */
    format_duration(error, clock->error_s, false);
    clock_drift_text(drift, clock->drift, false);
    clock_drift_text(drift_error, clock->drift_error, false);
    fprintf(report->to, "%7" PRId64 "  %10s %10s  %12s %12s  %7d  %s\n", clock->rank, offset, error,
            drift, drift_error[0] == '+' ? drift_error + 1 : drift_error, clock->steps,
            safe(host, clock->host));
}

/* Those that are off, the first CLOCKS_MAX; else how well they agree. */
static void put_clocks(const struct report *report)
{
    const struct summary *summary = report->summary;
    size_t off = clocks_off(summary), put = 0;
    char worst[FORMAT_BYTES], all[FORMAT_BYTES], letter = summary->simulated ? 's' : 'c';
    if (summary->clock_count == 0)
        return;
    format_counted(all, (int64_t)summary->clock_count, clock_owner(summary));
    fprintf(report->to, "\nclocks       of %s: the farthest is off by %s %c; %s over 1 ms\n", all,
            format_duration(worst, summary->clock_worst_s, report->unicode), letter,
            off > 0 ? "these are" : "none is surely");
    if (off > 0)
        fprintf(report->to,
                "   rank    offset %c    error %c       drift %c      error %c  samples  host\n",
                letter, letter, letter, letter);
    for (size_t i = 0; i < summary->clock_count && put < CLOCKS_MAX; i++) {
        if (!clock_is_off(&summary->clocks[i]))
            continue;
        put_clock(report, &summary->clocks[i]);
        put++;
    }
    if (off > put)
        fprintf(report->to, "   and %s more\n", format_count(all, (int64_t)(off - put)));
}

static void put_source(const struct report *report)
{
    const struct source_counts *counts = &report->summary->source;
    FILE *to = report->to;
    fprintf(to,
            "\nread         %" PRIu64 " records, %" PRIu64 " other lines, %" PRIu64
            " damaged, %" PRIu64 " duplicate, %" PRIu64 " late",
            counts->records, counts->other, counts->damaged, counts->duplicate, counts->late);
    if (counts->too_late)
        fprintf(to, " (%" PRIu64 " too late for the averages)", counts->too_late);
    fprintf(to, ", %" PRIu64 " dropped", counts->dropped);
    if (counts->refused)
        fprintf(to, ", %" PRIu64 " refused", counts->refused);
    if (counts->nul_bytes)
        fprintf(to, ", %" PRIu64 " NUL bytes skipped", counts->nul_bytes);
    fputc('\n', to);
    for (int64_t i = 0; i < report->summary->complaint_count; i++) {
        char text[4 * RUN_TEXT_BYTES];
        fprintf(to, "  %s\n", safe(text, report->summary->complaints[i]));
    }
}

void report_text(FILE *to, const struct summary *summary, bool unicode)
{
    struct report report = {to, summary, unicode};
    put_head(&report);
    put_span(&report);
    put_sentences(&report);
    put_past(&report);
    put_ranks(&report);
    put_clocks(&report);
    put_source(&report);
    fputs("\nm measured  c computed  s simulated  e our example\n", to);
}

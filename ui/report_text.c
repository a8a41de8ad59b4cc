/* The report for reading. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "alarm_lines.h"
#include "clock_lines.h"
#include "clocks.h"
#include "format.h"
#include "job_lines.h"
#include "model.h"
#include "report.h"
#include "report_text.h"

#define CLOCKS_MAX 64 /* that get a line */

static void put_head(const struct report *report)
{
    const struct summary *summary = report->summary;
    char name[REPORT_SAFE_BYTES], chip[REPORT_SAFE_BYTES];
    struct sentence whose;
    sentence_clear(&whose, STYLE_NORMAL);
    job_add_who(&whose, summary);
    sentence_add(&whose, "   ");
    job_add_gpus(&whose, summary, false);
    fprintf(report->to, "%s%s   %s   %s\n", summary->simulated ? "SIMULATED   " : "",
            report_safe(name, summary->run.name[0] ? summary->run.name : "(no name)"), whose.text,
            report_safe(chip, summary->run.chip[0] ? summary->run.chip : "chip unknown"));
}

static void put_utilization(const struct report *report)
{
    const struct summary *summary = report->summary;
    char a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES];
    struct sentence how, flops;
    if (!alarm_mfu_needs(&report->model, &how)) {
        sentence_clear(&how, STYLE_NORMAL);
        sentence_add(&how, "last %s, ",
                     format_counted(c, summary->window_steps, job_value_word(summary)));
        job_add_mfu_convention(&how, summary);
    }
    sentence_clear(&flops, STYLE_NORMAL);
    if (job_add_flops(&flops, &report->model)) {
        job_add_window(&flops, summary);
        fprintf(report->to, "FLOP/s       %s, by the log\n", flops.text);
    }
    fprintf(report->to, "MFU          %s   HFU %s\n", report_share(a, report, summary->mfu),
            report_share(b, report, summary->hfu));
    report_sentence(report, "", 13, &how);
}

static void put_span(const struct report *report)
{
    const struct summary *summary = report->summary;
    char a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES];
    struct sentence line;
    if (summary->first_step < 0) {
        fputs("no step in this span\n", report->to);
        return;
    }
    sentence_clear(&line, STYLE_NORMAL);
    job_add_covered(&line, summary);
    fprintf(report->to, "steps        %s\n", line.text);
    fprintf(report->to, "step time    median %s   mean %s",
            report_duration(a, report, summary->step_time_median_s),
            report_duration(b, report, summary->step_time_mean_s));
    fprintf(report->to, "   min %s", report_duration(c, report, summary->step_time_min_s));
    if (quantity_known(summary->step_time_p99_s))
        fprintf(report->to, "   p99 %s", report_duration(c, report, summary->step_time_p99_s));
    fprintf(report->to, "   max %s\n", report_duration(c, report, summary->step_time_max_s));
    sentence_clear(&line, STYLE_NORMAL);
    if (job_add_left(&line, &report->model, false, report->unicode))
        fprintf(report->to, "to come      %s\n", line.text);
    sentence_clear(&line, STYLE_NORMAL);
    if (job_add_values(&line, summary))
        fprintf(report->to, "values       %s\n", line.text);
    if (job_alone(summary)) { /* neither waits nor the exchange can be known */
        put_utilization(report);
        return;
    }
    if (quantity_known(summary->wait_share))
        fprintf(report->to, "waiting      %s of the GPU time   mean %s a rank and step   by %s%s\n",
                report_share(a, report, summary->wait_share),
                report_duration(b, report, summary->wait_mean_s), wait_rule_sentence(summary->rule),
                summary->rules_mixed ? ", other steps by other rules" : "");
    else
        fprintf(report->to, "waiting      not known%s\n",
                summary->rules_mixed ? " in too many steps, though it is in others" : "");
    fprintf(report->to, "exchange     mean %s\n",
            report_duration(a, report, summary->exchange_mean_s));
    put_utilization(report);
}

/* What is not to be believed. */
static void put_alarms(const struct report *report)
{
    struct sentence lines[ALARM_LINES_MAX];
    int count = alarm_lines(&report->model, lines, ALARM_LINES_MAX);
    for (int i = 0; i < count; i++)
        fprintf(report->to, "%s\n", lines[i].text);
}

static void put_clock(const struct report *report, const struct clock_offset *clock)
{
    char offset[FORMAT_BYTES], error[FORMAT_BYTES], drift[FORMAT_BYTES], drift_error[FORMAT_BYTES];
    char host[REPORT_SAFE_BYTES];
    clock_offset_text(offset, clock->offset_s, false); /* ASCII: columns of bytes */
    format_duration(error, clock->error_s, false);
    clock_drift_text(drift, clock->drift, false);
    clock_drift_text(drift_error, clock->drift_error, false);
    fprintf(report->to, "%7" PRId64 "  %10s %10s  %12s %12s  %7d  %s\n", clock->rank, offset, error,
            drift, drift_error[0] == '+' ? drift_error + 1 : drift_error, clock->steps,
            report_safe(host, clock->host));
}

/* Those that are off, the first CLOCKS_MAX; else how well they agree. */
static void put_clocks(const struct report *report)
{
    const struct summary *summary = report->summary;
    size_t off = clocks_off(summary), put = 0;
    const struct clock_offset *farthest = clock_farthest(summary);
    char worst[FORMAT_BYTES], error[FORMAT_BYTES], all[FORMAT_BYTES],
        letter = summary->simulated ? 's' : 'c';
    if (!farthest)
        return;
    format_counted(all, (int64_t)summary->clock_count, clock_owner(summary));
    fprintf(report->to,
            "\nclocks       of %s: the farthest is off by %s %c, error %s %c; %s over 1 ms\n", all,
            format_duration(worst, fabs(farthest->offset_s), report->unicode), letter,
            format_duration(error, farthest->error_s, report->unicode), letter,
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
    if (counts->not_numbers)
        fprintf(to, ", %" PRIu64 " not %s", counts->not_numbers,
                counts->not_numbers == 1 ? "a number" : "numbers");
    if (counts->impossible)
        fprintf(to, ", %" PRIu64 " over the peak", counts->impossible);
    if (counts->disagree)
        fprintf(to, ", %" PRIu64 " that time stamps disagree with", counts->disagree);
    if (counts->beside)
        fprintf(to, ", %" PRIu64 " left out: another format of the log gives their steps",
                counts->beside);
    fputc('\n', to);
    for (int64_t i = 0; i < report->summary->complaint_count; i++) {
        char text[REPORT_SAFE_BYTES];
        if (job_is_noise(report->summary, report->summary->complaints[i]))
            continue;
        fprintf(to, "  %s\n", report_safe(text, report->summary->complaints[i]));
    }
}

void report_text(FILE *to, const struct summary *summary, bool unicode)
{
    struct report report = {.to = to, .summary = summary, .unicode = unicode};
    model_init(&report.model, MODE_ENDED);
    report.model.summary = summary;
    put_head(&report);
    put_span(&report);
    put_alarms(&report);
    if (summary->figures_only) {
        fputs("\nFigures alone were asked for: who is slow, what it costs and where the GPU time "
              "goes "
              "are left out.\n",
              to);
    } else {
        fputs("\nWHO\n", to);
        report_who(&report);
        report_cost(&report);
        report_ledger(&report);
    }
    report_ranks(&report);
    put_clocks(&report);
    put_source(&report);
    fputs("m measured  c computed  s simulated  e our example\n", to);
}

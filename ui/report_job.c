/* The report on a log of the whole job: why it names nobody, and its slow steps. */
#include "report_text.h"

#include <math.h>

#include "job_lines.h"

#define INDENT 4
#define SLOW_STEPS_MAX 6

/* This log cannot tell: why, and what would. */
void report_no_ranks(const struct report *report)
{
    const struct summary *summary = report->summary;
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "this log cannot tell: ");
    job_add_why(&line, summary);
    sentence_add(&line, job_how(summary, 0) ? " These two lines would provide it:" : "");
    report_sentence(report, "  - ", INDENT, &line);
    int columns = report->sentence ? SENTENCE_BYTES : REPORT_WIDTH - INDENT - 4;
    for (int i = 0; i < 2; i++)
        for (size_t from = 0; job_how_piece(&line, summary, i, columns, &from);)
            report_sentence(report, "", INDENT + 4, &line);
}

/* The spike with the longest step after `last`, which was longer; NULL. */
static const struct verdict *next_longest(const struct summary *summary, const struct verdict *last)
{
    const struct verdict *longest = NULL;
    for (size_t i = 0; i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        bool after = !last || verdict->step_time_s < last->step_time_s ||
                     (verdict->step_time_s == last->step_time_s && verdict > last);
        if (verdict->kind == VERDICT_SPIKE && isfinite(verdict->step_time_s) && after &&
            (!longest || verdict->step_time_s > longest->step_time_s))
            longest = verdict;
    }
    return longest;
}

void report_called_steps(const struct report *report)
{
    struct sentence line;
    for (int called = CALLED_COUNT - 1; called >= 0; called--) {
        sentence_clear(&line, STYLE_NORMAL);
        if (job_add_called(&line, &report->model, (enum called)called, report->unicode))
            report_sentence(report, "  - ", INDENT, &line);
    }
}

/* Of a log without ranks the slow steps are what there is to be told: the longest first. */
void report_slow_steps(const struct report *report)
{
    const struct summary *summary = report->summary;
    const struct verdict *verdict = NULL;
    struct sentence line;
    char text[FORMAT_BYTES];
    int count = 0;
    for (size_t i = 0; i < summary->verdict_count; i++)
        count += summary->verdicts[i].kind == VERDICT_SPIKE;
    if (count == 0)
        return;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(
        &line, count > 1 ? "%s, the longest: " : "%s: ", format_counted(text, count, "slow step"));
    for (int i = 0; i < SLOW_STEPS_MAX && (verdict = next_longest(summary, verdict)); i++) {
        sentence_add(&line, "%s%s", i > 0 ? ", " : "",
                     report_duration(
                         text, report,
                         (struct quantity){verdict->step_time_s, verdict_time_evidence(verdict)}));
        sentence_add(&line, " (%.1f x the median", verdict->slowdown);
        sentence_evidence(&line, model_evidence(&report->model, EVIDENCE_COMPUTED));
        sentence_add(&line, ") in step %s", format_count(text, verdict->from_step));
        if (summary->attempts > 1)
            sentence_add(&line, " of attempt %d", verdict->attempt + 1);
    }
    sentence_add(&line, ".");
    report_sentence(report, "  - ", INDENT, &line);
}

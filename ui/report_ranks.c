/* The ranks in the text report. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job_lines.h"
#include "memory.h"
#include "rank_order.h"
#include "report_text.h"

#define ALL_MAX 64 /* ranks that all have a line; of more the slowest */
#define SLOWEST 16

/* Whether it is the rank's group or host that is slow, and not the rank beside its peers there. */
static const char *slow_part(const struct summary *summary, const struct summary_rank *rank)
{
    if (rank_mark_of(summary, rank) == RANK_MARK_STRAGGLER)
        return "  <- straggler";
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        const char *name = verdict->is_host ? rank->host : rank->group;
        if (verdict->kind == VERDICT_GROUP && strcmp(verdict->group, name) == 0)
            return verdict->is_host ? "  <- on a slow host" : "  <- in a slow group";
    }
    return "  <- straggler";
}

static const char *mark_of(const struct summary *summary, const struct summary_rank *rank)
{
    if (rank->state == RANK_MISSING)
        return "  <- missing";
    return rank->straggler ? slow_part(summary, rank) : "";
}

static void put_column(FILE *to, double value, int width, int decimals)
{
    if (isfinite(value) && fabs(value) < 1e15)
        fprintf(to, "  %*.*f", width, decimals, value);
    else
        fprintf(to, "  %*s", width, "-");
}

static void put_rank(const struct report *report, const struct summary_rank *rank)
{
    char host[REPORT_SAFE_BYTES], group[REPORT_SAFE_BYTES];
    FILE *to = report->to;
    fprintf(to, "%7" PRIu32, rank->rank);
    put_column(to, rank->slowdown_median, 11, 4);
    put_column(to, rank->wait_mean_s, 13, 6);
    put_column(to, isfinite(rank->slowdown_median) ? rank->gain_s : NAN, 7, 3);
    fprintf(to, "  %12" PRId64 "  %8" PRId64, rank->arrived_last_count, rank->steps);
    if (rank->host[0] || rank->group[0])
        fprintf(to, "  %s%s%s", report_safe(host, rank->host), rank->group[0] ? " / " : "",
                report_safe(group, rank->group));
    fprintf(to, "%s\n", mark_of(report->summary, rank));
}

/* The slowest first; what is not known last; then by number. */
static int by_slowdown(const void *a, const void *b)
{
    const struct summary_rank *one = *(const struct summary_rank *const *)a;
    const struct summary_rank *other = *(const struct summary_rank *const *)b;
    double x = isfinite(one->slowdown_median) ? one->slowdown_median : -INFINITY;
    double y = isfinite(other->slowdown_median) ? other->slowdown_median : -INFINITY;
    if (x != y)
        return x > y ? -1 : 1;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

static void put_slowest(const struct report *report)
{
    const struct summary *summary = report->summary;
    const struct summary_rank **order = memory_zeroed(summary->rank_count, sizeof(*order));
    char text[FORMAT_BYTES];
    for (size_t i = 0; i < summary->rank_count; i++)
        order[i] = &summary->ranks[i];
    qsort(order, summary->rank_count, sizeof(*order), by_slowdown);
    for (size_t i = 0; i < SLOWEST; i++)
        put_rank(report, order[i]);
    fprintf(report->to, "  the %d slowest; %s more are in --json\n", SLOWEST,
            format_count(text, (int64_t)(summary->rank_count - SLOWEST)));
    free(order);
}

void report_ranks(const struct report *report)
{
    const struct summary *summary = report->summary;
    enum evidence waits = model_evidence(&report->model, summary->wait_mean_s.evidence);
    char computed = evidence_letter(model_evidence(&report->model, EVIDENCE_COMPUTED));
    if (job_alone(summary))
        return; /* there are none: report_who() has said so */
    fprintf(report->to,
            "\n   rank   slowdown %c  mean wait s %c  wins s %c  arrived last     steps  host / "
            "group\n",
            computed, evidence_letter(waits), computed);
    if (summary->rank_count > ALL_MAX) {
        put_slowest(report);
        return;
    }
    for (size_t i = 0; i < summary->rank_count; i++)
        put_rank(report, &summary->ranks[i]);
}

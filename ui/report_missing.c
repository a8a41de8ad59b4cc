/* Ranks from which nothing comes any more. */
#include "report_text.h"

#include <string.h>

#include "format.h"
#include "job_lines.h"

#define NAMED_MAX 8     /* of them */
#define MISSING_AHEAD 4 /* steps that others may have written before they waited for one */
#define INDENT 4

/* " (node17, stage3)". */
void report_add_where(struct sentence *line, const struct summary *summary, int64_t number)
{
    const struct summary_rank *rank = summary_rank_of(summary, number);
    if (!rank || (!rank->host[0] && !rank->group[0]))
        return;
    sentence_add(line, " (");
    sentence_add_raw(line, rank->host);
    sentence_add(line, rank->host[0] && rank->group[0] ? ", " : "");
    sentence_add_raw(line, rank->group);
    sentence_add(line, ")");
}

bool report_is_with(const struct verdict *one, const struct verdict *other)
{
    return one->kind == VERDICT_MISSING && other->kind == VERDICT_MISSING &&
           one->attempt == other->attempt && one->from_step == other->from_step;
}

/* "ranks 8, 9, 10 and 11", in that order; of many the first ones. Returns how many there are. */
static int add_missing_ranks(struct sentence *line, const struct verdict *verdicts, size_t count,
                             const struct verdict *missing)
{
    int64_t last = -1;
    int all = 0, told = 0;
    for (size_t i = 0; i < count; i++)
        all += report_is_with(&verdicts[i], missing);
    sentence_add(line, all == 1 ? "rank " : "ranks ");
    for (; told < all && told < NAMED_MAX; told++) {
        int64_t next = INT64_MAX;
        for (size_t i = 0; i < count; i++)
            if (report_is_with(&verdicts[i], missing) && verdicts[i].rank > last &&
                verdicts[i].rank < next)
                next = verdicts[i].rank;
        sentence_add(line, "%s%lld",
                     told == 0         ? ""
                     : told == all - 1 ? " and "
                                       : ", ",
                     (long long)next);
        last = next;
    }
    if (told < all)
        sentence_add(line, " and %d more", all - told);
    return all;
}

/* Where they are, if all are there. */
static bool share_host(const struct summary *summary, const struct verdict *verdicts, size_t count,
                       const struct verdict *missing)
{
    const struct summary_rank *one = summary_rank_of(summary, missing->rank);
    for (size_t i = 0; i < count && one; i++) {
        const struct summary_rank *other = report_is_with(&verdicts[i], missing)
                                               ? summary_rank_of(summary, verdicts[i].rank)
                                               : one;
        if (!other || strcmp(one->host, other->host) != 0 || strcmp(one->group, other->group) != 0)
            return false;
    }
    return one != NULL;
}

/* Steps that the others did without it were no barrier for them:
 * that they wait for it would not be true. */
void report_missing(const struct report *report, const struct verdict *missing)
{
    const struct summary *summary = report->summary;
    const struct verdict *verdicts = summary->verdicts;
    size_t count = summary->verdicts_in_force < summary->verdict_count ? summary->verdicts_in_force
                                                                       : summary->verdict_count;
    struct sentence line;
    char text[FORMAT_BYTES];
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "look at ");
    bool one = add_missing_ranks(&line, verdicts, count, missing) == 1;
    if (share_host(summary, verdicts, count, missing))
        report_add_where(&line, summary, missing->rank);
    sentence_add(&line, ": nothing has come from %s since step %s", one ? "it" : "them",
                 format_count(text, missing->from_step));
    if (summary->shown.attempt > missing->attempt ||
        summary->shown.step - missing->from_step > MISSING_AHEAD)
        sentence_add(&line,
                     ", though the others have gone on to step %s: %s left the job, or %s log has "
                     "stopped.",
                     format_count(text, summary->shown.step), one ? "it has" : "they have",
                     one ? "its" : "their");
    else
        sentence_add(&line, "; the others wait for %s, or %s log comes late.", one ? "it" : "them",
                     one ? "its" : "their");
    report_sentence(report, "  - ", INDENT, &line);
}

/* A rank whose log ends a few steps before those of the others: too few to call it missing, but
 * where a run hung that is all that its log shows. */
static bool ends_before(const struct summary *summary, const struct summary_rank *rank)
{
    return rank->state != RANK_MISSING && rank->last_step < summary->shown.step &&
           summary->shown.step - rank->last_step <= MISSING_AHEAD;
}

void report_behind(const struct report *report)
{
    const struct summary *summary = report->summary;
    const struct summary_rank *first = NULL;
    struct sentence line;
    char text[FORMAT_BYTES];
    size_t behind = 0;
    for (size_t i = 0; i < summary->rank_count; i++) {
        const struct summary_rank *rank = &summary->ranks[i];
        if (!ends_before(summary, rank))
            continue;
        first = !first || rank->last_step < first->last_step ? rank : first;
        behind++;
    }
    if (!first || !summary->shown.known || !summary->is_latest || job_alone(summary) ||
        2 * behind >= summary->rank_count)
        return;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "the records of rank %u", first->rank);
    report_add_where(&line, summary, first->rank);
    sentence_add(&line, " end at step %s", format_count(text, first->last_step));
    if (behind > 1)
        sentence_add(&line, ", those of %s soon after",
                     format_counted(text, (int64_t)behind - 1, "more rank"));
    sentence_add(&line,
                 ", those of the others at step %s: if the run hung there, look at %s first.",
                 format_count(text, summary->shown.step), behind > 1 ? "them" : "it");
    report_sentence(report, "  - ", INDENT, &line);
}

/* Who is to be drained, and who is not. */
#include "report_text.h"

#include <math.h>
#include <string.h>

#include "cost_lines.h"
#include "job_lines.h"
#include "verdict_lines.h"
#include "verdict_none.h"

#define NAMED_MAX 8 /* that are told in sentences */
#define PAST_MAX 8
#define NOBODY "no straggler" /* how the sentence begins that is a verdict, not a lack of one */
#define NOTHING 0.01          /* of a step: not worth a repair */
#define NO_WAIT 0.0001        /* of the GPU time */
#define INDENT 4
#define ANY_WIDTH 1000

static void add_letter(struct sentence *line, const struct report *report, enum evidence evidence)
{
    sentence_evidence(line, model_evidence(&report->model, evidence));
}

static void add_time(struct sentence *line, const struct report *report, struct quantity seconds)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "%s", report_duration(text, report, seconds));
}

/* "135.0% c slower than its peers since step 16, in backward, sure by 40 standard errors". */
static void add_slowness(struct sentence *line, const struct report *report,
                         const struct verdict *verdict, const char *peers)
{
    char text[FORMAT_BYTES];
    const char *difference = format_difference(text, verdict->slowdown - 1);
    sentence_add(line, "%s", difference[0] == '+' ? difference + 1 : difference);
    add_letter(line, report, EVIDENCE_COMPUTED);
    sentence_add(line,
                 verdict->begins_late ? " later at the barrier than %s since step %s"
                                      : " slower than %s since step %s",
                 peers, format_count(text, verdict->from_step));
    if (verdict->begins_late)
        sentence_add(line,
                     " or before, not in its phases: it begins late (garbage collection, a loader "
                     "outside \"data\", the host)");
    if (verdict->phase >= 0 && verdict->phase < PHASE_COUNT)
        sentence_add(line, ", in %s", phase_name((enum phase)verdict->phase));
    if (verdict->sure >= 1 && verdict->sure < 1e6) {
        sentence_add(line, ", sure by %.0f standard errors", floor(verdict->sure));
        add_letter(line, report, EVIDENCE_COMPUTED);
    }
    sentence_add(line, ".");
}

/* ---- one rank ---- */

/* How regularly: in how many of the steps it was the last to arrive. */
static void add_regularity(struct sentence *line, const struct report *report, int64_t number)
{
    const struct summary_rank *rank = summary_rank_of(report->summary, number);
    char last[FORMAT_BYTES], steps[FORMAT_BYTES];
    if (!rank || rank->steps <= 0 || rank->arrived_last_count <= 0)
        return;
    int64_t told = report->summary->told_steps;
    bool some = told > 0 && told < rank->steps; /* in the others nobody knows */
    int64_t of = some ? told : rank->steps;
    sentence_add(line, " It was the last to arrive in %s%s of %s steps%s",
                 rank->arrived_last_count == of ? "every one, " : "",
                 format_count(last, rank->arrived_last_count), format_count(steps, of),
                 some ? " that tell" : "");
    add_letter(line, report, report->summary->wait_mean_s.evidence);
    sentence_add(line, ".");
}

/* "Without it a step would take 21.3 s c instead of 46.6 s m". */
static void add_without(struct sentence *line, const struct report *report, const char *without,
                        const struct what_if *what_if)
{
    char text[FORMAT_BYTES];
    if (!what_if || !quantity_known(what_if->step_time_without_s))
        return;
    sentence_add(line, " %s a step would take ", without);
    add_time(line, report, what_if->step_time_without_s);
    sentence_add(line, " instead of ");
    add_time(line, report, what_if->step_time_s);
    if (quantity_known(what_if->gain_share)) {
        sentence_add(line, what_if->lower_bound ? ", which wins at least %s" : ", which wins %s",
                     format_share(text, what_if->gain_share.value));
        add_letter(line, report, what_if->gain_share.evidence);
        sentence_add(line, " of the GPU time");
    }
    sentence_add(line, what_if->lower_bound ? " (a lower bound: pipeline bubbles are not modelled)."
                                            : ".");
}

static void put_rank(const struct report *report, const struct verdict *verdict)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "drain rank %lld", (long long)verdict->rank);
    report_add_where(&line, report->summary, verdict->rank);
    sentence_add(&line, ": it is ");
    add_slowness(&line, report, verdict, "its peers");
    add_regularity(&line, report, verdict->rank);
    add_without(&line, report, "Without it", cost_of_verdict(report->summary, verdict));
    report_sentence(report, "  - ", INDENT, &line);
}

/* ---- a group or a host ---- */

static bool belongs(const struct summary_rank *rank, const struct verdict *verdict)
{
    return strcmp(verdict->is_host ? rank->host : rank->group, verdict->group) == 0;
}

/* The slowest rank of it, and how many it has. */
static const struct summary_rank *slowest_of(const struct summary *summary,
                                             const struct verdict *verdict, int *ret_count)
{
    const struct summary_rank *slowest = NULL;
    *ret_count = 0;
    for (size_t i = 0; i < summary->rank_count; i++) {
        const struct summary_rank *rank = &summary->ranks[i];
        if (!belongs(rank, verdict))
            continue;
        ++*ret_count;
        if (!slowest || rank->slowdown_median > slowest->slowdown_median)
            slowest = rank;
    }
    return slowest;
}

static void add_alone(struct sentence *line, const struct report *report,
                      const struct summary_rank *rank)
{
    double step_s = report->summary->window_step_time_s.value;
    if (!rank || !isfinite(rank->gain_s))
        return;
    sentence_add(line, " Fixing one of them alone wins %s: rank %u, ",
                 rank->gain_s < NOTHING * step_s ? "next to nothing" : "less", rank->rank);
    add_time(line, report, (struct quantity){rank->gain_s, EVIDENCE_COMPUTED});
    sentence_add(line, " a step.");
}

static void put_group(const struct report *report, const struct verdict *verdict)
{
    struct sentence line;
    int count;
    const struct summary_rank *slowest = slowest_of(report->summary, verdict, &count);
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, verdict->is_host ? "drain the host " : "do not drain a rank: the ");
    if (verdict->is_host) {
        sentence_add_raw(&line, verdict->group);
        sentence_add(&line, ", not one of its ranks: all %d are slow, ", count);
    } else {
        sentence_add(&line, "%d ranks of ", count);
        sentence_add_raw(&line, verdict->group);
        sentence_add(&line, " are slow alike, ");
    }
    add_slowness(&line, report, verdict, "the others");
    add_alone(&line, report, slowest);
    report_sentence(report, "  - ", INDENT, &line);
    sentence_clear(&line, STYLE_NORMAL);
    add_without(&line, report,
                verdict->is_host ? "Without that host" : "With all of them as fast as the others",
                cost_of_verdict(report->summary, verdict));
    sentence_add(&line, "%s",
                 verdict->is_host
                     ? " What its ranks share is to blame: power, cooling, a neighbour, its link."
                     : " The group has too much work for its GPUs, or they share what slows them: "
                       "divide the layers anew, or look at what they have in common.");
    report_sentence(report, "", INDENT, &line);
}

/* ---- the others, or nobody ---- */

static const struct summary_rank *slowest_unnamed(const struct summary *summary)
{
    const struct summary_rank *slowest = NULL;
    for (size_t i = 0; i < summary->rank_count; i++) {
        const struct summary_rank *rank = &summary->ranks[i];
        if (rank->straggler || !isfinite(rank->window_slowdown))
            continue;
        if (!slowest || rank->window_slowdown > slowest->window_slowdown)
            slowest = rank;
    }
    return slowest;
}

/* What they cost alone does not add up: of two that are alike one alone wins nothing. */
static void put_together(const struct report *report)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    add_without(&line, report, "Without any that is named", cost_of_named(report->summary));
    if (line.length > 0)
        report_sentence(report, "  - ", INDENT, &line);
}

static void put_others(const struct report *report)
{
    const struct summary_rank *rank = slowest_unnamed(report->summary);
    double step_s = report->summary->window_step_time_s.value;
    struct sentence line;
    char text[FORMAT_BYTES];
    if (!rank)
        return;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "keep all others: the slowest, rank %u", rank->rank);
    report_add_where(&line, report->summary, rank->rank);
    sentence_add(&line, ", is %s", format_difference(text, rank->window_slowdown - 1));
    add_letter(&line, report, EVIDENCE_COMPUTED);
    if (isfinite(rank->gain_s) && rank->gain_s < NOTHING * step_s) {
        sentence_add(&line, "; without it no step is shorter");
    } else if (isfinite(rank->gain_s)) {
        sentence_add(&line, "; without it a step would be ");
        add_time(&line, report, (struct quantity){rank->gain_s, EVIDENCE_COMPUTED});
        sentence_add(&line, " shorter");
    }
    sentence_add(&line, ".");
    report_sentence(report, "  - ", INDENT, &line);
}

static void put_nobody(const struct report *report)
{
    const struct summary *summary = report->summary;
    struct sentence line, why;
    sentence_clear(&line, STYLE_NORMAL);
    if (summary->shown.known && job_alone(summary)) {
        report_no_ranks(report);
        return;
    }
    if (summary->shown.known && summary->shown.rule == WAIT_UNKNOWN) {
        sentence_add(&line, "nobody can be named: this log cannot tell who is slow. ");
        verdict_no_rule(&report->model, &line);
    } else {
        verdict_none(&report->model, ANY_WIDTH, &why);
        bool judged = strncmp(why.text, NOBODY, strlen(NOBODY)) == 0;
        bool part = summary->world_ranks > (int64_t)summary->rank_count;
        sentence_add(&line, "%s%s.",
                     !judged ? ""
                     : part  ? "drain nobody of these: "
                             : "drain nobody: ",
                     why.text);
        if (judged && part)
            sentence_add(&line, " The ranks that are not in these logs may be slow.");
    }
    report_sentence(report, "  - ", INDENT, &line);
}

static void put_wandering(const struct report *report, const struct verdict *verdict)
{
    struct sentence line, what;
    verdict_line(&report->model, ANY_WIDTH, verdict, &what);
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "%s. That is imbalance of the work, or jitter: no machine to replace.",
                 what.text);
    report_sentence(report, "  - ", INDENT, &line);
}

/* ---- the last to arrive, and what is over ---- */

static void put_rotation(const struct report *report)
{
    const struct rotation *rotation = &report->summary->rotation;
    struct sentence line;
    char ranks[FORMAT_BYTES], steps[FORMAT_BYTES];
    const struct quantity wait = report->summary->window_wait_share;
    if (rotation->steps < 2 || rotation->most_rank < 0 ||
        (quantity_known(wait) && wait.value < NO_WAIT)) /* nobody was last: all arrive together */
        return;
    sentence_clear(&line, STYLE_NORMAL);
    format_counted(steps, rotation->steps, "step");
    if (rotation->distinct == 1)
        sentence_add(&line, "the last to arrive was rank %lld in each of the last %s",
                     (long long)rotation->most_rank, steps);
    else
        sentence_add(&line,
                     "the last to arrive was one of %s in the last %s, rank %lld most often, "
                     "%d times",
                     format_counted(ranks, rotation->distinct, "rank"), steps,
                     (long long)rotation->most_rank, rotation->most_count);
    add_letter(&line, report, report->summary->wait_mean_s.evidence);
    if (rotation->distinct > 1 && rotation->streak_rank >= 0 && rotation->streak > 1)
        sentence_add(&line, "; now rank %lld, %d times in a row", (long long)rotation->streak_rank,
                     rotation->streak);
    sentence_add(&line, ".");
    report_sentence(report, "  - ", INDENT, &line);
}

static void put_past_slow(const struct report *report, const struct verdict *verdict)
{
    struct sentence line, what;
    char text[FORMAT_BYTES];
    sentence_clear(&line, STYLE_NORMAL);
    verdict_line(&report->model, ANY_WIDTH, verdict, &what);
    sentence_add(&line, "over: %s, until step %s.", what.text,
                 format_count(text, verdict->to_step));
    report_sentence(report, "  - ", INDENT, &line);
}

static void put_past_one(const struct report *report, const struct verdict *verdict)
{
    struct sentence line;
    char text[FORMAT_BYTES];
    if (verdict->kind == VERDICT_MISSING && verdict->named_step < 0) { /* it is not back */
        sentence_clear(&line, STYLE_NORMAL);
        sentence_add(&line, "left: rank %lld, at step %s.", (long long)verdict->rank,
                     format_count(text, verdict->from_step));
    } else if (!verdict_kind_is_slow(verdict->kind)) {
        verdict_line(&report->model, ANY_WIDTH, verdict, &line);
        sentence_add(&line, ".");
    } else {
        put_past_slow(report, verdict);
        return;
    }
    report_sentence(report, "  - ", INDENT, &line);
}

static void put_more(const struct report *report, int count, const char *what)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "and %d %s: all of them are in --json", count, what);
    report_sentence(report, "  ", 2, &line);
}

/* Spikes and gaps last: there may be many, and each has cost one step. */
static void put_past(const struct report *report)
{
    const struct summary *summary = report->summary;
    int put = 0, left = 0;
    for (int spikes = 0; spikes <= 1; spikes++) {
        for (size_t i = summary->verdicts_in_force; i < summary->verdict_count; i++) {
            const struct verdict *verdict = &summary->verdicts[i];
            bool often = verdict->kind == VERDICT_SPIKE || verdict->kind == VERDICT_GAP;
            if (often != (spikes == 1) ||
                (verdict->kind == VERDICT_SPIKE && job_alone(summary))) /* told already */
                continue;
            if (put < PAST_MAX)
                put_past_one(report, verdict);
            else
                left++;
            put++;
        }
    }
    if (left > 0)
        put_more(report, left, "more that are over");
}

/* ---- all of it ---- */

static void put_in_force(const struct report *report, const struct verdict *verdict)
{
    struct sentence line;
    switch (verdict->kind) {
    case VERDICT_STRAGGLER:
        put_rank(report, verdict);
        break;
    case VERDICT_GROUP:
        put_group(report, verdict);
        break;
    case VERDICT_WANDERING:
        put_wandering(report, verdict);
        break;
    case VERDICT_CANNOT_TELL: /* put_nobody() says why */
        break;
    default:
        verdict_line(&report->model, ANY_WIDTH, verdict, &line);
        sentence_add(&line, ".");
        report_sentence(report, "  - ", INDENT, &line);
    }
}

void report_who(const struct report *report)
{
    const struct summary *summary = report->summary;
    int slow = 0, wandering = 0, put = 0;
    size_t count = summary->verdicts_in_force < summary->verdict_count ? summary->verdicts_in_force
                                                                       : summary->verdict_count;
    for (size_t i = 0; i < count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        slow += verdict_kind_is_slow(verdict->kind);
        wandering += verdict->kind == VERDICT_WANDERING;
        if (verdict->kind == VERDICT_SPIKE && job_alone(summary))
            continue; /* report_slow_steps() tells it */
        size_t with = verdict->kind == VERDICT_MISSING ? 0 : i;
        while (with < i && !report_is_with(&summary->verdicts[with], verdict))
            with++;
        if (with < i) /* told with that one */
            continue;
        if (put++ >= NAMED_MAX)
            continue;
        if (verdict->kind == VERDICT_MISSING)
            report_missing(report, verdict);
        else
            put_in_force(report, verdict);
    }
    if (put > NAMED_MAX)
        put_more(report, put - NAMED_MAX, "more");
    if (slow > 1)
        put_together(report);
    if (slow > 0)
        put_others(report);
    else if (wandering == 0)
        put_nobody(report);
    if (wandering == 0 && !job_alone(summary))
        put_rotation(report);
    report_behind(report);
    if (job_alone(summary)) {
        report_slow_steps(report);
        report_called_steps(report);
    }
    put_past(report);
}

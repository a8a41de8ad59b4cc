/* Verdicts in words. */
#include "verdict_lines.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "format.h"

#define STEPS_NEEDED 20 /* for a verdict on a rank */
#define DETAILS 7       /* wordings, from a full sentence (0) to the bare figure */

static const struct summary_rank *find_rank(const struct summary *summary, int64_t number)
{
    size_t low = 0, high = summary->rank_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (summary->ranks[middle].rank < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < summary->rank_count && summary->ranks[low].rank == number ? &summary->ranks[low]
                                                                           : NULL;
}

static void add_host(struct sentence *line, const struct summary *summary, int64_t number)
{
    const struct summary_rank *rank = find_rank(summary, number);
    if (!rank || !rank->host[0])
        return;
    sentence_add(line, " on ");
    sentence_add_raw(line, rank->host);
}

static void add_since(struct sentence *line, const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    if (detail >= 6)
        return;
    sentence_add(line, detail < 2 ? " since step %s" : " since %s",
                 format_count(text, verdict->from_step));
    if (verdict->phase >= 0 && verdict->phase < PHASE_COUNT && detail < 5)
        sentence_add(line, detail < 3 ? " (%s)" : " %s", phase_name((enum phase)verdict->phase));
}

static void add_who(struct sentence *line, const struct view_model *model,
                    const struct verdict *verdict, int detail)
{
    static const char *const ranks[DETAILS] = {
        "straggler: rank ", "straggler: rank ", "straggler: r", "straggler r", "r", "r", "r"};
    static const char *const groups[DETAILS] = {
        "slow group: every rank of ", "slow group: ", "slow group: ", "group ", "group ", "", ""};
    if (verdict->kind == VERDICT_GROUP) {
        sentence_add(line, "%s", groups[detail]);
        sentence_add_raw(line, verdict->group);
        return;
    }
    sentence_add(line, "%s%lld", ranks[detail], (long long)verdict->rank);
    if (detail == 0)
        add_host(line, model->summary, verdict->rank);
}

/* The phase and the step go on being said for as long as there is any room. */
static void say_slow(struct sentence *line, const struct view_model *model,
                     const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    add_who(line, model, verdict, detail);
    sentence_add(line, " %s", format_difference(text, verdict->slowdown - 1));
    if (detail < 2 && isfinite(verdict->slowdown))
        sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    add_since(line, verdict, detail);
}

static void say_spike(struct sentence *line, const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "spike: step %s", format_count(text, verdict->from_step));
    if (verdict->rank >= 0)
        sentence_add(line, detail < 2 ? ", rank %lld was last" : ", r%lld",
                     (long long)verdict->rank);
    if (verdict->phase >= 0 && verdict->phase < PHASE_COUNT)
        sentence_add(line, detail < 2 ? " (%s)" : " %s", phase_name((enum phase)verdict->phase));
}

static void say_verdict(struct sentence *line, const struct view_model *model,
                        const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    switch (verdict->kind) {
    case VERDICT_STRAGGLER:
    case VERDICT_GROUP:
        sentence_clear(line, STYLE_STRAGGLER);
        say_slow(line, model, verdict, detail);
        break;
    case VERDICT_SPIKE:
        sentence_clear(line, STYLE_WARNING);
        say_spike(line, verdict, detail);
        break;
    case VERDICT_RESTART:
        sentence_clear(line, STYLE_WARNING);
        sentence_add(line,
                     detail < 2 ? "restart: attempt %d goes on from step %s" : "attempt %d from %s",
                     verdict->attempt + 1, format_count(text, verdict->from_step));
        break;
    case VERDICT_WANDERING:
        sentence_clear(line, STYLE_NORMAL);
        sentence_add(
            line, detail < 2 ? "no straggler: the last to arrive is another rank each step (jitter)"
                             : "no straggler: jitter, another each step");
        break;
    default: /* not worth a line: worth_saying() */
        sentence_clear(line, STYLE_NORMAL);
        sentence_add(line, "%s", verdict_kind_name(verdict->kind));
    }
}

/* The longest wording that fits. */
static void fit_verdict(struct sentence *line, const struct view_model *model,
                        const struct verdict *verdict, int width)
{
    for (int detail = 0; detail < DETAILS; detail++) {
        say_verdict(line, model, verdict, detail);
        if (sentence_columns(line) <= width)
            return;
    }
}

/* Missing ranks come from their states: the clock, not a step, says so. */
static size_t missing_ranks(const struct summary *summary, const struct summary_rank **ret_first)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->rank_count; i++) {
        const struct summary_rank *rank = &summary->ranks[i];
        if (rank->state != RANK_MISSING)
            continue;
        if (count == 0 || rank->last_step < (*ret_first)->last_step)
            *ret_first = rank;
        count++;
    }
    return count;
}

static void say_missing(struct sentence *line, const struct view_model *model, size_t count,
                        const struct summary_rank *first, int detail)
{
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_WARNING);
    if (count == 1)
        sentence_add(line, detail < 3 ? "missing: rank %u" : "missing r%u", first->rank);
    else
        sentence_add(line,
                     detail < 3 ? "missing: %zu ranks, rank %u first" : "missing %zu, first r%u",
                     count, first->rank);
    if (detail == 0)
        add_host(line, model->summary, first->rank);
    if (detail < 5)
        sentence_add(line, detail < 2 ? " since step %s" : " since %s",
                     format_count(text, first->last_step + 1));
    if (isfinite(first->silent_s) && detail < 4)
        sentence_add(line, ", silent %s", format_elapsed(text, first->silent_s));
}

static void fit_missing(struct sentence *line, const struct view_model *model, size_t count,
                        const struct summary_rank *first, int width)
{
    for (int detail = 0; detail < DETAILS; detail++) {
        say_missing(line, model, count, first, detail);
        if (sentence_columns(line) <= width)
            return;
    }
}

void verdict_no_rule(const struct view_model *model, struct sentence *sentence)
{
    const struct summary *summary = model->summary;
    if (summary->rank_count == 1)
        sentence_add(sentence,
                     "This log has rank %u alone. A wait is a difference between ranks: name the "
                     "logs of all of them.",
                     summary->ranks[0].rank);
    else
        sentence_add(sentence, "All ranks of a step last equally long, and these records say no "
                               "more than that. \"sync\", or \"forward\" and \"backward\", or "
                               "\"compute\" in each record would tell who is slow.");
}

static void say_too_early(struct sentence *line, const struct summary *summary, int width)
{
    int needed = summary->run.window > 0 && summary->run.window < STEPS_NEEDED ? summary->run.window
                                                                               : STEPS_NEEDED;
    sentence_clear(line, STYLE_NORMAL);
    sentence_add(line,
                 width < 50 ? "too early to tell: %d of %d steps"
                            : "too early to tell who is slow: %d of %d steps",
                 summary->window_steps, needed);
}

static const struct summary_rank *slowest_rank(const struct summary *summary)
{
    const struct summary_rank *slowest = NULL;
    for (size_t i = 0; i < summary->rank_count; i++) {
        double slowness = choice_slowness(&summary->ranks[i]);
        if (isfinite(slowness) && (!slowest || slowness > choice_slowness(slowest)))
            slowest = &summary->ranks[i];
    }
    return slowest;
}

/* Nobody is named: either all are alike, or one is slow, but not steadily so. */
static void say_nobody(struct sentence *line, const struct view_model *model, int width)
{
    const struct summary *summary = model->summary;
    const struct summary_rank *slowest = slowest_rank(summary);
    double threshold = summary->run.threshold;
    char text[FORMAT_BYTES];
    sentence_clear(line, slowest ? STYLE_GOOD : STYLE_NORMAL);
    sentence_add(line, "no straggler");
    if (!slowest)
        return;
    double excess = choice_slowness(slowest) - 1;
    if (excess <= threshold) {
        sentence_add(
            line, width < 56 ? ": all within %.3g%%" : ": every rank within %.3g%% of the median",
            threshold * 100);
        return;
    }
    line->style = STYLE_NORMAL;
    sentence_add(line, ": rank %u %s", slowest->rank, format_difference(text, excess));
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    sentence_add(line, width < 56 ? ", unsteady" : ", but not steadily");
}

static void say_rest(struct sentence *line, const struct view_model *model, int width)
{
    const struct summary *summary = model->summary;
    sentence_clear(line, STYLE_NORMAL);
    if (!summary->shown.known)
        sentence_add(line, "waiting for the first whole step");
    else if (summary->shown.rule == WAIT_UNKNOWN)
        sentence_add(line, width < 56 ? "cannot tell who is slow"
                                      : "cannot tell who is slow from this log");
    else if (summary->window_steps < STEPS_NEEDED &&
             (summary->run.window <= 0 || summary->window_steps < summary->run.window))
        say_too_early(line, summary, width);
    else
        say_nobody(line, model, width);
}

/* Verdicts that a line is worth: no longer the past ones, and a spike or a
 * restart only at its own step. */
static bool worth_saying(const struct summary *summary, const struct verdict *verdict)
{
    switch (verdict->kind) {
    case VERDICT_STRAGGLER:
    case VERDICT_GROUP:
    case VERDICT_WANDERING:
        return true;
    case VERDICT_SPIKE:
    case VERDICT_RESTART:
        return verdict->from_step == summary->shown.step;
    default:
        return false; /* missing ranks and the reason for "cannot tell" have their own place */
    }
}

static int count_worth(const struct summary *summary)
{
    int count = 0;
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++)
        count += worth_saying(summary, &summary->verdicts[i]);
    return count;
}

int verdict_lines_wanted(const struct view_model *model)
{
    const struct summary_rank *first = NULL;
    int count = (missing_ranks(model->summary, &first) > 0) + count_worth(model->summary);
    return count < 1 ? 1 : count > VERDICT_LINES_MAX ? VERDICT_LINES_MAX : count;
}

#define MORE_CELLS 5 /* " (+9)" */

static void say_more(struct sentence *line, int more)
{
    if (more > 0)
        sentence_add(line, " (+%d)", more);
}

int verdict_lines(const struct view_model *model, int width, struct sentence *lines, int max)
{
    assert(max >= 1 && max <= VERDICT_LINES_MAX);
    const struct summary *summary = model->summary;
    const struct summary_rank *first = NULL;
    size_t missing = missing_ranks(summary, &first);
    int total = (missing > 0) + count_worth(summary);
    int room = width - (total > max ? MORE_CELLS : 0), used = 0;
    if (missing > 0) {
        fit_missing(&lines[0], model, missing, first, max > 1 ? width : room);
        used = 1;
    }
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++) {
        if (worth_saying(summary, &summary->verdicts[i]) && used < max) {
            fit_verdict(&lines[used], model, &summary->verdicts[i], used + 1 < max ? width : room);
            used++;
        }
    }
    say_more(&lines[used > 0 ? used - 1 : 0], used > 0 ? total - used : 0);
    if (used == 0)
        say_rest(&lines[used++], model, width);
    return used;
}

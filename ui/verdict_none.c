/* Why nobody is named. */
#include "verdict_none.h"

#include <math.h>

#include "format.h"
#include "job_lines.h"

#define STEPS_NEEDED 20 /* for a verdict on a rank */
#define WIDE 56         /* cells for a whole sentence */
#define WIDE_JOB 68     /* likewise, of a log of the whole job */

/* ---- the log cannot tell ---- */

enum cause {
    CAUSE_WHOLE_JOB, /* the log is not about ranks */
    CAUSE_ONE_RANK,
    CAUSE_SOME_RANKS, /* say nothing but how long their steps lasted */
    CAUSE_THIS_STEP,  /* has no phases, others of the span have */
    CAUSE_NO_PHASES,
};

static bool tells_own_time(const struct summary_rank *rank)
{
    return (rank->has & (RECORD_ANY_PHASE | RECORD_COMPUTE)) != 0;
}

/* Ranks with a record in the shown step that has no phases, and the first of them. */
static int count_silent(const struct summary *summary, uint32_t *ret_first)
{
    int count = 0;
    for (size_t i = 0; i < summary->rank_count; i++) {
        const struct summary_rank *rank = &summary->ranks[i];
        if (rank->has != 0 && !tells_own_time(rank) && count++ == 0)
            *ret_first = rank->rank;
    }
    return count;
}

static int count_telling(const struct summary *summary)
{
    int count = 0;
    for (size_t i = 0; i < summary->rank_count; i++)
        count += tells_own_time(&summary->ranks[i]);
    return count;
}

static enum cause cause_of(const struct summary *summary)
{
    uint32_t first;
    if (job_alone(summary))
        return CAUSE_WHOLE_JOB;
    if (summary->rank_count == 1)
        return CAUSE_ONE_RANK;
    if (count_telling(summary) > 0 && count_silent(summary, &first) > 0)
        return CAUSE_SOME_RANKS;
    return summary->rules_mixed ? CAUSE_THIS_STEP : CAUSE_NO_PHASES;
}

static void say_some_ranks(struct sentence *sentence, const struct summary *summary)
{
    char count[FORMAT_BYTES];
    uint32_t first = 0;
    int silent = count_silent(summary, &first);
    sentence_add(sentence,
                 "%s of %zu (rank %u%s) %s no phases, so nobody can be compared with %s. \"sync\", "
                 "or \"forward\" and \"backward\", or \"compute\" in every record would tell who "
                 "is slow.",
                 format_counted(count, silent, "rank"), summary->rank_count, first,
                 silent == 1 ? "" : " first", silent == 1 ? "gives" : "give",
                 silent == 1 ? "it" : "them");
}

void verdict_no_rule(const struct view_model *model, struct sentence *sentence)
{
    const struct summary *summary = model->summary;
    char text[FORMAT_BYTES];
    switch (cause_of(summary)) {
    case CAUSE_WHOLE_JOB:
        job_add_why(sentence, summary);
        break;
    case CAUSE_ONE_RANK:
        sentence_add(sentence,
                     "This log has rank %u alone. A wait is a difference between ranks: name the "
                     "logs of all of them.",
                     summary->ranks[0].rank);
        break;
    case CAUSE_SOME_RANKS:
        say_some_ranks(sentence, summary);
        break;
    case CAUSE_THIS_STEP:
        sentence_add(sentence,
                     "The records of step %s have no phases, those of other steps have: who was "
                     "slow is told for steps with \"sync\", or \"forward\" and \"backward\", or "
                     "\"compute\" only.",
                     format_count(text, summary->shown.step));
        break;
    case CAUSE_NO_PHASES:
        sentence_add(sentence, "All ranks of a step last equally long, and these records say no "
                               "more than that. \"sync\", or \"forward\" and \"backward\", or "
                               "\"compute\" in each record would tell who is slow.");
    }
}

static void say_cannot_tell(struct sentence *line, const struct summary *summary, int width)
{
    char text[FORMAT_BYTES];
    uint32_t first = 0;
    if (job_alone(summary)) {
        sentence_add(line, "this log cannot tell who is slow%s",
                     width < WIDE_JOB ? "" : ": one value a step for the whole job");
        return;
    }
    sentence_add(line, width < WIDE ? "cannot tell who is slow" : "cannot tell who is slow: ");
    if (width < WIDE)
        return;
    switch (cause_of(summary)) {
    case CAUSE_WHOLE_JOB:
        break;
    case CAUSE_ONE_RANK:
        sentence_add(line, "this log has rank %u alone", summary->ranks[0].rank);
        break;
    case CAUSE_SOME_RANKS:
        sentence_add(line, "no phases from %s of %zu",
                     format_counted(text, count_silent(summary, &first), "rank"),
                     summary->rank_count);
        break;
    case CAUSE_THIS_STEP:
        sentence_add(line, "this step has no phases");
        break;
    case CAUSE_NO_PHASES:
        sentence_add(line, "this log has no phases");
    }
}

/* ---- it is too early ---- */

static int steps_needed(const struct summary *summary)
{
    int window = summary->run.window;
    return window > 0 && window < STEPS_NEEDED ? window : STEPS_NEEDED;
}

/* No more steps will come when the input has ended. */
static void say_too_few(struct sentence *line, const struct view_model *model, int width)
{
    int steps = model->summary->window_steps, needed = steps_needed(model->summary);
    char text[FORMAT_BYTES];
    if (model->mode == MODE_ENDED && !model->paused)
        sentence_add(line,
                     width < WIDE ? "too few steps: %s, needs %d"
                                  : "too few steps to tell who is slow: %s, a verdict needs "
                                    "%d",
                     format_counted(text, steps, "step"), needed);
    else
        sentence_add(line,
                     width < 50 ? "too early to tell: %d of %d steps"
                                : "too early to tell who is slow: %d of %d steps",
                     steps, needed);
}

/* ---- all are alike, or one is slow, but not steadily so ---- */

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

static void say_nobody(struct sentence *line, const struct view_model *model, int width)
{
    const struct summary *summary = model->summary;
    const struct summary_rank *slowest = slowest_rank(summary);
    double threshold = summary->run.threshold;
    char text[FORMAT_BYTES];
    line->style = slowest ? STYLE_GOOD : STYLE_NORMAL;
    sentence_add(line, "no straggler");
    if (!slowest)
        return;
    double excess = choice_slowness(slowest) - 1;
    if (excess <= threshold) {
        sentence_add(
            line, width < WIDE ? ": all within %.3g%%" : ": every rank within %.3g%% of the median",
            threshold * 100);
        return;
    }
    line->style = STYLE_NORMAL;
    sentence_add(line, ": rank %u %s", slowest->rank, format_difference(text, excess));
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    sentence_add(line, width < WIDE ? ", unsteady" : ", but not steadily");
}

void verdict_none(const struct view_model *model, int width, struct sentence *line)
{
    const struct summary *summary = model->summary;
    sentence_clear(line, STYLE_NORMAL);
    if (!summary->shown.known)
        sentence_add(line, model->mode == MODE_ENDED ? "no step was whole: nobody can be named"
                                                     : "waiting for the first whole step");
    else if (summary->shown.rule == WAIT_UNKNOWN || job_alone(summary))
        say_cannot_tell(line, summary, width);
    else if (!isfinite(summary->shown.own_median_s))
        sentence_add(line, width < WIDE ? "cannot tell who is slow: no own times"
                                        : "cannot tell who is slow: waits, but no own times; "
                                          "\"forward\" and \"backward\" would tell");
    else if (summary->window_steps < steps_needed(summary))
        say_too_few(line, model, width);
    else
        say_nobody(line, model, width);
}

/* Verdicts in words. */
#include "verdict_lines.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "cost_lines.h"
#include "format.h"
#include "job_lines.h"
#include "verdict_none.h"

#define DETAILS 7 /* wordings, from a full sentence (0) to the bare figure */

static void add_host(struct sentence *line, const char *before, const struct summary *summary,
                     int64_t number)
{
    const struct summary_rank *rank = summary_rank_of(summary, number);
    if (!rank || !rank->host[0])
        return;
    sentence_add(line, "%s", before);
    sentence_add_raw(line, rank->host);
}

/* A wording of a verdict on who is slow: the longest first. */
struct words {
    const char *rank, *group, *host; /* what stands before the name */
    const char *where;               /* before the host of a rank; NULL: not said */
    bool letter;                     /* of the slowdown */
    const char *since;
    const char *phase_before, *phase_after;
    bool sure;
    int worth; /* 0: not said; 1; 2: in few words */
};

#define SLOW_LONG "straggler: rank ", "slow group: every rank of ", "slow host: every rank of "
#define SLOW_SHORT "straggler: rank ", "slow group: ", "slow host: "
static const struct words SLOW_WORDS[] = {
    {SLOW_LONG, " on ", true, " since step ", " (", ")", true, 1},
    {SLOW_LONG, " on ", true, " since step ", " (", ")", false, 1},
    {SLOW_LONG, " on ", true, " since ", " (", ")", false, 2},
    {SLOW_SHORT, ", ", true, " since ", " (", ")", false, 2},
    {SLOW_SHORT, NULL, true, " since ", " (", ")", false, 2},
    {SLOW_LONG, " on ", true, " since step ", " (", ")", false, 0},
    {SLOW_SHORT, NULL, true, " since step ", " (", ")", false, 0},
    {"straggler: r", "slow group: ", "slow host: ", NULL, false, " since ", " (", ")", false, 0},
    {"straggler r", "group ", "host ", NULL, false, " since ", " ", "", false, 0},
    {"r", "group ", "host ", NULL, false, " since ", " ", "", false, 0},
    {"r", "", "", NULL, false, " since ", NULL, NULL, false, 0},
    {"r", "", "", NULL, false, NULL, NULL, NULL, false, 0},
};
#define SLOW_WORDINGS ((int)(sizeof(SLOW_WORDS) / sizeof(SLOW_WORDS[0])))

static bool phase_known(const struct verdict *verdict)
{
    return verdict->phase >= 0 && verdict->phase < PHASE_COUNT;
}

static void add_who(struct sentence *line, const struct summary *summary,
                    const struct verdict *verdict, const struct words *words)
{
    if (verdict->kind == VERDICT_GROUP) {
        sentence_add(line, "%s", verdict->is_host ? words->host : words->group);
        sentence_add_raw(line, verdict->group);
        return;
    }
    sentence_add(line, "%s%lld", words->rank, (long long)verdict->rank);
    if (words->where)
        add_host(line, words->where, summary, verdict->rank);
}

static void add_sure(struct sentence *line, const struct view_model *model,
                     const struct verdict *verdict)
{
    if (!(verdict->sure >= 1) || verdict->sure > 1e6)
        return;
    sentence_add(line, ", sure: %.0f standard errors", floor(verdict->sure));
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
}

/* The phase and the step go on being said for as long as there is any room. */
static void say_slow(struct sentence *line, const struct view_model *model,
                     const struct verdict *verdict, const struct words *words)
{
    char text[FORMAT_BYTES];
    struct sentence worth;
    sentence_clear(line, STYLE_STRAGGLER);
    add_who(line, model->summary, verdict, words);
    sentence_add(line, " %s", format_difference(text, verdict->slowdown - 1));
    if (words->letter && isfinite(verdict->slowdown))
        sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    if (words->since)
        sentence_add(line, "%s%s", words->since, format_count(text, verdict->from_step));
    if (words->phase_before && (phase_known(verdict) || verdict->begins_late))
        sentence_add(line, "%s%s%s", words->phase_before,
                     verdict->begins_late ? "begins late" : phase_name((enum phase)verdict->phase),
                     words->phase_after);
    if (words->sure)
        add_sure(line, model, verdict);
    sentence_clear(&worth, STYLE_NORMAL);
    if (words->worth > 0 && cost_add_worth(&worth, model, verdict, words->worth > 1)) {
        sentence_add(line, ", ");
        cost_add_worth(line, model, verdict, words->worth > 1);
    }
}

/* "spike: step 812 took 2.3 x the median; rank 3 last (data)". */
static void say_spike(struct sentence *line, const struct view_model *model,
                      const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "spike: step %s", format_count(text, verdict->from_step));
    if (isfinite(verdict->slowdown) && verdict->slowdown > 0 && detail < 4) {
        sentence_add(line, detail < 3 ? " took %.1f x the median" : " %.1f x", verdict->slowdown);
        if (detail < 3)
            sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    }
    if (isfinite(verdict->step_time_s) && verdict->step_time_s > 0 && detail < 2) {
        sentence_add(line, " (%s", format_duration(text, verdict->step_time_s, false));
        sentence_evidence(line, model_evidence(model, verdict_time_evidence(verdict)));
        sentence_add(line, ")");
    }
    if (job_alone(model->summary))
        return;
    if (verdict->rank < 0)
        sentence_add(line, detail < 4 ? "; all ranks alike" : "");
    else
        sentence_add(line, detail < 3 ? "; rank %lld last" : ", r%lld", (long long)verdict->rank);
    if (detail == 0 && verdict->rank >= 0)
        add_host(line, " on ", model->summary, verdict->rank);
    if (phase_known(verdict))
        sentence_add(line, detail < 3 ? " (%s)" : " %s", phase_name((enum phase)verdict->phase));
}

/* "restart: attempt 2 goes on from step 120; 13 steps are done again, down 4 min"; of means
 * "attempt 2, first value up to step 120". */
static void say_restart(struct sentence *line, const struct view_model *model,
                        const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    bool value = job_of_means(model->summary) && detail < 2;
    sentence_add(line,
                 value        ? "restart: attempt %d, first value up to step %s"
                 : detail < 3 ? "restart: attempt %d goes on from step %s"
                              : "attempt %d from %s",
                 verdict->attempt + 1, format_count(text, verdict->from_step));
    if (verdict->repeated_steps > 0 && detail < 2) {
        sentence_add(line, "; %s", format_counted(text, verdict->repeated_steps, "step"));
        sentence_add(line, "%s%s again", job_not_logged(model->summary) > 0 ? " of the log" : "",
                     detail > 0                     ? ""
                     : verdict->repeated_steps == 1 ? " is done"
                                                    : " are done");
    }
    if (isfinite(verdict->step_time_s) && verdict->step_time_s > 0 && detail < 2) {
        sentence_add(line, ", down %s", format_duration(text, verdict->step_time_s, false));
        sentence_evidence(line, model_evidence(model, verdict_time_evidence(verdict)));
    }
}

/* "gap: 12 min before step 501, nobody was computing", "gap: 20 steps before step 521
 * are not in the log (12 min)". */
static void say_gap(struct sentence *line, const struct view_model *model,
                    const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    bool timed = isfinite(verdict->step_time_s) && verdict->step_time_s > 0;
    bool value = job_of_means(model->summary) && detail < 2;
    const char *before = value ? " before the value up to step " : " before step ";
    sentence_add(line, "gap: ");
    if (verdict->repeated_steps > 0)
        sentence_add(line, "%s%s", format_counted(text, verdict->repeated_steps, "step"),
                     detail < 4 ? before : " before ");
    if (verdict->repeated_steps == 0 && timed) {
        sentence_add(line, "%s", format_duration(text, verdict->step_time_s, false));
        sentence_evidence(line, model_evidence(model, verdict_time_evidence(verdict)));
        sentence_add(line, "%s", detail < 4 ? before : " before ");
    }
    sentence_add(line, "%s", format_count(text, verdict->from_step));
    if (verdict->repeated_steps == 0) {
        if (job_alone(model->summary))
            sentence_add(line, detail < 2 ? ", in no step time" : "");
        else
            sentence_add(line, detail < 2   ? ", nobody was computing"
                               : detail < 3 ? ", all idle"
                                            : "");
        return;
    }
    sentence_add(line, detail < 2   ? verdict->repeated_steps == 1 ? " is not in the log"
                                                                   : " are not in the log"
                       : detail < 3 ? " not logged"
                                    : "");
    if (!timed || detail > 0)
        return;
    sentence_add(line, " (%s", format_duration(text, verdict->step_time_s, false));
    sentence_evidence(line, model_evidence(model, verdict_time_evidence(verdict)));
    sentence_add(line, ")");
}

/* "missing: rank 5 since step 500", of an event that a list shows. A rank that reports again may
 * have been there all the time: "no records: rank 5 from step 500 to 520, then again". */
static void say_missing_event(struct sentence *line, const struct summary *summary,
                              const struct verdict *verdict, int detail)
{
    char text[FORMAT_BYTES];
    bool over = verdict->to_step >= 0;
    sentence_add(line, over && detail < 4 ? "no records: " : "missing: ");
    if (job_alone(summary)) {
        sentence_add(line, "steps");
    } else if (verdict->rank < 0) {
        sentence_add(line, detail < 2 ? "every rank of " : "host ");
        sentence_add_raw(line, verdict->group);
    } else {
        sentence_add(line, detail < 3 ? "rank %lld" : "r%lld", (long long)verdict->rank);
    }
    sentence_add(line,
                 over         ? detail < 4 ? " from step %s" : " %s"
                 : detail < 4 ? " since step %s"
                              : " since %s",
                 format_count(text, verdict->from_step));
    if (over)
        sentence_add(line, detail < 4 ? " to %s" : "-%s", format_count(text, verdict->to_step));
    if (over && detail < 2)
        sentence_add(line, ", then again");
}

/* "nobody to drain: another rank is last each step: 8 ranks in 50 steps, rank 5 most
 * often (9)". */
static void say_wandering(struct sentence *line, const struct summary *summary, int detail)
{
    const struct rotation *rotation = &summary->rotation;
    char ranks[FORMAT_BYTES], steps[FORMAT_BYTES];
    sentence_add(line, detail < 3 ? "nobody to drain: another rank is last each step"
                                  : "nobody: another rank last each step");
    if (rotation->steps <= 0 || detail >= 2)
        return;
    sentence_add(line, ": %s in %s", format_counted(ranks, rotation->distinct, "rank"),
                 format_counted(steps, rotation->steps, "step"));
    if (rotation->most_rank >= 0 && detail == 0)
        sentence_add(line, ", rank %lld most often (%d)", (long long)rotation->most_rank,
                     rotation->most_count);
}

static void say_other(struct sentence *line, const struct view_model *model,
                      const struct verdict *verdict, int detail)
{
    sentence_clear(line, verdict->kind == VERDICT_WANDERING ? STYLE_NORMAL : STYLE_WARNING);
    if (verdict->kind == VERDICT_SPIKE)
        say_spike(line, model, verdict, detail);
    else if (verdict->kind == VERDICT_RESTART)
        say_restart(line, model, verdict, detail);
    else if (verdict->kind == VERDICT_GAP)
        say_gap(line, model, verdict, detail);
    else if (verdict->kind == VERDICT_MISSING)
        say_missing_event(line, model->summary, verdict, detail);
    else
        say_wandering(line, model->summary, detail);
}

void verdict_line(const struct view_model *model, int width, const struct verdict *verdict,
                  struct sentence *line)
{
    bool slow = verdict_kind_is_slow(verdict->kind);
    for (int i = 0; i < (slow ? SLOW_WORDINGS : DETAILS); i++) {
        if (slow)
            say_slow(line, model, verdict, &SLOW_WORDS[i]);
        else
            say_other(line, model, verdict, i);
        if (sentence_columns(line) <= width)
            return;
    }
}

/* Missing ranks come from their states: the clock, not a step, says so. */
static size_t missing_ranks(const struct summary *summary, const struct summary_rank **ret_first)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->rank_count && !job_alone(summary); i++) {
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
        add_host(line, " on ", model->summary, first->rank);
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

bool verdict_missing(const struct view_model *model, struct sentence *line)
{
    const struct summary_rank *first = NULL;
    struct sentence missing;
    size_t count = missing_ranks(model->summary, &first);
    if (count == 0)
        return false;
    say_missing(&missing, model, count, first, 0);
    sentence_add(line, "%s", missing.text);
    return true;
}

/* Verdicts that a line is worth: no longer the past ones, and a spike, a
 * restart or a gap only at its own step. */
static bool worth_saying(const struct summary *summary, const struct verdict *verdict)
{
    switch (verdict->kind) {
    case VERDICT_STRAGGLER:
    case VERDICT_GROUP:
    case VERDICT_WANDERING:
        return true;
    case VERDICT_SPIKE:
    case VERDICT_RESTART:
    case VERDICT_GAP:
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

#define ANY_WIDTH 1000

int verdict_lines_wanted(const struct view_model *model)
{
    const struct summary_rank *first = NULL;
    struct sentence line;
    int count = (missing_ranks(model->summary, &first) > 0) + count_worth(model->summary);
    count = (count < 1 ? 1 : count) + cost_waiting_line(model, ANY_WIDTH, &line);
    return count > VERDICT_LINES_MAX ? VERDICT_LINES_MAX : count;
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
            verdict_line(model, used + 1 < max ? width : room, &summary->verdicts[i], &lines[used]);
            used++;
        }
    }
    say_more(&lines[used > 0 ? used - 1 : 0], used > 0 ? total - used : 0);
    if (used == 0)
        verdict_none(model, width, &lines[used++]);
    if (used < max && cost_waiting_line(model, width, &lines[used]))
        used++;
    return used;
}

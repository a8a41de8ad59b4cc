/* Tables as CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "job_lines.h"
#include "report.h"
#include "text.h"

#define CELL_BYTES (4 * NAME_BYTES)

/* A line that is being written. */
struct line {
    FILE *to;
    bool begun;
};

static void next(struct line *line)
{
    if (line->begun)
        fputc(',', line->to);
    line->begun = true;
}

static void end(struct line *line)
{
    fputs("\r\n", line->to);
    line->begun = false;
}

/* ---- cells ---- */

/* A spreadsheet takes what begins so, be it behind blanks or in full width, for a formula. */
static bool is_formula(const char *text)
{
    static const char *const signs[] = {
        "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return true;
    return false;
}

/* Raw bytes of a log: sanitised, made harmless, quoted where need be. */
static void put_text(struct line *line, const char *raw)
{
    char text[CELL_BYTES];
    next(line);
    text_sanitise(text, sizeof(text), str_from(raw));
    bool formula = is_formula(text), blanks = text[0] == ' ' || text[0] == '\'';
    if (!formula && !blanks && !strpbrk(text, ",\"")) {
        fputs(text, line->to);
        return;
    }
    fputs(formula ? "\"'" : "\"", line->to);
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            fputc('"', line->to);
        fputc(*p, line->to);
    }
    fputc('"', line->to);
}

static void put_number(struct line *line, double value, int decimals)
{
    next(line);
    if (isfinite(value))
        fprintf(line->to, "%.*f", decimals, value);
}

static void put_integer(struct line *line, int64_t value)
{
    next(line);
    fprintf(line->to, "%" PRId64, value);
}

/* A step or a rank: below 0 there is none. */
static void put_place(struct line *line, int64_t value)
{
    next(line);
    if (value >= 0)
        fprintf(line->to, "%" PRId64, value);
}

/* ISO 8601, to the microsecond, in UTC; by the log's clock, without the Z, where its zone is not
 * known. */
static void put_moment(struct line *line, const struct report_data *data, double unix_s)
{
    struct tm tm;
    char text[40];
    next(line);
    if (!isfinite(unix_s) || fabs(unix_s) > 250e9)
        return;
    double whole = floor(unix_s), micro = floor((unix_s - whole) * 1e6 + 0.5);
    if (micro >= 1e6) {
        whole += 1;
        micro = 0;
    }
    time_t seconds = (time_t)whole;
    if (!gmtime_r(&seconds, &tm) || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        return;
    fprintf(line->to, "%s.%06.0f%s", text, micro, data->summary->zone_unknown ? "" : "Z");
}

static void put_evidence(struct line *line, const struct report_data *data, enum evidence evidence)
{
    bool simulated = data->summary->simulated && evidence != EVIDENCE_NONE;
    next(line);
    if (evidence != EVIDENCE_NONE)
        fputs(evidence_name(simulated ? EVIDENCE_SIMULATED : evidence), line->to);
}

static void put_phase(struct line *line, int phase)
{
    next(line);
    if (phase >= 0 && phase < PHASE_COUNT)
        fputs(phase_name((enum phase)phase), line->to);
}

/* ---- steps ---- */

static void put_step(struct line *line, const struct report_data *data,
                     const struct overview_column *column)
{
    const struct overview *overview = data->overview;
    put_integer(line, column->first_attempt);
    put_integer(line, column->last_attempt);
    put_integer(line, column->first_step);
    put_integer(line, column->last_step);
    put_integer(line, column->positions);
    put_moment(line, data, column->begin_s);
    put_number(line, column->step_time_s, 6);
    put_number(line, column->step_time_max_s, 6);
    put_evidence(line, data, column->time_evidence);
    put_number(line, column->wait_share, 6);
    put_evidence(line, data, column->wait_evidence);
    put_number(line, column->mfu, 6);
    put_number(line, column->hfu, 6);
    put_evidence(line, data, isnan(column->mfu) ? EVIDENCE_NONE : overview->mfu_evidence);
    put_integer(line, column->steps);
    put_number(line, column->flops, 0);
    put_number(line, column->mfu_logged, 6);
    end(line);
}

static void put_steps(FILE *to, const struct report_data *data)
{
    struct line line = {to, false};
    fputs("attempt,last_attempt,first_step,last_step,steps,begin,step_time_s,step_time_max_s,"
          "step_time_evidence,wait_share,wait_evidence,mfu,hfu,mfu_evidence,span,flops,mfu_"
          "logged\r\n",
          to);
    for (size_t i = 0; i < data->overview->column_count; i++)
        put_step(&line, data, &data->overview->columns[i]);
}

/* ---- ranks ---- */

static void put_shown_of_rank(struct line *line, const struct report_data *data,
                              const struct summary_rank *rank)
{
    const struct summary_step *shown = &data->summary->shown;
    bool there = shown->known && rank->has != 0;
    put_place(line, there ? shown->step : -1);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        put_number(line, there && rank->has & (1u << phase) ? rank->phase_s[phase] : NAN, 6);
    put_number(line, there ? rank->own_s : NAN, 6);
    put_number(line, there ? rank->wait_s : NAN, 6);
    put_evidence(line, data, there ? EVIDENCE_MEASURED : EVIDENCE_NONE);
}

static void put_rank(struct line *line, const struct report_data *data,
                     const struct summary_rank *rank)
{
    static const char *const states[] = {
        [RANK_PRESENT] = "present", [RANK_NO_DATA] = "no_data", [RANK_MISSING] = "missing"};
    bool slowdown = isfinite(rank->slowdown_median);
    put_integer(line, rank->rank);
    put_text(line, rank->group);
    put_text(line, rank->host);
    put_text(line, states[rank->state]);
    put_integer(line, rank->straggler);
    put_integer(line, rank->steps);
    put_place(line, rank->last_step);
    put_number(line, rank->slowdown_median, 4);
    put_number(line, rank->window_slowdown, 4);
    put_number(line, rank->window_spread, 4);
    put_number(line, slowdown ? rank->gain_s : NAN, 6);
    put_evidence(line, data, slowdown ? EVIDENCE_COMPUTED : EVIDENCE_NONE);
    put_number(line, rank->wait_mean_s, 6);
    put_integer(line, rank->arrived_last_count);
    put_evidence(line, data,
                 isfinite(rank->wait_mean_s) ? data->summary->wait_mean_s.evidence : EVIDENCE_NONE);
    put_shown_of_rank(line, data, rank);
    end(line);
}

static void put_ranks(FILE *to, const struct report_data *data)
{
    struct line line = {to, false};
    fputs("rank,group,host,state,straggler,steps,last_step,slowdown_median,window_slowdown,spread,"
          "gain_s,slowdown_evidence,wait_mean_s,arrived_last,wait_evidence,shown_step",
          to);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        fprintf(to, ",shown_%s_s", phase_name((enum phase)phase));
    fputs(",shown_own_s,shown_wait_s,shown_evidence\r\n", to);
    if (job_alone(data->summary))
        return; /* the 0 in its records is no rank */
    for (size_t i = 0; i < data->summary->rank_count; i++)
        put_rank(&line, data, &data->summary->ranks[i]);
}

/* ---- events ---- */

static void put_event(struct line *line, const struct report_data *data,
                      const struct run_event *event)
{
    const struct verdict *verdict = &event->verdict;
    bool spike = verdict->kind == VERDICT_SPIKE, restart = verdict->kind == VERDICT_RESTART;
    bool gap = verdict->kind == VERDICT_GAP;
    put_text(line, verdict_kind_name(verdict->kind));
    put_place(line, verdict->rank);
    put_text(line, verdict->is_host ? "" : verdict->group);
    put_text(line, verdict->is_host ? verdict->group : "");
    put_phase(line, verdict->phase);
    put_integer(line, verdict->attempt);
    put_place(line, verdict->from_step);
    put_place(line, verdict->to_step);
    put_place(line, verdict->named_step);
    put_moment(line, data, event->begin_s);
    put_moment(line, data, event->end_s);
    put_number(line, verdict->slowdown, 4);
    put_number(line, verdict->sure, 2);
    put_number(line, verdict->lost_share, 6);
    put_number(line, verdict->lost_gpu_s, 3);
    put_number(line, spike ? verdict->step_time_s : NAN, 6);
    put_number(line, restart ? verdict->step_time_s : NAN, 6);
    put_place(line, restart ? verdict->repeated_steps : -1);
    put_number(line, gap ? verdict->step_time_s : NAN, 6);
    put_place(line, gap ? verdict->repeated_steps : -1);
    put_integer(line, verdict->begins_late);
    put_evidence(line, data, EVIDENCE_COMPUTED);
    int64_t from = job_scaled_from(data->summary); /* what it cost */
    put_place(line, from > 0 ? from : -1);
    end(line);
}

static void put_events(FILE *to, const struct report_data *data)
{
    struct line line = {to, false};
    fputs("kind,rank,group,host,phase,attempt,from_step,to_step,named_step,begin,end,slowdown,"
          "standard_errors,lost_share,lost_gpu_s,step_time_s,down_s,repeated_steps,gap_s,absent_"
          "steps,"
          "begins_late,evidence,scaled_from_ranks\r\n",
          to);
    for (size_t i = 0; i < data->events->count; i++)
        put_event(&line, data, &data->events->items[i]);
}

void report_csv(FILE *to, const struct report_data *data, enum csv_table table)
{
    switch (table) {
    case CSV_STEPS:
        put_steps(to, data);
        break;
    case CSV_RANKS:
        put_ranks(to, data);
        break;
    case CSV_EVENTS:
        put_events(to, data);
        break;
    }
}

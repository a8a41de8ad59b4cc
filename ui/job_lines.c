/* Logs in other formats, and what they cannot tell. */
#include "job_lines.h"

#include <math.h>
#include <string.h>

#include "format.h"
#include "mfu.h"

#define LOGGED_SHARE 0.8 /* of the steps: where fewer are logged, sums are of those alone */

#define CONVENTION_BYTES 200
#define NOTHING_MORE 0.01 /* of a step: not worth a word */

bool job_add_format(struct sentence *line, const struct summary *summary)
{
    int said = 0;
    for (int i = 0; i < summary->log_count && i < SUMMARY_LOGS_MAX; i++) {
        const char *format = summary->logs[i].format;
        if (!format || !format[0])
            continue;
        sentence_add(line, "%s", said++ > 0 ? " and " : "");
        sentence_add_raw(line, format);
    }
    return said > 0;
}

void job_add_who(struct sentence *line, const struct summary *summary)
{
    char ranks[FORMAT_BYTES];
    struct sentence format;
    sentence_clear(&format, STYLE_NORMAL);
    bool foreign = job_add_format(&format, summary);
    if (job_alone(summary))
        sentence_add(line, foreign ? "%s, whole job" : "%swhole job", format.text);
    else
        sentence_add(line, "%s%s%s", format_counted(ranks, (int64_t)summary->rank_count, "rank"),
                     foreign ? ", " : "", format.text);
}

void job_add_gpus(struct sentence *line, const struct summary *summary, bool short_words)
{
    char gpus[FORMAT_BYTES];
    double count = summary->run.gpus;
    if (!(count > 0)) {
        sentence_add(line, "GPUs unknown");
        return;
    }
    sentence_add(line, "%s", format_counted(gpus, llround(fmin(count, 1e15)), "GPU"));
    if (short_words)
        return;
    if (job_fewer_ranks(summary) > 0)
        sentence_add(line, " (assumed: one a rank; %s take part now)",
                     format_count(gpus, job_fewer_ranks(summary)));
    else
        sentence_add(line, "%s",
                     summary->gpus_logged    ? " (log)"
                     : summary->gpus_assumed ? " (assumed: one a rank)"
                                             : "");
}

int64_t job_fewer_ranks(const struct summary *summary)
{
    const struct summary_step *shown = &summary->shown;
    bool fewer = summary->gpus_assumed && shown->known && shown->expected > 0 &&
                 shown->expected < summary->run.gpus;
    return fewer ? shown->expected : 0;
}

int64_t job_scaled_from(const struct summary *summary)
{
    int64_t known = (int64_t)summary->rank_count, all = summary->world_ranks;
    if (job_alone(summary) || known == 0 || (all > 0 && known >= all))
        return 0;
    return summary->run.gpus > (double)known ? known : 0;
}

bool job_add_scale(struct sentence *line, const struct summary *summary)
{
    int64_t known = (int64_t)summary->rank_count, all = summary->world_ranks;
    bool scaled = job_scaled_from(summary) > 0;
    char here[FORMAT_BYTES], ranks[FORMAT_BYTES], gpus[FORMAT_BYTES];
    if (!scaled && (job_alone(summary) || known == 0 || known >= all))
        return false;
    if (scaled)
        sentence_add(line, "%s%s, scaled from ",
                     all > 0 && summary->run.gpus >= (double)all ? "all " : "",
                     format_counted(gpus, llround(fmin(summary->run.gpus, 1e15)), "GPU"));
    if (all > known)
        sentence_add(line, "%s of %s", format_count(here, known),
                     format_counted(ranks, all, "rank"));
    else
        sentence_add(line, "%s", format_counted(here, known, "rank"));
    sentence_add(line, "%s", scaled ? "" : " only");
    return true;
}

enum evidence job_hours_evidence(const struct summary *summary, enum evidence of_times)
{
    return of_times == EVIDENCE_MEASURED && job_scaled_from(summary) > 0 ? EVIDENCE_COMPUTED
                                                                         : of_times;
}

void job_add_steps(struct sentence *line, const struct summary *summary)
{
    const struct summary_step *shown = &summary->shown;
    char from[FORMAT_BYTES], to[FORMAT_BYTES];
    if (shown->span > 1)
        sentence_add(line, "steps %s-%s", format_count(from, shown->step - shown->span + 1),
                     format_count(to, shown->step));
    else
        sentence_add(line, "step %s", format_count(to, shown->step));
}

bool job_of_means(const struct summary *summary)
{
    return summary->steps_covered > summary->complete + summary->incomplete;
}

int64_t job_not_logged(const struct summary *summary)
{
    int64_t all = summary->last_step - summary->first_covered + 1;
    int64_t told = summary->steps_covered - summary->effective.repeated_steps;
    bool known = summary->first_covered >= 0 && summary->last_step >= summary->first_covered;
    return known && told > 0 && (double)told < LOGGED_SHARE * (double)all ? all - told : 0;
}

void job_add_covered(struct sentence *line, const struct summary *summary)
{
    char text[FORMAT_BYTES];
    int64_t lacks = job_not_logged(summary);
    sentence_add(line, "%s to ", format_count(text, summary->first_covered));
    sentence_add(line, "%s: ", format_count(text, summary->last_step));
    if (job_of_means(summary)) {
        sentence_add(line, "%s (means) ", format_counted(text, summary->complete, "value"));
        sentence_add(line, "for %s", format_counted(text, summary->steps_covered, "step"));
    } else {
        sentence_add(line, "%s complete", format_count(text, summary->complete));
    }
    if (summary->incomplete > 0 || !job_alone(summary))
        sentence_add(line, ", %s incomplete", format_count(text, summary->incomplete));
    if (summary->attempts > 1)
        sentence_add(line, ", %s", format_counted(text, summary->attempts, "attempt"));
    if (lacks > 0)
        sentence_add(line, "; %s are not in the log", format_counted(text, lacks, "step"));
}

bool job_add_left(struct sentence *line, const struct view_model *model, bool brief, bool unicode)
{
    const struct summary *summary = model->summary;
    struct quantity median = summary->step_time_median_s;
    int64_t left = summary->planned_step - summary->shown.step;
    char text[FORMAT_BYTES];
    if (!summary->shown.known || left <= 0 || summary->planned_step <= 0)
        return false;
    sentence_add(line, "%s left", format_counted(text, left, "step"));
    if (!brief)
        sentence_add(line, " (the last is %s)", format_count(text, summary->planned_step));
    if (!quantity_known(median) || !isfinite(median.value))
        return true;
    sentence_add(line, brief ? ", %s" : ": %s",
                 format_duration(text, median.value * (double)left, unicode));
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    sentence_add(line, brief ? "" : " at the median step time");
    return true;
}

const char *job_value_word(const struct summary *summary)
{
    return summary->shown.span > 1 || job_of_means(summary) ? "value" : "step";
}

bool job_add_values(struct sentence *line, const struct summary *summary)
{
    static const char *const mean = "means over"; /* said where its number of steps is */
    const char *values = NULL;
    for (int i = 0; i < summary->log_count && i < SUMMARY_LOGS_MAX && !values; i++)
        values = summary->logs[i].values;
    if (!values || (summary->shown.span > 1 && strncmp(values, mean, strlen(mean)) == 0))
        return false;
    sentence_add_raw(line, values);
    return true;
}

/* ---- MFU ---- */

const char *job_mfu_origin(const struct summary *summary)
{
    return summary->mfu_origin == MFU_LOGGED        ? "by the log"
           : summary->mfu_origin == MFU_LOGGED_RATE ? "log's FLOP/s by the peak"
                                                    : "";
}

void job_add_mfu_convention(struct sentence *line, const struct summary *summary)
{
    char convention[CONVENTION_BYTES], peak[FORMAT_BYTES];
    switch (summary->mfu_origin) {
    case MFU_LOGGED:
        sentence_add(line, "as the log gives it, by the peak and the formula of whoever wrote it");
        break;
    case MFU_LOGGED_RATE:
        sentence_add(line, "the FLOP/s that the log gives, by a peak of %sFLOP/s a GPU",
                     format_decimal(peak, summary->peak_flops));
        break;
    default:
        mfu_convention(&summary->run, convention, sizeof(convention));
        sentence_add_raw(line, convention);
    }
}

void job_add_window(struct sentence *line, const struct summary *summary)
{
    char text[FORMAT_BYTES];
    if (summary->window_steps > 1)
        sentence_add(line, " over %s",
                     format_counted(text, summary->window_steps, job_value_word(summary)));
}

bool job_add_flops(struct sentence *line, const struct view_model *model)
{
    const struct quantity flops = model->summary->flops;
    char text[FORMAT_BYTES];
    if (!quantity_known(flops) || !(flops.value > 0) || !isfinite(flops.value))
        return false;
    sentence_add(line, "%sFLOP/s a GPU", format_decimal(text, flops.value));
    sentence_evidence(line, model_evidence(model, flops.evidence));
    return true;
}

/* ---- validations and checkpoints ---- */

static bool is_worth_a_word(const struct summary *summary, struct quantity time)
{
    return quantity_known(time) && time.value > NOTHING_MORE * summary->step_time_median_s.value;
}

bool job_add_called(struct sentence *line, const struct view_model *model, enum called which,
                    bool unicode)
{
    const struct summary *summary = model->summary;
    const struct summary_called *called = &summary->called[which];
    const char *what = which == CALLED_VALIDATION ? "validation" : "checkpoint";
    char text[FORMAT_BYTES];
    if (called->count <= 0)
        return false;
    bool pause = is_worth_a_word(summary, called->pause_s);
    sentence_add(line, "%s, in %s %s", format_counted(text, called->count, what),
                 pause ? "or before the" : "the",
                 job_of_means(summary)
                     ? called->count > 1 ? "values up to steps" : "value up to step"
                 : called->count > 1 ? "time of steps"
                                     : "time of step");
    for (int64_t i = 0; i < called->count && i < SUMMARY_CALLED_STEPS; i++)
        sentence_add(line, "%s %s", i > 0 ? "," : "", format_count(text, called->first[i]));
    if (called->count > SUMMARY_CALLED_STEPS)
        sentence_add(line, " and %s more",
                     format_count(text, called->count - SUMMARY_CALLED_STEPS));
    const char *head = called->count > 1 ? ": on average " : ": ";
    if (pause) {
        sentence_add(line, "%s%s", head, format_duration(text, called->pause_s.value, unicode));
        sentence_evidence(line, model_evidence(model, called->pause_s.evidence));
        sentence_add(line, " in the pause before");
        head = ", and ";
    }
    if (is_worth_a_word(summary, called->beyond_s)) {
        sentence_add(line, "%s%s", head, format_duration(text, called->beyond_s.value, unicode));
        sentence_evidence(line, model_evidence(model, called->beyond_s.evidence));
        sentence_add(line, " more than the steps before");
    } else if (quantity_known(called->beyond_s) && !pause) {
        sentence_add(line, ": no longer than the steps before");
    }
    sentence_add(line, ".");
    return true;
}

/* ---- what it does not hold ---- */

/* The first log that says so. */
static const struct summary_log *lacking(const struct summary *summary)
{
    for (int i = 0; i < summary->log_count && i < SUMMARY_LOGS_MAX; i++)
        if (summary->logs[i].lacks || summary->logs[i].how[0])
            return &summary->logs[i];
    return NULL;
}

void job_add_why(struct sentence *line, const struct summary *summary)
{
    const struct summary_log *log = lacking(summary);
    if (!job_add_format(line, summary))
        sentence_add(line, "This log");
    sentence_add(line, "%s one value a step for the whole job, not ",
                 summary->log_count > 1 ? " give" : " gives");
    sentence_add_raw(line, log && log->lacks ? log->lacks : "the times of single ranks");
    sentence_add(line, ". Who is slow, and who waits for whom, %s cannot tell.",
                 summary->log_count > 1 ? "they" : "it");
}

bool job_is_noise(const struct summary *summary, const char *complaint)
{
    return summary->log_count > 0 && strstr(complaint, ": not a record: ");
}

const char *job_how(const struct summary *summary, int which)
{
    const struct summary_log *log = lacking(summary);
    return log && which >= 0 && which < 2 ? log->how[which] : NULL;
}

/* Where a piece of flags ends: before a flag, not between one and its value, where that does not
 * make it much shorter. */
static size_t flags_end(const struct sentence *command, size_t from, int columns)
{
    size_t end = sentence_line_end(command, from, columns);
    for (size_t at = end; at > from + (end - from) / 2; at--)
        if (command->text[at] == ' ' && command->text[at + 1] == '-')
            return at;
    return end;
}

/* Of the note behind a command. */
static size_t add_note(struct sentence *piece, const struct sentence *note, size_t from,
                       int columns)
{
    const char *mark = note->text[from] == '#' ? "" : "# ";
    size_t to = sentence_line_end(note, from, columns - (int)strlen(mark));
    piece->style = STYLE_DIM;
    sentence_add(piece, "%s%.*s", mark, (int)(to - from), note->text + from);
    return to;
}

bool job_how_piece(struct sentence *piece, const struct summary *summary, int which, int columns,
                   size_t *from)
{
    struct sentence whole;
    sentence_clear(&whole, STYLE_VALUE);
    sentence_clear(piece, STYLE_VALUE);
    sentence_add_raw(&whole, job_how(summary, which) ? job_how(summary, which) : "");
    if (*from >= whole.length)
        return false;
    bool fits = sentence_columns(&whole) <= columns;
    const char *note = fits ? NULL : strstr(whole.text, "  # ");
    size_t command = note ? (size_t)(note - whole.text) : whole.length, to = command;
    if (*from > command) {
        to = add_note(piece, &whole, *from, columns);
    } else if ((int)(command - *from) <= columns) {
        sentence_add(piece, "%.*s", (int)(to - *from), whole.text + *from);
    } else {
        whole.length = command;
        bool shell = strstr(whole.text, "--") || strchr(whole.text, '='); /* no plain words */
        to = flags_end(&whole, *from, columns - shell);
        sentence_add(piece, "%.*s%s", (int)(to - *from), whole.text + *from,
                     !shell                                                     ? ""
                     : whole.text[to] == ' ' && (int)(to - *from) < columns - 1 ? " \\"
                                                                                : "\\");
    }
    *from = to + strspn(whole.text + to, " ");
    return true;
}

/* For small screens: a list of ranks, or one line. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "job_lines.h"

static void draw_row(struct canvas *canvas, struct rect line, const struct view_model *model,
                     const struct summary_rank *rank, const struct format_scale *scale)
{
    char text[FORMAT_BYTES];
    enum style style = rank->state == RANK_MISSING ? STYLE_WARNING
                       : rank->straggler           ? STYLE_STRAGGLER
                                                   : STYLE_NORMAL;
    int digits = snprintf(text, sizeof(text), "%u", rank->rank);
    canvas_text_right(canvas, line, digits > 5 ? digits : 5, 0, style, text);
    if (rank->state == RANK_MISSING) {
        int used = 7 + canvas_text(canvas, line, 7, 0, style, "missing");
        if (isfinite(rank->silent_s))
            format_elapsed(text, rank->silent_s);
        if (isfinite(rank->silent_s) && used + 1 + (int)strlen(text) <= line.width)
            canvas_text(canvas, line, used + 1, 0, style, text);
        return;
    }
    format_difference(text, rank->slowdown - 1);
    bool known = strcmp(text, "-") != 0;
    view_number(canvas, line, 16, 0, known ? style : STYLE_DIM, text,
                known ? model_evidence(model, EVIDENCE_COMPUTED) : EVIDENCE_NONE);
    if (rank->straggler)
        canvas_put(canvas, line, 17, 0, canvas->unicode ? 0x25C4 : '<', STYLE_STRAGGLER);
    if (line.width >= 30 && isfinite(rank->wait_s))
        view_number(canvas, line, 29, 0, style, format_scaled(text, scale, rank->wait_s),
                    model_evidence(model, wait_rule_evidence(model->summary->shown.rule)));
}

static void draw_count(struct canvas *canvas, struct rect line, size_t shown, size_t all)
{
    char ranks[FORMAT_BYTES];
    format_counted(ranks, (int64_t)all, "rank");
    canvas_printf(canvas, line, 1, 0, STYLE_DIM, "%zu of %s", shown, ranks);
}

void view_list(struct canvas *canvas, const struct layout *layout, const struct view_model *model)
{
    struct choice choice;
    const struct summary *summary = model->summary;
    choice_make_with(&choice, summary, model->choice, model->filter, (size_t)model->scroll,
                     (size_t)layout->rank_rows, model->selected);
    double longest = 0;
    for (size_t i = 0; i < choice.count; i++) {
        double wait_s = summary->ranks[choice.rows[i].index].wait_s;
        longest = isfinite(wait_s) && wait_s > longest ? wait_s : longest;
    }
    struct format_scale scale = format_scale_of(longest, canvas->unicode);
    for (size_t i = 0; i < choice.count; i++)
        draw_row(canvas, rect_part(layout->bars, 0, (int)i, layout->bars.width, 1), model,
                 &summary->ranks[choice.rows[i].index], &scale);
    if (choice.count < summary->rank_count)
        draw_count(canvas, layout->keys, choice.count, summary->rank_count);
}

/* The rank to name in one line: a missing one before the slowest. */
static const struct summary_rank *worst_rank(const struct summary *summary)
{
    struct choice choice;
    choice_make(&choice, summary, CHOICE_SLOWEST, "", 0, 1);
    return choice.count > 0 ? &summary->ranks[choice.rows[0].index] : NULL;
}

/* Of a log without ranks: how long a step takes. */
static void say_job(char text[3][FORMAT_BYTES], const struct summary *summary)
{
    struct quantity time = summary->shown.step_time_s;
    char seconds[FORMAT_BYTES];
    if (!summary->shown.known || !quantity_known(time)) {
        snprintf(text[0], FORMAT_BYTES, "waiting");
        return;
    }
    char letter = summary->simulated ? 's' : evidence_letter(time.evidence);
    format_duration(seconds, time.value, false);
    snprintf(text[0], FORMAT_BYTES, "%s %.30s %c", summary->shown.span > 1 ? "mean step" : "step",
             seconds, letter);
    snprintf(text[1], FORMAT_BYTES, "%.30s %c", seconds, letter);
    snprintf(text[2], FORMAT_BYTES, "%.30s", seconds);
}

static void say_line(char text[3][FORMAT_BYTES], const struct view_model *model)
{
    if (job_alone(model->summary)) {
        say_job(text, model->summary);
        return;
    }
    const struct summary *summary = model->summary;
    const struct summary_rank *rank = worst_rank(summary);
    const char *simulated = summary->simulated ? "SIM " : "";
    if (!rank || !summary->shown.known) {
        snprintf(text[0], FORMAT_BYTES, "%swaiting", simulated);
    } else if (rank->state == RANK_MISSING) {
        snprintf(text[0], FORMAT_BYTES, "%sr%u missing", simulated, rank->rank);
        snprintf(text[1], FORMAT_BYTES, "r%u gone", rank->rank);
        snprintf(text[2], FORMAT_BYTES, "r%u!", rank->rank);
    } else if (!isfinite(choice_slowness(rank))) {
        snprintf(text[0], FORMAT_BYTES, "%scannot tell", simulated);
        snprintf(text[1], FORMAT_BYTES, "-");
    } else {
        double percent = (choice_slowness(rank) - 1) * 100;
        percent = fabs(percent) < 0.5 ? 0 : percent > 1e6 ? 1e6 : percent;
        snprintf(text[0], FORMAT_BYTES, "%sr%u %+.0f%%%s", simulated, rank->rank, percent,
                 rank->straggler ? " slow" : "");
        snprintf(text[1], FORMAT_BYTES, "r%u %+.0f%%", rank->rank, percent);
        snprintf(text[2], FORMAT_BYTES, "r%u", rank->rank);
    }
}

void view_line(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    char text[3][FORMAT_BYTES] = {"", "", ""};
    const struct summary_rank *rank = job_alone(model->summary) ? NULL : worst_rank(model->summary);
    enum style style = !rank                         ? STYLE_NORMAL
                       : rank->state == RANK_MISSING ? STYLE_WARNING
                       : rank->straggler             ? STYLE_STRAGGLER
                                                     : STYLE_NORMAL;
    say_line(text, model);
    for (int i = 0; i < 3; i++) {
        /* Half a figure would be a wrong one: what does not fit whole is left out. */
        if (text[i][0] && (int)strlen(text[i]) <= rect.width) {
            canvas_text(canvas, rect, 0, 0, style, text[i]);
            return;
        }
    }
}

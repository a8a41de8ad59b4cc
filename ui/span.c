/* Columns of steps: which is where, and what is said of one. */
#include "span.h"

#include <math.h>
#include <stdio.h>

#include "format.h"

size_t span_column_at(const struct overview *overview, int64_t position)
{
    size_t low = 0, high = overview->column_count;
    while (low < high) { /* the first column that ends behind it */
        size_t middle = low + (high - low) / 2;
        const struct overview_column *column = &overview->columns[middle];
        if (position - column->first_position >= column->positions)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < overview->column_count && overview->columns[low].first_position <= position;
    return inside ? low : SPAN_NOWHERE;
}

size_t span_shown_column(const struct overview *overview, const struct summary *summary)
{
    if (!summary->shown.known || overview->column_count == 0)
        return SPAN_NOWHERE;
    return overview_column_of(overview, summary->shown.attempt, summary->shown.step);
}

/* A live run is a little ahead of a picture of its course. */
size_t span_cursor_column(const struct overview *overview, const struct span_view *view,
                          const struct summary *summary)
{
    if (view->cursor >= 0)
        return span_column_at(overview, view->cursor);
    size_t shown = span_shown_column(overview, summary);
    bool ahead = summary->is_latest && view->positions == 0 && overview->column_count > 0;
    return shown == SPAN_NOWHERE && ahead ? overview->column_count - 1 : shown;
}

struct overview_request span_wants(const struct span_view *view, int cells)
{
    bool all = view->positions <= 0;
    int64_t from = all || view->from < 0 ? 0 : view->from;
    bool ends = !all && view->positions < INT64_MAX - from;
    return (struct overview_request){
        .from = from,
        .to = ends ? from + view->positions : INT64_MAX,
        .columns = cells < 1 ? 1 : cells,
    };
}

/* An overview that was asked for another width keeps its newest columns. */
bool span_begin(struct span *span, struct canvas *canvas, struct rect rect,
                const struct view_model *model, const struct span_view *view)
{
    const struct overview *overview = model->overview;
    *span = (struct span){.canvas = canvas, .model = model, .overview = overview, .rect = rect};
    if (!overview || overview->column_count == 0 || rect.width < 1)
        return false;
    size_t width = (size_t)rect.width;
    span->count = overview->column_count < width ? overview->column_count : width;
    span->first = overview->column_count - span->count;
    size_t cells = width / span->count;
    span->cells = cells < SPAN_CELLS_MAX ? (int)cells : SPAN_CELLS_MAX;
    span->cursor = span_cursor_column(overview, view, model->summary);
    span->shown = span_shown_column(overview, model->summary);
    return true;
}

int span_x(const struct span *span, size_t column)
{
    return ((int)column - (int)span->first) * span->cells;
}

bool span_restarts_at(const struct overview *overview, size_t column)
{
    const struct overview_column *here = &overview->columns[column];
    bool before = column > 0 && overview->columns[column - 1].last_attempt != here->first_attempt;
    return before || here->first_attempt != here->last_attempt;
}

/* ---- in words ---- */

static void say_step(struct sentence *line, int attempt, int64_t step, bool attempts)
{
    char text[FORMAT_BYTES];
    if (attempts)
        sentence_add(line, "a%d ", attempt + 1);
    sentence_add(line, "%s", format_count(text, step));
}

void span_say_steps(struct sentence *line, const struct overview *overview, size_t column,
                    bool brief)
{
    const struct overview_column *here = &overview->columns[column];
    bool attempts = overview->columns[overview->column_count - 1].last_attempt > 0;
    bool one = here->positions <= 1 && here->steps <= 1;
    if (!brief)
        sentence_add(line, one ? "step " : "steps ");
    say_step(line, here->first_attempt, here->first_covered, attempts);
    if (one)
        return;
    sentence_add(line, brief ? "-" : " to ");
    say_step(line, here->last_attempt, here->last_step, here->last_attempt != here->first_attempt);
}

void span_say_moment(struct sentence *line, const struct overview_column *column,
                     const struct summary *summary)
{
    char text[FORMAT_BYTES];
    if (isfinite(column->begin_s) && column->begin_s > 0 && column->begin_s <= 2.5e11)
        sentence_add(line, "  %s", format_log_moment(text, column->begin_s, summary->zone_unknown));
}

bool span_of_means(const struct overview *overview)
{
    for (size_t i = 0; i < overview->column_count; i++)
        if (overview->columns[i].steps > overview->columns[i].positions)
            return true;
    return false;
}

const char *span_word(const struct overview *overview)
{
    return span_of_means(overview) ? "value" : "step";
}

int64_t span_widest(const struct overview *overview)
{
    int64_t most = 1;
    for (size_t i = 0; i < overview->column_count; i++)
        most = overview->columns[i].positions > most ? overview->columns[i].positions : most;
    return most;
}

void span_say_width(struct sentence *line, const struct overview *overview)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "%s a column",
                 format_counted(text, span_widest(overview), span_word(overview)));
}

void span_say_nowhere(const struct span *span, struct rect rect)
{
    const struct summary_step *shown = &span->model->summary->shown;
    const struct overview_column *first = &span->overview->columns[span->first];
    bool before = shown->attempt != first->first_attempt ? shown->attempt < first->first_attempt
                                                         : shown->step < first->first_step;
    struct sentence line;
    char text[FORMAT_BYTES];
    sentence_clear(&line, STYLE_DIM);
    if (shown->known)
        sentence_add(&line, "the shown step, %s, is %s what is seen",
                     format_count(text, shown->step), before ? "before" : "after");
    sentence_draw_wrapped(&line, span->canvas, rect, 0);
}

void span_say_zoom(struct sentence *line, const struct span_view *view)
{
    if (view->positions > 0)
        sentence_add(line, "  zoomed (0: all)");
}

void span_say_share(struct sentence *line, const struct view_model *model, const char *label,
                    double share, enum evidence evidence)
{
    char text[FORMAT_BYTES];
    sentence_add(line, "  %s %s", label, format_share(text, share));
    if (isfinite(share))
        sentence_evidence(line, model_evidence(model, evidence));
}

void span_say_time(struct sentence *line, const struct view_model *model, size_t column,
                   enum span_time wording, bool unicode)
{
    bool brief = wording != SPAN_TIME_FULL;
    const struct overview_column *here = &model->overview->columns[column];
    enum evidence evidence = model_evidence(model, model->overview->time_evidence);
    char text[FORMAT_BYTES];
    bool several = here->positions > 1;
    sentence_add(line,
                 brief     ? "  %s"
                 : several ? "  mean step time %s"
                           : "  step time %s",
                 format_duration(text, here->step_time_s, unicode));
    if (isfinite(here->step_time_s))
        sentence_evidence(line, evidence);
    if (wording == SPAN_TIME_ALONE || !several || !isfinite(here->step_time_max_s))
        return;
    sentence_add(line, brief ? " max %s" : " (longest %s",
                 format_duration(text, here->step_time_max_s, unicode));
    sentence_evidence(line, evidence);
    sentence_add(line, brief ? "" : ")");
}

void span_say_wait(struct sentence *line, const struct view_model *model, size_t column)
{
    const struct overview *overview = model->overview;
    span_say_share(line, model, "wait", overview->columns[column].wait_share,
                   overview->wait_evidence);
}

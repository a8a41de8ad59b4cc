/* The newest steps as bars, the slowest of the last ones, what happened. */
#include "view_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "memory.h"
#include "sentence.h"
#include "verdict_lines.h"
#include "view.h"

#define GAP 3 /* cells between tables */
#define SLOWEST_CELLS 34
#define NEWEST_MOST 72 /* cells: longer bars tell no more */
#define STEP_CELLS 12
#define TIME_CELLS 22 /* where the time ends */
#define BAR_LEAST 4
#define MFU_CELLS 9

/* ---- what happened ---- */

static bool is_event(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_SPIKE || verdict->kind == VERDICT_RESTART ||
           verdict->kind == VERDICT_GAP;
}

/* Later, or, of two in one step, the one that is listed first. */
static bool is_newer(const struct verdict *a, const struct verdict *b)
{
    if (a->attempt != b->attempt)
        return a->attempt > b->attempt;
    return a->from_step != b->from_step ? a->from_step > b->from_step : a < b;
}

const struct verdict *job_newest_event(const struct summary *summary, size_t which)
{
    const struct verdict *last = NULL;
    for (size_t turn = 0; turn <= which; turn++) {
        const struct verdict *newest = NULL;
        for (size_t i = 0; i < summary->verdict_count; i++) {
            const struct verdict *verdict = &summary->verdicts[i];
            if (is_event(verdict) && (!last || is_newer(last, verdict)) &&
                (!newest || is_newer(verdict, newest)))
                newest = verdict;
        }
        if (!newest)
            return NULL;
        last = newest;
    }
    return last;
}

static void draw_events(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence line;
    canvas_text(canvas, rect, 0, 0, STYLE_LABEL, "events, the newest first");
    for (int y = 1; y < rect.height; y++) {
        const struct verdict *verdict = job_newest_event(model->summary, (size_t)y - 1);
        if (!verdict) {
            if (y == 1)
                canvas_text(canvas, rect, 0, y, STYLE_DIM, "none");
            return;
        }
        verdict_line(model, rect.width, verdict, &line);
        sentence_draw_wrapped(&line, canvas, rect_part(rect, 0, y, rect.width, 1), 0);
    }
}

/* ---- steps ---- */

static bool known(const struct summary_point *point)
{
    return isfinite(point->step_time_s) && point->step_time_s > 0;
}

static enum evidence time_evidence(const struct view_model *model)
{
    struct quantity shown = model->summary->shown.step_time_s;
    return model_evidence(model, quantity_known(shown) ? shown.evidence : EVIDENCE_MEASURED);
}

/* The number of a step: of a mean that of the last one of its steps. */
static const char *step_head(const struct summary *summary)
{
    return summary->shown.span > 1 ? "to step" : "step";
}

/* The attempt that a step is of: after each restart the numbers go on from a smaller one. */
static int attempt_of(const struct summary *summary, const struct summary_point *point)
{
    int attempt = summary->shown.attempt;
    for (const struct summary_point *p = summary->points + summary->point_count - 1; p > point; p--)
        attempt -= p->step <= p[-1].step;
    return attempt < 0 ? 0 : attempt;
}

/* "12,345"; "a2 12,345" where steps of another attempt are there: some were done twice. */
static void draw_step(struct canvas *canvas, struct rect line, const struct view_model *model,
                      const struct summary_point *point)
{
    char text[FORMAT_BYTES], step[FORMAT_BYTES + 16];
    const struct summary *summary = model->summary;
    snprintf(step, sizeof(step), "a%d %s", attempt_of(summary, point) + 1,
             format_count(text, point->step));
    bool several = attempt_of(summary, summary->points) != summary->shown.attempt;
    canvas_text_right(canvas, line, STEP_CELLS, 0, STYLE_NORMAL,
                      several && strlen(step) <= STEP_CELLS ? step : text);
    format_duration(text, point->step_time_s, canvas->unicode);
    view_number(canvas, line, TIME_CELLS, 0, STYLE_NORMAL, text,
                known(point) ? time_evidence(model) : EVIDENCE_NONE);
}

static void draw_bar(struct canvas *canvas, struct rect bar, double share)
{
    int halves = (int)lround(fmin(fmax(share, 0), 1) * 2 * bar.width);
    for (int i = 0; 2 * i < halves; i++)
        canvas_put(canvas, bar, i, 0,
                   !canvas->unicode     ? '#'
                   : 2 * i + 1 < halves ? 0x2588
                                        : 0x258C,
                   STYLE_OWN);
}

static void draw_newest(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    const struct summary *summary = model->summary;
    size_t count = summary->point_count, rows = rect.height > 1 ? (size_t)rect.height - 1 : 0;
    size_t first = count > rows ? count - rows : 0;
    bool mfu = quantity_known(summary->mfu) && rect.width >= TIME_CELLS + BAR_LEAST + MFU_CELLS + 2;
    struct rect bar = rect_part(rect, TIME_CELLS + 1, 0,
                                rect.width - TIME_CELLS - 1 - (mfu ? MFU_CELLS + 1 : 0), 1);
    double longest = 0;
    char text[FORMAT_BYTES];
    for (size_t i = first; i < count; i++)
        longest =
            known(&summary->points[i]) ? fmax(longest, summary->points[i].step_time_s) : longest;
    canvas_text_right(canvas, rect, STEP_CELLS, 0, STYLE_LABEL, step_head(summary));
    canvas_text_right(canvas, rect, TIME_CELLS - 2, 0, STYLE_LABEL, "time");
    canvas_text(canvas, bar, 0, 0, STYLE_LABEL, bar.width >= 16 ? "newest first" : "newest");
    if (mfu)
        canvas_text_right(canvas, rect, rect.width - 2, 0, STYLE_LABEL, "MFU");
    for (size_t i = count; i > first; i--) {
        const struct summary_point *point = &summary->points[i - 1];
        struct rect line = rect_part(rect, 0, 1 + (int)(count - i), rect.width, 1);
        draw_step(canvas, line, model, point);
        if (known(point) && longest > 0)
            draw_bar(canvas, rect_part(line, TIME_CELLS + 1, 0, bar.width, 1),
                     point->step_time_s / longest);
        if (mfu && isfinite(point->mfu_alone))
            view_number(canvas, line, rect.width, 0, STYLE_NORMAL,
                        format_share(text, point->mfu_alone),
                        model_evidence(model, summary->mfu.evidence));
    }
}

static int by_time(const void *a, const void *b)
{
    const struct summary_point *one = *(const struct summary_point *const *)a;
    const struct summary_point *other = *(const struct summary_point *const *)b;
    if (one->step_time_s != other->step_time_s)
        return one->step_time_s > other->step_time_s ? -1 : 1;
    return one > other ? -1 : one < other;
}

static void draw_slow_row(struct canvas *canvas, struct rect line, const struct view_model *model,
                          const struct summary_point *point, double median_s)
{
    char text[FORMAT_BYTES];
    double times = point->step_time_s / median_s;
    draw_step(canvas, line, model, point);
    snprintf(text, sizeof(text), "%.2f x", fmin(times, 1e6));
    view_number(canvas, line, SLOWEST_CELLS, 0, times > 1.5 ? STYLE_WARNING : STYLE_NORMAL, text,
                model_evidence(model, EVIDENCE_COMPUTED));
}

static void draw_slowest(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    const struct summary *summary = model->summary;
    const struct summary_point **order = memory_zeroed(summary->point_count + 1, sizeof(*order));
    size_t count = 0;
    char text[FORMAT_BYTES];
    for (size_t i = 0; i < summary->point_count; i++)
        if (known(&summary->points[i]))
            order[count++] = &summary->points[i];
    qsort(order, count, sizeof(*order), by_time);
    canvas_printf(canvas, rect, 1, 0, STYLE_LABEL, "slowest of %s",
                  format_counted(text, (int64_t)count, summary->shown.span > 1 ? "value" : "step"));
    canvas_text_right(canvas, rect, SLOWEST_CELLS - 2, 0, STYLE_LABEL, "median");
    for (size_t i = 0; i < count && (int)i + 1 < rect.height; i++)
        draw_slow_row(canvas, rect_part(rect, 0, 1 + (int)i, rect.width, 1), model, order[i],
                      (order[(count - 1) / 2]->step_time_s + order[count / 2]->step_time_s) / 2);
    free(order);
}

void job_tables_draw(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    int width = rect.width;
    bool slowest = width >= SLOWEST_CELLS + GAP + TIME_CELLS + BAR_LEAST;
    bool events = width >= JOB_TABLES_WIDE;
    int newest = slowest ? width - SLOWEST_CELLS - GAP : width;
    if (events)
        newest = newest / 2 < NEWEST_MOST ? newest / 2 : NEWEST_MOST;
    newest = newest < NEWEST_MOST ? newest : NEWEST_MOST;
    if (rect.height < 2 || model->summary->point_count == 0)
        return;
    draw_newest(canvas, rect_part(rect, 0, 0, newest, rect.height), model);
    if (slowest)
        draw_slowest(canvas, rect_part(rect, newest + GAP, 0, SLOWEST_CELLS, rect.height), model);
    int used = newest + SLOWEST_CELLS + 2 * GAP;
    if (events && width > used)
        draw_events(canvas, rect_part(rect, used, 0, width - used, rect.height), model);
}

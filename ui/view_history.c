/* The history: MFU, HFU, step time and waits over the whole run, one above the other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alarm_lines.h"
#include "format.h"
#include "graph.h"
#include "job_lines.h"
#include "span.h"
#include "view.h"

enum figure { FIGURE_MFU, FIGURE_HFU, FIGURE_STEP_TIME, FIGURE_WAIT, FIGURE_COUNT };

static const char *const NAMES[FIGURE_COUNT] = {"MFU", "HFU", "step time", "waiting"};

#define GRAPH_LEAST 2 /* lines */
#define CLIP 2.0      /* a longest step over so many times the longest mean leaves the graph */
#define CLOSE 0.6     /* values that all lie above this share of the largest: cut axis */

struct history_lines {
    int title, events, axis, steps, times, cursor, legend;
    int graphs; /* left for the graphs */
};

static struct history_lines lines_make(int height)
{
    struct history_lines lines = {.title = height >= 5,
                                  .events = height >= 9,
                                  .axis = height >= 11,
                                  .steps = height >= 4,
                                  .times = height >= 16,
                                  .cursor = height >= 9 ? 2 : height >= 3,
                                  .legend = height >= 20};
    lines.graphs = height - lines.title - lines.events - lines.axis - lines.steps - lines.times -
                   lines.cursor - lines.legend;
    lines.graphs = lines.graphs < 0 ? 0 : lines.graphs;
    return lines;
}

static int label_cells(int width)
{
    return width < 30 ? 8 : width < 60 ? 15 : width < 120 ? 21 : 24;
}

static struct rect plot_of(struct rect rect)
{
    int label = label_cells(rect.width);
    return rect_part(rect, label, 0, rect.width - label - 1, rect.height);
}

struct overview_request view_history_wants(int width, int height, const struct view_model *model)
{
    (void)height;
    return span_wants(&model->history, plot_of((struct rect){0, 0, width, 1}).width);
}

/* ---- values and scales ---- */

struct history_page {
    struct span span;
    struct rect rect;
    const struct view_model *model;
};

static double value_of(const struct overview_column *column, enum figure figure)
{
    return figure == FIGURE_MFU         ? column->mfu
           : figure == FIGURE_HFU       ? column->hfu
           : figure == FIGURE_STEP_TIME ? column->step_time_s
                                        : column->wait_share;
}

static enum evidence evidence_of(const struct history_page *page, enum figure figure)
{
    const struct overview *overview = page->span.overview;
    return model_evidence(page->model, figure == FIGURE_STEP_TIME ? overview->time_evidence
                                       : figure == FIGURE_WAIT    ? overview->wait_evidence
                                                                  : overview->mfu_evidence);
}

struct range {
    double low, high;
    double longest; /* of the step time */
};

/* To two significant digits, outwards: the scale seldom changes. */
static double round_out(double value, bool up)
{
    if (!(value > 0))
        return 0;
    double grid = pow(10, floor(log10(value)) - 1);
    return (up ? ceil(value / grid - 1e-9) : floor(value / grid + 1e-9)) * grid;
}

static struct range range_of(const struct history_page *page, enum figure figure)
{
    const struct span *span = &page->span;
    struct range range = {0, 0, 0};
    double low = INFINITY, high = 0;
    for (size_t i = span->first; i < span->first + span->count; i++) {
        const struct overview_column *column = &span->overview->columns[i];
        double value = value_of(column, figure);
        if (!isfinite(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
        if (figure == FIGURE_STEP_TIME && isfinite(column->step_time_max_s))
            range.longest = fmax(range.longest, column->step_time_max_s);
    }
    if (!isfinite(low))
        return range;
    double top = fmax(high, fmin(range.longest, CLIP * high));
    range.high = top > 0 ? round_out(top, true) : 0.01;
    if (figure != FIGURE_WAIT && low > top * CLOSE)
        range.low = round_out(low * 0.98, false);
    return range;
}

static bool known(const struct history_page *page, enum figure figure)
{
    return range_of(page, figure).high > 0;
}

/* Nothing is computed again: HFU is MFU. */
static bool is_one(const struct history_page *page)
{
    const struct overview *overview = page->span.overview;
    bool any = false;
    for (size_t i = 0; i < overview->column_count; i++) {
        double mfu = overview->columns[i].mfu, hfu = overview->columns[i].hfu;
        if (isfinite(mfu) != isfinite(hfu) || (isfinite(mfu) && mfu != hfu))
            return false;
        any = any || isfinite(mfu);
    }
    return any;
}

/* ---- one graph ---- */

static double share_of(const struct range *range, double value)
{
    return (value - range->low) / (range->high - range->low);
}

/* Above the mean, up to the longest; '^' where it leaves the graph. */
static void draw_longest(const struct history_page *page, struct rect graph, int x,
                         const struct range *range, const struct overview_column *column)
{
    struct canvas *canvas = page->span.canvas;
    double mean = share_of(range, column->step_time_s), most = column->step_time_max_s;
    if (!isfinite(mean) || !isfinite(most))
        return;
    int from = (int)ceil(fmax(mean, 1.0 / 8 / graph.height) * graph.height - 1e-9);
    int to = (int)ceil(fmin(share_of(range, most), 1) * graph.height - 1e-9);
    for (int i = from; i < to; i++)
        canvas_put(canvas, graph, x, graph.height - 1 - i, canvas->unicode ? 0x2591 : ':',
                   STYLE_DIM);
    if (most > range->high * (1 + 1e-9))
        canvas_put(canvas, graph, x, 0, '^', STYLE_WARNING);
}

static void draw_column(const struct history_page *page, struct rect graph, enum figure figure,
                        const struct range *range, size_t index)
{
    const struct span *span = &page->span;
    const struct overview_column *column = &span->overview->columns[index];
    double value = value_of(column, figure);
    bool restart = span_restarts_at(span->overview, index);
    for (int i = 0; i < span->cells; i++) {
        int x = span_x(span, index) + i;
        if (restart && i == 0)
            for (int y = 0; y < graph.height; y++)
                canvas_put(span->canvas, graph, x, y, span->canvas->unicode ? 0x2506 : '|',
                           STYLE_WARNING);
        if (!isfinite(value))
            continue;
        graph_column(span->canvas, graph, x, share_of(range, value), STYLE_OWN);
        if (figure == FIGURE_STEP_TIME)
            draw_longest(page, graph, x, range, column);
    }
}

static const char *format_value(char out[FORMAT_BYTES], enum figure figure, double value,
                                bool unicode)
{
    return figure == FIGURE_STEP_TIME ? format_duration(out, value, unicode)
                                      : format_share(out, value);
}

/* Its name, the ends of its scale beside them, and the longest that left it. */
static void draw_label(const struct history_page *page, struct rect graph, enum figure figure,
                       const struct range *range)
{
    struct canvas *canvas = page->span.canvas;
    int width = label_cells(page->rect.width) - 1;
    struct rect label = rect_part(page->rect, 0, graph.y - page->rect.y, width, graph.height);
    char low[FORMAT_BYTES], high[FORMAT_BYTES];
    bool narrow = width < 20;
    int x = canvas_text(canvas, label, 1, 0, STYLE_LABEL,
                        narrow && figure == FIGURE_STEP_TIME              ? "time"
                        : narrow && figure == FIGURE_WAIT                 ? "wait"
                        : !narrow && figure == FIGURE_MFU && is_one(page) ? "MFU = HFU"
                                                                          : NAMES[figure]);
    canvas_put(canvas, label, x + 2, 0, (uint32_t)evidence_letter(evidence_of(page, figure)),
               STYLE_DIM);
    format_value(high, figure, range->high, canvas->unicode);
    format_value(low, figure, range->low, canvas->unicode);
    canvas_text_right(canvas, label, width, 0, STYLE_DIM, high);
    canvas_text_right(canvas, label, width, graph.height - 1, STYLE_DIM,
                      range->low > 0 ? low : "0");
    if (figure == FIGURE_STEP_TIME && range->longest > range->high && graph.height >= 3)
        canvas_printf(canvas, label, 1, 1, STYLE_DIM, "^ to %s",
                      format_value(high, figure, range->longest, canvas->unicode));
}

static void draw_figure(const struct history_page *page, enum figure figure, int y, int height)
{
    struct rect graph = rect_part(page->span.rect, 0, y, page->span.rect.width, height);
    struct range range = range_of(page, figure);
    const struct span *span = &page->span;
    for (size_t i = span->first; i < span->first + span->count; i++)
        draw_column(page, graph, figure, &range, i);
    draw_label(page, graph, figure, &range);
}

/* ---- which graphs ---- */

/* The most telling first: what there is no room for is left out. */
static int choose(const struct history_page *page, int lines, bool ret_shown[FIGURE_COUNT])
{
    static const enum figure order[] = {FIGURE_STEP_TIME, FIGURE_MFU, FIGURE_WAIT, FIGURE_HFU};
    int count = 0;
    for (int i = 0; i < FIGURE_COUNT; i++) {
        bool fits = (count + 1) * GRAPH_LEAST <= lines || count == 0;
        if (order[i] == FIGURE_HFU && is_one(page))
            fits = false; /* it would be the same graph */
        ret_shown[order[i]] = fits && known(page, order[i]);
        count += ret_shown[order[i]];
    }
    return count;
}

/* Why there is no MFU, in its place; returns the lines used. */
static int say_needs(const struct history_page *page, int y, int lines)
{
    struct sentence needs, line;
    struct rect rect = rect_part(page->rect, 1, y, page->rect.width - 2, lines - GRAPH_LEAST);
    if (known(page, FIGURE_MFU) || lines <= GRAPH_LEAST)
        return 0;
    sentence_clear(&line, STYLE_DIM);
    sentence_add(&line, "MFU ");
    if (alarm_mfu_needs(page->model, &needs))
        sentence_add_raw(&line, needs.text);
    else
        sentence_add(&line, "is not known for these steps");
    return sentence_draw_wrapped(&line, page->span.canvas, rect, 0);
}

static void draw_figures(const struct history_page *page, int y, int lines)
{
    bool shown[FIGURE_COUNT];
    int used = say_needs(page, y, lines);
    y += used;
    lines -= used;
    int count = choose(page, lines, shown);
    if (count == 0) {
        canvas_text(page->span.canvas, page->rect, 1, y, STYLE_NORMAL,
                    "How long the steps were is not known.");
        return;
    }
    int each = lines / count, left = lines % count, gap = each > GRAPH_LEAST + 1;
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        if (!shown[figure])
            continue;
        int height = each + (left-- > 0);
        draw_figure(page, (enum figure)figure, y, height - gap);
        y += height;
    }
}

/* ---- in words ---- */

static int64_t seen_steps(const struct overview *overview)
{
    const struct overview_column *last = &overview->columns[overview->column_count - 1];
    return last->first_position + last->positions - overview->columns[0].first_position;
}

/* The steps that their values are of. */
static int64_t seen_covered(const struct overview *overview)
{
    int64_t steps = 0;
    for (size_t i = 0; i < overview->column_count; i++)
        steps += overview->columns[i].steps;
    return steps;
}

static void draw_title(const struct history_page *page, int y)
{
    const struct overview *overview = page->span.overview;
    int width = page->rect.width - 2;
    struct sentence title, zoom;
    char text[FORMAT_BYTES];
    sentence_clear(&zoom, STYLE_WARNING);
    span_say_zoom(&zoom, &page->model->history);
    int room = width - sentence_columns(&zoom);
    for (int wording = 0; wording < 2; wording++) {
        sentence_clear(&title, STYLE_LABEL);
        sentence_add(&title, wording == 0 ? "history: " : "");
        if (page->model->history.positions > 0)
            sentence_add(&title, "%s of ", format_count(text, seen_steps(overview)));
        sentence_add(&title, "%s", format_counted(text, overview->positions, span_word(overview)));
        if (span_of_means(overview) && page->model->history.positions <= 0)
            sentence_add(&title, " of %s", format_counted(text, seen_covered(overview), "step"));
        sentence_add(&title, ", ");
        if (wording == 0)
            span_say_width(&title, overview);
        else
            sentence_add(&title, "%s a column", format_count(text, span_widest(overview)));
        if (sentence_columns(&title) <= room)
            break;
    }
    sentence_draw(&title, page->span.canvas, rect_part(page->rect, 1, y, room, 1), 0, 0);
    sentence_draw(&zoom, page->span.canvas, rect_part(page->rect, 1 + room, y, width - room, 1), 0,
                  0);
}

/* Which steps and how well; then how long and how much of it was waiting. */
static void draw_cursor(const struct history_page *page, int y, int lines)
{
    struct rect rect = rect_part(page->rect, 1, y, page->rect.width - 2, lines);
    const struct span *span = &page->span;
    struct sentence line;
    if (span->cursor == SPAN_NOWHERE) {
        span_say_nowhere(span, rect);
        return;
    }
    const struct overview_column *column = &span->overview->columns[span->cursor];
    bool brief = rect.width < 70 || lines < 2;
    bool narrow = rect.width < 50 && lines < 2; /* the longest of them would not fit */
    sentence_clear(&line, STYLE_NORMAL);
    span_say_steps(&line, span->overview, span->cursor, brief);
    if (!brief)
        span_say_moment(&line, column, page->model->summary);
    if (isfinite(column->mfu))
        span_say_share(&line, page->model, is_one(page) && !brief ? "MFU = HFU" : "MFU",
                       column->mfu, span->overview->mfu_evidence);
    if (isfinite(column->hfu) && !brief && !is_one(page))
        span_say_share(&line, page->model, "HFU", column->hfu, span->overview->mfu_evidence);
    if (lines < 2)
        span_say_time(&line, page->model, span->cursor, narrow ? SPAN_TIME_ALONE : SPAN_TIME_BRIEF,
                      span->canvas->unicode);
    sentence_draw_wrapped(&line, span->canvas, rect_part(rect, 0, 0, rect.width, 1), 0);
    if (lines < 2)
        return;
    sentence_clear(&line, STYLE_NORMAL);
    span_say_time(&line, page->model, span->cursor, brief ? SPAN_TIME_BRIEF : SPAN_TIME_FULL,
                  span->canvas->unicode);
    if (!job_alone(page->model->summary))
        span_say_wait(&line, page->model, span->cursor);
    sentence_draw(&line, span->canvas, rect, -2, 1); /* each begins with two blanks */
}

/* ---- the page ---- */

static void margin_word(const struct history_page *page, int y, const char *word)
{
    canvas_text(page->span.canvas,
                rect_part(page->rect, 1, y, label_cells(page->rect.width) - 2, 1), 0, 0, STYLE_DIM,
                word);
}

static void draw_page(const struct history_page *page, const struct history_lines *lines)
{
    int y = 0;
    if (lines->title)
        draw_title(page, y++);
    if (lines->events) {
        margin_word(page, y, "events");
        span_draw_events(&page->span, y++, lines->axis == 0);
    }
    draw_figures(page, y, lines->graphs);
    y += lines->graphs;
    if (lines->axis)
        span_draw_axis(&page->span, y++);
    if (lines->steps) {
        margin_word(page, y, span_of_means(page->span.overview) ? "to step" : "step");
        span_draw_steps(&page->span, y++);
    }
    if (lines->times) {
        if (page->span.overview->columns[page->span.first].begin_s > 0) /* there are clocks */
            margin_word(page, y, page->model->summary->zone_unknown ? "log time" : "time (UTC)");
        span_draw_times(&page->span, y++);
    }
    draw_cursor(page, y, lines->cursor);
    if (lines->legend)
        span_draw_legend(page->span.canvas, page->rect, 1, y + lines->cursor,
                         !job_alone(page->model->summary));
}

void view_history(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct history_page page = {.rect = rect, .model = model};
    struct history_lines lines = lines_make(rect.height);
    struct sentence line;
    if (span_begin(&page.span, canvas, plot_of(rect), model, &model->history)) {
        draw_page(&page, &lines);
        return;
    }
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, model->summary->shown.known
                            ? "History: the run's course is being read."
                            : "History: MFU, step time and waits of the whole run. No step is "
                              "whole yet.");
    sentence_draw_wrapped(&line, canvas, rect_part(rect, 1, 0, rect.width - 2, rect.height), 0);
}

/* MFU, step time and wait share over the last steps, one column a step.
 *
 * A graph does not scroll: that would send every cell of it for every step. It
 * fills from left to right, and when it is full its older half leaves at once. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alarm_lines.h"
#include "format.h"
#include "graph.h"
#include "sentence.h"

enum strip { STRIP_MFU, STRIP_STEP_TIME, STRIP_WAIT };

struct range {
    double low, high;
};

static double value_of(const struct summary_point *point, enum strip strip)
{
    return strip == STRIP_MFU         ? point->mfu
           : strip == STRIP_STEP_TIME ? point->step_time_s
                                      : point->wait_share;
}

/* To two significant digits, outwards, so that the scale seldom changes. */
static double round_out(double value, bool up)
{
    if (!(value > 0))
        return 0;
    double grid = pow(10, floor(log10(value)) - 1);
    return (up ? ceil(value / grid - 1e-9) : floor(value / grid + 1e-9)) * grid;
}

/* From 0, unless all values lie in the upper part: then close around them. */
static struct range range_of(const struct summary *summary, enum strip strip, size_t from)
{
    double low = INFINITY, high = 0;
    for (size_t i = from; i < summary->point_count; i++) {
        double value = value_of(&summary->points[i], strip);
        if (!isfinite(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (!(high > 0))
        return (struct range){0, 0};
    struct range range = {0, round_out(high, true)};
    if (strip != STRIP_WAIT && low > high * 0.6)
        range.low = round_out(low * 0.98, false);
    return range;
}

/* Steps between two columns: 1, or what the records' numbers leave out. */
static int64_t stride_of(const struct summary *summary)
{
    size_t count = summary->point_count;
    int64_t span = summary->points[count - 1].step - summary->points[0].step;
    int64_t stride = count > 1 ? (span + (int64_t)(count - 1) / 2) / (int64_t)(count - 1) : 1;
    return stride < 1 ? 1 : stride;
}

/* The first column's number, in strides: always a multiple of half the width. */
static int64_t first_column(const struct summary *summary, int64_t stride, int width)
{
    int64_t half = width > 1 ? width / 2 : 1;
    int64_t last = summary->points[summary->point_count - 1].step / stride;
    int64_t page = last / half - 1;
    return page > 0 ? page * half : 0;
}

/* Since when a straggler is there: its columns are drawn in its colour. */
static int64_t straggler_since(const struct summary *summary)
{
    int64_t since = INT64_MAX;
    for (size_t i = 0; i < summary->verdicts_in_force && i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        bool slow = verdict_kind_is_slow(verdict->kind);
        if (slow && verdict->from_step < since)
            since = verdict->from_step;
    }
    return since;
}

static size_t first_point(const struct summary *summary, int64_t column, int64_t stride)
{
    size_t at = summary->point_count;
    while (at > 0 && summary->points[at - 1].step / stride >= column)
        at--;
    return at;
}

static struct range draw_graph(struct canvas *canvas, struct rect graph,
                               const struct summary *summary, enum strip strip)
{
    if (summary->point_count == 0 || graph.width < 2)
        return (struct range){0, 0};
    int64_t stride = stride_of(summary), column = first_column(summary, stride, graph.width);
    int64_t since = straggler_since(summary);
    size_t from = first_point(summary, column, stride);
    struct range range = range_of(summary, strip, from);
    if (!(range.high > range.low))
        return range;
    for (size_t i = from; i < summary->point_count; i++) {
        const struct summary_point *point = &summary->points[i];
        double value = value_of(point, strip);
        if (isfinite(value))
            graph_column(canvas, graph, (int)(point->step / stride - column),
                         (value - range.low) / (range.high - range.low),
                         point->step >= since ? STYLE_STRAGGLER : STYLE_OWN);
    }
    return range;
}

static const char *format_value(char out[FORMAT_BYTES], enum strip strip, double value,
                                bool unicode)
{
    return strip == STRIP_STEP_TIME ? format_duration(out, value, unicode)
                                    : format_share(out, value);
}

static struct quantity now_of(const struct summary *summary, enum strip strip)
{
    return strip == STRIP_MFU         ? summary->mfu
           : strip == STRIP_STEP_TIME ? summary->shown.step_time_s
                                      : summary->shown.wait_share;
}

/* The ends of the scale: on its first and last line, or in one. */
static void draw_range(struct canvas *canvas, struct rect part, enum strip strip,
                       struct range range)
{
    char low[FORMAT_BYTES], high[FORMAT_BYTES];
    if (!(range.high > range.low) || part.width < 1)
        return;
    format_value(low, strip, range.low, canvas->unicode);
    format_value(high, strip, range.high, canvas->unicode);
    if (range.low <= 0)
        snprintf(low, sizeof(low), "0");
    if (part.height > 1) {
        canvas_text(canvas, part, 0, 0, STYLE_DIM, high);
        canvas_text(canvas, part, 0, part.height - 1, STYLE_DIM, low);
    } else {
        canvas_printf(canvas, part, 0, 0, STYLE_DIM, "%s to %s", low, high);
    }
}

static void draw_strip(struct canvas *canvas, struct rect rect, const struct view_model *model,
                       enum strip strip)
{
    static const char *const labels[] = {"MFU", "step time", "waiting"};
    const struct summary *summary = model->summary;
    struct quantity now = now_of(summary, strip);
    char text[FORMAT_BYTES];
    bool wide = rect.width >= 70;
    if (rect.height >= 3) /* a blank line between tall graphs */
        rect = rect_part(rect, 0, 1, rect.width, rect.height - 1);
    int begin = wide ? 22 : 20, after = !wide ? 1 : rect.height > 1 ? 10 : 19;
    format_value(text, strip, quantity_known(now) ? now.value : NAN, canvas->unicode);
    bool apart = strip != STRIP_STEP_TIME ||
                 1 + strlen(labels[strip]) + 1 + strlen(text) + 2 < (size_t)begin;
    canvas_text(canvas, rect, 1, 0, STYLE_LABEL, apart ? labels[strip] : "time");
    view_number(canvas, rect, begin - 1, 0, STYLE_VALUE, text, model_evidence(model, now.evidence));
    struct rect graph = rect_part(rect, begin, 0, rect.width - begin - after, rect.height);
    struct sentence needs;
    if (strip == STRIP_MFU && summary->shown.known && alarm_mfu_needs(model, &needs)) {
        struct rect part = rect_part(rect, begin, 0, rect.width - begin, 1);
        if (sentence_columns(&needs) > part.width) { /* half an option is another option */
            needs.length = sentence_line_end(&needs, 0, part.width - 4);
            sentence_add(&needs, " ...");
        }
        sentence_draw(&needs, canvas, part, 0, 0);
        return;
    }
    struct range range = draw_graph(canvas, graph, summary, strip);
    if (wide)
        draw_range(canvas, rect_part(rect, rect.width - after + 1, 0, after - 1, rect.height),
                   strip, range);
}

void view_strip(struct canvas *canvas, struct rect rect, const struct view_model *model, int which)
{
    draw_strip(canvas, rect, model, (enum strip)which);
}

void view_strips(struct canvas *canvas, const struct layout *layout, const struct view_model *model)
{
    static const enum strip known[] = {STRIP_MFU, STRIP_STEP_TIME, STRIP_WAIT};
    static const enum strip unknown[] = {STRIP_STEP_TIME, STRIP_WAIT, STRIP_MFU};
    const enum strip *order = quantity_known(model->summary->mfu) ? known : unknown;
    for (int i = 0; i < layout->strip_count; i++)
        draw_strip(canvas,
                   rect_part(layout->strips, 0, i * layout->strip_height, layout->strips.width,
                             layout->strip_height),
                   model, order[i]);
}

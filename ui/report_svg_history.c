/* The course of the run: utilization, step time and waits above one axis of steps. */
#include "report_svg.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "ledger_lines.h"

#define PANEL_HIGH 110.0
#define AXIS_ROOM 62.0 /* left of the panels */

struct curve {
    const char *name;
    size_t offset; /* of a double in struct overview_column */
    const char *css;
    const char *how; /* the report's figure: "mean", and where it is in the summary */
    size_t figure;   /* of a struct quantity there */
};

struct panel {
    const char *title;
    struct curve curves[2]; /* the second may have no name */
    bool share;             /* else seconds */
};

#define AT(field) offsetof(struct overview_column, field)
#define SAID(field) offsetof(struct summary, field)

struct history {
    struct figure *figure;
    const struct overview *overview;
    struct figure_steps steps;
    struct figure_events events;
};

static double value_of(const struct overview_column *column, const struct curve *curve)
{
    return *(const double *)((const char *)column + curve->offset);
}

static double largest_of(const struct overview *overview, const struct panel *panel)
{
    double largest = NAN;
    for (size_t i = 0; i < overview->column_count; i++)
        for (int k = 0; k < 2; k++)
            if (panel->curves[k].name)
                largest = fmax(largest, value_of(&overview->columns[i], &panel->curves[k]));
    return largest;
}

static bool known(const struct overview *overview, const struct curve *curve)
{
    for (size_t i = 0; i < overview->column_count; i++)
        if (isfinite(value_of(&overview->columns[i], curve)))
            return true;
    return false;
}

/* ---- a panel ---- */

static void put_curve(const struct history *history, const struct curve *curve,
                      const struct figure_scale *scale, double top)
{
    struct svg_path path;
    svg_path_begin(&path, history->figure->to, curve->css);
    for (size_t i = 0; i < history->overview->column_count; i++) {
        double value = value_of(&history->overview->columns[i], curve);
        double x =
            (figure_steps_begin(&history->steps, i) + figure_steps_end(&history->steps, i)) / 2;
        svg_path_add(&path, x, top + PANEL_HIGH * (1 - value / scale->top));
    }
    svg_path_end(&path);
}

/* "MFU, last 50 steps 41.20% c": the sample of the line, and what the report says of it.
 * The points do not add up to that: it leaves out steps whose begin is not known. */
static double put_name(const struct history *history, const struct panel *panel,
                       const struct curve *curve, double x, double y)
{
    struct figure *figure = history->figure;
    const struct summary *summary = figure->model.summary;
    char text[6 * FORMAT_BYTES], value[FORMAT_BYTES], steps[FORMAT_BYTES];
    struct quantity said;
    memcpy(&said, (const char *)summary + curve->figure, sizeof(said));
    if (panel->share)
        figure_share(value, figure, said);
    else
        figure_duration(value, figure, said);
    format_counted(steps, summary->window_steps, "step");
    if (!quantity_known(said))
        snprintf(text, sizeof(text), "%s", curve->name);
    else if (curve->how)
        snprintf(text, sizeof(text), "%s, %s %s", curve->name, curve->how, value);
    else
        snprintf(text, sizeof(text), "%s, last %s %s", curve->name, steps, value);
    svg_line(figure->to, x, y - 4, x + 22, y - 4, curve->css);
    svg_text(figure->to, x + 28, y, SVG_START, "ls-line", text);
    figure_describe(figure, "%s.", text);
    return x + 28 + figure_text_width(text, FIGURE_FONT) + 16;
}

static void put_grid(const struct history *history, const struct figure_scale *scale, double top)
{
    struct figure *figure = history->figure;
    char text[FORMAT_BYTES];
    for (int i = 0; i <= 12 && i * scale->tick <= scale->top * (1 + 1e-9); i++) {
        double y = top + PANEL_HIGH * (1 - i * scale->tick / scale->top);
        svg_line(figure->to, history->steps.left, y, history->steps.right, y,
                 i == 0 ? "ls-axis" : "ls-grid");
        svg_text(figure->to, history->steps.left - 6, y + 4, SVG_END, "ls-dim ls-small",
                 figure_scale_text(text, scale, i * scale->tick));
    }
}

static void put_unknown(const struct history *history, const struct panel *panel)
{
    struct figure *figure = history->figure;
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    if (panel->curves[0].offset == AT(mfu) && !quantity_known(figure->model.summary->mfu))
        ledger_line_utilization(&figure->model, &line);
    else
        sentence_add(&line, "%s: not known from this log", panel->title);
    figure_sentence(figure, &line);
    figure_describe(figure, "%s", line.text);
    figure->y += 6;
}

/* Returns whether anything of it is known, and was drawn. */
static bool put_panel(const struct history *history, const struct panel *panel, bool first)
{
    struct figure *figure = history->figure;
    double largest = largest_of(history->overview, panel);
    if (!isfinite(largest)) {
        put_unknown(history, panel);
        return false;
    }
    struct figure_scale scale =
        panel->share ? figure_scale_share(largest) : figure_scale_seconds(largest, 4);
    double x = FIGURE_MARGIN;
    figure->y += FIGURE_LINE + 4;
    for (int k = 0; k < 2; k++) {
        const struct curve *curve = &panel->curves[k];
        if (!curve->name)
            continue;
        if (k > 0 && x + 230 > figure->width) {
            x = FIGURE_MARGIN;
            figure->y += FIGURE_LINE;
        }
        if (known(history->overview, curve))
            x = put_name(history, panel, curve, x, figure->y);
    }
    double top = figure->y + 12;
    put_grid(history, &scale, top);
    figure_events_lines(figure, &history->events, &history->steps, top, top + PANEL_HIGH);
    figure_restarts(figure, &history->steps, top, top + PANEL_HIGH, first);
    for (int k = 1; k >= 0; k--)
        if (panel->curves[k].name)
            put_curve(history, &panel->curves[k], &scale, top);
    figure->y = top + PANEL_HIGH + 4;
    return true;
}

/* ---- the figure ---- */

static void put_grain(const struct history *history)
{
    const struct overview *overview = history->overview;
    int64_t least = INT64_MAX, most = 0;
    char low[FORMAT_BYTES], high[FORMAT_BYTES];
    for (size_t i = 0; i < overview->column_count; i++) {
        int64_t positions = overview->columns[i].positions;
        least = positions < least ? positions : least;
        most = positions > most ? positions : most;
    }
    format_count(low, least);
    if (most == 1)
        figure_say(history->figure, "A point is one step.");
    else
        figure_say(history->figure, "A point is the mean of %s%s%s (of the longest: the longest).",
                   least == most ? "" : low, least == most ? "" : " to ",
                   format_counted(high, most, "step"));
}

static void put_panels(struct history *history)
{
    static const struct panel panels[] = {
        {"MFU and HFU",
         {{"MFU", AT(mfu), "ls-curve", NULL, SAID(mfu)},
          {"HFU", AT(hfu), "ls-second", NULL, SAID(hfu)}},
         true},
        {"step time",
         {{"step time", AT(step_time_s), "ls-curve", "mean", SAID(step_time_mean_s)},
          {"the longest", AT(step_time_max_s), "ls-second", "at most", SAID(step_time_max_s)}},
         false},
        {"waiting, of the GPU time",
         {{"waiting, of the GPU time", AT(wait_share), "ls-curve", "mean", SAID(wait_share)},
          {NULL, 0, NULL, NULL, 0}},
         true},
    };
    struct figure *figure = history->figure;
    figure_events_choose(&history->events, figure->data);
    double strip = figure->y + 4;
    figure->y = strip + figure_events_height(&history->events);
    bool any = false;
    for (int i = 0; i < 3; i++)
        any |= put_panel(history, &panels[i], !any);
    figure_events_draw(figure, &history->events, &history->steps, strip);
    figure_steps_axis(figure, &history->steps, true);
    figure->y += 4;
    if (any)
        put_grain(history);
    figure_events_list(figure, &history->events);
}

void figure_history(struct figure *figure)
{
    const struct overview *overview = figure->data->overview;
    struct history history = {.figure = figure, .overview = overview};
    char first[FORMAT_BYTES], last[FORMAT_BYTES];
    if (overview->column_count == 0) {
        figure_begin(figure, "History of the run");
        figure_say(figure, "Not known: no step is whole yet.");
        figure_describe(figure, "Nothing is known yet.");
        return;
    }
    history.steps = (struct figure_steps){overview, FIGURE_MARGIN + AXIS_ROOM - 8,
                                          figure->width - FIGURE_MARGIN - 8};
    figure_begin(figure, "History: steps %s to %s",
                 format_count(first, overview->columns[0].first_step),
                 format_count(last, overview->columns[overview->column_count - 1].last_step));
    figure_describe(figure, "Curves over the steps from left to right.");
    put_panels(&history);
}

/* Axes of the figures. */
#include "report_svg.h"

#include <math.h>
#include <string.h>

#define LABEL_ROOM 75.0 /* of a step number and the next */

/* ---- numbers ---- */

/* A round distance, so that at most `count` ticks come up to `largest`. */
static double round_tick(double largest, int count)
{
    static const double steps[] = {1, 2, 5};
    double least = largest / count, power = pow(10, floor(log10(least)));
    for (int i = 0; i < 3; i++)
        if (steps[i] * power >= least * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

static int decimals_of(double tick)
{
    double decimals = ceil(-log10(tick) - 1e-9);
    return decimals < 0 ? 0 : decimals > 6 ? 6 : (int)decimals;
}

static struct figure_scale scale_of(double largest, int ticks, double factor, const char *unit)
{
    double tick = round_tick(largest, ticks);
    return (struct figure_scale){.top = ceil(largest / tick - 1e-9) * tick,
                                 .tick = tick,
                                 .factor = factor,
                                 .decimals = decimals_of(tick * factor),
                                 .unit = unit};
}

struct figure_scale figure_scale_share(double largest)
{
    bool usable = isfinite(largest) && largest > 1e-4 && largest < 1e6;
    return scale_of(usable ? largest : 1e-2, 4, 100, "%");
}

struct figure_scale figure_scale_seconds(double largest, int ticks)
{
    if (!isfinite(largest) || largest <= 1e-9 || largest > 1e12)
        largest = 1;
    struct format_scale format = format_scale_of(largest, true);
    return scale_of(largest, ticks, format.factor, format.unit);
}

const char *figure_scale_text(char out[FORMAT_BYTES], const struct figure_scale *scale,
                              double value)
{
    bool percent = scale->unit[0] == '%';
    snprintf(out, FORMAT_BYTES, "%.*f%s%s", value == 0 ? 0 : scale->decimals, value * scale->factor,
             percent ? "" : " ", scale->unit);
    return out;
}

/* ---- steps ---- */

static double first_of(const struct overview *overview)
{
    return (double)overview->columns[0].first_position;
}

static double length_of(const struct overview *overview)
{
    const struct overview_column *last = &overview->columns[overview->column_count - 1];
    double length = (double)(last->first_position + last->positions) - first_of(overview);
    return length > 0 ? length : 1;
}

double figure_steps_x(const struct figure_steps *steps, int64_t position)
{
    double share = ((double)position - first_of(steps->overview)) / length_of(steps->overview);
    return steps->left + (steps->right - steps->left) * fmin(fmax(share, 0), 1);
}

double figure_steps_begin(const struct figure_steps *steps, size_t column)
{
    return figure_steps_x(steps, steps->overview->columns[column].first_position);
}

double figure_steps_end(const struct figure_steps *steps, size_t column)
{
    const struct overview_column *at = &steps->overview->columns[column];
    return figure_steps_x(steps, at->first_position + at->positions);
}

/* "15:30:38" of "2026-11-29 15:30:38Z"; "" when it is not known. */
static const char *clock_of(char out[FORMAT_BYTES], double unix_s)
{
    char text[FORMAT_BYTES];
    const char *blank = strchr(format_moment(text, unix_s), ' ');
    snprintf(out, FORMAT_BYTES, "%.8s", blank ? blank + 1 : "");
    return out;
}

static const char *date_of(char out[FORMAT_BYTES], double unix_s)
{
    char text[FORMAT_BYTES];
    format_moment(text, unix_s);
    snprintf(out, FORMAT_BYTES, "%.10s", text);
    return out;
}

/* Says the date once, and of a run that goes on overnight the other end of it. */
static void put_axis_title(struct figure *figure, const struct figure_steps *steps, bool time)
{
    const struct overview *overview = steps->overview;
    char first[FORMAT_BYTES], last[FORMAT_BYTES], text[4 * FORMAT_BYTES] = "step";
    double begin = overview->columns[0].begin_s,
           end = overview->columns[overview->column_count - 1].begin_s;
    if (time && isfinite(begin) && isfinite(end)) {
        date_of(first, begin);
        date_of(last, end);
        bool same = strcmp(first, last) == 0;
        bool unknown = figure->data->summary->zone_unknown;
        snprintf(text, sizeof(text), "step; time of day %s, %s%s%s",
                 unknown ? "by the log's clock" : "in UTC", first, same ? "" : " to ",
                 same ? "" : last);
    } else if (time) {
        snprintf(text, sizeof(text), "step; the time of day is not known");
    }
    double half = figure_text_width(text, FIGURE_SMALL) / 2;
    double x = fmin((steps->left + steps->right) / 2, figure->width - half);
    figure->y += 15;
    svg_text(figure->to, x, figure->y, SVG_MIDDLE, "ls-dim ls-small", text);
}

/* A step number with a tick, its label inside the axis and not over the one before. */
struct step_label {
    int64_t step, position;
    double begin_s; /* NAN */
};

static double put_label(struct figure *figure, const struct figure_steps *steps,
                        const struct step_label *label, double free_from, bool time)
{
    char step[FORMAT_BYTES], clock[FORMAT_BYTES] = "";
    format_count(step, label->step);
    if (time)
        clock_of(clock, label->begin_s);
    double half =
        fmax(figure_text_width(step, FIGURE_SMALL), figure_text_width(clock, FIGURE_SMALL)) / 2;
    double tick = figure_steps_x(steps, label->position);
    double x = fmin(fmax(tick, half + 2), figure->width - half - 2);
    if (x - half < free_from)
        return free_from;
    svg_line(figure->to, tick, figure->y, tick, figure->y + 4, "ls-axis");
    svg_text(figure->to, x, figure->y + 15, SVG_MIDDLE, "ls-dim ls-small", step);
    if (clock[0])
        svg_text(figure->to, x, figure->y + 28, SVG_MIDDLE, "ls-dim ls-small", clock);
    return x + half + 8;
}

/* The first multiple of `every` in a column; false when it has none. */
static bool label_in(const struct overview_column *column, int64_t every,
                     struct step_label *ret_label)
{
    int64_t step = column->first_step + (every - column->first_step % every) % every;
    int64_t off = step - column->first_step;
    if (off >= column->positions)
        return false;
    bool steady = column->first_attempt == column->last_attempt;
    if (off > 0 && !steady)
        return false;
    double after_s = off > 0 ? (double)off * column->step_time_s : 0;
    *ret_label = (struct step_label){step, column->first_position + off, column->begin_s + after_s};
    return true;
}

void figure_steps_axis(struct figure *figure, const struct figure_steps *steps, bool time)
{
    const struct overview *overview = steps->overview;
    double room = (steps->right - steps->left) / LABEL_ROOM, free_from = -1e9;
    double every = fmax(round_tick(length_of(overview), room < 1 ? 1 : (int)room), 1);
    struct step_label label;
    svg_line(figure->to, steps->left, figure->y, steps->right, figure->y, "ls-axis");
    for (size_t i = 0; i < overview->column_count; i++)
        if (label_in(&overview->columns[i], (int64_t)every, &label))
            free_from = put_label(figure, steps, &label, free_from, time);
    if (free_from < 0) { /* no round number among them */
        const struct overview_column *first = &overview->columns[0];
        label = (struct step_label){first->first_step, first->first_position, first->begin_s};
        put_label(figure, steps, &label, free_from, time);
    }
    figure->y += time ? 29 : 16;
    put_axis_title(figure, steps, time);
}

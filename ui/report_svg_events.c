/* Events in the figures whose axis are the steps. */
#include "report_svg.h"

#include <math.h>
#include <stdlib.h>

#include "event_lines.h"
#include "job_lines.h"

#define STRIP_LINE 15.0
#define NUMBER_GAP 9.0 /* between numbers in the strip */

/* The less, the sooner it gets a number. */
static int rank_of_kind(enum verdict_kind kind)
{
    switch (kind) {
    case VERDICT_RESTART:
        return 0;
    case VERDICT_STRAGGLER:
    case VERDICT_GROUP:
        return 1;
    case VERDICT_MISSING:
        return 2;
    case VERDICT_SPIKE:
        return 3;
    default:
        return 4;
    }
}

static bool is_event(const struct verdict *verdict)
{
    return verdict->kind != VERDICT_CANNOT_TELL && verdict->kind != VERDICT_WANDERING;
}

static size_t column_of(const struct report_data *data, const struct verdict *verdict)
{
    return overview_column_of(data->overview, verdict->attempt, verdict->from_step);
}

/* From left to right. */
static void sort_by_column(struct figure_events *events)
{
    for (size_t i = 1; i < events->count; i++)
        for (size_t j = i; j > 0; j--) {
            size_t index = events->index[j], column = events->column[j];
            if (column > events->column[j - 1] ||
                (column == events->column[j - 1] && index > events->index[j - 1]))
                break;
            events->index[j] = events->index[j - 1];
            events->column[j] = events->column[j - 1];
            events->index[j - 1] = index;
            events->column[j - 1] = column;
        }
}

void figure_events_choose(struct figure_events *events, const struct report_data *data)
{
    *events = (struct figure_events){0};
    size_t seen = 0;
    for (int importance = 0; importance <= 3; importance++)
        for (size_t i = 0; i < data->events->count; i++) {
            const struct verdict *verdict = &data->events->items[i].verdict;
            if (!is_event(verdict) || rank_of_kind(verdict->kind) != importance ||
                column_of(data, verdict) >= data->overview->column_count)
                continue;
            seen++;
            if (events->count < FIGURE_EVENTS_MAX)
                events->index[events->count++] = i;
        }
    events->others = seen - events->count;
    for (size_t i = 0; i < events->count; i++)
        events->column[i] = column_of(data, &data->events->items[events->index[i]].verdict);
    sort_by_column(events);
}

double figure_events_height(const struct figure_events *events)
{
    return events->count > 0 ? 2 * STRIP_LINE + 6 : 4;
}

static void put_mark(const struct figure *figure, double x, double y)
{
    fprintf(figure->to, "<path class=\"ls-shape\" d=\"M");
    svg_number(figure->to, x - 4);
    fputc(' ', figure->to);
    svg_number(figure->to, y);
    fputs("h8l-4 6z\"/>\n", figure->to);
}

/* Numbers stand in two lines; where even that is too close, side by side to the right. */
void figure_events_draw(const struct figure *figure, const struct figure_events *events,
                        const struct figure_steps *steps, double top)
{
    double free_from[2] = {-1e9, -1e9};
    char text[FORMAT_BYTES];
    double strip = figure_events_height(events);
    for (size_t i = 0; i < events->count; i++) {
        double x = figure_steps_begin(steps, events->column[i]);
        int line = x >= free_from[1] || free_from[1] <= free_from[0] ? 1 : 0;
        snprintf(text, sizeof(text), "%zu", events->index[i] + 1);
        double width = figure_text_width(text, FIGURE_SMALL) + NUMBER_GAP;
        double at = fmin(fmax(x, free_from[line]), figure->width - width / 2);
        svg_text(figure->to, at, top + STRIP_LINE * (line + 1) - 4, SVG_MIDDLE, "ls-alert ls-small",
                 text);
        put_mark(figure, x, top + strip - 6);
        free_from[line] = at + width;
    }
}

void figure_events_lines(const struct figure *figure, const struct figure_events *events,
                         const struct figure_steps *steps, double top, double bottom)
{
    for (size_t i = 0; i < events->count; i++) {
        double x = figure_steps_begin(steps, events->column[i]);
        svg_line(figure->to, x, top, x, bottom, "ls-event");
    }
}

static void put_event(struct figure *figure, const struct run_event *event, size_t number)
{
    struct sentence line, words;
    event_line(figure->model.summary, event, true, &words);
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "%zu  ", number);
    for (int i = 0; i < words.letter_count; i++) /* a line is not broken before them */
        line.letters[line.letter_count++] = line.length + words.letters[i];
    sentence_add(&line, "%s", words.text);
    figure_sentence(figure, &line);
}

void figure_events_list(struct figure *figure, const struct figure_events *events)
{
    char text[FORMAT_BYTES];
    for (size_t i = 0; i < events->count; i++)
        put_event(figure, &figure->data->events->items[events->index[i]], events->index[i] + 1);
    if (events->others > 0)
        figure_say(figure, "%s more not marked, for want of room.",
                   format_counted(text, (int64_t)events->others, "event"));
    if (events->count == 0)
        figure_say(figure, job_alone(figure->data->summary)
                               ? "No spike, restart or gap in these steps."
                               : "No straggler, spike, restart or missing rank in these steps.");
}

void figure_restarts(const struct figure *figure, const struct figure_steps *steps, double top,
                     double bottom, bool words)
{
    const struct overview *overview = steps->overview;
    double last = -1e9;
    char text[FORMAT_BYTES];
    for (size_t i = 1; i < overview->column_count; i++) {
        const struct overview_column *before = &overview->columns[i - 1],
                                     *at = &overview->columns[i];
        if (at->last_attempt == before->last_attempt)
            continue;
        double x = figure_steps_begin(steps, i);
        svg_line(figure->to, x, top, x, bottom, "ls-restart");
        snprintf(text, sizeof(text), "attempt %d", at->last_attempt + 1);
        double width = figure_text_width(text, FIGURE_SMALL);
        bool left = x + 4 + width > steps->right;
        if (!words || x < last + width + 12)
            continue;
        svg_text(figure->to, left ? x - 4 : x + 4, bottom - 4, left ? SVG_END : SVG_START,
                 "ls-small ls-bold", text);
        last = x;
    }
}

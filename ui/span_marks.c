/* What happened above the columns; steps and times below them. */
#include <math.h>
#include <string.h>

#include "format.h"
#include "span.h"

/* ---- what happened ---- */

struct mark {
    char letter;
    enum style style;
    const char *name;
};

/* The gravest last: it covers the others of its column. */
enum { MARK_NONE, MARK_GAP, MARK_SPIKE, MARK_MISSING, MARK_STRAGGLER, MARK_RESTART, MARK_COUNT };
static const struct mark MARKS[MARK_COUNT] = {
    [MARK_GAP] = {'G', STYLE_VALUE, "gap"},
    [MARK_SPIKE] = {'^', STYLE_VALUE, "spike"},
    [MARK_MISSING] = {'M', STYLE_WARNING, "missing"},
    [MARK_STRAGGLER] = {'S', STYLE_STRAGGLER, "straggler"},
    [MARK_RESTART] = {'R', STYLE_WARNING, "restart"},
};

static int mark_of(enum verdict_kind kind)
{
    switch (kind) {
    case VERDICT_STRAGGLER:
    case VERDICT_GROUP:
        return MARK_STRAGGLER;
    case VERDICT_SPIKE:
        return MARK_SPIKE;
    case VERDICT_MISSING:
        return MARK_MISSING;
    case VERDICT_RESTART:
        return MARK_RESTART;
    case VERDICT_GAP:
        return MARK_GAP;
    default:
        return MARK_NONE;
    }
}

/* The first column that does not end before a step; column_count when all do. */
static size_t column_from(const struct overview *overview, int attempt, int64_t step)
{
    size_t low = 0, high = overview->column_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct overview_column *column = &overview->columns[middle];
        bool before = column->last_attempt != attempt ? column->last_attempt < attempt
                                                      : column->last_step < step;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool begins_here(const struct overview *overview, size_t column,
                        const struct verdict *verdict)
{
    const struct overview_column *here = &overview->columns[column];
    return verdict->attempt != here->first_attempt ? verdict->attempt > here->first_attempt
                                                   : verdict->from_step >= here->first_step;
}

static bool is_over_before(const struct overview *overview, const struct run_event *event)
{
    const struct overview_column *first = &overview->columns[0];
    if (event->verdict.to_step < 0)
        return false;
    return event->end_attempt != first->first_attempt ? event->end_attempt < first->first_attempt
                                                      : event->verdict.to_step < first->first_step;
}

static void mark_event(const struct span *span, const struct run_event *event, uint8_t *begins,
                       uint8_t *lasts)
{
    const struct overview *overview = span->overview;
    const struct verdict *verdict = &event->verdict;
    int mark = mark_of(verdict->kind);
    size_t from = column_from(overview, verdict->attempt, verdict->from_step);
    if (mark == MARK_NONE || from == overview->column_count || is_over_before(overview, event))
        return;
    size_t to = overview->column_count - 1; /* it lasts */
    if (verdict->to_step >= 0)
        to = column_from(overview, event->end_attempt, verdict->to_step);
    bool begins_in = begins_here(overview, from, verdict);
    bool instant = mark == MARK_RESTART || mark == MARK_SPIKE || mark == MARK_GAP;
    if (instant && !begins_in && from == 0)
        return; /* before what is seen */
    if (begins_in || instant)
        begins[from] = (uint8_t)(mark > begins[from] ? mark : begins[from]);
    for (size_t i = from; i <= to && i < overview->column_count && !instant; i++)
        lasts[i] = (uint8_t)(mark > lasts[i] ? mark : lasts[i]);
}

static void draw_mark(const struct span *span, int y, size_t column, int begins, int lasts)
{
    int x = span_x(span, column);
    uint32_t line = span->canvas->unicode ? 0x2500 : '-';
    for (int i = 0; i < span->cells && lasts; i++)
        canvas_put(span->canvas, span->rect, x + i, y, line, MARKS[lasts].style);
    if (begins)
        canvas_put(span->canvas, span->rect, x, y, (unsigned char)MARKS[begins].letter,
                   MARKS[begins].style);
}

static void draw_place(const struct span *span, int y, size_t column, uint32_t unicode, char ascii,
                       enum style style)
{
    if (column < span->first || column >= span->first + span->count)
        return;
    canvas_put(span->canvas, span->rect, span_x(span, column), y,
               span->canvas->unicode ? unicode : (unsigned char)ascii, style);
}

void span_draw_events(const struct span *span, int y, bool cursor)
{
    const struct run_events *events = span->model->events;
    uint8_t begins[CANVAS_SIDE_MAX] = {0}, lasts[CANVAS_SIDE_MAX] = {0};
    struct span seen = *span;
    struct overview part = *span->overview; /* borrowed: only what is seen */
    part.columns += span->first;
    part.column_count = span->count < CANVAS_SIDE_MAX ? span->count : CANVAS_SIDE_MAX;
    seen.overview = &part;
    for (size_t i = 0; events && i < events->count; i++)
        mark_event(&seen, &events->items[i], begins, lasts);
    for (size_t i = 0; i < part.column_count; i++)
        draw_mark(span, y, span->first + i, begins[i], lasts[i]);
    if (cursor)
        draw_place(span, y, span->cursor, 0x25BC, 'v', STYLE_KEY);
}

/* ---- below ---- */

#define TICK_CELLS 12

/* So that labels of steps and times stand apart. */
static int tick_cells(const struct span *span)
{
    int cells = span->cells * ((TICK_CELLS + span->cells - 1) / span->cells);
    return span->rect.width >= 120 ? cells * 2 : cells;
}

static int end_of(const struct span *span)
{
    return (int)span->count * span->cells;
}

void span_draw_axis(const struct span *span, int y)
{
    bool unicode = span->canvas->unicode;
    for (int x = 0; x < end_of(span); x++)
        canvas_put(span->canvas, span->rect, x, y,
                   x % tick_cells(span) == 0 ? (unicode ? 0x253C : '+') : (unicode ? 0x2500 : '-'),
                   STYLE_DIM);
    for (size_t i = 0; i < span->count; i++)
        if (span_restarts_at(span->overview, span->first + i))
            draw_place(span, y, span->first + i, 'R', 'R', STYLE_WARNING);
    draw_place(span, y, span->shown, 0x25C6, '*', STYLE_VALUE);
    draw_place(span, y, span->cursor, 0x25B2, '^', STYLE_KEY);
}

typedef void say_label(const struct span *span, size_t column, bool last, struct sentence *line);

/* One at each tick, and one that ends where the columns do. */
static void draw_labels(const struct span *span, int y, say_label *say)
{
    struct sentence last, line;
    sentence_clear(&last, STYLE_DIM);
    say(span, span->first + span->count - 1, true, &last);
    int end = end_of(span), last_begin = end - sentence_columns(&last);
    last_begin = last_begin < 0 ? 0 : last_begin;
    for (int x = 0; x < end; x += tick_cells(span)) {
        sentence_clear(&line, STYLE_DIM);
        say(span, span->first + (size_t)(x / span->cells), false, &line);
        if (x + sentence_columns(&line) + 2 <= last_begin)
            sentence_draw(&line, span->canvas, span->rect, x, y);
    }
    sentence_draw(&last, span->canvas, span->rect, last_begin, y);
}

static void say_step(const struct span *span, size_t column, bool last, struct sentence *line)
{
    const struct overview *overview = span->overview;
    const struct overview_column *here = &overview->columns[column];
    char text[FORMAT_BYTES];
    if (overview->columns[overview->column_count - 1].last_attempt > 0)
        sentence_add(line, "a%d ", (last ? here->last_attempt : here->first_attempt) + 1);
    sentence_add(line, "%s", format_count(text, last ? here->last_step : here->first_step));
}

void span_draw_steps(const struct span *span, int y)
{
    draw_labels(span, y, say_step);
}

static double seen_seconds(const struct span *span)
{
    double begin = span->overview->columns[span->first].begin_s;
    return span->overview->columns[span->first + span->count - 1].begin_s - begin;
}

/* Of "2026-11-29 15:30:38Z" the day and the minute, or the second. */
static void say_time(const struct span *span, size_t column, bool last, struct sentence *line)
{
    double begin_s = span->overview->columns[column].begin_s;
    char text[FORMAT_BYTES];
    (void)last;
    if (!isfinite(begin_s) || begin_s <= 0 || begin_s > 2.5e11)
        return;
    format_moment(text, begin_s);
    if (strlen(text) < 19)
        return;
    if (seen_seconds(span) >= 86400)
        sentence_add(line, "%.11s", text + 5);
    else
        sentence_add(line, "%.8s", text + 11);
}

void span_draw_times(const struct span *span, int y)
{
    draw_labels(span, y, say_time);
}

void span_draw_legend(struct canvas *canvas, struct rect rect, int x, int y, bool ranks)
{
    static const int order[] = {MARK_STRAGGLER, MARK_SPIKE, MARK_RESTART, MARK_MISSING, MARK_GAP};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        const struct mark *mark = &MARKS[order[i]];
        if (!ranks && (order[i] == MARK_STRAGGLER || order[i] == MARK_MISSING))
            continue;
        int width = 2 + (int)strlen(mark->name);
        if (x + width > rect.width)
            return;
        canvas_put(canvas, rect, x, y, (unsigned char)mark->letter, mark->style);
        canvas_text(canvas, rect, x + 2, y, STYLE_DIM, mark->name);
        x += width + 2;
    }
    static const char *const places[] = {"cursor", "shown step"};
    static const uint32_t unicode[] = {0x25B2, 0x25C6};
    for (int i = 0; i < 2; i++) {
        int width = 2 + (int)strlen(places[i]);
        if (x + width > rect.width)
            return;
        canvas_put(canvas, rect, x, y, canvas->unicode ? unicode[i] : (unsigned char)"^*"[i],
                   i == 0 ? STYLE_KEY : STYLE_VALUE);
        canvas_text(canvas, rect, x + 2, y, STYLE_DIM, places[i]);
        x += width + 2;
    }
}

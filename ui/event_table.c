/* The columns of the table of events. */
#include "event_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARKS 2 /* cells for the cursor and for what goes on at the shown step */
#define WIDE 60 /* from so many cells on columns have two blanks before them, else one */
#define HOST_CELLS 9
#define WHO_MAX 40 /* a wide screen gives it no more */

struct column {
    const char *head;
    bool right; /* numbers end below the end of their head */
    int width;  /* at least */
};
static const struct column COLUMNS[EVENT_COLUMN_COUNT] = {
    [EVENT_WHEN] = {"time UTC", false, 8},  [EVENT_STEP] = {"step", true, 5},
    [EVENT_UNTIL] = {"until", true, 7},     [EVENT_FOR] = {"for", true, 10},
    [EVENT_WHAT] = {"what", false, 10},     [EVENT_WHO] = {"who", false, 9},
    [EVENT_PHASE] = {"phase", false, 11},   [EVENT_SIZE] = {"size", true, 10},
    [EVENT_COST] = {"GPU-hours", true, 11},
};
/* The first of them are missed most. */
static const enum event_column URGENT[EVENT_COLUMN_COUNT] = {EVENT_STEP,  EVENT_WHAT,  EVENT_WHO,
                                                             EVENT_SIZE,  EVENT_PHASE, EVENT_WHEN,
                                                             EVENT_UNTIL, EVENT_FOR,   EVENT_COST};

static int step_cells(int64_t step, bool attempts, int attempt)
{
    char text[FORMAT_BYTES], prefix[16] = "";
    if (attempts)
        snprintf(prefix, sizeof(prefix), "a%d ", attempt + 1);
    return (int)(strlen(format_count(text, step)) + strlen(prefix));
}

static int wider(int a, int b)
{
    return a > b ? a : b;
}

/* What depends on all events, so that scrolling moves no column. */
static void measure(struct event_table *table)
{
    const struct run_events *events = table->model->events;
    const struct summary *summary = table->model->summary;
    double first = NAN;
    int *step = &table->width[EVENT_STEP], *until = &table->width[EVENT_UNTIL];
    table->attempts = summary->attempts > 1;
    for (size_t i = 0; i < events->count; i++)
        table->attempts |= events->items[i].verdict.attempt > 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct run_event *event = &events->items[i];
        double day = floor(event->begin_s / 86400);
        first = isfinite(first) ? first : day;
        table->days |= isfinite(day) && day != first;
        *step = wider(
            *step, step_cells(event->verdict.from_step, table->attempts, event->verdict.attempt));
        if (event->verdict.to_step >= 0)
            *until = wider(*until, step_cells(event->verdict.to_step,
                                              event->end_attempt != event->verdict.attempt,
                                              event->end_attempt));
    }
    if (isfinite(summary->shown.begin_s) && isfinite(first))
        table->days |= floor(summary->shown.begin_s / 86400) != first;
    table->width[EVENT_WHEN] = table->days ? 14 : 8;
}

void event_table_make(struct event_table *table, const struct view_model *model, int width,
                      bool unicode)
{
    bool has[EVENT_COLUMN_COUNT] = {false};
    int gap = width >= WIDE ? 2 : 1, left = width - MARKS - (width >= WIDE), x = MARKS;
    *table = (struct event_table){.model = model, .unicode = unicode};
    for (int i = 0; i < EVENT_COLUMN_COUNT; i++)
        table->width[i] = COLUMNS[i].width;
    measure(table);
    for (int i = 0; i < EVENT_COLUMN_COUNT; i++) {
        enum event_column column = URGENT[i];
        if (column == EVENT_FOR && left >= HOST_CELLS) { /* the host of a rank comes first */
            table->width[EVENT_WHO] += HOST_CELLS;
            left -= HOST_CELLS;
        }
        int cells = table->width[column] + (i > 0 ? gap : 0);
        if (cells > left)
            break; /* what is missed less has no place before it */
        has[column] = true;
        left -= cells;
    }
    if (has[EVENT_WHO]) {
        int more =
            left < WHO_MAX - table->width[EVENT_WHO] ? left : WHO_MAX - table->width[EVENT_WHO];
        table->width[EVENT_WHO] += more;
    }
    for (int i = 0; i < EVENT_COLUMN_COUNT; i++) {
        table->width[i] = has[i] ? table->width[i] : 0;
        table->x[i] = x;
        x += has[i] ? table->width[i] + gap : 0;
    }
}

void event_table_draw_heads(const struct event_table *table, struct canvas *canvas,
                            struct rect line)
{
    for (int i = 0; i < EVENT_COLUMN_COUNT; i++) {
        const struct column *column = &COLUMNS[i];
        struct rect part = rect_part(line, table->x[i], 0, table->width[i], 1);
        const char *head =
            i == EVENT_WHEN && table->model->summary->zone_unknown ? "log time" : column->head;
        bool letter = i == EVENT_FOR || i == EVENT_SIZE || i == EVENT_COST;
        if (table->width[i] == 0)
            continue;
        if (column->right)
            canvas_text_right(canvas, part, part.width - 2 * letter, 0, STYLE_LABEL, head);
        else
            canvas_text(canvas, part, 0, 0, STYLE_LABEL, head);
    }
}

/* ---- a row ---- */

struct row {
    const struct event_table *table;
    struct canvas *canvas;
    struct rect line;
    const struct run_event *event;
    bool cursor;
};

static enum style style_of(const struct row *row, enum style style)
{
    return row->cursor ? STYLE_SELECTED : style;
}

static struct rect cell(const struct row *row, enum event_column column)
{
    return rect_part(row->line, row->table->x[column], 0, row->table->width[column], 1);
}

static void draw_number(const struct row *row, enum event_column column, const char *text,
                        enum evidence evidence)
{
    struct rect rect = cell(row, column);
    enum evidence shown = model_evidence(row->table->model, evidence);
    if (rect.width == 0)
        return;
    view_number(row->canvas, rect, rect.width, 0, style_of(row, STYLE_NORMAL), text,
                strcmp(text, "-") == 0 ? EVIDENCE_NONE : shown);
}

static void draw_step(const struct row *row, enum event_column column, int64_t step, int attempt,
                      bool prefix)
{
    struct rect rect = cell(row, column);
    char text[FORMAT_BYTES];
    format_count(text, step);
    canvas_text_right(row->canvas, rect, rect.width, 0, style_of(row, STYLE_NORMAL), text);
    if (prefix)
        canvas_printf(row->canvas, rect, rect.width - step_cells(step, true, attempt), 0,
                      style_of(row, STYLE_DIM), "a%d", attempt + 1);
}

static void draw_when(const struct row *row)
{
    char text[FORMAT_BYTES];
    double begin_s = row->event->begin_s;
    format_moment(text, begin_s > 0 && begin_s <= 2.5e11 ? begin_s : NAN);
    if (strlen(text) < 20)
        return; /* no clock told it */
    text[19] = '\0';
    canvas_text(row->canvas, cell(row, EVENT_WHEN), 0, 0, style_of(row, STYLE_NORMAL),
                text + (row->table->days ? 5 : 11));
}

static void draw_until(const struct row *row)
{
    const struct verdict *verdict = &row->event->verdict;
    struct rect rect = cell(row, EVENT_UNTIL);
    if (rect.width == 0 || event_is_moment(verdict->kind))
        return;
    if (verdict->to_step < 0)
        canvas_text_right(row->canvas, rect, rect.width, 0, style_of(row, STYLE_VALUE), "lasting");
    else
        draw_step(row, EVENT_UNTIL, verdict->to_step, row->event->end_attempt,
                  row->event->end_attempt != verdict->attempt);
}

static enum style what_style(const struct verdict *verdict)
{
    return verdict_kind_is_slow(verdict->kind)                                    ? STYLE_STRAGGLER
           : verdict->kind == VERDICT_MISSING || verdict->kind == VERDICT_RESTART ? STYLE_WARNING
                                                                                  : STYLE_VALUE;
}

static void draw_words(const struct row *row)
{
    const struct verdict *verdict = &row->event->verdict;
    struct sentence who;
    sentence_clear(&who, style_of(row, STYLE_NORMAL));
    event_add_who(&who, row->table->model->summary, verdict, true);
    if (sentence_columns(&who) > row->table->width[EVENT_WHO]) {
        sentence_clear(&who, style_of(row, STYLE_NORMAL));
        event_add_who(&who, row->table->model->summary, verdict, false);
    }
    sentence_draw(&who, row->canvas, cell(row, EVENT_WHO), 0, 0);
    canvas_text(row->canvas, cell(row, EVENT_WHAT), 0, 0, style_of(row, what_style(verdict)),
                event_name(verdict));
    canvas_text(row->canvas, cell(row, EVENT_PHASE), 0, 0, style_of(row, STYLE_NORMAL),
                event_phase(verdict));
}

/* In the first cells: the cursor; that it begins at the shown step, or goes on there. */
static void draw_marks(const struct row *row)
{
    const struct summary_step *shown = &row->table->model->summary->shown;
    const struct verdict *verdict = &row->event->verdict;
    uint32_t mark = ' ';
    if (row->cursor)
        canvas_put(row->canvas, row->line, 0, 0, '>', STYLE_SELECTED);
    if (!shown->known || !event_lasts_at(row->event, shown->attempt, shown->step))
        return;
    if (verdict->attempt == shown->attempt && verdict->from_step == shown->step)
        mark = row->canvas->unicode ? 0x25CF : '*';
    else
        mark = row->canvas->unicode ? 0x2502 : '|';
    canvas_put(row->canvas, row->line, 1, 0, mark, style_of(row, STYLE_VALUE));
}

void event_table_draw(const struct event_table *table, struct canvas *canvas, struct rect line,
                      const struct run_event *event, bool cursor)
{
    struct row row = {table, canvas, line, event, cursor};
    const struct verdict *verdict = &event->verdict;
    char text[FORMAT_BYTES];
    enum evidence evidence;
    if (cursor)
        canvas_fill(canvas, line, ' ', STYLE_SELECTED);
    draw_marks(&row);
    draw_when(&row);
    draw_step(&row, EVENT_STEP, verdict->from_step, verdict->attempt, table->attempts);
    draw_until(&row);
    draw_words(&row);
    if (!event_is_moment(verdict->kind))
        draw_number(&row, EVENT_FOR, format_duration(text, event_lasted_s(event), canvas->unicode),
                    verdict_time_evidence(verdict));
    event_size(text, event, canvas->unicode, &evidence);
    draw_number(&row, EVENT_SIZE, text, evidence);
    if (verdict_kind_is_slow(verdict->kind))
        draw_number(&row, EVENT_COST, event_gpu_hours(text, verdict), EVIDENCE_COMPUTED);
}

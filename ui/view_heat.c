/* The heat map: ranks by steps, the slow ones stand out. */
#include "view_heat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "memory.h"
#include "span.h"
#include "view.h"

#define ROW_LINES_MAX 4 /* of one row, when there are few */
#define WIDE_LABEL 20   /* cells: with the host beside the rank */
#define TITLE_WIDE 90   /* cells: with the signs beside the words, where they have no line */

/* ---- where ---- */

struct heat_lines heat_lines_make(int height)
{
    struct heat_lines lines = {.title = height >= 5,
                               .events = height >= 7,
                               .axis = height >= 14,
                               .steps = height >= 4,
                               .cursor = height >= 17 ? 2 : height >= 3,
                               .legend = height >= 16 ? 2 : height >= 9};
    lines.rows = height - lines.title - lines.events - lines.axis - lines.steps - lines.cursor -
                 lines.legend;
    lines.rows = lines.rows < 0 ? 0 : lines.rows;
    return lines;
}

static int label_cells(int width)
{
    return width < 30 ? 6 : width < 60 ? 11 : width < 120 ? 14 : WIDE_LABEL;
}

static struct rect plot_of(struct rect rect)
{
    int label = label_cells(rect.width);
    return rect_part(rect, label, 0, rect.width - label - 1, rect.height);
}

struct overview_request view_heat_wants(int width, int height, const struct view_model *model)
{
    (void)height;
    struct overview_request request =
        span_wants(&model->heat, plot_of((struct rect){0, 0, width, 1}).width);
    request.heat = true;
    request.worst = model->heat.worst;
    return request;
}

int view_heat_rows(int height)
{
    return heat_lines_make(height).rows;
}

void heat_rows_of(struct heat_rows *rows, const struct view_model *model, int room)
{
    struct heat_rows_want want = {.by = (enum heat_by)model->heat.blocks,
                                  .room = (size_t)(room < 1 ? 1 : room),
                                  .filter = model->filter,
                                  .slowest_first = model->heat.slowest_first};
    heat_rows_make(rows, model->overview, &want);
}

size_t heat_first_row(const struct heat_rows *rows, const struct span_view *view, int room)
{
    size_t seen = (size_t)(room < 1 ? 1 : room);
    size_t last = rows->count > seen ? rows->count - seen : 0;
    size_t first = view->rank_scroll < 0 ? 0 : (size_t)view->rank_scroll;
    size_t cursor = view->rank_cursor < 0 ? first : (size_t)view->rank_cursor;
    cursor = cursor < rows->count ? cursor : rows->count > 0 ? rows->count - 1 : 0;
    first = cursor < first ? cursor : cursor >= first + seen ? cursor - seen + 1 : first;
    return first < last ? first : last;
}

/* ---- the cells ---- */

struct heat_page {
    struct span span;
    struct rect rect;
    const struct view_model *model;
    struct heat_rows rows;
    size_t first, seen; /* rows */
    size_t cursor;      /* row, or SIZE_MAX */
    int tall;           /* lines of a row */
    uint16_t *worst;    /* of the rows that are seen, owned */
    bool any;           /* has any of them a slowdown? */
};

/* A restart goes through the cells in which there is nothing to be seen. */
static void draw_cell(const struct heat_page *page, int y, size_t row, size_t column)
{
    const struct span *span = &page->span;
    const struct canvas *canvas = span->canvas;
    uint16_t heat = page->worst[(row - page->first) * span->overview->column_count + column];
    bool none = heat == HEAT_NONE;
    uint32_t code = none ? ' ' : heat_glyph(heat_level(heat), canvas->unicode);
    bool selected = row == page->cursor && column == span->cursor;
    enum style style = none ? STYLE_NORMAL : heat_style(heat_level(heat));
    bool restart =
        (none || heat_level(heat) == HEAT_LEVEL_MEDIAN) && span_restarts_at(span->overview, column);
    for (int line = 0; line < page->tall; line++) {
        for (int i = 0; i < span->cells; i++)
            canvas_put(span->canvas, span->rect, span_x(span, column) + i, y + line, code,
                       selected ? STYLE_SELECTED : style);
        if (restart)
            canvas_put(span->canvas, span->rect, span_x(span, column), y + line,
                       canvas->unicode ? 0x2506 : '|', selected ? STYLE_SELECTED : STYLE_WARNING);
    }
}

static void draw_rows(const struct heat_page *page, int y)
{
    const struct span *span = &page->span;
    int label = label_cells(page->rect.width);
    for (size_t row = page->first; row < page->first + page->seen; row++) {
        char text[HEAT_LABEL_BYTES];
        bool selected = row == page->cursor;
        heat_rows_label(&page->rows, span->overview, row, text);
        if (label >= WIDE_LABEL && page->rows.by == HEAT_BY_RANK) {
            const char *host = span->overview->ranks[page->rows.items[row].first].host;
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "  %s", host);
        }
        canvas_put(span->canvas, page->rect, 0, y, selected ? '>' : ' ', STYLE_KEY);
        canvas_text(span->canvas, rect_part(page->rect, 1, y, label - 2, 1), 0, 0,
                    selected ? STYLE_VALUE : STYLE_NORMAL, text);
        for (size_t i = 0; i < span->count; i++)
            draw_cell(page, y, row, span->first + i);
        y += page->tall;
    }
}

/* ---- in words ---- */

static void say_rows(struct sentence *line, const struct heat_page *page, bool brief)
{
    const struct heat_rows *rows = &page->rows;
    char text[FORMAT_BYTES];
    if (rows->by == HEAT_BY_RANK)
        sentence_add(line, "  %s", format_counted(text, (int64_t)rows->count, "rank"));
    else if (rows->by == HEAT_BY_BLOCK)
        sentence_add(line, brief ? "  blocks of %s" : "  worst of each %s",
                     format_counted(text, (int64_t)rows->block, "rank"));
    else
        sentence_add(line, brief ? "  %s" : "  worst rank of %s",
                     format_counted(text, (int64_t)rows->count,
                                    rows->by == HEAT_BY_HOST ? "host" : "group"));
    if (page->seen < rows->count)
        sentence_add(line, ", row %zu-%zu", page->first + 1, page->first + page->seen);
}

static void say_title(struct sentence *line, const struct heat_page *page, bool brief)
{
    const struct view_model *model = page->model;
    sentence_clear(line, STYLE_LABEL);
    sentence_add(line, brief ? "slowdown" : "own time / median");
    sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    bool one = span_widest(page->span.overview) <= 1;
    sentence_add(line, one ? ", " : model->heat.worst ? ", worst of " : ", mean of ");
    span_say_width(line, page->span.overview);
    say_rows(line, page, brief);
    if (model->heat.slowest_first)
        sentence_add(line, brief ? "" : ", slowest first");
    if (model->filter[0] && !brief) {
        sentence_add(line, "  only ");
        sentence_add_raw(line, model->filter);
    }
}

/* Where there is no line for it: the signs are explained beside a word. */
static void draw_ramp_title(const struct heat_page *page, int y)
{
    struct sentence title;
    int width = page->rect.width - 2;
    bool zoomed = page->model->heat.positions > 0;
    sentence_clear(&title, STYLE_LABEL);
    sentence_add(&title, width < 38 ? "" : zoomed ? "slow" : "slowdown");
    if (title.text[0])
        sentence_evidence(&title, model_evidence(page->model, EVIDENCE_COMPUTED));
    struct rect line = rect_part(page->rect, 1, y, width, 1);
    int x = sentence_draw(&title, page->span.canvas, line, 0, 0);
    x += x > 0 ? 2 : 0;
    heat_ramp_draw(page->span.canvas, line, x, 0, true);
    if (zoomed)
        canvas_text(page->span.canvas, line, x + HEAT_RAMP_TIGHT + 2, 0, STYLE_WARNING, "0: all");
}

/* That it is zoomed is said, whatever else has to go. */
static void draw_title(const struct heat_page *page, int y, bool ramp)
{
    struct sentence title, zoom;
    int width = page->rect.width - 2 - (ramp ? HEAT_RAMP_TIGHT + 2 : 0);
    if (ramp)
        heat_ramp_draw(page->span.canvas, page->rect, width + 3, y, true);
    sentence_clear(&zoom, STYLE_WARNING);
    span_say_zoom(&zoom, &page->model->heat);
    int room = width - sentence_columns(&zoom);
    say_title(&title, page, false);
    if (sentence_columns(&title) > room)
        say_title(&title, page, true);
    sentence_draw(&title, page->span.canvas, rect_part(page->rect, 1, y, room, 1), 0, 0);
    sentence_draw(&zoom, page->span.canvas, rect_part(page->rect, 1 + room, y, width - room, 1), 0,
                  0);
}

static void say_rank(struct sentence *line, const struct heat_page *page, size_t rank, bool brief)
{
    const struct overview_rank *who = &page->span.overview->ranks[rank];
    double slowdown = overview_slowdown(page->span.overview, rank, page->span.cursor);
    char text[FORMAT_BYTES];
    bool chosen = page->cursor != SIZE_MAX;
    bool alone = chosen && page->rows.items[page->cursor].ranks == 1;
    sentence_add(line, "%srank %u", alone || brief || !isfinite(slowdown) ? "" : "worst ",
                 who->rank);
    if (who->host[0] && !brief) {
        sentence_add(line, " on ");
        sentence_add_raw(line, who->host);
    }
    if (!isfinite(slowdown)) {
        sentence_add(line, ": no record, or no own time");
        return;
    }
    sentence_add(line, " %s", format_difference(text, slowdown - 1));
    sentence_evidence(line, model_evidence(page->model, EVIDENCE_COMPUTED));
    const struct overview_column *column = &page->span.overview->columns[page->span.cursor];
    if (!brief && column->positions > 1)
        sentence_add(line, page->model->heat.worst ? " at worst" : " mean");
}

/* Who, and how slow. */
static void say_who(struct sentence *line, const struct heat_page *page, bool brief)
{
    const struct span *span = &page->span;
    uint32_t row = page->cursor == SIZE_MAX ? HEAT_NO_ROW : (uint32_t)page->cursor;
    size_t rank = heat_rows_worst_rank(&page->rows, span->overview, row, span->cursor);
    char label[HEAT_LABEL_BYTES];
    if (rank == SIZE_MAX)
        return;
    if (page->cursor != SIZE_MAX && page->rows.items[page->cursor].ranks > 1) {
        heat_rows_label(&page->rows, span->overview, page->cursor, label);
        sentence_add_raw(line, label);
        sentence_add(line, ": ");
    }
    say_rank(line, page, rank, brief);
    sentence_add(line, "  ");
}

static void draw_cursor(const struct heat_page *page, int y, int lines)
{
    struct rect rect = rect_part(page->rect, 1, y, page->rect.width - 2, lines);
    const struct span *span = &page->span;
    struct sentence line;
    if (span->cursor == SPAN_NOWHERE) {
        span_say_nowhere(span, rect);
        return;
    }
    for (int wording = lines < 2; wording < 3; wording++) {
        sentence_clear(&line, STYLE_NORMAL);
        say_who(&line, page, wording > 0);
        span_say_steps(&line, span->overview, span->cursor, wording > 0);
        if (wording > 0)
            span_say_time(&line, page->model, span->cursor,
                          wording < 2 ? SPAN_TIME_BRIEF : SPAN_TIME_ALONE, span->canvas->unicode);
        if (sentence_columns(&line) <= rect.width)
            break;
    }
    sentence_draw_wrapped(&line, span->canvas, rect_part(rect, 0, 0, rect.width, 1), 0);
    if (lines < 2)
        return;
    sentence_clear(&line, STYLE_NORMAL);
    span_say_time(&line, page->model, span->cursor, SPAN_TIME_FULL, span->canvas->unicode);
    span_say_wait(&line, page->model, span->cursor);
    span_say_moment(&line, &span->overview->columns[span->cursor], page->model->summary);
    sentence_draw(&line, span->canvas, rect, -2, 1); /* each begins with two blanks */
}

/* ---- the page ---- */

static void say_nothing(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, model->summary->shown.known
                            ? "Heat map: the run's course is being read."
                            : "Heat map: ranks by steps, the slow ones stand out. No step is whole "
                              "yet.");
    sentence_draw_wrapped(&line, canvas, rect_part(rect, 1, 0, rect.width - 2, rect.height), 0);
}

/* All cells blank: that is no picture of a run in which nobody is slow. */
static void say_blank(const struct heat_page *page, int y)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    if (page->rows.ranks == 0)
        sentence_add(&line, "No rank matches.");
    else if (!page->span.overview->slowdown)
        sentence_add(&line, "Being read.");
    else
        sentence_add(&line, "Who is slow is not known: these records hold no own time, or one "
                            "rank alone. Phases, or \"compute\", would tell.");
    /* Below the rows is the axis. */
    int lines = page->seen > 0 ? (int)page->seen * page->tall : page->rect.height;
    struct rect rect = rect_part(page->span.rect, 0, y, page->span.rect.width, lines);
    if (sentence_columns(&line) > rect.width * lines * 4 / 5) {
        sentence_clear(&line, STYLE_NORMAL);
        sentence_add(&line, "No own time: nobody is known to be slow.");
    }
    sentence_draw_wrapped(&line, page->span.canvas, rect, 0);
}

static void make_rows(struct heat_page *page, int room)
{
    const struct overview *overview = page->span.overview;
    const struct span_view *view = &page->model->heat;
    heat_rows_of(&page->rows, page->model, room);
    page->first = heat_first_row(&page->rows, view, room);
    size_t left = page->rows.count - page->first, most = (size_t)room;
    page->seen = left < most ? left : most;
    page->cursor = SIZE_MAX;
    if (view->rank_cursor >= 0 && page->rows.count > 0)
        page->cursor = (size_t)view->rank_cursor < page->rows.count ? (size_t)view->rank_cursor
                                                                    : page->rows.count - 1;
    int tall = page->seen > 0 ? room / (int)page->seen : 1;
    page->tall = tall > ROW_LINES_MAX ? ROW_LINES_MAX : tall < 1 ? 1 : tall;
    page->worst = memory_zeroed(page->seen * overview->column_count + 1, sizeof(*page->worst));
    heat_rows_worst(&page->rows, overview, page->first, page->seen, page->worst);
    for (size_t i = 0; i < page->seen * overview->column_count && !page->any; i++)
        page->any = page->worst[i] != HEAT_NONE;
}

static void draw_page(struct heat_page *page, const struct heat_lines *lines)
{
    struct canvas *canvas = page->span.canvas;
    int y = 0;
    if (lines->title && page->rect.width < TITLE_WIDE && lines->legend == 0)
        draw_ramp_title(page, y++);
    else if (lines->title)
        draw_title(page, y++, lines->legend == 0);
    if (lines->events) {
        canvas_text(canvas, rect_part(page->rect, 1, y, page->span.rect.x - page->rect.x - 2, 1), 0,
                    0, STYLE_DIM, "events");
        span_draw_events(&page->span, y++, lines->axis == 0);
    }
    draw_rows(page, y);
    if (!page->any)
        say_blank(page, y);
    int used = (int)page->seen * page->tall, said = lines->rows < 4 ? lines->rows : 4;
    y += page->any || used > said ? used : said;
    if (lines->axis)
        span_draw_axis(&page->span, y++);
    if (lines->steps) {
        canvas_text(canvas, rect_part(page->rect, 1, y, page->span.rect.x - page->rect.x - 2, 1), 0,
                    0, STYLE_DIM, "step");
        span_draw_steps(&page->span, y++);
    }
    draw_cursor(page, y, lines->cursor);
    y += lines->cursor;
    if (lines->legend > 1)
        span_draw_legend(canvas, page->rect, 1, y++, true);
    if (lines->legend)
        heat_ramp_draw(canvas, page->rect, 1, y, false);
}

void view_heat(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct heat_page page = {.rect = rect, .model = model};
    if (!span_begin(&page.span, canvas, plot_of(rect), model, &model->heat)) {
        say_nothing(canvas, rect, model);
        return;
    }
    struct heat_lines lines = heat_lines_make(rect.height);
    make_rows(&page, lines.rows);
    draw_page(&page, &lines);
    free(page.worst);
    heat_rows_done(&page.rows);
}

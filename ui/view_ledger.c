/* Where the GPU time goes, as a waterfall: Figure 1.4, measured. */
#include "view.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cost_lines.h"
#include "format.h"
#include "job_lines.h"
#include "ledger_lines.h"
#include "ledger_rows.h"
#include "marks.h"

#define FULL 0x2588
#define LEFT_HALF 0x258C
#define RIGHT_HALF 0x2590
#define TICK 0x2502

#define SHARE_CELLS 10 /* " 100.00% c" */
#define HOURS_CELLS 10 /* "   62.0 k c" */
#define BAR_LEAST 8
#define LEAST_PARTS 4

/* Where one ledger stands in a row, in cells of it; width 0: not shown. */
struct place {
    int share, hours; /* right edges */
    int bar, bar_width;
};

struct page {
    struct canvas *canvas;
    struct rect rect; /* of the text: without margins */
    const struct view_model *model;
    const struct ledger *ledgers[LEDGER_COLUMNS];
    const char *titles[LEDGER_COLUMNS];
    int label; /* cells of the names */
    struct place places[LEDGER_COLUMNS];
    int height; /* lines that can be seen */
    int tall;   /* lines of a row */
    int gap;    /* lines between what stands below the rows */
    int y;      /* the next line */
};

/* ---- which columns ---- */

static bool exists(const struct ledger *ledger)
{
    return ledger->wall_s > 0;
}

/* The window first: it says how the job runs now. Alone where it is all there is. */
static void choose_ledgers(struct page *page)
{
    const struct summary *summary = page->model->summary;
    bool window = exists(&summary->ledger_window), span = exists(&summary->ledger);
    bool alike = window && span && summary->ledger.steps <= summary->ledger_window.steps;
    if (window && !alike)
        page->ledgers[0] = &summary->ledger_window;
    if (span)
        page->ledgers[page->ledgers[0] ? 1 : 0] = &summary->ledger;
    else if (window)
        page->ledgers[0] = &summary->ledger_window;
}

static void place_one(struct page *page, int width)
{
    page->label = width >= 60 ? 24 : width >= 38 ? 18 : width > 26 ? width - 20 : width - 10;
    page->label = page->label < 0 ? 0 : page->label;
    struct place *place = &page->places[0];
    int x = page->label + SHARE_CELLS;
    place->share = x;
    if (width >= 60)
        place->hours = x += HOURS_CELLS;
    place->bar = x + 1;
    place->bar_width = width - place->bar >= BAR_LEAST ? width - place->bar : 0;
}

/* A waterfall for the first, figures for the second. */
static void place_beside(struct page *page, int width)
{
    page->label = 22;
    struct place *one = &page->places[0], *other = &page->places[1];
    one->share = page->label + SHARE_CELLS;
    other->hours = width;
    other->share = width - HOURS_CELLS;
    one->bar = one->share + 1;
    one->bar_width = other->share - SHARE_CELLS - one->bar;
}

static void place_two(struct page *page, int width)
{
    page->label = 24;
    int half = (width - page->label - 2) / 2;
    for (int i = 0; i < LEDGER_COLUMNS; i++) {
        struct place *place = &page->places[i];
        place->share = page->label + i * (half + 2) + SHARE_CELLS;
        place->hours = place->share + HOURS_CELLS;
        place->bar = place->hours + 1;
        place->bar_width = half - SHARE_CELLS - HOURS_CELLS - 1;
    }
}

static void place_columns(struct page *page)
{
    int width = page->rect.width;
    if (page->ledgers[1] && width >= 116)
        place_two(page, width);
    else if (page->ledgers[1] && width >= 72)
        place_beside(page, width);
    else
        place_one(page, width);
}

/* ---- one row ---- */

static enum style part_style(enum ledger_part part)
{
    static const enum style styles[LEDGER_COUNT] = {
        [LEDGER_ARITHMETIC] = STYLE_GOOD,      [LEDGER_RECOMPUTE] = STYLE_BACKWARD,
        [LEDGER_KERNELS] = STYLE_OWN,          [LEDGER_INPUT] = STYLE_DATA,
        [LEDGER_JITTER] = STYLE_NORMAL,        [LEDGER_STRAGGLERS] = STYLE_STRAGGLER,
        [LEDGER_EXCHANGE] = STYLE_SYNC,        [LEDGER_GAPS] = STYLE_NORMAL,
        [LEDGER_CHECKPOINT] = STYLE_OPTIMIZER, [LEDGER_VALIDATION] = STYLE_OPTIMIZER,
        [LEDGER_DOWNTIME] = STYLE_WARNING,     [LEDGER_LOST_WORK] = STYLE_WARNING,
    };
    return part < LEDGER_COUNT ? styles[part] : STYLE_NORMAL;
}

/* From `from` to `to` of LEDGER_WHOLE, to half a cell; never so thin that it cannot
 * be seen. */
static void draw_segment(const struct page *page, const struct place *place, int64_t from,
                         int64_t to, enum style style)
{
    int halves = 2 * place->bar_width;
    int begin = (int)((from * halves + LEDGER_WHOLE / 2) / LEDGER_WHOLE);
    int end = (int)((to * halves + LEDGER_WHOLE / 2) / LEDGER_WHOLE);
    if (end <= begin && to > from) {
        begin = begin < halves ? begin : halves - 1;
        end = begin + 1;
    }
    for (int i = begin / 2; begin < end && i < (end + 1) / 2; i++) {
        bool left = 2 * i >= begin, right = 2 * i + 1 < end;
        uint32_t code = left && right ? FULL : left ? LEFT_HALF : RIGHT_HALF;
        for (int line = 0; line < page->tall; line++)
            canvas_put(page->canvas, page->rect, place->bar + i, page->y + line,
                       page->canvas->unicode ? code : '#', style);
    }
}

static void draw_hours(const struct page *page, const struct place *place,
                       const struct ledger *ledger, int64_t units, enum evidence evidence)
{
    char text[FORMAT_BYTES];
    if (place->hours > 0)
        view_number(
            page->canvas, page->rect, place->hours, page->y, STYLE_NORMAL,
            ledger_hours_text(text, ledger_gpu_hours(ledger, units)),
            model_evidence(page->model, job_hours_evidence(page->model->summary, evidence)));
}

static void draw_cell(const struct page *page, int column, const struct ledger_row *row)
{
    const struct place *place = &page->places[column];
    const struct ledger_cell *cell = &row->cells[column];
    enum style style = part_style(row->part);
    char text[LEDGER_SHARE_BYTES];
    if (cell->evidence == EVIDENCE_NONE) {
        canvas_text_right(page->canvas, page->rect, place->share - 2, page->y, STYLE_DIM, "-");
        return;
    }
    view_number(page->canvas, page->rect, place->share, page->y,
                row->part == LEDGER_ARITHMETIC ? STYLE_VALUE : STYLE_NORMAL,
                ledger_share_text(text, cell->units), model_evidence(page->model, cell->evidence));
    draw_hours(page, place, page->ledgers[column], cell->units, cell->evidence);
    draw_segment(page, place, cell->from, cell->from + cell->units, style);
}

static void draw_label(const struct page *page, enum style style, const char *text)
{
    canvas_text(page->canvas, rect_part(page->rect, 0, page->y, page->label, 1), 0, 0, style, text);
}

static void draw_row(struct page *page, const struct ledger_row *row)
{
    char text[FORMAT_BYTES];
    if (row->part < LEDGER_COUNT)
        snprintf(text, sizeof(text), "%s",
                 (int)strlen(ledger_row_title(page->ledgers, row->part)) < page->label
                     ? ledger_row_title(page->ledgers, row->part)
                     : ledger_part_name(row->part));
    else
        snprintf(text, sizeof(text), "%d smaller parts", row->parts);
    draw_label(page, row->part == LEDGER_ARITHMETIC ? STYLE_VALUE : STYLE_NORMAL, text);
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        if (page->ledgers[i] && page->places[i].share > 0)
            draw_cell(page, i, row);
    page->y += page->tall;
}

/* ---- above and below the rows ---- */

static void title_of(const struct page *page, int column, char out[FORMAT_BYTES])
{
    const struct summary *summary = page->model->summary;
    const struct ledger *ledger = page->ledgers[column];
    char text[FORMAT_BYTES];
    bool last = ledger == &summary->ledger_window;
    snprintf(out, FORMAT_BYTES, "%s%.40s", last ? "last " : "all ",
             format_counted(text, ledger->steps, "step"));
}

static void draw_column_title(const struct page *page, int column)
{
    const struct place *place = &page->places[column];
    char title[FORMAT_BYTES];
    title_of(page, column, title);
    if (place->hours > 0)
        canvas_text_right(page->canvas, page->rect, place->hours - 2, page->y, STYLE_LABEL,
                          "GPU-h");
    int right = place->bar_width > 0 ? place->bar + place->bar_width : place->share;
    if (place->bar_width >= (int)strlen(title))
        canvas_text(page->canvas, page->rect, place->bar, page->y, STYLE_LABEL, title);
    else
        canvas_text_right(page->canvas, page->rect, right, page->y, STYLE_LABEL,
                          column == 0 ? title : "all steps");
}

static void draw_titles(struct page *page)
{
    bool gpus = page->ledgers[0]->gpus > 0;
    draw_label(page, STYLE_TITLE,
               !gpus               ? page->label >= 20 ? "where the time goes" : "time goes to"
               : page->label >= 24 ? "where the GPU time goes"
               : page->label >= 20 ? "where GPU time goes"
               : page->label >= 16 ? "GPU time goes to"
                                   : "");
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        if (page->ledgers[i] && page->places[i].share > 0)
            draw_column_title(page, i);
    page->y++;
}

/* The evidence of the time that is divided: that of the steps. */
static enum evidence wall_evidence(const struct summary *summary)
{
    struct quantity time = quantity_known(summary->window_step_time_s) ? summary->window_step_time_s
                                                                       : summary->step_time_mean_s;
    return quantity_known(time) ? time.evidence : EVIDENCE_COMPUTED;
}

static void draw_bought(struct page *page)
{
    enum evidence evidence = wall_evidence(page->model->summary);
    bool gpus = page->ledgers[0]->gpus > 0;
    draw_label(page, STYLE_NORMAL,
               page->label < 16 ? gpus ? "bought" : "all"
               : gpus           ? "bought GPU time"
                                : "wall-clock time");
    for (int i = 0; i < LEDGER_COLUMNS; i++) {
        const struct place *place = &page->places[i];
        if (!page->ledgers[i] || place->share == 0)
            continue;
        view_number(page->canvas, page->rect, place->share, page->y, STYLE_NORMAL, "100.00%",
                    model_evidence(page->model, evidence));
        draw_hours(page, place, page->ledgers[i], LEDGER_WHOLE, evidence);
        draw_segment(page, place, 0, LEDGER_WHOLE, STYLE_DIM);
    }
    page->y += page->tall;
}

static void draw_axis(struct page *page)
{
    for (int i = 0; i < LEDGER_COLUMNS; i++) {
        const struct place *place = &page->places[i];
        if (!page->ledgers[i] || place->bar_width < BAR_LEAST)
            continue;
        struct rect bar = rect_part(page->rect, place->bar, page->y, place->bar_width, 1);
        canvas_text(page->canvas, bar, 0, 0, STYLE_DIM, "0");
        for (int percent = 25; percent < 100 && bar.width >= 24; percent += 25)
            canvas_printf(page->canvas, bar, bar.width * percent / 100 - 1, 0, STYLE_DIM, "%d",
                          percent);
        canvas_text_right(page->canvas, bar, bar.width, 0, STYLE_DIM, "100%");
    }
    page->y++;
}

static void draw_line(struct page *page, const struct sentence *line)
{
    page->y += sentence_draw_wrapped(line, page->canvas, page->rect, page->y);
}

/* Where not all ranks are known: whose time it is, above it. */
static void draw_scale(struct page *page)
{
    struct sentence line;
    sentence_clear(&line, STYLE_WARNING);
    sentence_add(&line, "of ");
    if (job_add_scale(&line, page->model->summary))
        draw_line(page, &line);
}

static void draw_facts(struct page *page, const struct ledger *ledger)
{
    struct sentence line, unknown[LEDGER_UNKNOWN_MAX];
    ledger_line_effective(page->model, &line);
    draw_line(page, &line);
    int count = ledger_lines_unknown(page->model, ledger, unknown, LEDGER_UNKNOWN_MAX);
    for (int i = 0; i < count; i++)
        draw_line(page, &unknown[i]);
    if (quantity_known(page->model->summary->mfu)) {
        ledger_line_utilization(page->model, &line);
        draw_line(page, &line);
    }
    if (cost_waiting_line(page->model, page->rect.width, &line))
        draw_line(page, &line);
    if (cost_between_line(page->model, &line))
        draw_line(page, &line);
    if (ledger_line_gaps(ledger, &line))
        draw_line(page, &line);
}

/* A tick on the axis of the waterfall, and how large that run was beside it. */
static void draw_tick(const struct page *page, const struct place *place, double share,
                      const char *text)
{
    if (place->bar_width < BAR_LEAST || !(share >= 0 && share <= 1))
        return;
    int x = (int)(share * place->bar_width);
    x = x < place->bar_width ? x : place->bar_width - 1;
    struct rect bar = rect_part(page->rect, place->bar, page->y, place->bar_width, 1);
    int length = (int)strlen(text);
    canvas_put(page->canvas, bar, x, 0, page->canvas->unicode ? TICK : '|', STYLE_VALUE);
    if (length + 2 <= bar.width - x)
        canvas_text(page->canvas, bar, x + 2, 0, STYLE_DIM, text);
    else if (length + 1 <= x)
        canvas_text_right(page->canvas, bar, x - 1, 0, STYLE_DIM, text);
}

static void draw_mark(struct page *page, const struct mark *mark)
{
    const struct place *place = &page->places[0];
    char text[FORMAT_BYTES], scale[FORMAT_BYTES];
    snprintf(scale, sizeof(scale), "%s%s%s", isfinite(mark->mfu) ? "" : mark_share_name(mark),
             isfinite(mark->mfu) ? "" : ", ", mark->scale);
    draw_label(page, STYLE_DIM, mark->name);
    view_number(page->canvas, page->rect, place->share, page->y, STYLE_NORMAL,
                format_share(text, mark_share(mark)), MARKS_EVIDENCE);
    draw_tick(page, place, mark_share(mark), scale);
    page->y++;
}

static void draw_marks(struct page *page)
{
    struct sentence line;
    size_t count;
    const struct mark *all = marks(&count);
    if (!ledger_line_nearest(page->model, &line))
        sentence_add(&line, "reported runs, MFU:");
    draw_line(page, &line);
    page->y += page->gap;
    for (size_t i = 0; i < count; i++)
        draw_mark(page, &all[i]);
}

/* ---- the page ---- */

/* Parts that fit above a line of facts and the axis; at least a few: the rest can be scrolled. */
static int room_for_parts(const struct page *page, int scale_lines)
{
    int above = 2 + scale_lines, below = page->height >= 12 ? 2 : page->height >= 8;
    int room = page->height - above - below;
    return room < LEAST_PARTS ? LEAST_PARTS : room;
}

static void draw_page(struct page *page)
{
    struct ledger_row rows[LEDGER_COUNT];
    bool all = page->height >= LEDGER_COUNT + 4;
    const struct ledger *shown[LEDGER_COLUMNS] = {
        page->ledgers[0], page->places[1].share > 0 ? page->ledgers[1] : NULL};
    int begin = page->y;
    draw_scale(page);
    int scale_lines = page->y - begin;
    draw_titles(page);
    draw_bought(page);
    int count = ledger_rows(shown, room_for_parts(page, scale_lines), all, rows);
    for (int i = 0; i < count; i++)
        draw_row(page, &rows[i]);
    if (page->places[0].bar_width >= BAR_LEAST && page->height >= 12)
        draw_axis(page);
    page->y += page->gap;
    draw_facts(page, page->ledgers[0]);
    draw_marks(page);
}

static void draw_nothing(struct page *page)
{
    struct sentence line;
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, page->model->summary->shown.known
                            ? "Where the GPU time goes is not known: the steps of this log have no "
                              "duration that could be divided."
                            : "Where the GPU time goes: not known before two steps are whole.");
    draw_line(page, &line);
}

static struct rect inner(struct rect rect)
{
    int margin = rect.width < 48 ? 0 : 1;
    return rect_part(rect, margin, 0, rect.width - 2 * margin, rect.height);
}

void view_ledger(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct page page = {.canvas = canvas, .model = model, .rect = inner(rect)};
    if (page.rect.height < 1 || page.rect.width < 1)
        return;
    page.height = page.rect.height;
    choose_ledgers(&page);
    if (!page.ledgers[0]) {
        draw_nothing(&page);
        return;
    }
    place_columns(&page);
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        if (page.ledgers[i] && !(page.ledgers[i]->gpus > 0))
            page.places[i].hours = 0; /* of how many GPUs nobody knows */
    page.tall = 1;
    struct page whole = page; /* drawn beyond the canvas, to know how long it is */
    whole.rect.y = canvas->height;
    whole.rect.height = INT_MAX / 2;
    draw_page(&whole);
    int most = whole.y > page.height ? whole.y - page.height : 0;
    page.gap = whole.y + 2 <= page.height;
    int spare = page.height - whole.y - 2, rows = LEDGER_COUNT + 1;
    page.tall += spare >= 2 * rows ? 2 : spare >= rows;
    page.y = -(model->page_scroll < most ? model->page_scroll : most);
    draw_page(&page);
}

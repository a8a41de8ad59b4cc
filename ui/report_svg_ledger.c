/* Where the GPU time goes: one bar of shares, and the list of them. */
#include "report_svg.h"

#include <math.h>
#include <string.h>

#include "job_lines.h"
#include "ledger_lines.h"
#include "ledger_rows.h"

#define BAR_HIGH 44.0
#define NUMBER_ROOM 18.0 /* a number in a segment */
#define SHARE_ROOM 62.0
#define ROW_HIGH 20.0
#define SWATCH 14.0

struct waterfall {
    struct figure *figure;
    const struct ledger *ledgers[LEDGER_COLUMNS];
    struct ledger_row rows[LEDGER_COUNT];
    int count;
};

/* The bar begins with the arithmetic: rows come from the top of a waterfall. */
static const struct ledger_row *row_at(const struct waterfall *waterfall, int from_left)
{
    return &waterfall->rows[waterfall->count - 1 - from_left];
}

static const char *css_of(char out[FORMAT_BYTES], const struct ledger_row *row)
{
    snprintf(out, FORMAT_BYTES, "ls-p%d", (int)row->part);
    return out;
}

/* ---- the bar ---- */

static void put_bar(const struct waterfall *waterfall, double y)
{
    const struct figure *figure = waterfall->figure;
    double left = FIGURE_MARGIN, width = figure->width - 2 * FIGURE_MARGIN;
    for (int i = 0; i < waterfall->count; i++) {
        const struct ledger_row *row = row_at(waterfall, i);
        double x = left + width * (double)row->cells[0].from / LEDGER_WHOLE;
        double wide = width * (double)row->cells[0].units / LEDGER_WHOLE;
        char css[FORMAT_BYTES], share[LEDGER_SHARE_BYTES], text[FORMAT_BYTES], title[128];
        ledger_share_text(share, row->cells[0].units);
        snprintf(title, sizeof(title), "%s %s", ledger_row_title(waterfall->ledgers, row->part),
                 figure_with(text, figure, share, row->cells[0].evidence));
        svg_rect(figure->to, x, y, wide > 3 ? wide - 1 : wide, BAR_HIGH, css_of(css, row), title);
        if (wide < NUMBER_ROOM)
            continue;
        snprintf(text, sizeof(text), "%d", i + 1);
        svg_text(figure->to, x + wide / 2, y + 18, SVG_MIDDLE, "ls-on ls-bold", text);
        snprintf(text, sizeof(text), "%s %c", share,
                 evidence_letter(model_evidence(&figure->model, row->cells[0].evidence)));
        if (wide > figure_text_width(text, FIGURE_SMALL) + 8)
            svg_text(figure->to, x + wide / 2, y + 34, SVG_MIDDLE, "ls-on", text);
    }
    svg_rect(figure->to, left, y, width, BAR_HIGH, "ls-box", NULL);
}

static void put_bar_axis(const struct waterfall *waterfall)
{
    struct figure *figure = waterfall->figure;
    double left = FIGURE_MARGIN, width = figure->width - 2 * FIGURE_MARGIN;
    char text[FORMAT_BYTES];
    for (int percent = 0; percent <= 100; percent += 25) {
        double x = left + width * percent / 100;
        svg_line(figure->to, x, figure->y, x, figure->y + 4, "ls-axis");
        snprintf(text, sizeof(text), "%d%%", percent);
        svg_text(figure->to, x, figure->y + 16,
                 percent == 0     ? SVG_START
                 : percent == 100 ? SVG_END
                                  : SVG_MIDDLE,
                 "ls-dim ls-small", text);
    }
    figure->y += 22;
}

/* ---- the list ---- */

/* Right edges of the share and the GPU-hours of a ledger; 0: no room. */
struct edges {
    double share, hours;
};

static struct edges edges_of(const struct waterfall *waterfall, int column)
{
    const struct figure *figure = waterfall->figure;
    double right = figure->width - FIGURE_MARGIN;
    if (figure->narrow)
        return column == 0 ? (struct edges){right, 0} : (struct edges){0, 0};
    double block = 2 * SHARE_ROOM + 30;
    double first = waterfall->ledgers[1] ? right - block : right;
    double end = column == 0 ? first : right;
    return (struct edges){end - SHARE_ROOM - 10, end};
}

static void put_cell(const struct waterfall *waterfall, int column, double y,
                     const struct ledger_cell *cell)
{
    const struct figure *figure = waterfall->figure;
    struct edges edges = edges_of(waterfall, column);
    char share[LEDGER_SHARE_BYTES], hours[FORMAT_BYTES], text[FORMAT_BYTES];
    bool known = cell->evidence != EVIDENCE_NONE;
    if (edges.share > 0)
        svg_text(
            figure->to, edges.share, y, SVG_END, "ls-line",
            known ? figure_with(text, figure, ledger_share_text(share, cell->units), cell->evidence)
                  : "-");
    if (edges.hours > 0 && known && waterfall->ledgers[column]->gpus > 0)
        svg_text(figure->to, edges.hours, y, SVG_END, "ls-dim",
                 figure_with(text, figure,
                             ledger_hours_text(
                                 hours, ledger_gpu_hours(waterfall->ledgers[column], cell->units)),
                             job_hours_evidence(figure->model.summary, cell->evidence)));
}

static void put_heads(const struct waterfall *waterfall)
{
    struct figure *figure = waterfall->figure;
    char steps[FORMAT_BYTES], text[2 * FORMAT_BYTES];
    figure->y += ROW_HIGH;
    for (int i = 0; i < LEDGER_COLUMNS; i++) {
        struct edges edges = edges_of(waterfall, i);
        if (!waterfall->ledgers[i] || edges.share <= 0)
            continue;
        snprintf(text, sizeof(text), "%s%s", i == 0 ? "" : "last ",
                 format_counted(steps, waterfall->ledgers[i]->steps, "step"));
        svg_text(figure->to, edges.share, figure->y, SVG_END, "ls-dim ls-small", text);
        if (edges.hours > 0 && waterfall->ledgers[i]->gpus > 0)
            svg_text(figure->to, edges.hours, figure->y, SVG_END, "ls-dim ls-small", "GPU-hours");
    }
}

static void put_row(const struct waterfall *waterfall, int from_left)
{
    struct figure *figure = waterfall->figure;
    const struct ledger_row *row = row_at(waterfall, from_left);
    char css[FORMAT_BYTES], number[FORMAT_BYTES], share[LEDGER_SHARE_BYTES];
    const char *title = ledger_row_title(waterfall->ledgers, row->part);
    figure->y += ROW_HIGH;
    snprintf(number, sizeof(number), "%d", from_left + 1);
    svg_rect(figure->to, FIGURE_MARGIN + 22, figure->y - 11, SWATCH, SWATCH, css_of(css, row),
             NULL);
    svg_text(figure->to, FIGURE_MARGIN + 16, figure->y, SVG_END, "ls-dim", number);
    svg_text(figure->to, FIGURE_MARGIN + 44, figure->y, SVG_START, "ls-line", title);
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        if (waterfall->ledgers[i])
            put_cell(waterfall, i, figure->y, &row->cells[i]);
    if (row->cells[0].units > 0)
        figure_describe(figure, "%s %s.", title, ledger_share_text(share, row->cells[0].units));
}

/* The whole is what the shares are of. */
static void put_sum(const struct waterfall *waterfall)
{
    struct figure *figure = waterfall->figure;
    const struct quantity time = figure->model.summary->step_time_mean_s;
    struct ledger_cell whole = {quantity_known(time) ? time.evidence : EVIDENCE_COMPUTED,
                                LEDGER_WHOLE, 0};
    svg_line(figure->to, FIGURE_MARGIN, figure->y + 6, figure->width - FIGURE_MARGIN, figure->y + 6,
             "ls-grid");
    figure->y += ROW_HIGH + 2;
    svg_text(figure->to, FIGURE_MARGIN + 44, figure->y, SVG_START, "ls-bold",
             waterfall->ledgers[0]->gpus > 0 ? "bought GPU time" : "wall-clock time");
    for (int i = 0; i < LEDGER_COLUMNS; i++)
        if (waterfall->ledgers[i])
            put_cell(waterfall, i, figure->y, &whole);
    figure->y += 6;
}

static void put_facts(const struct waterfall *waterfall)
{
    struct figure *figure = waterfall->figure;
    struct sentence line, unknown[LEDGER_UNKNOWN_MAX];
    const struct ledger *ledger = &figure->model.summary->ledger;
    int count = ledger_lines_unknown(&figure->model, ledger, unknown, LEDGER_UNKNOWN_MAX);
    if (ledger_line_gaps(ledger, &line))
        figure_sentence(figure, &line);
    for (int i = 0; i < count; i++)
        figure_sentence(figure, &unknown[i]);
    ledger_line_effective(&figure->model, &line);
    figure_sentence(figure, &line);
}

/* ---- the figure ---- */

void figure_ledger(struct figure *figure)
{
    const struct summary *summary = figure->model.summary;
    struct waterfall waterfall = {.figure = figure};
    char text[FORMAT_BYTES];
    if (!(summary->ledger.wall_s > 0)) {
        figure_begin(figure, "Where the GPU time goes");
        figure_say(figure, summary->figures_only ? "Left out: figures alone were asked for."
                           : summary->shown.known
                               ? "Not known: the steps of this log have no duration."
                               : "Not known before two steps are whole.");
        figure_describe(figure, "Nothing is known yet.");
        return;
    }
    bool window =
        summary->ledger_window.wall_s > 0 && summary->ledger_window.steps < summary->ledger.steps;
    waterfall.ledgers[0] = &summary->ledger;
    waterfall.ledgers[1] = window ? &summary->ledger_window : NULL;
    waterfall.count = ledger_rows(waterfall.ledgers, LEDGER_COUNT, false, waterfall.rows);
    const char *kind = summary->ledger.gpus > 0 ? "GPU time" : "time";
    figure_begin(figure, "Where the %s of %s goes", kind,
                 format_counted(text, summary->ledger.steps, "step"));
    struct sentence scale;
    sentence_clear(&scale, STYLE_DIM);
    sentence_add(&scale, "Of ");
    if (job_add_scale(&scale, summary)) {
        sentence_add(&scale, ".");
        figure_describe(figure, "%s", scale.text);
        figure_sentence(figure, &scale);
    }
    figure_describe(figure, "A bar of shares of the %s%s, which add up to 100%%:",
                    summary->ledger.gpus > 0 ? "bought " : "wall-clock ", kind);
    put_bar(&waterfall, figure->y + 8);
    figure->y += 8 + BAR_HIGH;
    put_bar_axis(&waterfall);
    put_heads(&waterfall);
    for (int i = 0; i < waterfall.count; i++)
        put_row(&waterfall, i);
    put_sum(&waterfall);
    put_facts(&waterfall);
}

/* Ranks x steps: how slow each was, by colour, with numbers in the legend. */
#include "report_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heat_rows.h"
#include "job_lines.h"
#include "memory.h"

#define ROWS_MAX 128
#define ROWS_HIGH 480.0 /* of all rows, about */
#define ROW_LEAST 3.5
#define ROW_MOST 18.0
#define CELL_LEAST 1.2 /* units wide: a phone's pixel, about */
#define WORST_ROOM 64.0
#define LABEL_HIGH 12.0
#define TENTHS 10.0 /* cells are drawn in tenths of a unit: whole numbers are short */

/* Shades end at these slowdowns, and have these words. */
static const struct shade {
    double below;
    const char *words;
} SHADES[] = {
    {0.95, "below -5%"},   {1.02, "-5 to +2%"},   {1.05, "+2 to +5%"},         {1.10, "+5 to +10%"},
    {1.20, "+10 to +20%"}, {1.50, "+20 to +50%"}, {INFINITY, "+50% and more"},
};
#define SHADE_COUNT ((int)(sizeof(SHADES) / sizeof(SHADES[0])))

struct heat {
    struct figure *figure;
    const struct overview *overview;
    struct heat_rows rows;
    uint16_t *cells; /* rows x groups, the worst of each */
    size_t group;    /* columns of the overview that are drawn as one */
    size_t groups;
    struct figure_steps steps;
    double top, row;
};

static int shade_of(uint16_t heat)
{
    double slowdown = heat * HEAT_UNIT;
    int shade = 0;
    while (shade < SHADE_COUNT - 1 && slowdown >= SHADES[shade].below)
        shade++;
    return shade;
}

static uint16_t cell_of(const struct heat *heat, size_t row, size_t group)
{
    return heat->cells[row * heat->groups + group];
}

/* ---- cells ---- */

static void make_cells(struct heat *heat)
{
    size_t columns = heat->overview->column_count, rows = heat->rows.count;
    double width = heat->steps.right - heat->steps.left;
    uint16_t *worst = memory_zeroed(rows * columns + 1, sizeof(*worst));
    heat_rows_worst(&heat->rows, heat->overview, 0, rows, worst);
    heat->group = 1;
    while ((double)(columns / heat->group) * CELL_LEAST > width)
        heat->group++;
    heat->groups = (columns + heat->group - 1) / heat->group;
    heat->cells = memory_zeroed(rows * heat->groups + 1, sizeof(*heat->cells));
    memset(heat->cells, 0, rows * heat->groups * sizeof(*heat->cells));
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            uint16_t *cell = &heat->cells[r * heat->groups + c / heat->group];
            uint16_t value = worst[r * columns + c];
            *cell = value > *cell ? value : *cell;
        }
    free(worst);
}

/* Left edge of a group, in tenths from the left of the map; of the one behind the last:
 * the right edge. */
static long edge_of(const struct heat *heat, size_t group)
{
    size_t column = group * heat->group;
    double x = column < heat->overview->column_count ? figure_steps_begin(&heat->steps, column)
                                                     : heat->steps.right;
    return lround((x - heat->steps.left) * TENTHS);
}

/* Cells of one shade in a row that touch are one rectangle. */
static int put_shade_row(const struct heat *heat, size_t row, int shade, int put)
{
    long high = lround(heat->row * TENTHS), y = (long)row * high;
    size_t from = 0;
    while (from < heat->groups) {
        size_t to = from;
        while (to < heat->groups && cell_of(heat, row, to) != HEAT_NONE &&
               shade_of(cell_of(heat, row, to)) == shade)
            to++;
        if (to > from) {
            long left = edge_of(heat, from), right = edge_of(heat, to);
            if (put++ == 0)
                fprintf(heat->figure->to, "<path class=\"ls-h%d\" d=\"", shade);
            fprintf(heat->figure->to, "M%ld %ldh%ldv%ldh-%ldz", left, y, right - left, high,
                    right - left);
        }
        from = to > from ? to : from + 1;
    }
    return put;
}

static void put_cells(const struct heat *heat)
{
    struct figure *figure = heat->figure;
    figure_fill(figure, heat->steps.left, heat->top, heat->steps.right - heat->steps.left,
                heat->row * (double)heat->rows.count, "none", NULL);
    fputs("<g shape-rendering=\"crispEdges\" transform=\"translate(", figure->to);
    svg_number(figure->to, heat->steps.left);
    fputc(' ', figure->to);
    svg_number(figure->to, heat->top);
    fputs(") scale(.1)\">\n", figure->to);
    for (int shade = 0; shade < SHADE_COUNT; shade++) {
        int put = 0;
        for (size_t row = 0; row < heat->rows.count; row++)
            put = put_shade_row(heat, row, shade, put);
        if (put > 0)
            fputs("\"/>\n", figure->to);
    }
    fputs("</g>\n", figure->to);
    svg_rect(figure->to, heat->steps.left, heat->top, heat->steps.right - heat->steps.left,
             heat->row * (double)heat->rows.count, "ls-box", NULL);
}

/* ---- beside them ---- */

static size_t worst_group(const struct heat *heat, size_t row)
{
    size_t worst = 0;
    for (size_t i = 1; i < heat->groups; i++)
        if (cell_of(heat, row, i) > cell_of(heat, row, worst))
            worst = i;
    return worst;
}

static const char *heat_text(char out[FORMAT_BYTES], const struct heat *heat, uint16_t value)
{
    char text[FORMAT_BYTES];
    if (value == HEAT_NONE)
        return strcpy(out, "no data");
    return figure_with(out, heat->figure, format_difference(text, value * HEAT_UNIT - 1),
                       EVIDENCE_COMPUTED);
}

/* Every so many rows a name, so that they do not touch. */
static void put_labels(const struct heat *heat)
{
    const struct figure *figure = heat->figure;
    size_t every = (size_t)ceil(LABEL_HIGH / heat->row);
    char label[HEAT_LABEL_BYTES], name[FIGURE_NAME_BYTES], worst[FORMAT_BYTES];
    for (size_t row = 0; row < heat->rows.count; row += every) {
        double y = heat->top + heat->row * (double)row + fmin(heat->row, 14) / 2 + 4;
        heat_rows_label(&heat->rows, heat->overview, row, label);
        figure_fit(name, label, heat->steps.left - FIGURE_MARGIN - 4, FIGURE_SMALL);
        svg_text(figure->to, heat->steps.left - 5, y, SVG_END, "ls-small", name);
        if (every > 1 || figure->narrow)
            continue;
        uint16_t value = cell_of(heat, row, worst_group(heat, row));
        svg_text(figure->to, figure->width - FIGURE_MARGIN, y, SVG_END,
                 value >= 1.10 / HEAT_UNIT ? "ls-small ls-bold" : "ls-small ls-dim",
                 heat_text(worst, heat, value));
    }
    const char *kind = heat->rows.by == HEAT_BY_HOST    ? "host"
                       : heat->rows.by == HEAT_BY_GROUP ? "group"
                                                        : "rank";
    svg_text(figure->to, heat->steps.left - 5, heat->top - 6, SVG_END, "ls-small ls-dim", kind);
    if (every == 1 && !figure->narrow)
        svg_text(figure->to, figure->width - FIGURE_MARGIN, heat->top - 6, SVG_END,
                 "ls-small ls-dim", "worst");
}

static void put_legend(const struct heat *heat)
{
    struct figure *figure = heat->figure;
    double x = FIGURE_MARGIN;
    char css[FORMAT_BYTES];
    figure->y += FIGURE_LINE + 4;
    for (int i = 0; i < SHADE_COUNT; i++) {
        snprintf(css, sizeof(css), "ls-h%d", i);
        x = figure_legend(figure, x, css, SHADES[i].words);
    }
    figure_legend(figure, x, "#none", "no data");
    figure->y += 4;
    figure_say(figure, "Own time against the median of all ranks in the same step, %s.",
               heat->figure->model.summary->simulated ? "s" : "c");
}

/* ---- what it comes to, in words ---- */

static void add_columns(struct sentence *line, const struct heat *heat)
{
    int64_t least = INT64_MAX, most = 0;
    char low[FORMAT_BYTES], high[FORMAT_BYTES];
    for (size_t i = 0; i < heat->overview->column_count; i++) {
        int64_t positions = heat->overview->columns[i].positions;
        least = positions < least ? positions : least;
        most = positions > most ? positions : most;
    }
    format_count(low, least);
    if (most <= 1)
        sentence_add(line, "A column is one step");
    else
        sentence_add(line, "A column is the mean of %s%s%s", least == most ? "" : low,
                     least == most ? "" : " to ", format_counted(high, most, "step"));
    if (heat->group > 1)
        sentence_add(line, "; of %zu neighbours the worst is drawn", heat->group);
    sentence_add(line, ".");
}

static void put_rows_words(const struct heat *heat)
{
    struct sentence line;
    char count[FORMAT_BYTES], block[FORMAT_BYTES];
    sentence_clear(&line, STYLE_NORMAL);
    format_counted(count, (int64_t)heat->overview->rank_count, "rank");
    if (heat->rows.by == HEAT_BY_HOST || heat->rows.by == HEAT_BY_GROUP)
        sentence_add(&line, "%s: a row is a %s, each cell the worst of its ranks. ", count,
                     heat->rows.by == HEAT_BY_HOST ? "host" : "group");
    else if (heat->rows.block > 1)
        sentence_add(&line, "%s: a row is a block of %s, each cell the worst of them. ", count,
                     format_counted(block, (int64_t)heat->rows.block, "rank"));
    add_columns(&line, heat);
    figure_sentence(heat->figure, &line);
    figure_describe(heat->figure, "%s", line.text);
}

/* The rank and the column of the worst cell of all: what the eye looks for. */
static bool find_worst(const struct heat *heat, size_t *ret_rank, size_t *ret_column)
{
    const struct overview *overview = heat->overview;
    uint16_t most = HEAT_NONE;
    for (size_t r = 0; r < overview->rank_count; r++)
        for (size_t c = 0; c < overview->column_count; c++) {
            uint16_t value = overview->slowdown[r * overview->column_count + c];
            if (value <= most)
                continue;
            most = value;
            *ret_rank = r;
            *ret_column = c;
        }
    return most != HEAT_NONE;
}

static void put_worst(const struct heat *heat)
{
    const struct overview *overview = heat->overview;
    size_t rank, column;
    struct sentence line;
    char text[FORMAT_BYTES];
    if (!find_worst(heat, &rank, &column))
        return;
    const struct overview_column *at = &overview->columns[column];
    uint16_t value = overview->slowdown[rank * overview->column_count + column];
    sentence_clear(&line, STYLE_NORMAL);
    sentence_add(&line, "The worst: rank %u, %s", overview->ranks[rank].rank,
                 heat_text(text, heat, value));
    sentence_add(&line, at->positions > 1 ? ", in steps %s" : ", in step %s",
                 format_count(text, at->first_step));
    if (at->positions > 1)
        sentence_add(&line, " to %s", format_count(text, at->last_step));
    sentence_add(&line, ".");
    figure_sentence(heat->figure, &line);
    figure_describe(heat->figure, "%s", line.text);
}

/* ---- the figure ---- */

static bool anything_known(const struct overview *overview)
{
    size_t cells = overview->rank_count * overview->column_count;
    for (size_t i = 0; overview->slowdown && i < cells; i++)
        if (overview->slowdown[i] != HEAT_NONE)
            return true;
    return false;
}

static void place(struct heat *heat)
{
    const struct figure *figure = heat->figure;
    char label[HEAT_LABEL_BYTES];
    double widest = 28;
    for (size_t i = 0; i < heat->rows.count; i++) {
        heat_rows_label(&heat->rows, heat->overview, i, label);
        widest = fmax(widest, figure_text_width(label, FIGURE_SMALL));
    }
    heat->row =
        round(fmin(fmax(ROWS_HIGH / (double)heat->rows.count, ROW_LEAST), ROW_MOST) * TENTHS) /
        TENTHS;
    bool worst = !figure->narrow && heat->row >= LABEL_HIGH;
    heat->steps =
        (struct figure_steps){heat->overview, FIGURE_MARGIN + 6 + fmin(widest, figure->width / 5),
                              figure->width - FIGURE_MARGIN - (worst ? WORST_ROOM : 0)};
}

static void put_map(struct heat *heat)
{
    struct figure *figure = heat->figure;
    struct figure_events events;
    place(heat);
    make_cells(heat);
    figure_hatch(figure);
    put_legend(heat);
    figure_events_choose(&events, figure->data);
    double strip = figure->y + 10;
    heat->top = strip + fmax(figure_events_height(&events), 14) + 2;
    put_cells(heat);
    put_labels(heat);
    double bottom = heat->top + heat->row * (double)heat->rows.count;
    figure_restarts(figure, &heat->steps, heat->top, bottom, false);
    figure_events_draw(figure, &events, &heat->steps, strip);
    figure->y = bottom;
    figure_steps_axis(figure, &heat->steps, false);
    figure->y += 4;
    put_rows_words(heat);
    put_worst(heat);
    figure_events_list(figure, &events);
    free(heat->cells);
}

void figure_heat(struct figure *figure)
{
    const struct overview *overview = figure->data->overview;
    struct heat heat = {.figure = figure, .overview = overview};
    char first[FORMAT_BYTES], last[FORMAT_BYTES];
    if (job_alone(figure->model.summary)) {
        figure_no_ranks(figure, "How slow each rank was");
        return;
    }
    if (overview->column_count == 0 || !anything_known(overview)) {
        figure_begin(figure, "How slow each rank was");
        figure_say(figure, overview->column_count == 0
                               ? "Not known: no step is whole yet."
                               : "Not known: this log does not tell the ranks' own times.");
        figure_describe(figure, "Nothing is known.");
        return;
    }
    figure_begin(figure, "How slow each rank was: steps %s to %s",
                 format_count(first, overview->columns[0].first_step),
                 format_count(last, overview->columns[overview->column_count - 1].last_step));
    figure_describe(figure, "Ranks from top to bottom, steps from left to right, coloured by how "
                            "slow the rank was.");
    struct heat_rows_want want = {HEAT_BY_FIT, ROWS_MAX, "", false};
    heat_rows_make(&heat.rows, overview, &want);
    put_map(&heat);
    heat_rows_done(&heat.rows);
}

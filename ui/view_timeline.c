/* The barrier timeline: a bar for each rank up to the last arrival. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bars.h"
#include "columns.h"
#include "sentence.h"
#include "verdict_none.h"

/* A missing rank has no bar: a gap, in words, without a barrier. The longest
 * wording that fits. */
static void draw_gap(struct canvas *canvas, struct rect line, const struct summary_rank *rank)
{
    char step[FORMAT_BYTES], silent[FORMAT_BYTES], text[3][128];
    bool clock = isfinite(rank->silent_s);
    format_count(step, rank->last_step + 1);
    format_elapsed(silent, rank->silent_s);
    snprintf(text[0], sizeof(text[0]), "missing since step %.40s%s%.40s", step,
             clock ? ", silent " : "", clock ? silent : "");
    snprintf(text[1], sizeof(text[1]), "missing since step %.40s", step);
    snprintf(text[2], sizeof(text[2]), "missing since %.40s", step);
    int at = 0;
    while (at < 2 && (int)strlen(text[at]) > line.width)
        at++;
    canvas_text(canvas, line, 0, 0, STYLE_WARNING, text[at]);
}

static void draw_rank(struct canvas *canvas, struct rect line, const struct columns *columns,
                      const struct axis *axis, const struct choice_row *chosen, int height)
{
    const struct view_model *model = columns->row.model;
    const struct summary_rank *rank = &model->summary->ranks[chosen->index];
    int bar_lines = height > 2 ? height - 1 : 1;
    columns_draw(columns, canvas, line, chosen);
    for (int i = 0; i < height; i++) {
        struct rect bar = rect_part(line, columns->bar_x, i, columns->bar_width, 1);
        bool gap = rank->state != RANK_PRESENT;
        if (i >= bar_lines && !gap)
            bars_put(canvas, bar, bar.width - 1, PART_BARRIER);
        else if (rank->state == RANK_MISSING && i == 0)
            draw_gap(canvas, bar, rank);
        else if (gap && i == 0)
            canvas_text(canvas, bar, 0, 0, STYLE_DIM,
                        bar.width < 31 ? "no record yet" : "no record of this step yet");
        else if (!gap)
            bars_draw(canvas, bar, axis, rank, model->phases);
    }
}

/* How many ranks have no row, and which rows these are. */
static void draw_count(struct canvas *canvas, struct rect bar, const struct view_model *model,
                       const struct choice *choice, int from, int to)
{
    char shown[FORMAT_BYTES], all[FORMAT_BYTES], text[2][160];
    size_t ranks = model->summary->rank_count;
    if (choice->count == ranks)
        return;
    format_count(shown, (int64_t)choice->count);
    format_counted(all, (int64_t)ranks, "rank");
    if (model->filter[0])
        snprintf(text[0], sizeof(text[0]), "/%.63s: %.40s of %.40s", model->filter, shown, all);
    else
        snprintf(text[0], sizeof(text[0]), "%.40s of %.40s: %s", shown, all,
                 choice_name(model->choice));
    snprintf(text[1], sizeof(text[1]), "%.40s of %.40s", shown, all);
    int which = (int)strlen(text[0]) > to - from;
    if ((int)strlen(text[which]) <= to - from)
        canvas_text(canvas, bar, from, 0, STYLE_DIM, text[which]);
}

/* What the cells before a bar are, when there are any. */
static void draw_late_sign(struct canvas *canvas, struct rect bar, int x,
                           const struct summary *summary)
{
    if (!bars_have_late(summary))
        return;
    const struct bars_glyph *glyph = bars_glyph(PART_LATE);
    bars_put(canvas, bar, x, PART_LATE);
    canvas_text(canvas, bar, x + 2, 0, STYLE_DIM, glyph->name);
}

static void draw_heads(struct canvas *canvas, struct rect line, const struct columns *columns,
                       const struct choice *choice)
{
    if (line.height < 1)
        return;
    columns_draw_heads(columns, canvas, line);
    struct rect bar = rect_part(line, columns->bar_x, 0, columns->bar_width, 1);
    bool narrow = bar.width < 40 && choice->count < columns->row.model->summary->rank_count;
    if (!narrow) {
        canvas_text(canvas, bar, 0, 0, STYLE_LABEL, "own time");
        if (bar.width >= 40 && choice->count == columns->row.model->summary->rank_count)
            draw_late_sign(canvas, bar, 10, columns->row.model->summary);
        canvas_text_right(canvas, bar, bar.width, 0, STYLE_LABEL, "barrier");
    }
    draw_count(canvas, bar, columns->row.model, choice, narrow ? 0 : 10,
               bar.width - (narrow ? 0 : 9));
}

static void draw_no_rule(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence sentence;
    sentence_clear(&sentence, STYLE_NORMAL);
    verdict_no_rule(model, &sentence);
    int width = rect.width > 84 ? 80 : rect.width - 4;
    sentence_draw_wrapped(&sentence, canvas, rect_part(rect, 2, 0, width, rect.height),
                          rect.height > 6);
}

void view_timeline(struct canvas *canvas, const struct layout *layout,
                   const struct view_model *model)
{
    const struct summary *summary = model->summary;
    if (summary->shown.known && summary->shown.rule == WAIT_UNKNOWN) {
        draw_no_rule(canvas, layout->bars, model);
        return;
    }
    struct choice choice;
    struct columns columns;
    choice_make_with(&choice, summary, model->choice, model->filter, (size_t)model->scroll,
                     (size_t)layout->rank_rows, model->selected);
    columns_make(&columns, model, &choice, canvas->width, canvas->unicode);
    struct axis axis = axis_make(summary, &choice, !model->axis_seconds, model->axis_cut);
    draw_heads(canvas, layout->heads, &columns, &choice);
    for (size_t i = 0; i < choice.count; i++)
        draw_rank(canvas,
                  rect_part(layout->bars, 0, (int)i * layout->rank_height, layout->bars.width,
                            layout->rank_height),
                  &columns, &axis, &choice.rows[i], layout->rank_height);
    if (choice.count == 0)
        canvas_printf(canvas, layout->bars, 2, 0, STYLE_DIM, "no rank matches \"%s\"",
                      model->filter);
    bars_draw_axis(canvas, layout->axis, &axis, columns.bar_x, columns.bar_width);
    if (model->phases && layout->legend.height > 0)
        bars_draw_legend(canvas, rect_part(layout->legend, columns.bar_x - 1, 0, canvas->width, 1),
                         model);
}

/* All ranks in a table; one closer (view_rank_detail.c). */
#include "view.h"

#include <stdio.h>

#include "format.h"
#include "rank_table.h"
#include "sentence.h"
#include "verdict_lines.h"

#define VERDICT_HEIGHT 10 /* from so many lines on the first of them says who is slow */
#define LINES_ABOVE 2     /* what is sorted by, and the heads */

int view_ranks_rows(int height)
{
    int rows = height - LINES_ABOVE - (height >= VERDICT_HEIGHT);
    return rows > 0 ? rows : 0;
}

/* "rows 1-19 of 1,024, by mean wait of all steps, the largest first": the longest
 * wording that fits. */
static void say_rows(struct sentence *line, const struct view_model *model, size_t first,
                     size_t seen, size_t count, int wording)
{
    char from[FORMAT_BYTES], to[FORMAT_BYTES], all[FORMAT_BYTES];
    const struct rank_order *order = &model->rank_order;
    sentence_clear(line, STYLE_DIM);
    if (count == 0) {
        sentence_add(line, "no rank matches %s (/ changes it, Esc drops it)", model->filter);
        return;
    }
    format_counted(all, (int64_t)count, "rank");
    if (seen < count)
        sentence_add(line, "%s-%s of %s", format_count(from, (int64_t)first + 1),
                     format_count(to, (int64_t)(first + seen)), all);
    else
        sentence_add(line, "%s", all);
    if (model->filter[0] && wording < 3)
        sentence_add(line,
                     wording > 0  ? " (%s)"
                     : count == 1 ? " that matches %s"
                                  : " that match %s",
                     model->filter);
    if (wording < 3)
        sentence_add(line, wording == 0 ? ", sorted by %s" : ", by %s",
                     rank_column_name(rank_order_column(order)));
    if (wording < 2 && order->reverse)
        sentence_add(line, ", the other way round");
}

static void draw_rows_line(struct canvas *canvas, struct rect line, const struct view_model *model,
                           size_t first, size_t seen, size_t count)
{
    struct sentence sentence;
    for (int wording = 0; wording < 4; wording++) {
        say_rows(&sentence, model, first, seen, count, wording);
        if (sentence_columns(&sentence) <= line.width - 2)
            break;
    }
    sentence_draw(&sentence, canvas, line, 1, 0);
}

static void draw_table(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    const struct summary *summary = model->summary;
    struct rank_rows rows = rank_rows_make(summary, model->filter, &model->rank_order);
    struct rank_table table;
    size_t cursor = rank_rows_find(&rows, summary, model->selected);
    int seen = rect.height - LINES_ABOVE;
    size_t first = (size_t)rank_order_scroll(&model->rank_order, cursor, rows.count, seen);
    size_t end = seen > 0 && rows.count - first > (size_t)seen ? first + (size_t)seen : rows.count;
    draw_rows_line(canvas, rect_part(rect, 0, 0, rect.width, 1), model, first, end - first,
                   rows.count);
    rank_table_make(&table, model, rect.width, canvas->unicode);
    rank_table_draw_heads(&table, canvas, rect_part(rect, 0, 1, rect.width, 1));
    /* Without a rank selected the cursor stands in the first row. */
    for (size_t i = first; i < end; i++)
        rank_table_draw(&table, canvas,
                        rect_part(rect, 0, LINES_ABOVE + (int)(i - first), rect.width, 1),
                        &summary->ranks[rows.index[i]], i == (cursor == SIZE_MAX ? first : cursor));
    rank_rows_done(&rows);
}

void view_ranks(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence verdict;
    if (model->summary->rank_count == 0) {
        view_empty(canvas, rect, model);
        return;
    }
    if (model->detail && model->selected >= 0) {
        view_rank_detail(canvas, rect, model);
        return;
    }
    if (rect.height >= VERDICT_HEIGHT) {
        verdict_lines(model, rect.width - 2, &verdict, 1);
        sentence_draw(&verdict, canvas, rect_part(rect, 0, 0, rect.width, 1), 1, 0);
        rect = rect_part(rect, 0, 1, rect.width, rect.height - 1);
    }
    draw_table(canvas, rect, model);
}

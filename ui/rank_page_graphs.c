/* The slowdown of one rank: how often which, and step by step. */
#include "rank_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph.h"

#define LABEL_CELLS 8 /* left of a graph */

/* ---- how often how slow ---- */

static int most_in_a_bin(const struct rank_detail *detail)
{
    int most = 0;
    for (int i = 0; i < DETAIL_BINS; i++)
        most = detail->bins[i] > most ? detail->bins[i] : most;
    return most;
}

/* Bins below 1: the line of the peers stands behind them. */
static int bins_below(const struct rank_detail *detail)
{
    double bins = (1 - detail->bin_low) / detail->bin_width;
    return bins < 0 ? 0 : bins > DETAIL_BINS ? DETAIL_BINS : (int)lround(bins);
}

static void draw_bins(struct rank_page *page, struct rect graph, int cells)
{
    const struct rank_detail *detail = page->detail;
    int below = bins_below(detail), most = most_in_a_bin(detail);
    double threshold = 1 + page->summary->run.threshold;
    for (int y = 0; y < graph.height; y++)
        canvas_put(&page->canvas, graph, below * cells, y, page->canvas.unicode ? 0x2502 : '|',
                   STYLE_BARRIER);
    for (int i = 0; i < DETAIL_BINS; i++) {
        double low = detail->bin_low + i * detail->bin_width;
        enum style style = low >= threshold - 1e-9 ? STYLE_STRAGGLER : STYLE_OWN;
        for (int c = 0; c < cells && detail->bins[i] > 0; c++)
            graph_column(&page->canvas, graph, i * cells + c + (i >= below),
                         (double)detail->bins[i] / most, style);
    }
}

static void draw_bin_labels(struct rank_page *page, struct rect line, int cells)
{
    const struct rank_detail *detail = page->detail;
    char low[FORMAT_BYTES], high[FORMAT_BYTES];
    int at = bins_below(detail) * cells, end = DETAIL_BINS * cells + 1;
    format_difference(low, detail->bin_low - 1);
    format_difference(high, detail->bin_low + DETAIL_BINS * detail->bin_width - 1);
    int from = at - 2 < 0 ? 0 : at - 2 > end - 5 ? end - 5 : at - 2;
    canvas_text(&page->canvas, line, from, 0, STYLE_DIM, "peers");
    if ((int)strlen(low) < from)
        canvas_text(&page->canvas, line, 0, 0, STYLE_DIM, low);
    if (end - (int)strlen(high) > from + 5)
        canvas_text_right(&page->canvas, line, end, 0, STYLE_DIM, high);
}

void rank_page_histogram(struct rank_page *page)
{
    const struct rank_detail *detail = page->detail;
    char steps[FORMAT_BYTES];
    int cells = (page->width - LABEL_CELLS - 3) / DETAIL_BINS;
    int height = 5 + page->histogram_lines;
    int most = most_in_a_bin(detail);
    if (most == 0 || cells < 1)
        return;
    rank_page_heading(page, "%s by slowdown %c", format_counted(steps, detail->steps, "step"),
                      evidence_letter(rank_page_evidence(page, EVIDENCE_COMPUTED)));
    cells = cells > 3 ? 3 : cells;
    struct rect graph =
        rect_part(rank_page_lines(page, 1), LABEL_CELLS, page->y, DETAIL_BINS * cells + 1, height);
    struct rect labels = rect_part(rank_page_lines(page, 1), 0, page->y, LABEL_CELLS - 1, height);
    draw_bins(page, graph, cells);
    canvas_text_right(&page->canvas, labels, LABEL_CELLS - 1, 0, STYLE_DIM,
                      format_count(steps, most));
    draw_bin_labels(page,
                    rect_part(rank_page_lines(page, 1), LABEL_CELLS, page->y + height,
                              DETAIL_BINS * cells + 1, 1),
                    cells);
    page->y += height + 1;
}

/* ---- step by step ---- */

struct range {
    double low, high;
};

/* Around 1, and all of the steps that are drawn. */
static struct range range_of(const struct rank_detail *detail, int from)
{
    struct range range = {1, 1};
    for (int i = from; i < detail->recent; i++) {
        if (!isfinite(detail->slowdown[i]))
            continue;
        range.low = fmin(range.low, detail->slowdown[i]);
        range.high = fmax(range.high, detail->slowdown[i]);
    }
    if (range.high - range.low < 0.01) /* no mountains out of molehills */
        range.high = range.low + 0.01;
    return range;
}

static void draw_steps(struct rank_page *page, struct rect graph, struct rect marks, int cells,
                       int from)
{
    const struct rank_detail *detail = page->detail;
    struct range range = range_of(detail, from);
    char text[FORMAT_BYTES];
    double threshold = 1 + page->summary->run.threshold;
    for (int i = from; i < detail->recent; i++) {
        double value = detail->slowdown[i];
        for (int c = 0; c < cells; c++) {
            int x = (i - from) * cells + c;
            if (isfinite(value))
                graph_column(&page->canvas, graph, x,
                             (value - range.low) / (range.high - range.low),
                             value > threshold ? STYLE_STRAGGLER : STYLE_OWN);
            else
                canvas_put(&page->canvas, graph, x, graph.height - 1, '?', STYLE_DIM);
            if (detail->was_last[i])
                canvas_put(&page->canvas, marks, x, 0, page->canvas.unicode ? 0x25B2 : '^',
                           STYLE_VALUE);
        }
    }
    struct rect labels =
        rect_part(rank_page_lines(page, 1), 0, page->y, LABEL_CELLS - 1, graph.height);
    canvas_text_right(&page->canvas, labels, LABEL_CELLS - 1, 0, STYLE_DIM,
                      format_difference(text, range.high - 1));
    canvas_text_right(&page->canvas, labels, LABEL_CELLS - 1, graph.height - 1, STYLE_DIM,
                      format_difference(text, range.low - 1));
}

void rank_page_recent(struct rank_page *page)
{
    const struct rank_detail *detail = page->detail;
    char step[FORMAT_BYTES], steps[FORMAT_BYTES];
    int room = page->width - LABEL_CELLS - 2, known = 0;
    int from = detail->recent > room ? detail->recent - room : 0, count = detail->recent - from;
    for (int i = from; i < detail->recent; i++)
        known += isfinite(detail->slowdown[i]);
    if (known == 0 || room < 1)
        return;
    int cells = room / count > 2 ? 2 : room / count;
    int height = 2 + page->strip_lines;
    rank_page_heading(
        page,
        page->width < RANK_PAGE_NARROW ? "slowdown %c, %s to %s  %s last"
                                       : "slowdown %c, the last %s to step %s   %s last to arrive",
        evidence_letter(rank_page_evidence(page, EVIDENCE_COMPUTED)),
        format_counted(steps, count, "step"), format_count(step, page->summary->shown.step),
        page->canvas.unicode ? "\u25B2" : "^");
    struct rect all = rank_page_lines(page, 1);
    struct rect graph = rect_part(all, LABEL_CELLS, page->y, count * cells, height);
    struct rect marks = rect_part(all, LABEL_CELLS, page->y + height, count * cells, 1);
    draw_steps(page, graph, marks, cells, from);
    page->y += height + 1;
}

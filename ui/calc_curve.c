/* The curve of Panel 1.2 as a bar chart, with the MFU of the form marked. */
#include "calc_curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calc_lines.h"
#include "sentence.h"

#define LEFT 10 /* columns of the scale */
#define WIDEST 122

static uint32_t level_glyph(int level, bool unicode)
{
    if (unicode)
        return (uint32_t)(0x2580 + level);
    return (uint32_t)(level < 3 ? '.' : level < 6 ? ':' : '#');
}

static void draw_column(struct canvas *canvas, struct rect graph, int x, double share,
                        enum style style)
{
    int levels = (int)lround(share * 8 * graph.height);
    levels = levels < 1 ? 1 : levels > 8 * graph.height ? 8 * graph.height : levels;
    for (int y = graph.height - 1; y >= 0 && levels > 0; y--, levels -= 8)
        canvas_put(canvas, graph, x, y, level_glyph(levels < 8 ? levels : 8, canvas->unicode),
                   style);
}

/* The column of an MFU; -1 when it is not on the axis. */
static int column_of(double mfu, int width)
{
    double at = (mfu - CALC_CURVE_FROM) / (CALC_CURVE_TO - CALC_CURVE_FROM);
    if (!(at >= -1e-9 && at <= 1 + 1e-9))
        return -1;
    return (int)lround(at * (width - 1));
}

static double mfu_of(int column, int width)
{
    return CALC_CURVE_FROM + (CALC_CURVE_TO - CALC_CURVE_FROM) * column / (width - 1);
}

/* "One more point saves, by MFU: about as 1/MFU^2   ^ 41%: 6.2e5 GPU-h c" */
static void draw_title(struct canvas *canvas, struct rect line, const struct calc_form *form)
{
    struct sentence now;
    char mfu[FORMAT_BYTES], saved[FORMAT_BYTES];
    double value = form->values[CALC_MFU].value, points = calc_curve(form, value);
    sentence_clear(&now, STYLE_VALUE);
    if (isfinite(points)) {
        sentence_add(&now, "^ %s: %s GPU-h", calc_argument_text(mfu, CALC_MFU, value),
                     format_power(saved, points, 2));
        sentence_evidence(&now, calc_form_evidence(form));
    }
    int begin = line.width - 1 - sentence_columns(&now);
    struct rect left = rect_part(line, 0, 0, begin - 1, 1);
    canvas_text(canvas, left, 1, 0, STYLE_LABEL,
                left.width < 48 ? "One more point" : "One more point saves: about as 1/MFU^2");
    sentence_draw(&now, canvas, line, begin < 1 ? 1 : begin, 0);
}

static void draw_axis(struct canvas *canvas, struct rect axis, const struct calc_form *form)
{
    int now = column_of(form->values[CALC_MFU].value, axis.width);
    int every = axis.width < 32 ? 20 : 10; /* percent */
    for (int x = 0; x < axis.width; x++)
        canvas_put(canvas, axis, x, 0, canvas->unicode ? 0x2500 : '-', STYLE_DIM);
    for (int percent = 10; percent <= 70; percent += every) {
        int x = column_of(percent / 100., axis.width);
        char label[8];
        snprintf(label, sizeof(label), "%d%%", percent);
        canvas_put(canvas, axis, x, 0, canvas->unicode ? 0x252C : '+', STYLE_DIM);
        canvas_text(canvas, axis, x + 3 > axis.width ? axis.width - 3 : x, 1, STYLE_DIM, label);
    }
    if (now >= 0)
        canvas_put(canvas, axis, now, 0, '^', STYLE_VALUE);
}

void calc_curve_draw(struct canvas *canvas, struct rect rect, const struct calc_form *form)
{
    char number[FORMAT_BYTES];
    int width = rect.width - LEFT - 1 > WIDEST ? WIDEST : rect.width - LEFT - 1;
    double most = calc_curve(form, CALC_CURVE_FROM);
    if (rect.height < CALC_CURVE_ROWS || width < 14)
        return;
    draw_title(canvas, rect_part(rect, 0, 0, rect.width, 1), form);
    if (!isfinite(most) || !(most > 0))
        return;
    struct rect graph = rect_part(rect, LEFT, 1, width, rect.height - 3);
    int now = column_of(form->values[CALC_MFU].value, width);
    for (int x = 0; x < width; x++)
        draw_column(canvas, graph, x, calc_curve(form, mfu_of(x, width)) / most,
                    x == now ? STYLE_STRAGGLER : STYLE_OWN);
    canvas_text_right(canvas, rect, LEFT - 3, 1, STYLE_DIM, format_power(number, most, 2));
    canvas_put(canvas, rect, LEFT - 2, 1, (uint32_t)evidence_letter(calc_form_evidence(form)),
               STYLE_DIM);
    canvas_text_right(canvas, rect, LEFT - 3, rect.height - 3, STYLE_DIM, "0");
    draw_axis(canvas, rect_part(rect, LEFT, rect.height - 2, width, 2), form);
}

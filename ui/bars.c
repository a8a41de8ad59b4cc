/* Bars of one rank, and the axis under them. */
#include "bars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"

#define LABEL_CELLS 7   /* a tick's share of the axis */
#define LATE_SEEN 0.005 /* of the longest own time */

static const struct bars_glyph GLYPHS[PART_COUNT] = {
    [PART_OWN] = {"own time", 0x2588, '#', STYLE_OWN},
    [PART_OTHER] = {"other own time", 0x259A, 'o', STYLE_OPTIMIZER},
    [PART_DATA] = {"data", 0x2592, 'd', STYLE_DATA},
    [PART_FORWARD] = {"forward", 0x2588, 'F', STYLE_FORWARD},
    [PART_BACKWARD] = {"backward", 0x2593, 'B', STYLE_BACKWARD},
    [PART_LATE] = {"in no phase", 0x00B7, ':', STYLE_DIM},
    [PART_WAIT] = {"wait", 0x2591, '.', STYLE_WAIT},
    [PART_BARRIER] = {"barrier", 0x2502, '|', STYLE_BARRIER},
};

const struct bars_glyph *bars_glyph(enum bars_part part)
{
    return &GLYPHS[part];
}

void bars_put(struct canvas *canvas, struct rect line, int x, enum bars_part part)
{
    const struct bars_glyph *glyph = &GLYPHS[part];
    canvas_put(canvas, line, x, 0, canvas->unicode ? glyph->unicode : (uint32_t)glyph->ascii,
               glyph->style);
}

/* Cells that the break of a cut axis takes at the left end: a piece of bar and
 * two strokes; one stroke where there is little room. */
static int break_cells(const struct axis *axis, int cells)
{
    return !axis->cut ? 0 : cells < 30 ? 2 : 3;
}

static void draw_break(struct canvas *canvas, struct rect line, int cells, enum bars_part part)
{
    if (cells > 0)
        bars_put(canvas, line, 0, part);
    for (int x = 1; x < cells; x++)
        canvas_put(canvas, line, x, 0, '/', STYLE_DIM);
}

static int fill(struct canvas *canvas, struct rect line, int from, int to, enum bars_part part)
{
    for (int x = from; x < to; x++)
        bars_put(canvas, line, x, part);
    return to > from ? to : from;
}

/* Returns the first cell behind the bar. */
static int draw_own(struct canvas *canvas, struct rect line, int from, int eighths, bool straggler)
{
    enum style style = straggler ? STYLE_STRAGGLER : STYLE_OWN;
    if (!canvas->unicode)
        eighths = (eighths + 4) / 8 * 8;
    int whole = from + eighths / 8;
    for (int x = from; x < whole; x++)
        canvas_put(canvas, line, x, 0, canvas->unicode ? 0x2588 : '#', style);
    if (eighths % 8 == 0)
        return whole;
    canvas_put(canvas, line, whole, 0, (uint32_t)(0x2590 - eighths % 8), style);
    return whole + 1;
}

void bars_split(const struct summary_rank *rank, double ret_s[PART_COUNT])
{
    double sum = 0;
    for (int part = PART_DATA; part <= PART_BACKWARD; part++) {
        int phase = PHASE_DATA + (part - PART_DATA);
        ret_s[part] = rank->has & (1u << phase) ? rank->phase_s[phase] : 0;
        sum += ret_s[part];
    }
    ret_s[PART_OTHER] = fmax(0, rank->own_s - sum);
}

static int draw_phases(struct canvas *canvas, struct rect line, int from, int cells,
                       const struct axis *axis, const struct summary_rank *rank, int late)
{
    double seconds[PART_COUNT] = {0}, sum = late > 0 ? axis_begin_s(rank) : 0;
    bars_split(rank, seconds);
    int end = from + (axis_eighths(axis, axis_arrival_s(rank), cells) + 4) / 8, x = from + late;
    for (int part = PART_OTHER; part <= PART_BACKWARD; part++) {
        sum += seconds[part];
        int to = from + (axis_eighths(axis, sum, cells) + 4) / 8;
        x = fill(canvas, line, x, to < end ? to : end, (enum bars_part)part);
    }
    /* A late begin that is too short to be seen: the bar ends at the arrival all the same. */
    return axis_begin_s(rank) > 0 ? fill(canvas, line, x, end, PART_BACKWARD) : x;
}

/* Cells before the bar: what is less than half of one is not seen. */
static int late_cells(const struct axis *axis, const struct summary_rank *rank, int cells)
{
    return (axis_eighths(axis, axis_begin_s(rank), cells) + 4) / 8;
}

/* On a cut axis the begin of a bar lies in what is cut away. */
static bool hides_late(const struct axis *axis, const struct summary_rank *rank, int cells)
{
    return axis->cut && cells > 0 && axis_begin_s(rank) >= (axis->high - axis->low) / cells / 2;
}

void bars_draw(struct canvas *canvas, struct rect line, const struct axis *axis,
               const struct summary_rank *rank, bool phases)
{
    int cells = line.width - 1; /* the last one is the barrier's */
    if (!axis->known || !isfinite(rank->own_s) || cells < 1) {
        canvas_text(canvas, line, 0, 0, STYLE_DIM, "-");
        return;
    }
    int from = break_cells(axis, cells), x;
    bool split = phases && rank->has & (RECORD_DATA | RECORD_FORWARD | RECORD_BACKWARD);
    enum bars_part first = split && rank->has & RECORD_DATA ? PART_DATA : PART_OWN;
    int late = late_cells(axis, rank, cells - from);
    draw_break(canvas, line, from, hides_late(axis, rank, cells - from) ? PART_LATE : first);
    fill(canvas, line, from, from + late, PART_LATE);
    if (split)
        x = draw_phases(canvas, line, from, cells - from, axis, rank, late);
    else
        x = draw_own(canvas, line, from + late,
                     axis_eighths(axis, axis_arrival_s(rank), cells - from) - 8 * late,
                     rank->straggler);
    fill(canvas, line, x, cells, PART_WAIT);
    bars_put(canvas, line, cells, PART_BARRIER);
}

/* --- the axis --- */

struct scale {
    double unit_s; /* seconds in one unit of the labels */
    int decimals, end_decimals;
    const char *name;
};

static struct scale scale_of(const struct axis *axis, double tick, bool unicode)
{
    if (axis->relative)
        return (struct scale){axis->median, tick < 0.0999 ? 2 : 1, 2, "x median"};
    struct format_scale format = format_scale_of(axis->high, unicode);
    double factor = format.factor < 1 ? 1 : format.factor;
    double shown = tick * factor;
    return (struct scale){1 / factor,
                          shown >= 0.999    ? 0
                          : shown >= 0.0999 ? 1
                                            : 2,
                          format.decimals, factor > format.factor ? "s" : format.unit};
}

static void draw_rule(struct canvas *canvas, struct rect bar, int from)
{
    if (bar.height < 2)
        return;
    for (int x = 0; x < bar.width - 1; x++)
        canvas_put(canvas, bar, x, 0, canvas->unicode ? 0x2500 : '-', STYLE_DIM);
    for (int x = 1; x < from; x++)
        canvas_put(canvas, bar, x, 0, '/', STYLE_DIM);
    canvas_put(canvas, bar, bar.width - 1, 0, canvas->unicode ? 0x2534 : '+', STYLE_BARRIER);
}

/* One label with its middle at cell x; false when it would touch the one before
 * or reach `limit`. */
static bool draw_label(struct canvas *canvas, struct rect bar, int x, int *next, int limit,
                       const char *text)
{
    int length = (int)strlen(text), begin = x - length / 2;
    begin = begin < 0 ? 0 : begin;
    if (begin < *next || begin + length > limit)
        return false;
    canvas_text(canvas, bar, begin, bar.height - 1, STYLE_DIM, text);
    *next = begin + length + 1;
    return true;
}

static void draw_ticks(struct canvas *canvas, struct rect bar, const struct axis *axis, int from,
                       double tick, const struct scale *scale, int limit)
{
    char text[FORMAT_BYTES];
    int cells = bar.width - 1 - from, next = 0;
    double low = axis->low / scale->unit_s;
    if (axis->cut) {
        canvas_text(canvas, bar, 0, bar.height - 1, STYLE_DIM, "0");
        snprintf(text, sizeof(text), "%.*f", scale->end_decimals, low);
        next = from + canvas_text(canvas, bar, from, bar.height - 1, STYLE_DIM, text) + 1;
    }
    for (int i = 0; i <= bar.width; i++) {
        double at = (ceil(low / tick - 1e-6) + i) * tick;
        if (at * scale->unit_s > axis->high * (1 + 1e-9))
            break;
        int x = from + (axis_eighths(axis, at * scale->unit_s, cells) + 4) / 8;
        snprintf(text, sizeof(text), "%.*f", at == 0 ? 0 : scale->decimals, at);
        if (draw_label(canvas, bar, x, &next, limit, text) && bar.height > 1 && x < bar.width - 1)
            canvas_put(canvas, bar, x, 0, canvas->unicode ? 0x252C : '+', STYLE_DIM);
    }
}

void bars_draw_axis(struct canvas *canvas, struct rect rect, const struct axis *axis, int bar_x,
                    int bar_width)
{
    if (!axis->known || rect.height < 1 || bar_width < 8)
        return;
    struct rect bar = rect_part(rect, bar_x, 0, bar_width, rect.height);
    int from = break_cells(axis, bar_width - 1);
    double tick = axis_tick(axis, (bar_width - from) / LABEL_CELLS + 1);
    struct scale scale = scale_of(axis, tick, canvas->unicode);
    char end[FORMAT_BYTES];
    snprintf(end, sizeof(end), "%.*f", scale.end_decimals, axis->high / scale.unit_s);
    draw_rule(canvas, bar, from);
    draw_ticks(canvas, bar, axis, from, tick, &scale, bar_width - (int)strlen(end) - 1);
    canvas_text_right(canvas, bar, bar_width, rect.height - 1, STYLE_VALUE, end);
    canvas_printf(canvas, rect, bar_x + bar_width, rect.height - 1, STYLE_DIM, " %s", scale.name);
}

bool bars_have_late(const struct summary *summary)
{
    for (size_t i = 0; i < summary->rank_count; i++)
        if (axis_begin_s(&summary->ranks[i]) > LATE_SEEN * summary->shown.own_max_s)
            return true;
    return false;
}

/* Whether the phases leave anything of the own time that could be seen. */
static bool has_other(const struct summary *summary)
{
    for (size_t i = 0; i < summary->rank_count; i++) {
        double seconds[PART_COUNT] = {0};
        bars_split(&summary->ranks[i], seconds);
        if (seconds[PART_OTHER] > 0.01 * summary->ranks[i].own_s)
            return true;
    }
    return false;
}

void bars_draw_legend(struct canvas *canvas, struct rect line, const struct view_model *model)
{
    uint32_t has = 0;
    for (size_t i = 0; i < model->summary->rank_count; i++)
        has |= model->summary->ranks[i].has;
    bool other = has_other(model->summary), late = bars_have_late(model->summary);
    int x = 1;
    for (int part = PART_OTHER; part <= PART_WAIT; part++) {
        bool phase = part >= PART_DATA && part <= PART_BACKWARD;
        if (phase && !(has & (1u << (PHASE_DATA + part - PART_DATA))))
            continue;
        if ((part == PART_OTHER && !other) || (part == PART_LATE && !late))
            continue;
        bars_put(canvas, line, x, (enum bars_part)part);
        bars_put(canvas, line, x + 1, (enum bars_part)part);
        x += 3 + canvas_text(canvas, line, x + 3, 0, STYLE_DIM, GLYPHS[part].name) + 2;
    }
}

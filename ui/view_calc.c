/* Panels 1.1 and 1.2: arguments that keys change, tiles, the curve. Where there is
 * room also the chapter's tables, and the reported runs. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calc_curve.h"
#include "calc_form.h"
#include "calc_lines.h"
#include "marks.h"
#include "sentence.h"

#define TWO_COLUMNS 76 /* cells in which arguments and tiles stand side by side */
#define WIDE 120       /* and in which tables have room */
#define MARKS_AT 100
#define CURVE_ROWS_MAX 22
#define TABLE_ROWS (CALC_TRAINING_ROWS + CALC_POINT_ROWS + 3)

struct panel {
    const char *title, *note;
    int first, count; /* arguments */
};
static const struct panel PANELS[] = {
    {"Panel 1.1  From 6ND to days on a cluster", "no exchange, restarts, checkpoints", 0,
     CALC_SECOND_PANEL},
    {"Panel 1.2  What one MFU point is worth", "GPU energy only, no cooling", CALC_SECOND_PANEL,
     CALC_COUNT - CALC_SECOND_PANEL},
};
static const char *const SHORT_TITLES[] = {"1.1  From 6ND to days", "1.2  An MFU point"};

static int panel_of(const struct calc_form *form)
{
    return form->cursor >= CALC_SECOND_PANEL;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Where a value comes from, in the room there is; the chapter's say nothing. */
static const char *from_word(enum calc_from from, bool wide)
{
    static const char *const words[] = {"", "run", "=MFU", "yours"};
    return wide ? calc_from_name(from) : words[from];
}

/* ---- one panel ---- */

static void draw_argument(struct canvas *canvas, struct rect line, const struct calc_form *form,
                          enum calc_argument argument)
{
    const struct calc_value *value = &form->values[argument];
    bool here = form->cursor == argument, wide = line.width >= 50;
    char text[FORMAT_BYTES], label[64];
    int from = wide ? 12 : 6, right = line.width - from;
    snprintf(label, sizeof(label), "%s", calc_argument(argument)->label);
    if (argument == CALC_PEAK && line.width >= 40)
        snprintf(label, sizeof(label), "peak of %.40s", calc_form_chip(form));
    if (here)
        canvas_put(canvas, line, 0, 0, '>', STYLE_KEY);
    struct rect name = rect_part(line, 2, 0, right - 14 - 2, 1);
    canvas_text(canvas, name, 0, 0, here ? STYLE_SELECTED : STYLE_NORMAL, label);
    if (here && form->editing) {
        snprintf(text, sizeof(text), "%s_", form->entry);
        canvas_text_right(canvas, line, right, 0, STYLE_KEY, text);
        return;
    }
    calc_argument_text(text, argument, value->value);
    view_number(canvas, line, right, 0, STYLE_VALUE, text, value->evidence);
    canvas_text(canvas, line, right + 1, 0, STYLE_DIM, from_word(value->from, wide));
}

static void draw_arguments(struct canvas *canvas, struct rect rect, const struct calc_form *form,
                           const struct panel *panel, int first)
{
    for (int y = 0; y < rect.height && first + y < panel->first + panel->count; y++)
        draw_argument(canvas, rect_part(rect, 0, y, rect.width, 1), form,
                      (enum calc_argument)(first + y));
}

static void draw_tiles(struct canvas *canvas, struct rect rect, const struct calc_form *form,
                       int panel)
{
    struct calc_tile tiles[CALC_TILES];
    if (panel == 0)
        calc_training_tiles(form, tiles);
    else
        calc_point_tiles(form, tiles);
    for (int y = 0; y < rect.height && y < CALC_TILES; y++) {
        struct rect line = rect_part(rect, 0, y, rect.width, 1);
        int value = (int)strlen(tiles[y].value) + 3;
        canvas_text(canvas, rect_part(line, 0, 0, rect.width - value, 1), 0, 0, STYLE_LABEL,
                    tiles[y].title);
        view_number(canvas, line, rect.width, 0, STYLE_VALUE, tiles[y].value, tiles[y].evidence);
    }
}

/* The first argument of a window of `rows` that has the cursor in it. */
static int first_argument(const struct calc_form *form, const struct panel *panel, int rows)
{
    int cursor = (int)form->cursor, last = panel->first + panel->count - rows;
    if (cursor < panel->first || cursor >= panel->first + panel->count)
        return panel->first;
    return smaller(larger(panel->first, cursor - rows + 1 + (rows > 2)),
                   larger(last, panel->first));
}

static void draw_title(struct canvas *canvas, struct rect line, int which, int first, int rows)
{
    const struct panel *panel = &PANELS[which];
    char place[32];
    bool is_whole = rows >= panel->count;
    snprintf(place, sizeof(place), "%d-%d of %d", first - panel->first + 1,
             first - panel->first + rows, panel->count);
    const char *right = is_whole ? panel->note : place;
    int used = canvas_text(canvas, line, 1, 0, STYLE_LABEL,
                           line.width < 60 ? SHORT_TITLES[which] : panel->title);
    if (used + 4 + (int)strlen(right) <= line.width)
        canvas_text_right(canvas, line, line.width - 1, 0, STYLE_DIM, right);
}

/* A title, then arguments and tiles: side by side, or below each other. */
static void draw_panel(struct canvas *canvas, struct rect rect, const struct calc_form *form,
                       int which)
{
    const struct panel *panel = &PANELS[which];
    int below = rect.height - 1, rows = smaller(panel->count, below);
    bool two = rect.width >= TWO_COLUMNS;
    if (rect.height < 2) { /* the argument is what the keys change */
        draw_arguments(canvas, rect, form, panel, first_argument(form, panel, 1));
        return;
    }
    if (!two)
        rows = smaller(panel->count, larger(below - CALC_TILES, smaller(below, 4)));
    int first = first_argument(form, panel, rows);
    int left = !two ? rect.width : rect.width >= 88 ? 52 : 41;
    draw_title(canvas, rect_part(rect, 0, 0, rect.width, 1), which, first, rows);
    draw_arguments(canvas, rect_part(rect, 0, 1, left, rows), form, panel, first);
    struct rect tiles = two ? rect_part(rect, left + 2, 1, rect.width - left - 3, below)
                            : rect_part(rect, 2, 1 + rows, rect.width - 3, below - rows);
    draw_tiles(canvas, tiles, form, which);
}

/* ---- what else there is room for ---- */

static void draw_marks(struct canvas *canvas, struct rect rect)
{
    size_t count;
    const struct mark *all = marks(&count);
    canvas_text(canvas, rect, 0, 0, STYLE_LABEL, "Reported runs to compare an MFU with");
    for (size_t i = 0; i < count && (int)i + 1 < rect.height; i++) {
        struct rect line = rect_part(rect, 0, (int)i + 1, rect.width, 1);
        char text[FORMAT_BYTES], share[FORMAT_BYTES];
        canvas_text(canvas, line, 0, 0, STYLE_NORMAL, all[i].name);
        canvas_text(canvas, line, 18, 0, STYLE_NORMAL, all[i].scale);
        snprintf(text, sizeof(text), "%s%s %s", isfinite(all[i].about) ? "about " : "",
                 format_share(share, mark_share(&all[i])), mark_share_name(&all[i]));
        view_number(canvas, line, 54, 0, STYLE_VALUE, text, MARKS_EVIDENCE);
        int x = 56;
        if (isfinite(all[i].mfu) && isfinite(all[i].hfu))
            x += canvas_printf(canvas, line, x, 0, STYLE_VALUE, "%s HFU %c ",
                               format_share(share, all[i].hfu), evidence_letter(MARKS_EVIDENCE));
        canvas_text(canvas, line, x + 1, 0, STYLE_DIM, all[i].source);
    }
}

static void draw_rows(struct canvas *canvas, struct rect rect, const char *title,
                      const struct calc_row *rows, int count)
{
    canvas_text(canvas, rect, 1, 0, STYLE_LABEL, title);
    for (int i = 0; i < count && i + 1 < rect.height; i++) {
        struct rect line = rect_part(rect, 0, i + 1, rect.width, 1);
        canvas_text(canvas, rect_part(line, 0, 0, 53, 1), 1, 0, STYLE_NORMAL, rows[i].question);
        canvas_text(canvas, rect_part(line, 0, 0, 87, 1), 55, 0, STYLE_DIM, rows[i].calculation);
        int x = 88 + canvas_text(canvas, line, 88, 0, STYLE_VALUE, rows[i].result);
        if (rows[i].evidence != EVIDENCE_NONE)
            canvas_put(canvas, line, x + 1, 0, (uint32_t)evidence_letter(rows[i].evidence),
                       STYLE_DIM);
    }
}

static void draw_tables(struct canvas *canvas, struct rect rect, const struct calc_form *form)
{
    struct calc_row training[CALC_TRAINING_ROWS], point[CALC_POINT_ROWS];
    calc_training_rows(form, training);
    calc_point_rows(form, point);
    draw_rows(canvas, rect_part(rect, 0, 0, rect.width, CALC_TRAINING_ROWS + 1),
              "How much arithmetic: the 6ND rule", training, CALC_TRAINING_ROWS);
    draw_rows(canvas, rect_part(rect, 0, CALC_TRAINING_ROWS + 2, rect.width, CALC_POINT_ROWS + 1),
              "What one MFU point buys", point, CALC_POINT_ROWS);
}

/* What is wrong: below the panels, or before the last tile. */
static void draw_alarm(struct canvas *canvas, struct rect rect, int used,
                       const struct calc_form *form)
{
    char alarm[200];
    struct rect line = rect_part(rect, 0, smaller(used, rect.height - 1), rect.width, 1);
    if (rect.height < 2 || !calc_alarm(form, alarm, sizeof(alarm)))
        return;
    struct sentence sentence;
    sentence_clear(&sentence, STYLE_WARNING);
    sentence_add(&sentence, "! %s", alarm);
    sentence_cut(&sentence, line.width - 2);
    canvas_fill(canvas, line, ' ', STYLE_NORMAL);
    sentence_draw(&sentence, canvas, line, 1, 0);
}

/* Below the panels and a line for the alarm: curve, tables. */
static void draw_rest(struct canvas *canvas, struct rect rect, const struct calc_form *form)
{
    bool tables = rect.width >= WIDE && rect.height >= TABLE_ROWS + CALC_CURVE_ROWS + 3;
    int height = smaller(rect.height - (tables ? TABLE_ROWS + 1 : 0), CURVE_ROWS_MAX);
    calc_curve_draw(canvas, rect_part(rect, 0, 0, rect.width, height), form);
    if (tables)
        draw_tables(canvas, rect_part(rect, 0, height + 1, rect.width, TABLE_ROWS), form);
}

/* Rows of a panel that is whole. */
static int panel_rows(int which, bool two)
{
    return 1 + (two ? CALC_TILES : PANELS[which].count + CALC_TILES);
}

void view_calc(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct calc_form form = model->calc;
    bool two = rect.width >= TWO_COLUMNS;
    int first = panel_rows(0, two), second = panel_rows(1, two);
    if (rect.height < 1)
        return;
    calc_form_fill(&form, model->summary);
    int width = rect.width >= MARKS_AT + 60 ? MARKS_AT - 4 : rect.width, used;
    if (rect.height < first + second) {
        used = smaller(rect.height, panel_of(&form) ? second : first);
        draw_panel(canvas, rect_part(rect, 0, 0, width, used), &form, panel_of(&form));
    } else {
        int gap = rect.height >= first + second + CALC_CURVE_ROWS + 3;
        used = first + gap + second;
        draw_panel(canvas, rect_part(rect, 0, 0, width, first), &form, 0);
        draw_panel(canvas, rect_part(rect, 0, first + gap, width, second), &form, 1);
        if (width < rect.width)
            draw_marks(canvas, rect_part(rect, MARKS_AT, 0, rect.width - MARKS_AT, 10));
    }
    draw_alarm(canvas, rect, used, &form);
    draw_rest(canvas, rect_part(rect, 0, used + 1, rect.width, rect.height - used - 1), &form);
}

/* The columns beside the bars. */
#include "columns.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "rank_order.h"
#include "text.h"

#define HOST_CELLS 20 /* longer names are cut */
#define GROUP_CELLS 10

struct column {
    const char *head;
    int width;                                      /* the blank before it included */
    int from_width;                                 /* of the screen */
    bool right;                                     /* of the bars */
    bool (*wanted)(const struct view_model *model); /* NULL: always */
    void (*draw)(struct canvas *canvas, struct rect cell, const struct columns_row *row);
};

static enum style row_style(const struct columns_row *row)
{
    if (row->model->selected == (int64_t)row->rank->rank)
        return STYLE_SELECTED;
    if (row->rank->state == RANK_MISSING)
        return STYLE_WARNING;
    return row->rank->straggler ? STYLE_STRAGGLER : STYLE_NORMAL;
}

static void draw_value(struct canvas *canvas, struct rect cell, const struct columns_row *row,
                       const char *text, enum evidence evidence)
{
    bool known = text[0] != '-' || text[1] != '\0';
    enum style style = row->rank->straggler ? STYLE_STRAGGLER : STYLE_NORMAL;
    view_number(canvas, cell, cell.width, 0, known ? style : STYLE_DIM, text,
                known ? model_evidence(row->model, evidence) : EVIDENCE_NONE);
}

static void draw_rank(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    char text[FORMAT_BYTES];
    snprintf(text, sizeof(text), "%u", row->rank->rank);
    canvas_text_right(canvas, cell, cell.width, 0, row_style(row), text);
}

static void draw_host(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    canvas_text(canvas, rect_part(cell, 2, 0, cell.width - 2, 1), 0, 0, STYLE_NORMAL,
                row->rank->host[0] ? row->rank->host : "-");
}

static void draw_group(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    canvas_text(canvas, rect_part(cell, 2, 0, cell.width - 2, 1), 0, 0, STYLE_NORMAL,
                row->rank->group[0] ? row->rank->group : "-");
}

static void draw_own(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    char text[FORMAT_BYTES];
    enum evidence evidence =
        row->model->summary->shown.rule == WAIT_OVERLAPPED ? EVIDENCE_COMPUTED : EVIDENCE_MEASURED;
    draw_value(canvas, cell, row, format_scaled(text, &row->own, row->rank->own_s), evidence);
}

static void draw_wait(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    char text[FORMAT_BYTES];
    draw_value(canvas, cell, row, format_scaled(text, &row->wait, row->rank->wait_s),
               wait_rule_evidence(row->model->summary->shown.rule));
}

static void draw_mean_wait(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    char text[FORMAT_BYTES];
    draw_value(canvas, cell, row, format_scaled(text, &row->mean_wait, row->rank->wait_mean_s),
               wait_rule_evidence(row->model->summary->rule));
}

static void draw_last_count(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    char text[FORMAT_BYTES];
    draw_value(canvas, cell, row, format_count(text, row->rank->arrived_last_count),
               wait_rule_evidence(row->model->summary->rule));
}

static void draw_slowdown(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    char text[FORMAT_BYTES];
    draw_value(canvas, cell, row, format_difference(text, row->rank->slowdown - 1),
               EVIDENCE_COMPUTED);
}

static void draw_window(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    char text[FORMAT_BYTES];
    draw_value(canvas, cell, row, format_difference(text, row->rank->window_slowdown - 1),
               EVIDENCE_COMPUTED);
}

static void draw_phase(struct canvas *canvas, struct rect cell, const struct columns_row *row,
                       enum phase phase)
{
    char text[FORMAT_BYTES];
    bool has = row->rank->has & (1u << phase);
    double seconds = has ? row->rank->phase_s[phase] : NAN;
    draw_value(canvas, cell, row, format_scaled(text, &row->phase[phase], seconds),
               EVIDENCE_MEASURED);
}

static void draw_data(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    draw_phase(canvas, cell, row, PHASE_DATA);
}

static void draw_forward(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    draw_phase(canvas, cell, row, PHASE_FORWARD);
}

static void draw_backward(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    draw_phase(canvas, cell, row, PHASE_BACKWARD);
}

static void draw_sync(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    draw_phase(canvas, cell, row, PHASE_SYNC);
}

static void draw_optimizer(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    draw_phase(canvas, cell, row, PHASE_OPTIMIZER);
}

/* In a narrow place one sign, and only for what is wrong. */
static void draw_sign(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    if (row->role == ROLE_STRAGGLER)
        canvas_put(canvas, cell, 1, 0, canvas->unicode ? 0x25C4 : '<', STYLE_STRAGGLER);
    else if (row->role == ROLE_MISSING)
        canvas_put(canvas, cell, 1, 0, '!', STYLE_WARNING);
}

static void draw_mark(struct canvas *canvas, struct rect cell, const struct columns_row *row)
{
    static const char *const words[] = {"", "missing", "straggler", "last", "fastest", "median"};
    static const enum style styles[] = {STYLE_NORMAL, STYLE_WARNING, STYLE_STRAGGLER,
                                        STYLE_DIM,    STYLE_DIM,     STYLE_DIM};
    if (row->role == ROLE_NONE)
        return;
    /* Not one rank is slow where all of its group are. */
    bool group = row->role == ROLE_STRAGGLER &&
                 rank_mark_of(row->model->summary, row->rank) == RANK_MARK_GROUP;
    canvas_printf(canvas, cell, 1, 0, styles[row->role], "%s %s", canvas->unicode ? "\u2190" : "<-",
                  group ? "slow group" : words[row->role]);
}

static bool has_host(const struct view_model *model)
{
    for (size_t i = 0; i < model->summary->rank_count; i++) {
        if (model->summary->ranks[i].host[0])
            return true;
    }
    return false;
}

static bool has_group(const struct view_model *model)
{
    for (size_t i = 0; i < model->summary->rank_count; i++) {
        if (model->summary->ranks[i].group[0])
            return true;
    }
    return false;
}

static bool has_phase(const struct view_model *model, enum phase phase)
{
    for (size_t i = 0; i < model->summary->rank_count; i++) {
        if (model->summary->ranks[i].has & (1u << phase))
            return true;
    }
    return false;
}

static bool has_data(const struct view_model *model)
{
    return has_phase(model, PHASE_DATA);
}

static bool has_forward(const struct view_model *model)
{
    return has_phase(model, PHASE_FORWARD);
}

static bool has_backward(const struct view_model *model)
{
    return has_phase(model, PHASE_BACKWARD);
}

static bool has_sync(const struct view_model *model)
{
    return has_phase(model, PHASE_SYNC);
}

static bool has_optimizer(const struct view_model *model)
{
    return has_phase(model, PHASE_OPTIMIZER);
}

/* From left to right. */
static const struct column TABLE[] = {
    {"rank", 5, 0, false, NULL, draw_rank},
    {"  host", 14, 110, false, has_host, draw_host},
    {"  group", 10, 130, false, has_group, draw_group},
    {"own time", 12, 90, true, NULL, draw_own},
    {"wait", 10, 72, true, NULL, draw_wait},
    {"data", 10, 150, true, has_data, draw_data},
    {"forward", 10, 130, true, has_forward, draw_forward},
    {"backward", 11, 130, true, has_backward, draw_backward},
    {"sync", 10, 160, true, has_sync, draw_sync},
    {"optimizer", 12, 210, true, has_optimizer, draw_optimizer},
    {"mean wait", 12, 180, true, NULL, draw_mean_wait},
    {"last", 9, 170, true, NULL, draw_last_count},
    {"slower", 10, 0, true, NULL, draw_slowdown},
    {"window", 10, 100, true, NULL, draw_window},
    {"", 2, 0, true, NULL, draw_sign},
    {"", 13, 60, true, NULL, draw_mark},
};

#define TABLE_COUNT (sizeof(TABLE) / sizeof(TABLE[0]))

static int rank_digits(const struct summary *summary)
{
    uint32_t highest = summary->rank_count > 0 ? summary->ranks[summary->rank_count - 1].rank : 0;
    int digits = 1;
    while (highest >= 10) {
        highest /= 10;
        digits++;
    }
    return digits;
}

/* The longest name, within bounds, and the two blanks before it. */
static int name_width(const struct view_model *model, size_t offset, int least, int most)
{
    int longest = least;
    for (size_t i = 0; i < model->summary->rank_count && longest < most; i++) {
        const char *name = (const char *)&model->summary->ranks[i] + offset;
        if (strlen(name) <= (size_t)longest)
            continue;
        int columns = (int)text_columns(str_from(name));
        longest = columns > longest ? columns : longest;
    }
    return (longest < most ? longest : most) + 2;
}

static int width_of(const struct column *column, const struct view_model *model, int screen_width)
{
    if (column->draw == draw_rank) {
        int digits = rank_digits(model->summary) + 1;
        return digits > column->width ? digits : column->width;
    }
    if (column->draw == draw_host)
        return name_width(model, offsetof(struct summary_rank, host), 6, HOST_CELLS);
    if (column->draw == draw_group)
        return name_width(model, offsetof(struct summary_rank, group), 5, GROUP_CELLS);
    if (column->draw == draw_slowdown && screen_width < 72)
        return 9;
    if (column->draw == draw_sign && screen_width >= 60)
        return 0; /* the mark says it in words */
    return column->width;
}

static double larger(double a, double b)
{
    return isfinite(b) && !(a >= b) ? b : a;
}

/* The units follow the rows that are shown. */
static void make_scales(struct columns_row *row, const struct choice *choice, bool unicode)
{
    const struct summary *summary = row->model->summary;
    double own = 0, wait = 0, mean = 0, phase[PHASE_COUNT] = {0};
    for (size_t i = 0; i < choice->count; i++) {
        const struct summary_rank *rank = &summary->ranks[choice->rows[i].index];
        own = larger(own, rank->own_s);
        wait = larger(wait, rank->wait_s);
        mean = larger(mean, rank->wait_mean_s);
        for (int p = 0; p < PHASE_COUNT; p++)
            phase[p] = larger(phase[p], rank->has & (1u << p) ? rank->phase_s[p] : 0);
    }
    row->own = format_scale_of(own, unicode);
    row->wait = format_scale_of(wait, unicode);
    row->mean_wait = format_scale_of(mean, unicode);
    for (int p = 0; p < PHASE_COUNT; p++)
        row->phase[p] = format_scale_of(phase[p], unicode);
}

void columns_make(struct columns *columns, const struct view_model *model,
                  const struct choice *choice, int width, bool unicode)
{
    *columns = (struct columns){.row.model = model};
    make_scales(&columns->row, choice, unicode);
    int left = 0, right = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct column *column = &TABLE[i];
        int cells = width_of(column, model, width);
        if (width < column->from_width || cells == 0 || (column->wanted && !column->wanted(model)))
            continue;
        columns->places[columns->count++] =
            (struct columns_place){column, column->right ? right : left, cells};
        *(column->right ? &right : &left) += cells;
    }
    columns->bar_x = left + 1;
    columns->bar_width = width - columns->bar_x - right;
    for (int i = 0; i < columns->count; i++)
        columns->places[i].x += columns->places[i].column->right ? width - right : 0;
}

void columns_draw_heads(const struct columns *columns, struct canvas *canvas, struct rect line)
{
    for (int i = 0; i < columns->count; i++) {
        const struct columns_place *place = &columns->places[i];
        struct rect cell = rect_part(line, place->x, 0, place->width, 1);
        const char *head = place->column->head;
        if (head[0] == ' ')
            canvas_text(canvas, cell, 0, 0, STYLE_LABEL, head);
        else
            canvas_text_right(canvas, cell, cell.width - (place->column->right ? 2 : 0), 0,
                              STYLE_LABEL, head);
    }
}

void columns_draw(const struct columns *columns, struct canvas *canvas, struct rect line,
                  const struct choice_row *chosen)
{
    struct columns_row row = columns->row;
    row.rank = &row.model->summary->ranks[chosen->index];
    row.role = chosen->role;
    for (int i = 0; i < columns->count; i++) {
        const struct columns_place *place = &columns->places[i];
        place->column->draw(canvas, rect_part(line, place->x, 0, place->width, 1), &row);
    }
}

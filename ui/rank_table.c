/* The columns of the table of all ranks. */
#include "rank_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define NAME_CELLS 18 /* longer names are cut */

enum kind {
    KIND_COUNT,  /* 12,345 */
    KIND_MARK,   /* what is the matter, in words */
    KIND_SLOWER, /* +10.1%: a multiple of the median */
    KIND_SHARE,  /* 1.2% */
    KIND_TIME,   /* 4.84 s, one unit a column */
    KIND_TIMES,  /* how often */
    KIND_NAME,   /* from the log */
};

struct column {
    const char *head;
    enum kind kind;
    int cells, weight;
};

static const struct column COLUMNS[] = {
#define COLUMN(id, head, name, kind, cells, weight, falls) {head, KIND_##kind, cells, weight},
#include "rank_columns.def"
#undef COLUMN
};

const char *rank_column_head(enum rank_column column)
{
    return COLUMNS[column].head;
}

const char *rank_mark_name(enum rank_mark mark)
{
    static const char *const names[] = {"", "last", "slow group", "straggler", "missing"};
    return names[mark];
}

enum style rank_mark_style(enum rank_mark mark)
{
    static const enum style styles[] = {STYLE_NORMAL, STYLE_NORMAL, STYLE_STRAGGLER,
                                        STYLE_STRAGGLER, STYLE_WARNING};
    return styles[mark];
}

/* ---- which columns, and where ---- */

static int digits_of(const struct summary *summary)
{
    char text[FORMAT_BYTES];
    uint32_t highest = summary->rank_count > 0 ? summary->ranks[summary->rank_count - 1].rank : 0;
    return (int)strlen(format_count(text, highest));
}

static int name_cells(const struct summary *summary, enum rank_column column)
{
    int longest = (int)strlen(COLUMNS[column].head);
    for (size_t i = 0; i < summary->rank_count && longest < NAME_CELLS; i++) {
        const char *name = rank_text(&summary->ranks[i], column);
        if (strlen(name) <= (size_t)longest)
            continue;
        int columns = (int)text_columns(str_from(name));
        longest = columns > longest ? columns : longest;
    }
    return longest < NAME_CELLS ? longest : NAME_CELLS;
}

static int cells_of(const struct summary *summary, enum rank_column column)
{
    if (column == RANK_COLUMN_RANK) {
        int digits = digits_of(summary);
        return 2 + (digits < 4 ? 4 : digits);
    }
    /* One cell more than the name: the sign of the order stands in the head. */
    if (COLUMNS[column].kind == KIND_NAME)
        return 3 + name_cells(summary, column);
    return COLUMNS[column].cells;
}

/* The weightiest column that has no place yet; RANK_COLUMN_COUNT: none. */
static enum rank_column next_column(const bool *decided)
{
    enum rank_column best = RANK_COLUMN_COUNT;
    for (int i = 0; i < RANK_COLUMN_COUNT; i++)
        if (!decided[i] && (best == RANK_COLUMN_COUNT || COLUMNS[i].weight > COLUMNS[best].weight))
            best = (enum rank_column)i;
    return best;
}

/* Gives the room away by weight; what is sorted by and the rank's number come
 * first. */
static void choose_columns(const struct view_model *model, int width, int *cells)
{
    const struct summary *summary = model->summary;
    bool decided[RANK_COLUMN_COUNT] = {false};
    enum rank_column column = RANK_COLUMN_RANK, sorted = rank_order_column(&model->rank_order);
    for (int turn = 0; column != RANK_COLUMN_COUNT; turn++) {
        int wanted = cells_of(summary, column);
        bool known = turn < 2 || rank_column_known(summary, column);
        if (!decided[column] && known && wanted <= width) {
            cells[column] = wanted;
            width -= wanted;
        }
        decided[column] = true;
        column = turn == 0 ? sorted : next_column(decided);
    }
}

static void make_scale(struct rank_table *table, enum rank_column column, bool unicode)
{
    const struct summary *summary = table->model->summary;
    double largest = 0;
    for (size_t i = 0; i < summary->rank_count; i++) {
        double value = rank_value(summary, &summary->ranks[i], column);
        if (isfinite(value) && value > largest)
            largest = value;
    }
    table->scales[column] = format_scale_of(largest, unicode);
}

void rank_table_make(struct rank_table *table, const struct view_model *model, int width,
                     bool unicode)
{
    int cells[RANK_COLUMN_COUNT] = {0}, x = 0;
    *table = (struct rank_table){.model = model};
    choose_columns(model, width, cells);
    for (int i = 0; i < RANK_COLUMN_COUNT; i++) {
        if (cells[i] == 0)
            continue;
        table->places[table->count++] = (struct rank_table_place){(enum rank_column)i, x, cells[i]};
        x += cells[i];
        if (COLUMNS[i].kind == KIND_TIME)
            make_scale(table, (enum rank_column)i, unicode);
    }
}

/* ---- heads ---- */

static bool is_left(enum rank_column column)
{
    return COLUMNS[column].kind == KIND_NAME || COLUMNS[column].kind == KIND_MARK;
}

/* Numbers have their evidence letter behind them; ranks and steps have none. */
static int letter_cells(enum rank_column column)
{
    return is_left(column) || COLUMNS[column].kind == KIND_COUNT ? 0 : 2;
}

static uint32_t order_sign(const struct rank_order *order, bool unicode)
{
    bool falls = rank_order_falls(order);
    if (unicode)
        return falls ? 0x25BC : 0x25B2;
    return falls ? '-' : '+';
}

void rank_table_draw_heads(const struct rank_table *table, struct canvas *canvas, struct rect line)
{
    const struct rank_order *order = &table->model->rank_order;
    for (int i = 0; i < table->count; i++) {
        const struct rank_table_place *place = &table->places[i];
        struct rect cell = rect_part(line, place->x, 0, place->width, 1);
        bool sorted = place->column == rank_order_column(order);
        enum style style = sorted ? STYLE_VALUE : STYLE_LABEL;
        const char *head = COLUMNS[place->column].head;
        int right = cell.width - letter_cells(place->column), length = (int)strlen(head);
        int begin = is_left(place->column) ? 2 : right - length;
        canvas_text(canvas, cell, begin, 0, style, head);
        if (sorted)
            canvas_put(canvas, cell, is_left(place->column) ? begin + length : begin - 1, 0,
                       order_sign(order, canvas->unicode), STYLE_VALUE);
    }
}

/* ---- rows ---- */

static enum evidence evidence_of(const struct summary *summary, enum rank_column column)
{
    switch (column) {
    case RANK_COLUMN_OWN:
        return summary->shown.rule == WAIT_OVERLAPPED ? EVIDENCE_COMPUTED : EVIDENCE_MEASURED;
    case RANK_COLUMN_WAIT:
        return wait_rule_evidence(summary->shown.rule);
    case RANK_COLUMN_MEAN_WAIT:
    case RANK_COLUMN_LAST:
        return summary->rule == WAIT_UNKNOWN ? EVIDENCE_COMPUTED /* over steps by several rules */
                                             : wait_rule_evidence(summary->rule);
    case RANK_COLUMN_DATA:
    case RANK_COLUMN_FORWARD:
    case RANK_COLUMN_BACKWARD:
    case RANK_COLUMN_SYNC:
    case RANK_COLUMN_OPTIMIZER:
        return EVIDENCE_MEASURED;
    default:
        return EVIDENCE_COMPUTED;
    }
}

static void format_value(char text[FORMAT_BYTES], const struct rank_table *table,
                         enum rank_column column, double value)
{
    switch (COLUMNS[column].kind) {
    case KIND_SLOWER:
        format_difference(text, value - 1);
        break;
    case KIND_SHARE:
        format_share(text, value);
        break;
    case KIND_TIME:
        format_scaled(text, &table->scales[column], value);
        break;
    default:
        if (isfinite(value))
            format_count(text, (int64_t)value);
        else
            snprintf(text, FORMAT_BYTES, "-");
    }
}

struct row {
    const struct rank_table *table;
    const struct summary_rank *rank;
    enum rank_mark mark;
    enum style style; /* of the whole row; STYLE_NORMAL: each cell its own */
};

static void draw_number(const struct row *row, struct canvas *canvas, struct rect cell,
                        enum rank_column column)
{
    char text[FORMAT_BYTES];
    const struct view_model *model = row->table->model;
    format_value(text, row->table, column, rank_value(model->summary, row->rank, column));
    bool known = strcmp(text, "-") != 0;
    enum style style = row->style != STYLE_NORMAL ? row->style
                       : !known                   ? STYLE_DIM
                                                  : rank_mark_style(row->mark);
    if (row->style == STYLE_NORMAL && row->mark == RANK_MARK_MISSING &&
        column != RANK_COLUMN_RANK && column != RANK_COLUMN_STEP)
        style = known ? STYLE_NORMAL : STYLE_DIM; /* it is not the figures that are wrong */
    if (letter_cells(column) == 0) {
        canvas_text_right(canvas, cell, cell.width, 0, style, text);
        return;
    }
    enum evidence evidence = evidence_of(model->summary, column);
    view_number(canvas, cell, cell.width, 0, style, text,
                known ? model_evidence(model, evidence) : EVIDENCE_NONE);
}

static void draw_text(const struct row *row, struct canvas *canvas, struct rect cell,
                      enum rank_column column)
{
    const char *text = rank_text(row->rank, column);
    struct rect inner = rect_part(cell, 2, 0, cell.width - (text ? 3 : 2), 1);
    enum style style = row->style;
    if (!text) {
        text = rank_mark_name(row->mark);
        style = style == STYLE_NORMAL ? rank_mark_style(row->mark) : style;
    } else if (!text[0]) {
        text = "-";
    }
    canvas_text(canvas, inner, 0, 0, style, text);
}

void rank_table_draw(const struct rank_table *table, struct canvas *canvas, struct rect line,
                     const struct summary_rank *rank, bool cursor)
{
    struct row row = {table, rank, rank_mark_of(table->model->summary, rank),
                      cursor ? STYLE_SELECTED : STYLE_NORMAL};
    if (cursor)
        canvas_fill(canvas, line, ' ', STYLE_SELECTED);
    if (cursor) /* colours are never the only sign */
        canvas_put(canvas, line, 0, 0, '>', STYLE_SELECTED);
    for (int i = 0; i < table->count; i++) {
        const struct rank_table_place *place = &table->places[i];
        struct rect cell = rect_part(line, place->x, 0, place->width, 1);
        if (is_left(place->column))
            draw_text(&row, canvas, cell, place->column);
        else
            draw_number(&row, canvas, cell, place->column);
    }
}

/* What keys do on the screen of all ranks: the order, the cursor, one closer. */
#include "model_ranks.h"

#include <stdio.h>

#define FIRST (-(INT64_C(1) << 40)) /* farther than any table is long */
#define LAST (INT64_C(1) << 40)

void model_open_detail(struct view_model *model)
{
    model->detail_from = model->screen;
    model->screen = SCREEN_RANKS;
    model->detail = true;
    model->page_scroll = 0;
}

static void say_order(struct view_model *model)
{
    const struct rank_order *order = &model->rank_order;
    snprintf(model->message, sizeof(model->message), "sorted by %s%s",
             rank_column_name(rank_order_column(order)),
             order->reverse ? ", the other way round" : "");
}

/* Columns of which nothing is known are passed over. */
static void turn_order(struct view_model *model, int by)
{
    struct rank_order *order = &model->rank_order;
    for (int i = 0; i < RANK_COLUMN_COUNT; i++) {
        order->turns = (order->turns + by + RANK_COLUMN_COUNT) % RANK_COLUMN_COUNT;
        if (rank_column_known(model->summary, rank_order_column(order)))
            break;
    }
    order->reverse = false;
    order->scroll = 0;
    say_order(model);
}

static void reverse_order(struct view_model *model)
{
    model->rank_order.reverse = !model->rank_order.reverse;
    model->rank_order.scroll = 0;
    say_order(model);
}

static void select_index(struct view_model *model, const struct rank_rows *rows, size_t row)
{
    model->selected = model->summary->ranks[rows->index[row]].rank;
    model->rank_order.scroll =
        rank_order_scroll(&model->rank_order, row, rows->count, model->rank_rows);
}

/* Moves the cursor; from nowhere to the first row. */
static void move_cursor(struct view_model *model, int64_t by)
{
    const struct summary *summary = model->summary;
    struct rank_rows rows = rank_rows_make(summary, model->filter, &model->rank_order);
    size_t row = rank_rows_find(&rows, summary, model->selected);
    int64_t last = (int64_t)rows.count - 1;
    int64_t to = row == SIZE_MAX ? (by == LAST ? last : 0) : (int64_t)row + by;
    if (last >= 0)
        select_index(model, &rows, (size_t)(to < 0 ? 0 : to > last ? last : to));
    rank_rows_done(&rows);
}

/* The rank in a row of those that are seen. */
static void select_seen(struct view_model *model, uint32_t code)
{
    const struct summary *summary = model->summary;
    struct rank_rows rows = rank_rows_make(summary, model->filter, &model->rank_order);
    size_t cursor = rank_rows_find(&rows, summary, model->selected);
    int first = rank_order_scroll(&model->rank_order, cursor, rows.count, model->rank_rows);
    size_t row = (size_t)first + (code >= '1' && code <= '9' ? code - '1' : 0);
    if (row < rows.count && (int)row - first < model->rank_rows)
        select_index(model, &rows, row);
    rank_rows_done(&rows);
}

static void open_cursor(struct view_model *model)
{
    const struct summary *summary = model->summary;
    struct rank_rows rows = rank_rows_make(summary, model->filter, &model->rank_order);
    if (rows.count > 0 && rank_rows_find(&rows, summary, model->selected) == SIZE_MAX)
        select_index(model, &rows, 0);
    if (rows.count > 0)
        model_open_detail(model);
    rank_rows_done(&rows);
}

static bool detail_command(struct view_model *model, enum command command)
{
    switch (command) {
    case CMD_UP:
    case CMD_DOWN: /* the rank beside it in the table */
        move_cursor(model, command == CMD_UP ? -1 : 1);
        return true;
    case CMD_PAGE_BACK:
        model->page_scroll = model->page_scroll < 5 ? 0 : model->page_scroll - 5;
        return true;
    case CMD_PAGE_FORTH:
        model->page_scroll = model->page_scroll > 1000 ? 1000 : model->page_scroll + 5;
        return true;
    default:
        return false;
    }
}

static bool table_command(struct view_model *model, struct key_event event)
{
    int page = model->rank_rows > 1 ? model->rank_rows - 1 : 1;
    switch (event.command) {
    case CMD_UP:
    case CMD_DOWN:
        move_cursor(model, event.command == CMD_UP ? -1 : 1);
        return true;
    case CMD_PAGE_BACK:
    case CMD_PAGE_FORTH:
        move_cursor(model, event.command == CMD_PAGE_BACK ? -page : page);
        return true;
    case CMD_FIRST_STEP:
    case CMD_LAST_STEP:
        move_cursor(model, event.command == CMD_FIRST_STEP ? FIRST : LAST);
        return true;
    case CMD_ROW:
        select_seen(model, event.code);
        return true;
    case CMD_SELECT:
        open_cursor(model);
        return true;
    case CMD_SORT:
    case CMD_SORT_BACK:
        turn_order(model, event.command == CMD_SORT ? 1 : -1);
        return true;
    case CMD_SORT_REVERSE:
        reverse_order(model);
        return true;
    default:
        return false;
    }
}

bool model_ranks_command(struct view_model *model, struct key_event event)
{
    return model->detail ? detail_command(model, event.command) : table_command(model, event);
}

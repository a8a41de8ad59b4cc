/* Keys of heat map and history: cursor, zoom, pan. */
#include "model_span.h"

#include <stdio.h>

#include "span.h"
#include "view_heat.h"

#define JUMP_COLUMNS 10 /* of a page key, where all of the run is seen */

static void say(struct view_model *model, const char *text)
{
    snprintf(model->message, sizeof(model->message), "%s", text);
}

static struct span_view *view_of(struct view_model *model)
{
    return model->screen == SCREEN_HEAT ? &model->heat : &model->history;
}

static bool has_columns(const struct view_model *model)
{
    return model->overview && model->overview->column_count > 0;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* ---- which part is seen ---- */

static void see_all(struct span_view *view)
{
    view->from = view->positions = 0;
}

/* So many positions from `from` on, cut to the run; all of them is not zoomed. */
static void see(struct span_view *view, const struct overview *overview, int64_t from,
                int64_t positions)
{
    if (positions >= overview->positions) {
        see_all(view);
        return;
    }
    view->positions = positions < 1 ? 1 : positions;
    view->from = clamp(from, 0, overview->positions - view->positions);
}

/* Of the shown step, in its column: as if no step of that were left out. */
static int64_t shown_position(const struct overview_column *column,
                              const struct summary_step *shown)
{
    int64_t within = shown->attempt == column->first_attempt
                         ? shown->step - column->first_step
                         : column->positions - 1 - (column->last_step - shown->step);
    return column->first_position + clamp(within, 0, column->positions - 1);
}

/* Where the cursor is, or would be. */
static int64_t place_of(const struct view_model *model, const struct span_view *view)
{
    const struct overview *overview = model->overview;
    int64_t last = overview->positions - 1;
    if (view->cursor >= 0)
        return clamp(view->cursor, 0, last);
    size_t column = span_cursor_column(overview, view, model->summary);
    const struct overview_column *seen = &overview->columns[overview->column_count - 1];
    if (column == SPAN_NOWHERE)
        return clamp(seen->first_position, 0, last);
    return clamp(shown_position(&overview->columns[column], &model->summary->shown), 0, last);
}

static int64_t seen_positions(const struct view_model *model, const struct span_view *view)
{
    int64_t all = model->overview->positions;
    return view->positions > 0 && view->positions < all ? view->positions : all;
}

/* ---- zoom: the cursor stays where it is ---- */

static void say_finest(struct view_model *model)
{
    char text[MODEL_TEXT_BYTES];
    if (model->overview->finest > 1)
        snprintf(text, sizeof(text), "%lld steps a column: no finer is kept",
                 (long long)model->overview->finest);
    else
        snprintf(text, sizeof(text), "one step a column: no finer");
    say(model, text);
}

static bool is_finest(const struct overview *overview)
{
    int64_t finest = overview->finest < 1 ? 1 : overview->finest;
    for (size_t i = 0; i < overview->column_count; i++)
        if (overview->columns[i].positions > finest)
            return false;
    return true;
}

static void zoom(struct view_model *model, struct span_view *view, bool in)
{
    const struct overview *overview = model->overview;
    int64_t now = seen_positions(model, view), from = view->positions > 0 ? view->from : 0;
    if (in && is_finest(overview)) {
        say_finest(model);
        return;
    }
    if (!in && view->positions <= 0) {
        say(model, "this is all of the run");
        return;
    }
    int64_t place = place_of(model, view), twice = now > INT64_MAX / 2 ? INT64_MAX : now * 2;
    int64_t wanted = in ? now - now / 2 : twice;
    /* The cursor keeps its share of the width. */
    double share = clamp(place - from, 0, now) / (double)now;
    view->cursor = place;
    see(view, overview, place - (int64_t)(share * (double)wanted), wanted);
}

/* ---- the cursor, and the window with it ---- */

/* So that the column of `width` positions that begins there is seen whole. */
static void move_to(struct view_model *model, struct span_view *view, int64_t position,
                    int64_t width)
{
    const struct overview *overview = model->overview;
    view->cursor = clamp(position, 0, overview->positions - 1);
    if (view->positions <= 0)
        return;
    int64_t from = view->from;
    if (view->cursor < from)
        from = view->cursor;
    else if (view->cursor - from > view->positions - width)
        from = view->cursor - view->positions + width;
    see(view, overview, from, view->positions);
}

/* At the edge, and where the picture is still of another part, by a column's width. */
static void move_column(struct view_model *model, struct span_view *view, int by)
{
    const struct overview *overview = model->overview;
    int64_t place = place_of(model, view), width = overview->columns[0].positions;
    size_t column = span_column_at(overview, place);
    for (; by != 0; by += by > 0 ? -1 : 1) {
        bool last =
            column == SPAN_NOWHERE || (by > 0 ? column + 1 >= overview->column_count : column == 0);
        if (last) {
            place += by > 0 ? width : -width;
            break;
        }
        column = by > 0 ? column + 1 : column - 1;
        place = overview->columns[column].first_position;
    }
    move_to(model, view, place, width);
}

static void move_page(struct view_model *model, struct span_view *view, int direction)
{
    const struct overview *overview = model->overview;
    if (view->positions <= 0) {
        move_column(model, view, direction * JUMP_COLUMNS);
        return;
    }
    int64_t page = seen_positions(model, view), place = place_of(model, view);
    int64_t from = view->from;
    see(view, overview, direction > 0 ? clamp(from, 0, overview->positions) + page : from - page,
        page);
    view->cursor = clamp(place + (view->from - from), 0, overview->positions - 1);
}

/* The end of the run: where a live one goes on. */
static void move_end(struct view_model *model, struct span_view *view,
                     struct view_request *ret_request)
{
    move_to(model, view, model->overview->positions - 1, 1);
    if (view->positions > 0 || model->playback.on)
        return;
    view->cursor = -1;
    model->paused = false;
    *ret_request = (struct view_request){.kind = REQUEST_LATEST};
}

/* ---- rows of the heat map ---- */

static void move_row(struct view_model *model, int by)
{
    struct span_view *view = &model->heat;
    struct heat_rows rows;
    heat_rows_of(&rows, model, model->rank_rows);
    int last = rows.count > INT32_MAX / 2 ? INT32_MAX / 2 : (int)rows.count - 1;
    size_t first = heat_first_row(&rows, view, model->rank_rows);
    int64_t to = view->rank_cursor < 0 ? (int64_t)first : (int64_t)view->rank_cursor + by;
    view->rank_cursor = last < 0 ? -1 : (int)clamp(to, 0, last);
    view->rank_scroll = (int)heat_first_row(&rows, view, model->rank_rows);
    heat_rows_done(&rows);
}

static void turn_rows(struct view_model *model)
{
    char text[MODEL_TEXT_BYTES];
    struct span_view *view = &model->heat;
    enum heat_by by = heat_by_next(model->overview, (enum heat_by)view->blocks);
    view->blocks = (uint8_t)by;
    view->rank_scroll = 0;
    view->rank_cursor = -1;
    snprintf(text, sizeof(text), "rows: %s", heat_by_name(by));
    say(model, text);
}

static bool heat_key(struct view_model *model, struct key_event event)
{
    struct span_view *view = &model->heat;
    if (event.code == KEYS_UP || event.code == KEYS_DOWN) {
        move_row(model, event.code == KEYS_UP ? -1 : 1);
    } else if (event.code == 'b') {
        turn_rows(model);
    } else if (event.code == 'w') {
        view->worst = !view->worst;
        say(model, view->worst ? "the worst step of each column" : "the mean of each column");
    } else if (event.command == CMD_SORT) {
        view->slowest_first = !view->slowest_first;
        view->rank_scroll = 0;
        view->rank_cursor = -1;
        say(model, view->slowest_first ? "rows: slowest first" : "rows: by number");
    } else {
        return false;
    }
    return true;
}

/* ---- to the barrier ---- */

static void choose_rank(struct view_model *model, size_t column)
{
    struct heat_rows rows;
    heat_rows_of(&rows, model, model->rank_rows);
    uint32_t row = HEAT_NO_ROW;
    if (model->heat.rank_cursor >= 0 && rows.count > 0)
        row = (uint32_t)clamp(model->heat.rank_cursor, 0, (int64_t)rows.count - 1);
    size_t rank = heat_rows_worst_rank(&rows, model->overview, row, column);
    model->selected = rank == SIZE_MAX ? -1 : (int64_t)model->overview->ranks[rank].rank;
    heat_rows_done(&rows);
}

static void enter(struct view_model *model, struct span_view *view,
                  struct view_request *ret_request)
{
    size_t column = span_cursor_column(model->overview, view, model->summary);
    if (column == SPAN_NOWHERE) {
        say(model, "no step is chosen: Left or Right");
        return;
    }
    const struct overview_column *here = &model->overview->columns[column];
    bool heat = model->screen == SCREEN_HEAT;
    bool worst = heat && view->worst;
    if (heat)
        choose_rank(model, column);
    *ret_request = (struct view_request){
        .kind = REQUEST_GO,
        .amount = worst ? here->worst_step : here->first_step,
        .attempt = worst ? here->worst_attempt : here->first_attempt,
    };
    const struct summary_step *shown = &model->summary->shown;
    if (!worst && span_shown_column(model->overview, model->summary) == column) {
        ret_request->amount = shown->step; /* it is in this column */
        ret_request->attempt = shown->attempt;
    }
    model->paused = true;
    model->screen = SCREEN_TIMELINE;
    model->detail = false;
    model->rank_line = heat && model->selected >= 0;
    view->cursor = -1; /* the step that is shown from now on */
}

/* ---- all of them ---- */

static bool moves_the_shown_step(enum command command)
{
    return command == CMD_NEXT_EVENT || command == CMD_PREVIOUS_EVENT ||
           command == CMD_NEXT_STRAGGLER || command == CMD_PREVIOUS_STRAGGLER ||
           command == CMD_NEXT_MARK || command == CMD_PREVIOUS_MARK || command == CMD_LIVE ||
           command == CMD_PREVIOUS_STEP || command == CMD_NEXT_STEP || command == CMD_GO;
}

static bool span_key(struct view_model *model, struct span_view *view, struct key_event event,
                     struct view_request *ret_request)
{
    if (event.code == KEYS_LEFT || event.code == KEYS_RIGHT)
        move_column(model, view, event.code == KEYS_LEFT ? -1 : 1);
    else if (event.command == CMD_PAGE_BACK || event.command == CMD_PAGE_FORTH)
        move_page(model, view, event.command == CMD_PAGE_BACK ? -1 : 1);
    else if (event.command == CMD_FIRST_STEP)
        move_to(model, view, 0, 1);
    else if (event.command == CMD_LAST_STEP)
        move_end(model, view, ret_request);
    else if (event.code == '+' || event.code == '=' || event.code == '-')
        zoom(model, view, event.code != '-');
    else if (event.code == '0')
        see_all(view);
    else if (event.command == CMD_SELECT)
        enter(model, view, ret_request);
    else
        return false;
    return true;
}

/* What these keys do needs the picture; without one they do nothing. */
static bool is_of_a_span(const struct view_model *model, struct key_event event)
{
    bool heat = model->screen == SCREEN_HEAT;
    return event.code == KEYS_LEFT || event.code == KEYS_RIGHT || event.code == '+' ||
           event.code == '=' || event.code == '-' || event.code == '0' ||
           event.command == CMD_PAGE_BACK || event.command == CMD_PAGE_FORTH ||
           event.command == CMD_FIRST_STEP || event.command == CMD_LAST_STEP ||
           event.command == CMD_SELECT ||
           (heat && (event.code == KEYS_UP || event.code == KEYS_DOWN || event.code == 'b' ||
                     event.code == 'w' || event.command == CMD_SORT));
}

static void begin_filter(struct view_model *model)
{
    model->entering = true;
    model->entry_kind = ENTRY_FILTER;
    snprintf(model->entry, sizeof(model->entry), "%s", model->filter);
}

bool model_span_command(struct view_model *model, struct key_event event,
                        struct view_request *ret_request)
{
    struct span_view *view = view_of(model);
    if (model->screen == SCREEN_HEAT && event.command == CMD_FILTER) {
        view->rank_scroll = 0;
        view->rank_cursor = -1;
        begin_filter(model);
        return true;
    }
    if (!has_columns(model))
        return is_of_a_span(model, event);
    if (view->positions > 0)
        see(view, model->overview, clamp(view->from, 0, model->overview->positions),
            view->positions);
    if (span_key(model, view, event, ret_request) ||
        (model->screen == SCREEN_HEAT && heat_key(model, event)))
        return true;
    if (moves_the_shown_step(event.command))
        view->cursor = -1; /* it goes along */
    return false;
}

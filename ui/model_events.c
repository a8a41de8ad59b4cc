/* Keys of the events screen: the cursor, the order, which kinds are listed. */
#include "model_events.h"

#include <stdio.h>

#include "event_lines.h"

#define FAR (INT64_C(1) << 40) /* farther than any list is long */

static void say(struct view_model *model, const char *text)
{
    snprintf(model->message, sizeof(model->message), "%s", text);
}

/* As the view counts the lines. */
static void scroll_to(struct view_model *model, const struct event_rows *rows, size_t row)
{
    struct events_view *view = &model->events_view;
    const struct summary_step *shown = &model->summary->shown;
    bool placed = shown->known && model->rank_rows >= EVENT_PLACE_LINES;
    size_t above = event_rows_above(rows, model->events, view, shown->attempt, shown->step);
    view->scroll = event_rows_scroll(view, row + (placed && row >= above), rows->count + placed,
                                     model->rank_rows);
}

/* The cursor that is sent to the newest event goes on with the newest. */
static void move_cursor(struct view_model *model, int64_t by)
{
    struct events_view *view = &model->events_view;
    struct event_rows rows = event_rows_make(model->events, view);
    size_t row = event_rows_cursor(&rows, model->events, view);
    int64_t last = (int64_t)rows.count - 1, to = (int64_t)row + by;
    bool newest = by == (view->oldest_first ? FAR : -FAR);
    if (rows.count > 0) {
        row = (size_t)(to < 0 ? 0 : to > last ? last : to);
        view->cursor = event_key_of(&model->events->items[rows.index[row]]);
        view->cursor.set = !newest;
        scroll_to(model, &rows, row);
    }
    event_rows_done(&rows);
}

static struct view_request go_to(struct view_model *model, const struct run_event *event)
{
    model->paused = true;
    event_say_end(model->message, sizeof(model->message), &event->verdict, false);
    return (struct view_request){
        .kind = REQUEST_GO, .amount = event->verdict.from_step, .attempt = event->verdict.attempt};
}

/* To the step at which it began, seen as a barrier, with the rank that it is about. */
static struct view_request open_cursor(struct view_model *model)
{
    struct view_request request = {.kind = REQUEST_NONE};
    struct event_rows rows = event_rows_make(model->events, &model->events_view);
    size_t row = event_rows_cursor(&rows, model->events, &model->events_view);
    if (row != SIZE_MAX) {
        const struct run_event *event = &model->events->items[rows.index[row]];
        request = go_to(model, event);
        model->events_view.cursor = event_key_of(event);
        model->screen = SCREEN_TIMELINE;
        model->selected = event->verdict.rank >= 0 ? event->verdict.rank : -1;
        model->rank_line = model->selected >= 0;
    }
    event_rows_done(&rows);
    return request;
}

#define ALL_BUT_SLOW (~((1u << VERDICT_STRAGGLER) | (1u << VERDICT_GROUP)))

static void turn_kinds(struct view_model *model)
{
    struct events_view *view = &model->events_view;
    if (view->hidden == 0) {
        view->hidden = 1u << VERDICT_SPIKE;
        say(model, "events without spikes");
    } else if (view->hidden != ALL_BUT_SLOW) {
        view->hidden = ALL_BUT_SLOW;
        say(model, "stragglers and slow groups only");
    } else {
        view->hidden = 0;
        say(model, "all events");
    }
    view->scroll = 0;
}

static void turn_order(struct view_model *model)
{
    struct events_view *view = &model->events_view;
    view->oldest_first = !view->oldest_first;
    view->scroll = 0;
    say(model, view->oldest_first ? "events in the order of the run" : "events, newest first");
}

static bool list_command(struct view_model *model, enum command command)
{
    int page = model->rank_rows > 1 ? model->rank_rows - 1 : 1;
    switch (command) {
    case CMD_UP:
    case CMD_DOWN:
        move_cursor(model, command == CMD_UP ? -1 : 1);
        return true;
    case CMD_PAGE_BACK:
    case CMD_PAGE_FORTH:
        move_cursor(model, command == CMD_PAGE_BACK ? -page : page);
        return true;
    case CMD_FIRST_STEP:
    case CMD_LAST_STEP:
        move_cursor(model, command == CMD_FIRST_STEP ? -FAR : FAR);
        return true;
    default:
        return false;
    }
}

bool model_events_command(struct view_model *model, struct key_event event,
                          struct view_request *ret_request)
{
    switch (event.command) {
    case CMD_ORDER:
    case CMD_SORT:
    case CMD_SORT_REVERSE:
        turn_order(model);
        return true;
    case CMD_KINDS:
        turn_kinds(model);
        return true;
    case CMD_SELECT:
        if (model->events)
            *ret_request = open_cursor(model);
        return true;
    default:
        /* without a list these keys are about steps, as elsewhere */
        return model->events && model->events->count > 0 && list_command(model, event.command);
    }
}

struct view_request model_events_slow(struct view_model *model, int direction)
{
    const struct run_events *events = model->events;
    const struct summary_step *shown = &model->summary->shown;
    const struct run_event *best = NULL;
    for (size_t i = 0; i < events->count && shown->known; i++) {
        const struct run_event *event = &events->items[i];
        int where = event_compare(event, shown->attempt, shown->step);
        if (!verdict_kind_is_slow(event->verdict.kind) || where != direction)
            continue;
        bool nearer = !best || (event_compare(event, best->verdict.attempt,
                                              best->verdict.from_step) == -direction);
        best = nearer ? event : best;
    }
    if (best)
        return go_to(model, best);
    bool reading = model->playback.on && model->playback.indexed < 1;
    snprintf(model->message, sizeof(model->message), "no straggler begins %s this step%s",
             direction > 0 ? "after" : "before", reading ? " as far as the logs are read" : "");
    return (struct view_request){.kind = REQUEST_NONE};
}

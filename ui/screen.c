/* A whole screen: layout and views put together. */
#include "screen.h"

#include "alarm_lines.h"
#include "job_lines.h"
#include "layout.h"
#include "verdict_lines.h"
#include "sentence.h"
#include "view.h"
#include "view_playback.h"

static int matching_ranks(const struct view_model *model)
{
    const struct summary *summary = model->summary;
    if (!model->filter[0])
        return (int)summary->rank_count;
    int count = 0;
    for (size_t i = 0; i < summary->rank_count; i++)
        count += filter_matches(model->filter, &summary->ranks[i]);
    return count;
}

static struct layout make_layout(const struct view_model *model, int width, int height)
{
    struct sentence alarms[ALARM_LINES_MAX];
    struct layout_want want = {
        .ranks = matching_ranks(model),
        .verdicts = verdict_lines_wanted(model),
        .alarms = alarm_lines(model, alarms, ALARM_LINES_MAX),
        .legend = model->phases,
        .playback = model->playback.on,
        .whole = job_alone(model->summary),
    };
    if (model->summary->shown.rule == WAIT_UNKNOWN && want.ranks < 6)
        want.ranks = 6; /* lines for the sentence that says why */
    return layout_make(width, height, &want);
}

/* All between the header and the key line. */
static struct rect middle(const struct canvas *canvas, const struct layout *layout)
{
    int top = layout->header.y + layout->header.height;
    return rect_part(canvas_rect(canvas), 0, top, canvas->width,
                     canvas->height - top - layout->playback.height - layout->keys.height);
}

int screen_rank_rows(const struct view_model *model, int width, int height)
{
    struct layout layout = make_layout(model, width, height);
    struct canvas canvas = {.width = width, .height = height};
    if (model->screen == SCREEN_RANKS && layout.kind >= LAYOUT_LIST)
        return view_ranks_rows(middle(&canvas, &layout).height);
    if (model->screen == SCREEN_EVENTS && layout.kind >= LAYOUT_LIST)
        return view_events_rows(middle(&canvas, &layout).height);
    if (model->screen == SCREEN_HEAT && layout.kind >= LAYOUT_LIST)
        return view_heat_rows(middle(&canvas, &layout).height);
    return layout.rank_rows;
}

bool screen_wants(const struct view_model *model, int width, int height,
                  struct overview_request *ret_request)
{
    struct layout layout = make_layout(model, width, height);
    struct canvas canvas = {.width = width, .height = height};
    if (layout.kind < LAYOUT_LIST)
        return false;
    struct rect rect = middle(&canvas, &layout);
    if (model->screen == SCREEN_HEAT)
        *ret_request = view_heat_wants(rect.width, rect.height, model);
    else if (model->screen == SCREEN_HISTORY)
        *ret_request = view_history_wants(rect.width, rect.height, model);
    return model->screen == SCREEN_HEAT || model->screen == SCREEN_HISTORY;
}

static void draw_timeline(struct canvas *canvas, const struct layout *layout,
                          const struct view_model *model)
{
    view_header(canvas, layout->header, model);
    if (model->summary->rank_count == 0) {
        view_empty(canvas, middle(canvas, layout), model);
        return;
    }
    view_verdict(canvas, layout->verdict, model);
    view_alarms(canvas, layout->alarms, model);
    if (job_alone(model->summary)) {
        view_job(canvas, layout->bars, model);
        return;
    }
    if (layout->kind == LAYOUT_LIST)
        view_list(canvas, layout, model);
    else
        view_timeline(canvas, layout, model);
    view_strips(canvas, layout, model);
}

static bool needed(const struct view_model *model)
{
    bool selected = model->screen == SCREEN_TIMELINE && model->rank_line && model->selected >= 0 &&
                    !job_alone(model->summary);
    return model->entering || model->message[0] || selected;
}

/* A message is seen whole, with what to do about it: over other lines, until the next key. */
static int message_lines(const struct canvas *canvas, const struct view_model *model)
{
    struct sentence message;
    int most = canvas->height / 3, lines = 0;
    if (!model->message[0] || model->entering || canvas->width < 4)
        return 1;
    sentence_clear(&message, STYLE_VALUE);
    sentence_add_raw(&message, model->message);
    for (size_t from = 0; message.text[from] && lines < most; lines++)
        from = sentence_line_end(&message, from, canvas->width - 2);
    return lines < 1 ? 1 : lines;
}

/* A filter being typed has to be seen, also where the key line has no place. */
static struct rect key_line(const struct canvas *canvas, const struct layout *layout,
                            const struct view_model *model)
{
    int lines = message_lines(canvas, model);
    if (lines <= 1 && (layout->keys.height > 0 || !needed(model)))
        return layout->keys;
    return rect_part(canvas_rect(canvas), 0, canvas->height - lines, canvas->width, lines);
}

static void draw_other(struct canvas *canvas, const struct layout *layout,
                       const struct view_model *model)
{
    struct rect rect = middle(canvas, layout);
    view_header(canvas, layout->header, model);
    if (job_alone(model->summary) &&
        (model->screen == SCREEN_RANKS || model->screen == SCREEN_HEAT))
        view_job_none(canvas, rect, model);
    else if (model->screen == SCREEN_RANKS)
        view_ranks(canvas, rect, model);
    else if (model->screen == SCREEN_LEDGER)
        view_ledger(canvas, rect, model);
    else if (model->screen == SCREEN_EVENTS)
        view_events(canvas, rect, model);
    else if (model->screen == SCREEN_HEAT)
        view_heat(canvas, rect, model);
    else if (model->screen == SCREEN_HISTORY)
        view_history(canvas, rect, model);
    else
        view_calc(canvas, rect, model);
    view_playback(canvas, layout->playback, model);
    view_keys(canvas, key_line(canvas, layout, model), model);
}

void screen_draw(struct canvas *canvas, const struct view_model *model)
{
    struct layout layout = make_layout(model, canvas->width, canvas->height);
    canvas_clear(canvas);
    if (layout.kind == LAYOUT_BLANK)
        return;
    if (model->screen == SCREEN_HELP && canvas->height > 1 && canvas->width >= 10) {
        view_help(canvas, canvas_rect(canvas), model);
        return;
    }
    if (model->screen != SCREEN_TIMELINE && layout.kind != LAYOUT_LINE) {
        draw_other(canvas, &layout, model);
        return;
    }
    if (layout.kind == LAYOUT_LINE)
        view_line(canvas, layout.header, model);
    else
        draw_timeline(canvas, &layout, model);
    view_playback(canvas, layout.playback, model);
    /* On a list that does not hold all ranks this line says how many there are. */
    if (layout.kind != LAYOUT_LIST || job_alone(model->summary) ||
        layout.rank_rows >= matching_ranks(model) || needed(model))
        view_keys(canvas, key_line(canvas, &layout, model), model);
}

/* The events screen: what happened, and when. */
#include "view.h"

#include <stdio.h>

#include "alarm_lines.h"
#include "event_table.h"
#include "job_lines.h"
#include "verdict_lines.h"

#define LINES_ABOVE 2  /* how many there are, and the heads */
#define DETAIL_LINES 2 /* the whole of the cursor's event, in words, below a blank line */
#define DETAIL_HEIGHT 14

static int detail_lines(int height)
{
    return height >= DETAIL_HEIGHT ? DETAIL_LINES + 1 : 0;
}

int view_events_rows(int height)
{
    int rows = height - LINES_ABOVE - detail_lines(height);
    return rows > 0 ? rows : 0;
}

/* ---- the line on top ---- */

struct tally {
    const struct view_model *model;
    size_t seen, above; /* rows, and how many of them stand above the shown step */
};

static const char *hidden_words(uint32_t hidden)
{
    return hidden == 1u << VERDICT_SPIKE ? "spikes" : "all but the slow";
}

static void say_count(struct sentence *line, const struct tally *tally, int wording)
{
    const struct events_view *view = &tally->model->events_view;
    const struct run_events *events = tally->model->events;
    char text[FORMAT_BYTES], all[FORMAT_BYTES];
    sentence_clear(line, STYLE_DIM);
    if (tally->seen < events->count)
        sentence_add(line, "%s of ", format_count(text, (int64_t)tally->seen));
    sentence_add(line, "%s", format_counted(all, (int64_t)events->count, "event"));
    if (wording < 2 && tally->seen < events->count)
        sentence_add(line, " (x: %s hidden)", hidden_words(view->hidden));
    if (wording < 1)
        sentence_add(line, view->oldest_first ? ", in order" : ", newest first");
    struct sentence scale;
    sentence_clear(&scale, STYLE_DIM);
    if (wording < 2 && job_add_scale(&scale, tally->model->summary))
        sentence_add(line, "; GPU-hours: %s", scale.text);
}

/* At the right end: what is not kept is said before where the shown step stands. */
static void say_place(struct sentence *line, const struct tally *tally, int wording)
{
    const struct view_model *model = tally->model;
    char step[FORMAT_BYTES], before[FORMAT_BYTES], after[FORMAT_BYTES];
    size_t above = tally->above, below = tally->seen - above;
    size_t earlier = model->events_view.oldest_first ? above : below;
    sentence_clear(line, STYLE_DIM);
    if (model->events->dropped > 0) {
        line->style = STYLE_WARNING;
        sentence_add(line, wording < 1 ? "%s more are not kept" : "+%s not kept",
                     format_count_unsigned(step, model->events->dropped));
    } else if (model->summary->shown.known && tally->seen > 0) {
        format_count(before, (int64_t)earlier);
        format_count(after, (int64_t)(tally->seen - earlier));
        if (wording < 1)
            sentence_add(line, "shown step %s: %s before, %s after",
                         format_count(step, model->summary->shown.step), before, after);
        else
            sentence_add(line, "%s before, %s after", before, after);
    }
}

static void draw_tally(struct canvas *canvas, struct rect line, const struct tally *tally)
{
    struct sentence count, place;
    int begin = 0;
    for (int wording = 0; wording < 6; wording++) {
        say_count(&count, tally, wording / 2);
        say_place(&place, tally, (wording + 1) / 2);
        begin = line.width - 1 - sentence_columns(&place);
        if (1 + sentence_columns(&count) + 2 <= begin)
            break;
    }
    bool both = 1 + sentence_columns(&count) + 2 <= begin;
    if (!both && tally->model->events->dropped == 0)
        begin = line.width; /* without the place */
    else
        sentence_draw(&place, canvas, line, begin < 0 ? 0 : begin, 0);
    sentence_draw(&count, canvas, rect_part(line, 0, 0, begin - 1, 1), 1, 0);
}

/* ---- the list ---- */

static void draw_place(struct canvas *canvas, struct rect line, const struct view_model *model)
{
    char text[FORMAT_BYTES];
    struct rect inner = rect_part(line, 2, 0, line.width - 3, 1);
    canvas_fill(canvas, inner, canvas->unicode ? 0x2500 : '-', STYLE_DIM);
    canvas_printf(canvas, inner, 2, 0, STYLE_VALUE, " shown: step %s ",
                  format_count(text, model->summary->shown.step));
}

/* Rows, and between them the line of the shown step, `place` rows from the top; without
 * it `place` is SIZE_MAX. */
static void draw_list(struct canvas *canvas, struct rect rect, const struct view_model *model,
                      const struct event_rows *rows, size_t place)
{
    struct event_table table;
    size_t cursor = event_rows_cursor(rows, model->events, &model->events_view);
    bool placed = place != SIZE_MAX;
    size_t lines = rows->count + placed;
    size_t first = (size_t)event_rows_scroll(
        &model->events_view, cursor + (placed && cursor >= place), lines, rect.height - 1);
    /* The line of the step is seen with the first row, when that is where it stands. */
    first -= first == 1 && place == 0 && cursor == 0;
    event_table_make(&table, model, rect.width, canvas->unicode);
    event_table_draw_heads(&table, canvas, rect_part(rect, 0, 0, rect.width, 1));
    for (int y = 1; y < rect.height && first + (size_t)y - 1 < lines; y++) {
        size_t at = first + (size_t)y - 1;
        struct rect line = rect_part(rect, 0, y, rect.width, 1);
        if (at == place) {
            draw_place(canvas, line, model);
            continue;
        }
        size_t row = at - (placed && at > place);
        event_table_draw(&table, canvas, line, &model->events->items[rows->index[row]],
                         row == cursor);
    }
}

static void draw_detail(struct canvas *canvas, struct rect rect, const struct view_model *model,
                        const struct event_rows *rows)
{
    struct sentence sentence;
    size_t cursor = event_rows_cursor(rows, model->events, &model->events_view);
    event_line(model->summary, &model->events->items[rows->index[cursor]], canvas->unicode,
               &sentence);
    sentence_draw_wrapped(&sentence, canvas, rect_part(rect, 1, 0, rect.width - 2, rect.height), 1);
}

/* A hang is no event before a step ends it, yet it is not nothing. */
static void say_nothing(struct sentence *sentence, const struct view_model *model)
{
    struct sentence stopped;
    sentence_clear(&stopped, STYLE_NORMAL);
    bool missing = verdict_missing(model, sentence);
    sentence_add(sentence, missing ? ". " : "");
    sentence_add(sentence, missing || alarm_stopped(model, &stopped)
                               ? "Before that nothing has happened: "
                               : "Nothing has happened so far: ");
    if (job_alone(model->summary))
        sentence_add(sentence, "no spike, no restart, no gap. Who is slow this log cannot tell.");
    else
        sentence_add(sentence,
                     "no straggler, no slow group or host, no spike, no restart%s. Here they are "
                     "listed, with step, time, who, phase and size.",
                     missing ? "" : ", no missing rank");
}

static void draw_none(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence sentence;
    struct rect inner = rect_part(rect, 1, 0, rect.width - 2, rect.height);
    sentence_clear(&sentence, STYLE_NORMAL);
    if (!model->events)
        sentence_add(&sentence, "What has happened is being looked up.");
    else if (model->events->count > 0)
        sentence_add(&sentence, "None of these events is listed: x shows the others.");
    else if (model->summary->complete + model->summary->incomplete == 0)
        sentence_add(&sentence, model->mode == MODE_ENDED
                                    ? "No step was whole: nothing can be told of what happened."
                                    : "No step is whole yet: nothing can be told of what happens.");
    else
        say_nothing(&sentence, model);
    for (int which = CALLED_COUNT - 1; which >= 0 && job_alone(model->summary); which--) {
        sentence_add(&sentence, model->summary->called[which].count > 0 ? " " : "");
        job_add_called(&sentence, model, (enum called)which, canvas->unicode);
    }
    sentence_draw_wrapped(&sentence, canvas, inner, 0);
}

void view_events(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    const struct summary_step *shown = &model->summary->shown;
    if (!model->events || model->events->count == 0) {
        draw_none(canvas, rect, model);
        return;
    }
    struct event_rows rows = event_rows_make(model->events, &model->events_view);
    struct tally tally = {model, rows.count, 0};
    int seen = view_events_rows(rect.height);
    if (shown->known)
        tally.above = event_rows_above(&rows, model->events, &model->events_view, shown->attempt,
                                       shown->step);
    draw_tally(canvas, rect_part(rect, 0, 0, rect.width, 1), &tally);
    if (rows.count == 0) {
        draw_none(canvas, rect_part(rect, 0, 1, rect.width, rect.height - 1), model);
    } else {
        draw_list(canvas, rect_part(rect, 0, 1, rect.width, seen + 1), model, &rows,
                  shown->known && seen >= EVENT_PLACE_LINES ? tally.above : SIZE_MAX);
        if (detail_lines(rect.height) > 0)
            draw_detail(canvas,
                        rect_part(rect, 0, LINES_ABOVE + seen, rect.width, DETAIL_LINES + 1), model,
                        &rows);
    }
    event_rows_done(&rows);
}

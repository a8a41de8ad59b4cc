/* The key line, or what takes its place for a while. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "job_lines.h"
#include "sentence.h"

struct place {
    int width;
    bool unicode;
};

static const struct summary_rank *selected_rank(const struct view_model *model)
{
    bool wanted = model->selected >= 0 && model->rank_line && model->screen == SCREEN_TIMELINE &&
                  !job_alone(model->summary);
    for (size_t i = 0; wanted && i < model->summary->rank_count; i++) {
        if (model->summary->ranks[i].rank == model->selected)
            return &model->summary->ranks[i];
    }
    return NULL;
}

/* Whole, or not at all. */
static void add_time(struct sentence *line, const struct view_model *model, const char *label,
                     double seconds, enum evidence evidence, const struct place *place)
{
    struct sentence with = *line;
    char text[FORMAT_BYTES];
    if (!isfinite(seconds))
        return;
    sentence_add(&with, "  %s %s", label, format_duration(text, seconds, place->unicode));
    sentence_evidence(&with, model_evidence(model, evidence));
    if (sentence_columns(&with) <= place->width)
        *line = with;
}

static void say_rank(struct sentence *line, const struct view_model *model,
                     const struct summary_rank *rank, const struct place *place)
{
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_SELECTED);
    sentence_add(line, "rank %u", rank->rank);
    if (rank->host[0] && place->width >= 60) {
        sentence_add(line, " on ");
        sentence_add_raw(line, rank->host);
    }
    if (rank->group[0] && place->width >= 90) {
        sentence_add(line, ", ");
        sentence_add_raw(line, rank->group);
    }
    if (isfinite(choice_slowness(rank))) { /* the row beside it shows that of the step */
        bool window = isfinite(rank->window_slowdown) && place->width >= 60;
        sentence_add(line, window ? "  window %s" : "  %s",
                     format_difference(text, choice_slowness(rank) - 1));
        sentence_evidence(line, model_evidence(model, EVIDENCE_COMPUTED));
    }
    add_time(line, model, "wait", rank->wait_s, wait_rule_evidence(model->summary->shown.rule),
             place);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (rank->has & (1u << phase))
            add_time(line, model, phase_name((enum phase)phase), rank->phase_s[phase],
                     EVIDENCE_MEASURED, place);
    }
}

/* Key lines of the screens but the timeline, whose line is in keys.def. */
struct line_key {
    const char *key, *label;
};
static const struct line_key TABLE_KEYS[] = {
    {"?", "help"},   {"q", "quit"},  {"arrows", "row, step"}, {"Enter", "rank"}, {"s", "sort"},
    {"Esc", "back"}, {"/", "ranks"}, {"space", "pause"},      {NULL, NULL},
};
static const struct line_key DETAIL_KEYS[] = {
    {"Esc", "back"},    {"arrows", "rank, step"}, {"?", "help"}, {"q", "quit"},
    {"space", "pause"}, {"PgDn", "more"},         {NULL, NULL},
};
static const struct line_key EVENTS_KEYS[] = {
    {"Enter", "go there"}, {"?", "help"},   {"o", "order"},  {"x", "kinds"},
    {"arrows", "move"},    {"q", "quit"},   {"Esc", "back"}, {"space", "pause"},
    {"} {", "event"},      {"n N", "slow"}, {NULL, NULL},
};
/* A replay is walked about in; the timeline is where that is looked at. */
static const struct line_key REPLAY_KEYS[] = {
    {"arrows", "step"}, {":", "go to"},    {"} {", "event"},  {"?", "help"}, {"[ ]", "speed"},
    {"q", "quit"},      {"m", "bookmark"}, {"' \"", "to it"}, {"i", "idle"}, {NULL, NULL},
};
static const struct line_key OTHER_KEYS[] = {
    {"?", "help"},      {"q", "quit"},   {"arrows", "scroll, step"},
    {"space", "pause"}, {"Esc", "back"}, {NULL, NULL},
};

static const struct line_key HEAT_KEYS[] = {
    {"?", "help"}, {"arrows", "cell"}, {"Enter", "go there"}, {"+ - 0", "zoom"},  {"b", "rows"},
    {"s", "sort"}, {"w", "worst"},     {"q", "quit"},         {"space", "pause"}, {NULL, NULL},
};
static const struct line_key HISTORY_KEYS[] = {
    {"?", "help"}, {"arrows", "cursor"}, {"Enter", "go there"}, {"+ - 0", "zoom"},
    {"q", "quit"}, {"space", "pause"},   {"Esc", "back"},       {NULL, NULL},
};

static const struct line_key CALC_KEYS[] = {
    {"arrows", "choose, change"}, {"0-9", "type"}, {"r", "reset"}, {"q", "quit"}, {"?", "help"},
    {"u", "reset all"},           {NULL, NULL},
};
static const struct line_key ENTRY_KEYS[] = {
    {"Enter", "take it"},      {"Esc", "leave it"}, {"^U", "empty"},
    {"405e9 405B", "numbers"}, {NULL, NULL},
};

static const struct line_key *keys_of(const struct view_model *model)
{
    if (job_alone(model->summary) &&
        (model->screen == SCREEN_RANKS || model->screen == SCREEN_HEAT))
        return OTHER_KEYS;
    if (model->screen == SCREEN_RANKS)
        return model->detail ? DETAIL_KEYS : TABLE_KEYS;
    if (model->screen == SCREEN_EVENTS)
        return EVENTS_KEYS;
    if (model->screen == SCREEN_TIMELINE)
        return REPLAY_KEYS;
    if (model->screen == SCREEN_HEAT)
        return HEAT_KEYS;
    if (model->screen == SCREEN_HISTORY)
        return HISTORY_KEYS;
    if (model->screen == SCREEN_CALC)
        return model->calc.editing ? ENTRY_KEYS : CALC_KEYS;
    return OTHER_KEYS;
}

/* A key and what it does, where it fits whole: a terminal's last cell stays free. Returns
 * where the next one goes. */
static int draw_key(struct canvas *canvas, struct rect line, int x, const char *key,
                    const char *label)
{
    int width = (int)(strlen(key) + 1 + strlen(label));
    if (x + width >= line.width)
        return x;
    x += canvas_text(canvas, line, x, 0, STYLE_KEY, key) + 1;
    return x + canvas_text(canvas, line, x, 0, STYLE_DIM, label) + 2;
}

/* Tab says where one is: "ranks 2/4". */
static int draw_place(struct canvas *canvas, struct rect line, int x,
                      const struct view_model *model)
{
    char place[FORMAT_BYTES];
    snprintf(place, sizeof(place), "%s %d/%d", screen_name(model->screen), (int)model->screen + 1,
             (int)SCREEN_ROUND);
    return draw_key(canvas, line, x, "Tab", place);
}

static bool of_ranks(const struct key_binding *binding)
{
    return binding->command == CMD_FILTER || binding->command == CMD_AXIS;
}

/* As many as fit whole. */
static int draw_bindings(struct canvas *canvas, struct rect line, const struct view_model *model)
{
    size_t count = 0;
    const struct key_binding *bindings = keys_bindings(&count);
    int x = 1;
    if (model->screen != SCREEN_TIMELINE || model->playback.on) {
        if (model->playback.on)
            x = draw_key(canvas, line, x, "space", model->playback.playing ? "stop" : "play");
        if (model->mode != MODE_CALC && !model->calc.editing)
            x = draw_place(canvas, line, x, model);
        for (const struct line_key *key = keys_of(model); key->key; key++) {
            if (!model->playback.on || strcmp(key->key, "space") != 0)
                x = draw_key(canvas, line, x, key->key, key->label);
        }
        return x;
    }
    for (size_t i = 0; i < count; i++) {
        if (bindings[i].command == CMD_NEXT_SCREEN)
            x = draw_place(canvas, line, x, model);
        else if (bindings[i].line_key[0] && !(job_alone(model->summary) && of_ranks(&bindings[i])))
            x = draw_key(canvas, line, x, bindings[i].line_key, bindings[i].line_label);
    }
    return x;
}

/* At the right end, when there is room: what is read, and into which buffer. */
static void draw_source(struct canvas *canvas, struct rect line, int from,
                        const struct feed_info *feed)
{
    struct sentence source;
    char text[FORMAT_BYTES];
    sentence_clear(&source, STYLE_DIM);
    sentence_add_raw(&source, feed->source);
    if (feed->udp_buffer_bytes > 0)
        sentence_add(&source, ", buffer %s", format_bytes(text, feed->udp_buffer_bytes));
    else if (feed->files > 1)
        sentence_add(&source, ", %s", format_counted(text, feed->files, "file"));
    if (feed->recording.on)
        sentence_add(&source, ", recording %s", format_bytes(text, feed->recording.bytes));
    int begin = line.width - 1 - sentence_columns(&source);
    if (feed->source[0] && begin >= from + 2)
        sentence_draw(&source, canvas, line, begin, 0);
}

/* Its figures, and how the keys come back. */
static void draw_rank(struct canvas *canvas, struct rect rect, const struct view_model *model,
                      const struct summary_rank *rank)
{
    struct sentence line;
    const char *more = rect.width < 60    ? ""
                       : rect.width < 110 ? "Esc back"
                                          : "Enter closer  Esc back";
    int room = rect.width - 2 - (more[0] ? (int)strlen(more) + 2 : 0);
    say_rank(&line, model, rank, &(struct place){room, canvas->unicode});
    sentence_draw_wrapped(&line, canvas, rect_part(rect, 1, 0, room, 1), 0);
    canvas_text_right(canvas, rect, rect.width - 1, 0, STYLE_DIM, more);
}

/* What is being typed, the end of it always to be seen, and what may be: the longest hint
 * that fits. */
static void draw_entry(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    static const char *const hints[][3] = {
        [ENTRY_FILTER] = {"5  0-7,12  node17 (host)  pp0 (group)   Enter, Esc",
                          "5  0-7,12  node17  pp0", ""},
        [ENTRY_GO] = {"1200 or a2:1200 (step)  45%  +100  03:12[:30]   Enter, Esc",
                      "1200  45%  +100  03:12  a2:1200", "step  45%  03:12"},
    };
    const char *label = model->entry_kind == ENTRY_GO ? "go to" : "ranks";
    int room = rect.width - (int)strlen(label) - 5, length = (int)strlen(model->entry);
    const char *tail = model->entry + (length > room ? length - (room > 0 ? room : 0) : 0);
    canvas_fill(canvas, rect, ' ', STYLE_NORMAL);
    int x = canvas_printf(canvas, rect, 1, 0, STYLE_KEY, "%s: %s_", label, tail) + 3;
    for (int i = 0; i < 3; i++) {
        const char *hint = hints[model->entry_kind][i];
        if ((int)strlen(hint) > rect.width - x)
            continue;
        canvas_text(canvas, rect, x, 0, STYLE_DIM, hint);
        break;
    }
}

static void draw_message(struct canvas *canvas, struct rect rect, const char *text)
{
    struct sentence message;
    canvas_fill(canvas, rect, ' ', STYLE_NORMAL);
    sentence_clear(&message, STYLE_VALUE);
    sentence_add_raw(&message, text);
    sentence_draw_wrapped(&message, canvas, rect_part(rect, 1, 0, rect.width - 2, rect.height), 0);
}

void view_keys(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    const struct summary_rank *rank = selected_rank(model);
    if (rect.height < 1)
        return;
    if (model->entering) {
        draw_entry(canvas, rect, model);
    } else if (model->message[0]) {
        draw_message(canvas, rect, model->message);
    } else if (rank) {
        canvas_fill(canvas, rect, ' ', STYLE_NORMAL);
        draw_rank(canvas, rect, model, rank);
    } else {
        draw_source(canvas, rect, draw_bindings(canvas, rect, model), &model->feed);
    }
}

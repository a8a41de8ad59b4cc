/* Where a replay is. */
#include "view_playback.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "sentence.h"

#define BAR_LEAST 10 /* cells: below that the words are shortened */
#define BAR_MAX 120
#define WORDINGS 6

enum bar_part { BAR_DONE, BAR_KNOWN, BAR_UNREAD, BAR_SHOWN, BAR_MARK, BAR_EVENT };

struct glyph {
    uint32_t unicode;
    char ascii;
    enum style style;
};
static const struct glyph GLYPHS[] = {
    [BAR_DONE] = {0x2501, '=', STYLE_OWN}, [BAR_KNOWN] = {0x2500, '-', STYLE_NORMAL},
    [BAR_UNREAD] = {0xB7, '.', STYLE_DIM}, [BAR_SHOWN] = {0x25CF, '#', STYLE_VALUE},
    [BAR_MARK] = {0x25C6, '+', STYLE_KEY}, [BAR_EVENT] = {0x2575, '!', STYLE_STRAGGLER},
};

static double within(double share)
{
    return share >= 1 ? 1 : share > 0 ? share : 0;
}

/* A percentage that says 100 only when all is there. */
static int percent(double share)
{
    return (int)floor(within(share) * 100);
}

/* ---- where steps are ---- */

/* Where attempts begin, as restarts tell: one ends where the next says how many of its
 * steps were done again. */
#define ATTEMPTS_MAX 64
struct attempts {
    int count;
    int64_t first[ATTEMPTS_MAX];  /* step */
    int64_t before[ATTEMPTS_MAX]; /* steps of the run before that */
    int64_t last;                 /* steps of the run before its last; 0: not known */
};

static int64_t position_of(const struct attempts *attempts, int attempt, int64_t step)
{
    bool known = attempt >= 0 && attempt < attempts->count && step >= attempts->first[attempt];
    return known ? attempts->before[attempt] + step - attempts->first[attempt] : -1;
}

static void find_attempts(struct attempts *attempts, const struct view_model *model)
{
    const struct run_events *events = model->events;
    const struct playback *playback = &model->playback;
    *attempts = (struct attempts){.count = 1, .first = {playback->first_step}};
    for (size_t i = 0; events && i < events->count && attempts->count < ATTEMPTS_MAX; i++) {
        const struct verdict *verdict = &events->items[i].verdict;
        int known = attempts->count;
        if (verdict->kind != VERDICT_RESTART || verdict->attempt != known)
            continue;
        attempts->before[known] = attempts->before[known - 1] + verdict->from_step +
                                  verdict->repeated_steps - attempts->first[known - 1];
        attempts->first[known] = verdict->from_step;
        attempts->count++;
    }
    int64_t last = position_of(attempts, playback->last_attempt, playback->last_step);
    attempts->last = playback->first_step >= 0 && playback->last_step >= 0 && last > 0 ? last : 0;
}

/* 0 to 1 in the run that is known; NAN. */
static double place_of(const struct attempts *attempts, int attempt, int64_t step)
{
    int64_t at = position_of(attempts, attempt, step);
    return at >= 0 && at <= attempts->last && attempts->last > 0
               ? (double)at / (double)attempts->last
               : NAN;
}

/* ---- the bar ---- */

static void put(struct canvas *canvas, struct rect bar, int x, enum bar_part part)
{
    const struct glyph *glyph = &GLYPHS[part];
    canvas_put(canvas, bar, x, 0, canvas->unicode ? glyph->unicode : (uint32_t)glyph->ascii,
               glyph->style);
}

/* The cell of a place in the part that is known. */
static int cell_of(double place, int known)
{
    return (int)lround(within(place) * (known - 1));
}

static void put_marks(struct canvas *canvas, struct rect bar, const struct view_model *model,
                      int known)
{
    const struct run_events *events = model->events;
    const struct playback *playback = &model->playback;
    struct attempts attempts;
    find_attempts(&attempts, model);
    for (size_t i = 0; events && i < events->count; i++) {
        const struct verdict *verdict = &events->items[i].verdict;
        double place = place_of(&attempts, verdict->attempt, verdict->from_step);
        if (isfinite(place) && verdict->kind != VERDICT_SPIKE)
            put(canvas, bar, cell_of(place, known), BAR_EVENT);
    }
    for (int i = 0; i < playback->mark_count && i < PLAYBACK_MARKS_MAX; i++) {
        double place = place_of(&attempts, playback->marks[i].attempt, playback->marks[i].step);
        if (isfinite(place))
            put(canvas, bar, cell_of(place, known), BAR_MARK);
    }
}

static void draw_bar(struct canvas *canvas, struct rect bar, const struct view_model *model)
{
    const struct playback *playback = &model->playback;
    bool placed = isfinite(playback->place);
    int known = (int)floor(within(playback->indexed) * bar.width);
    known = known < 1 && placed ? 1 : known;
    int shown = placed ? cell_of(playback->place, known) : -1;
    for (int x = 0; x < bar.width; x++)
        put(canvas, bar, x, x < shown ? BAR_DONE : x < known ? BAR_KNOWN : BAR_UNREAD);
    if (known > 0)
        put_marks(canvas, bar, model, known);
    if (placed)
        put(canvas, bar, shown, BAR_SHOWN);
}

/* ---- the words beside it ---- */

static bool at_end(const struct playback *playback)
{
    return playback->indexed >= 1 && playback->place >= 1;
}

/* "playing x4", "standing", "going to the step 43%"; "reading as far as that" where
 * the index has not come so far. */
static void say_state(struct sentence *line, const struct playback *playback, int wording)
{
    sentence_clear(line, STYLE_VALUE);
    if (playback->seeking && playback->indexed < 1 && !(playback->seek > 0))
        sentence_add(line, wording < 2 ? "reading as far as that" : "reading");
    else if (playback->seeking)
        sentence_add(line, wording < 2 ? "going to the step %d%%" : "going %d%%",
                     percent(playback->seek));
    else if (playback->playing)
        sentence_add(line, wording < 5 ? "playing x%.4g" : "x%.4g",
                     playback->speed > 0 ? playback->speed : 1);
    else
        sentence_add(line, at_end(playback) ? wording < 2 ? "standing at the end" : "the end"
                                            : "standing");
}

static void add_bookmarks(struct sentence *line, const struct playback *playback)
{
    char text[FORMAT_BYTES];
    if (playback->mark_count > 0)
        sentence_add(line, "  %s", format_counted(text, playback->mark_count, "bookmark"));
}

/* What goes first when there is no room: bookmarks, the idle cut, the time of day, the
 * share; how much is read stays. */
static void say_place(struct sentence *line, const struct view_model *model, int wording)
{
    const struct playback *playback = &model->playback;
    double begin_s = model->summary->shown.begin_s;
    char text[FORMAT_BYTES];
    sentence_clear(line, STYLE_NORMAL);
    bool reading = playback->indexed < 1, placed = isfinite(playback->place) && wording < 4;
    if (placed && reading)
        sentence_add(line, "  %d%% of the %d%% read", percent(playback->place),
                     percent(playback->indexed));
    else if (placed)
        sentence_add(line, "  %d%%", percent(playback->place));
    else if (reading)
        sentence_add(line, "  read %d%%", percent(playback->indexed));
    if (model->summary->shown.known && begin_s > 0 && begin_s <= 2.5e11 && wording < 3) {
        format_log_moment(text, begin_s, model->summary->zone_unknown);
        bool dated = playback->days && wording < 1;
        sentence_add(line, "  %s", strlen(text) > 11 ? text + (dated ? 5 : 11) : text);
    }
    if (playback->skip_idle && wording < 2)
        sentence_add(line, "  idle cut to %s", format_duration(text, playback->idle_s, false));
    else if (playback->skip_idle && wording < 3)
        sentence_add(line, "  idle cut");
    if (wording < 1)
        add_bookmarks(line, playback);
}

void view_playback(struct canvas *canvas, struct rect rect, const struct view_model *model)
{
    struct sentence state, place;
    int room = 0, before = 0;
    if (rect.height < 1 || !model->playback.on)
        return;
    for (int wording = 0; wording < WORDINGS; wording++) {
        say_state(&state, &model->playback, wording);
        say_place(&place, model, wording);
        before = 1 + sentence_columns(&state) + 2;
        room = rect.width - before - sentence_columns(&place) - 1;
        if (room >= BAR_LEAST && room >= rect.width / 4)
            break;
    }
    int bar = room > BAR_MAX ? BAR_MAX : room;
    sentence_draw(&state, canvas, rect, 1, 0);
    if (bar < 1)
        return;
    draw_bar(canvas, rect_part(rect, before, 0, bar, 1), model);
    sentence_draw(&place, canvas, rect, before + bar, 0);
}

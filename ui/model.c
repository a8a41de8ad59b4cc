/* What the user did, changed by keys. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job_lines.h"
#include "model_events.h"
#include "model_ranks.h"
#include "model_span.h"

const char *screen_name(enum screen screen)
{
    static const char *const names[] = {"timeline", "ranks",   "ledger",     "events",
                                        "heat map", "history", "calculator", "help"};
    return names[screen];
}

void model_init(struct view_model *model, enum view_mode mode)
{
    *model = (struct view_model){
        .mode = mode,
        .selected = -1,
        .rank_rows = 8,
        .playback = {.place = NAN, .first_step = -1, .last_step = -1},
        .heat = {.cursor = -1, .rank_cursor = -1},
        .history = {.cursor = -1, .rank_cursor = -1},
    };
    calc_form_init(&model->calc);
    if (mode == MODE_CALC)
        model->screen = SCREEN_CALC;
}

enum evidence model_evidence(const struct view_model *model, enum evidence evidence)
{
    bool simulated = model->summary && model->summary->simulated;
    return simulated && evidence != EVIDENCE_NONE ? EVIDENCE_SIMULATED : evidence;
}

const char *model_mode_word(const struct view_model *model)
{
    static const char *const words[] = {"LIVE", "REPLAY", "DEMO", "ENDED", "CALC"};
    bool stands = model->playback.on ? !model->playback.playing : model->paused;
    return stands ? "PAUSED" : words[model->mode];
}

#define PAGE_LINES_MAX 100000 /* more than any page has; no scroll overflows */

static struct view_request request(enum request_kind kind, int64_t amount)
{
    return (struct view_request){.kind = kind, .amount = amount};
}

static void say(struct view_model *model, const char *text)
{
    snprintf(model->message, sizeof(model->message), "%s", text);
}

static struct view_request pinned(struct view_model *model, enum request_kind kind, int64_t amount)
{
    model->paused = true;
    return request(kind, amount);
}

static struct view_request follow(struct view_model *model)
{
    model->paused = false;
    return request(REQUEST_LATEST, 0);
}

/* The nearest verdict about a slow rank or group that begins before or after
 * the shown step: of the whole run where that is known, else of what the summary has. */
static struct view_request find_straggler(struct view_model *model, int direction)
{
    if (job_alone(model->summary)) {
        say(model, "this log cannot tell who is slow: } and { go to its events");
        return request(REQUEST_NONE, 0);
    }
    if (model->events) {
        struct view_request go = model_events_slow(model, direction);
        model->paused = model->paused || go.kind == REQUEST_GO;
        return go;
    }
    const struct summary *summary = model->summary;
    int64_t best = -1;
    for (size_t i = 0; i < summary->verdict_count; i++) {
        const struct verdict *verdict = &summary->verdicts[i];
        if (!verdict_kind_is_slow(verdict->kind))
            continue;
        int64_t step = verdict->from_step;
        bool beyond = direction > 0 ? step > summary->shown.step : step < summary->shown.step;
        bool nearer = best < 0 || (direction > 0 ? step < best : step > best);
        if (beyond && nearer)
            best = step;
    }
    if (best >= 0)
        return pinned(model, REQUEST_FIND, best);
    say(model, direction > 0 ? "no straggler begins after this step"
                             : "no straggler begins before this step");
    return request(REQUEST_NONE, 0);
}

/* The lines of a page that is no table. */
static void scroll_page(struct view_model *model, int by)
{
    int *scroll = model->screen == SCREEN_HELP ? &model->help_scroll : &model->page_scroll;
    *scroll = *scroll + by < 0 ? 0 : *scroll + by > PAGE_LINES_MAX ? PAGE_LINES_MAX : *scroll + by;
}

/* The ranks of the timeline. */
static void scroll_ranks(struct view_model *model, int by)
{
    int64_t ranks = (int64_t)model->summary->rank_count;
    if (model->choice == CHOICE_MATTER && ranks > model->rank_rows) {
        model->choice = CHOICE_NUMBER;
        model->scroll = 0;
        say(model, "all ranks by number (r: those that matter)");
        return;
    }
    int64_t last = ranks > model->rank_rows ? ranks - model->rank_rows : 0;
    int64_t to = model->scroll + by;
    model->scroll = (int)(to < 0 ? 0 : to > last ? last : to);
}

static void choose(struct view_model *model, enum choice_mode mode)
{
    char text[MODEL_TEXT_BYTES];
    model->choice = mode;
    model->scroll = 0;
    snprintf(text, sizeof(text), "ranks: %s", choice_name(mode));
    say(model, text);
}

static void select_row(struct view_model *model, uint32_t code)
{
    struct choice choice;
    int row = code >= '1' && code <= '9' ? (int)(code - '1') : 0;
    choice_make_with(&choice, model->summary, model->choice, model->filter, (size_t)model->scroll,
                     (size_t)(model->rank_rows < 0 ? 0 : model->rank_rows), model->selected);
    if ((size_t)row >= choice.count)
        return;
    int64_t rank = model->summary->ranks[choice.rows[row].index].rank;
    bool again = model->selected == rank && model->rank_line;
    model->selected = again ? -1 : rank;
    model->rank_line = !again;
}

/* The rank to look at first is the slowest one; then that one closer. */
static void select_slowest(struct view_model *model)
{
    struct choice choice;
    if (model->selected >= 0) {
        model_open_detail(model);
        return;
    }
    choice_make(&choice, model->summary, CHOICE_SLOWEST, model->filter, 0, 1);
    if (choice.count == 0)
        return;
    model->selected = model->summary->ranks[choice.rows[0].index].rank;
    model->rank_line = true;
}

static void show(struct view_model *model, enum screen screen)
{
    model->screen = model->mode == MODE_CALC ? SCREEN_CALC : screen; /* there is no other */
    model->detail = model->rank_line = false;
    model->help_scroll = model->page_scroll = 0;
}

static bool clear_filter(struct view_model *model)
{
    if (!model->filter[0])
        return false;
    model->filter[0] = '\0';
    model->scroll = model->rank_order.scroll = 0;
    say(model, "all ranks");
    return true;
}

/* What is on top goes first: the help, a rank, the filter, the screen. */
static void go_back(struct view_model *model)
{
    if (model->screen == SCREEN_HELP)
        model->screen = model->behind;
    else if (model->screen == SCREEN_RANKS && model->detail)
        show(model, model->detail_from);
    else if (model->screen == SCREEN_RANKS && clear_filter(model))
        return;
    else if (model->screen != SCREEN_TIMELINE)
        show(model, SCREEN_TIMELINE);
    else if (model->selected >= 0)
        model->selected = -1;
    else
        clear_filter(model);
}

static void turn_help(struct view_model *model)
{
    if (model->screen == SCREEN_HELP) {
        go_back(model);
        return;
    }
    model->behind = model->screen;
    model->screen = SCREEN_HELP;
    model->help_scroll = 0;
}

static void begin_go(struct view_model *model)
{
    model->entering = true;
    model->entry_kind = ENTRY_GO;
    model->entry[0] = '\0';
}

static void begin_entry(struct view_model *model)
{
    if (job_alone(model->summary)) {
        say(model, "one value a step for the whole job: no ranks to choose");
        return;
    }
    model->entering = true;
    model->entry_kind = ENTRY_FILTER;
    snprintf(model->entry, sizeof(model->entry), "%s", model->filter);
}

static void end_entry(struct view_model *model, bool accept)
{
    model->entering = false;
    if (!accept)
        return;
    snprintf(model->filter, sizeof(model->filter), "%s", model->entry);
    model->scroll = model->rank_order.scroll = 0;
    for (size_t i = 0; i < model->summary->rank_count; i++) {
        if (filter_matches(model->filter, &model->summary->ranks[i]))
            return;
    }
    if (model->summary->rank_count > 0)
        say(model, "no rank matches");
}

/* Where to go was typed. */
static struct view_request go(struct view_model *model)
{
    model->entering = false;
    snprintf(model->go, sizeof(model->go), "%s", model->entry);
    return model->go[0] ? pinned(model, REQUEST_SEEK, 0) : request(REQUEST_NONE, 0);
}

static struct view_request type(struct view_model *model, struct key_event event)
{
    size_t length = strlen(model->entry);
    if (event.code == KEYS_ENTER && model->entry_kind == ENTRY_GO) {
        return go(model);
    } else if (event.code == KEYS_ENTER) {
        end_entry(model, true);
    } else if (event.code == KEYS_ESC) {
        end_entry(model, false);
    } else if (event.code == KEYS_BACKSPACE || event.code == KEYS_DELETE || event.code == 0x08) {
        if (length > 0)
            model->entry[length - 1] = '\0';
    } else if (event.code == 0x15) { /* ^U */
        model->entry[0] = '\0';
    } else if (event.code >= ' ' && event.code < 0x7F && length + 1 < sizeof(model->entry)) {
        model->entry[length] = (char)event.code;
        model->entry[length + 1] = '\0';
    }
    return request(REQUEST_NONE, 0);
}

/* From the help on as from the screen behind it. */
static void turn_screen(struct view_model *model, int by)
{
    int from = (int)(model->screen == SCREEN_HELP ? model->behind : model->screen);
    show(model, (enum screen)((from + by + SCREEN_ROUND) % SCREEN_ROUND));
}

/* Commands that lead to a screen; false when it is none of them. */
static bool screen_command(struct view_model *model, enum command command)
{
    switch (command) {
    case CMD_HELP:
        turn_help(model);
        return true;
    case CMD_NEXT_SCREEN:
        turn_screen(model, 1);
        return true;
    case CMD_PREVIOUS_SCREEN:
        turn_screen(model, -1);
        return true;
    case CMD_TIMELINE:
    case CMD_RANKS:
    case CMD_LEDGER:
    case CMD_EVENTS:
    case CMD_HEAT:
    case CMD_HISTORY:
    case CMD_CALC:
        show(model, (enum screen)(SCREEN_TIMELINE + (int)(command - CMD_TIMELINE)));
        return true;
    case CMD_BACK:
        go_back(model);
        return true;
    default:
        return false;
    }
}

/* What the timeline shows, and how. */
static bool timeline_command(struct view_model *model, struct key_event event)
{
    switch (event.command) {
    case CMD_FILTER:
        begin_entry(model);
        return true;
    case CMD_CHOICE:
        choose(model, (enum choice_mode)(((int)model->choice + 1) % CHOICE_COUNT));
        return true;
    case CMD_SORT:
        choose(model, model->choice == CHOICE_SLOWEST ? CHOICE_NUMBER : CHOICE_SLOWEST);
        return true;
    case CMD_UP:
    case CMD_DOWN:
        scroll_ranks(model, event.command == CMD_UP ? -1 : 1);
        return true;
    case CMD_ROW:
        select_row(model, event.code);
        return true;
    case CMD_SELECT:
        select_slowest(model);
        return true;
    case CMD_AXIS:
        model->axis_seconds = !model->axis_seconds;
        return true;
    case CMD_CUT:
        model->axis_cut = !model->axis_cut;
        return true;
    case CMD_PHASES:
        model->phases = !model->phases;
        return true;
    default:
        return false;
    }
}

/* A page of text: arrows and page keys scroll it. The help has no steps. */
static bool page_command(struct view_model *model, enum command command)
{
    switch (command) {
    case CMD_UP:
    case CMD_DOWN:
        scroll_page(model, command == CMD_UP ? -1 : 1);
        return true;
    case CMD_PAGE_BACK:
    case CMD_PAGE_FORTH:
        scroll_page(model, command == CMD_PAGE_BACK ? -MODEL_PAGE_STEPS : MODEL_PAGE_STEPS);
        return true;
    case CMD_FIRST_STEP:
    case CMD_LAST_STEP:
        scroll_page(model, command == CMD_FIRST_STEP ? -PAGE_LINES_MAX : PAGE_LINES_MAX);
        return true;
    default:
        return false;
    }
}

/* Commands that change only what is seen; false when it is none of them. */
static bool look_command(struct view_model *model, struct key_event event)
{
    if (screen_command(model, event.command))
        return true;
    switch (model->screen) {
    case SCREEN_TIMELINE:
        return timeline_command(model, event);
    case SCREEN_RANKS:
        if (event.command == CMD_FILTER && !model->detail)
            begin_entry(model);
        return model_ranks_command(model, event);
    case SCREEN_HELP:
        return page_command(model, event.command);
    case SCREEN_LEDGER: /* Home and End go on being steps */
        return event.command != CMD_FIRST_STEP && event.command != CMD_LAST_STEP &&
               page_command(model, event.command);
    default:
        return false;
    }
}

/* The arguments of the calculator, as they are seen: with the run's values. */
static bool calc_key(struct view_model *model, struct key_event event)
{
    calc_form_fill(&model->calc, model->summary);
    bool taken = calc_form_key(&model->calc, event);
    say(model, model->calc.message);
    return taken;
}

/* What a calculator without a job does not know. */
static bool is_about_steps(enum command command)
{
    return command != CMD_QUIT && command != CMD_REDRAW && command != CMD_SUSPEND;
}

/* Events, bookmarks, places that are typed, and what a replay does by itself. */
static struct view_request walk(struct view_model *model, enum command command)
{
    switch (command) {
    case CMD_NEXT_EVENT:
        return pinned(model, REQUEST_EVENT, 1);
    case CMD_PREVIOUS_EVENT:
        return pinned(model, REQUEST_EVENT, -1);
    case CMD_GO:
        begin_go(model);
        return request(REQUEST_NONE, 0);
    case CMD_MARK:
        return request(REQUEST_MARK, 0);
    case CMD_NEXT_MARK:
        return pinned(model, REQUEST_TO_MARK, 1);
    case CMD_PREVIOUS_MARK:
        return pinned(model, REQUEST_TO_MARK, -1);
    case CMD_SLOWER:
        return request(REQUEST_SPEED, -1);
    case CMD_FASTER:
        return request(REQUEST_SPEED, 1);
    case CMD_OWN_SPEED:
        return request(REQUEST_SPEED, 0);
    case CMD_IDLE:
        return request(REQUEST_IDLE, 0);
    default:
        return request(REQUEST_NONE, 0);
    }
}

/* Commands about steps and the program. */
static struct view_request do_command(struct view_model *model, enum command command)
{
    switch (command) {
    case CMD_QUIT:
        return request(REQUEST_QUIT, 0);
    case CMD_PAUSE:
        if (model->playback.on)
            return request(REQUEST_PLAY, 0);
        return model->paused ? follow(model) : pinned(model, REQUEST_HOLD, 0);
    case CMD_PREVIOUS_STEP:
        return pinned(model, REQUEST_MOVE, -1);
    case CMD_NEXT_STEP:
        return pinned(model, REQUEST_MOVE, 1);
    case CMD_PAGE_BACK:
        return pinned(model, REQUEST_MOVE, -MODEL_PAGE_STEPS);
    case CMD_PAGE_FORTH:
        return pinned(model, REQUEST_MOVE, MODEL_PAGE_STEPS);
    case CMD_FIRST_STEP:
        return pinned(model, REQUEST_FIRST, 0);
    case CMD_LAST_STEP:
    case CMD_LIVE:
        return follow(model);
    case CMD_NEXT_STRAGGLER:
        return find_straggler(model, 1);
    case CMD_PREVIOUS_STRAGGLER:
        return find_straggler(model, -1);
    case CMD_REDRAW:
        return request(REQUEST_REDRAW, 0);
    case CMD_SUSPEND:
        return request(REQUEST_SUSPEND, 0);
    default:
        return walk(model, command);
    }
}

struct view_request model_key(struct view_model *model, struct key_event event)
{
    bool always = event.code < ' ' && (event.command == CMD_QUIT || event.command == CMD_REDRAW ||
                                       event.command == CMD_SUSPEND);
    model->message[0] = '\0';
    if (model->entering && !always) {
        return type(model, event);
    }
    if (model->screen == SCREEN_CALC && !always && calc_key(model, event))
        return request(REQUEST_NONE, 0);
    struct view_request asked = request(REQUEST_NONE, 0);
    if (model->screen == SCREEN_EVENTS && model_events_command(model, event, &asked))
        return asked;
    if ((model->screen == SCREEN_HEAT || model->screen == SCREEN_HISTORY) &&
        model_span_command(model, event, &asked))
        return asked;
    if (look_command(model, event))
        return request(REQUEST_NONE, 0);
    if (model->mode == MODE_CALC && is_about_steps(event.command))
        return request(REQUEST_NONE, 0);
    return do_command(model, event.command);
}

/* The screen of events, its keys, and the line that says where a replay is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "event_lines.h"
#include "events_fixture.h"
#include "view_golden.h"

struct case_ {
    struct summary summary;
    struct run_events events;
    struct view_model model;
};

static void begin(struct case_ *c)
{
    fixture_figure(&c->summary, 8);
    fixture_events(&c->events);
    c->model = model_of(&c->summary);
    c->model.events = &c->events;
    c->model.screen = SCREEN_EVENTS;
    c->model.rank_rows = 16;
}

static void done(struct case_ *c)
{
    summary_done(&c->summary);
    run_events_done(&c->events);
}

static struct view_request press(struct case_ *c, uint32_t code)
{
    return model_key(&c->model, (struct key_event){keys_command(code), code});
}

static void type(struct case_ *c, const char *text)
{
    for (; *text; text++)
        press(c, (unsigned char)*text);
}

static char *picture(struct case_ *c, int width, int height)
{
    struct canvas canvas;
    canvas_init(&canvas, width, height, false);
    screen_draw(&canvas, &c->model);
    char *text = canvas_to_text(&canvas, false);
    canvas_done(&canvas);
    return text;
}

static void assert_shows(struct case_ *c, int width, int height, const char *what)
{
    char *text = picture(c, width, height);
    if (!strstr(text, what))
        print_error("\"%s\" is not in\n%s\n", what, text);
    assert_non_null(strstr(text, what));
    free(text);
}

static void assert_hides(struct case_ *c, int width, int height, const char *what)
{
    char *text = picture(c, width, height);
    assert_null(strstr(text, what));
    free(text);
}

/* ---- the table ---- */

static void what_is_scaled_from_few_ranks_says_so(void **state)
{
    struct case_ c;
    begin(&c);
    c.summary.world_ranks = 16;
    c.summary.run.gpus = 16;
    check("events-scaled-80x24", &c.model, 80, 24, true, false);
    done(&c);
}

static void events_at_the_sizes_of_the_ladder(void **state)
{
    struct case_ c;
    begin(&c);
    check("events-80x24", &c.model, 80, 24, true, false);
    check("events-80x24-styles", &c.model, 80, 24, true, true);
    check("events-80x24-ascii", &c.model, 80, 24, false, false);
    check("events-60x16", &c.model, 60, 16, true, false);
    check("events-40x10", &c.model, 40, 10, true, false);
    check("events-40x10-ascii", &c.model, 40, 10, false, false);
    check("events-20x10", &c.model, 20, 10, false, false);
    check("events-200x60", &c.model, 200, 60, true, false);
    c.model.events_view.oldest_first = true;
    check("events-in-order-80x24", &c.model, 80, 24, true, false);
    done(&c);
}

static void a_run_of_several_days_and_attempts_says_so(void **state)
{
    struct case_ c;
    begin(&c);
    run_events_done(&c.events);
    fixture_restart(&c.events, &c.summary);
    check("events-restart-100x24", &c.model, 100, 24, true, false);
    check("events-restart-80x24", &c.model, 80, 24, true, false);
    check("events-restart-40x10", &c.model, 40, 10, true, false);
    done(&c);
}

/* A hang is no event before a step ends it; "no missing rank" would be wrong all the same. */
static void a_rank_that_is_missing_now_is_not_nothing(void **state)
{
    struct case_ c;
    begin(&c);
    run_events_done(&c.events);
    c.summary.ranks[3].state = RANK_MISSING;
    c.summary.ranks[3].last_step = 12300;
    c.summary.ranks[3].silent_s = 12.4;
    assert_shows(&c, 80, 24,
                 "missing: rank 3 on node00 since step 12,301, silent 12 s. Before that");
    assert_hides(&c, 80, 24, "no missing rank");
    assert_shows(&c, 40, 10, "LIVE");
    c.summary.ranks[3].state = RANK_PRESENT;
    c.summary.silent_s = 250;
    assert_shows(&c, 80, 24, "Before that nothing has happened");
    assert_shows(&c, 40, 10, "HANG?"); /* no other line has room to say it */
    assert_hides(&c, 40, 10, "LIVE");
    c.model.feed.gone = 1;
    assert_shows(&c, 40, 10, "GONE");
    done(&c);
}

/* Moments of a log whose stamps name no zone are not in UTC. */
static void a_clock_without_a_zone_is_the_logs_own(void **state)
{
    struct case_ c;
    begin(&c);
    assert_shows(&c, 80, 24, "time UTC");
    c.summary.zone_unknown = true;
    assert_shows(&c, 80, 24, "log time");
    assert_hides(&c, 80, 24, "UTC");
    assert_hides(&c, 120, 24, "38Z");
    done(&c);
}

static void a_quiet_run_says_what_would_be_listed(void **state)
{
    struct case_ c;
    begin(&c);
    run_events_done(&c.events);
    check("events-none-80x24", &c.model, 80, 24, true, false);
    c.summary.complete = c.summary.incomplete = 0;
    assert_shows(&c, 80, 24, "No step is whole yet");
    c.model.mode = MODE_ENDED;
    assert_shows(&c, 80, 24, "No step was whole");
    c.model.events = NULL;
    assert_shows(&c, 80, 24, "being looked up");
    done(&c);
}

static void what_is_not_kept_is_said_at_any_width(void **state)
{
    struct case_ c;
    begin(&c);
    c.events.dropped = 12;
    assert_shows(&c, 80, 24, "12 more are not kept");
    assert_shows(&c, 40, 10, "not kept");
    assert_shows(&c, 22, 10, "+12 not kept");
    done(&c);
}

static void hostile_names_stay_in_their_column(void **state)
{
    struct case_ c;
    begin(&c);
    snprintf(c.events.items[1].verdict.group, NAME_BYTES,
             "\x1b[31mpp0\n\xc2\x9b\xe2\x80\xae a group with a name that is longer than all");
    check("events-hostile-80x24", &c.model, 80, 24, true, false);
    draw_everywhere(&c.model);
    done(&c);
}

static void every_size_can_be_drawn(void **state)
{
    struct case_ c;
    begin(&c);
    c.model.playback = (struct playback){.on = true,
                                         .indexed = 0.6,
                                         .place = 0.7,
                                         .speed = 4,
                                         .skip_idle = true,
                                         .idle_s = 5,
                                         .mark_count = 1,
                                         .last_step = 12345};
    draw_everywhere(&c.model);
    c.model.screen = SCREEN_TIMELINE;
    draw_everywhere(&c.model);
    press(&c, ':');
    type(&c, "a2:1200000000000000000000000000000000000000000000000000000000000000000000000");
    draw_everywhere(&c.model);
    done(&c);
}

static void without_a_clock_the_time_is_blank(void **state)
{
    struct case_ c;
    begin(&c);
    assert_shows(&c, 80, 24, "|14:08:45");
    for (size_t i = 0; i < c.events.count; i++)
        c.events.items[i].begin_s = c.events.items[i].end_s = NAN;
    assert_hides(&c, 80, 24, "|14:08:45");
    assert_shows(&c, 80, 24, "12,288");
    done(&c);
}

static void all_of_an_event_is_one_sentence(void **state)
{
    static const char *const expected[] = {
        "spike: step 812 took 2.3 x the median c (10.4 s m); rank 3 node00 last (data)",
        "slow group: pp0 +8.0% c (backward), steps 2,000 to 2,600, for 40.0 min m, named at 2,020, "
        "cost 0.33 c GPU-hours",
        "slow host: node00 +6.2% c, steps 3,000 to 3,100, for 400 s m, named at 3,024, cost 0.0436 "
        "c GPU-hours",
        "missing: rank 3 node00, steps 5,000 to 5,060, for 240 s m",
        "spike: step 9,000 took 3.2 x the median c (14.4 s m); all ranks alike",
        "straggler: rank 5 node00 +10.1% c (forward) since step 12,288, lasting, named at 12,307, "
        "cost 0.0444 c GPU-hours",
        "spike: step 12,345 took 1.6 x the median c (7.90 s m); rank 0 node00 last (sync)",
    };
    struct case_ c;
    struct sentence sentence;
    begin(&c);
    for (size_t i = 0; i < c.events.count; i++) {
        event_line(&c.summary, &c.events.items[i], true, &sentence);
        assert_string_equal(sentence.text, expected[i]);
    }
    run_events_done(&c.events);
    fixture_restart(&c.events, &c.summary);
    event_line(&c.summary, &c.events.items[4], true, &sentence);
    assert_string_equal(sentence.text, "restart: attempt 2 goes on from step 9,000; 13 steps done "
                                       "again, down 240 s m");
    done(&c);
}

static void gaps_and_missing_hosts_have_words(void **state)
{
    struct case_ c;
    struct sentence sentence;
    begin(&c);
    struct run_event *event = &c.events.items[4];
    event->verdict.kind = VERDICT_GAP;
    event->verdict.step_time_s = 400;
    event->verdict.slowdown = NAN;
    event_line(&c.summary, event, true, &sentence);
    assert_string_equal(sentence.text, "gap: nobody computed before step 9,000, for 400 s m");
    assert_shows(&c, 80, 24, "9,000           gap         all ranks                      400 s m");
    event->verdict.repeated_steps = 4;
    event->verdict.step_time_s = NAN;
    event_line(&c.summary, event, true, &sentence);
    assert_string_equal(sentence.text, "gap: 4 steps before step 9,000 are not in the log");
    assert_shows(&c, 80, 24, "9,000           gap         all ranks                    4 steps");
    c.events.items[3].verdict.rank = -1;
    c.events.items[3].verdict.is_host = true;
    snprintf(c.events.items[3].verdict.group, NAME_BYTES, "node00");
    event_line(&c.summary, &c.events.items[3], true, &sentence);
    assert_string_equal(sentence.text, "missing: node00, steps 5,000 to 5,060, for 240 s m");
    done(&c);
}

/* ---- keys ---- */

static int64_t cursor_step(const struct case_ *c)
{
    struct event_rows rows = event_rows_make(&c->events, &c->model.events_view);
    size_t row = event_rows_cursor(&rows, &c->events, &c->model.events_view);
    int64_t step = row == SIZE_MAX ? -1 : c->events.items[rows.index[row]].verdict.from_step;
    event_rows_done(&rows);
    return step;
}

static void the_cursor_moves_and_stays_within_the_list(void **state)
{
    struct case_ c;
    begin(&c);
    assert_int_equal(cursor_step(&c), 12345);
    press(&c, KEYS_UP);
    assert_int_equal(cursor_step(&c), 12345);
    press(&c, KEYS_DOWN);
    assert_int_equal(cursor_step(&c), 12288);
    press(&c, KEYS_END);
    assert_int_equal(cursor_step(&c), 812);
    press(&c, KEYS_DOWN);
    assert_int_equal(cursor_step(&c), 812);
    c.model.rank_rows = 4;
    press(&c, KEYS_PGUP);
    assert_int_equal(cursor_step(&c), 5000);
    press(&c, KEYS_HOME);
    assert_int_equal(cursor_step(&c), 12345);
    press(&c, 'o'); /* and so it is in order */
    assert_int_equal(cursor_step(&c), 12345);
    press(&c, KEYS_HOME);
    assert_int_equal(cursor_step(&c), 812);
    press(&c, KEYS_PGDN);
    assert_int_equal(cursor_step(&c), 5000);
    done(&c);
}

static void the_cursor_stays_on_its_event_when_others_come(void **state)
{
    struct case_ c;
    begin(&c);
    struct run_event last = c.events.items[6];
    c.events.count = 6;
    assert_int_equal(cursor_step(&c), 12288); /* the newest */
    c.events.items[c.events.count++] = last;
    assert_int_equal(cursor_step(&c), 12345); /* it goes on with the newest */
    c.events.count = 6;
    press(&c, KEYS_DOWN);
    press(&c, KEYS_UP); /* now on this one, which is the newest */
    c.events.items[c.events.count++] = last;
    assert_int_equal(cursor_step(&c), 12288);
    press(&c, KEYS_HOME);
    assert_int_equal(cursor_step(&c), 12345);
    done(&c);
}

static void a_cursor_whose_event_is_gone_stands_beside_it(void **state)
{
    struct case_ c;
    begin(&c);
    for (int i = 0; i < 2; i++)
        press(&c, KEYS_DOWN);
    assert_int_equal(cursor_step(&c), 9000); /* a spike */
    press(&c, 'x');
    assert_string_equal(c.model.message, "events without spikes");
    assert_int_equal(cursor_step(&c), 5000);
    press(&c, 'x');
    assert_string_equal(c.model.message, "stragglers and slow groups only");
    assert_int_equal(cursor_step(&c), 3000);
    press(&c, 'x');
    assert_int_equal(cursor_step(&c), 9000); /* it comes back to where it was */
    c.events.count = 1;
    c.model.events_view.hidden = 1u << VERDICT_SPIKE;
    assert_int_equal(cursor_step(&c), -1);
    press(&c, KEYS_DOWN);
    assert_int_equal(press(&c, KEYS_ENTER).kind, REQUEST_NONE);
    assert_shows(&c, 80, 24, "x shows the others");
    done(&c);
}

static void enter_goes_there_with_its_rank(void **state)
{
    struct case_ c;
    begin(&c);
    press(&c, KEYS_DOWN);
    struct view_request request = press(&c, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_GO);
    assert_int_equal(request.amount, 12288);
    assert_int_equal(request.attempt, 0);
    assert_int_equal(c.model.screen, SCREEN_TIMELINE);
    assert_int_equal(c.model.selected, 5);
    assert_true(c.model.paused);
    press(&c, 'E'); /* the cursor is where it was */
    assert_int_equal(cursor_step(&c), 12288);
    press(&c, KEYS_END);
    press(&c, KEYS_UP);
    request = press(&c, KEYS_ENTER); /* a group: no rank */
    assert_int_equal(request.amount, 2000);
    assert_int_equal(c.model.selected, -1);
    done(&c);
}

static void enter_knows_the_attempt(void **state)
{
    struct case_ c;
    begin(&c);
    run_events_done(&c.events);
    fixture_restart(&c.events, &c.summary);
    struct view_request request = press(&c, KEYS_ENTER);
    assert_int_equal(request.attempt, 1);
    assert_int_equal(request.amount, 12345);
    done(&c);
}

static void steps_go_on_being_moved_from_the_list(void **state)
{
    struct case_ c;
    begin(&c);
    assert_int_equal(press(&c, KEYS_LEFT).kind, REQUEST_MOVE);
    assert_int_equal(press(&c, '}').kind, REQUEST_EVENT);
    assert_int_equal(press(&c, 'f').kind, REQUEST_LATEST);
    c.model.events = NULL; /* not there yet: the keys of the list do nothing that breaks */
    press(&c, KEYS_DOWN);
    assert_int_equal(press(&c, KEYS_ENTER).kind, REQUEST_NONE);
    press(&c, 'o');
    press(&c, 'x');
    done(&c);
}

static void stragglers_are_found_in_the_whole_run(void **state)
{
    struct case_ c;
    begin(&c);
    c.model.screen = SCREEN_TIMELINE;
    struct view_request request = press(&c, 'N');
    assert_int_equal(request.kind, REQUEST_GO);
    assert_int_equal(request.amount, 12288);
    c.summary.shown.step = 12288;
    assert_int_equal(press(&c, 'N').amount, 3000);
    c.summary.shown.step = 2000;
    assert_int_equal(press(&c, 'n').amount, 3000);
    c.summary.shown.step = 12345;
    c.model.paused = false;
    assert_int_equal(press(&c, 'n').kind, REQUEST_NONE);
    assert_string_equal(c.model.message, "no straggler begins after this step");
    assert_false(c.model.paused);
    c.model.playback.on = true; /* of what is not read yet nothing is known */
    c.model.playback.indexed = 0.3;
    press(&c, 'n');
    assert_string_equal(c.model.message,
                        "no straggler begins after this step as far as the logs are read");
    done(&c);
}

/* What to do about it stands at its end. */
static void a_long_message_is_seen_whole(void **state)
{
    struct case_ c;
    begin(&c);
    snprintf(c.model.message, sizeof(c.model.message),
             "logs: holds two runs: a-rank*.jsonl (8 files, steps 0 to 149), b-rank*.jsonl (3 "
             "files, steps 0 to 149); choose one: --run 'a-rank*'");
    check("message-80x24", &c.model, 80, 24, true, false);
    assert_shows(&c, 80, 24, "choose one: --run 'a-rank*'");
    check("message-40x10", &c.model, 40, 10, true, false);
    draw_everywhere(&c.model);
    c.model.screen = SCREEN_TIMELINE;
    assert_shows(&c, 80, 24, "choose one: --run 'a-rank*'");
    draw_everywhere(&c.model);
    snprintf(c.model.message, sizeof(c.model.message), "all events");
    assert_shows(&c, 80, 24, "all events");
    done(&c);
}

static void without_a_list_keys_are_about_steps(void **state)
{
    struct case_ c;
    begin(&c);
    assert_int_equal(press(&c, KEYS_END).kind, REQUEST_NONE); /* the last row */
    c.events.count = 0;
    assert_int_equal(press(&c, KEYS_END).kind, REQUEST_LATEST);
    assert_int_equal(press(&c, KEYS_HOME).kind, REQUEST_FIRST);
    assert_int_equal(press(&c, KEYS_UP).kind, REQUEST_NONE);
    done(&c);
}

static void stragglers_are_told_apart_by_attempt(void **state)
{
    struct case_ c;
    begin(&c);
    run_events_done(&c.events);
    fixture_restart(&c.events, &c.summary);
    c.model.screen = SCREEN_TIMELINE;
    c.summary.shown.attempt = 0;
    c.summary.shown.step = 20000; /* after all of attempt 1 */
    struct view_request request = press(&c, 'n');
    assert_int_equal(request.attempt, 1);
    assert_int_equal(request.amount, 12288);
    done(&c);
}

/* ---- the list around the shown step ---- */

static void the_shown_step_has_its_place_in_the_list(void **state)
{
    struct case_ c;
    struct event_rows rows;
    begin(&c);
    rows = event_rows_make(&c.events, &c.model.events_view);
    assert_int_equal(event_rows_above(&rows, &c.events, &c.model.events_view, 0, 12345), 0);
    assert_int_equal(event_rows_above(&rows, &c.events, &c.model.events_view, 0, 12344), 1);
    assert_int_equal(event_rows_above(&rows, &c.events, &c.model.events_view, 0, 3000), 4);
    assert_int_equal(event_rows_above(&rows, &c.events, &c.model.events_view, 0, 1), 7);
    event_rows_done(&rows);
    c.summary.shown.step = 3050;
    check("events-place-80x24", &c.model, 80, 24, true, false);
    c.model.events_view.oldest_first = true;
    rows = event_rows_make(&c.events, &c.model.events_view);
    assert_int_equal(event_rows_above(&rows, &c.events, &c.model.events_view, 0, 3000), 3);
    assert_int_equal(event_rows_above(&rows, &c.events, &c.model.events_view, 0, 1), 0);
    event_rows_done(&rows);
    assert_true(event_lasts_at(&c.events.items[2], 0, 3100));
    assert_false(event_lasts_at(&c.events.items[2], 0, 3101));
    assert_false(event_lasts_at(&c.events.items[2], 0, 2999));
    assert_true(event_lasts_at(&c.events.items[5], 3, 1)); /* it lasts, in a later attempt */
    done(&c);
}

static void a_long_list_is_scrolled_with_the_cursor(void **state)
{
    struct case_ c;
    begin(&c);
    c.summary.shown.step = 100000; /* its line is the first */
    for (int i = 0; i < 6; i++) {
        c.model.rank_rows = 5;
        press(&c, KEYS_DOWN);
    }
    assert_int_equal(c.model.events_view.scroll, 3); /* 8 lines, 5 seen */
    press(&c, KEYS_HOME);
    assert_int_equal(c.model.events_view.scroll, 1);
    assert_shows(&c, 40, 9, "shown: step 100,000"); /* drawn with the first row none the less */
    done(&c);
}

/* ---- where a replay is ---- */

static void replay(struct case_ *c)
{
    begin(c);
    c->model.mode = MODE_REPLAY;
    c->model.screen = SCREEN_TIMELINE;
    c->model.playback = (struct playback){.on = true,
                                          .speed = 4,
                                          .indexed = 1,
                                          .place = 0.5,
                                          .first_step = 0,
                                          .last_step = 24690,
                                          .mark_count = 1,
                                          .marks = {{0, 18518}}};
    snprintf(c->model.feed.source, sizeof(c->model.feed.source), "logs/last-night");
}

static void a_replay_says_where_it_is(void **state)
{
    struct case_ c;
    replay(&c);
    check("playback-80x24", &c.model, 80, 24, true, false);
    check("playback-80x24-ascii", &c.model, 80, 24, false, false);
    check("playback-120x30", &c.model, 120, 30, true, false);
    check("playback-40x10", &c.model, 40, 10, true, false);
    check("playback-30x12", &c.model, 30, 12, true, false);
    c.model.screen = SCREEN_EVENTS;
    check("playback-events-80x24", &c.model, 80, 24, true, false);
    c.model.screen = SCREEN_LEDGER;
    assert_shows(&c, 80, 24, "standing");
    done(&c);
}

static void while_the_index_grows_the_bar_has_a_part_that_is_not_known(void **state)
{
    struct case_ c;
    replay(&c);
    c.model.playback.playing = true;
    c.model.playback.indexed = 0.63;
    c.model.playback.skip_idle = true;
    c.model.playback.idle_s = 5;
    check("playback-indexing-80x24", &c.model, 80, 24, true, false);
    check("playback-indexing-80x24-styles", &c.model, 80, 24, true, true);
    check("playback-indexing-40x10", &c.model, 40, 10, true, false);
    check("playback-indexing-200x60", &c.model, 200, 60, true, false);
    c.model.playback.seeking = true;
    c.model.playback.seek = 0.43;
    check("playback-seeking-80x24", &c.model, 80, 24, false, false);
    c.model.playback.seek = 0; /* it is not read so far */
    c.model.playback.days = true;
    check("playback-reading-80x24", &c.model, 80, 24, true, false);
    check("playback-reading-120x30", &c.model, 120, 30, true, false);
    c.model.playback.seek = 0.43;
    c.model.playback.days = false;
    c.model.playback.indexed = 0.999;
    assert_shows(&c, 80, 24, "of the 99% read"); /* 100% is all of it */
    c.model.playback.indexed = 1;
    assert_hides(&c, 80, 24, "read");
    done(&c);
}

static void before_the_first_step_the_bar_is_empty(void **state)
{
    struct case_ c;
    replay(&c);
    c.model.playback = (struct playback){
        .on = true, .playing = true, .place = NAN, .first_step = -1, .last_step = -1};
    c.summary.shown.known = false;
    assert_shows(&c, 80, 24, "read 0%");
    assert_shows(&c, 80, 24, "playing x1  ......");
    done(&c);
}

static void marks_stand_where_their_steps_are(void **state)
{
    struct case_ c;
    replay(&c);
    run_events_done(&c.events);
    fixture_restart(&c.events, &c.summary);
    c.events.count = 5;
    /* 9,013 steps of attempt 1, then 9,000 to 18,012: half of the run each */
    c.model.playback.last_attempt = 1;
    c.model.playback.last_step = 18012;
    c.model.playback.place = 0;
    c.model.playback.marks[0].attempt = 1;
    c.model.playback.marks[0].step = 18012;
    c.model.screen = SCREEN_EVENTS;
    char *text = picture(&c, 80, 24), *bar = strchr(text, '#');
    assert_non_null(bar);
    size_t cells = strcspn(bar, " ");
    assert_int_equal(bar[cells - 1], '+');
    size_t restart = (size_t)lround(9013.0 / 18025.0 * (double)(cells - 1));
    assert_int_equal(bar[restart], '!');
    free(text);
    done(&c);
}

static void the_word_says_whether_a_replay_plays(void **state)
{
    struct case_ c;
    replay(&c);
    assert_string_equal(model_mode_word(&c.model), "PAUSED");
    assert_int_equal(press(&c, ' ').kind, REQUEST_PLAY);
    c.model.playback.playing = true;
    assert_string_equal(model_mode_word(&c.model), "REPLAY");
    c.model.paused = true; /* it is the replay that says so */
    assert_string_equal(model_mode_word(&c.model), "REPLAY");
    assert_int_equal(press(&c, ']').kind, REQUEST_SPEED);
    assert_int_equal(press(&c, '[').amount, -1);
    assert_int_equal(press(&c, 'i').kind, REQUEST_IDLE);
    assert_int_equal(press(&c, 'm').kind, REQUEST_MARK);
    assert_int_equal(press(&c, '\'').amount, 1);
    assert_int_equal(press(&c, '"').amount, -1);
    done(&c);
}

static void where_to_go_is_typed(void **state)
{
    struct case_ c;
    replay(&c);
    press(&c, ':');
    type(&c, "a2:1200");
    check("playback-go-80x24", &c.model, 80, 24, true, false);
    check("playback-go-40x10", &c.model, 40, 10, true, false);
    struct view_request request = press(&c, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_SEEK);
    assert_string_equal(c.model.go, "a2:1200");
    press(&c, ':');
    type(&c, "45%");
    assert_int_equal(press(&c, KEYS_ESC).kind, REQUEST_NONE);
    assert_false(c.model.entering);
    assert_string_equal(c.model.go, "a2:1200");
    assert_string_equal(c.model.filter, ""); /* it is no filter */
    press(&c, ':');
    assert_int_equal(press(&c, KEYS_ENTER).kind, REQUEST_NONE);
    done(&c);
}

static void looking_back_says_how_far(void **state)
{
    struct case_ c;
    begin(&c);
    c.model.screen = SCREEN_TIMELINE;
    c.model.paused = true;
    c.summary.is_latest = false;
    c.summary.shown.step = 12288;
    assert_shows(&c, 80, 24, "PAUSED  step 12,288 (57 back)");
    assert_shows(&c, 60, 16, "PAUSED  step 12,288 (57 back)");
    assert_shows(&c, 40, 10, "12,288 -57");
    done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_the_sizes_of_the_ladder),
        cmocka_unit_test(what_is_scaled_from_few_ranks_says_so),
        cmocka_unit_test(a_run_of_several_days_and_attempts_says_so),
        cmocka_unit_test(a_rank_that_is_missing_now_is_not_nothing),
        cmocka_unit_test(a_clock_without_a_zone_is_the_logs_own),
        cmocka_unit_test(a_quiet_run_says_what_would_be_listed),
        cmocka_unit_test(what_is_not_kept_is_said_at_any_width),
        cmocka_unit_test(hostile_names_stay_in_their_column),
        cmocka_unit_test(every_size_can_be_drawn),
        cmocka_unit_test(without_a_clock_the_time_is_blank),
        cmocka_unit_test(all_of_an_event_is_one_sentence),
        cmocka_unit_test(gaps_and_missing_hosts_have_words),
        cmocka_unit_test(the_cursor_moves_and_stays_within_the_list),
        cmocka_unit_test(the_cursor_stays_on_its_event_when_others_come),
        cmocka_unit_test(a_cursor_whose_event_is_gone_stands_beside_it),
        cmocka_unit_test(enter_goes_there_with_its_rank),
        cmocka_unit_test(enter_knows_the_attempt),
        cmocka_unit_test(steps_go_on_being_moved_from_the_list),
        cmocka_unit_test(stragglers_are_found_in_the_whole_run),
        cmocka_unit_test(a_long_message_is_seen_whole),
        cmocka_unit_test(without_a_list_keys_are_about_steps),
        cmocka_unit_test(stragglers_are_told_apart_by_attempt),
        cmocka_unit_test(the_shown_step_has_its_place_in_the_list),
        cmocka_unit_test(a_long_list_is_scrolled_with_the_cursor),
        cmocka_unit_test(a_replay_says_where_it_is),
        cmocka_unit_test(while_the_index_grows_the_bar_has_a_part_that_is_not_known),
        cmocka_unit_test(before_the_first_step_the_bar_is_empty),
        cmocka_unit_test(marks_stand_where_their_steps_are),
        cmocka_unit_test(the_word_says_whether_a_replay_plays),
        cmocka_unit_test(where_to_go_is_typed),
        cmocka_unit_test(looking_back_says_how_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

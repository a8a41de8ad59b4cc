/* What keys do to a view; which ranks are chosen; where an axis is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "axis.h"
#include "sentence.h"
#include "view_fixture.h"

static struct view_request press(struct view_model *model, uint32_t code)
{
    return model_key(model, (struct key_event){keys_command(code), code});
}

static void type(struct view_model *model, const char *text)
{
    for (; *text; text++)
        press(model, (unsigned char)*text);
}

static void begin(struct summary *summary, struct view_model *model, size_t ranks)
{
    fixture_figure(summary, ranks);
    model_init(model, MODE_LIVE);
    model->summary = summary;
}

static void pausing_holds_the_step_and_going_on_follows(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    assert_string_equal(model_mode_word(&model), "LIVE");
    assert_int_equal(press(&model, ' ').kind, REQUEST_HOLD);
    assert_string_equal(model_mode_word(&model), "PAUSED");
    assert_int_equal(press(&model, ' ').kind, REQUEST_LATEST);
    assert_string_equal(model_mode_word(&model), "LIVE");
    summary_done(&summary);
}

static void moving_pins_the_step(void **state)
{
    static const struct {
        uint32_t code;
        enum request_kind kind;
        int64_t amount;
    } cases[] = {{KEYS_LEFT, REQUEST_MOVE, -1},
                 {'.', REQUEST_MOVE, 1},
                 {KEYS_PGUP, REQUEST_MOVE, -MODEL_PAGE_STEPS},
                 {KEYS_PGDN, REQUEST_MOVE, MODEL_PAGE_STEPS},
                 {'g', REQUEST_FIRST, 0},
                 {'q', REQUEST_QUIT, 0},
                 {0x0C, REQUEST_REDRAW, 0},
                 {0x1A, REQUEST_SUSPEND, 0},
                 {'x', REQUEST_NONE, 0}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        model.paused = false;
        struct view_request request = press(&model, cases[i].code);
        assert_int_equal(request.kind, cases[i].kind);
        assert_int_equal(request.amount, cases[i].amount);
        assert_int_equal(model.paused,
                         request.kind == REQUEST_MOVE || request.kind == REQUEST_FIRST);
    }
    press(&model, KEYS_LEFT);
    assert_int_equal(press(&model, 'G').kind, REQUEST_LATEST);
    assert_false(model.paused);
    summary_done(&summary);
}

static void the_next_straggler_is_the_nearest_one(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    struct view_request request = press(&model, 'N');
    assert_int_equal(request.kind, REQUEST_FIND);
    assert_int_equal(request.amount, 12288);
    assert_true(model.paused);
    summary.shown.step = 12000;
    request = press(&model, 'n');
    assert_int_equal(request.kind, REQUEST_FIND);
    assert_int_equal(request.amount, 12288);
    assert_int_equal(press(&model, 'N').kind, REQUEST_NONE);
    assert_string_equal(model.message, "no straggler begins before this step");
    press(&model, 'a');
    assert_string_equal(model.message, "");
    summary_done(&summary);
}

static void a_filter_is_typed_taken_back_and_accepted(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, '/');
    assert_true(model.entering);
    type(&model, "0-3,q");
    assert_string_equal(model.entry, "0-3,q"); /* q is text here */
    press(&model, KEYS_BACKSPACE);
    press(&model, 0x2603); /* not ASCII */
    press(&model, KEYS_ENTER);
    assert_false(model.entering);
    assert_string_equal(model.filter, "0-3,");
    press(&model, '/');
    type(&model, "5");
    press(&model, KEYS_ESC);
    assert_string_equal(model.filter, "0-3,");
    press(&model, KEYS_ESC); /* closes the filter too */
    assert_string_equal(model.filter, "");
    press(&model, '/');
    for (int i = 0; i < 1000; i++)
        press(&model, '7');
    assert_int_equal(strlen(model.entry), FILTER_BYTES - 1);
    assert_int_equal(press(&model, 0x03).kind, REQUEST_QUIT);
    summary_done(&summary);
}

static void a_filter_that_matches_nothing_says_so(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, '/');
    type(&model, "nowhere");
    press(&model, KEYS_ENTER);
    assert_string_equal(model.message, "no rank matches");
    summary_done(&summary);
}

static void filters_match_numbers_ranges_hosts_and_groups(void **state)
{
    static const struct {
        const char *filter;
        bool matches; /* rank 12 on node17 in pp1 */
    } cases[] = {{"", true},
                 {" , ", true},
                 {"12", true},
                 {"1", false},
                 {"0-7", false},
                 {"0-7,12", true},
                 {"8-16", true},
                 {"16-8", false},
                 {"node17", true},
                 {"NODE", true},
                 {"de1", true},
                 {"node2", false},
                 {"pp1", true},
                 {"pp", false},
                 {"7", false},
                 {"-", false},
                 {"99999999999999999999", false},
                 {"x 12", true},
                 {"12-", false}};
    struct summary_rank rank = {.rank = 12, .host = "node17", .group = "pp1"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(filter_matches(cases[i].filter, &rank), cases[i].matches);
}

static void help_opens_scrolls_and_closes(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, '?');
    assert_int_equal(model.screen, SCREEN_HELP);
    press(&model, KEYS_UP);
    assert_int_equal(model.help_scroll, 0);
    press(&model, KEYS_DOWN);
    assert_int_equal(model.help_scroll, 1);
    assert_int_equal(press(&model, KEYS_PGDN).kind, REQUEST_NONE);
    assert_int_equal(model.help_scroll, 1 + MODEL_PAGE_STEPS);
    press(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_TIMELINE);
    summary_done(&summary);
}

static void tab_goes_round_the_screens_without_the_help(void **state)
{
    static const enum screen round[] = {SCREEN_RANKS,   SCREEN_LEDGER, SCREEN_EVENTS,  SCREEN_HEAT,
                                        SCREEN_HISTORY, SCREEN_CALC,   SCREEN_TIMELINE};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    for (size_t i = 0; i < sizeof(round) / sizeof(round[0]); i++) {
        press(&model, KEYS_TAB);
        assert_int_equal(model.screen, round[i]);
    }
    press(&model, KEYS_SHIFT_TAB);
    assert_int_equal(model.screen, SCREEN_CALC);
    summary_done(&summary);
}

static void each_screen_has_keys_of_its_own(void **state)
{
    static const struct {
        uint32_t code;
        enum screen screen;
    } cases[] = {{'R', SCREEN_RANKS},    {KEYS_F4, SCREEN_LEDGER},   {'C', SCREEN_CALC},
                 {'T', SCREEN_TIMELINE}, {'L', SCREEN_LEDGER},       {KEYS_F3, SCREEN_RANKS},
                 {KEYS_F5, SCREEN_CALC}, {KEYS_F2, SCREEN_TIMELINE}, {'E', SCREEN_EVENTS},
                 {'M', SCREEN_HEAT},     {'H', SCREEN_HISTORY},      {KEYS_F6, SCREEN_EVENTS},
                 {KEYS_F7, SCREEN_HEAT}, {KEYS_F8, SCREEN_HISTORY}};
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        press(&model, cases[i].code);
        assert_int_equal(model.screen, cases[i].screen);
    }
    summary_done(&summary);
}

static void the_help_goes_back_to_where_it_was_asked(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, 'R');
    press(&model, KEYS_ENTER); /* one rank closer */
    press(&model, '?');
    assert_int_equal(model.screen, SCREEN_HELP);
    press(&model, '?');
    assert_int_equal(model.screen, SCREEN_RANKS);
    assert_true(model.detail);
    press(&model, '?');
    press(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_RANKS);
    assert_true(model.detail);
    press(&model, '?');
    press(&model, KEYS_TAB); /* on from the screen behind it */
    assert_int_equal(model.screen, SCREEN_LEDGER);
    press(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_TIMELINE);
    summary_done(&summary);
}

static void keys_of_the_timeline_do_nothing_elsewhere(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 64);
    model.rank_rows = 10;
    press(&model, 'L');
    press(&model, 'a');
    press(&model, 'b');
    press(&model, 'r');
    press(&model, '/');
    press(&model, KEYS_DOWN);
    assert_false(model.axis_seconds || model.phases || model.entering);
    assert_int_equal(model.choice, CHOICE_MATTER);
    assert_int_equal(model.page_scroll, 1);
    assert_int_equal(press(&model, KEYS_LEFT).kind, REQUEST_MOVE);
    summary_done(&summary);
}

static void scrolling_stops_at_both_ends(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 64);
    model.rank_rows = 10;
    press(&model, KEYS_DOWN); /* first from those that matter to all */
    assert_int_equal(model.choice, CHOICE_NUMBER);
    assert_int_equal(model.scroll, 0);
    press(&model, KEYS_UP);
    assert_int_equal(model.scroll, 0);
    for (int i = 0; i < 100; i++)
        press(&model, KEYS_DOWN);
    assert_int_equal(model.scroll, 54);
    press(&model, KEYS_UP);
    assert_int_equal(model.scroll, 53);
    summary_done(&summary);
}

static void a_row_key_selects_its_rank_and_again_drops_it(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, '3');
    assert_int_equal(model.selected, 2);
    press(&model, '3');
    assert_int_equal(model.selected, -1);
    press(&model, KEYS_ENTER); /* the slowest */
    assert_int_equal(model.selected, 5);
    press(&model, KEYS_ESC);
    assert_int_equal(model.selected, -1);
    summary_done(&summary);
}

static void the_line_of_a_rank_goes_with_its_screen(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, '3');
    assert_true(model.rank_line);
    press(&model, KEYS_ENTER);
    press(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_TIMELINE);
    assert_false(model.rank_line); /* the keys are back, the rank is still marked */
    assert_int_equal(model.selected, 2);
    press(&model, '3'); /* asks for the line again */
    assert_true(model.rank_line);
    assert_int_equal(model.selected, 2);
    press(&model, '3');
    assert_false(model.rank_line);
    assert_int_equal(model.selected, -1);
    summary_done(&summary);
}

/* --- the table of all ranks --- */

static void esc_in_the_table_drops_the_filter_then_the_table(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, KEYS_TAB);
    press(&model, '/');
    type(&model, "5");
    press(&model, KEYS_ENTER);
    press(&model, KEYS_ENTER); /* one rank closer, and back: the filter stays */
    assert_true(model.detail);
    press(&model, KEYS_ESC);
    assert_string_equal(model.filter, "5");
    press(&model, KEYS_ESC);
    assert_string_equal(model.filter, "");
    assert_int_equal(model.screen, SCREEN_RANKS);
    press(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_TIMELINE);
    summary_done(&summary);
}

static void page_keys_turn_the_ledger_not_the_step(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, 'L');
    assert_int_equal(press(&model, KEYS_PGDN).kind, REQUEST_NONE);
    assert_int_equal(model.page_scroll, MODEL_PAGE_STEPS);
    assert_false(model.paused);
    assert_int_equal(press(&model, KEYS_PGUP).kind, REQUEST_NONE);
    assert_int_equal(model.page_scroll, 0);
    assert_int_equal(press(&model, KEYS_END).kind, REQUEST_LATEST);
    summary_done(&summary);
}

static void enter_looks_closer_at_the_selected_rank_and_esc_comes_back(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    press(&model, '3');
    press(&model, KEYS_ENTER);
    assert_int_equal(model.screen, SCREEN_RANKS);
    assert_true(model.detail);
    assert_int_equal(model.selected, 2);
    press(&model, KEYS_ESC); /* it came from there */
    assert_int_equal(model.screen, SCREEN_TIMELINE);
    press(&model, KEYS_TAB);
    assert_false(model.detail);
    press(&model, KEYS_ENTER);
    assert_true(model.detail);
    press(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_RANKS);
    assert_false(model.detail);
    press(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_TIMELINE);
    assert_int_equal(model.selected, 2);
    summary_done(&summary);
}

static void the_cursor_moves_by_rows_pages_and_to_both_ends(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 1024);
    press(&model, 'R');
    model.rank_rows = 20;
    press(&model, KEYS_DOWN); /* from nowhere: the first row, the slowest */
    assert_int_equal(model.selected, 5);
    press(&model, KEYS_DOWN);
    assert_int_equal(model.selected, 1);
    assert_int_equal(press(&model, KEYS_PGDN).kind, REQUEST_NONE);
    assert_int_equal(model.selected, 1 + 8 * 19);
    assert_int_equal(model.rank_order.scroll, 1);
    press(&model, 'G');
    assert_int_equal(model.rank_order.scroll, 1024 - 20);
    assert_int_equal(model.selected, 1016); /* 0.97: 0, 8, 16, ... */
    press(&model, KEYS_PGDN);
    assert_int_equal(model.selected, 1016);
    press(&model, KEYS_HOME);
    assert_int_equal(model.selected, 5);
    assert_int_equal(model.rank_order.scroll, 0);
    press(&model, '4');
    assert_int_equal(model.selected, 17);
    assert_false(model.paused);
    assert_int_equal(press(&model, KEYS_LEFT).kind, REQUEST_MOVE); /* steps still do */
    assert_int_equal(press(&model, 'f').kind, REQUEST_LATEST);
    summary_done(&summary);
}

static void in_the_table_only_ranks_that_match_have_rows(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 64);
    model.rank_rows = 20;
    press(&model, 'R');
    press(&model, '/');
    type(&model, "node03");
    press(&model, KEYS_ENTER);
    press(&model, KEYS_END);
    assert_int_equal(model.selected, 24);
    press(&model, KEYS_HOME);
    assert_int_equal(model.selected, 25);
    type(&model, "/1-0\r"); /* nobody */
    press(&model, 0x15);
    summary_done(&summary);
}

static void every_column_that_is_known_can_be_sorted_by(void **state)
{
    struct summary summary;
    struct view_model model;
    begin(&summary, &model, 8);
    for (size_t i = 0; i < 8; i++)
        summary.ranks[i].late_begin_s = NAN;
    press(&model, 'R');
    bool seen[RANK_COLUMN_COUNT] = {false};
    for (int i = 0; i < RANK_COLUMN_COUNT; i++) {
        seen[rank_order_column(&model.rank_order)] = true;
        press(&model, 's');
    }
    for (int i = 0; i < RANK_COLUMN_COUNT; i++)
        assert_int_equal(seen[i], i != RANK_COLUMN_LATE);
    model.rank_order = (struct rank_order){0};
    for (int i = RANK_COLUMN_RANK; i < RANK_COLUMN_WINDOW; i++)
        press(&model, '<');
    assert_int_equal(rank_order_column(&model.rank_order), RANK_COLUMN_RANK);
    assert_string_equal(model.message, "sorted by rank number");
    press(&model, 'S');
    assert_string_equal(model.message, "sorted by rank number, the other way round");
    summary_done(&summary);
}

static void assert_order(const struct summary *summary, enum rank_column column, bool reverse,
                         const uint32_t *expected)
{
    struct rank_order order = {.turns = (int)column - RANK_COLUMN_WINDOW, .reverse = reverse};
    struct rank_rows rows = rank_rows_make(summary, "", &order);
    assert_int_equal(rank_order_column(&order), column);
    assert_int_equal(rows.count, summary->rank_count);
    for (size_t i = 0; i < rows.count; i++)
        assert_int_equal(summary->ranks[rows.index[i]].rank, expected[i]);
    rank_rows_done(&rows);
}

static void rows_are_sorted_and_what_is_not_known_stands_last(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    summary.ranks[3].window_slowdown = NAN;
    summary.ranks[4].window_slowdown = -INFINITY;
    summary.ranks[3].state = RANK_MISSING;
    summary.ranks[6].straggler = true; /* no verdict on it: its group's */
    for (int i = 0; i < 8; i++) {
        snprintf(summary.ranks[i].host, NAME_BYTES, "node%d", i % 2 ? 10 : 9);
        summary.ranks[i].wait_s = i % 4 == 0 ? -0.0 : i % 4 == 1 ? 0.0 : i;
    }
    summary.ranks[7].host[0] = '\0';
    assert_order(&summary, RANK_COLUMN_WINDOW, false, (uint32_t[]){5, 1, 6, 2, 7, 0, 4, 3});
    assert_order(&summary, RANK_COLUMN_WINDOW, true, (uint32_t[]){4, 0, 7, 2, 6, 1, 5, 3});
    assert_order(&summary, RANK_COLUMN_RANK, true, (uint32_t[]){7, 6, 5, 4, 3, 2, 1, 0});
    assert_order(&summary, RANK_COLUMN_HOST, false, (uint32_t[]){0, 2, 4, 6, 1, 3, 5, 7});
    assert_order(&summary, RANK_COLUMN_HOST, true, (uint32_t[]){1, 3, 5, 0, 2, 4, 6, 7});
    assert_order(&summary, RANK_COLUMN_MARK, false, (uint32_t[]){3, 5, 6, 0, 1, 2, 4, 7});
    assert_order(&summary, RANK_COLUMN_WAIT, true, (uint32_t[]){0, 1, 4, 5, 2, 3, 6, 7});
    summary_done(&summary);
}

static void the_table_keeps_the_cursor_in_sight(void **state)
{
    struct rank_order order = {.scroll = 10};
    assert_int_equal(rank_order_scroll(&order, SIZE_MAX, 100, 20), 10);
    assert_int_equal(rank_order_scroll(&order, 10, 100, 20), 10);
    assert_int_equal(rank_order_scroll(&order, 29, 100, 20), 10);
    assert_int_equal(rank_order_scroll(&order, 30, 100, 20), 11);
    assert_int_equal(rank_order_scroll(&order, 3, 100, 20), 3);
    assert_int_equal(rank_order_scroll(&order, SIZE_MAX, 15, 20), 0);
    assert_int_equal(rank_order_scroll(&order, SIZE_MAX, 0, 0), 0);
}

static void sorting_16384_ranks_is_quick(void **state)
{
    struct summary summary;
    struct timespec from, to;
    fixture_figure(&summary, 16384);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (int i = 0; i < RANK_COLUMN_COUNT; i++) {
        struct rank_order order = {.turns = i};
        struct rank_rows rows = rank_rows_make(&summary, "", &order);
        assert_int_equal(rows.count, 16384);
        rank_rows_done(&rows);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    double ms =
        ((double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6) /
        RANK_COLUMN_COUNT;
    print_message("16,384 ranks sorted: %.2f ms\n", ms);
    assert_true(ms < 20); /* 2 ms is the aim; sanitisers take their share */
    summary_done(&summary);
}

/* --- choice --- */

static bool chosen(const struct choice *choice, uint32_t index, enum choice_role role)
{
    for (size_t i = 0; i < choice->count; i++) {
        if (choice->rows[i].index == index)
            return choice->rows[i].role == role;
    }
    return false;
}

static void ranks_that_matter_are_chosen_and_stand_by_number(void **state)
{
    struct summary summary;
    struct choice choice;
    fixture_figure(&summary, 1024);
    summary.ranks[700].state = RANK_MISSING;
    summary.ranks[900].window_slowdown = 1.04;
    for (size_t i = 0; i < 1024; i++)
        summary.ranks[i].slowdown = 1.01;
    summary.ranks[5].slowdown = 1.1;
    summary.ranks[333].slowdown = 0.5;
    summary.ranks[444].slowdown = 0.999;      /* "+-0%" is written beside it */
    summary.ranks[555].window_slowdown = 0.4; /* the fastest over the window, not in this step */
    choice_make(&choice, &summary, CHOICE_MATTER, "", 0, 8);
    assert_int_equal(choice.count, 8);
    assert_int_equal(choice.matching, 1024);
    assert_true(chosen(&choice, 5, ROLE_STRAGGLER));
    assert_true(chosen(&choice, 700, ROLE_MISSING));
    assert_true(chosen(&choice, 900, ROLE_NONE));
    assert_true(chosen(&choice, 333, ROLE_FASTEST));
    assert_true(chosen(&choice, 444, ROLE_MEDIAN));
    assert_false(chosen(&choice, 555, ROLE_FASTEST));
    assert_false(chosen(&choice, 600, ROLE_NONE));
    choice_make_with(&choice, &summary, CHOICE_MATTER, "", 0, 8, 600);
    assert_true(chosen(&choice, 600, ROLE_NONE)); /* it is looked at */
    assert_int_equal(choice.count, 8);
    for (size_t i = 1; i < choice.count; i++)
        assert_true(choice.rows[i - 1].index < choice.rows[i].index);
    summary_done(&summary);
}

static void a_flood_of_missing_ranks_leaves_some_to_compare_with(void **state)
{
    struct summary summary;
    struct choice choice;
    fixture_figure(&summary, 64);
    for (int i = 16; i < 64; i++)
        summary.ranks[i].state = RANK_MISSING;
    choice_make(&choice, &summary, CHOICE_MATTER, "", 0, 8);
    assert_int_equal(choice.count, 8);
    assert_true(chosen(&choice, 5, ROLE_STRAGGLER));
    assert_true(chosen(&choice, 16, ROLE_MISSING));
    size_t missing = 0;
    for (size_t i = 0; i < choice.count; i++)
        missing += choice.rows[i].role == ROLE_MISSING;
    assert_in_range(missing, 1, 5);
    summary_done(&summary);
}

static void the_slowest_come_first_and_scrolling_is_kept_in_range(void **state)
{
    struct summary summary;
    struct choice choice;
    fixture_figure(&summary, 64);
    summary.ranks[9].window_slowdown = NAN;
    summary.ranks[9].slowdown = NAN;
    choice_make(&choice, &summary, CHOICE_SLOWEST, "", 0, 64);
    assert_int_equal(choice.rows[0].index, 5);
    assert_int_equal(choice.rows[63].index, 9); /* no figures */
    choice_make(&choice, &summary, CHOICE_NUMBER, "", 1000, 10);
    assert_int_equal(choice.first, 54);
    assert_int_equal(choice.rows[0].index, 54);
    choice_make(&choice, &summary, CHOICE_NUMBER, "8-11", 0, 10);
    assert_int_equal(choice.count, 4);
    assert_int_equal(choice.rows[3].index, 11);
    choice_make(&choice, &summary, CHOICE_MATTER, "", 0, 0);
    assert_int_equal(choice.count, 0);
    summary_done(&summary);
}

/* --- axis --- */

static void the_axis_of_animation_1_1_begins_at_0_90(void **state)
{
    struct summary summary;
    struct choice choice;
    fixture_figure(&summary, 8);
    choice_make(&choice, &summary, CHOICE_NUMBER, "", 0, 8);
    struct axis axis = axis_make(&summary, &choice, true, true);
    assert_true(axis.cut);
    assert_true(fabs(axis.low / axis.median - 0.90) < 1e-9);
    assert_true(axis_eighths(&axis, 0.97 * FIXTURE_SECONDS, 40) > 0);
    assert_int_equal(axis_eighths(&axis, 1.10 * FIXTURE_SECONDS, 40), 320);
    assert_int_equal(axis_eighths(&axis, 0.5 * FIXTURE_SECONDS, 40), 0);
    axis = axis_make(&summary, &choice, true, false);
    assert_false(axis.cut);
    assert_int_equal(axis_eighths(&axis, 0.55 * FIXTURE_SECONDS, 40), 160);
    summary_done(&summary);
}

static void a_very_short_bar_stays_visible_on_a_cut_axis(void **state)
{
    struct summary summary;
    struct choice choice;
    fixture_figure(&summary, 8);
    for (double ratio = 0.01; ratio < 1; ratio += 0.01) {
        summary.ranks[2].own_s = ratio * FIXTURE_SECONDS;
        choice_make(&choice, &summary, CHOICE_NUMBER, "", 0, 8);
        struct axis axis = axis_make(&summary, &choice, true, true);
        assert_true(axis_eighths(&axis, summary.ranks[2].own_s, 38) > 0);
    }
    summary_done(&summary);
}

static void an_axis_without_own_times_is_not_known(void **state)
{
    struct summary summary;
    struct choice choice;
    fixture_no_rule(&summary);
    choice_make(&choice, &summary, CHOICE_NUMBER, "", 0, 8);
    struct axis axis = axis_make(&summary, &choice, true, true);
    assert_false(axis.known);
    assert_int_equal(axis_eighths(&axis, 1, 40), 0);
    summary_done(&summary);
}

/* --- sentences --- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pausing_holds_the_step_and_going_on_follows),
        cmocka_unit_test(moving_pins_the_step),
        cmocka_unit_test(the_next_straggler_is_the_nearest_one),
        cmocka_unit_test(a_filter_is_typed_taken_back_and_accepted),
        cmocka_unit_test(a_filter_that_matches_nothing_says_so),
        cmocka_unit_test(filters_match_numbers_ranges_hosts_and_groups),
        cmocka_unit_test(help_opens_scrolls_and_closes),
        cmocka_unit_test(tab_goes_round_the_screens_without_the_help),
        cmocka_unit_test(each_screen_has_keys_of_its_own),
        cmocka_unit_test(the_help_goes_back_to_where_it_was_asked),
        cmocka_unit_test(keys_of_the_timeline_do_nothing_elsewhere),
        cmocka_unit_test(the_line_of_a_rank_goes_with_its_screen),
        cmocka_unit_test(esc_in_the_table_drops_the_filter_then_the_table),
        cmocka_unit_test(page_keys_turn_the_ledger_not_the_step),
        cmocka_unit_test(enter_looks_closer_at_the_selected_rank_and_esc_comes_back),
        cmocka_unit_test(the_cursor_moves_by_rows_pages_and_to_both_ends),
        cmocka_unit_test(in_the_table_only_ranks_that_match_have_rows),
        cmocka_unit_test(every_column_that_is_known_can_be_sorted_by),
        cmocka_unit_test(rows_are_sorted_and_what_is_not_known_stands_last),
        cmocka_unit_test(the_table_keeps_the_cursor_in_sight),
        cmocka_unit_test(sorting_16384_ranks_is_quick),
        cmocka_unit_test(scrolling_stops_at_both_ends),
        cmocka_unit_test(a_row_key_selects_its_rank_and_again_drops_it),
        cmocka_unit_test(ranks_that_matter_are_chosen_and_stand_by_number),
        cmocka_unit_test(a_flood_of_missing_ranks_leaves_some_to_compare_with),
        cmocka_unit_test(the_slowest_come_first_and_scrolling_is_kept_in_range),
        cmocka_unit_test(the_axis_of_animation_1_1_begins_at_0_90),
        cmocka_unit_test(a_very_short_bar_stays_visible_on_a_cut_axis),
        cmocka_unit_test(an_axis_without_own_times_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

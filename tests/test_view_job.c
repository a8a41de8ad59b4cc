/* Logs of the whole job: every screen says what they tell, and none speaks of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view_scene.h"

static void a_mean_over_steps_says_so_and_what_would_tell_more(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    struct view_model model = model_of(&summary);
    check("job-80x24", &model, 80, 24, true, false);
    check("job-80x24-styles", &model, 80, 24, true, true);
    check("job-80x24-ascii", &model, 80, 24, false, false);
    check("job-40x10", &model, 40, 10, true, false);
    check("job-60x16-ascii", &model, 60, 16, false, false);
    check("job-30x12", &model, 30, 12, false, false);
    check("job-12x1", &model, 12, 1, true, false);
    check("job-200x60", &model, 200, 60, true, false);
    check("job-120x30", &model, 120, 30, true, false);
    summary_done(&summary);
}

static void a_picture_that_stands_still_says_since_when(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    struct view_model model = model_of(&summary);
    summary.silent_s = 27;
    check("job-late-80x24", &model, 80, 24, true, false);
    check("job-late-40x10", &model, 40, 10, true, false);
    summary.silent_s = 250;
    check("job-hang-80x24", &model, 80, 24, true, true);
    check("job-hang-40x10", &model, 40, 10, false, false);
    check("job-hang-200x60", &model, 200, 60, true, false);
    summary.silent_s = 27;
    summary.planned_step = 100000; /* of 12,350 */
    check("job-left-80x24", &model, 80, 24, true, false);
    check("job-left-40x10", &model, 40, 10, true, false);
    summary.planned_step = 12350;
    check("job-done-80x24", &model, 80, 24, true, false);
    summary.planned_step = 0;
    summary.silent_s = 250;
    model.screen = SCREEN_LEDGER; /* which has no alarms */
    check("job-hang-ledger-80x24", &model, 80, 24, true, false);
    model.screen = SCREEN_TIMELINE;
    model.mode = MODE_REPLAY;
    check("job-80x24-replay", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void what_is_still_read_is_not_called_live(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    struct view_model model = model_of(&summary);
    model.feed.reading = true;
    model.feed.read_share = 0.349;
    check("job-reading-80x24", &model, 80, 24, true, false);
    check("job-reading-40x10", &model, 40, 10, false, false);
    summary_done(&summary);
    summary_init(&summary); /* no record in it so far; how much there is is not known */
    model.feed.read_share = 0;
    check("reading-40x10", &model, 40, 10, false, false);
}

static void phases_of_one_rank_are_called_so(void **state)
{
    struct summary summary;
    fixture_job_phases(&summary);
    struct view_model model = model_of(&summary);
    check("job-phases-80x24", &model, 80, 24, true, false);
    check("job-phases-40x10", &model, 40, 10, false, false);
    summary_done(&summary);
}

static void screens_of_ranks_say_why_they_are_empty(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    struct view_model model = model_of(&summary);
    model.screen = SCREEN_RANKS;
    check("job-ranks-80x24", &model, 80, 24, true, false);
    model.selected = 0;
    model.detail = true;
    check("job-ranks-40x10", &model, 40, 10, true, false);
    model.screen = SCREEN_HEAT;
    check("job-heat-80x24", &model, 80, 24, true, false);
    summary_done(&summary);
}

static void the_other_screens_have_no_ranks_either(void **state)
{
    struct summary summary;
    fixture_job_phases(&summary);
    struct view_model model = model_of(&summary);
    model.screen = SCREEN_LEDGER;
    check("job-ledger-80x24", &model, 80, 24, true, false);
    model.screen = SCREEN_CALC;
    check("job-calc-80x24", &model, 80, 24, true, false);
    model.screen = SCREEN_HELP;
    check("job-help-80x160", &model, 80, 160, false, false);
    summary_done(&summary);
}

static void events_and_history_are_of_the_job(void **state)
{
    struct scene scene;
    begin_job(&scene, SCREEN_EVENTS, RUN);
    check("job-events-80x24", &scene.model, 80, 24, true, false);
    scene.model.screen = SCREEN_HISTORY;
    picture(&scene, "job-history-80x24", 80, 24, true, false);
    picture(&scene, "job-history-40x10", 40, 10, false, false);
    look(&scene, 80, 24);
    for (size_t i = 0; i < scene.overview.column_count; i++) { /* means over ten steps */
        struct overview_column *column = &scene.overview.columns[i];
        column->steps *= 10;
        column->last_step *= 10;
        column->first_step *= 10;
        column->first_covered = column->first_step - 9;
    }
    check("job-history-means-80x24", &scene.model, 80, 24, true, false);
    scene.model.screen = SCREEN_LEDGER;
    check("job-ledger-gpus-80x24", &scene.model, 80, 24, true, false);
    end(&scene);
}

static void ranks_in_another_format_have_its_name_and_caveat(void **state)
{
    struct summary summary;
    fixture_foreign(&summary);
    struct view_model model = model_of(&summary);
    check("foreign-80x24", &model, 80, 24, true, false);
    check("foreign-120x30", &model, 120, 30, true, false);
    check("foreign-40x10", &model, 40, 10, false, false);
    summary_done(&summary);
}

/* ---- properties ---- */

/* What must never be on a screen of such a log. */
static const char *const FORBIDDEN[] = {
    "rank 0", "1 rank", "0 of 1", "1 of 1", "all ranks",  "r0 ",         "barrier",  "waiting",
    "1 GPU ", "drain",  "inf",    "nan",    "every rank", "S straggler", "M missing"};

static void check_words(struct view_model *model, int width, int height)
{
    struct canvas canvas;
    canvas_init(&canvas, width, height, (width + height) % 2);
    model->rank_rows = screen_rank_rows(model, width, height);
    screen_draw(&canvas, model);
    assert_cells_are_safe(&canvas);
    char *text = canvas_to_text(&canvas, false);
    for (size_t i = 0; i < sizeof(FORBIDDEN) / sizeof(FORBIDDEN[0]); i++) {
        if (strstr(text, FORBIDDEN[i])) {
            print_error("\"%s\" at %dx%d of screen %d:\n%s\n", FORBIDDEN[i], width, height,
                        (int)model->screen, text);
            fail();
        }
    }
    free(text);
    canvas_done(&canvas);
}

static void without_events_the_validations_are_told(void **state)
{
    struct scene scene;
    struct run_events none = {0};
    begin_job(&scene, SCREEN_EVENTS, RUN);
    scene.summary.called[CALLED_VALIDATION] = (struct summary_called){
        .count = 4, .first = {101, 201, 301, 401}, .beyond_s = {46.98, EVIDENCE_COMPUTED}};
    scene.model.events = &none;
    struct canvas canvas;
    canvas_init(&canvas, 240, 24, false);
    screen_draw(&canvas, &scene.model);
    char *text = canvas_to_text(&canvas, false);
    assert_non_null(strstr(text, "no spike, no restart, no gap. Who is slow this log"));
    assert_non_null(strstr(text, "4 validations, in the values up to steps 101, 201, 301, 401: on "
                                 "average 47.0 s c more than the steps before"));
    assert_null(strstr(text, "straggler, no slow group"));
    free(text);
    scene.summary.steps_covered = scene.summary.complete + scene.summary.incomplete; /* no means */
    screen_draw(&canvas, &scene.model);
    text = canvas_to_text(&canvas, false);
    assert_non_null(strstr(text, "4 validations, in the time of steps 101, 201, 301, 401"));
    free(text);
    canvas_done(&canvas);
    end(&scene);
}

static void assert_shows(const struct view_model *model, int width, int height, const char *what)
{
    struct canvas canvas;
    canvas_init(&canvas, width, height, true);
    screen_draw(&canvas, model);
    char *text = canvas_to_text(&canvas, false);
    if (!strstr(text, what))
        print_error("\"%s\" is not in\n%s\n", what, text);
    assert_non_null(strstr(text, what));
    free(text);
    canvas_done(&canvas);
}

/* A shell joins what is broken here: an assignment alone would not be exported. */
static void the_two_lines_can_be_pasted(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    struct view_model model = model_of(&summary);
    summary.logs[0].how[0] = "export PLUGIN=libnccl-profiler-inspector.so INSPECTOR_ENABLE=1 "
                             "INSPECTOR_DUMP_VERBOSE=1";
    summary.logs[0].how[1] = "export INSPECTOR_DUMP_DIR=inspector  # lockstep watch inspector, on "
                             "any of the machines";
    assert_shows(&model, 80, 24,
                 "   \u203a export PLUGIN=libnccl-profiler-inspector.so INSPECTOR_ENABLE=1 \\\n"
                 "     INSPECTOR_DUMP_VERBOSE=1\n"
                 "   \u203a export INSPECTOR_DUMP_DIR=inspector\n"
                 "     # lockstep watch inspector, on any of the machines\n");
    assert_shows(&model, 120, 24,
                 "=inspector  # lockstep watch inspector, on any of the machines\n");
    assert_shows(&model, 40, 24, "# lockstep watch inspector, on any of\n  # the machines\n");
    summary_done(&summary);
}

/* Where a run goes back a step has two times. */
static void steps_that_were_done_twice_have_their_attempt(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    struct view_model model = model_of(&summary);
    size_t last = summary.point_count - 1;
    summary.points[last - 2].step = summary.points[last - 1].step;
    assert_shows(&model, 120, 40, "a2 12,350 ");
    assert_shows(&model, 120, 40, "a2 12,340 ");
    assert_shows(&model, 120, 40, "a1 12,340 ");
    summary.points[last - 2].step -= 10;
    assert_shows(&model, 120, 40, "   12,340 ");
    summary_done(&summary);
}

/* The MFU is by the GPUs of all ranks that there ever were; of those that do not report nothing is
 * known. */
static void a_run_that_goes_on_with_fewer_ranks_says_by_how_many(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    summary.gpus_assumed = true;
    assert_shows(&model, 120, 30, "waiting 9.8% m = 0.78 c of 8 ranks' GPUs");
    summary.shown.expected = summary.shown.reported = 6;
    assert_shows(&model, 120, 30, "MFU 41.2% c by 8 GPUs");
    assert_shows(&model, 120, 30, "waiting 9.8% m = 0.59 c of 6 ranks' GPUs");
    summary.gpus_assumed = false; /* the user says how many */
    assert_shows(&model, 120, 30, "waiting 9.8% m = 0.78 c of 8 GPUs");
    summary_done(&summary);
}

static struct view_request press(struct view_model *model, uint32_t code)
{
    return model_key(model, (struct key_event){keys_command(code), code});
}

static void keys_of_ranks_say_that_there_are_none(void **state)
{
    struct summary summary;
    fixture_job(&summary);
    struct view_model model = model_of(&summary);
    assert_int_equal(press(&model, 'n').kind, REQUEST_NONE);
    assert_string_equal(model.message,
                        "this log cannot tell who is slow: } and { go to its events");
    press(&model, '/');
    assert_false(model.entering);
    assert_string_equal(model.message, "one value a step for the whole job: no ranks to choose");
    summary_done(&summary);
}

static void no_screen_speaks_of_ranks_at_any_size(void **state)
{
    static const enum screen screens[] = {SCREEN_TIMELINE, SCREEN_RANKS,  SCREEN_HEAT,
                                          SCREEN_EVENTS,   SCREEN_LEDGER, SCREEN_HISTORY};
    for (int variant = 0; variant < 4; variant++) {
        struct summary summary;
        if (variant & 1)
            fixture_job_phases(&summary);
        else
            fixture_job(&summary);
        struct view_model model = model_of(&summary);
        model.selected = variant & 2 ? 0 : -1;
        model.detail = model.rank_line = variant & 2;
        for (size_t s = 0; s < sizeof(screens) / sizeof(screens[0]); s++) {
            model.screen = screens[s];
            for (int width = 20; width <= 220; width += width < 90 ? 3 : 13)
                for (int height = 1; height <= 62; height += height < 26 ? 1 : 9)
                    check_words(&model, width, height);
        }
        summary_done(&summary);
    }
}

static void every_screen_of_a_job_can_be_drawn_at_every_size(void **state)
{
    for (int variant = 0; variant < 3; variant++) {
        struct summary summary;
        if (variant & 1)
            fixture_job_phases(&summary);
        else
            fixture_job(&summary);
        if (variant == 2) { /* nothing but that it is one */
            summary.log_count = 0;
            summary.point_count = 0;
            summary.shown.known = false;
        }
        struct view_model model = model_of(&summary);
        draw_everywhere(&model);
        summary_done(&summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mean_over_steps_says_so_and_what_would_tell_more),
        cmocka_unit_test(a_picture_that_stands_still_says_since_when),
        cmocka_unit_test(what_is_still_read_is_not_called_live),
        cmocka_unit_test(phases_of_one_rank_are_called_so),
        cmocka_unit_test(screens_of_ranks_say_why_they_are_empty),
        cmocka_unit_test(the_other_screens_have_no_ranks_either),
        cmocka_unit_test(events_and_history_are_of_the_job),
        cmocka_unit_test(ranks_in_another_format_have_its_name_and_caveat),
        cmocka_unit_test(without_events_the_validations_are_told),
        cmocka_unit_test(the_two_lines_can_be_pasted),
        cmocka_unit_test(steps_that_were_done_twice_have_their_attempt),
        cmocka_unit_test(a_run_that_goes_on_with_fewer_ranks_says_by_how_many),
        cmocka_unit_test(keys_of_ranks_say_that_there_are_none),
        cmocka_unit_test(no_screen_speaks_of_ranks_at_any_size),
        cmocka_unit_test(every_screen_of_a_job_can_be_drawn_at_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

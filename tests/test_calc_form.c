/* The form of Panels 1.1 and 1.2: where its arguments come from, and what keys do
 * to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "calc_form.h"
#include "calc_lines.h"
#include "view_golden.h"

static bool press(struct calc_form *form, uint32_t code)
{
    return calc_form_key(form, (struct key_event){keys_command(code), code});
}

static void type(struct calc_form *form, const char *text)
{
    for (; *text; text++)
        assert_true(press(form, (unsigned char)*text));
}

static void choose(struct calc_form *form, enum calc_argument argument)
{
    while (form->cursor != argument)
        press(form, KEYS_DOWN);
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected))) {
        print_error("%.12g is not %.12g\n", value, expected);
        fail();
    }
}

static void assert_value(const struct calc_form *form, enum calc_argument argument, double value,
                         enum calc_from from, enum evidence evidence)
{
    assert_near(form->values[argument].value, value);
    assert_int_equal(form->values[argument].from, from);
    assert_int_equal(form->values[argument].evidence, evidence);
}

/* ---- where values come from ---- */

static void at_first_it_is_the_chapters_and_every_letter_is_e(void **state)
{
    struct calc_form form;
    calc_form_init(&form);
    for (int i = 0; i < CALC_COUNT; i++) {
        assert_int_equal(form.values[i].from, CALC_FROM_CHAPTER);
        assert_int_equal(form.values[i].evidence, EVIDENCE_EXAMPLE);
    }
    struct calc_training training, chapter;
    struct calc_point worth = calc_form_point(&form), point;
    training = calc_form_training(&form);
    calc_training_defaults(&chapter);
    calc_point_defaults(&point);
    assert_near(training.params, chapter.params);
    assert_near(training.tokens, chapter.tokens);
    assert_near(training.gpus, chapter.gpus);
    assert_near(training.achieved, chapter.achieved);
    assert_near(training.peak, chapter.peak);
    assert_near(training.gpu_hours, chapter.gpu_hours);
    assert_near(worth.flop, point.flop);
    assert_near(worth.mfu, point.mfu);
    assert_near(worth.price, point.price);
    assert_near(worth.watts, point.watts);
    assert_int_equal(calc_form_evidence(&form), EVIDENCE_COMPUTED);
}

static void describe(struct summary *summary)
{
    summary_init(summary);
    run_init(&summary->run);
    summary->run.params = 8.03e9;
    summary->run.total_tokens = 1e12;
    summary->run.gpus = 512;
    summary->run.gpu_hour_price = 1.5;
    summary->run.gpu_watts = 400;
    snprintf(summary->run.chip, sizeof(summary->run.chip), "A100");
    summary->mfu = (struct quantity){0.45, EVIDENCE_COMPUTED};
    summary->effective.share = (struct quantity){0.95, EVIDENCE_MEASURED};
}

static void what_the_run_says_comes_over_the_chapters(void **state)
{
    struct summary summary;
    struct calc_form form;
    describe(&summary);
    calc_form_init(&form);
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_PARAMS, 8.03e9, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_TOKENS, 1e12, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_GPUS, 512, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_PEAK, 312e12, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_MFU, 0.45, CALC_FROM_RUN, EVIDENCE_COMPUTED);
    assert_value(&form, CALC_ACHIEVED, 0.45 * 312e12, CALC_FROM_RUN, EVIDENCE_COMPUTED);
    assert_value(&form, CALC_PRICE, 1.5, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_WATTS, 400, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_EFFECTIVE, 0.95, CALC_FROM_RUN, EVIDENCE_MEASURED);
    assert_string_equal(calc_form_chip(&form), "A100");
    assert_true(isnan(form.values[CALC_GPU_HOURS].value)); /* Llama 3's are not this run's */
    summary.run.active_params = 2e9;
    summary.gpus_assumed = true;
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_PARAMS, 2e9, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_GPUS, 512, CALC_FROM_RUN, EVIDENCE_MEASURED); /* counted */
    summary_done(&summary);
}

/* An MFU in a log is by a peak that is not said: times another one it is no rate of this run. */
static void an_mfu_by_the_log_and_the_chapters_peak_make_no_rate(void **state)
{
    struct summary summary;
    struct calc_form form;
    summary_init(&summary);
    run_init(&summary.run);
    summary.mfu = (struct quantity){0.421, EVIDENCE_COMPUTED};
    summary.mfu_origin = MFU_LOGGED;
    calc_form_init(&form);
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_MFU, 0.421, CALC_FROM_RUN, EVIDENCE_COMPUTED);
    assert_value(&form, CALC_ACHIEVED, 400e12, CALC_FROM_CHAPTER, EVIDENCE_EXAMPLE);
    summary.flops = (struct quantity){405e12, EVIDENCE_COMPUTED};
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_ACHIEVED, 405e12, CALC_FROM_RUN, EVIDENCE_COMPUTED);
    summary_done(&summary);
}

static void the_rest_stays_the_chapters(void **state)
{
    struct summary summary;
    struct calc_form form;
    summary_init(&summary);
    run_init(&summary.run);
    summary.run.gpus = 8;
    calc_form_init(&form);
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_GPUS, 8, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_PARAMS, 405e9, CALC_FROM_CHAPTER, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_ACHIEVED, 400e12, CALC_FROM_CHAPTER, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_GPU_HOURS, 31e6, CALC_FROM_CHAPTER, EVIDENCE_EXAMPLE);
    summary_done(&summary);
}

static void what_the_user_changed_is_never_overwritten(void **state)
{
    struct summary summary;
    struct calc_form form;
    describe(&summary);
    calc_form_init(&form);
    assert_true(calc_form_set(&form, CALC_GPUS, 64));
    assert_true(calc_form_set(&form, CALC_PEAK, 989e12));
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_GPUS, 64, CALC_FROM_USER, EVIDENCE_EXAMPLE);
    assert_value(&form, CALC_PEAK, 989e12, CALC_FROM_USER, EVIDENCE_EXAMPLE);
    assert_string_equal(calc_form_chip(&form), "H100");
    assert_value(&form, CALC_ACHIEVED, 0.45 * 989e12, CALC_FROM_RUN, EVIDENCE_COMPUTED);
    choose(&form, CALC_GPUS);
    press(&form, 'r');
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_GPUS, 512, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    press(&form, 'u');
    calc_form_fill(&form, &summary);
    assert_value(&form, CALC_PEAK, 312e12, CALC_FROM_RUN, EVIDENCE_EXAMPLE);
    assert_string_equal(calc_form_chip(&form), "A100");
    summary_done(&summary);
}

static void an_unknown_chip_has_no_peak_not_the_chapters(void **state)
{
    struct summary summary;
    struct calc_form form;
    char alarm[200];
    summary_init(&summary);
    run_init(&summary.run);
    snprintf(summary.run.chip, sizeof(summary.run.chip), "Z9000\x1b[31m");
    calc_form_init(&form);
    calc_form_fill(&form, &summary);
    assert_true(isnan(form.values[CALC_PEAK].value));
    assert_int_equal(form.values[CALC_PEAK].evidence, EVIDENCE_NONE);
    assert_true(isnan(form.values[CALC_ACHIEVED].value));
    assert_true(isnan(calc_curve(&form, 0.41)));
    assert_true(calc_alarm(&form, alarm, sizeof(alarm)));
    assert_non_null(strstr(alarm, "peak of Z9000"));
    assert_null(strchr(alarm, 0x1B));
    assert_true(calc_form_set(&form, CALC_PEAK, 500e12));
    calc_form_fill(&form, &summary);
    assert_false(calc_alarm(&form, alarm, sizeof(alarm)));
    assert_value(&form, CALC_ACHIEVED, 0.41 * 500e12, CALC_FROM_MFU, EVIDENCE_COMPUTED);
    summary_done(&summary);
}

static void on_another_chip_the_rate_is_mfu_times_its_peak(void **state)
{
    struct calc_form form;
    calc_form_init(&form);
    calc_form_set_chip(&form, "A100", 312e12);
    assert_value(&form, CALC_ACHIEVED, 0.41 * 312e12, CALC_FROM_MFU, EVIDENCE_COMPUTED);
    calc_form_set(&form, CALC_MFU, 0.5); /* it follows */
    assert_value(&form, CALC_ACHIEVED, 156e12, CALC_FROM_MFU, EVIDENCE_COMPUTED);
    calc_form_set(&form, CALC_ACHIEVED, 100e12);
    calc_form_set(&form, CALC_MFU, 0.4);
    assert_value(&form, CALC_ACHIEVED, 100e12, CALC_FROM_USER, EVIDENCE_EXAMPLE);
}

static void all_that_a_simulated_run_says_is_simulated(void **state)
{
    struct summary summary;
    struct calc_form form;
    describe(&summary);
    summary.simulated = true;
    calc_form_init(&form);
    calc_form_fill(&form, &summary);
    for (int i = 0; i < CALC_COUNT; i++)
        if (form.values[i].from == CALC_FROM_RUN)
            assert_int_equal(form.values[i].evidence, EVIDENCE_SIMULATED);
    assert_int_equal(calc_form_evidence(&form), EVIDENCE_SIMULATED);
    summary.run.simulated = true;
    calc_form_init(&form);
    calc_form_fill_run(&form, &summary.run);
    assert_int_equal(form.values[CALC_PARAMS].evidence, EVIDENCE_SIMULATED);
    summary_done(&summary);
}

static void what_cannot_be_is_an_alarm(void **state)
{
    struct calc_form form;
    char alarm[200];
    calc_form_init(&form);
    assert_false(calc_alarm(&form, alarm, sizeof(alarm)));
    calc_form_set(&form, CALC_ACHIEVED, 1000e12);
    assert_true(calc_alarm(&form, alarm, sizeof(alarm)));
    assert_string_equal(alarm, "1,000 TFLOP/s achieved is over the peak, 989 TFLOP/s: wrong chip "
                               "or number format");
    calc_form_init(&form);
    form.values[CALC_MFU].value = 1.12;
    assert_true(calc_alarm(&form, alarm, sizeof(alarm)));
}

/* ---- keys ---- */

static void left_and_right_change_by_a_sensible_step(void **state)
{
    static const struct {
        enum calc_argument argument;
        double left, right; /* of the chapter's */
    } cases[] = {
        {CALC_PARAMS, 400e9, 410e9},  {CALC_TOKENS, 15e12, 16e12},     {CALC_GPUS, 8192, 32768},
        {CALC_PEAK, 312e12, 2250e12}, {CALC_ACHIEVED, 390e12, 410e12}, {CALC_GPU_HOURS, 30e6, 32e6},
        {CALC_MFU, 0.40, 0.42},       {CALC_PRICE, 1.9, 2.1},          {CALC_WATTS, 650, 750},
        {CALC_EFFECTIVE, 0.89, 0.91},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct calc_form form;
        calc_form_init(&form);
        choose(&form, cases[i].argument);
        assert_true(press(&form, KEYS_LEFT));
        assert_value(&form, cases[i].argument, cases[i].left, CALC_FROM_USER, EVIDENCE_EXAMPLE);
        calc_form_init(&form);
        choose(&form, cases[i].argument);
        assert_true(press(&form, KEYS_RIGHT));
        assert_value(&form, cases[i].argument, cases[i].right, CALC_FROM_USER, EVIDENCE_EXAMPLE);
    }
}

static void steps_stay_within_bounds_and_come_back(void **state)
{
    for (int i = 0; i < CALC_COUNT; i++) {
        const struct calc_argument_info *info = calc_argument((enum calc_argument)i);
        for (int direction = 0; direction < 2; direction++) {
            struct calc_form form;
            calc_form_init(&form);
            choose(&form, (enum calc_argument)i);
            for (int k = 0; k < 3000; k++) {
                press(&form, direction ? KEYS_RIGHT : KEYS_LEFT);
                double shown = form.values[i].value / info->scale;
                assert_true(shown >= info->lowest * (1 - 1e-9));
                assert_true(shown <= info->highest * (1 + 1e-9));
            }
            double end = form.values[i].value;
            press(&form, direction ? KEYS_LEFT : KEYS_RIGHT);
            assert_true(form.values[i].value != end);
        }
    }
}

static void the_cursor_goes_round_both_ways(void **state)
{
    struct calc_form form;
    calc_form_init(&form);
    choose(&form, (enum calc_argument)0);
    press(&form, KEYS_UP);
    assert_int_equal(form.cursor, CALC_COUNT - 1);
    press(&form, KEYS_DOWN);
    assert_int_equal(form.cursor, 0);
}

static void the_bounds_themselves_can_be_set_and_reached_by_steps(void **state)
{
    struct calc_form form;
    for (int i = 0; i < CALC_COUNT; i++) {
        const struct calc_argument_info *info = calc_argument((enum calc_argument)i);
        calc_form_init(&form);
        assert_true(calc_form_set(&form, (enum calc_argument)i, info->highest * info->scale));
        assert_false(
            calc_form_set(&form, (enum calc_argument)i, info->highest * info->scale * 1.01));
        assert_near(form.values[i].value, info->highest * info->scale);
        assert_true(calc_form_set(&form, (enum calc_argument)i, info->lowest * info->scale));
        if (info->lowest > 0)
            assert_false(
                calc_form_set(&form, (enum calc_argument)i, info->lowest * info->scale * 0.99));
    }
    /* 2^23 is the last power of two under the bound: the step after it is the bound. */
    calc_form_init(&form);
    choose(&form, CALC_GPUS);
    for (int k = 0; k < 10; k++)
        press(&form, KEYS_RIGHT);
    assert_near(form.values[CALC_GPUS].value, 1e7);
}

static void the_chips_are_those_of_the_chapters_table(void **state)
{
    struct calc_form form;
    calc_form_init(&form);
    choose(&form, CALC_PEAK);
    press(&form, KEYS_RIGHT);
    assert_string_equal(calc_form_chip(&form), "B200");
    press(&form, KEYS_RIGHT); /* there is no larger one */
    assert_string_equal(calc_form_chip(&form), "B200");
    press(&form, KEYS_LEFT);
    assert_string_equal(calc_form_chip(&form), "H100");
    press(&form, KEYS_LEFT);
    assert_string_equal(calc_form_chip(&form), "A100");
    type(&form, "500");
    press(&form, KEYS_ENTER);
    assert_string_equal(calc_form_chip(&form), "GPU");
}

static void a_number_is_typed_and_taken(void **state)
{
    struct calc_form form;
    calc_form_init(&form);
    type(&form, "70B");
    assert_true(form.editing);
    assert_string_equal(form.entry, "70B");
    press(&form, KEYS_ENTER);
    assert_false(form.editing);
    assert_value(&form, CALC_PARAMS, 70e9, CALC_FROM_USER, EVIDENCE_EXAMPLE);
    type(&form, "4.05e1");
    type(&form, "1x"); /* x is no part of a number */
    press(&form, KEYS_DOWN);
    assert_value(&form, CALC_PARAMS, 4.05e11, CALC_FROM_USER, EVIDENCE_EXAMPLE);
    assert_int_equal(form.cursor, CALC_TOKENS);
    choose(&form, CALC_MFU);
    type(&form, "38.5%");
    press(&form, KEYS_ENTER);
    assert_value(&form, CALC_MFU, 0.385, CALC_FROM_USER, EVIDENCE_EXAMPLE);
    choose(&form, CALC_GPUS);
    type(&form, "1000.4");
    press(&form, KEYS_ENTER);
    assert_value(&form, CALC_GPUS, 1000, CALC_FROM_USER, EVIDENCE_EXAMPLE);
}

static void an_entry_can_be_mended_and_left(void **state)
{
    struct calc_form form;
    calc_form_init(&form);
    choose(&form, CALC_PEAK);
    press(&form, KEYS_ENTER);
    assert_string_equal(form.entry, "989");
    press(&form, KEYS_BACKSPACE);
    type(&form, "5");
    press(&form, KEYS_ESC);
    assert_value(&form, CALC_PEAK, 989e12, CALC_FROM_CHAPTER, EVIDENCE_EXAMPLE);
    press(&form, KEYS_BACKSPACE);
    assert_string_equal(form.entry, "98");
    press(&form, 0x15);
    assert_string_equal(form.entry, "");
    press(&form, KEYS_ENTER); /* nothing typed changes nothing */
    assert_false(form.editing);
    assert_value(&form, CALC_PEAK, 989e12, CALC_FROM_CHAPTER, EVIDENCE_EXAMPLE);
    for (int i = 0; i < 100; i++)
        press(&form, '9');
    assert_int_equal(strlen(form.entry), CALC_ENTRY_BYTES - 1);
}

static void nonsense_is_refused_by_name(void **state)
{
    static const struct {
        enum calc_argument argument;
        const char *text, *said;
    } cases[] = {{CALC_GPUS, "0", "G, GPUs takes a number from 1 to 1e+07, not '0'"},
                 {CALC_PARAMS, "1e30", "N, parameters takes a number from 1 to 1e+18, not '1e30'"},
                 {CALC_MFU, "400", "MFU takes a number from 0.01 to 100 %, not '400'"},
                 {CALC_MFU, "0", "MFU takes a number from 0.01 to 100 %, not '0'"},
                 {CALC_TOKENS, "1e", "D, tokens takes a number from 1 to 1e+18, not '1e'"},
                 {CALC_TOKENS, "...", "D, tokens takes a number from 1 to 1e+18, not '...'"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct calc_form form;
        calc_form_init(&form);
        struct calc_value before = form.values[cases[i].argument];
        choose(&form, cases[i].argument);
        type(&form, cases[i].text);
        assert_true(press(&form, KEYS_TAB)); /* not to another screen with this */
        assert_true(form.editing);
        assert_string_equal(form.message, cases[i].said);
        assert_near(form.values[cases[i].argument].value, before.value);
        assert_int_equal(form.values[cases[i].argument].from, CALC_FROM_CHAPTER);
        press(&form, KEYS_ESC);
        assert_string_equal(form.message, "");
    }
}

static void other_keys_are_not_the_forms(void **state)
{
    static const uint32_t codes[] = {'q',      '?', KEYS_TAB, KEYS_SHIFT_TAB,
                                     KEYS_ESC, ' ', KEYS_F1,  'T'};
    struct calc_form form;
    calc_form_init(&form);
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        assert_false(press(&form, codes[i]));
    type(&form, "5");
    assert_true(press(&form, 'q')); /* while a number is typed they are */
    assert_string_equal(form.entry, "5");
    assert_false(press(&form, KEYS_TAB));
    assert_value(&form, CALC_PARAMS, 5, CALC_FROM_USER, EVIDENCE_EXAMPLE);
}

static struct view_request press_screen(struct view_model *model, uint32_t code)
{
    return model_key(model, (struct key_event){keys_command(code), code});
}

static void on_its_screen_the_keys_are_the_forms(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    press_screen(&model, '5');
    assert_false(model.calc.editing); /* on the timeline it is a row */
    model.screen = SCREEN_CALC;
    assert_int_equal(press_screen(&model, KEYS_RIGHT).kind, REQUEST_NONE);
    assert_false(model.paused);
    assert_int_equal(model.calc.values[CALC_PARAMS].from, CALC_FROM_USER);
    press_screen(&model, '0');
    press_screen(&model, KEYS_ENTER);
    assert_string_equal(model.message, "N, parameters takes a number from 1 to 1e+18, not '0'");
    assert_int_equal(press_screen(&model, 0x03).kind, REQUEST_QUIT); /* always */
    press_screen(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_CALC);
    press_screen(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_TIMELINE);
    summary_done(&summary);
}

static void a_calculator_without_a_job_has_no_other_screen(void **state)
{
    static const uint32_t codes[] = {
        KEYS_TAB, KEYS_SHIFT_TAB, 'T', 'R', KEYS_ESC, ' ', 'g', 'G', 'n', '/'};
    struct summary summary;
    struct view_model model;
    summary_init(&summary);
    run_init(&summary.run);
    model_init(&model, MODE_CALC);
    model.summary = &summary;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_int_equal(press_screen(&model, codes[i]).kind, REQUEST_NONE);
        assert_int_equal(model.screen, SCREEN_CALC);
        model.entering = false;
    }
    press_screen(&model, '?');
    assert_int_equal(model.screen, SCREEN_HELP);
    press_screen(&model, KEYS_ESC);
    assert_int_equal(model.screen, SCREEN_CALC);
    assert_string_equal(model_mode_word(&model), "CALC");
    assert_int_equal(press_screen(&model, 'q').kind, REQUEST_QUIT);
    summary_done(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_first_it_is_the_chapters_and_every_letter_is_e),
        cmocka_unit_test(what_the_run_says_comes_over_the_chapters),
        cmocka_unit_test(an_mfu_by_the_log_and_the_chapters_peak_make_no_rate),
        cmocka_unit_test(the_rest_stays_the_chapters),
        cmocka_unit_test(what_the_user_changed_is_never_overwritten),
        cmocka_unit_test(an_unknown_chip_has_no_peak_not_the_chapters),
        cmocka_unit_test(on_another_chip_the_rate_is_mfu_times_its_peak),
        cmocka_unit_test(all_that_a_simulated_run_says_is_simulated),
        cmocka_unit_test(what_cannot_be_is_an_alarm),
        cmocka_unit_test(left_and_right_change_by_a_sensible_step),
        cmocka_unit_test(steps_stay_within_bounds_and_come_back),
        cmocka_unit_test(the_cursor_goes_round_both_ways),
        cmocka_unit_test(the_bounds_themselves_can_be_set_and_reached_by_steps),
        cmocka_unit_test(the_chips_are_those_of_the_chapters_table),
        cmocka_unit_test(a_number_is_typed_and_taken),
        cmocka_unit_test(an_entry_can_be_mended_and_left),
        cmocka_unit_test(nonsense_is_refused_by_name),
        cmocka_unit_test(other_keys_are_not_the_forms),
        cmocka_unit_test(on_its_screen_the_keys_are_the_forms),
        cmocka_unit_test(a_calculator_without_a_job_has_no_other_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Panels 1.1 and 1.2 in words, and their screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "calc_form.h"
#include "calc_lines.h"
#include "calc_text.h"
#include "view.h"
#include "view_golden.h"

static struct view_request press_screen(struct view_model *model, uint32_t code)
{
    return model_key(model, (struct key_event){keys_command(code), code});
}

/* ---- in words ---- */

static void the_tables_are_the_chapters(void **state)
{
    static const char *const training[CALC_TRAINING_ROWS][3] = {
        {"Training compute (6ND)", "6 x 405e9 x 15.6e12", "3.79e25 FLOP"},
        {"One H100 at its 989 TFLOP/s peak", "3.79e25 / 9.89e14", "3.8e10 s, about 1,200 years"},
        {"One H100 at the 400 TFLOP/s achieved", "3.79e25 / 4.0e14", "9.5e10 s, about 3,000 years"},
        {"Aggregate rate of 16,384 GPUs at 400 TFLOP/s", "16,384 x 4.0e14", "6.55e18 FLOP/s"},
        {"Pure stepping time on those 16,384 GPUs", "3.79e25 / 6.55e18", "5.8e6 s, about 67 days"},
        {"Average rate per GPU from 31 million GPU-hours", "3.79e25 / (3.1e7 x 3,600)",
         "3.4e14 FLOP/s, about 340 TFLOP/s, 34% of peak"},
        {"One H100 GPU-year at 40% of peak", "0.4 x 9.89e14 x 3.15e7", "1.2e22 FLOP"}};
    static const char *const point[CALC_POINT_ROWS][3] = {
        {"GPU-hours at 100% of the H100 peak", "3.79e25 / 9.89e14 / 3,600",
         "1.064e7 GPU-h, about 10.6 million"},
        {"GPU-hours at 41% MFU", "1.064e7 / 0.41", "2.60e7 GPU-h, about 26.0 million"},
        {"GPU-hours at 42% MFU", "1.064e7 / 0.42", "2.53e7 GPU-h, about 25.3 million"},
        {"One MFU point, 41% to 42%", "1.064e7 x (1/0.41 - 1/0.42)", "6.2e5 GPU-h, about 620,000"},
        {"The same in hours of the whole 16,384-GPU cluster", "6.2e5 / 16,384", "38 h"},
        {"The same in dollars at 2 USD per H100-hour", "6.2e5 x 2",
         "1.2e6 USD, about 1.2 million USD"},
        {"The same in GPU energy at 700 W (0.7 kW)", "6.2e5 x 0.7", "4.3e5 kWh, about 430 MWh"},
        {"Share of the bought GPU time that became model", "0.41 x 0.9",
         "37% of the peak of every GPU-hour"}};
    struct calc_form form;
    struct calc_row rows[CALC_POINT_ROWS];
    calc_form_init(&form);
    calc_training_rows(&form, rows);
    for (int i = 0; i < CALC_TRAINING_ROWS; i++) {
        assert_string_equal(rows[i].question, training[i][0]);
        assert_string_equal(rows[i].calculation, training[i][1]);
        assert_string_equal(rows[i].result, training[i][2]);
        assert_int_equal(rows[i].evidence, EVIDENCE_COMPUTED);
    }
    calc_point_rows(&form, rows);
    for (int i = 0; i < CALC_POINT_ROWS; i++) {
        assert_string_equal(rows[i].question, point[i][0]);
        assert_string_equal(rows[i].calculation, point[i][1]);
        assert_string_equal(rows[i].result, point[i][2]);
        assert_int_equal(rows[i].evidence, EVIDENCE_COMPUTED);
    }
}

static void the_tiles_are_the_panels(void **state)
{
    static const char *const values[2][CALC_TILES] = {
        {"3.79e25 FLOP", "2.63e7", "67 days", "3,000", "40%", "34%"},
        {"2.60e7", "6.2e5 GPU-h", "38 h", "1.2e6 USD", "4.3e5 kWh", "37%"}};
    struct calc_form form;
    struct calc_tile tiles[CALC_TILES];
    calc_form_init(&form);
    calc_training_tiles(&form, tiles);
    for (int i = 0; i < CALC_TILES; i++)
        assert_string_equal(tiles[i].value, values[0][i]);
    calc_point_tiles(&form, tiles);
    for (int i = 0; i < CALC_TILES; i++)
        assert_string_equal(tiles[i].value, values[1][i]);
}

static void what_is_not_known_is_a_dash_without_a_letter(void **state)
{
    struct calc_form form;
    struct calc_row rows[CALC_POINT_ROWS];
    struct calc_tile tiles[CALC_TILES];
    calc_form_init(&form);
    calc_form_set(&form, CALC_PARAMS, 8e9);
    calc_training_rows(&form, rows);
    assert_string_equal(rows[5].result, "-");
    assert_int_equal(rows[5].evidence, EVIDENCE_NONE);
    form.values[CALC_PEAK].value = NAN;
    calc_point_rows(&form, rows);
    for (int i = 0; i < CALC_POINT_ROWS - 1; i++)
        assert_string_equal(rows[i].result, "-");
    calc_point_tiles(&form, tiles);
    for (int i = 0; i < CALC_TILES - 1; i++) {
        assert_string_equal(tiles[i].value, "-");
        assert_int_equal(tiles[i].evidence, EVIDENCE_NONE);
    }
}

static char *text_of(const struct calc_form *form, void (*put)(FILE *, const struct calc_form *))
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    put(file, form);
    fclose(file);
    return text;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

static void the_text_marks_the_mfu_on_the_curve_once(void **state)
{
    static const double levels[] = {0.05, 0.10, 0.41, 0.45, 0.70, 0.93};
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct calc_form form;
        calc_form_init(&form);
        calc_form_set(&form, CALC_MFU, levels[i]);
        char *text = text_of(&form, calc_text);
        assert_int_equal(count_of(text, "< this MFU"), 1);
        for (const char *p = text; *p; p++)
            assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7F));
        free(text);
    }
}

static void the_json_has_null_for_what_is_not_known(void **state)
{
    struct calc_form form;
    calc_form_init(&form);
    char *text = text_of(&form, calc_json);
    assert_non_null(strstr(text, "\"schema\": \"lockstep-calc/1\""));
    assert_non_null(strstr(text, "\"flop\": 3.7908e+25"));
    assert_non_null(strstr(text, "\"flop\": 3.79e+25"));
    assert_null(strstr(text, "nan"));
    free(text);
    form.values[CALC_PEAK] = (struct calc_value){NAN, CALC_FROM_RUN, EVIDENCE_NONE};
    snprintf(form.chip, sizeof(form.chip), "a\"b\\c\x1b");
    text = text_of(&form, calc_json);
    assert_non_null(strstr(text, "\"chip\": \"a\\\"b\\\\c\xef\xbf\xbd\""));
    assert_non_null(strstr(text, "\"saved_money\": null"));
    assert_null(strstr(text, "nan"));
    free(text);
}

/* ---- the screen ---- */

static void the_calculator_at_three_sizes(void **state)
{
    struct summary summary;
    summary_init(&summary);
    run_init(&summary.run);
    struct view_model model;
    model_init(&model, MODE_CALC);
    model.summary = &summary;
    check("calc-80x24", &model, 80, 24, true, false);
    check("calc-80x24-ascii", &model, 80, 24, false, false);
    check("calc-40x12", &model, 40, 12, true, false);
    check("calc-200x60", &model, 200, 60, true, false);
    model.calc.cursor = CALC_WATTS;
    check("calc-40x12-second", &model, 40, 12, false, false);
    check("calc-80x12", &model, 80, 12, true, false);
    press_screen(&model, '4');
    check("calc-typing-80x12", &model, 80, 12, true, true);
    summary_done(&summary);
}

/* What lies between header and key line, alone. */
static void check_panels(const char *name, const struct view_model *model, int width, int height)
{
    struct canvas canvas;
    canvas_init(&canvas, width, height, true);
    view_calc(&canvas, canvas_rect(&canvas), model);
    compare(name, canvas_to_text(&canvas, false));
    canvas_done(&canvas);
}

static void it_is_filled_from_the_run_that_is_watched(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    model.screen = SCREEN_CALC;
    check_panels("calc-run-80x21", &model, 80, 21);
    model.calc.cursor = CALC_MFU;
    press_screen(&model, '4');
    press_screen(&model, '8');
    press_screen(&model, KEYS_ENTER);
    check_panels("calc-yours-80x21", &model, 80, 21);
    summary_done(&summary);
}

static void a_simulated_run_and_one_without_a_peak(void **state)
{
    struct summary summary;
    fixture_figure(&summary, 8);
    struct view_model model = model_of(&summary);
    model.screen = SCREEN_CALC;
    summary.simulated = true;
    check_panels("calc-simulated-80x21", &model, 80, 21);
    summary.simulated = false;
    summary.mfu = quantity_none();
    summary.run.peak_flops = 0;
    snprintf(summary.run.chip, sizeof(summary.run.chip), "Z9000");
    check_panels("calc-unknown-80x21", &model, 80, 21);
    check_panels("calc-unknown-40x9", &model, 40, 9);
    summary_done(&summary);
}

static void it_can_be_drawn_at_every_size(void **state)
{
    struct summary summary;
    fixture_hostile(&summary);
    for (int variant = 0; variant < 4; variant++) {
        struct view_model model = model_of(&summary);
        model.screen = SCREEN_CALC;
        model.mode = variant == 1 ? MODE_CALC : MODE_LIVE;
        model.calc.cursor = (enum calc_argument)(variant * 3);
        model.calc.editing = variant == 2;
        memset(model.calc.entry, '8', variant == 2 ? CALC_ENTRY_BYTES - 1 : 0);
        if (variant == 3)
            for (int i = 0; i < CALC_COUNT; i++)
                calc_form_set(&model.calc, (enum calc_argument)i,
                              calc_argument((enum calc_argument)i)->highest *
                                  calc_argument((enum calc_argument)i)->scale);
        draw_everywhere(&model);
    }
    summary_done(&summary);
}

static void absurd_values_of_a_run_can_be_drawn(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-300, 1e300, 5};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct summary summary;
        struct canvas canvas;
        fixture_figure(&summary, 8);
        summary.run.params = summary.run.total_tokens = summary.run.gpus = values[i];
        summary.run.gpu_hour_price = summary.run.gpu_watts = values[i];
        summary.run.peak_flops = summary.mfu.value = summary.effective.share.value = values[i];
        struct view_model model = model_of(&summary);
        model.screen = SCREEN_CALC;
        for (int k = 0; k < 4 * CALC_COUNT; k++) {
            canvas_init(&canvas, k % 2 ? 80 : 200, k % 2 ? 24 : 60, k % 3);
            press_screen(&model, k % 4 < 2 ? KEYS_DOWN : k % 4 == 2 ? KEYS_RIGHT : KEYS_LEFT);
            screen_draw(&canvas, &model);
            assert_cells_are_safe(&canvas);
            canvas_done(&canvas);
        }
        char *text = text_of(&model.calc, calc_text);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        free(text);
        summary_done(&summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_are_the_chapters),
        cmocka_unit_test(the_tiles_are_the_panels),
        cmocka_unit_test(what_is_not_known_is_a_dash_without_a_letter),
        cmocka_unit_test(the_text_marks_the_mfu_on_the_curve_once),
        cmocka_unit_test(the_json_has_null_for_what_is_not_known),
        cmocka_unit_test(the_calculator_at_three_sizes),
        cmocka_unit_test(it_is_filled_from_the_run_that_is_watched),
        cmocka_unit_test(a_simulated_run_and_one_without_a_peak),
        cmocka_unit_test(it_can_be_drawn_at_every_size),
        cmocka_unit_test(absurd_values_of_a_run_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

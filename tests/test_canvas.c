/* The canvas: nothing leaves its rectangle, wide code points stay whole, hostile
 * text stays text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "style.h"
#include "text.h"

static void assert_canvas(const struct canvas *canvas, bool styles, const char *expected)
{
    char *text = canvas_to_text(canvas, styles);
    assert_string_equal(text, expected);
    free(text);
}

static void text_is_cut_at_the_right_edge_of_its_rect(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas, 10, 3, true);
    struct rect rect = {2, 1, 4, 1};
    assert_int_equal(canvas_text(&canvas, rect, 1, 0, STYLE_VALUE, "abcdef"), 3);
    assert_int_equal(canvas_text(&canvas, rect, 0, 1, STYLE_VALUE, "below"), 4);
    assert_canvas(&canvas, true, "\n|\n   abc\n|...vvv\n\n|\n");
    canvas_done(&canvas);
}

static void text_at_the_right_is_cut_at_its_left(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas, 10, 2, true);
    struct rect rect = {1, 0, 6, 2};
    assert_int_equal(canvas_text_right(&canvas, rect, 5, 0, STYLE_NORMAL, "12"), 2);
    assert_int_equal(canvas_text_right(&canvas, rect, 6, 1, STYLE_NORMAL, "12345678"), 6);
    assert_canvas(&canvas, false, "    12\n 345678\n");
    canvas_done(&canvas);
}

static void printf_writes_as_text_does(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas, 12, 1, true);
    int used = canvas_printf(&canvas, canvas_rect(&canvas), 1, 0, STYLE_KEY, "rank %d%s", 5, "\n!");
    assert_int_equal(used, 8);
    assert_canvas(&canvas, true, " rank 5\xef\xbf\xbd!\n|.kkkkkkkk\n");
    canvas_done(&canvas);
}

static void a_wide_code_point_is_whole_or_not_there(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas, 5, 1, true);
    struct rect all = canvas_rect(&canvas);
    canvas_text(&canvas, all, 0, 0, STYLE_NORMAL, "\xe4\xb8\x96\xe7\x95\x8c\xe4\xb8\x96");
    assert_canvas(&canvas, false, "\xe4\xb8\x96\xe7\x95\x8c\n"); /* the third does not fit */
    canvas_put(&canvas, all, 1, 0, 'x', STYLE_NORMAL);
    assert_canvas(&canvas, false, " x\xe7\x95\x8c\n");
    canvas_put(&canvas, all, 2, 0, 'y', STYLE_NORMAL);
    assert_canvas(&canvas, false, " xy\n");
    canvas_text(&canvas, all, -1, 0, STYLE_NORMAL, "\xe4\xb8\x96z");
    assert_canvas(&canvas, false, " zy\n");
    canvas_done(&canvas);
}

static void an_ascii_canvas_keeps_the_columns(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas, 12, 1, false);
    struct rect all = canvas_rect(&canvas);
    assert_int_equal(canvas_text(&canvas, all, 0, 0, STYLE_NORMAL, "\xe4\xb8\x96-gpu\xc3\xbc|"), 8);
    canvas_put(&canvas, all, 8, 0, 0x2588, STYLE_NORMAL);
    assert_canvas(&canvas, false, "? -gpu?|?\n");
    canvas_done(&canvas);
}

static void labels_of_any_script_leave_the_bar_in_its_column(void **state)
{
    const char *labels[] = {"\xe4\xb8\x96\xe7\x95\x8c-gpu", "e\xcc\x81",
                            "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9", "plain"};
    struct canvas canvas;
    canvas_init(&canvas, 20, 4, true);
    for (int y = 0; y < 4; y++) {
        canvas_text(&canvas, rect_part(canvas_rect(&canvas), 0, y, 9, 1), 0, 0, STYLE_NORMAL,
                    labels[y]);
        canvas_put(&canvas, canvas_rect(&canvas), 9, y, '|', STYLE_BARRIER);
    }
    for (int y = 0; y < 4; y++)
        assert_int_equal(canvas.cells[y * 20 + 9].code, '|');
    canvas_done(&canvas);
}

static void hostile_text_stays_in_its_row(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas, 60, 3, true);
    const char *hostile = "rank\x1b]52;c;cHdu\x07 \x1b[2J \xc2\x9b"
                          "31m \x9b"
                          "31m \xe2\x80\xae \r\n\x08\t";
    canvas_text(&canvas, canvas_rect(&canvas), 0, 1, STYLE_NORMAL, hostile);
    char *text = canvas_to_text(&canvas, false);
    for (const char *p = text; *p; p++)
        assert_true((uint8_t)*p >= 0x20 || *p == '\n');
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_null(strstr(text, "\xc2\x9b"));
    free(text);
    for (int x = 0; x < 60; x++) {
        assert_int_equal(canvas.cells[x].code, ' ');
        assert_int_equal(canvas.cells[120 + x].code, ' ');
    }
    canvas_done(&canvas);
}

/* Somewhere around a canvas of this side, sometimes far away. */
static int somewhere(int side)
{
    static const int far[] = {INT_MIN, INT_MIN / 2, -1, 0, 1, INT_MAX / 2, INT_MAX};
    if (rand() % 8 == 0)
        return far[rand() % 7];
    return rand() % (side * 3) - side;
}

static bool inside(struct rect rect, int x, int y)
{
    return x >= rect.x && y >= rect.y && x < (int64_t)rect.x + rect.width &&
           y < (int64_t)rect.y + rect.height;
}

static void draw_something(struct canvas *canvas, struct rect rect)
{
    int x = somewhere(canvas->width), y = somewhere(canvas->height);
    switch (rand() % 4) {
    case 0:
        canvas_put(canvas, rect, x, y, 'p', STYLE_OWN);
        break;
    case 1:
        canvas_text(canvas, rect, x, y, STYLE_OWN, "a text \xc3\xbc\x1b that is long enough");
        break;
    case 2:
        canvas_text_right(canvas, rect, x, y, STYLE_OWN, "a text that ends here");
        break;
    default:
        canvas_fill(canvas, rect, '#', STYLE_OWN);
    }
}

static void nothing_leaves_its_rect(void **state)
{
    srand(2);
    for (int round = 0; round < 20000; round++) {
        struct canvas canvas;
        canvas_init(&canvas, 1 + rand() % 24, 1 + rand() % 8, rand() % 2);
        struct rect rect = {rand() % 40 - 10, rand() % 20 - 8, rand() % 30 - 2, rand() % 12 - 2};
        draw_something(&canvas, rect);
        for (int y = 0; y < canvas.height; y++) {
            for (int x = 0; x < canvas.width; x++) {
                if (!inside(rect, x, y))
                    assert_int_equal(canvas.cells[y * canvas.width + x].style, STYLE_NORMAL);
            }
        }
        canvas_done(&canvas);
    }
}

static void no_half_of_a_wide_code_point_stands_alone(void **state)
{
    static const uint32_t codes[] = {0x4E16, 0x1F600, 'a', 0, 0x1B, 0x301, 0xD800, 0xFFFFFFFF};
    srand(3);
    struct canvas canvas;
    canvas_init(&canvas, 9, 3, true);
    for (int round = 0; round < 50000; round++) {
        struct rect rect = {rand() % 9, rand() % 3, rand() % 9, rand() % 3};
        uint32_t code = codes[rand() % 8];
        if (rand() % 10 == 0)
            canvas_fill(&canvas, rect, code, STYLE_NORMAL);
        else
            canvas_put(&canvas, rect, rand() % 10 - 1, rand() % 3, code, STYLE_NORMAL);
        for (int i = 0; i < 27; i++) {
            uint32_t here = canvas.cells[i].code;
            assert_true(here == 0 || text_is_safe(here));
            bool needs = text_width(here) == 2;
            assert_true(!needs || i % 9 < 8);
            bool half = i % 9 < 8 && canvas.cells[i + 1].code == 0;
            assert_int_equal(needs, half);
        }
        assert_true(canvas.cells[0].code != 0);
    }
    canvas_done(&canvas);
}

static void a_part_lies_in_its_rect(void **state)
{
    srand(4);
    for (int round = 0; round < 100000; round++) {
        struct rect rect = {rand() % 50, rand() % 50, rand() % 50, rand() % 50};
        struct rect part =
            rect_part(rect, somewhere(50), somewhere(50), somewhere(50), somewhere(50));
        assert_true(part.width >= 0 && part.height >= 0);
        assert_true(part.x >= rect.x && part.x + part.width <= rect.x + rect.width);
        assert_true(part.y >= rect.y && part.y + part.height <= rect.y + rect.height);
    }
    struct rect part = rect_part((struct rect){10, 20, 30, 40}, -2, 3, 5, 100);
    assert_int_equal(part.x, 10);
    assert_int_equal(part.y, 23);
    assert_int_equal(part.width, 3);
    assert_int_equal(part.height, 37);
}

static void sides_are_clamped(void **state)
{
    struct canvas canvas;
    canvas_init(&canvas, 0, -5, true);
    assert_int_equal(canvas.width, 1);
    assert_int_equal(canvas.height, 1);
    canvas_resize(&canvas, 5000, 2);
    assert_int_equal(canvas.width, CANVAS_SIDE_MAX);
    assert_int_equal(canvas.height, 2);
    canvas_done(&canvas);
}

static void a_copy_is_equal_until_one_changes(void **state)
{
    struct canvas canvas, copy = {0};
    canvas_init(&canvas, 7, 2, true);
    canvas_text(&canvas, canvas_rect(&canvas), 0, 1, STYLE_GOOD, "same");
    assert_false(canvas_equal(&copy, &canvas));
    canvas_copy(&copy, &canvas);
    assert_true(canvas_equal(&copy, &canvas));
    canvas_put(&canvas, canvas_rect(&canvas), 0, 1, 's', STYLE_WARNING);
    assert_false(canvas_equal(&copy, &canvas));
    assert_true(canvas_row_equal(&copy, &canvas, 0));
    canvas_done(&copy);
    canvas_done(&canvas);
}

static void style_letters_differ(void **state)
{
    for (int i = 0; i < STYLE_COUNT; i++) {
        assert_true(style_look(i)->letter > ' ');
        for (int j = 0; j < i; j++)
            assert_int_not_equal(style_look(i)->letter, style_look(j)->letter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_at_the_right_edge_of_its_rect),
        cmocka_unit_test(text_at_the_right_is_cut_at_its_left),
        cmocka_unit_test(printf_writes_as_text_does),
        cmocka_unit_test(a_wide_code_point_is_whole_or_not_there),
        cmocka_unit_test(an_ascii_canvas_keeps_the_columns),
        cmocka_unit_test(labels_of_any_script_leave_the_bar_in_its_column),
        cmocka_unit_test(hostile_text_stays_in_its_row),
        cmocka_unit_test(nothing_leaves_its_rect),
        cmocka_unit_test(no_half_of_a_wide_code_point_stands_alone),
        cmocka_unit_test(a_part_lies_in_its_rect),
        cmocka_unit_test(sides_are_clamped),
        cmocka_unit_test(a_copy_is_equal_until_one_changes),
        cmocka_unit_test(style_letters_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

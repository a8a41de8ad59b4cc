/* The layout, at every size: inside the screen, no overlap, nothing useless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "layout.h"

#define PARTS 10

static void parts_of(const struct layout *layout, struct rect parts[PARTS])
{
    const struct rect all[PARTS] = {layout->header, layout->verdict, layout->alarms,
                                    layout->heads,  layout->bars,    layout->axis,
                                    layout->legend, layout->strips,  layout->playback,
                                    layout->keys};
    memcpy(parts, all, sizeof(all));
}

static void check_size(int width, int height, const struct layout_want *want)
{
    struct layout layout = layout_make(width, height, want);
    struct rect parts[PARTS];
    char taken[70] = {0};
    parts_of(&layout, parts);
    for (int i = 0; i < PARTS; i++) {
        struct rect part = parts[i];
        assert_true(part.width >= 0 && part.height >= 0 && part.x >= 0 && part.y >= 0);
        if (part.width == 0 || part.height == 0)
            continue;
        assert_true(part.x + part.width <= width);
        assert_true(part.y + part.height <= height);
        for (int y = part.y; y < part.y + part.height; y++) {
            assert_int_equal(taken[y], 0); /* parts are as wide as the screen */
            taken[y] = 1;
        }
    }
    assert_true(layout.rank_rows * layout.rank_height <= layout.bars.height);
    assert_int_equal(layout.strip_count * layout.strip_height, layout.strips.height);
    assert_true(layout.strip_count <= STRIP_COUNT);
    if (layout.kind == LAYOUT_BARS || layout.kind == LAYOUT_LIST)
        assert_true(layout.rank_rows >= 1 && layout.header.height >= 1);
}

static void parts_lie_inside_and_never_overlap(void **state)
{
    static const int ranks[] = {0, 1, 3, 8, 9, 64, 16384, 1 << 20};
    for (int width = 1; width <= 220; width++) {
        for (int height = 1; height <= 70; height++) {
            for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
                struct layout_want want = {.ranks = ranks[i],
                                           .verdicts = 1 + (int)(i % 4),
                                           .alarms = (int)(i + (size_t)width) % 6,
                                           .legend = height % 2,
                                           .playback = (i + (size_t)height / 2) % 2};
                check_size(width, height, &want);
            }
        }
    }
}

static struct layout of(int width, int height, int ranks)
{
    struct layout_want want = {.ranks = ranks, .verdicts = 1};
    return layout_make(width, height, &want);
}

static void the_ladder_goes_from_all_to_nothing(void **state)
{
    assert_int_equal(of(80, 24, 8).kind, LAYOUT_BARS);
    assert_int_equal(of(40, 10, 8).kind, LAYOUT_BARS);
    assert_int_equal(of(39, 24, 8).kind, LAYOUT_LIST);
    assert_int_equal(of(20, 10, 8).kind, LAYOUT_LIST);
    assert_int_equal(of(19, 10, 8).kind, LAYOUT_LINE);
    assert_int_equal(of(80, 3, 8).kind, LAYOUT_LINE);
    assert_int_equal(of(2, 1, 8).kind, LAYOUT_LINE);
    assert_int_equal(of(1, 1, 8).kind, LAYOUT_BLANK);
}

static void eighty_by_twenty_four_has_every_part(void **state)
{
    struct layout layout = of(80, 24, 8);
    assert_int_equal(layout.header.height, 2);
    assert_int_equal(layout.verdict.height, 1);
    assert_int_equal(layout.heads.height, 1);
    assert_int_equal(layout.rank_rows, 8);
    assert_int_equal(layout.axis.height, 2);
    assert_int_equal(layout.strip_count, 3);
    assert_int_equal(layout.keys.y, 23);
}

static void eight_ranks_fit_at_forty_by_ten(void **state)
{
    struct layout layout = of(40, 10, 8);
    assert_int_equal(layout.rank_rows, 8);
    assert_int_equal(layout.header.height, 1);
    assert_int_equal(layout.verdict.height, 1);
    assert_int_equal(layout.keys.height, 0);
}

static void ranks_without_a_row_keep_the_line_that_counts_them(void **state)
{
    assert_int_equal(of(40, 10, 9).heads.height, 1);
    assert_int_equal(of(40, 10, 9).rank_rows, 7);
    assert_int_equal(of(20, 10, 9).keys.height, 1);
    assert_int_equal(of(20, 10, 8).keys.height, 0);
}

static void a_replay_has_a_line_above_the_keys_where_there_is_room(void **state)
{
    struct layout_want want = {.ranks = 8, .verdicts = 1, .playback = true};
    struct layout layout = layout_make(80, 24, &want);
    assert_int_equal(layout.playback.y, 22);
    assert_int_equal(layout.playback.height, 1);
    assert_int_equal(layout.keys.y, 23);
    assert_int_equal(layout.rank_rows, 8);
    layout = layout_make(40, 10, &want);
    assert_int_equal(layout.playback.y, 9);
    assert_int_equal(layout.heads.height, 1); /* it says how many ranks have no row */
    assert_int_equal(layout.rank_rows, 6);
    assert_int_equal(layout_make(40, 8, &want).playback.height, 1);
    assert_int_equal(layout_make(40, 7, &want).playback.height, 0);
    assert_int_equal(layout_make(20, 8, &want).playback.height, 1);
    assert_int_equal(layout_make(20, 7, &want).playback.height, 0);
    assert_int_equal(of(80, 24, 8).playback.height, 0);
}

static void a_tall_screen_gives_more_ranks_then_taller_bars(void **state)
{
    assert_true(of(200, 60, 16384).rank_rows >= 30);
    assert_int_equal(of(200, 60, 16384).rank_height, 1);
    assert_int_equal(of(200, 60, 8).rank_height, 4);
    assert_true(of(200, 60, 8).strip_height > of(80, 24, 8).strip_height);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_lie_inside_and_never_overlap),
        cmocka_unit_test(the_ladder_goes_from_all_to_nothing),
        cmocka_unit_test(eighty_by_twenty_four_has_every_part),
        cmocka_unit_test(eight_ranks_fit_at_forty_by_ten),
        cmocka_unit_test(ranks_without_a_row_keep_the_line_that_counts_them),
        cmocka_unit_test(a_replay_has_a_line_above_the_keys_where_there_is_room),
        cmocka_unit_test(a_tall_screen_gives_more_ranks_then_taller_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

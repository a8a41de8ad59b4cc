/* Where to go, as it is typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "place.h"

#define NOON INT64_C(1795953600) /* 2026-11-29 12:00:00 UTC */

static struct place parsed(const char *text, const struct place_clock *clock)
{
    struct place place;
    const char *why = place_parse(text, clock, &place);
    if (why)
        print_message("%s: %s\n", text, why);
    assert_null(why);
    return place;
}

static void steps_shares_and_moves_are_told_apart(void **state)
{
    struct place_clock clock = {0};
    struct place place = parsed("1200", &clock);
    assert_int_equal(place.kind, PLACE_STEP);
    assert_int_equal(place.step, 1200);
    assert_int_equal(place.attempt, -1);
    place = parsed(" a2:1200 ", &clock);
    assert_int_equal(place.kind, PLACE_STEP);
    assert_int_equal(place.step, 1200);
    assert_int_equal(place.attempt, 1);
    place = parsed("45%", &clock);
    assert_int_equal(place.kind, PLACE_SHARE);
    assert_int_equal((int)(place.share * 1000 + 0.5), 450);
    place = parsed("+100", &clock);
    assert_int_equal(place.kind, PLACE_MOVE);
    assert_int_equal(place.step, 100);
    place = parsed("-7", &clock);
    assert_int_equal(place.kind, PLACE_MOVE);
    assert_int_equal(place.step, -7);
}

static void a_time_of_day_is_the_next_one_from_the_begin_on(void **state)
{
    struct place_clock clock = {true, NOON + 0.4};
    static const struct {
        const char *text;
        int64_t after_noon_s;
    } cases[] = {
        {"12:00", 0},
        {"12:00:00", 0}, /* the begin itself, though it was 0.4 s later */
        {"12:00:01", 1},
        {"13:30", 5400},
        {"11:59", 86400 - 60}, /* the next day */
        {"3:12:30", 15 * 3600 + 750},
        {"2026-11-29 11:00", -3600},
        {"2026-11-30T12:00:05", 86405},
        {"2028-02-29 12:00", INT64_C(39484800)},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct place place = parsed(cases[i].text, &clock);
        if ((int64_t)place.time_s != NOON + cases[i].after_noon_s)
            fail_msg("%s: %+.0f", cases[i].text, place.time_s - (double)NOON);
        assert_int_equal(place.kind, PLACE_TIME);
    }
}

static void what_a_screen_shows_can_be_typed(void **state)
{
    struct place_clock clock = {true, NOON};
    assert_int_equal((int64_t)parsed("2026-11-29 15:30:38Z", &clock).time_s, NOON + 12638);
    assert_int_equal((int64_t)parsed("15:30:38Z", &clock).time_s, NOON + 12638);
}

static void what_is_no_place_is_refused_with_a_sentence(void **state)
{
    static const char *const wrong[] = {
        "",
        " ",
        "x",
        "12a",
        "1.5",
        "--3",
        "+-3",
        "+",
        "-",
        "%",
        "101%",
        "-1%",
        "nan%",
        "24:00",
        "12:60",
        "12:0",
        "1:2:3",
        "12:00:60",
        "12:00:00:00",
        "a:5",
        "a0:5",
        "a2:",
        "a2:-1",
        "a-1:3",
        ":",
        "::",
        "2026-13-01 00:00",
        "2026-02-29 00:00",
        "2026-11-29",
        "2026-11-29 ",
        "99999999999999999999",
        "2026-11-31 10:00",
        "12:00ZZ",
        "Z:",
    };
    struct place_clock clock = {true, NOON};
    struct place place;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (!place_parse(wrong[i], &clock, &place))
            fail_msg("'%s' was taken", wrong[i]);
}

static void without_a_clock_there_are_no_times(void **state)
{
    struct place_clock clock = {0};
    struct place place;
    assert_non_null(place_parse("12:00", &clock, &place));
    assert_null(place_parse("12", &clock, &place));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_shares_and_moves_are_told_apart),
        cmocka_unit_test(a_time_of_day_is_the_next_one_from_the_begin_on),
        cmocka_unit_test(what_a_screen_shows_can_be_typed),
        cmocka_unit_test(what_is_no_place_is_refused_with_a_sentence),
        cmocka_unit_test(without_a_clock_there_are_no_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

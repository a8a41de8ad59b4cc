/* Fewer bytes, the same picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "squeeze.h"

static void assert_squeezed(const char *from, const char *to)
{
    size_t count = strlen(from);
    char *bytes = malloc(count ? count : 1); /* without a NUL: sanitisers see its end */
    assert_non_null(bytes);
    memcpy(bytes, from, count);
    size_t left = squeeze(bytes, count);
    assert_int_equal(left, strlen(to));
    assert_memory_equal(bytes, to, left);
    free(bytes);
}

static void text_and_moves_stay_as_they_are(void **state)
{
    assert_squeezed("", "");
    assert_squeezed("abc\x1b[1;2Hd\xe2\x96\x88\x1b[K\x1b[?25l",
                    "abc\x1b[1;2Hd\xe2\x96\x88\x1b[K\x1b[?25l");
    assert_squeezed("\x1b[1mbold\x1b[m", "\x1b[1mbold\x1b[m");
}

static void shifts_and_repeated_choices_of_ascii_go(void **state)
{
    assert_squeezed("a\x0e"
                    "b\x0f"
                    "c",
                    "abc");
    assert_squeezed("\x1b(B\x1b[ma\x1b(B\x1b[1mb\x1b(B", "\x1b(B\x1b[ma\x1b[1mb");
}

static void changes_of_attributes_that_follow_each_other_become_one(void **state)
{
    assert_squeezed("\x1b[0;1m\x1b[38;5;208mx", "\x1b[0;1;38;5;208mx");
    assert_squeezed("\x1b[0m\x1b(B\x1b(B\x1b[36mx", "\x1b[0m\x1b(B\x1b[36mx");
    assert_squeezed("\x1b[1m\x1b[4m\x1b[7mx", "\x1b[1;4;7mx");
    assert_squeezed("\x1b[m\x1b[1mx", "\x1b[m\x1b[1mx"); /* an empty number cannot be joined */
}

static void a_change_that_a_reset_follows_goes(void **state)
{
    assert_squeezed("x\x1b[39m\x1b[m", "x\x1b[m");
    assert_squeezed("x\x1b[39m\x1b[1m\x1b[0;4my", "x\x1b[0;4my");
    assert_squeezed("\x1b[1mx\x1b[m", "\x1b[1mx\x1b[m");
    assert_squeezed("\x1b[39m\x1b[07m", "\x1b[39;07m"); /* 07 is no reset */
}

static void long_chains_stay_short_enough_for_old_terminals(void **state)
{
    assert_squeezed("\x1b[38;5;1m\x1b[48;5;2m\x1b[1;2;4;7m\x1b[5;6;8mx",
                    "\x1b[38;5;1;48;5;2;1;2;4;7m\x1b[5;6;8mx");
}

static void what_is_cut_is_left_alone(void **state)
{
    assert_squeezed("a\x1b", "a\x1b");
    assert_squeezed("a\x1b[", "a\x1b[");
    assert_squeezed("\x1b[1m\x1b[38;5", "\x1b[1m\x1b[38;5");
    assert_squeezed("\x1b(", "\x1b(");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_moves_stay_as_they_are),
        cmocka_unit_test(shifts_and_repeated_choices_of_ascii_go),
        cmocka_unit_test(changes_of_attributes_that_follow_each_other_become_one),
        cmocka_unit_test(a_change_that_a_reset_follows_goes),
        cmocka_unit_test(long_chains_stay_short_enough_for_old_terminals),
        cmocka_unit_test(what_is_cut_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

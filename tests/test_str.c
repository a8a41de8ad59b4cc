/* Slices, and numbers read without the locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "str.h"

static void whole_numbers_are_read_in_full_or_not_at_all(void **state)
{
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"42", true, 42},
        {"-42", true, -42},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"0x10", false, 0},
        {"1e3", false, 0},
        {"--1", false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t value = 77;
        bool good = str_to_int(str_from(rows[i].text), INT64_MIN, INT64_MAX, &value);
        if (good != rows[i].good || value != (good ? rows[i].value : 77))
            print_error("row %zu: '%s'\n", i, rows[i].text);
        assert_int_equal(good, rows[i].good);
        assert_int_equal(value, good ? rows[i].value : 77);
    }
    int64_t value = 77;
    assert_false(str_to_int(str_from("11"), 0, 10, &value));
    assert_false(str_to_int(str_from("-1"), 0, 10, &value));
    assert_true(str_to_int(str_of("10xyz", 2), 0, 10, &value));
    assert_int_equal(value, 10);
    assert_false(str_to_int(str_of(NULL, 0), 0, 10, &value));
}

static void decimals_are_plain_and_finite(void **state)
{
    static const struct {
        const char *text;
        bool good;
        double value;
    } rows[] = {
        {"12", true, 12},  {"1.5", true, 1.5},  {"3.79e25", true, 3.79e25},
        {".5", true, 0.5}, {"5.", true, 5},     {"-2.5E-3", true, -2.5e-3},
        {"+1", true, 1},   {"", false, 0},      {".", false, 0},
        {"e5", false, 0},  {"1e", false, 0},    {"1e+", false, 0},
        {"1,5", false, 0}, {"0x1p3", false, 0}, {"inf", false, 0},
        {"nan", false, 0}, {"1e999", false, 0}, {" 1", false, 0},
        {"1 ", false, 0},  {"1.2.3", false, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double value = 77;
        bool good = str_to_double(str_from(rows[i].text), &value);
        if (good != rows[i].good)
            print_error("row %zu: '%s'\n", i, rows[i].text);
        assert_int_equal(good, rows[i].good);
        assert_true(value == (good ? rows[i].value : 77));
    }
    double value = 77;
    assert_false(str_to_double(str_of("1\0", 2), &value));
    char digits[80];
    memset(digits, '1', sizeof(digits));
    assert_false(str_to_double(str_of(digits, sizeof(digits)), &value));
    assert_true(value == 77);
}

static void a_copy_ends_before_a_character_that_does_not_fit(void **state)
{
    char to[5];
    assert_int_equal(str_copy(to, sizeof(to), str_from("abc")), 3);
    assert_string_equal(to, "abc");
    assert_int_equal(str_copy(to, sizeof(to), str_from("abcdef")), 4);
    assert_string_equal(to, "abcd");
    assert_int_equal(str_copy(to, sizeof(to), str_from("abc\xc3\xa9")), 3);
    assert_string_equal(to, "abc");
    assert_int_equal(str_copy(to, sizeof(to), str_from("ab\xe2\x82\xac")), 2);
    assert_int_equal(str_copy(to, sizeof(to), str_from("a\xf0\x9f\x98\x80")), 1);
    assert_int_equal(str_copy(to, sizeof(to), str_from("\xf0\x9f\x98\x80")), 4);
    assert_int_equal(str_copy(to, 1, str_from("abc")), 0);
    assert_string_equal(to, "");
    assert_int_equal(str_copy(to, sizeof(to), str_of(NULL, 0)), 0);
    /* Not UTF-8 at all: cut anywhere, but never past the end. */
    assert_true(str_copy(to, sizeof(to), str_from("\x80\x80\x80\x80\x80\x80\x80")) <= 4);
}

static void slices_are_equal_by_their_bytes(void **state)
{
    assert_true(str_equal(str_of("abcd", 3), str_from("abc")));
    assert_false(str_equal(str_from("abc"), str_from("abd")));
    assert_false(str_equal(str_from("abc"), str_from("ab")));
    assert_true(str_equal(str_of(NULL, 0), str_from("")));
    assert_true(str_is(str_from(NULL), ""));
    assert_true(str_equal(str_of("a\0b", 3), str_of("a\0b", 3)));
    assert_false(str_equal(str_of("a\0b", 3), str_of("a\0c", 3)));
}

static void counts_may_have_a_unit(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"405e9", 405e9}, {"7B", 7e9}, {"1.5T", 1.5e12}, {"64k", 64e3},
                {"2g", 2e9},      {"3M", 3e6}, {"1e3K", 1e6},    {"12", 12}};
    static const char *const bad[] = {"", "k", "7BB", "1 k", "x", "1e308T", "nan", "-"};
    double value = 5;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(str_to_count(str_from(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    value = 5;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(str_to_count(str_from(bad[i]), &value));
    assert_true(value == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_read_in_full_or_not_at_all),
        cmocka_unit_test(decimals_are_plain_and_finite),
        cmocka_unit_test(counts_may_have_a_unit),
        cmocka_unit_test(a_copy_ends_before_a_character_that_does_not_fit),
        cmocka_unit_test(slices_are_equal_by_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The sanitiser: nothing that it lets pass can move the cursor, change a mode or
 * take another number of cells than it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "text.h"

#define R "\xef\xbf\xbd" /* U+FFFD */

struct text_case {
    const char *from;
    size_t length;
    const char *expected;
};

#define CASE(from, expected)                                                                       \
    {                                                                                              \
        from, sizeof from - 1, expected                                                            \
    }

static const struct text_case cases[] = {
    CASE("", ""),
    CASE("node17-gpu3", "node17-gpu3"),
    CASE("\x1b[2J", R "[2J"),
    CASE("a\r\n\b\t\x7f"
         "b",
         "a" R R R R R "b"),
    CASE("a\0b", "a" R "b"),
    CASE("\xc2\x9b"
         "31m",
         R "31m"), /* U+009B, CSI in one code point */
    CASE("\x9b"
         "31m",
         R "31m"), /* and as a raw byte */
    CASE("\xe2\x80\xae"
         "evil",
         R "evil"),                                                    /* U+202E, right to left */
    CASE("\xe2\x81\xa6\xe2\x81\xa9", R R),                             /* U+2066, U+2069 */
    CASE("\xe2\x80\x8e\xd8\x9c", R R),                                 /* U+200E, U+061C */
    CASE("\xe2\x80\xa8\xe2\x80\xa9", R R),                             /* U+2028, U+2029 */
    CASE("\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf\xe2\x81\xa0", R R R R), /* zero width */
    CASE("\xc2\xad", R),                                               /* soft hyphen */
    CASE("\xf3\xa0\x81\x81", R),                                       /* a tag */
    CASE("\xef\xb8\x8f", R),                                           /* variation selector 16 */
    CASE("\xe3\x85\xa4", R),                                           /* Hangul filler */
    CASE("\xee\x82\xb0", R),                                           /* private use */
    CASE("\xed\xa0\x80", R R R),                                       /* a surrogate */
    CASE("\xc0\xaf", R R),                                             /* overlong */
    CASE("\xe0\x80\x9b", R R R),
    CASE("\xf4\x90\x80\x80", R R R R), /* over U+10FFFF */
    CASE("\xef\xbf\xbf", R),           /* a noncharacter */
    CASE("\xe4\xb8", R),               /* cut off */
    CASE("\xe4\xb8!", R "!"),
    CASE("\xf0\x9f\x98\x1b[A", R R "[A"),
    CASE("e\xcc\x81t", "et"), /* a combining acute is passed over */
    CASE("\xe4\xb8\x96\xe7\x95\x8c-gpu", "\xe4\xb8\x96\xe7\x95\x8c-gpu"),
    CASE("\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9", "\xf0\x9f\x91\xa8" R "\xf0\x9f\x91\xa9"),
    CASE("\xc3\xbc\xe2\x96\x88\xe2\xa3\x80", "\xc3\xbc\xe2\x96\x88\xe2\xa3\x80"),
};

static void each_kind_of_text_comes_out_safe(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[128];
        size_t length = text_sanitise(got, sizeof got, str_of(cases[i].from, cases[i].length));
        if (strcmp(got, cases[i].expected) != 0)
            fail_msg("case %zu: got \"%s\"", i, got);
        assert_int_equal(length, strlen(got));
    }
}

static void a_short_buffer_never_cuts_a_code_point(void **state)
{
    struct str from = str_of("a\xe4\xb8\x96z", 5);
    const size_t expected[] = {0, 1, 1, 1, 4, 5};
    for (size_t size = 1; size <= 6; size++) {
        char got[8];
        memset(got, '#', sizeof got);
        assert_int_equal(text_sanitise(got, size, from), expected[size - 1]);
        assert_int_equal(got[expected[size - 1]], '\0');
        assert_int_equal(got[size], '#');
    }
}

static void random_bytes_never_give_an_unsafe_one(void **state)
{
    srand(1);
    for (int round = 0; round < 20000; round++) {
        char bytes[40], got[161];
        size_t length = (size_t)(rand() % (int)sizeof bytes);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (char)(rand() % 4 ? 0x80 | rand() : rand());
        struct str from = str_of(bytes, length);
        size_t count = text_sanitise(got, sizeof got, from);
        assert_int_equal(text_columns(from), text_columns(str_of(got, count)));
        struct str rest = str_of(got, count);
        for (size_t i = 0; i < count; i++)
            assert_true((uint8_t)got[i] >= 0x20 && got[i] != 0x7f);
        for (uint32_t code; (code = text_next(&rest)) != 0;)
            assert_true(text_is_safe(code) && !(code >= 0x80 && code < 0xA0));
    }
}

static void encoding_and_decoding_are_inverse(void **state)
{
    for (uint32_t code = 0x20; code <= TEXT_CODE_MAX; code++) {
        if (!text_is_safe(code))
            continue;
        char bytes[4];
        struct str rest = str_of(bytes, text_encode(code, bytes));
        assert_int_equal(text_next(&rest), code);
        assert_int_equal(rest.len, 0);
    }
}

static void widths_are_those_of_the_terminal(void **state)
{
    assert_int_equal(text_width('a'), 1);
    assert_int_equal(text_width(0x2588), 1);  /* full block */
    assert_int_equal(text_width(0x28C0), 1);  /* Braille */
    assert_int_equal(text_width(0x2190), 1);  /* arrow */
    assert_int_equal(text_width(0x4E16), 2);  /* CJK */
    assert_int_equal(text_width(0xFF21), 2);  /* full-width A */
    assert_int_equal(text_width(0xAC00), 2);  /* Hangul */
    assert_int_equal(text_width(0x1F600), 2); /* emoji */
    assert_int_equal(text_width(0x20000), 2); /* CJK extension B */
    assert_int_equal(text_width(0xFFFD), 1);
    assert_int_equal(text_columns(str_of("\xe4\xb8\x96-g\x1b", 6)), 5);
}

/* Unicode versions differ a little from one C library to the next. */
static void widths_agree_with_the_c_library(void **state)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    int different = 0, safe = 0;
    for (uint32_t code = 0x20; code <= TEXT_CODE_MAX; code++) {
        if (!text_is_safe(code))
            continue;
        safe++;
        different += wcwidth((wchar_t)code) != text_width(code);
    }
    assert_true(safe > 100000);
    assert_true(different < 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_text_comes_out_safe),
        cmocka_unit_test(a_short_buffer_never_cuts_a_code_point),
        cmocka_unit_test(random_bytes_never_give_an_unsafe_one),
        cmocka_unit_test(encoding_and_decoding_are_inverse),
        cmocka_unit_test(widths_are_those_of_the_terminal),
        cmocka_unit_test(widths_agree_with_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

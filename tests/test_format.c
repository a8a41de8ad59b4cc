/* Numbers as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "format.h"

struct pair {
    double value;
    const char *text;
};

#define CHECK(pairs, call)                                                                         \
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {                                \
        char out[FORMAT_BYTES];                                                                    \
        double value = pairs[i].value;                                                             \
        assert_string_equal(call, pairs[i].text);                                                  \
    }

static void a_duration_has_three_digits_and_a_sensible_unit(void **state)
{
    static const struct pair pairs[] = {
        {0, "0 s"},          {4.93, "4.93 s"},    {0.8124, "812 ms"},  {12.3e-6, "12.3 us"},
        {1.5e-9, "1.50 ns"}, {0.9996, "1.00 s"},  {0.99949, "999 ms"}, {9.999, "10.0 s"},
        {99.96, "100 s"},    {999, "999 s"},      {1000, "16.7 min"},  {10000, "2.78 h"},
        {1e6, "11.6 d"},     {-0.05, "-50.0 ms"}, {NAN, "-"},          {INFINITY, "-"},
        {-INFINITY, "-"},    {1e300, "-"},        {1e-12, "0 s"},      {0.000999, "999 us"},
    };
    CHECK(pairs, format_duration(out, value, false));
    char out[FORMAT_BYTES];
    assert_string_equal(format_duration(out, 12.3e-6, true), "12.3 \u00b5s");
}

static void time_that_has_passed_is_in_whole_seconds(void **state)
{
    static const struct pair pairs[] = {
        {0.9, "0 s"},         {12.4, "12 s"},       {59.99, "59 s"}, {185, "3 min 05 s"},
        {8040, "2 h 14 min"}, {273600, "3 d 04 h"}, {-5, "0 s"},     {NAN, "-"},
    };
    CHECK(pairs, format_elapsed(out, value));
}

static void a_column_shares_one_unit(void **state)
{
    char out[FORMAT_BYTES];
    struct format_scale scale = format_scale_of(0.5721, false);
    assert_string_equal(format_scaled(out, &scale, 0.5721), "572 ms");
    assert_string_equal(format_scaled(out, &scale, 0.0004), "0 ms");
    assert_string_equal(format_scaled(out, &scale, -0.0004), "0 ms");
    assert_string_equal(format_scaled(out, &scale, NAN), "-");
    scale = format_scale_of(4.84, false);
    assert_string_equal(format_scaled(out, &scale, 0.05), "0.05 s");
    scale = format_scale_of(0, false);
    assert_string_equal(format_scaled(out, &scale, 0), "0 ms");
}

static void counts_have_separators(void **state)
{
    char out[FORMAT_BYTES];
    assert_string_equal(format_count(out, 0), "0");
    assert_string_equal(format_count(out, 999), "999");
    assert_string_equal(format_count(out, 12345), "12,345");
    assert_string_equal(format_count(out, -1000), "-1,000");
    assert_string_equal(format_count(out, INT64_MIN), "-9,223,372,036,854,775,808");
    assert_string_equal(format_count_unsigned(out, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(format_counted(out, 1, "rank"), "1 rank");
    assert_string_equal(format_counted(out, 16384, "rank"), "16,384 ranks");
}

static void differences_are_signed_and_shares_are_not(void **state)
{
    static const struct pair differences[] = {
        {0.101, "+10.1%"},  {-0.02, "-2.0%"}, {0, "+0.0%"}, {-0.0001, "+0.0%"},
        {12.345, "+1234%"}, {NAN, "-"},       {1e300, "-"}, {9.9999, "+1000%"},
    };
    static const struct pair shares[] = {{0.412, "41.2%"}, {0.098, "9.8%"}, {0, "0.0%"},
                                         {1, "100.0%"},    {NAN, "-"},      {-1e-9, "0.0%"}};
    CHECK(differences, format_difference(out, value));
    CHECK(shares, format_share(out, value));
}

static void large_numbers_get_a_prefix(void **state)
{
    static const struct pair decimals[] = {{65536, "65.5 k"}, {989e12, "989 T"}, {12, "12"},
                                           {0, "0"},          {1.5, "1.50"},     {NAN, "-"}};
    static const struct pair bytes[] = {
        {512, "512 B"}, {8388608, "8.00 MiB"}, {212992, "208 KiB"}, {0, "0 B"}};
    CHECK(decimals, format_decimal(out, value));
    CHECK(bytes, format_bytes(out, (uint64_t)value));
}

static void the_evidence_stands_behind_the_number(void **state)
{
    char out[FORMAT_BYTES];
    assert_string_equal(format_evidence(out, "41.2%", EVIDENCE_COMPUTED), "41.2% c");
    assert_string_equal(format_evidence(out, "4.93 s", EVIDENCE_MEASURED), "4.93 s m");
    assert_string_equal(format_evidence(out, "-", EVIDENCE_NONE), "-");
}

static void a_moment_is_told_in_utc(void **state)
{
    char out[FORMAT_BYTES];
    assert_string_equal(format_moment(out, 1795966238.9), "2026-11-29 15:30:38Z");
    assert_string_equal(format_moment(out, NAN), "-");
    assert_string_equal(format_log_moment(out, 1795966238.9, false), "2026-11-29 15:30:38Z");
    assert_string_equal(format_log_moment(out, 1795966238.9, true), "2026-11-29 15:30:38");
    assert_string_equal(format_log_moment(out, NAN, true), "-");
}

static void a_silence_is_told_in_steps_that_change_seldom(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0.4, "over 0 s"},     {1, "over 1 s"},       {4.9, "over 2 s"},
                 {59, "over 30 s"},     {60, "over 1 min"},    {599, "over 9 min"},
                 {1199, "over 10 min"}, {3599, "over 50 min"}, {7300, "over 2 h"},
                 {200000, "over 2 d"},  {-1, "over 0 s"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[FORMAT_BYTES];
        assert_string_equal(format_silence(out, cases[i].seconds), cases[i].text);
    }
}

static void powers_and_rounding_are_the_chapters(void **state)
{
    static const struct {
        double value;
        int digits;
        const char *power, *rounded;
    } cases[] = {{3.7908e25, 3, "3.79e25", "-"},   {1216.8, 2, "1,200", "1,200"},
                 {617700, 2, "6.2e5", "620,000"},  {37.7, 2, "38", "38"},
                 {99.6, 2, "100", "100"},          {10.6449, 3, "10.6", "10.6"},
                 {26.0, 3, "26.0", "26.0"},        {0.0123, 2, "0.012", "0.012"},
                 {99999, 2, "1.0e5", "100,000"},   {0, 3, "0.00", "0.00"},
                 {-1216.8, 2, "-1,200", "-1,200"}, {NAN, 2, "-", "-"},
                 {INFINITY, 2, "-", "-"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[FORMAT_BYTES];
        assert_string_equal(format_power(out, cases[i].value, cases[i].digits), cases[i].power);
        assert_string_equal(format_rounded(out, cases[i].value, cases[i].digits), cases[i].rounded);
    }
}

static void thousands_are_powers_of_them(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{405e9, "405e9"}, {15.6e12, "15.6e12"}, {31e6, "31e6"},      {16384, "16,384"},
                 {400, "400"},     {0.5, "0.5"},         {528128, "528.1e3"}, {99999.6, "100e3"},
                 {0, "0"},         {NAN, "-"},           {-INFINITY, "-"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char out[FORMAT_BYTES];
        assert_string_equal(format_thousands(out, cases[i].value), cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_is_told_in_utc),
        cmocka_unit_test(a_silence_is_told_in_steps_that_change_seldom),
        cmocka_unit_test(a_duration_has_three_digits_and_a_sensible_unit),
        cmocka_unit_test(time_that_has_passed_is_in_whole_seconds),
        cmocka_unit_test(a_column_shares_one_unit),
        cmocka_unit_test(counts_have_separators),
        cmocka_unit_test(differences_are_signed_and_shares_are_not),
        cmocka_unit_test(large_numbers_get_a_prefix),
        cmocka_unit_test(powers_and_rounding_are_the_chapters),
        cmocka_unit_test(thousands_are_powers_of_them),
        cmocka_unit_test(the_evidence_stands_behind_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Numbers, fields, stamps and prefixes of other frameworks' lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_prefix.h"
#include "log_steps.h"
#include "log_text.h"
#include "log_wrapped.h"

/* ---- numbers ---- */

static void expect_number(const char *text, double value, size_t length)
{
    double is = 7;
    size_t used = 99;
    enum log_number kind = log_number(str_from(text), &is, &used);
    if (kind != LOG_NUMBER || is != value || used != length) {
        print_error("\"%s\" is %.17g, %zu bytes\n", text, is, used);
        fail();
    }
}

static void numbers_are_read_as_they_are_written(void **state)
{
    expect_number("1617.75 |", 1617.75, 7);
    expect_number("9,582", 9582, 5);
    expect_number("1,234,567.5x", 1234567.5, 11);
    expect_number("35.88%", 35.88, 5);
    expect_number("-100", -100, 4);
    expect_number("+3", 3, 2);
    expect_number("1.249e+03", 1249, 9);
    expect_number("8.57e-07", 8.57e-7, 8);
    expect_number("4294967296.0", 4294967296.0, 12);
    expect_number(".5", 0.5, 2);
    expect_number("3.", 3, 2);
    expect_number("5e", 5, 1);          /* the e belongs to something else */
    expect_number("1,2", 1, 1);         /* no group of three: the end of a list's member */
    expect_number("12,3456", 12, 2);    /* nor this */
    expect_number("1234,567", 1234, 4); /* a group of four has no separator before */
    expect_number("1,234,56", 1234, 5); /* the last is no group */
    expect_number("0.1", 0.1, 3);
    expect_number("123456789012345", 123456789012345.0, 15);
    expect_number("1e400", INFINITY, 5); /* no duration: log_duration() refuses it */
}

static void short_decimals_are_read_as_strtod_does(void **state)
{
    uint64_t seed = 3;
    for (int turn = 0; turn < 20000; turn++) {
        char text[32];
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        unsigned long long digits = (unsigned long long)(seed >> 14) % 1000000000000000u;
        snprintf(text, sizeof(text), "%llu", digits);
        size_t length = strlen(text), point = (size_t)(seed >> 50) % (length + 1);
        memmove(text + point + 1, text + point, length - point + 1);
        text[point] = '.';
        double is;
        size_t used;
        assert_int_equal(log_number(str_from(text), &is, &used), LOG_NUMBER);
        assert_true(is == strtod(text, NULL));
        assert_int_equal(used, length + 1);
    }
}

static void what_is_no_number_is_told_from_what_is_torn(void **state)
{
    static const char *const none[] = {"nan",  "NaN |", "-inf",    "inf",   "N/A",
                                       "None", "null",  "\"nan\"", "nanms", "Infinity"};
    static const char *const torn[] = {"",   "-", "|",           "nano", "x1",
                                       "e5", ".", "information", "\"12"};
    double is;
    size_t used;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(log_number(str_from(none[i]), &is, &used), LOG_NO_NUMBER);
    for (size_t i = 0; i < sizeof(torn) / sizeof(torn[0]); i++) {
        assert_int_equal(log_number(str_from(torn[i]), &is, &used), LOG_NOTHING);
        assert_int_equal(used, 0);
    }
    assert_int_equal(log_number_whole(str_from("35.88 %"), "%", &is), LOG_NUMBER);
    assert_int_equal(log_number_whole(str_from("35.88ms"), "%", &is), LOG_NOTHING);
    assert_int_equal(log_number_whole(str_from("35.88"), NULL, &is), LOG_NUMBER);
    assert_int_equal(log_number_whole(str_from("nanms"), "ms", &is), LOG_NO_NUMBER);
}

static void durations_are_within_the_bounds_of_a_record(void **state)
{
    int64_t ns;
    assert_true(log_duration(1617.75, LOG_MILLISECOND, &ns));
    assert_int_equal(ns, 1617750000);
    assert_true(log_duration(0, LOG_SECOND, &ns));
    assert_true(log_duration(1e6, LOG_SECOND, &ns));
    assert_false(log_duration(1e6 + 1, LOG_SECOND, &ns));
    assert_false(log_duration(-0.001, LOG_SECOND, &ns));
    assert_false(log_duration(NAN, LOG_SECOND, &ns));
    assert_false(log_duration(INFINITY, LOG_SECOND, &ns));
}

/* ---- fields ---- */

static void fields_are_found_by_their_names(void **state)
{
    struct str value, name, rest = str_from(" a: 1 | b_a: 2 || c =3 "), part;
    assert_true(log_after(rest, "a:", &value)); /* not the one of b_a: */
    assert_true(log_begins(value, "1 |"));
    assert_false(log_after(str_from("xa: 1"), "a:", &value));
    assert_true(log_next_part(&rest, "|", &part) && str_is(part, "a: 1"));
    assert_true(log_split(part, &name, &value) && str_is(name, "a") && str_is(value, "1"));
    assert_true(log_next_part(&rest, "|", &part) && log_next_part(&rest, "|", &part));
    assert_int_equal(part.len, 0);
    assert_true(log_next_part(&rest, "|", &part) && log_split(part, &name, &value));
    assert_true(str_is(name, "c") && str_is(value, "3"));
    assert_false(log_next_part(&rest, "|", &part));
    assert_false(log_split(str_from("no value"), &name, &value));
    assert_true(log_split(str_from("time (ms): 5"), &name, &value) && str_is(name, "time (ms)"));
}

/* Against memmem, of texts that lie at the very end of their memory. */
static void texts_are_found_wherever_they_stand(void **state)
{
    static const char *const needles[] = {"|",   " | ",       "ab",
                                          "aab", "abcabcabd", "per iteration (ms): "};
    uint64_t seed = 9;
    for (int turn = 0; turn < 30000; turn++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t size = (size_t)(seed >> 33) % 70, from = (size_t)(seed >> 45) % (size + 2);
        const char *needle = needles[(seed >> 55) % 6];
        char *text = malloc(size + 1); /* the sanitizer sees what is read behind it */
        assert_non_null(text);
        for (size_t i = 0; i < size; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            text[i] = "aabbc |"[(seed >> 40) % 7];
        }
        if (size >= strlen(needle) && turn % 2)
            memcpy(text + (seed >> 33) % (size - strlen(needle) + 1), needle, strlen(needle));
        const char *expected =
            from > size ? NULL : memmem(text + from, size - from, needle, strlen(needle));
        size_t found = log_find_from(str_of(text, size), from, needle);
        assert_true(found == (expected ? (size_t)(expected - text) : SIZE_MAX));
        free(text);
    }
}

/* ---- time ---- */

static void expect_stamp(const char *text, int64_t seconds, int64_t ns, bool zoned, size_t length)
{
    int64_t is = 0;
    bool zone = !zoned;
    size_t used = 0;
    if (!log_stamp(str_from(text), &is, &zone, &used) || is != seconds * 1000000000 + ns ||
        zone != zoned || used != length) {
        print_error("\"%s\" is %lld, %zu bytes\n", text, (long long)is, used);
        fail();
    }
}

static void stamps_are_unix_time(void **state)
{
    int64_t is;
    size_t used;
    expect_stamp("1970-01-01 00:00:00", 0, 0, false, 19);
    expect_stamp("2024-05-14 23:03:53.734283 - x", 1715727833, 734283000, false, 26);
    expect_stamp("2025-09-11 14:09:46,954794]", 1757599786, 954794000, false, 26);
    expect_stamp("2026-05-19T20:56:10Z", 1779224170, 0, true, 20);
    expect_stamp("2026-05-19T20:56:10.5+02:00", 1779216970, 500000000, true, 27);
    expect_stamp("2026-05-19 20:56:10-0730", 1779251170, 0, true, 24);
    expect_stamp("2024-02-29 12:00:00", 1709208000, 0, false, 19);
    static const char *const wrong[] = {
        "2023-02-29 12:00:00", "2024-13-01 00:00:00", "2024-00-01 00:00:00", "2024-01-32 00:00:00",
        "2024-01-01 24:00:00", "2024-01-01 00:60:00", "2024-01-01 00:00:0",  "24-01-01 00:00:00",
        "2024-01/01 00:00:00", "2024-01-01-00:00:00"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(log_stamp(str_from(wrong[i]), &is, NULL, &used));
    assert_true(
        log_stamp_in(str_from("[rank0]:[titan] 2026-05-19 20:56:10,899 - root"), 40, &is, NULL));
    assert_true(is == INT64_C(1779224170899000000));
    assert_false(log_stamp_in(str_from("[rank0]:[titan] 2026-05-19 20:56:10,899"), 10, &is, NULL));
}

static void expect_clock(const char *text, double seconds, size_t length)
{
    int64_t is = -1;
    size_t used = 0;
    if (!log_clock(str_from(text), &is, &used) || is != (int64_t)(seconds * 1e9 + 0.5) ||
        used != length) {
        print_error("\"%s\" is %lld, %zu bytes\n", text, (long long)is, used);
        fail();
    }
}

static void clocks_are_durations(void **state)
{
    int64_t is;
    size_t used;
    expect_clock("04:59<10:57", 299, 5);
    expect_clock("0:15:19.02", 919.02, 10);
    expect_clock("19:41:06.108]", 70866.108, 12);
    expect_clock("100:00:00", 360000, 9);
    expect_clock("2 days, 1:02:03", 2 * 86400 + 3723, 15);
    expect_clock("1 day, 0:00:01", 86401, 14);
    assert_false(log_clock(str_from("59"), &is, &used));
    assert_false(log_clock(str_from("04:60"), &is, &used));
    assert_false(log_clock(str_from("04:"), &is, &used));
    assert_false(log_clock(str_from("?"), &is, &used));
}

/* ---- steps ---- */

static void expect_steps(struct log_steps *steps, int64_t number, enum log_order order,
                         int64_t span)
{
    int64_t is = -1;
    assert_int_equal(log_steps_next(steps, number, &is), order);
    assert_int_equal(is, span);
}

static void an_interval_is_found_out(void **state)
{
    struct log_steps tens = {0};
    expect_steps(&tens, 10, LOG_STEPS_ON, 0); /* nobody can know yet */
    expect_steps(&tens, 20, LOG_STEPS_ON, 10);
    expect_steps(&tens, 30, LOG_STEPS_ON, 10);
    expect_steps(&tens, 60, LOG_STEPS_ON, 10); /* two lines are lost */
    expect_steps(&tens, 60, LOG_STEPS_AGAIN, 10);
    expect_steps(&tens, 40, LOG_STEPS_BACK, 10);

    struct log_steps titan = {0}; /* the first, then every tenth */
    expect_steps(&titan, 1, LOG_STEPS_ON, 1);
    expect_steps(&titan, 10, LOG_STEPS_ON, 9);
    expect_steps(&titan, 20, LOG_STEPS_ON, 10);

    struct log_steps every = {0};
    expect_steps(&every, 6502, LOG_STEPS_ON, 0); /* an excerpt */
    expect_steps(&every, 6503, LOG_STEPS_ON, 1);
    expect_steps(&every, 9000, LOG_STEPS_ON, 1); /* cut out */

    struct log_steps told = {.declared = 5};
    expect_steps(&told, 5, LOG_STEPS_ON, 5);
    expect_steps(&told, 10, LOG_STEPS_ON, 5);
    expect_steps(&told, 5, LOG_STEPS_BACK, 5);

    struct log_steps zero = {0};
    expect_steps(&zero, 0, LOG_STEPS_ON, 1);
    expect_steps(&zero, 1, LOG_STEPS_ON, 1);
    expect_steps(&zero, 2, LOG_STEPS_ON, 1);
}

static void a_value_and_two_stamps_can_contradict(void **state)
{
    const int64_t s = 1000000000;
    assert_false(log_stamps_disagree(10 * s, 1, 100 * s, 110 * s, 1000000));
    assert_false(log_stamps_disagree(10 * s, 1, 100 * s, 110 * s + s / 2, 1000000));
    assert_true(log_stamps_disagree(55 * s, 1, 100 * s, 132 * s, 1000000));
    assert_true(log_stamps_disagree(10 * s, 1, 100 * s, 152 * s, 1000000));
    assert_false(log_stamps_disagree(s / 2, 1, 100 * s, 101 * s, s)); /* stamps in whole seconds */
    assert_false(log_stamps_disagree(s, 10, 100 * s, 110 * s, 1000000));
}

/* ---- prefixes ---- */

static void expect_body(const char *line, const char *body, int64_t writer)
{
    int64_t is = -7;
    struct str rest = log_prefix_strip(str_from(line), &is);
    if (!str_is(rest, body) || is != writer) {
        print_error("\"%s\": \"%.*s\", writer %lld\n", line, (int)rest.len, rest.p, (long long)is);
        fail();
    }
}

static void launchers_prefixes_are_taken_off(void **state)
{
    expect_body("  5: iteration 3", "iteration 3", 5);
    expect_body("1023: iteration 3", "iteration 3", 1023);
    expect_body("[rank0]:[titan] step: 1", "[titan] step: 1", 0);
    expect_body("[default7]:text", "text", 7);
    expect_body("[1,5]<stdout>:text", "text", 5);
    expect_body("[trainer3|1]:text", "text", 3);
    expect_body("[trainer3|]text", "[trainer3|]text", -1);
    expect_body("2026-05-11T02:59:55.145289123Z stdout F   text", "  text", -1);
    expect_body("2026-05-11T02:59:55.14+00:00 stderr P [rank3]:text", "text", 3);
    expect_body("2026-05-11T02:59:55Z stdout Fast", "stdout Fast", -1);
    expect_body("May 11 02:59:55 text", "text", -1);
    expect_body("May  1 02:59:55.123456   text", "  text", -1);
    expect_body("May 11 02:59:55 node17 python3[4242]: [rank3]:text", "text", 3);
    expect_body("2026-05-11T02:59:55+0000 node17 torchrun[42]: text", "text", -1);
    expect_body("May 11 02:59 text", "May 11 02:59 text", -1);
    expect_body("Mai 11 02:59:55 text", "Mai 11 02:59:55 text", -1);
    expect_body("May 11 02:59:55 loss aux[3]: 4.5", "4.5", -1); /* as a daemon's would be */
    expect_body("10.0.0.2: 52: text", "text", 52);
    expect_body("node17: text", "text", -1);
    expect_body("127:     forward-backward ...: (1, 2)", "    forward-backward ...: (1, 2)", 127);
    expect_body("loss: 3.5", "loss: 3.5", -1);
    expect_body("12:30:05 text", "12:30:05 text", -1);
    expect_body("[2024-05-01 10:00:00] iteration", "[2024-05-01 10:00:00] iteration", -1);
    expect_body("    indented: 5", "    indented: 5", -1);
    expect_body("", "", -1);
}

static void every_day_follows_the_one_before(void **state)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t seconds = 3723, ns;
    bool zone;
    size_t length;
    for (int year = 1970; year <= 2200; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 1; day <= 32; day++) {
                bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
                bool there = day <= days[month - 1] + (month == 2 && leap);
                char text[64];
                int size = snprintf(text, sizeof(text), "%d-%02d-%02d 01:02:03,5 and more text",
                                    year, month, day);
                assert_int_equal(log_stamp(str_of(text, (size_t)size), &ns, &zone, &length), there);
                if (!there)
                    continue;
                assert_int_equal(ns, seconds * 1000000000 + 500000000);
                assert_int_equal(length, 21);
                seconds += 86400;
            }
}

static void terminal_escapes_are_taken_out(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"\x1b[32mstep\x1b[0m: 1", "step: 1"},
        {"\x1b[38;2;180;60;0mmfu\x1b[39m", "mfu"},
        {"\x1b]0;title\atext", "text"},
        {"\x1b]8;;link\x1b\\text", "text"},
        {"cut\x1b[38;2", "cut"},
        {"cut\x1b", "cut"},
        {"\x1b(Btext", "Btext"},
        {"none", "none"},
        {"", ""},
        {"0123456789abcdef", "0123456789abcdef"},
        {"0123456789abcde\x1b[1mf\x1b[0m", "0123456789abcdef"},
        {"0123456789abcdef\x1b[0m0123456789abcdefg\x1b", "0123456789abcdef0123456789abcdefg"},
        {"\x1b[1m\x1b[31m\x1b[0m", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char to[64 + LOG_ESCAPES_SLACK], from[64 + LOG_ESCAPES_SLACK];
        memset(from, 0x1b, sizeof(from)); /* what is behind the line is not of it */
        memcpy(from, cases[i].from, strlen(cases[i].from));
        struct str plain = log_without_escapes(str_of(from, strlen(cases[i].from)), to);
        assert_true(str_is(plain, cases[i].to));
    }
}

static void lines_in_the_json_of_docker_are_taken_out(void **state)
{
    static const struct {
        const char *from, *to; /* NULL: it is none */
        bool goes_on;
    } cases[] = {
        {"{\"log\":\"step 5\\n\",\"stream\":\"stdout\",\"time\":\"2026-05-11T02:59:55Z\"}",
         "step 5", false},
        {"{\"log\": \"a\\t\\\"b\\\" \\u00e9\\r\\n\", \"stream\": \"stderr\"}", "a\t\"b\" \u00e9",
         false},
        {"{\"log\":\"\\r 1/2\\r 2/2\",\"attrs\":{},\"stream\":\"stdout\"}", "\r 1/2\r 2/2", true},
        {"{\"log\":\"\\r 1/2\\r\",\"stream\":\"stdout\"}", "\r 1/2", false},
        {"{\"log\":\"\\n\",\"stream\":\"stdout\"}", "", false},
        {"{\"log\":\"step 5\\n\",\"step\":5}", NULL, false},
        {"{\"log\":\"step 5", NULL, false},
        {"{\"log\":5,\"stream\":\"stdout\"}", NULL, false},
        {"{\"log\":", NULL, false},
        {"", NULL, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char to[64];
        struct str text;
        bool goes_on, is = log_unwrap(str_from(cases[i].from), to, sizeof(to), &text, &goes_on);
        assert_int_equal(is, cases[i].to != NULL);
        assert_true(!is || (str_is(text, cases[i].to) && goes_on == cases[i].goes_on));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_they_are_written),
        cmocka_unit_test(short_decimals_are_read_as_strtod_does),
        cmocka_unit_test(what_is_no_number_is_told_from_what_is_torn),
        cmocka_unit_test(durations_are_within_the_bounds_of_a_record),
        cmocka_unit_test(fields_are_found_by_their_names),
        cmocka_unit_test(texts_are_found_wherever_they_stand),
        cmocka_unit_test(stamps_are_unix_time),
        cmocka_unit_test(clocks_are_durations),
        cmocka_unit_test(an_interval_is_found_out),
        cmocka_unit_test(a_value_and_two_stamps_can_contradict),
        cmocka_unit_test(launchers_prefixes_are_taken_off),
        cmocka_unit_test(every_day_follows_the_one_before),
        cmocka_unit_test(terminal_escapes_are_taken_out),
        cmocka_unit_test(lines_in_the_json_of_docker_are_taken_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
